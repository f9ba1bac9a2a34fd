"""Every compiled kernel of counting against its plain twin."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.estimate.base import offsets_of
from privet.estimate.coder import Coder
from privet.table import Batch
from privet.table.kernels import (
    count_children,
    count_ranges,
    count_ranges_weighted,
    count_routed,
    partition,
    weigh,
    weigh_correct,
)
from tests import twins
from tests.strategies import Coded, coded_tables, seeds


def records_of(table: Coded) -> NDArray[Any]:
    return Coder(table.codings, "class", len(table.classes))(Batch(0, table.columns))


def ranges_of(table: Coded) -> list[tuple[int, int]]:
    """Ranges of rows, some empty, some overlapping."""
    rows = len(table.codes)
    cuts = np.sort(table.rng.integers(0, rows + 1, (5, 2)), axis=1)
    return [(0, rows), (rows, rows), *((int(a), int(b)) for a, b in cuts)]


@given(coded_tables())
def test_records_hold_the_codes_and_then_the_class(table: Coded) -> None:
    records = records_of(table)
    attributes = len(table.codings)
    np.testing.assert_array_equal(records[:, :attributes], table.codes)
    np.testing.assert_array_equal(records[:, attributes], table.labels)
    assert records.strides[0] % 8 == 0
    widest = max(len(table.classes), *(coding.size for coding in table.codings))
    assert records.dtype == (np.uint8 if widest <= 256 else np.uint16)


@given(coded_tables())
def test_count_ranges(table: Coded) -> None:
    records, offsets, ranges = records_of(table), offsets_of(table.codings), ranges_of(table)
    starts, stops = np.array(ranges).T.copy()
    out = np.zeros((len(ranges), offsets[-1], len(table.classes)), np.int64)
    weight = np.ones(len(records), np.int64) if table.weight is None else table.weight
    if table.weight is None:
        count_ranges(records, offsets, starts, stops, out)
    else:
        count_ranges_weighted(records, weight, offsets, starts, stops, out)
    expected = twins.count_ranges(records, weight, offsets, ranges, len(table.classes))
    np.testing.assert_array_equal(out, expected)


@given(coded_tables())
def test_count_children_and_partition(table: Coded) -> None:
    records = records_of(table)
    rows = len(records)
    splits = table.random_splits(4)
    tested = np.flatnonzero(splits.attribute >= 0)
    cuts = np.sort(table.rng.integers(0, rows + 1, max(0, len(tested) - 1)))
    bounds = np.concatenate([[0], cuts, [rows]])
    pieces = np.array(
        [(node, bounds[i], bounds[i + 1]) for i, node in enumerate(tested)], np.int64
    ).reshape(-1, 3)
    branches = int(splits.branches.max(initial=2))
    taken = np.zeros((len(pieces), branches), np.int64)
    count_children(records, splits.attribute, splits.branch, pieces, taken)
    expected = twins.count_children(records, splits.attribute, splits.branch, pieces, branches)
    np.testing.assert_array_equal(taken, expected)

    # Children in random order, some of them not wanted.
    wanted = table.rng.integers(0, 3, taken.shape) > 0
    order = table.rng.permutation(taken.size)
    sizes = np.where(wanted, taken, 0).ravel()
    begins = np.empty(taken.size, np.int64)
    begins[order] = np.cumsum(sizes[order]) - sizes[order]
    places = np.where(wanted, begins.reshape(taken.shape), -1)
    weight = np.empty(0, np.int64) if table.weight is None else table.weight
    total = int(sizes.sum())
    moved = np.zeros((total + 1, records.shape[1]), records.dtype)
    new_weight = np.zeros(total + 1 if len(weight) else 0, np.int64)
    partition(
        records,
        records.view(np.uint64),
        weight,
        splits.attribute,
        splits.branch,
        pieces,
        places,
        moved.view(np.uint64),
        new_weight,
    )
    sources = twins.partition(records, splits.attribute, splits.branch, pieces, places)
    assert sorted(sources) == list(range(total))
    rows_of = [sources[place] for place in range(total)]
    width = len(table.codings) + 1
    np.testing.assert_array_equal(moved[:total, :width], records[rows_of, :width])
    if len(weight):
        np.testing.assert_array_equal(new_weight[:total], weight[rows_of])


@given(coded_tables(weighted=False))
def test_count_routed(table: Coded) -> None:
    records, offsets = records_of(table), offsets_of(table.codings)
    # A root, its children and theirs.
    widest = max(coding.size for coding in table.codings)
    splits = table.random_splits(1 + 4)
    first = splits.first
    children = int(splits.branches[0])
    total = 1 + children + int(splits.branches[1 : 1 + children].sum())
    attribute = np.full(total, -1)
    branch = np.zeros((total, widest), np.int16)
    child = np.zeros(total, np.int64)
    inner = 1 + children
    attribute[:inner], branch[:inner] = splits.attribute[:inner], splits.branch[:inner]
    child[:inner] = 1 + first[:inner]
    slots = table.rng.integers(-1, 3, total)
    out = np.zeros((3, offsets[-1], len(table.classes)), np.int64)
    count_routed(records, attribute, branch, child, slots, offsets, out)
    reached = slots[twins.walk(table.codes, attribute, branch, child)]
    for slot in range(3):
        rows = np.flatnonzero(reached == slot)
        ones = np.ones(len(rows), np.int64)
        held = twins.count_ranges(
            records[rows], ones, offsets, [(0, len(rows))], len(table.classes)
        )
        np.testing.assert_array_equal(out[slot], held[0])


def program(
    rng: np.random.Generator, sizes: list[int], nodes: int
) -> tuple[list[list[int]], NDArray[np.int64], NDArray[np.float64]]:
    """Random paths over columns, and factors with zeros, ones and negative weights."""
    paths = [
        sorted(rng.permutation(len(sizes))[: rng.integers(0, len(sizes) + 1)].tolist())
        for _ in range(nodes)
    ]
    longest = max(1, *(len(path) for path in paths))
    padded = np.full((nodes, longest), -1)
    for i, path in enumerate(paths):
        padded[i, : len(path)] = path
    factors = rng.normal(0, 3, (nodes, longest, max(sizes)))
    factors[rng.random(factors.shape) < 0.3] = 0.0
    factors[rng.random(factors.shape) < 0.2] = 1.0
    return paths, padded, factors


@settings(max_examples=50)
@given(seeds, st.integers(1, 60), st.sampled_from([5, 300]), st.integers(1, 4))
def test_weigh(seed: int, rows: int, widest: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [*rng.integers(1, 6, rng.integers(0, 3)).tolist(), widest]
    codes = np.stack([rng.integers(0, size, rows) for size in sizes], axis=1)
    codes = codes.astype(np.uint8 if widest <= 256 else np.uint16)
    labels = rng.integers(0, 3, rows).astype(np.uint8)
    offsets = np.cumsum([0, *sizes])
    paths, padded, factors = program(rng, sizes, nodes)
    scales = np.exp2(rng.integers(-2, 30, (nodes, 2)).astype(np.float64))
    shape = (nodes, int(offsets[-1]), 3)
    first, second = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    weigh(codes, labels, offsets, padded, factors, scales, first, second)
    expected = twins.weigh(codes, labels, offsets, paths, factors, scales, shape)
    np.testing.assert_array_equal(first, expected[0])
    np.testing.assert_array_equal(second, expected[1])


def test_weigh_takes_records_in_blocks() -> None:
    """More records than a block holds are neither lost nor counted twice."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (5000, 2)).astype(np.uint8)
    labels = rng.integers(0, 2, 5000).astype(np.uint8)
    path = np.array([[0, -1]])
    factors = np.array([[[2.0, -1.0, 0.5], [9.0, 9.0, 9.0]]])
    first, second = np.zeros((1, 6, 2), np.int64), np.zeros((1, 6, 2), np.int64)
    weigh(codes, labels, np.array([0, 3, 6]), path, factors, np.ones((1, 2)) * 4, first, second)
    weights = factors[0, 0][codes[:, 0]]
    for label in range(2):
        rows = labels == label
        expected = np.bincount(codes[rows, 1], weights[rows], 3)
        np.testing.assert_array_equal(first[0, 3:, label] / 4, expected)
        np.testing.assert_array_equal(first[0, :3, label] / 4, np.bincount(codes[rows, 0]))
        squares = np.bincount(codes[rows, 1], weights[rows] ** 2, 3)
        np.testing.assert_array_equal(second[0, 3:, label] / 4, squares)


@settings(max_examples=50)
@given(seeds, st.integers(1, 80), st.integers(1, 5))
def test_weigh_correct(seed: int, rows: int, boxes: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 4)).tolist()
    codes = np.stack([rng.integers(0, size, rows) for size in sizes], axis=1).astype(np.uint8)
    labels = rng.integers(0, 3, rows).astype(np.uint8)
    paths, padded, factors = program(rng, sizes, boxes)
    by_class = rng.normal(0, 2, (boxes, 3))
    scales = np.exp2(rng.integers(0, 30, 2).astype(np.float64))
    out = np.zeros(2, np.int64)
    weigh_correct(codes, labels, padded, factors, by_class, scales, out)
    expected = twins.weigh_correct(codes, labels, paths, factors, by_class, scales)
    # The order of a record's own sum may differ in the last bit of each term.
    assert out.tolist() == pytest.approx(expected, rel=1e-12, abs=rows)


def test_counts_do_not_wrap_at_a_byte() -> None:
    """Many records in one cell are counted in full."""
    records = np.zeros((70_000, 8), np.uint8)
    out = np.zeros((1, 1, 1), np.int64)
    count_ranges(records, np.array([0, 1]), np.array([0]), np.array([70_000]), out)
    assert out.item() == 70_000
