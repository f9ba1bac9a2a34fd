"""An attribute in a joint table: as finely as the table's size allows.

A joint table of many attributes is small only if each is seen coarsely: ``step`` neighbouring codes
form one group, of what was and of what is observed. Inside a group records lie as the attribute's
own distribution says, whatever their class. Where a channel spreads a code over many outputs, pairs
of outputs tell nearly as much of all codes as single ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.estimate.em import Axis

if TYPE_CHECKING:
    from privet.coding import Floats, Mask

__all__ = ["LEAST_GROUPS", "View", "coarser", "outputs_at", "paired", "view"]

LEAST_GROUPS = 6  # of an ordered attribute
LEAST_KEPT = 0.05  # of a difference that a matrix carries through: what is fainter EM does not fit
TOLD = 7 / 8  # of what outputs tell of a code: pairs of them must tell as much


@dataclass(frozen=True, eq=False)
class View:
    """An axis of a joint table; ``spread`` (codes × groups) is where a group's records lie.

    ``step`` is how many neighbouring outputs are counted as one.
    """

    axis: Axis
    step: int = 1
    spread: Floats | None = None

    def inside(self, mask: Mask) -> Floats:
        """Return the share of each group that a set of codes holds."""
        shares: Floats = mask.astype(np.float64)
        return shares if self.spread is None else shares @ self.spread

    def fine(self, table: Floats) -> Floats:
        """Return a table of groups (its first axis) as a table of codes."""
        return table if self.spread is None else self.spread @ table

    def groups(self, counts: Floats) -> Floats:
        """Return counts of codes as counts of groups."""
        return counts if self.spread is None else counts @ (self.spread > 0)

    def means(self, values: Floats) -> Floats:
        """Return what codes have, the first axis, as means of groups."""
        return values if self.spread is None else self.spread.T @ values

    @cached_property
    def inverse(self) -> Floats | None:
        """The weight of each output for each code, by the left inverse; None if it is exact."""
        axis = self.axis
        if axis.is_exact:
            return self.spread
        least = 1e-12 if axis.levels is not None else LEAST_KEPT
        inverse: Floats = np.linalg.pinv(axis.dense, rcond=least).astype(np.float64)
        return self.fine(inverse)


def outputs_at(axis: Axis, step: int) -> int:
    """Return how many groups of outputs there are."""
    return -(-axis.outputs // step)


def view(axis: Axis, step: int, counts: Floats, outputs: int | None = None) -> View:
    """Return an axis seen in groups of ``step`` codes; ``counts`` says how many lie at each code.

    So many ``outputs`` of a channel are counted as one, as many as codes if nothing is said.

    >>> view(Axis(4, 4), 2, np.array([1.0, 3.0, 2.0, 2.0])).spread.round(3)
    array([[0.25, 0.  ],
           [0.75, 0.  ],
           [0.  , 0.5 ],
           [0.  , 0.5 ]])
    """
    if step == 1:
        return View(axis)
    group = np.arange(axis.inputs) // step
    groups = int(group[-1]) + 1
    filled = counts + max(counts.sum(), 1.0) * 1e-6 / len(counts)  # an empty group is spread evenly
    spread = np.zeros((axis.inputs, groups))
    spread[np.arange(axis.inputs), group] = filled / np.bincount(group, filled)[group]
    if axis.is_exact:
        return View(Axis(groups, groups), step, spread)
    outputs = outputs or step
    starts = np.arange(0, axis.outputs, outputs)
    matrix = np.add.reduceat(axis.dense @ spread, starts, axis=0)
    return View(Axis(groups, len(starts), matrix=matrix), outputs, spread)


def paired(seen: View) -> View:
    """Return the same view by pairs of what was counted as one, if these tell nearly as much.

    What outputs tell of a code is χ² between their chances for that code and for any code.

    >>> from privet.channel import Band, GammaDiagonal
    >>> kinds = Band("age", 36, 8), GammaDiagonal("age", 36, 8)
    >>> [paired(View(Axis.of(kind, 36))).axis.outputs for kind in kinds]
    [22, 36]
    """
    axis = seen.axis
    if axis.is_exact:
        return seen
    both = np.add.reduceat(axis.dense, np.arange(0, axis.outputs, 2), axis=0)
    if _told(both) < TOLD * _told(axis.dense):
        return seen
    return View(Axis(axis.inputs, len(both), matrix=both), 2 * seen.step, seen.spread)


def _told(matrix: Floats) -> float:
    means = matrix.mean(1, keepdims=True)
    return float(((matrix - means) ** 2 / means).sum())


def coarser(axis: Axis, counts: Floats) -> View:
    """Return an axis seen in pairs of codes, and in about as many outputs."""
    return view(axis, 2, counts, 2 if axis.outputs >= axis.inputs else 1)
