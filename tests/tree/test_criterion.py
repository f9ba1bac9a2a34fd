"""Impurity and its slope."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.tree.criterion import impurity, slope
from privet.tree.policy import Criterion
from tests import twins

counts_of_classes = st.lists(st.integers(0, 1000), min_size=1, max_size=6)


def index(sides: list[list[int]], criterion: Criterion) -> float:
    """The weighted impurity of the sides of a split, a record."""
    held = [np.array(side, np.float64) for side in sides]
    total = sum(float(side.sum()) for side in held)
    return sum(float(impurity(side, criterion)) for side in held) / total


def test_gini_of_the_slides_of_agrawal_and_srikant() -> None:
    assert index([[8, 11], [11, 10]], "gini") == pytest.approx(0.4935, abs=5e-5)
    assert index([[18, 5], [1, 16]], "gini") == pytest.approx(0.2427, abs=5e-5)


def test_entropy_of_the_weather() -> None:
    assert index([[9, 5]], "entropy") == pytest.approx(0.9403, abs=5e-5)


@given(counts_of_classes)
def test_totals_over_records(counts: list[int]) -> None:
    held = np.array(counts, np.float64)
    assert float(impurity(held, "gini")) == pytest.approx(float(twins.gini(counts)), abs=1e-9)
    assert float(impurity(held, "entropy")) == pytest.approx(twins.entropy(held), abs=1e-8)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_negative_counts_are_none(criterion: Criterion) -> None:
    assert impurity(np.array([-3.0, 5.0, 5.0]), criterion) == impurity(
        np.array([0.0, 5.0, 5.0]), criterion
    )
    assert impurity(np.array([-3.0, -1.0]), criterion) == 0.0


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@given(counts=st.lists(st.floats(1, 1000), min_size=2, max_size=5))
def test_slope_is_the_derivative(criterion: Criterion, counts: list[float]) -> None:
    held = np.array(counts)
    step = 1e-4
    for place, found in enumerate(slope(held, criterion)):
        moved = np.eye(len(held))[place] * step
        change = impurity(held + moved, criterion) - impurity(held - moved, criterion)
        assert found == pytest.approx(float(change) / (2 * step), abs=1e-3)
