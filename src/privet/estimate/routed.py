"""Routed evidence: every record sits in one node.

This is how plain tables are learned, and disguised ones by the methods that believe what they see.
A table in memory keeps its records sorted by node, so that a level costs one sequential pass over
the records of open nodes, and the largest child of a split is never counted: it is the parent less
the others. Any other table is read once a level, each record walking down the tree so far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import finalize

import numpy as np

from privet.compiled import in_threads, threads
from privet.estimate.base import CountedFrontier, Evidence
from privet.estimate.coder import Coder
from privet.estimate.routing_kernels import (
    child_counts,
    child_sizes,
    count_ranges,
    count_routed,
    route,
)
from privet.split.counted import CountTables, offsets_of
from privet.split.scored import Splits
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Value
    from privet.table import Batch, IntArrays, Table
    from privet.tree import Tree

__all__ = ["SortedEvidence", "WalkedEvidence", "routed"]

PIECE = 1 << 15  # rows moved and then counted while they are in a core's own cache

Part = TypeVar("Part")


def routed(
    table: Table,
    codings: Sequence[Coding],
    target: str,
    classes: Sequence[Value],
    weight: NDArray[np.int64] | None = None,
    scale: float = 1.0,
    *,
    by_rows: bool = False,
) -> SortedEvidence | RowsEvidence | WalkedEvidence:
    """Return routed evidence of a table; ``weight`` times ``scale`` counts records unequally.

    With ``by_rows`` a weighted record is still one record where sizes are asked for.
    """
    coder = Coder(tuple(codings), target, len(classes))
    if isinstance(table, MemoryTable):
        evidence = SortedEvidence(table, coder, tuple(classes), weight, scale)
        if not by_rows:
            return evidence
        return RowsEvidence(evidence, SortedEvidence(table, coder, tuple(classes), None, 1.0))
    return WalkedEvidence(table, coder, tuple(classes))


@dataclass(frozen=True, eq=False)
class _Sorted:
    """Records of open nodes: row ``i`` of ``ranges`` is a node and the first and last of some rows.

    A node's rows are in one range, or in a few that follow each other in ``ranges``.
    """

    words: NDArray[np.uint64]
    weight: NDArray[np.int64]  # empty if every record counts once
    ranges: NDArray[np.int64]
    counts: NDArray[Any]  # in 32 bits where that is enough


class SortedEvidence(Evidence):
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
        self._fields = coder.fields
        self._words = coder.table(table)
        self._weight = np.empty(0, np.int64) if weight is None else weight
        # Tables of many values and classes are large: 32 bits where no count can be larger.
        few = weight is None and table.rows < 1 << 31
        self._kind: type[np.int32 | np.int64] = np.int32 if few else np.int64
        self._spare: list[NDArray[np.uint64]] = []

    def root(self) -> CountedFrontier:
        """Count the whole table."""
        ranges = np.array([[0, 0, len(self._words)]])
        pieces = _cut(ranges)

        def count(group: slice) -> tuple[int, NDArray[Any]]:
            part = self._table(1)
            count_ranges(
                self._words, self._weight, self._fields, self._offsets, pieces[group], part
            )
            return 0, part

        counted = self._added(1, _run(count, _groups(pieces[:, 2] - pieces[:, 1])))
        counts = np.ascontiguousarray(counted.transpose(0, 2, 1), self._kind)
        return self._frontier(_Sorted(self._words, self._weight, ranges, counts))

    def _frontier(self, state: _Sorted) -> CountedFrontier:
        tables = CountTables(state.counts, self._offsets, self.scale, whole=True)
        return CountedFrontier(self.codings, tables, state)

    def split(
        self, frontier: CountedFrontier, splits: Splits, keep: NDArray[np.bool_]
    ) -> CountedFrontier:
        """Bring the records of kept children together, counting as few of them as possible."""
        before: _Sorted = frontier.state
        nodes = len(splits.branches)
        parent = np.repeat(np.arange(nodes), splits.branches)
        real = np.arange(max(2, int(splits.branches.max(initial=0)))) < splits.branches[:, None]
        sizes = np.zeros(real.shape, np.int64)
        child_sizes(before.counts, self._offsets, splits.attribute, splits.branch, sizes)
        counted = _what_to_count(parent, keep, sizes[real], nodes)
        slots = np.full(real.shape, -1)
        slots[real] = np.where(counted, np.cumsum(counted) - 1, -1)
        pieces = _cut(before.ranges[np.isin(before.ranges[:, 0], parent[keep])])
        jobs = _jobs(pieces)
        rows = int((pieces[:, 2] - pieces[:, 1]).sum())
        moved = self._space(rows), np.empty(rows if len(before.weight) else 0, np.int64)
        taken, moved_counts = self._route(before, splits, pieces, jobs, slots, moved)
        born = np.full(real.shape, -1)
        born[real] = np.where(keep, np.cumsum(keep) - 1, -1)
        counts = np.empty((int(keep.sum()), *before.counts.shape[1:]), self._kind)
        child_counts(before.counts, moved_counts, slots, born, counts)
        ranges = _children(jobs, taken, born)
        after = _Sorted(*moved, ranges, counts)
        finalize(after, self._spare.append, moved[0])
        return self._frontier(after)

    def _route(
        self,
        frontier: _Sorted,
        splits: Splits,
        pieces: NDArray[np.int64],
        jobs: NDArray[np.int64],
        slots: NDArray[np.int64],
        moved: tuple[NDArray[np.uint64], NDArray[np.int64]],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Move the records; return how many of each job took each branch, and what was counted."""
        taken = np.empty((len(jobs), slots.shape[1]), np.int64)
        before = np.concatenate([[0], np.cumsum((slots >= 0).sum(1))])

        def work(group: slice) -> tuple[int, NDArray[Any]]:
            chosen = jobs[group]
            base, end = before[chosen[0, 0]], before[chosen[-1, 0] + 1]
            part = self._table(end - base)
            route(
                frontier.words,
                frontier.weight,
                self._fields,
                self._offsets,
                splits.attribute,
                splits.branch,
                pieces,
                chosen,
                slots - base,
                *moved,
                taken[group],
                part,
            )
            return base, part

        rows = np.diff(jobs[:, 3], append=(pieces[:, 2] - pieces[:, 1]).sum())
        return taken, self._added(before[-1], _run(work, _groups(rows)))

    def _table(self, slots: int) -> NDArray[Any]:
        """Return empty tables, class × cell; in 32 bits, which is quicker, where that is enough."""
        kind = np.int64 if len(self._weight) else np.uint32
        return np.zeros((slots, len(self.classes), int(self._offsets[-1])), kind)

    def _added(self, slots: int, parts: Iterable[tuple[int, NDArray[Any]]]) -> NDArray[Any]:
        """Add up what the threads counted, each from some slot on."""
        counts = self._table(slots)
        for base, part in parts:
            counts[base : base + len(part)] += part
        return counts

    def _space(self, rows: int) -> NDArray[np.uint64]:
        """Return room for records: that of a frontier nobody holds any more, if it is large enough.

        Memory that was used before costs nothing; new memory costs more than moving the records.
        """
        while self._spare:
            space = self._spare.pop()
            if len(space) >= rows:
                return space
        return np.empty((rows, self._words.shape[1]), np.uint64)


def _cut(ranges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cut ranges ``(node, start, stop)`` into pieces of at most ``PIECE`` rows."""
    node, start, stop = ranges.T
    numbers = np.maximum(-(-(stop - start) // PIECE), 1)
    if (numbers == 1).all():
        return ranges
    place = np.arange(numbers.sum()) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    begin = np.repeat(start, numbers) + place * PIECE
    end = np.minimum(begin + PIECE, np.repeat(stop, numbers))
    return np.stack([np.repeat(node, numbers), begin, end], axis=1)


def _jobs(pieces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join neighbouring pieces of a node to jobs ``(node, first, last, begin)`` of ``route``.

    A node of at most ``PIECE`` rows is one job, so that its children have one range each; no job
    has twice as many.
    """
    node, rows = pieces[:, 0], pieces[:, 2] - pieces[:, 1]
    before = np.cumsum(rows) - rows
    within = before - before[np.searchsorted(node, node)]
    new = np.diff(node, prepend=-1) != 0
    first = np.flatnonzero(new | (np.diff(within // PIECE, prepend=0) != 0))
    last = np.append(first, len(pieces))[1:]
    return np.stack([node[first], first, last, before[first]], axis=1)


def _groups(sizes: NDArray[np.int64]) -> list[slice]:
    """Share jobs out into a few runs of about equal work."""
    if not len(sizes):
        return []
    work = np.cumsum(sizes + 256)  # a job costs something even when it is short
    number = min(len(sizes), 4 * threads(), max(1, int(work[-1]) // 16384))
    cuts = np.searchsorted(work, work[-1] * np.arange(1, number) / number)
    ends = np.unique([0, *cuts.tolist(), len(sizes)]).tolist()
    return [slice(start, stop) for start, stop in pairwise(ends)]


def _run(work: Callable[[slice], Part], groups: list[slice]) -> Iterable[Part]:
    """Run on all threads, unless there is so little that waking one takes longer."""
    return map(work, groups) if len(groups) == 1 else in_threads(work, groups)


def _what_to_count(
    parent: NDArray[np.int64], keep: NDArray[np.bool_], rows: NDArray[np.int64], nodes: int
) -> NDArray[np.bool_]:
    """Say which children to count: of a node all that are kept, or all but the one that remains."""
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
    counted: NDArray[np.bool_] = np.where(derived[parent] >= 0, children != derived[parent], keep)
    return counted


def _children(
    jobs: NDArray[np.int64], taken: NDArray[np.int64], born: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the ranges of all children that were born, those of a child one behind the other."""
    child = born[jobs[:, 0]]
    stop = jobs[:, 3:] + np.cumsum(taken, axis=1)
    ranges = np.stack([child, stop - taken, stop], axis=-1)[(child >= 0) & (taken > 0)]
    ordered: NDArray[np.int64] = ranges[np.argsort(ranges[:, 0], kind="stable")]
    return ordered


class RowsEvidence(Evidence):
    """Routed evidence of records with weights, which also tells how many records there are.

    Gains come from the weights; sizes of leaves and nodes are numbers of records.
    """

    def __init__(self, weighted: SortedEvidence, plain: SortedEvidence) -> None:
        self.codings = weighted.codings
        self.classes = weighted.classes
        self._weighted = weighted
        self._plain = plain

    def root(self) -> CountedFrontier:
        """Count the whole table, by weights and by records."""
        return self._frontier(self._weighted.root(), self._plain.root())

    def _frontier(self, weighted: CountedFrontier, plain: CountedFrontier) -> CountedFrontier:
        rows = plain.tables.counts.sum(2, dtype=np.int64)
        tables = replace(weighted.tables, rows=rows)
        return CountedFrontier(self.codings, tables, (weighted, plain))

    def split(
        self, frontier: CountedFrontier, splits: Splits, keep: NDArray[np.bool_]
    ) -> CountedFrontier:
        """Bring the records of kept children together, once with their weights."""
        weighted, plain = frontier.state
        weighted = self._weighted.split(weighted, splits, keep)
        return self._frontier(weighted, self._plain.split(plain, splits, keep))


@dataclass(frozen=True)
class _Walked:
    """The tree so far, as arrays, and which of its leaves are open (``slots`` ≥ 0)."""

    splits: Splits
    child: NDArray[np.int64]
    slots: NDArray[np.int64]


class WalkedEvidence(Evidence):
    """Routed evidence of a table that is read anew for every level."""

    def __init__(self, table: Table, coder: Coder, classes: tuple[Value, ...]) -> None:
        self.codings = coder.codings
        self.classes = classes
        self._table = table
        self._coder = coder
        self._offsets = offsets_of(self.codings)
        self._width = max(coding.size for coding in self.codings)

    def root(self) -> CountedFrontier:
        """Count the whole table."""
        none = Splits(np.array([-1]), np.zeros((1, self._width), np.int16), np.zeros(1, np.int64))
        return self._counted(none, np.array([0]), np.array([0]))

    def split(
        self, frontier: CountedFrontier, splits: Splits, keep: NDArray[np.bool_]
    ) -> CountedFrontier:
        """Hang the children under the open leaves and count the kept ones in one pass."""
        before: _Walked = frontier.state
        grown = len(before.child)
        open_ = np.flatnonzero(before.slots >= 0)
        attribute, branch = before.splits.attribute.copy(), before.splits.branch.copy()
        child = before.child.copy()
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

    def at(self, tree: Tree, leaves: Sequence[int]) -> CountedFrontier:
        """Return some leaves of a tree, as records reach them."""
        branch = np.zeros((tree.nodes, self._width), np.int16)
        for node, taken in enumerate(tree.routes):
            if taken is not None:
                branch[node, : len(taken)] = taken
        slots = np.full(tree.nodes, -1)
        slots[list(leaves)] = np.arange(len(leaves))
        splits = Splits(np.where(tree.child < 0, -1, tree.attribute), branch, tree.branches)
        return self._counted(splits, tree.child, slots)

    def _counted(
        self, tree: Splits, child: NDArray[np.int64], slots: NDArray[np.int64]
    ) -> CountedFrontier:
        shape = (int(slots.max()) + 1, int(self._offsets[-1]), len(self.classes))

        def count(batch: Batch) -> IntArrays:
            out = np.zeros(shape, np.int64)
            words, fields = self._coder(batch), self._coder.fields
            branches = tree.attribute, tree.branch, child, slots
            count_routed(words, fields, *branches, self._offsets, out)
            return (out,)

        (counts,) = self._table.count(count, "counting")
        tables = CountTables(counts, self._offsets, whole=True)
        return CountedFrontier(self.codings, tables, _Walked(tree, child, slots))
