"""The compiled weighing against its plain twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.estimate.weighing_kernels import add_up, weigh, weigh_correct
from tests import twins
from tests.strategies import seeds


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
    by_class = rng.normal(0, 2, (boxes, 3, 2))
    scales = np.exp2(rng.integers(0, 30, (2, 2)).astype(np.float64))
    out = np.zeros((2, 2), np.int64)
    weigh_correct(codes, labels, padded, factors, by_class, scales, out)
    expected = twins.weigh_correct(codes, labels, paths, factors, by_class, scales)
    # The order of a record's own sum may differ in the last bit of each term.
    assert out == pytest.approx(expected, rel=1e-12, abs=rows)


def test_weights_add_up_by_class_in_whole_numbers() -> None:
    rng = np.random.default_rng(4)
    values, target = rng.normal(0, 3, (4, 400)), np.sort(rng.integers(0, 3, 400))
    program = [[], [2], [0, 3], [3, 1, 0], [1]]
    padded = np.array([[*keys, *[-1] * (3 - len(keys))] for keys in program])
    units = np.exp2(rng.integers(0, 20, (5, 2)).astype(np.float64))
    out = np.ones((2, 5, 3), np.int64)
    add_up(values, padded, np.cumsum(np.bincount(target)), units, out)
    weights = np.array([np.prod(values[keys], axis=0) for keys in program])
    for code in range(3):
        chosen = weights[:, target == code]
        sums = np.rint(chosen * units[:, :1]).sum(1)
        squares = np.rint(chosen**2 * units[:, 1:]).sum(1)
        np.testing.assert_array_equal(out[:, :, code] - 1, [sums, squares])
