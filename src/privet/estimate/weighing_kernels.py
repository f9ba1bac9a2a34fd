"""Compiled weighing: every record counts in every open node by inverse weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from privet.coding import Codes, Floats, Ints, Mask

    Bytes: TypeAlias = NDArray[np.uint8]
    Tests: TypeAlias = tuple[Ints, int, Bytes, Floats, Floats]
    Groups: TypeAlias = tuple[Ints, Bytes, Mask]

__all__ = [
    "add_up",
    "longest",
    "settle",
    "weigh",
    "weigh_boxes",
    "weigh_correct",
    "weigh_states",
]


@kernel
def longest(path: Ints) -> int:
    """Return how many attributes a path lists before its padding."""
    length = 0
    while length < len(path) and path[length] >= 0:
        length += 1
    return length


@kernel
def add_up(values: Floats, program: Ints, ends: Ints, units: Floats, out: Ints) -> None:
    """Add up what records weigh in boxes, and its square, by observed class, in whole numbers.

    A record's weight in a box is the product of its ``values``, conditions × records, for those
    conditions that the box's ``program`` lists (padded with -1). Records of a class lie side by
    side, up to its place in ``ends``: so sums stay in registers. ``units`` is boxes × 2: by what
    weights and squares are multiplied before they are rounded.
    """
    weights = np.empty(values.shape[1])
    for i in range(len(program)):
        weights[:] = 1.0
        for k in range(longest(program[i])):
            factors = values[program[i, k]]
            for row in range(len(weights)):
                weights[row] *= factors[row]
        unit, square_unit = units[i]
        begin = 0
        for c in range(len(ends)):
            first = second = np.int64(0)
            for row in range(begin, ends[c]):
                first += np.int64(np.rint(weights[row] * unit))
                second += np.int64(np.rint(weights[row] * weights[row] * square_unit))
            out[0, i, c] += first
            out[1, i, c] += second
            begin = ends[c]


@kernel
def weigh(
    matrix: Codes,
    target: Codes,
    offsets: Ints,
    path: Ints,
    factors: Floats,
    scales: Floats,
    first: Ints,
    second: Ints,
) -> None:
    """Add up every record's weight in every node, cell by cell, in whole numbers.

    ``path[i]`` lists the columns with a condition at node ``i`` (padded with -1) and
    ``factors[i, k]`` the weight of each code of the k-th of them. A record's weight in the cells
    of a column is the product over the *other* columns; ``first`` gets it times ``scales[i, 0]``
    and ``second`` its square times ``scales[i, 1]``, rounded to the nearest whole number, so that
    the order of addition does not matter.
    """
    rows, columns = matrix.shape
    block = 2048
    for begin in range(0, rows, block):
        end = min(rows, begin + block)
        for i in range(len(path)):
            length = longest(path[i])
            scale, square_scale = scales[i, 0], scales[i, 1]
            for row in range(begin, end):
                label = target[row]
                whole = 1.0
                for k in range(length):
                    whole *= factors[i, k, matrix[row, path[i, k]]]
                a1 = np.int64(np.rint(whole * scale))
                a2 = np.int64(np.rint(whole * whole * square_scale))
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
                    b1 = np.int64(np.rint(rest * scale))
                    b2 = np.int64(np.rint(rest * rest * square_scale))
                    cell = offsets[path[i, k]] + np.int64(matrix[row, path[i, k]])
                    first[i, cell, label] += b1 - a1
                    second[i, cell, label] += b2 - a2


@kernel
def weigh_correct(
    matrix: Codes,
    target: Codes,
    path: Ints,
    factors: Floats,
    labels: Floats,
    scales: Floats,
    out: Ints,
) -> None:
    """Add up some sums over records, of what each weighs in all boxes, and of its square.

    ``labels[i, y, n]`` is the weight of the observed class ``y`` in box ``i`` for sum ``n``.
    """
    sums = labels.shape[2]
    whole = np.empty(sums)
    for row in range(len(matrix)):
        whole[:] = 0.0
        for i in range(len(path)):
            weight = 1.0
            for k in range(path.shape[1]):
                if path[i, k] < 0:
                    break
                weight *= factors[i, k, matrix[row, path[i, k]]]
            for n in range(sums):
                whole[n] += weight * labels[i, target[row], n]
        for n in range(sums):
            out[0, n] += np.int64(np.rint(whole[n] * scales[0, n]))
            out[1, n] += np.int64(np.rint(whole[n] * whole[n] * scales[1, n]))


@kernel
def settle(
    matrix: Codes, row: int, tests: Tests, groups: Groups, state: Bytes, value: Floats
) -> bool:
    """Write a record's state and weight in every tested group; return whether it counts at all.

    ``tests`` are a path that lists ``length`` tested attributes, group by group, ``marks`` and
    ``factors``, which say what their codes mean, and the weights of states. ``groups`` are the
    group of each attribute, the full state of each group, and which groups are mortal: a zero
    weight there leaves nothing of the record anywhere, and deep in a tree that is so for most
    records, which is seen at once.
    """
    path, length, marks, factors, weights = tests
    group, full, mortal = groups
    k = 0
    while k < length:
        a = path[k]
        g = group[a]
        if full[g]:
            bits = full[g]
            while k < length and group[path[k]] == g:
                bits &= marks[k, matrix[row, path[k]]]
                k += 1
            state[g] = bits
            value[g] = weights[g, bits]
        else:
            value[g] = factors[k, matrix[row, a]]
            k += 1
        if mortal[g] and value[g] == 0.0:
            return False
    return True


@kernel
def weigh_states(
    matrix: Codes,
    target: Codes,
    times: Ints,
    offsets: Ints,
    sizes: Ints,
    group: Ints,
    full: Bytes,
    mortal: Mask,
    path: Ints,
    marks: Bytes,
    factors: Floats,
    weights: Floats,
    scales: Floats,
    first: Ints,
    second: Ints,
) -> None:
    """Add up every record's weight in every node, by state and code of every attribute.

    A record's weight in the cells of an attribute is the product over the *other* groups:
    ``first`` gets it times ``scales[i, 0]`` and ``second`` its square times ``scales[i, 1]``,
    rounded to whole numbers before ``times`` of them are added.
    """
    rows, attributes = matrix.shape
    groups = len(full)
    state = np.empty(groups, np.uint8)
    value = np.empty(groups, np.float64)
    sums = np.empty(groups, np.int64)
    squares = np.empty(groups, np.int64)
    block = 2048
    for begin in range(0, rows, block):
        end = min(rows, begin + block)
        for i in range(len(path)):
            scale, square_scale = scales[i, 0], scales[i, 1]
            tests = path[i], longest(path[i]), marks[i], factors[i], weights[i]
            state[:] = full
            value[:] = 1.0
            for row in range(begin, end):
                if not settle(matrix, row, tests, (group, full, mortal), state, value):
                    continue
                whole = 1.0
                for g in range(groups):
                    whole *= value[g]
                for g in range(groups):
                    rest = whole
                    if value[g] != 1.0:
                        rest = 1.0
                        for other in range(groups):
                            if other != g:
                                rest *= value[other]
                    sums[g] = np.int64(np.rint(rest * scale)) * times[row]
                    squares[g] = np.int64(np.rint(rest * rest * square_scale)) * times[row]
                label = target[row]
                for a in range(attributes):
                    g = group[a]
                    cell = offsets[a] + np.int64(state[g]) * sizes[a] + np.int64(matrix[row, a])
                    first[i, cell, label] += sums[g]
                    second[i, cell, label] += squares[g]


@kernel
def weigh_boxes(
    matrix: Codes,
    target: Codes,
    times: Ints,
    group: Ints,
    full: Bytes,
    mortal: Mask,
    path: Ints,
    marks: Bytes,
    factors: Floats,
    weights: Floats,
    labels: Floats,
    scales: Floats,
    out: Ints,
) -> None:
    """Add up some sums over records, of what each weighs in all boxes, and of its square.

    ``labels[i, y, n]`` is the weight of the observed class ``y`` in box ``i`` for sum ``n``.
    """
    groups, sums = len(full), labels.shape[2]
    state = np.empty(groups, np.uint8)
    value = np.empty(groups, np.float64)
    block = 2048
    whole = np.empty((block, sums))
    for begin in range(0, len(matrix), block):
        end = min(len(matrix), begin + block)
        whole[:] = 0.0
        for i in range(len(path)):
            tests = path[i], longest(path[i]), marks[i], factors[i], weights[i]
            value[:] = 1.0
            for row in range(begin, end):
                if not labels[i, target[row]].any():
                    continue
                if not settle(matrix, row, tests, (group, full, mortal), state, value):
                    continue
                weight = 1.0
                for g in range(groups):
                    weight *= value[g]
                for n in range(sums):
                    whole[row - begin, n] += weight * labels[i, target[row], n]
        for row in range(begin, end):
            for n in range(sums):
                weight = whole[row - begin, n]
                out[0, n] += np.int64(np.rint(weight * scales[0, n])) * times[row]
                out[1, n] += np.int64(np.rint(weight * weight * scales[1, n])) * times[row]
