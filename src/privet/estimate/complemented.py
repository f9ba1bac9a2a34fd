"""Complemented evidence: exact counts of originals from what completes them to a universe (Fong).

At any node |T_S(E)| = q·|T^U(E)| − |T′(E)| − |T^P(E)|. The two tables are counted by weight; the
universe's part follows from the sizes of the node's box. All are whole numbers, so a tree grown
from them is that of the originals, node for node, and costs no more however many samples there
were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import BugError
from privet.estimate.base import CountedFrontier, Evidence
from privet.estimate.coder import Coder
from privet.estimate.routed import SortedEvidence
from privet.split.counted import CountTables, offsets_of
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Box, Coding, Floats, Ints, Mask
    from privet.release import Release
    from privet.split.scored import Splits

__all__ = ["ComplementedEvidence"]


@dataclass(frozen=True)
class _Complemented:
    """The two tables' frontier, and for each open node which codes its box allows, end to end."""

    taken: CountedFrontier
    allowed: Mask


class ComplementedEvidence(Evidence):
    """Evidence of a complemented release. Dummies are left out: nothing was collected there."""

    def __init__(self, release: Release, codings: Sequence[Coding]) -> None:
        if release.universe is None:
            raise BugError("a release without a universe is taken for a complemented one")
        self.codings = tuple(codings)
        self.classes = release.schema.classes
        self.copies = release.universe.copies
        self.rows = release.rows
        self._target = release.schema.target
        self._offsets = offsets_of(self.codings)
        self._table, self._weight = _real_rows(release)
        coder = Coder(self.codings, self._target, len(self.classes))
        self._tables = SortedEvidence(self._table, coder, self.classes, self._weight, 1.0)

    def root(self) -> CountedFrontier:
        """Return the frontier of the root, whose box is everything."""
        allowed = np.ones((1, self._offsets[-1]), np.bool_)
        return self._frontier(_Complemented(self._tables.root(), allowed))

    def _frontier(self, state: _Complemented) -> CountedFrontier:
        """Return the counts of originals at all open nodes."""
        universe = self._universe(state.allowed)
        counts = universe[:, :, None] + state.taken.tables.counts
        return CountedFrontier(self.codings, CountTables(counts, self._offsets, whole=True), state)

    def split(self, frontier: CountedFrontier, splits: Splits, keep: Mask) -> CountedFrontier:
        """Move on in the two tables, and narrow the boxes."""
        before: _Complemented = frontier.state
        parent = np.repeat(np.arange(len(splits.branches)), splits.branches)
        branch = np.arange(len(parent)) - splits.first[parent]
        allowed = before.allowed[parent[keep]]
        for child, (node, taken) in enumerate(zip(parent[keep], branch[keep], strict=True)):
            start, stop = self._offsets[splits.attribute[node] :][:2]
            allowed[child, start:stop] &= splits.branch[node, : stop - start] == taken
        return self._frontier(
            _Complemented(self._tables.split(before.taken, splits, keep), allowed)
        )

    def correct(self, boxes: Sequence[Box], right: Floats) -> tuple[Floats, Floats]:
        """Return how many originals are classified rightly; the variance is zero.

        ``right`` says how likely an original of a class in a box is to be right, for each of some
        sums: boxes × classes × sums.
        """
        total = np.zeros(right.shape[2])
        columns = self._table.columns
        for box, chances in zip(boxes, right, strict=True):
            inside = np.ones(self._table.rows, np.bool_)
            whole = self.copies
            for coding in self.codings:
                mask = box.mask(coding.name, coding.size)
                inside &= mask[columns[coding.name]]
                whole *= int(mask.sum())
            classes, weights = columns[self._target][inside], self._weight[inside]
            total += (whole + np.bincount(classes, weights, len(chances))) @ chances
        return total, np.zeros_like(total)

    def _universe(self, allowed: Mask) -> Ints:
        """Count the universe, nodes × cells: q times the sizes of a box in all other attributes."""
        starts = self._offsets[:-1]
        sizes = np.add.reduceat(allowed, starts, axis=1, dtype=np.int64)
        others = np.empty_like(sizes)
        for place in range(len(starts)):
            others[:, place] = self.copies * np.delete(sizes, place, axis=1).prod(1)
        spread = np.repeat(others, np.diff(self._offsets), axis=1)
        return np.where(allowed, spread, 0)


def _real_rows(release: Release) -> tuple[MemoryTable, Ints]:
    """Return the rows of both parts that are no dummies, and minus their counts."""
    universe = release.universe
    if universe is None:
        raise BugError("a release without a universe has no counts")
    kept: dict[str, list[NDArray[Any]]] = {name: [] for name in universe.names}
    weight = []
    for part in release.parts:
        for batch in part.table.batches():
            real = universe.real_rows(batch.columns)
            weight.append(part.sign * universe.counts(batch)[real])
            for name, columns in kept.items():
                columns.append(batch.columns[name][real])
    if not sum(map(len, weight)):
        # Every copy is used up: one row that counts for nothing keeps the tables' shape.
        empty = {name: np.zeros(1, release.column_type(name, release.parts[0])) for name in kept}
        return MemoryTable(empty), np.zeros(1, np.int64)
    joined = {name: np.concatenate(columns) for name, columns in kept.items()}
    return MemoryTable(joined), np.concatenate(weight)
