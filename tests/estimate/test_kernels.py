"""Compiled steps of EM, by hand and against plain sums."""

import numpy as np
import pytest

from privet.estimate.em import log_likelihood
from privet.estimate.kernels import (
    count_joint,
    divide,
    divide_box,
    gather,
    hurry,
    multiply,
    spread,
)


def test_records_are_counted_by_all_codes_and_the_class() -> None:
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, size, 200) for size in (3, 4)]).astype(np.uint16)
    target = rng.integers(0, 2, 200).astype(np.uint8)
    out = np.zeros(24, np.int64)
    count_joint(codes, target, np.array([3, 4, 2]), out)
    expected = np.zeros((3, 4, 2), np.int64)
    np.add.at(expected, (codes[:, 0], codes[:, 1], target), 1)
    assert out.reshape(3, 4, 2).tolist() == expected.tolist()


@pytest.mark.parametrize(("inputs", "width"), [(4, 1), (4, 2), (3, 3), (2, 4)])
def test_near_outputs_get_more_than_far_ones(inputs: int, width: int) -> None:
    """A value goes to ``width`` outputs from its own on with a weight of 3, to others with 0.5."""
    outputs = inputs + width - 1
    matrix = np.full((outputs, inputs), 0.5)
    for value in range(inputs):
        matrix[value : value + width, value] = 3.0
    rng = np.random.default_rng(2)
    for table in (rng.random((inputs, 3)), np.eye(inputs, 3) / 8, np.zeros((inputs, 3))):
        there = np.empty((outputs, 3))
        spread(table, 0.5, 3.0, width, there)
        np.testing.assert_allclose(there, matrix @ table, atol=1e-15)
    for seen in (rng.random((outputs, 3)), np.eye(outputs, 3) / 8, np.zeros((outputs, 3))):
        back = np.empty((inputs, 3))
        gather(seen, 0.5, 3.0, width, back)
        np.testing.assert_allclose(back, matrix.T @ seen, atol=1e-15)


def test_rounding_makes_nothing_less_than_none() -> None:
    """Of 1e16 and 1 a running sum leaves less than 0 behind; no count is."""
    table = np.array([[1e16], [1.0], [0.0], [0.0]])
    there = np.empty((4, 1))
    spread(table, 0.0, 1.0, 1, there)
    assert there.min() >= 0
    back = np.empty((4, 1))
    gather(np.array([[0.1], [0.2], [0.3], [0.0], [0.0]]), 0.0, 1.0, 2, back)
    assert back.min() >= 0
    assert back.ravel().tolist() == pytest.approx([0.3, 0.5, 0.3, 0.0], abs=1e-15)


def test_ratios_and_likelihoods() -> None:
    observed = np.array([3.0, 0.0, 0.5, 2.0])
    expected = np.array([1.5, 2.0, 0.25, 0.0])
    likelihood = log_likelihood(observed, expected)
    known = 3 * np.log(1.5) + 0.5 * np.log(0.25)
    assert likelihood == pytest.approx(known + 2 * np.log(1e-300))
    assert log_likelihood(observed[:2], np.array([1.0, 0.0])) == 0.0  # what was not seen is no news
    divide(observed, expected)
    assert expected.tolist() == pytest.approx([2.0, 0.0, 2.0, 2e300])


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.0, [2.0, 3.0, 100.0, 5.0, 0.0]),  # where it is
        (1.0, [4.0, 1.5, 400.0, 20.0, 0.0]),  # as far again, a factor of four at most
        (0.5, [2.8, 3 * 0.625 / 0.875, 100 * 3.25 / 1.75, 5 * 3.25 / 1.75, 0.0]),
    ],
)
def test_cells_go_on_by_a_share_of_their_way(share: float, expected: list[float]) -> None:
    """They came from 1, 6, 2, 0 and 7; near to the power of that factor."""
    table = np.array([2.0, 3.0, 100.0, 5.0, 0.0])
    out = np.empty(5)
    hurry(table, np.array([1.0, 6.0, 2.0, 0.0, 7.0]), share, np.ones(0), out)
    assert out.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_classes_add_up_to_the_rows_of_their_cell(classes: int) -> None:
    rng = np.random.default_rng(3)
    table, factors = rng.random((2, 7, classes))
    table[2] = 0.0  # a cell of no class has none afterwards
    rows, out = rng.random(7), np.empty(7 * classes)
    multiply(table.ravel(), factors.ravel(), rows, out)
    product = table * factors
    expected = product * (rows / np.maximum(product.sum(1), 1e-300))[:, None]
    np.testing.assert_allclose(out.reshape(7, classes), expected, rtol=1e-14)
    hurry(table.ravel(), table.ravel(), 0.5, rows, out)
    expected = table * (rows / np.maximum(table.sum(1), 1e-300))[:, None]
    np.testing.assert_allclose(out.reshape(7, classes), expected, rtol=1e-14)


def test_a_box_is_divided_or_one_leaf() -> None:
    rng = np.random.default_rng(4)
    label, place = rng.integers(0, 3, 20), rng.integers(0, 8, 20)
    means, inside, branches = 5 * rng.random(20), rng.random((3, 8)), rng.random((2, 8))
    shares = rng.dirichlet(np.ones(3), 4)
    outside, likelier = np.empty((2, 20))
    divide_box(means, label, place, inside, branches, shares, outside, likelier)
    left = np.maximum(means - inside[label, place], 0)
    rows = inside.sum(0)
    divided = np.vstack([branches, np.maximum(rows - branches.sum(0), 0)]).T @ shares[1:]
    np.testing.assert_allclose(outside, left)
    expected = (left + divided[place, label]) / (left + np.outer(rows, shares[0])[place, label])
    np.testing.assert_allclose(likelier, expected)
