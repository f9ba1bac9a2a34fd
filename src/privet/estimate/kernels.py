"""Compiled weighing of records whose groups have states: large flip groups, joint channels.

A record is a row of observed codes, one an attribute, and counts ``times``. At a node every group
of attributes has a weight: that of its state, or of one attribute's code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["weigh_boxes", "weigh_states"]


@kernel
def settle(
    codes: NDArray[Any],
    path: NDArray[np.int64],
    marks: NDArray[np.uint8],
    factors: NDArray[np.float64],
    weights: NDArray[np.float64],
    group: NDArray[np.int64],
    full: NDArray[np.uint8],
    mortal: NDArray[np.bool_],
    state: NDArray[np.uint8],
    value: NDArray[np.float64],
) -> bool:
    """Write a record's state and weight in every group; return whether it counts at all.

    ``path`` lists the tested attributes (padded with -1), ``marks`` and ``factors`` what their
    codes mean. A zero weight in a mortal group leaves nothing of the record anywhere.
    """
    for g in range(len(full)):
        state[g] = full[g]
        value[g] = 1.0
    for k in range(len(path)):
        a = path[k]
        if a < 0:
            break
        g = group[a]
        if full[g]:
            state[g] &= marks[k, codes[a]]
        else:
            value[g] *= factors[k, codes[a]]
    for k in range(len(path)):
        if path[k] < 0:
            break
        g = group[path[k]]
        if full[g]:
            value[g] = weights[g, state[g]]
        if mortal[g] and value[g] == 0.0:
            return False
    return True


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
            for row in range(begin, end):
                if not settle(
                    matrix[row],
                    path[i],
                    marks[i],
                    factors[i],
                    weights[i],
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
    for row in range(len(matrix)):
        whole = 0.0
        for i in range(len(path)):
            weight = labels[i, target[row]]
            if weight == 0.0 or not settle(
                matrix[row],
                path[i],
                marks[i],
                factors[i],
                weights[i],
                group,
                full,
                mortal,
                state,
                value,
            ):
                continue
            for g in range(groups):
                weight *= value[g]
            whole += weight
        out[0] += np.int64(np.rint(whole * scales[0])) * times[row]
        out[1] += np.int64(np.rint(whole * whole * scales[1])) * times[row]
