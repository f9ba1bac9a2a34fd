"""An attribute in a joint table: as finely as the table's size allows.

A joint table of many attributes is small only if each is seen coarsely: ``step`` neighbouring codes
form one group, of what was and of what is observed. Inside a group records lie as the attribute's
own distribution says, whatever their class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.estimate.em import Axis

if TYPE_CHECKING:
    from privet.coding import Floats, Mask

__all__ = ["LEAST_GROUPS", "View", "outputs_at", "view"]

LEAST_GROUPS = 6  # of an ordered attribute
LEAST_KEPT = 0.05  # of a difference that a matrix carries through: what is fainter EM does not fit


@dataclass(frozen=True, eq=False)
class View:
    """An axis of a joint table; ``spread`` (codes × groups) is where a group's records lie."""

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


def view(axis: Axis, step: int, counts: Floats) -> View:
    """Return an axis seen in groups of ``step`` codes; ``counts`` says how many lie at each code.

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
    starts = np.arange(0, axis.outputs, step)
    matrix = np.add.reduceat(axis.dense @ spread, starts, axis=0)
    return View(Axis(groups, len(starts), matrix=matrix), step, spread)
