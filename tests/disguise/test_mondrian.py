"""Groups cut at medians: which attribute, where, and when no more, by small tables."""

from typing import Any

import numpy as np
import pytest

from privet.disguise.mondrian import mondrian
from tests.golden import golden


def one(values: list[float], k: int, low: float = 0, high: float = 100) -> list[float]:
    """The middles of a single attribute and a single group."""
    table = np.array(values, np.float64)[:, None]
    start = np.zeros(len(values), np.int64)
    made: list[float] = (
        mondrian(table, np.array([[low, high]], np.float64), start, k).ravel().tolist()
    )
    return made


@pytest.mark.parametrize(
    ("values", "k", "middles"),
    [
        ([10, 20, 30], 2, [50, 50, 50]),  # two halves of two are not there
        ([10, 20, 30, 40], 2, [12.5, 12.5, 62.5, 62.5]),
        ([40, 10, 30, 20], 2, [62.5, 12.5, 62.5, 12.5]),  # whatever the order
        ([10, 20, 20, 20, 30, 40], 2, [12.5] * 4 + [62.5] * 2),  # equal ones stay together
        ([10, 20, 20, 20, 20, 40], 2, [50] * 6),  # no border with two on either side
        ([10, 20, 30, 30, 30, 30], 2, [12.5] * 2 + [62.5] * 4),
        ([7, 7, 7, 7], 2, [50] * 4),
        ([10, 20, 30, 40, 50, 60, 70, 80, 90], 4, [22.5] * 4 + [72.5] * 5),  # 45, before 55
    ],
)
def test_a_number_is_cut_next_to_its_median(
    values: list[float], k: int, middles: list[float]
) -> None:
    assert one(values, k) == middles


def test_borders_lie_halfway_and_halves_are_cut_again() -> None:
    assert (
        one([1, 2, 3, 4, 5, 6, 7, 8], 2, 0, 10) == [1.25] * 2 + [3.5] * 2 + [5.5] * 2 + [8.25] * 2
    )
    assert one([-9, -8, -2, -1], 1, -10, 0) == [-9.25, -6.75, -3.25, -0.75]


def test_a_border_that_rounds_to_a_number_belongs_to_it() -> None:
    above = float(np.nextafter(1.0, 2))
    assert one([1.0, above], 1, 0, 2) == [0.5, 1.5]


@pytest.mark.parametrize(
    ("ranges", "cut"),
    [
        ([[0, 10], [0, 100]], 0),  # all of its range, beside six tenths
        ([[100, 110], [0, 100]], 0),
        ([[0, 0.1], [0, 100]], 0),
        ([[0, 20], [0, 100]], 1),
        ([[0, 10], [0, 60]], 0),  # as wide: the first
        ([[5, 5], [0, 100]], 1),  # without a range
    ],
)
def test_the_attribute_that_is_widest_beside_its_range_is_cut(
    ranges: list[list[float]], cut: int
) -> None:
    bounds = np.array(ranges, np.float64)
    full = np.array([0, 0.25, 0.75, 1])
    span = min(bounds[0, 1] - bounds[0, 0], 10)
    numbers = np.column_stack([bounds[0, 0] + span * full, 60 * full[[0, 2, 1, 3]]])
    middles = mondrian(numbers, bounds, np.zeros(4, np.int64), 2)
    assert [len(np.unique(column)) for column in middles.T] == [2 - cut, 1 + cut]
    assert middles[0, 1 - cut] == bounds[1 - cut].mean()


def test_groups_to_begin_with_are_cut_by_themselves() -> None:
    numbers = np.array([10.0, 20, 30, 40, 50, 60])[:, None]
    start = np.array([0, 1, 0, 1, 2, 2])
    made = mondrian(numbers, np.array([[0.0, 100]]), start, 1).ravel().tolist()
    assert made == [10, 15, 60, 65, 27.5, 77.5]


def test_both_halves_must_be_good() -> None:
    """The widest attribute makes a half that is not good: the next is cut instead."""
    numbers = np.column_stack([[0.0, 10, 80, 100], [0.0, 40, 10, 50]])
    asked = []

    def good(rows: Any) -> bool:
        asked.append(sorted(rows.tolist()))
        return sorted(rows.tolist()) != [2, 3]

    ranges = np.array([[0.0, 100], [0, 100]])
    made = mondrian(numbers, ranges, np.zeros(4, np.int64), 2, good)
    assert asked == [[0, 1], [2, 3], [0, 2], [1, 3]]
    assert made.tolist() == [[50, 12.5], [50, 62.5], [50, 12.5], [50, 62.5]]
    never = mondrian(numbers, ranges, np.zeros(4, np.int64), 2, lambda _: False)
    assert (never == 50).all()


def test_many_records_are_cut_as_before() -> None:
    rng = np.random.default_rng(5)
    numbers = np.column_stack([rng.integers(0, 9, 300), rng.normal(50, 9, 300), rng.random(300)])
    ranges = np.array([[0.0, 8], [-20, 120], [0, 1]])
    start = rng.integers(0, 3, 300)
    found = [mondrian(numbers, ranges, start, k) for k in (1, 2, 5, 40)]
    found.append(mondrian(numbers, ranges, start, 3, lambda rows: len(rows) % 7 != 0))
    golden("settings", "mondrian alone", found)
