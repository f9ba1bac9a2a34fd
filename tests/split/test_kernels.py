"""The compiled search against its plain twin."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.split.criterion import criterion
from tests import twins
from tests.strategies import seeds

ORDERED, DIVIDED, MULTIWAY = 0, 1, 2
NO_SIZES = np.empty((0, 0), np.int64)


def search(
    counts: np.ndarray, sizes: list[int], kind: int, least: float, *, gini: bool, scale: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    shape = (len(counts), len(sizes))
    gains, places, nexts = np.empty(shape), np.empty(shape, np.int64), np.empty(shape, np.int64)
    kinds = np.full(len(sizes), kind)
    offsets = np.cumsum([0, *sizes])
    found = (gains, places, nexts, 0.0, np.zeros(shape), np.zeros(shape, np.int64))
    search = criterion("gini" if gini else "entropy").search
    assert search is not None
    search(counts, scale, NO_SIZES, offsets, kinds, least, 0.0, *found)
    return gains, places, nexts


def random_counts(seed: int, sizes: list[int], classes: int, nodes: int = 3) -> np.ndarray:
    """Small counts with empty cells, so that ties are many."""
    rng = np.random.default_rng(seed)
    held = rng.integers(0, 4, (nodes, sum(sizes), classes))
    held *= rng.random((nodes, sum(sizes), 1)) < rng.choice([0.3, 0.9])
    return held.astype(np.int64)


@given(
    seeds, st.lists(st.integers(1, 8), min_size=1, max_size=3), st.integers(1, 4), st.integers(0, 4)
)
def test_cuts_of_ordered_codes_by_gini(
    seed: int, sizes: list[int], classes: int, least: int
) -> None:
    counts = random_counts(seed, sizes, classes)
    gains, places, nexts = search(counts, sizes, ORDERED, least, gini=True)
    offsets = np.cumsum([0, *sizes])
    for node in range(len(counts)):
        for a in range(len(sizes)):
            cells = counts[node, offsets[a] : offsets[a + 1]]
            allowed = twins.gains_of_cuts(cells, max(least, 1))
            if not allowed:
                assert gains[node, a] < 0
                continue
            best = max(allowed.values())
            # Of exact ties the lowest cut.
            first = min(cut for cut, gain in allowed.items() if gain == best)
            assert gains[node, a] == pytest.approx(float(best), abs=1e-12)
            assert places[node, a] == first
            assert nexts[node, a] == next(v for v in range(first + 1, sizes[a]) if cells[v].any())


@given(seeds, st.integers(1, 7), st.integers(1, 4), st.booleans())
def test_one_branch_a_category(seed: int, size: int, classes: int, gini: bool) -> None:
    counts = random_counts(seed, [size], classes)
    gains, places, _ = search(counts, [size], MULTIWAY, 1, gini=gini)
    for node, cells in enumerate(counts):
        total = cells.sum(0)
        if (cells.sum(1) > 0).sum() < 2:
            assert places[node, 0] == -1
            continue
        if gini:
            parts = sum((twins.gini(row.tolist()) for row in cells), Fraction(0))
            whole = float(twins.gini(total.tolist()) - parts)
        else:
            whole = twins.entropy(total.astype(float))
            whole -= sum(twins.entropy(row.astype(float)) for row in cells)
        assert gains[node, 0] == pytest.approx(whole / total.sum(), abs=1e-9)
        assert places[node, 0] == 0


@given(seeds, st.integers(2, 6), st.booleans())
def test_two_classes_get_the_best_of_all_divisions(seed: int, size: int, gini: bool) -> None:
    """Sorting by the share of one class finds the best of all 2**size divisions."""
    counts = random_counts(seed, [size], 2, nodes=1)
    gains, places, _ = search(counts, [size], DIVIDED, 1, gini=gini)
    cells = counts[0]
    total = cells.sum(0)
    best = -1.0
    for code in range(1, 2**size - 1):
        side = np.array([bool(code >> v & 1) for v in range(size)])
        left = cells[side].sum(0)
        right = total - left
        if left.sum() and right.sum():
            if gini:
                both = twins.gini(left.tolist()) + twins.gini(right.tolist())
                gain = float(twins.gini(total.tolist()) - both)
            else:
                both_ = twins.entropy(left.astype(float)) + twins.entropy(right.astype(float))
                gain = twins.entropy(total.astype(float)) - both_
            best = max(best, gain / total.sum())
    assert (places[0, 0] >= 0) == (best >= 0)
    if best >= 0:
        assert gains[0, 0] == pytest.approx(best, abs=1e-9)


@given(seeds, st.sampled_from([ORDERED, DIVIDED, MULTIWAY]), st.booleans())
def test_a_unit_of_weight_changes_no_choice(seed: int, kind: int, gini: bool) -> None:
    sizes = [4, 3]
    counts = random_counts(seed, sizes, 3)
    plain = search(counts, sizes, kind, 1.0, gini=gini)
    scaled = search(counts * 8, sizes, kind, 1.0, gini=gini, scale=0.125)
    np.testing.assert_array_equal(plain[0], scaled[0])
    np.testing.assert_array_equal(plain[1], scaled[1])


def test_a_side_too_small_is_no_split_however_heavy_the_node() -> None:
    """The mark of a forbidden cut is not taken for a gain near zero."""
    counts = np.array([[[1, 0], [2**45, 2**45]]])
    gains, _, _ = search(counts, [2], ORDERED, 5.0, gini=True)
    assert gains[0, 0] < -1e-12


class Twin(NamedTuple):
    """What the search writes for one attribute at one node."""

    gain: float
    place: int
    after: int
    info: float
    cuts: int


def bits(*rows: float) -> float:
    """The entropy of branch sizes."""
    whole = sum(rows)
    return -sum(one / whole * math.log2(one / whole) for one in rows if one > 0)


def plainly(
    cells: NDArray[Any], records: NDArray[Any] | None, kind: int, limits: tuple[float, float, float]
) -> Twin:
    """Try every division of one table, in the order that ties go by; entropy is the criterion."""
    least, light, margin = limits
    size, classes = cells.shape
    sizes = cells.sum(1) if records is None else records
    occurring = [code for code in range(size) if cells[code].any()]
    sides: list[tuple[int, int, list[list[int]]]] = []  # the place, what comes after, the branches
    need = least
    if kind == ORDERED:
        need = max(least, min(margin * cells.sum() / classes, 25.0))
        sides += [
            (one, two, [list(range(one + 1)), list(range(one + 1, size))])
            for one, two in pairwise(occurring)
        ]
    elif kind == DIVIDED:
        for label in range(1 if classes == 2 else classes):
            order = sorted(occurring, key=lambda c: cells[c, label] / cells[c].sum())
            parts = [(label * size + k, -9, [order[:k], order[k:]]) for k in range(1, len(order))]
            sides += parts
    else:
        sides.append((0, -9, [[code] for code in range(size)]))
    found, allowed = Twin(-1.0, -1, -9, 0.0, 0), 0
    for place, after, branches in sides:
        weights = [float(cells[one].sum()) for one in branches]
        large = sum(
            weight > 0 and weight >= light and sizes[one].sum() >= need
            for one, weight in zip(branches, weights, strict=True)
        )
        if large < 2:
            continue
        allowed += kind == ORDERED
        rest = sum(twins.entropy(cells[one].sum(0)) for one in branches)
        gain = (twins.entropy(cells.sum(0)) - rest) / cells.sum()
        if gain > found.gain + 1e-12:
            found = Twin(gain, place, after, bits(*weights), 0)
    return found._replace(cuts=allowed)


@settings(max_examples=80)
@given(
    seeds,
    st.sampled_from([ORDERED, DIVIDED, MULTIWAY]),
    st.sampled_from([2, 3, 4]),
    st.sampled_from([0.0, 1.0, 2.0, 3.0]),
    st.sampled_from([0.0, 1.0, 3.0]),
    st.sampled_from([0.0, 0.3, 2.0]),
    st.sampled_from([1.0, 0.125, 2.0**-10]),
)
def test_all_that_a_search_writes(
    seed: int, kind: int, classes: int, least: float, light: float, margin: float, scale: float
) -> None:
    """With and without weights, of one node or of several; however small a unit of weight is."""
    sizes = [1, 5, 4]
    rng = np.random.default_rng(seed)
    nodes = int(rng.choice([1, 3]))
    counts = random_counts(seed, sizes, classes, nodes)
    records = rng.integers(1, 4, counts.shape[:2]) * counts.any(2)
    weighted = bool(rng.integers(2))
    light *= scale
    least *= 1.0 if weighted else scale
    shape = (nodes, len(sizes))
    gains, infos = np.full(shape, 7.0), np.zeros(shape)
    places, nexts, cuts = (np.full(shape, -9) for _ in range(3))
    search = criterion("entropy").search
    assert search is not None
    offsets = np.cumsum([0, *sizes])
    given = records if weighted else NO_SIZES
    kinds = np.full(len(sizes), kind)
    found = (gains, places, nexts, margin, infos, cuts)
    search(counts, scale, given, offsets, kinds, least, light, *found)
    for node in range(nodes):
        for a in range(len(sizes)):
            part = slice(offsets[a], offsets[a + 1])
            seen = records[node, part] if weighted else None
            twin = plainly(counts[node, part] * scale, seen, kind, (least, light, margin))
            assert gains[node, a] == pytest.approx(twin.gain, abs=1e-11)
            assert places[node, a] == twin.place
            assert nexts[node, a] == twin.after
            assert infos[node, a] == pytest.approx(twin.info, abs=1e-9)
            assert cuts[node, a] == twin.cuts
