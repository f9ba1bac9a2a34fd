"""RT: uniform noise everywhere, the yardstick of those who keep rules (FI §2, §7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.base import method
from privet.disguise.forest_framework import check_noise
from privet.disguise.noised import Noised, uniforms
from privet.disguise.rules import check_share
from privet.disguise.wrap import wrap
from privet.table import MemoryTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.randomness import Randomness
    from privet.schema import Attribute, Schema

__all__ = ["RandomNoise"]


@method
@dataclass(frozen=True)
class RandomNoise(Noised):
    """Uniform noise on every attribute, the class included, whatever the records say.

    No formal guarantee: noise is bounded, so a released number gives an interval away, and a
    category is most likely what it was.

    Parameters
    ----------
    noise
        How far a number moves at most to either side, as a share of its range. What leaves the
        range at one end comes in at the other.
    change
        The probability that a category, or the class, becomes another, all equally likely.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> pv.RandomNoise(noise=0.1, change=0.3).disguise(table, schema).treatments["age"]
    'unbounded-noise'
    """

    method: ClassVar[str] = "random-noise"
    said = (
        (
            "Numbers have uniform noise of up to {noise} of their range to either side, "
            "categories and the class are changed to any other with probability {change}. Noise"
            " that goes so far and no further gives an interval away for certain."
        ),
    )

    noise: float = 0.2
    change: float = 0.2

    def check(self, schema: Schema) -> None:
        """Validate settings, and refuse numbers without room for noise.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.RandomNoise(noise=0.1).check(schema)
        """
        check_noise("RandomNoise", self.noise, schema)
        check_share("RandomNoise", "change", self.change)

    def perturb(self, table: MemoryTable, schema: Schema, source: Randomness) -> MemoryTable:
        """Return the records with noise.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> released = pv.RandomNoise(noise=0.1).disguise(table, schema).to_frame()
        >>> released.num_rows
        300
        """
        made = {}
        for stream, attribute in enumerate(schema):
            column = table.columns[attribute.name]
            drawn = uniforms(source, stream, table.rows)
            if attribute.is_categorical:
                made[attribute.name] = _changed(column, drawn, attribute.coding().size, self.change)
            else:
                made[attribute.name] = self._moved(attribute, column, drawn)
        return MemoryTable(made)

    def _moved(self, attribute: Attribute, column: Floats, drawn: Floats) -> Floats:
        low, high = attribute.range
        shift = self.noise * (high - low) * (2.0 * drawn - 1.0)
        below = low - 0.5 if attribute.integer else low
        return wrap(column, shift, below, high, whole=attribute.integer)


def _changed(codes: NDArray[Any], drawn: Floats, size: int, change: float) -> NDArray[Any]:
    """Move each code on by 1 to size − 1 places with probability ``change``, all equally likely."""
    if size < 2 or change == 0:
        return codes
    moves = drawn < change
    steps = np.minimum(1 + np.floor(drawn / change * (size - 1)), size - 1).astype(np.int64)
    moved: NDArray[Any] = np.where(moves, (codes + steps) % size, codes).astype(codes.dtype)
    return moved
