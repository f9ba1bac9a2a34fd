"""What the answers tell: shares with intervals, how many more it takes, what fakes could do."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.errors import SurveyError
from privet.estimate.crosstab import crosstab
from privet.estimate.linear import left_inverse
from privet.estimate.shares import shares
from privet.release import Release
from privet.survey.forecast import CLEAR, Z, matrix_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.estimate.crosstab import Crosstab, Independence
    from privet.estimate.shares import Shares
    from privet.survey.questionnaire import Questionnaire
    from privet.tree import Tree

__all__ = ["CLEAR", "FAKES", "Results", "Told", "pack", "unpack"]

FAKES = 0.01  # of the answers are made up to move a share
BATCH = 10  # answers that begin to count together
ALPHA = 0.05  # of tests of what goes together


def pack(codes: Mapping[str, Any], questionnaire: Questionnaire) -> bytes:
    """Return an answer as it is stored: two bytes per attribute."""
    return np.array([codes[name] for name in questionnaire.schema.names], "<u2").tobytes()


def unpack(counts: Mapping[bytes, int], questionnaire: Questionnaire) -> dict[str, NDArray[Any]]:
    """Return stored answers as columns of codes, one row for each time one was sent."""
    names = questionnaire.schema.names
    rows = np.frombuffer(b"".join(counts), "<u2").reshape(-1, len(names))
    repeated = np.repeat(rows, list(counts.values()), axis=0)
    return {name: repeated[:, place] for place, name in enumerate(names)}


class Told(NamedTuple):
    """What is known of an attribute: shares with 95 % intervals, and what fakes could do."""

    shares: Shares
    half_widths: Floats
    more: int  # answers it would take until every interval is clear
    moved: Floats  # how far 1 % of fakes could move each share, up or down

    @property
    def intervals(self) -> Floats:
        """The 95 % intervals, (values, 2): round the shares without bias, which may be below 0."""
        around = self.shares.unbiased[:, None] + np.outer(self.half_widths, [-1.0, 1.0])
        return np.asarray(np.clip(around, 0.0, 1.0), np.float64)

    @property
    def clear(self) -> bool:
        """Whether every interval is narrow enough to tell something."""
        return not self.more


@dataclass(frozen=True, eq=False)
class Results:
    """All that a survey's disguised answers tell so far; errors are about the population."""

    questionnaire: Questionnaire
    counts: Mapping[bytes, int]

    @property
    def rows(self) -> int:
        """The number of answers that count."""
        return sum(self.counts.values())

    @cached_property
    def release(self) -> Release:
        """The answers as an ordinary release, in random order."""
        if not self.counts:
            message = "No answers count yet."
            raise SurveyError(message, hint="answers begin to count ten at a time.")
        asked = self.questionnaire
        recipe = asked.recipe
        columns = unpack(self.counts, asked)
        return Release.of_disguised(
            recipe.schema, recipe.channels, columns, treatments=recipe.treatments
        )

    def told(self, column: str) -> Told:
        """Return what is known of an attribute, value by value."""
        coding = self.release.codings[column]
        edges = None if coding is None or not coding.ordered else coding.edges[: coding.known - 1]
        estimate = shares(
            self.release, column, edges=None if edges is None else edges.tolist(), population=True
        )
        half_widths = Z * estimate.errors
        worst = float(half_widths.max(initial=0.0))
        more = max(0, math.ceil(self.rows * ((worst / CLEAR) ** 2 - 1)))
        return Told(estimate, half_widths, more, self._moved(column, estimate))

    def _moved(self, column: str, estimate: Shares) -> Floats:
        """Return how far fakes could move each share: the report that weighs most, sent by all."""
        matrix = matrix_of(self.questionnaire, column)
        weights = left_inverse(matrix, self.rows * (matrix @ estimate.shares))
        up = weights.max(axis=1) - estimate.unbiased
        down = estimate.unbiased - weights.min(axis=1)
        return np.asarray(FAKES * np.maximum(up, down), np.float64)

    def crosstab(self, first: str, second: str) -> Crosstab:
        """Return how two attributes go together, with a test that allows for the disguise."""
        return crosstab(self.release, first, second, population=True)

    def more_for(self, test: Independence | None, *columns: str) -> int | None:
        """Return about how many more answers it would take until a test tells two apart.

        0 if it does so now. While the shares of one of the ``columns`` cannot be told, it is how
        many these lack: from so few answers nothing can be said of how two go together. None if
        the answers give no sign that they do at all: the statistic is no larger than chance
        makes it, and no number can be given.
        """
        if test is not None and test.p_value < ALPHA:
            return 0
        unclear = max((self.told(column).more for column in columns), default=0)
        if unclear:
            return unclear
        if test is None:
            return None
        from scipy.stats import chi2

        signal = test.statistic - test.freedom  # grows with the number of answers, chance does not
        if signal <= 0:
            return None
        wanted = float(chi2.isf(ALPHA, test.freedom)) - test.freedom
        return max(BATCH, math.ceil(self.rows * (wanted / signal - 1)))

    def tree(self, target: str, max_depth: int = 3) -> Tree:
        """Return the tree of a question by the others."""
        from privet.mining import mine
        from privet.split import Policy

        policy = Policy.named("cart").but(max_depth=max_depth)
        grown = mine(self.release.with_target(target), policy).tree
        return replace(grown, source=self.questionnaire.title[self.questionnaire.languages[0]])

    def more_for_tree(self, target: str) -> tuple[str, int | None]:
        """Return the question nearest to telling another apart, and how many answers it lacks."""
        others = [name for name in self.questionnaire.schema.names if name != target]
        needed = {
            name: self.more_for(self.crosstab(name, target).independence, name, target)
            for name in others
        }
        known = {name: more for name, more in needed.items() if more is not None}
        if not known:
            return (others[0] if others else ""), None
        nearest = min(known, key=known.__getitem__)
        return nearest, known[nearest]

    def to_dict(self, language: str | None = None) -> dict[str, Any]:
        """Return all shares, with names in a language, the survey's first by default."""
        asked = self.questionnaire
        language = language or asked.languages[0]
        form: dict[str, Any] = {
            "title": asked.title[language],
            "answers": self.rows,
            "epsilon": asked.claim.epsilon,
            "fakes": FAKES,
            "clear": CLEAR,
            "questions": [],
        }
        for column in asked.schema.names if self.rows else ():
            told = self.told(column)
            form["questions"].append(
                {
                    "name": column,
                    "question": asked.label(column, language),
                    "values": asked.values(column, language),
                    "shares": told.shares.shares.tolist(),
                    "intervals": told.intervals.tolist(),
                    "half_widths": told.half_widths.tolist(),
                    "moved_by_fakes": told.moved.tolist(),
                    "clear": told.clear,
                    "more_answers": told.more,
                    "mean": None if told.shares.mean is None else told.shares.mean._asdict(),
                }
            )
        return form

    def lines(self, language: str | None = None) -> list[str]:
        """Say it in words."""
        form = self.to_dict(language)
        said = [f"{form['title']}: {self.rows:,} answers, 95 % intervals."]
        for question in form["questions"]:
            said += ["", f"{question['name']}: {question['question']}"]
            width = max(map(len, question["values"]))
            rows = zip(
                question["values"],
                question["shares"],
                question["half_widths"],
                question["moved_by_fakes"],
                strict=True,
            )
            said += [
                f"  {value:{width}}  {100 * share:5.1f} % ± {100 * half:.1f}"
                f"   (1 % of fakes: ± {100 * moved:.1f})"
                for value, share, half, moved in rows
            ]
            if not question["clear"]:
                said.append(
                    f"  cannot be told yet: about {question['more_answers']:,} more answers"
                )
        return said
