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


def all_inside(numbers: Floats, low: float, high: float, whole: bool, missing: bool) -> bool:
    with np.errstate(invalid="ignore"):
        fine = (numbers >= low) & (numbers <= high)
    if whole:
        fine &= numbers == np.floor(numbers)
    if missing:
        fine |= np.isnan(numbers)
    return bool(fine.all())


def count_ranges(
    codes: Ints, labels: Ints, weight: Ints, offsets: Ints, ranges: Ints, shape: tuple[int, ...]
) -> Ints:
    """Class × cell sums of weights over ranges of rows, each added to its slot."""
    out = np.zeros(shape, np.int64)
    for slot, start, stop in ranges:
        for a in range(len(offsets) - 1):
            cells = labels[start:stop], offsets[a] + codes[start:stop, a]
            np.add.at(out[slot], cells, weight[start:stop])
    return out


def route(
    codes: Ints, attribute: Ints, branch: NDArray[np.int16], ranges: Ints, jobs: Ints, branches: int
) -> list[list[Ints]]:
    """For each job the old rows that go to each branch."""
    moved = []
    for node, first, last, _ in jobs:
        rows = np.concatenate([np.arange(start, stop) for _, start, stop in ranges[first:last]])
        taken = branch[node, codes[rows, attribute[node]]]
        moved.append([rows[taken == side] for side in range(branches)])
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
) -> NDArray[np.int64]:
    """Sums of records' weights in all boxes, and of the squares: 2 × sums."""
    sums = np.zeros(scales.shape, np.int64)
    for code, label in zip(codes, labels, strict=True):
        whole = np.zeros(scales.shape[1])
        for i, path in enumerate(paths):
            weight = 1.0
            for k, column in enumerate(path):
                weight *= factors[i, k, code[column]]
            whole += weight * rows[i, label]
        sums[0] += np.rint(whole * scales[0]).astype(np.int64)
        sums[1] += np.rint(whole * whole * scales[1]).astype(np.int64)
    return sums


def gini(counts: list[int]) -> Fraction:
    """Records times the gini index, exactly."""
    total = sum(counts)
    return Fraction(0) if not total else total - Fraction(sum(n * n for n in counts), total)


def gains_of_cuts(cells: Ints, least: float) -> dict[int, Fraction]:
    """The exact gini gain a record of every cut that leaves enough on both sides."""
    total = [int(n) for n in cells.sum(0)]
    splits = {}
    full = [int(v) for v in np.flatnonzero(cells.any(1))]
    for last in full[:-1]:
        left = [int(n) for n in cells[: last + 1].sum(0)]
        right = [all_ - side for all_, side in zip(total, left, strict=True)]
        if min(sum(left), sum(right)) >= least:
            splits[last] = (gini(total) - gini(left) - gini(right)) / sum(total)
    return splits


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


def twin_climb(
    observed: Any, matrix: Any, most: int, least_move: float, *, smooth: bool
) -> tuple[Any, int, float]:
    """AS's step by matrix products, from an even start: the counts, steps and log-likelihood."""
    table = np.full(matrix.shape[1], observed.sum() / matrix.shape[1])
    steps, likelihood = 0, 0.0
    while steps < most:
        expected = np.maximum(matrix @ table, 1e-300)
        seen = observed > 0
        likelihood = float((observed[seen] * np.log(expected[seen])).sum())
        after = table * (matrix.T @ np.where(seen, observed / expected, 0.0))
        if smooth:
            wide = np.pad(after, 1, mode="edge")
            after = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
        kept = table > 0
        moved = ((after - table)[kept] ** 2 / table[kept]).sum()
        table, steps = after, steps + 1
        if moved < least_move:
            break
    return table, steps, likelihood


def twin_count_noisy(numbers: Any, channel: Any) -> Any:
    """Noisy numbers by the interval of their nearest output."""
    kept = numbers[~np.isnan(numbers)]
    return np.bincount(channel.observed(kept), minlength=channel.output_size)
