"""Made-up respondents with a known truth: what a survey would bring if people were like that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.randomness import fresh_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.survey.questionnaire import Questionnaire

__all__ = ["Crowd", "crowd", "disguised"]

LINKED = 0.8  # of a column's codes follow the first question, so that there is a tree to find


@dataclass(frozen=True, eq=False)
class Crowd:
    """True codes by attribute; ``root`` is the attribute that ``leaf`` follows."""

    codes: dict[str, NDArray[Any]]
    root: str
    leaf: str

    @property
    def people(self) -> int:
        """How many they are."""
        return len(next(iter(self.codes.values())))

    def shares(self, column: str, size: int) -> Floats:
        """Return the true shares of a column's codes."""
        counts = np.bincount(self.codes[column], minlength=size)
        return np.asarray(counts / counts.sum(), np.float64)


def crowd(questionnaire: Questionnaire, people: int, seed: int | None = None) -> Crowd:
    """Draw people; each question has shares of its own, and the last follows the first."""
    rng = np.random.default_rng(seed)
    sizes = {name: questionnaire.schema[name].coding().size for name in questionnaire.schema.names}
    codes = {
        name: rng.choice(size, people, p=rng.dirichlet(np.full(size, 2.0)))
        for name, size in sizes.items()
    }
    root, leaf = questionnaire.schema.names[0], questionnaire.schema.names[-1]
    if root != leaf:
        follows = rng.random(people) < LINKED
        upper = (codes[root] + 1) * (sizes[leaf] - 1) // sizes[root]
        codes[leaf] = np.where(follows, upper, codes[leaf])
    return Crowd(codes, root, leaf)


def disguised(
    questionnaire: Questionnaire, codes: dict[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Return what devices would send for true codes, each from fresh randomness."""
    sent: dict[str, NDArray[Any]] = {}
    for channel in questionnaire.channels:
        joint = channel.join(codes)
        drawn = channel.draw(joint, fresh_words(len(joint) * channel.words))
        sent |= channel.part(drawn)
    return {name: sent[name] for name in questionnaire.schema.names}
