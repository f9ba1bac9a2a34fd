"""Compiled routing: records move to their nodes and are counted there.

A record is one 64-bit word, or a few. The code of each attribute, and of the class, is a field of
bits in one of them: ``fields[a]`` is its word, its shift and its mask, the class last. Tables of
all attributes lie end to end: the cell of attribute ``a`` and code ``v`` is ``offsets[a] + v``, and
the last offset is the number of cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    from privet.coding import Codes, Ints

    Branches: TypeAlias = NDArray[np.int16]
    Counts: TypeAlias = NDArray[Any]  # of any width
    Words: TypeAlias = NDArray[np.uint64]

__all__ = ["child_counts", "child_sizes", "count_ranges", "count_routed", "pack", "route"]

BLOCK = 1024  # records worked on column after column: they stay in a core's first cache


@kernel
def pack(codes: Codes, shift: int, word: Words) -> None:
    """Put one attribute's codes into their field of a word, which is empty before."""
    up = np.uint64(shift) & np.uint64(63)
    for row in range(len(codes)):
        word[row] |= np.uint64(codes[row]) << up


@kernel
def _add(
    words: Words, weight: Ints, fields: Words, offsets: Ints, start: int, stop: int, table: Counts
) -> None:
    """Add the records of some rows to ``table``, class × cell: by ``weight``, or one if empty.

    Attribute after attribute, so that the inner loop keeps a field's numbers in registers;
    unsigned places spare a test for negative ones at every access.
    """
    attributes = len(offsets) - 1
    flat = table.reshape(table.size)
    cells = np.uint64(table.shape[1])
    base = np.empty(BLOCK, np.uint32)
    for begin in range(start, stop, BLOCK):
        rows = np.uint64(min(BLOCK, stop - begin))
        part = words[begin : begin + BLOCK]
        word, shift, mask = fields[attributes]
        shift &= np.uint64(63)
        for row in range(rows):
            base[row] = ((part[row, word] >> shift) & mask) * cells
        for a in range(attributes):
            word, shift, mask = fields[a]
            shift &= np.uint64(63)
            first = np.uint64(offsets[a])
            if len(weight):
                for row in range(rows):
                    place = first + base[row] + ((part[row, word] >> shift) & mask)
                    flat[place] += weight[np.uint64(begin) + row]
            else:
                for row in range(rows):
                    flat[first + base[row] + ((part[row, word] >> shift) & mask)] += np.uint32(1)


@kernel
def count_ranges(
    words: Words, weight: Ints, fields: Words, offsets: Ints, ranges: Ints, out: Counts
) -> None:
    """Count class × cell in ranges of rows: ``(i, start, stop)`` is added to ``out[i]``."""
    for i in range(len(ranges)):
        slot, start, stop = ranges[i]
        _add(words, weight, fields, offsets, start, stop, out[slot])


@kernel
def child_sizes(counts: Ints, offsets: Ints, attribute: Ints, branch: Branches, out: Ints) -> None:
    """Add up, from each node's own counts, how many records take each branch of its split."""
    for node in range(len(attribute)):
        if attribute[node] >= 0:
            start = offsets[attribute[node]]
            for code in range(offsets[attribute[node] + 1] - start):
                for label in range(counts.shape[2]):
                    out[node, branch[node, code]] += counts[node, start + code, label]


@kernel
def child_counts(parents: Ints, counted: Counts, slots: Ints, born: Ints, out: Ints) -> None:
    """Write the counts, cell × class, of each child that is born, to ``out[born[node, branch]]``.

    They are in ``counted``, class × cell, at the child's slot; those of a child without one are its
    parent's less all that was counted of the others.
    """
    for node in range(len(slots)):
        for b in range(slots.shape[1]):
            child = born[node, b]
            if child >= 0 and slots[node, b] >= 0:
                out[child] = counted[slots[node, b]].T
            elif child >= 0:
                out[child] = parents[node]
                for other in range(slots.shape[1]):
                    if slots[node, other] >= 0:
                        out[child] -= counted[slots[node, other]].T


@kernel
def _places_of_two(
    column: Words,
    shift: np.uint64,
    mask: np.uint64,
    branch: Branches,
    low: np.uint64,
    high: np.uint64,
    out: Words,
) -> tuple[np.uint64, np.uint64]:
    """Give records of the first branch places from ``low`` up, the others from ``high`` down.

    Without a jump: which child a record takes cannot be foreseen.
    """
    shift &= np.uint64(63)
    for row in range(np.uint64(len(column))):
        second = np.uint64(branch[(column[row] >> shift) & mask])
        high -= second
        out[row] = high if second else low
        low += np.uint64(1) - second
    return low, high


@kernel
def _places_of_many(
    column: Words, shift: np.uint64, mask: np.uint64, branch: Branches, places: Ints, out: Words
) -> None:
    """Give the records of each branch places from ``places[branch]`` up, and move those on."""
    for row in range(len(column)):
        taken = branch[(column[row] >> shift) & mask]
        out[row] = places[taken]
        places[taken] += 1


@kernel
def _scatter(words: Words, weight: Ints, places: Words, new_words: Words, new_weight: Ints) -> None:
    """Write a block of records, and their weights if they have any, to their places."""
    rows = np.uint64(len(words))
    for k in range(np.uint64(words.shape[1])):
        for row in range(rows):
            new_words[places[row], k] = words[row, k]
    for row in range(np.uint64(len(weight))):
        new_weight[places[row]] = weight[row]


@kernel
def route(
    words: Words,
    weight: Ints,
    fields: Words,
    offsets: Ints,
    attribute: Ints,
    branch: Branches,
    ranges: Ints,
    jobs: Ints,
    slots: Ints,
    new_words: Words,
    new_weight: Ints,
    taken: Ints,
    out: Counts,
) -> None:
    """Bring records of each job's node together by child, and count the children asked for.

    A job is ``(node, first, last, begin)``: the rows of ``ranges[first:last]``, all of one node,
    go to the rows from ``begin`` on, child after child; ``taken[j, b]`` of them to the child of
    branch ``b``. That child is added to ``out[slots[node, b]]``, unless the slot is negative, while
    its records are still in cache. The order of records within a child means nothing.
    """
    branches = slots.shape[1]
    places = np.empty(BLOCK, np.uint64)
    after = np.empty(branches, np.int64)
    for j in range(len(jobs)):
        node, first, last, begin = jobs[j]
        word, shift, mask = fields[attribute[node]]
        sides = branch[node]
        rows = 0
        for i in range(first, last):
            rows += ranges[i, 2] - ranges[i, 1]
        low, high = np.uint64(begin), np.uint64(begin + rows)
        if branches > 2:
            after[:] = 0
            for i in range(first, last):
                for row in range(ranges[i, 1], ranges[i, 2]):
                    after[sides[(words[row, word] >> shift) & mask]] += 1
            taken[j] = after
            after[:] = begin + np.cumsum(after) - after
        for i in range(first, last):
            for start in range(ranges[i, 1], ranges[i, 2], BLOCK):
                stop = min(start + BLOCK, ranges[i, 2])
                column, to = words[start:stop, word], places[: stop - start]
                if branches > 2:
                    _places_of_many(column, shift, mask, sides, after, to)
                else:
                    low, high = _places_of_two(column, shift, mask, sides, low, high, to)
                _scatter(words[start:stop], weight[start:stop], to, new_words, new_weight)
        if branches <= 2:
            taken[j, 0] = np.int64(low) - begin
            taken[j, 1] = begin + rows - np.int64(low)
        start = begin
        for b in range(branches):
            stop = start + taken[j, b]
            if slots[node, b] >= 0:
                _add(new_words, new_weight, fields, offsets, start, stop, out[slots[node, b]])
            start = stop


@kernel
def count_routed(
    words: Words,
    fields: Words,
    attribute: Ints,
    branch: Branches,
    child: Ints,
    slots: Ints,
    offsets: Ints,
    out: Ints,
) -> None:
    """Let each record walk down a tree and count cell × class by the slot of the node it reaches.

    Node ``i`` tests ``attribute[i]`` (-1: a leaf) and its children start at ``child[i]``; a slot of
    -1 is not counted.
    """
    attributes = len(offsets) - 1
    codes = np.empty(attributes + 1, np.int64)
    for row in range(len(words)):
        for a in range(attributes + 1):
            word, shift, mask = fields[a]
            codes[a] = (words[row, word] >> shift) & mask
        node = 0
        while attribute[node] >= 0:
            node = child[node] + branch[node, codes[attribute[node]]]
        slot = slots[node]
        if slot < 0:
            continue
        for a in range(attributes):
            out[slot, offsets[a] + codes[a], codes[attributes]] += 1
