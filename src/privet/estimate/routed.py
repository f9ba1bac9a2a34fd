"""Routed evidence: every record sits in one node.

This is how plain tables are learned, and disguised ones by the methods that believe what they see.
A table in memory keeps its records sorted by node, so that a level costs one sequential pass over
the records of open nodes, and the largest child of a split is never counted: it is the parent less
the others. Any other table is read once a level, each record walking down the tree so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from privet.compiled import in_threads, threads
from privet.estimate.base import CountTables, Splits, offsets_of
from privet.estimate.coder import Coder
from privet.table import MemoryTable
from privet.table.kernels import (
    count_children,
    count_ranges,
    count_ranges_weighted,
    count_routed,
    partition,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Value
    from privet.table import Batch, IntArrays, Table

__all__ = ["SortedEvidence", "WalkedEvidence", "routed"]

PIECE = 1 << 16  # rows a thread takes at a time


def routed(
    table: Table,
    codings: Sequence[Coding],
    target: str,
    classes: Sequence[Value],
    weight: NDArray[np.int64] | None = None,
    scale: float = 1.0,
) -> SortedEvidence | WalkedEvidence:
    """Return routed evidence of a table; ``weight`` times ``scale`` counts records unequally."""
    coder = Coder(tuple(codings), target, len(classes))
    if isinstance(table, MemoryTable):
        return SortedEvidence(table, coder, tuple(classes), weight, scale)
    return WalkedEvidence(table, coder, tuple(classes))


@dataclass(frozen=True, eq=False)
class _Sorted:
    """Records of open nodes, node after node: node ``i`` holds rows ``bounds[i]:bounds[i + 1]``."""

    records: NDArray[Any]
    weight: NDArray[np.int64]  # empty if every record counts once
    bounds: NDArray[np.int64]
    counts: NDArray[np.int64]


class SortedEvidence:
    """Routed evidence of a table in memory."""

    def __init__(
        self,
        table: MemoryTable,
        coder: Coder,
        classes: tuple[Value, ...],
        weight: NDArray[np.int64] | None,
        scale: float,
    ) -> None:
        self.codings = coder.codings
        self.classes = classes
        self.scale = scale
        self._offsets = offsets_of(self.codings)
        self._records = coder.table(table)
        self._weight = np.empty(0, np.int64) if weight is None else weight
        self._spare: list[NDArray[Any]] = []

    def root(self) -> _Sorted:
        """Count the whole table."""
        rows = len(self._records)
        counts = self._count(self._records, self._weight, np.array([0]), np.array([rows]))
        return _Sorted(self._records, self._weight, np.array([0, rows]), counts)

    def tables(self, frontier: _Sorted) -> CountTables:
        """Return the counts, which came with the frontier."""
        return CountTables(frontier.counts, self._offsets, self.scale)

    def split(self, frontier: _Sorted, splits: Splits, keep: NDArray[np.bool_]) -> _Sorted:
        """Bring the records of kept children together, counting as few of them as possible."""
        parent = np.repeat(np.arange(len(splits.branches)), splits.branches)
        pieces = _pieces(frontier.bounds, np.unique(parent[keep]))
        taken = np.zeros((len(pieces), int(splits.branches.max(initial=1))), np.int64)
        work = partial(_count_children, frontier, splits, pieces, taken)
        _run(work, _groups(pieces[:, 2] - pieces[:, 1]))
        rows = _child_rows(pieces, taken, splits)
        counted, derived = _what_to_count(parent, keep, rows, len(splits.branches))
        # Kept children come first, in order; behind them those that are only counted.
        order = np.concatenate([np.flatnonzero(keep), np.flatnonzero(counted & ~keep)])
        begin = np.full(len(keep), -1)
        begin[order] = np.cumsum(rows[order]) - rows[order]
        places = _places(pieces, taken, splits, begin)
        space = self._space(int(rows[order].sum()) + 1)  # the last row takes what nobody needs
        moved = _move(frontier, splits, pieces, places, space)
        which = np.flatnonzero(counted)
        held = self._count(*moved, begin[which], begin[which] + rows[which])
        counts = np.empty((len(keep), *frontier.counts.shape[1:]), np.int64)
        counts[which] = held
        owners = np.flatnonzero(derived >= 0)
        if len(owners):
            known = derived[parent[which]] >= 0
            groups = np.searchsorted(parent[which][known], owners)
            others = np.add.reduceat(held[known], groups, axis=0)
            counts[derived[owners]] = frontier.counts[owners] - others
        end = int(rows[keep].sum())
        bounds = np.append(begin[keep], end)
        records, weight = (array[:end] for array in moved)
        born = _Sorted(records, weight, bounds, counts[keep])
        finalize(born, self._spare.append, space)
        return born

    def _space(self, rows: int) -> NDArray[Any]:
        """Return room for records: that of a frontier nobody holds any more, if it is large enough.

        Memory that was used before costs nothing; new memory costs more than moving the records.
        """
        while self._spare:
            space = self._spare.pop()
            if len(space) >= rows:
                return space
        return np.empty((rows, self._records.shape[1]), self._records.dtype)

    def _count(
        self,
        records: NDArray[Any],
        weight: NDArray[np.int64],
        starts: NDArray[np.int64],
        stops: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Count cell × class in ranges of rows; a long range is shared among the threads."""
        pieces = _pieces(np.stack([starts, stops], axis=1), np.arange(len(starts)))
        shape = (len(starts), int(self._offsets[-1]), len(self.classes))
        out = np.zeros(shape, np.int64)
        whole = (stops - starts <= PIECE)[pieces[:, 0]]

        def count(chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            part = np.zeros((len(chosen), *shape[1:]), np.int64)
            ranges = (pieces[chosen, 1], pieces[chosen, 2])
            if len(weight):
                count_ranges_weighted(records, weight, self._offsets, *ranges, part)
            else:
                count_ranges(records, self._offsets, *ranges, part)
            return pieces[chosen, 0], part

        small = np.flatnonzero(whole)
        groups = [small[group] for group in _groups((pieces[:, 2] - pieces[:, 1])[small])]
        groups += [np.array([piece]) for piece in np.flatnonzero(~whole)]
        for nodes, part in in_threads(count, groups):
            if len(nodes) == 1:
                out[nodes[0]] += part[0]
            else:
                out[nodes] = part
        return out


def _pieces(bounds: NDArray[np.int64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cut the rows of some nodes into pieces ``(node, start, stop)`` of at most ``PIECE`` rows.

    ``bounds`` is either the borders of neighbouring nodes, or one (start, stop) a node.
    """
    if bounds.ndim == 1:
        bounds = np.stack([bounds[:-1], bounds[1:]], axis=1)
    starts, stops = bounds[nodes, 0], bounds[nodes, 1]
    numbers = np.maximum(-(-(stops - starts) // PIECE), 1)
    node = np.repeat(nodes, numbers)
    place = np.arange(len(node)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    begin = np.repeat(starts, numbers) + place * PIECE
    return np.stack([node, begin, np.minimum(begin + PIECE, np.repeat(stops, numbers))], axis=1)


def _groups(sizes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Share pieces out into a few runs of about equal work."""
    if not len(sizes):
        return []
    work = np.cumsum(sizes + 256)  # a piece costs something even when it is short
    number = min(len(sizes), 2 * threads(), max(1, int(work[-1]) // 16384))
    cuts = np.searchsorted(work, work[-1] * np.arange(1, number) / number)
    return [part for part in np.split(np.arange(len(sizes)), cuts) if len(part)]


def _run(work: Any, groups: list[NDArray[np.int64]]) -> None:
    for _ in in_threads(work, groups):
        pass


def _count_children(
    frontier: _Sorted,
    splits: Splits,
    pieces: NDArray[np.int64],
    out: NDArray[np.int64],
    group: NDArray[np.int64],
) -> None:
    part = out[group[0] : group[-1] + 1]
    count_children(frontier.records, splits.attribute, splits.branch, pieces[group], part)


def _child_rows(
    pieces: NDArray[np.int64], taken: NDArray[np.int64], splits: Splits
) -> NDArray[np.int64]:
    """Return the rows of every child from those of the pieces."""
    by_node = np.zeros((len(splits.branches), taken.shape[1]), np.int64)
    np.add.at(by_node, pieces[:, 0], taken)
    real = np.arange(taken.shape[1]) < splits.branches[:, None]
    rows: NDArray[np.int64] = by_node[real]
    return rows


def _what_to_count(
    parent: NDArray[np.int64], keep: NDArray[np.bool_], rows: NDArray[np.int64], nodes: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Say which children to count, and for each node which child is what remains (or -1)."""
    children = np.arange(len(parent))
    largest = np.full(nodes, -1)
    by_size = np.lexsort((-children, rows, parent))
    largest[parent[by_size]] = by_size  # the last one written is the largest
    has = np.flatnonzero(largest >= 0)
    rest = np.bincount(parent, rows, nodes) - np.where(largest >= 0, rows[largest], 0)
    kept = np.bincount(parent, rows * keep, nodes)
    derived = np.full(nodes, -1)
    worth = has[keep[largest[has]] & (rest[has] <= kept[has])]
    derived[worth] = largest[worth]
    counted = np.where(derived[parent] >= 0, children != derived[parent], keep)
    return counted, derived


def _places(
    pieces: NDArray[np.int64],
    taken: NDArray[np.int64],
    splits: Splits,
    begin: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return where each piece puts the first record of each branch; negative for nowhere."""
    before = np.cumsum(taken, axis=0) - taken
    node = pieces[:, 0]
    first_piece = np.searchsorted(node, node)  # pieces of one node follow each other
    real = np.arange(taken.shape[1]) < splits.branches[node][:, None]
    child = np.where(real, splits.first[node][:, None] + np.arange(taken.shape[1]), 0)
    places = begin[child] + before - before[first_piece]
    return np.where(real & (begin[child] >= 0), places, -1)


def _move(
    frontier: _Sorted,
    splits: Splits,
    pieces: NDArray[np.int64],
    places: NDArray[np.int64],
    records: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Write the records to their places; return them and their weights."""
    source = frontier.records
    weight = np.empty(len(records) if len(frontier.weight) else 0, np.int64)

    def move(group: NDArray[np.int64]) -> None:
        chosen = slice(group[0], group[-1] + 1)
        partition(
            source,
            source.view(np.uint64),
            frontier.weight,
            splits.attribute,
            splits.branch,
            pieces[chosen],
            places[chosen],
            records.view(np.uint64),
            weight,
        )

    _run(move, _groups(pieces[:, 2] - pieces[:, 1]))
    return records, weight


@dataclass(frozen=True)
class _Walked:
    """The tree so far, as arrays, and which of its leaves are open (``slots`` ≥ 0), with counts."""

    splits: Splits
    child: NDArray[np.int64]
    slots: NDArray[np.int64]
    counts: NDArray[np.int64]


class WalkedEvidence:
    """Routed evidence of a table that is read anew for every level."""

    def __init__(self, table: Table, coder: Coder, classes: tuple[Value, ...]) -> None:
        self.codings = coder.codings
        self.classes = classes
        self._table = table
        self._coder = coder
        self._offsets = offsets_of(self.codings)
        self._width = max(coding.size for coding in self.codings)

    def root(self) -> _Walked:
        """Count the whole table."""
        none = Splits(np.array([-1]), np.zeros((1, self._width), np.int16), np.zeros(1, np.int64))
        return self._counted(none, np.array([0]), np.array([0]))

    def tables(self, frontier: _Walked) -> CountTables:
        """Return the counts, which came with the frontier."""
        return CountTables(frontier.counts, self._offsets)

    def split(self, frontier: _Walked, splits: Splits, keep: NDArray[np.bool_]) -> _Walked:
        """Hang the children under the open leaves and count the kept ones in one pass."""
        grown = len(frontier.child)
        open_ = np.flatnonzero(frontier.slots >= 0)
        attribute, branch = frontier.splits.attribute.copy(), frontier.splits.branch.copy()
        child = frontier.child.copy()
        attribute[open_] = splits.attribute
        branch[open_, : splits.branch.shape[1]] = splits.branch
        child[open_] = grown + splits.first
        more = len(keep)
        slots = np.concatenate([np.full(grown, -1), np.where(keep, np.cumsum(keep) - 1, -1)])
        tree = Splits(
            np.concatenate([attribute, np.full(more, -1)]),
            np.concatenate([branch, np.zeros((more, self._width), np.int16)]),
            np.zeros(grown + more, np.int64),
        )
        return self._counted(tree, np.concatenate([child, np.zeros(more, np.int64)]), slots)

    def _counted(self, tree: Splits, child: NDArray[np.int64], slots: NDArray[np.int64]) -> _Walked:
        shape = (int(slots.max()) + 1, int(self._offsets[-1]), len(self.classes))

        def count(batch: Batch) -> IntArrays:
            out = np.zeros(shape, np.int64)
            count_routed(
                self._coder(batch), tree.attribute, tree.branch, child, slots, self._offsets, out
            )
            return (out,)

        (counts,) = self._table.count(count, "counting")
        return _Walked(tree, child, slots, counts)
