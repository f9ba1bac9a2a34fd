"""Compiled loops of estimation: weighing records whose groups have states, and EM's factors.

Weighing serves large flip groups and joint channels: a record is a row of observed codes, one an
attribute, and counts ``times``; at a node every group of attributes has a weight, that of its
state, or of one attribute's code. ``spread`` and ``gather`` apply a two-level channel and its
transpose along one axis of a joint table by running sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from privet.coding import Floats

__all__ = ["divide", "gather", "multiply", "spread", "weigh_boxes", "weigh_states"]


@kernel
def settle(
    matrix: NDArray[Any],
    row: int,
    path: NDArray[np.int64],
    length: int,
    marks: NDArray[np.uint8],
    factors: NDArray[np.float64],
    weights: NDArray[np.float64],
    group: NDArray[np.int64],
    full: NDArray[np.uint8],
    mortal: NDArray[np.bool_],
    state: NDArray[np.uint8],
    value: NDArray[np.float64],
) -> bool:
    """Write a record's state and weight in every tested group; return whether it counts at all.

    ``path`` lists ``length`` tested attributes, group by group; ``marks`` and ``factors`` say what
    their codes mean. A zero weight in a mortal group leaves nothing of the record anywhere, and
    deep in a tree that is so for most records: it is found at once.
    """
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
def longest(path: NDArray[np.int64]) -> int:
    """Return how many attributes a path lists before its padding."""
    length = 0
    while length < len(path) and path[length] >= 0:
        length += 1
    return length


@kernel
def weigh_states(
    matrix: NDArray[Any],
    target: NDArray[Any],
    times: NDArray[np.int64],
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    group: NDArray[np.int64],
    full: NDArray[np.uint8],
    mortal: NDArray[np.bool_],
    path: NDArray[np.int64],
    marks: NDArray[np.uint8],
    factors: NDArray[np.float64],
    weights: NDArray[np.float64],
    scales: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
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
    ones = np.empty(groups, np.int64)
    twos = np.empty(groups, np.int64)
    block = 2048
    for begin in range(0, rows, block):
        end = min(rows, begin + block)
        for i in range(len(path)):
            one, two = scales[i, 0], scales[i, 1]
            length = longest(path[i])
            tests, means, codes, states = path[i], marks[i], factors[i], weights[i]
            state[:] = full
            value[:] = 1.0
            for row in range(begin, end):
                if not settle(
                    matrix,
                    row,
                    tests,
                    length,
                    means,
                    codes,
                    states,
                    group,
                    full,
                    mortal,
                    state,
                    value,
                ):
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
                    ones[g] = np.int64(np.rint(rest * one)) * times[row]
                    twos[g] = np.int64(np.rint(rest * rest * two)) * times[row]
                label = target[row]
                for a in range(attributes):
                    g = group[a]
                    cell = offsets[a] + np.int64(state[g]) * sizes[a] + np.int64(matrix[row, a])
                    first[i, cell, label] += ones[g]
                    second[i, cell, label] += twos[g]


@kernel
def weigh_boxes(
    matrix: NDArray[Any],
    target: NDArray[Any],
    times: NDArray[np.int64],
    group: NDArray[np.int64],
    full: NDArray[np.uint8],
    mortal: NDArray[np.bool_],
    path: NDArray[np.int64],
    marks: NDArray[np.uint8],
    factors: NDArray[np.float64],
    weights: NDArray[np.float64],
    labels: NDArray[np.float64],
    scales: NDArray[np.float64],
    out: NDArray[np.int64],
) -> None:
    """Add up, over records, the weight in all boxes of the box's label, and its square.

    ``labels[i, y]`` is the weight of the observed class ``y`` for the label of box ``i``.
    """
    groups = len(full)
    state = np.empty(groups, np.uint8)
    value = np.empty(groups, np.float64)
    block = 2048
    whole = np.empty(block)
    for begin in range(0, len(matrix), block):
        end = min(len(matrix), begin + block)
        whole[:] = 0.0
        for i in range(len(path)):
            length = longest(path[i])
            tests, means, codes, states = path[i], marks[i], factors[i], weights[i]
            value[:] = 1.0
            for row in range(begin, end):
                weight = labels[i, target[row]]
                if weight == 0.0 or not settle(
                    matrix,
                    row,
                    tests,
                    length,
                    means,
                    codes,
                    states,
                    group,
                    full,
                    mortal,
                    state,
                    value,
                ):
                    continue
                for g in range(groups):
                    weight *= value[g]
                whole[row - begin] += weight
        for row in range(begin, end):
            weight = whole[row - begin]
            out[0] += np.int64(np.rint(weight * scales[0])) * times[row]
            out[1] += np.int64(np.rint(weight * weight * scales[1])) * times[row]


@kernel
def spread(table: Floats, far: float, near: float, width: int, out: Floats) -> None:
    """Apply a two-level factor to the middle axis: inputs to outputs."""
    outer, inputs, inner = table.shape
    more = near - far
    if inner < 8:  # short rows: a running sum along the axis
        for o in range(outer):
            for i in range(inner):
                total = 0.0
                for v in range(inputs):
                    total += table[o, v, i]
                total *= far
                window = 0.0
                for u in range(out.shape[1]):
                    if u < inputs:
                        window += table[o, u, i]
                    if u >= width:
                        window -= table[o, u - width, i]
                    out[o, u, i] = total + more * max(window, 0.0)
        return
    sums = np.empty(inner)
    held = np.empty(inner)
    for o in range(outer):
        sums[:] = 0.0
        held[:] = 0.0
        for v in range(inputs):
            for i in range(inner):
                sums[i] += far * table[o, v, i]
        for u in range(out.shape[1]):
            if u < inputs:
                for i in range(inner):
                    held[i] += table[o, u, i]
            if u >= width:
                for i in range(inner):
                    held[i] -= table[o, u - width, i]
            for i in range(inner):
                out[o, u, i] = sums[i] + more * max(held[i], 0.0)


@kernel
def gather(table: Floats, far: float, near: float, width: int, out: Floats) -> None:
    """Apply the transpose of a two-level factor to the middle axis: outputs to inputs."""
    outer, outputs, inner = table.shape
    more = near - far
    if inner < 8:
        for o in range(outer):
            for i in range(inner):
                total = 0.0
                for u in range(outputs):
                    total += table[o, u, i]
                total *= far
                window = 0.0
                for u in range(width - 1):
                    window += table[o, u, i]
                for v in range(out.shape[1]):
                    window += table[o, v + width - 1, i]
                    out[o, v, i] = total + more * max(window, 0.0)
                    window -= table[o, v, i]
        return
    sums = np.empty(inner)
    held = np.empty(inner)
    for o in range(outer):
        sums[:] = 0.0
        held[:] = 0.0
        for u in range(outputs):
            for i in range(inner):
                sums[i] += far * table[o, u, i]
        for u in range(width - 1):
            for i in range(inner):
                held[i] += table[o, u, i]
        for v in range(out.shape[1]):
            for i in range(inner):
                held[i] += table[o, v + width - 1, i]
                out[o, v, i] = sums[i] + more * max(held[i], 0.0)
                held[i] -= table[o, v, i]


@kernel
def multiply(matrix: Floats, table: Floats, out: Floats) -> None:
    """Write matrix @ table, for a small matrix and a wide table, by one thread.

    Four rows of the table at a time, over columns that fit the nearest cache.
    """
    outputs, inputs = matrix.shape
    wide = table.shape[1]
    block = 512
    for begin in range(0, wide, block):
        end = min(wide, begin + block)
        for u in range(outputs):
            row = out[u, begin:end]
            row[:] = 0.0
            v = 0
            while v + 4 <= inputs:
                a, b, c, d = matrix[u, v], matrix[u, v + 1], matrix[u, v + 2], matrix[u, v + 3]
                if a != 0.0 or b != 0.0 or c != 0.0 or d != 0.0:
                    one, two = table[v, begin:end], table[v + 1, begin:end]
                    three, four = table[v + 2, begin:end], table[v + 3, begin:end]
                    for i in range(end - begin):
                        row[i] += a * one[i] + b * two[i] + c * three[i] + d * four[i]
                v += 4
            while v < inputs:
                a = matrix[u, v]
                if a != 0.0:
                    one = table[v, begin:end]
                    for i in range(end - begin):
                        row[i] += a * one[i]
                v += 1


@kernel
def divide(observed: Floats, expected: Floats) -> float:
    """Put observed / expected in the place of the expected; return the log-likelihood."""
    likelihood = 0.0
    for i in range(len(observed)):
        if observed[i] > 0.0:
            mean = max(expected[i], 1e-300)
            likelihood += observed[i] * np.log(mean)
            expected[i] = observed[i] / mean
        else:
            expected[i] = 0.0
    return likelihood
