"""Binary cuts: two sides of every kind of attribute."""

from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.disguise.binary import Binary
from privet.errors import PlanError
from privet.schema import Attribute

AGE = Attribute.numeric("age", low=20, high=80, bins=5)
KIDS = Attribute.numeric("kids", low=0, high=9, integer=True)
BIT = Attribute.categorical("bit", [0, 1])


def letters(number: int, missing: Any = "error") -> Attribute:
    return Attribute.categorical("letter", list("abcdefg"[:number]), missing=missing)


@pytest.mark.parametrize(
    ("number", "missing", "sides"),
    [
        (3, "error", [0, 0, 1]),
        (4, "error", [0, 0, 1, 1]),
        (5, "error", [0, 0, 0, 1, 1]),
        (7, "error", [0, 0, 0, 0, 1, 1, 1]),
        (1, "category", [0, 1]),
        (2, "category", [0, 0, 1]),
        (3, "category", [0, 0, 1, 1]),
    ],
)
def test_categories_are_halved(number: int, missing: Any, sides: list[int]) -> None:
    attribute = letters(number, missing)
    column = np.array([*"abcdefg"[:number], *([None] * (missing == "category"))], object)
    binary = Binary()
    codes = binary.encode(attribute, binary.coding(attribute), column)
    assert codes.tolist() == sides
    released = binary.released(attribute)
    assert released.coding().size == 2
    names = ["missing" if value is None else value for value in column]
    halves = [[n for n, s in zip(names, sides, strict=True) if s == side] for side in (0, 1)]
    if (number, missing) == (1, "category"):
        assert released == attribute
    else:
        assert released.values == tuple("|".join(half) for half in halves)


def test_a_list_is_one_side_and_the_rest_the_other() -> None:
    for cut in (["b", "c"], ("c", "b")):
        binary = Binary(cut)
        codes = binary.encode(letters(4), binary.coding(letters(4)), np.array(list("abcd")))
        assert codes.tolist() == [1, 0, 0, 1]
        assert binary.released(letters(4)).values == ("b|c", "a|d")
    gaps = Binary(["a", "missing"])
    column = np.array(["a", "b", "c", None], object)
    codes = gaps.encode(letters(3, "category"), gaps.coding(letters(3, "category")), column)
    assert codes.tolist() == [0, 1, 1, 0]
    turned = Binary([1])
    assert turned.encode(BIT, turned.coding(BIT), np.array([0, 1])).tolist() == [1, 0]
    assert Binary().encode(BIT, Binary().coding(BIT), np.array([0, 1])).tolist() == [0, 1]
    assert Binary().released(BIT) is BIT


@pytest.mark.parametrize(
    ("attribute", "cut", "values", "codes"),
    [
        (AGE, None, [20, 50, 50.1, 80], [0, 0, 1, 1]),
        (AGE, 30, [20, 30, 30.1, 80], [0, 0, 1, 1]),
        (AGE, 20, [20, 20.1, 80, 79], [0, 1, 1, 1]),
        (AGE, 79.9, [20, 79.9, 80, 30], [0, 0, 1, 0]),
        (KIDS, None, [0, 4, 5, 9], [0, 0, 1, 1]),
        (KIDS, 2.7, [0, 2, 3, 9], [0, 0, 1, 1]),
        (KIDS, 0, [0, 1, 2, 9], [0, 1, 1, 1]),
    ],
)
def test_numbers_are_cut_in_two(
    attribute: Attribute, cut: Any, values: list[float], codes: list[int]
) -> None:
    binary = Binary(cut)
    coding = binary.coding(attribute)
    assert coding.size == 2
    assert binary.encode(attribute, coding, np.array(values, np.float64)).tolist() == codes
    assert binary.released(attribute).bins == 2
    if attribute.integer:
        assert coding.lower is not None
        assert coding.upper is not None
        assert coding.lower[1] == coding.upper[0] + 1


@pytest.mark.parametrize(
    ("attribute", "cut", "said"),
    [
        (AGE, 80, "at least 20 and below 80"),
        (AGE, 19.9, "at least 20 and below 80"),
        (AGE, True, "the cut must be a number"),
        (AGE, "50", "the cut must be a number"),
        (Attribute.numeric("age", low=0, high=2), True, "the cut must be a number"),
        (Attribute.numeric("age", low=7, high=7), None, "single value"),
        (Attribute.numeric("age", low=0, high=7, missing="category"), None, "may be missing"),
        (letters(1), None, "single value"),
        (letters(3), "a", "its cut is a list"),
        (letters(3), 5, "its cut is a list"),
        (letters(3), {"a": 1}, "its cut is a list"),
        (letters(3), [], "some values of the domain"),
        (letters(3), ["a", "b", "c"], "some values of the domain"),
        (letters(3), ["a", "z"], "some values of the domain"),
        (letters(3), ["a", "missing"], "some values of the domain"),
    ],
)
def test_cuts_that_cannot_be(attribute: Attribute, cut: Any, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        pv.Binary(cut).released(attribute)
