"""Policies."""

import math
from dataclasses import replace

import pytest

from privet.errors import InputError, MethodError
from privet.split import POLICIES, Policy


def test_presets() -> None:
    assert Policy.named("cart").criterion == "gini"
    assert not Policy.named("cart").multiway
    assert Policy.named("id3").criterion == "entropy"
    assert Policy.named("id3").multiway
    assert set(POLICIES) == {"cart", "id3", "c4.5", "credal"}


def test_but_keeps_what_is_none() -> None:
    changed = Policy.named("id3").but(max_depth=3, min_impurity_decrease=None)
    assert changed.max_depth == 3
    assert changed.min_impurity_decrease == 0.0
    assert changed.multiway


@pytest.mark.parametrize("name", ["c5", "", None, ["cart"], 3])
def test_unknown_presets(name: object) -> None:
    with pytest.raises(MethodError, match="'cart', 'id3'"):
        Policy.named(name)  # type: ignore[arg-type]


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(InputError, match=r"has no 'min_leaf'; it has criterion"):
        Policy().but(min_leaf=5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("criterion", "twoing"),
        ("multiway", 1),
        ("max_depth", 2.5),
        ("max_depth", -1),
        ("min_samples_leaf", -1),
        ("min_gain_ratio", "much"),
        ("min_impurity_decrease", math.nan),
        ("min_samples_split", math.inf),
        ("min_weight_leaf", True),
        ("cut_margin", "wide"),
        ("ratio", "yes"),
        ("max_depth", True),
        ("max_depth", "3"),
        ("max_leaf_nodes", 1),
        ("max_leaf_nodes", 2.5),
        ("max_leaf_nodes", "many"),
        ("max_purity", 0.0),
        ("max_purity", 1.5),
        ("max_purity", "pure"),
        ("confidence", 0.0),
        ("confidence", 1.0),
        ("confidence", 1.5),
        ("confidence", "some"),
    ],
)
def test_values_that_are_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match=name):
        Policy().but(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", 0),
        ("max_leaf_nodes", 2),
        ("min_samples_split", 0),
        ("min_samples_leaf", 0.5),
        ("max_purity", 1.0),
        ("max_purity", 0.01),
        ("confidence", 0.999),
        ("confidence", 0.001),
    ],
)
def test_values_on_the_border_are_taken(name: str, value: float) -> None:
    assert getattr(Policy().but(**{name: value}), name) == value


def test_presets_are_the_learners_of_their_papers() -> None:
    """Nothing that a preset does not name limits a tree."""
    free = Policy(
        criterion="gini",
        multiway=False,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_leaf=0.0,
        min_impurity_decrease=0.0,
        max_leaf_nodes=None,
        max_purity=1.0,
        ratio=False,
        min_gain_ratio=0.0,
        cut_margin=0.0,
        confidence=None,
    )
    assert Policy() == Policy.named("cart") == Policy.named(free) == free
    id3 = replace(free, criterion="entropy", multiway=True)
    assert Policy.named("id3") == id3
    by_ratio = replace(id3, min_samples_leaf=2, ratio=True, min_gain_ratio=0.01)
    assert Policy.named("c4.5") == replace(by_ratio, cut_margin=0.1, confidence=0.25)
    assert Policy.named("credal") == replace(id3, criterion="credal", min_impurity_decrease=1e-9)


@pytest.mark.parametrize(
    ("given", "counted"),
    [(0, 0), (0.001, 2), (0.5, 501), (0.999, 1_000), (1, 1), (1.5, 1.5), (2, 2)],
)
def test_shares_of_records_are_counted_and_numbers_stay(given: float, counted: float) -> None:
    """Of 1,001 records; a number of one record is a number."""
    policy = Policy(min_samples_split=given, min_samples_leaf=given).counted(1_001)
    assert (policy.min_samples_split, policy.min_samples_leaf) == (counted, counted)
