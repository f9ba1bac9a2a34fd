"""Tables of binary attributes, those of all nodes in one block.

A level of a tree mined from flip groups has hundreds of nodes with a dozen two-valued attributes
each; one block for all of them is worked on about as fast as one table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Box, Floats, Ints, Mask
    from privet.estimate.grouped import Layout

__all__ = ["Pairs", "SummedPairs", "stack"]


@dataclass(frozen=True)
class Pairs:
    """What ``Inverted`` is for one table, for a row of them, two values each.

    ``mean`` is tables × 2 × classes, ``weights`` tables × 2 × outputs and ``second`` tables ×
    outputs × observed classes. A table that is ``plain`` has its mean taken off ``second``
    already, so that nothing uncertain is exactly zero.
    """

    mean: Floats
    weights: Floats
    second: Floats
    plain: Mask
    labels: Floats | None

    def variances(self, coefficients: Floats) -> Floats:
        """Return the variance of sums of cells, tables × sums, as ``Inverted`` does.

        ``coefficients`` is tables × sums × 2 × classes.
        """
        sums = np.swapaxes(self.weights, 1, 2)[:, None] @ coefficients
        if self.labels is not None:
            sums = sums @ self.labels
        squares = (self.second[:, None] * sums**2).sum((-1, -2))
        own = (self.mean[:, None] * coefficients**2).sum((-1, -2))
        variances: Floats = np.where(self.plain[:, None], squares, squares - own)
        return variances

    def take(self, tables: Ints) -> Pairs:
        """Return some of the tables."""
        arrays = self.mean[tables], self.weights[tables], self.second[tables], self.plain[tables]
        return Pairs(*arrays, self.labels)


@dataclass(frozen=True)
class SummedPairs:
    """The sum of independent blocks with signs: one per part of a release."""

    blocks: tuple[Pairs, ...]
    signs: tuple[int, ...]

    @cached_property
    def mean(self) -> Floats:
        """The sum of the estimates."""
        signed = zip(self.signs, self.blocks, strict=True)
        mean: Floats = np.sum([sign * block.mean for sign, block in signed], axis=0)
        return mean

    def variances(self, coefficients: Floats) -> Floats:
        """Return the sum of the variances."""
        total: Floats = np.sum([block.variances(coefficients) for block in self.blocks], axis=0)
        return total

    def take(self, tables: Ints) -> SummedPairs:
        """Return some of the tables."""
        return SummedPairs(tuple(block.take(tables) for block in self.blocks), self.signs)


def stack(layout: Layout, boxes: Sequence[Box], first: Floats, second: Floats) -> Pairs:
    """Return the tables of all attributes at all boxes, box after box, from their sums."""
    attributes, labels = len(layout.codings), layout.labels
    outputs = int(np.diff(layout.offsets).max())
    shape = (len(boxes), attributes, outputs, first.shape[2])
    sums, squares = np.zeros(shape), np.zeros(shape)
    weights = np.zeros((len(boxes), attributes, 2, outputs))
    plain = np.zeros(attributes, np.bool_)
    for a, coding in enumerate(layout.codings):
        cells = slice(layout.offsets[a], layout.offsets[a + 1])
        summed, squared = first[:, cells], second[:, cells]
        values = layout.values(coding.name, boxes)
        plain[a] = layout.certain[layout.group[a]] and labels is None
        if plain[a]:
            summed, squared = values @ summed, values @ squared
            squared -= summed
            values = np.broadcast_to(np.eye(2), (len(boxes), 2, 2))
        sums[:, a, : summed.shape[1]] = summed
        squares[:, a, : squared.shape[1]] = squared
        weights[:, a, :, : values.shape[2]] = values
    mean = weights @ sums
    if labels is not None:
        mean = mean @ labels.T
    tables = len(boxes) * attributes
    return Pairs(
        mean.reshape(tables, 2, -1),
        weights.reshape(tables, 2, outputs),
        squares.reshape(tables, outputs, -1),
        np.tile(plain, len(boxes)),
        labels,
    )
