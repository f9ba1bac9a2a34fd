"""True pairs under noise without a bound: the card's method, run once more on the originals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.base import METHODS
from privet.disguise.noised import Noised
from privet.disguise.regression import SingularWarning
from privet.errors import InputError
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.randomness import Randomness
    from privet.release import Release
    from privet.schema import Schema

    Floats = NDArray[np.float64]

__all__ = ["Pairs", "method_of", "pairs_of", "windows"]

CLOSE = 0.05  # of the range: how near a guessed number has to be


@dataclass(frozen=True)
class Pairs:
    """Originals and released records of the same people, row for row.

    ``shown`` is what is released for each; ``plain`` pairs show the originals themselves.
    """

    schema: Schema
    true: MemoryTable
    shown: MemoryTable
    is_plain: bool = False

    def plain(self) -> Pairs:
        """Return the pairs as they would be without a disguise."""
        return Pairs(self.schema, self.true, self.true, is_plain=True)

    def moved(self, order: NDArray[np.int64]) -> Pairs:
        """Return the pairs with the released rows of other people."""
        return Pairs(self.schema, self.true, self.shown.take(order))


def method_of(release: Release) -> Noised | None:
    """Return the method that made a release, by its card; None if it made no such noise."""
    if release.unbounded is None:
        return None
    made: Any = METHODS[release.unbounded.method](**release.unbounded.settings)
    return made if isinstance(made, Noised) else None


def pairs_of(
    release: Release, sample: Mapping[str, NDArray[Any]], source: Randomness
) -> Pairs | None:
    """Return true pairs, or None where there is no such noise, or no originals to do it to."""
    method = method_of(release)
    if method is None or release.unbounded is None or not sample:
        return None
    schema = release.unbounded.original_schema(release.schema)
    true = MemoryTable({name: sample[name] for name in schema.names})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularWarning)  # the owner was told
            return Pairs(schema, true, method.perturb(true, schema, source))
    except InputError:  # a sample may be too small, or of one class
        return None


def windows(values: Floats, width: float) -> float:
    """Return the middle of the window of ``width`` that holds most values: the best blind guess."""
    held = np.sort(values[~np.isnan(values)])
    if not len(held):
        return 0.0
    inside = np.searchsorted(held, held + width, side="right") - np.arange(len(held))
    return float(held[int(inside.argmax())] + width / 2)
