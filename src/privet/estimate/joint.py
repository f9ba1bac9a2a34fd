"""A fitted joint table, and how much likelier a split makes what was observed of it.

A test of a split changes the table inside one box only, and there only the shares of the classes.
So what it leads one to observe is worked out for that box alone, branch by branch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.estimate.em import Axis, expected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.estimate.view import View

__all__ = ["Joint"]

FAINT = 1.0  # the most a second opinion gives: enough to go on, too little to stay by itself
NONE = 1e-200  # what stands for no record where a logarithm is taken


class Inside(NamedTuple):
    """The part of a joint table inside a box: cells × classes, their axes, what one observes."""

    block: Floats
    axes: tuple[Axis, ...]
    means: Floats

    @property
    def total(self) -> Floats:
        """How many records of each class there are."""
        return _summed(self.block)

    @property
    def levelled(self) -> Floats:
        """What one would observe if every cell had the class shares of the whole."""
        return _shared(self.means, self.total)


@dataclass(frozen=True)
class Joint:
    """The joint table of some attributes and the class: what was observed, and what was fitted."""

    views: tuple[View, ...]
    label: Axis
    observed: Floats
    table: Floats

    def within(self, masks: Sequence[NDArray[np.bool_]], own: int) -> Floats:
        """Return the fitted table of one axis inside a box along the others: groups × classes."""
        shares = [seen.inside(mask) for seen, mask in zip(self.views, masks, strict=True)]
        spans = [_span(share) for share in shares]
        spans[own] = slice(None)
        table = self.table[tuple(spans)]
        for axis in reversed(range(len(masks))):  # the last first, so that places stay right
            if axis != own:
                table = np.tensordot(shares[axis][spans[axis]], table, (0, axis))
        return table

    def split_z(
        self,
        masks: Sequence[NDArray[np.bool_]],
        own: int,
        branch: NDArray[np.int16],
    ) -> float:
        """Return how much likelier what was observed is with a split than without, as a z.

        ``masks`` is the node's box, ``own`` the place of the attribute that ``branch`` divides.
        Outside the box the fitted table stays as it is; inside, class shares are those of the box,
        or those of each branch. Twice the gain in log-likelihood is about z². Where much more than
        one split goes on inside, neither may be near what was fitted, and the split seems to make
        it less likely; then the fitted table is compared with itself, less what tells the branches
        apart. That says only that it is worth going on: the splits below must pay for it.
        """
        shares = [seen.inside(mask) for seen, mask in zip(self.views, masks, strict=True)]
        parts = []
        for number in range(int(branch.max()) + 1):
            shares[own] = self.views[own].inside(masks[own] & (branch == number))
            parts.append(self._within(shares))
        inside = _added(part.means for part in parts)
        total = _added(part.total for part in parts)
        outside = np.maximum(self._means - inside, 0.0)
        whole = outside + _shared(inside, total)
        divided = outside + _added(part.levelled for part in parts)
        z = self._z(divided, whole)
        if z > 0.0:
            return z
        alike = (self._expected(part.axes, _turned(part.block, total)) for part in parts)
        return min(self._z(self._means, outside + _added(alike)), FAINT)

    def _z(self, means: Floats, other: Floats) -> float:
        """Return how much likelier some means are than others."""
        if not self.label.is_exact:
            means, other = means @ self.label.dense.T, other @ self.label.dense.T
        more = np.log(np.maximum(means, NONE) / np.maximum(other, NONE))
        return math.sqrt(max(0.0, 2.0 * float(np.vdot(self._counts, more))))

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
        return Inside(block, axes, self._expected(axes, block))

    def _expected(self, axes: tuple[Axis, ...], table: Floats) -> Floats:
        """Return what one observes where anything was observed, by true classes."""
        classes = table.shape[-1]
        if not table.size:
            return np.zeros((len(self._places), classes))
        means = expected((*axes, Axis(classes, classes)), table)
        return means.reshape(-1, classes)[self._places]

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where anything was observed of the attributes."""
        return np.flatnonzero(_rows(self.observed.reshape(-1, self.observed.shape[-1])))

    @property
    def _counts(self) -> Floats:
        counts: Floats = self.observed.reshape(-1, self.observed.shape[-1])[self._places]
        return counts

    @cached_property
    def _means(self) -> Floats:
        return self._expected(tuple(seen.axis for seen in self.views), self.table)


def _span(share: Floats) -> slice:
    """Return from where to where anything has a share."""
    inside = np.flatnonzero(share)
    return slice(int(inside[0]), int(inside[-1]) + 1) if len(inside) else slice(0)


def _added(arrays: Iterable[Floats]) -> Floats:
    return reduce(np.add, arrays)


def _rows(table: Floats) -> Floats:
    """Return sums over the classes: a product, because sums along a short axis are slow."""
    summed: Floats = table @ np.ones(table.shape[-1])
    return summed


def _summed(table: Floats) -> Floats:
    """Return sums over everything but the classes."""
    rows = np.ascontiguousarray(table).reshape(-1, table.shape[-1])
    summed: Floats = np.ones(len(rows)) @ rows
    return summed


def _shared(means: Floats, total: Floats) -> Floats:
    """Return means with the class shares of ``total``."""
    shared: Floats = _rows(means)[:, None] * (total / max(float(total.sum()), NONE))
    return shared


def _turned(table: Floats, total: Floats) -> Floats:
    """Return the table with its classes weighed so that its sum has the shares of ``total``."""
    before = _summed(table)
    turned = table * (total / total.sum() / np.maximum(before / max(before.sum(), 1e-300), 1e-12))
    rows = _rows(table) / np.maximum(_rows(turned), 1e-300)
    whole: Floats = turned * rows[..., None]
    return whole
