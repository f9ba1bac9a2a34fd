"""Compiled counting: histograms of coded records, the inner loops of everything that learns.

A record is a row of a C-ordered matrix: the codes of its attributes, then the code of its class,
then padding to whole 8-byte words. Tables of all attributes lie end to end: the cell of attribute
``a`` and code ``v`` is ``offsets[a] + v``, and the last offset is the number of cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = [
    "count_children",
    "count_joint",
    "count_ranges",
    "count_ranges_weighted",
    "count_routed",
    "partition",
    "weigh",
    "weigh_correct",
]


@kernel
def count_ranges(
    records: NDArray[Any],
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Count cell × class in each range of rows: ``out[i]`` for rows ``starts[i]:stops[i]``."""
    attributes = len(offsets) - 1
    cells, classes = out.shape[1:]
    held = np.zeros(cells * classes, np.uint32)
    # Unsigned places spare a test for negative ones at every access.
    places = (offsets * classes).astype(np.uint64)
    stride = np.uint64(classes)
    for i in range(len(starts)):
        for row in range(starts[i], stops[i]):
            label = np.uint64(records[row, attributes])
            for a in range(attributes):
                held[places[a] + np.uint64(records[row, a]) * stride + label] += np.uint32(1)
        place = 0
        for v in range(cells):
            for c in range(classes):
                out[i, v, c] = held[place]
                held[place] = 0
                place += 1


@kernel
def count_ranges_weighted(
    records: NDArray[Any],
    weight: NDArray[np.int64],
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Add up whole-number weights instead of counting rows; ``out`` starts at zero."""
    attributes = len(offsets) - 1
    for i in range(len(starts)):
        for row in range(starts[i], stops[i]):
            label = records[row, attributes]
            for a in range(attributes):
                out[i, offsets[a] + np.int64(records[row, a]), label] += weight[row]


@kernel
def count_children(
    records: NDArray[Any],
    attribute: NDArray[np.int64],
    branch: NDArray[np.int16],
    pieces: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Count how many records of each piece take each branch.

    A piece is ``(node, start, stop)``: some rows of one node.
    """
    for i in range(len(pieces)):
        node, start, stop = pieces[i]
        column = attribute[node]
        for row in range(start, stop):
            out[i, branch[node, records[row, column]]] += 1


@kernel
def partition(
    records: NDArray[Any],
    words: NDArray[np.uint64],
    weight: NDArray[np.int64],
    attribute: NDArray[np.int64],
    branch: NDArray[np.int16],
    pieces: NDArray[np.int64],
    places: NDArray[np.int64],
    new_words: NDArray[np.uint64],
    new_weight: NDArray[np.int64],
) -> None:
    """Move the records of each piece to its node's children, keeping their order.

    ``words`` is the same memory as ``records``, 8 bytes at a time. ``places[i, b]`` is where the
    next record of piece ``i`` and branch ``b`` goes; a negative one goes to the last row, which
    nobody reads. There is no jump in the loops: which child a record takes cannot be foreseen.
    """
    width = words.shape[1]
    weighted = len(weight) > 0
    nowhere = len(new_words) - 1
    steps = (places >= 0).astype(np.uint64)
    held = np.where(places >= 0, places, nowhere).astype(np.uint64)
    for i in range(len(pieces)):
        node, start, stop = pieces[i]
        column = attribute[node]
        place, step = held[i], steps[i]
        if places.shape[1] == 2:  # the usual case, kept in registers
            first, second = place[0], place[1]
            for row in range(start, stop):
                right = branch[node, records[row, column]] > 0
                to = second if right else first
                for k in range(width):
                    new_words[to, k] = words[row, k]
                if weighted:
                    new_weight[to] = weight[row]
                first += np.uint64(0) if right else step[0]
                second += step[1] if right else np.uint64(0)
        else:
            for row in range(start, stop):
                taken = branch[node, records[row, column]]
                to = place[taken]
                for k in range(width):
                    new_words[to, k] = words[row, k]
                if weighted:
                    new_weight[to] = weight[row]
                place[taken] = to + step[taken]


@kernel
def count_routed(
    records: NDArray[Any],
    attribute: NDArray[np.int64],
    branch: NDArray[np.int16],
    child: NDArray[np.int64],
    slots: NDArray[np.int64],
    offsets: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Let each record walk down a tree and count cell × class by the slot of the node it reaches.

    Node ``i`` tests ``attribute[i]`` (-1: a leaf) and its children start at ``child[i]``; a slot of
    -1 is not counted.
    """
    attributes = len(offsets) - 1
    for row in range(len(records)):
        node = 0
        while attribute[node] >= 0:
            node = child[node] + branch[node, records[row, attribute[node]]]
        slot = slots[node]
        if slot < 0:
            continue
        label = records[row, attributes]
        for a in range(attributes):
            out[slot, offsets[a] + np.int64(records[row, a]), label] += 1


@kernel
def count_joint(
    codes: NDArray[np.uint16],
    target: NDArray[Any],
    shape: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Count the joint table of some attributes (columns of ``codes``) and the class, laid flat."""
    attributes = codes.shape[1]
    for row in range(len(codes)):
        place = np.int64(0)
        for a in range(attributes):
            place = place * shape[a] + codes[row, a]
        out[place * shape[attributes] + target[row]] += 1


@kernel
def weigh(
    matrix: NDArray[Any],
    target: NDArray[Any],
    offsets: NDArray[np.int64],
    path: NDArray[np.int64],
    factors: NDArray[np.float64],
    scales: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> None:
    """Add up every record's weight in every node, cell by cell, in whole numbers.

    ``path[i]`` lists the columns with a condition at node ``i`` (padded with -1) and
    ``factors[i, k]`` the weight of each code of the k-th of them. A record's weight in the cells
    of a column is the product over the *other* columns; ``first`` gets it times ``scales[i, 0]``
    and ``second`` its square times ``scales[i, 1]``, rounded to the nearest whole number, so that
    the order of addition does not matter.
    """
    rows, columns = matrix.shape
    nodes, longest = path.shape
    block = 2048
    for begin in range(0, rows, block):
        end = min(rows, begin + block)
        for i in range(nodes):
            length = 0
            while length < longest and path[i, length] >= 0:
                length += 1
            one, two = scales[i, 0], scales[i, 1]
            for row in range(begin, end):
                label = target[row]
                whole = 1.0
                for k in range(length):
                    whole *= factors[i, k, matrix[row, path[i, k]]]
                a1 = np.int64(np.rint(whole * one))
                a2 = np.int64(np.rint(whole * whole * two))
                if length == 0 or a1 != 0 or a2 != 0:
                    for b in range(columns):
                        cell = offsets[b] + np.int64(matrix[row, b])
                        first[i, cell, label] += a1
                        second[i, cell, label] += a2
                # A column on the path is weighed by the others only: put its cells right.
                for k in range(length):
                    rest = 1.0
                    for m in range(length):
                        if m != k:
                            rest *= factors[i, m, matrix[row, path[i, m]]]
                    b1 = np.int64(np.rint(rest * one))
                    b2 = np.int64(np.rint(rest * rest * two))
                    cell = offsets[path[i, k]] + np.int64(matrix[row, path[i, k]])
                    first[i, cell, label] += b1 - a1
                    second[i, cell, label] += b2 - a2


@kernel
def weigh_correct(
    matrix: NDArray[Any],
    target: NDArray[Any],
    path: NDArray[np.int64],
    factors: NDArray[np.float64],
    labels: NDArray[np.float64],
    scales: NDArray[np.float64],
    out: NDArray[np.int64],
) -> None:
    """Add up, over records, the weight in all boxes of the box's label, and its square.

    ``labels[i, y]`` is the weight of the observed class ``y`` for the label of box ``i``.
    """
    boxes, longest = path.shape
    for row in range(len(matrix)):
        whole = 0.0
        for i in range(boxes):
            weight = labels[i, target[row]]
            for k in range(longest):
                if path[i, k] < 0:
                    break
                weight *= factors[i, k, matrix[row, path[i, k]]]
            whole += weight
        out[0] += np.int64(np.rint(whole * scales[0]))
        out[1] += np.int64(np.rint(whole * whole * scales[1]))
