"""Policies."""

import pytest

from privet.errors import MethodError
from privet.tree import POLICIES, Policy


def test_presets() -> None:
    assert Policy.named("cart").criterion == "gini"
    assert not Policy.named("cart").multiway
    assert Policy.named("id3").criterion == "entropy"
    assert Policy.named("id3").multiway
    assert set(POLICIES) == {"cart", "id3", "c4.5"}


def test_but_keeps_what_is_none() -> None:
    changed = Policy.named("id3").but(max_depth=3, min_gain=None)
    assert changed.max_depth == 3
    assert changed.min_gain == 0.0
    assert changed.multiway


@pytest.mark.parametrize("name", ["c5", "", None, ["cart"], 3])
def test_unknown_presets(name: object) -> None:
    with pytest.raises(MethodError, match="'cart', 'id3'"):
        Policy.named(name)  # type: ignore[arg-type]
