"""A fitted joint table, and how much likelier a split makes what was observed of it.

A test of a split changes the table inside one box only, and there only the shares of the classes.
So what it leads to observe is worked out for that box alone, branch by branch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.estimate.em import Axis, expected, rows_of
from privet.estimate.kernels import NONE, add_all_margins, divide_box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints, Mask
    from privet.estimate.parted import Steps
    from privet.estimate.view import View

__all__ = ["Joint"]

FAINT = 1.0  # the most a second opinion gives: enough to go on, too little to stay by itself


class Inside(NamedTuple):
    """The part of a joint table inside a box: cells × classes, and the axes of the cells."""

    block: Floats
    axes: tuple[Axis, ...]

    @property
    def shares(self) -> Floats:
        """The share of each class among its records."""
        total = _summed(self.block)
        shares: Floats = total / max(float(total.sum()), NONE)
        return shares


@dataclass(frozen=True)
class Joint:
    """The joint table of some attributes and the class: what was observed, and what was fitted.

    ``steps`` says how far a table that was fitted in two parts was fitted.
    """

    views: tuple[View, ...]
    label: Axis
    observed: Floats
    table: Floats
    steps: Steps | None = None

    def within(self, masks: Sequence[Mask], own: int) -> Floats:
        """Return the fitted table of an axis inside a box along the others: groups × classes."""
        shares = [seen.inside(mask) for seen, mask in zip(self.views, masks, strict=True)]
        spans = [_span(share) for share in shares]
        spans[own] = slice(None)
        table = self.table[tuple(spans)]
        for axis in reversed(range(len(masks))):  # the last first, so that places stay right
            if axis != own:
                table = np.tensordot(shares[axis][spans[axis]], table, (0, axis))
        return table

    def margins(self, masks: Sequence[NDArray[np.bool_]]) -> list[Floats]:
        """Return the fitted table of every axis inside some boxes: boxes × codes × classes each.

        ``masks`` says of each axis which of its codes each box has, boxes × codes.
        """
        inside = [seen.inside(mask) for seen, mask in zip(self.views, masks, strict=True)]
        shares = np.concatenate(inside, axis=1)
        sizes = np.array(self.table.shape[:-1])
        starts = np.cumsum(sizes) - sizes
        sums = np.zeros((*shares.shape, self.table.shape[-1]))
        cells = self.table.reshape(-1, self.table.shape[-1])
        add_all_margins(cells, sizes, shares, starts, sums)
        sums /= np.where(shares > 0, shares, 1.0)[..., None]  # of whole groups codes are taken
        axes = zip(self.views, masks, np.split(sums, starts[1:], axis=1), strict=True)
        return [seen.fine(groups) * mask[..., None] for seen, mask, groups in axes]

    def split_z(self, masks: Sequence[Mask], own: int, branch: NDArray[np.int16]) -> float:
        """Return how much likelier what was observed is with a split than without, as a z.

        ``masks`` is the node's box, ``own`` the place of the attribute that ``branch`` divides.
        Outside the box the fitted table stays as it is; inside, class shares are those of the box,
        or those of each branch. Twice the gain in log-likelihood is about z². Where much more than
        one split goes on inside, neither may be near what was fitted, and the split seems to make
        it less likely; then the fitted table is compared with itself, less what tells the branches
        apart. That says only that it is worth going on: the splits below must pay for it.
        """
        shares = [seen.inside(mask) for seen, mask in zip(self.views, masks, strict=True)]
        box = self._within(shares)
        parts = []
        for number in range(int(branch.max()) + 1):
            shares[own] = self.views[own].inside(masks[own] & (branch == number))
            parts.append(self._within(shares))
        branches = np.stack([self._rows(part) for part in parts[:-1]])
        seen = np.stack([self._seen(part.shares) for part in (box, *parts)])
        outside, likelier = np.empty_like(self._means), np.empty_like(self._means)
        divide_box(
            self._means, *self._places, self._expected(box), branches, seen, outside, likelier
        )
        z = self._z(likelier)
        if z > 0.0:
            return z
        alike = (Inside(_turned(part.block, box.shares), part.axes) for part in parts)
        other = outside + sum(self._expected(part)[self._places] for part in alike)
        return min(self._z(np.maximum(self._means, NONE) / np.maximum(other, NONE)), FAINT)

    def _z(self, likelier: Floats) -> float:
        """Return how much likelier all is by how much likelier each cell is."""
        return math.sqrt(max(0.0, 2.0 * float(np.vdot(self._counts, np.log(likelier)))))

    def _within(self, shares: Sequence[Floats]) -> Inside:
        """Return the part of the table in which every axis has some share."""
        inside = [np.flatnonzero(share) for share in shares]
        block = self.table[np.ix_(*inside)]
        for place, (share, codes) in enumerate(zip(shares, inside, strict=True)):
            if (share[codes] != 1.0).any():
                block = block * share[codes].reshape(-1, *[1] * (block.ndim - place - 1))
        axes = tuple(
            seen.axis.of_some(codes) for seen, codes in zip(self.views, inside, strict=True)
        )
        return Inside(block, axes)

    def _expected(self, part: Inside) -> Floats:
        """Return what one observes of a part: classes × cells, laid flat."""
        table = part.block if part.block.size else np.zeros(self._sizes)
        for axis in part.axes if part.block.size else ():
            table = axis.ahead(table.reshape(axis.inputs, -1))
        return self._seen(table.reshape(self._sizes))

    def _rows(self, part: Inside) -> Floats:
        """Return how many records of a part one observes where, whatever their class."""
        if not part.block.size:
            return np.zeros(self._sizes[1])
        return expected(part.axes, rows_of(part.block)).ravel()

    def _seen(self, shares: Floats) -> Floats:
        """Return shares of classes, or counts by class, as they are observed."""
        return shares if self.label.is_exact else self.label.dense @ shares

    @cached_property
    def rows(self) -> Floats:
        """How many records were fitted to each cell, whatever their class."""
        return rows_of(self.table)

    @cached_property
    def _cells(self) -> Ints:
        """Where anything was observed."""
        return np.flatnonzero(self.observed)

    @cached_property
    def _places(self) -> tuple[Ints, Ints]:
        """Of each of these cells, its class, and where it is whatever its class."""
        return np.divmod(self._cells, self.observed.shape[-1])[::-1]

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        """How many classes there were, and how many cells are observed of each."""
        return self.table.shape[-1], math.prod(self.observed.shape[:-1])

    @cached_property
    def _counts(self) -> Floats:
        return self.observed.ravel()[self._cells]

    @cached_property
    def _means(self) -> Floats:
        whole = Inside(self.table, tuple(seen.axis for seen in self.views))
        return self._expected(whole)[self._places]


def _span(share: Floats) -> slice:
    """Return from where to where anything has a share."""
    inside = np.flatnonzero(share)
    return slice(int(inside[0]), int(inside[-1]) + 1) if len(inside) else slice(0)


def _summed(table: Floats) -> Floats:
    """Return sums over everything but the classes."""
    rows = np.ascontiguousarray(table).reshape(-1, table.shape[-1])
    summed: Floats = np.ones(len(rows)) @ rows
    return summed


def _turned(table: Floats, shares: Floats) -> Floats:
    """Return the table with its classes weighed so that its sum has these shares of them."""
    before = _summed(table)
    turned = table * (shares / np.maximum(before / max(before.sum(), 1e-300), 1e-12))
    rows = rows_of(table) / np.maximum(rows_of(turned), 1e-300)
    whole: Floats = turned * rows[..., None]
    return whole
