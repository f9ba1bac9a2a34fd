"""Plain twins of the compiled kernels: what they mean, with no thought of speed."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def find_cells(values: Floats, edges: Floats) -> Ints:
    """The number of edges below each value; behind all of them for NaN."""
    return np.where(np.isnan(values), len(edges), np.searchsorted(edges, values, side="left"))


def count_ranges(
    records: NDArray[Any],
    weight: Ints,
    offsets: Ints,
    ranges: list[tuple[int, int]],
    classes: int,
) -> Ints:
    """Cell × class sums of weights over ranges of rows."""
    out = np.zeros((len(ranges), offsets[-1], classes), np.int64)
    attributes = len(offsets) - 1
    for i, (start, stop) in enumerate(ranges):
        rows = records[start:stop].astype(np.int64)
        for a in range(attributes):
            cells = offsets[a] + rows[:, a], rows[:, attributes]
            np.add.at(out[i], cells, weight[start:stop])
    return out


def count_children(
    records: NDArray[Any], attribute: Ints, branch: NDArray[np.int16], pieces: Ints, branches: int
) -> Ints:
    """How many records of each piece take each branch."""
    return np.array(
        [
            np.bincount(branch[node, records[start:stop, attribute[node]]], minlength=branches)
            for node, start, stop in pieces
        ]
    ).reshape(len(pieces), branches)


def partition(
    records: NDArray[Any],
    attribute: Ints,
    branch: NDArray[np.int16],
    pieces: Ints,
    places: Ints,
) -> dict[int, int]:
    """For each new place the old row that goes there, in order of rows."""
    moved: dict[int, int] = {}
    for (node, start, stop), begin in zip(pieces, places, strict=True):
        taken = branch[node, records[start:stop, attribute[node]]]
        for side, first in enumerate(begin):
            if first >= 0:
                rows = start + np.flatnonzero(taken == side)
                moved.update({int(first) + k: int(row) for k, row in enumerate(rows)})
    return moved


def walk(codes: NDArray[Any], attribute: Ints, branch: NDArray[np.int16], child: Ints) -> Ints:
    """The node that each row of codes reaches."""
    nodes = np.zeros(len(codes), np.int64)
    for row, code in enumerate(codes):
        while attribute[nodes[row]] >= 0:
            node = nodes[row]
            nodes[row] = child[node] + branch[node, code[attribute[node]]]
    return nodes


def weigh(
    codes: NDArray[Any],
    labels: NDArray[Any],
    offsets: Ints,
    paths: list[list[int]],
    factors: Floats,
    scales: Floats,
    shape: tuple[int, int, int],
) -> tuple[Ints, Ints]:
    """Sums of records' weights and of their squares, each column left out of its own."""
    first, second = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for i, path in enumerate(paths):
        for row, code in enumerate(codes):
            for column in range(codes.shape[1]):
                weight = 1.0
                for k, on_path in enumerate(path):
                    if on_path != column:
                        weight *= factors[i, k, code[on_path]]
                cell = i, offsets[column] + int(code[column]), labels[row]
                first[cell] += int(np.rint(weight * scales[i, 0]))
                second[cell] += int(np.rint(weight * weight * scales[i, 1]))
    return first, second


def weigh_correct(
    codes: NDArray[Any],
    labels: NDArray[Any],
    paths: list[list[int]],
    factors: Floats,
    rows: Floats,
    scales: Floats,
) -> list[int]:
    """Sums of records' weights in all boxes, and of the squares."""
    sums = [0, 0]
    for code, label in zip(codes, labels, strict=True):
        whole = 0.0
        for i, path in enumerate(paths):
            weight = rows[i, label]
            for k, column in enumerate(path):
                weight *= factors[i, k, code[column]]
            whole += weight
        sums[0] += int(np.rint(whole * scales[0]))
        sums[1] += int(np.rint(whole * whole * scales[1]))
    return sums


def gini(counts: list[int]) -> Fraction:
    """Records times the gini index, exactly."""
    total = sum(counts)
    return Fraction(0) if not total else total - Fraction(sum(n * n for n in counts), total)


def gains_of_cuts(cells: Ints, least: float) -> dict[int, Fraction]:
    """The exact gini gain a record of every cut that leaves enough on both sides."""
    total = [int(n) for n in cells.sum(0)]
    found = {}
    full = [int(v) for v in np.flatnonzero(cells.any(1))]
    for last in full[:-1]:
        left = [int(n) for n in cells[: last + 1].sum(0)]
        right = [all_ - one for all_, one in zip(total, left, strict=True)]
        if min(sum(left), sum(right)) >= least:
            found[last] = (gini(total) - gini(left) - gini(right)) / sum(total)
    return found


def entropy(counts: Floats) -> float:
    """Records times the entropy in bits."""
    shares = counts[counts > 0] / max(counts.sum(), 1e-300)
    return float(-counts.sum() * (shares * np.log2(shares)).sum())


def allowed_cuts(cells: Ints, least: float, margin: float) -> dict[int, float]:
    """The entropy in bits of the two sides' sizes, for each cut that leaves enough on both."""
    rows = cells.sum()
    least = max(least, min(margin * rows / cells.shape[1], 25.0))
    found = {}
    for last in np.flatnonzero(cells.any(1))[:-1].tolist():
        sides = np.array([cells[: last + 1].sum(), cells[last + 1 :].sum()], np.float64)
        if sides.min() >= least:
            found[last] = entropy(sides) / rows
    return found


def descend(
    values: Floats,
    attribute: Ints,
    threshold: Floats,
    child: Ints,
    heavy: Ints,
    routes: NDArray[Any],
) -> Ints:
    """The leaf that each record reaches."""
    leaves = []
    for record in values:
        node = 0
        while child[node] >= 0:
            x = record[attribute[node]]
            if np.isnan(threshold[node]):
                node = heavy[node] if x < 0 else child[node] + routes[node, int(x)]
            else:
                node = child[node] + (0 if x <= threshold[node] else 1)
        leaves.append(node)
    return np.array(leaves, np.int64)
