import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import datasets
from privet.channel import GammaDiagonal
from privet.disguise import Exact, Plan, RandomSubstitution
from privet.estimate.caution import least_leaf
from privet.estimate.methods import evidence_of
from privet.estimators import TreeClassifier


def test_leaves_grow_with_the_noise() -> None:
    sizes = [
        least_leaf(["a"], [GammaDiagonal("a", 10, gamma)], 10**6) for gamma in (3, 5, 8, 20, 1e6)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(50 * (6**2 - 1), rel=1e-6)
    assert sizes[-1] < 1


@given(st.floats(1.1, 50), st.integers(2, 50), st.integers(1, 10**6))
def test_leaves_are_never_above_a_tenth(gamma: float, size: int, rows: int) -> None:
    assert 0 <= least_leaf(["a"], [GammaDiagonal("a", size, gamma)], rows) <= rows / 10


def test_exact_attributes_need_no_caution() -> None:
    channels = [GammaDiagonal("a", 10, 3)]
    assert least_leaf(["a", "b", "c"], channels, 1000) == 0


def test_methods_that_believe_what_they_see_ask_for_it() -> None:
    table, schema = datasets.load("as-f1", rows=2000, seed=1), datasets.schema("as-f1")
    noisy = RandomSubstitution(gamma=3, bins=10).disguise(table, schema, seed=1)
    plain = Plan({}, default=Exact()).disguise(table, schema)
    for method in ("naive", "global"):
        assert evidence_of(noisy, method).leaf == 200
        assert evidence_of(plain, method).leaf == 0
        assert TreeClassifier(method=method).fit(noisy).tree_.counts.sum(1).min() >= 200
        model = TreeClassifier(method=method, min_samples_leaf=50).fit(noisy)
        assert model.tree_.counts.sum(1).min() < 200
    assert evidence_of(noisy, "direct").leaf == 0
