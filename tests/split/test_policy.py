"""Policies."""

import math

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
        ("max_leaf_nodes", 1),
        ("max_purity", 0.0),
        ("confidence", 0.0),
        ("confidence", 1.0),
    ],
)
def test_values_that_are_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match=name):
        Policy().but(**{name: value})
