"""How much groups tell: worked examples of the papers, and what each number means."""

import numpy as np
import pytest

from privet.release.diversity import distances, diversity_of


def test_the_salaries_of_the_paper() -> None:
    """Li and others (2007), 4.2: salaries of 3 to 11 thousand, all of them equally common."""
    whole = np.full(9, 1 / 9)
    shares = np.zeros((2, 9))
    shares[0, [0, 1, 2]] = shares[1, [3, 5, 8]] = 1 / 3  # 3, 4, 5 and 6, 8, 11 thousand
    assert distances(shares, whole, ordered=True) == pytest.approx([0.375, 1 / 6])
    assert distances(shares, whole) == pytest.approx([2 / 3, 2 / 3])  # as mere names


def test_two_values_are_as_far_apart_ordered_or_not() -> None:
    shares, whole = np.array([[1.0, 0.0], [0.25, 0.75]]), np.array([0.5, 0.5])
    for ordered in (True, False):
        assert distances(shares, whole, ordered=ordered) == pytest.approx([0.5, 0.25])
    alone = np.ones((1, 1))
    assert distances(alone, alone[0], ordered=True).tolist() == [0.0]


def test_each_number_is_that_of_the_worst_group() -> None:
    counts = np.array([[2, 2, 2, 0], [6, 0, 0, 0], [0, 0, 0, 0], [4, 4, 0, 0], [1, 0, 0, 3]])
    told = diversity_of(counts)
    assert (told.k, told.groups, told.l) == (4, 4, 1)  # an empty group is none
    assert told.entropy_l == pytest.approx(1.0)
    assert told.homogeneous == pytest.approx(6 / 24)
    whole = counts.sum(0) / 24
    assert told.t == pytest.approx(np.abs([0.25, 0, 0, 0.75] - whole).sum() / 2)
    even = diversity_of(counts[[0, 3]])
    assert (even.k, even.l, even.homogeneous) == (6, 2, 0.0)
    assert even.entropy_l == pytest.approx(2.0)
    assert "at least 6 records: 2-diverse (by entropy 2.00)" in even.sentence()
    assert "25.0 % of records" in told.sentence()
    alone = diversity_of(np.array([[1, 0], [2, 2]]))
    assert (alone.k, alone.groups, alone.homogeneous) == (1, 2, 0.2)
    ordered = diversity_of(counts, ordered=True).t
    assert ordered == pytest.approx(np.abs(np.cumsum([0.25, 0, 0, 0.75] - whole)).sum() / 3)
