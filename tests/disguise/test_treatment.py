"""Treatments: what each does to a domain and to values."""

import numpy as np
import pytest

from privet.disguise import Exact, Substitution, ValueClass, Withheld
from privet.errors import PlanError
from privet.schema import Attribute

AGE = Attribute.numeric("age", low=20, high=80, bins=6)
KIDS = Attribute.numeric("kids", low=0, high=4, integer=True)
SKY = Attribute.categorical("sky", ["Sunny", "Overcast", "Rain"], missing="category")


def test_exact_keeps_everything() -> None:
    assert Exact().released(AGE) is AGE
    assert Exact().coding(AGE) is None
    assert Exact().encode(AGE, None, np.array([20, 80])).tolist() == [20.0, 80.0]
    coding = Exact().coding(SKY)
    assert coding is not None
    assert coding.size == 4
    assert Exact().channel(AGE) is None


def test_withheld_is_absent() -> None:
    assert Withheld().coding(AGE) is None
    assert Withheld().channel(AGE) is None


@pytest.mark.parametrize("treatment", [ValueClass(bins=3), Substitution(8, bins=3)])
def test_numbers_are_cut_to_the_treatments_bins(treatment: ValueClass | Substitution) -> None:
    released = treatment.released(AGE)
    assert released.bins == 3
    assert released.coding().edges.tolist() == [40, 60]
    codes = treatment.encode(AGE, released.coding(), np.array([20.0, 40.0, 40.1, 80.0]))
    assert codes.tolist() == [0, 0, 1, 2]


def test_bins_are_the_treatments_else_the_attributes_else_the_default() -> None:
    assert Substitution(8).channel(AGE).size == 6
    assert Substitution(8).channel(Attribute.numeric("x", low=0, high=1)).size == 10
    assert Substitution(8).channel(KIDS).size == 5  # no more cells than values
    assert Substitution(8).released(KIDS).coding().size == 5


def test_value_classes_by_width_and_by_level() -> None:
    """Classes are at least as wide as asked; AS, table 1: c·W at confidence c."""
    assert ValueClass(width=20).released(AGE).coding().edges.tolist() == [40, 60]
    assert ValueClass(width=25).released(AGE).coding().size == 2  # two of 30: none is narrower
    for level, confidence in ((0.25, 0.95), (0.1, 0.95), (0.2, 0.5), (0.2, 1.0)):
        made = ValueClass(level=level, confidence=confidence)
        cells = made.released(AGE).coding().size
        assert made.width_at(AGE, confidence) >= level * 60 - 1e-9
        narrower = ValueClass(bins=cells + 1)
        assert narrower.width_at(AGE, confidence) < level * 60
    assert ValueClass(width=2).width_at(KIDS, 1.0) >= 2


def test_groups_of_categories() -> None:
    groups = {"dry": ["Sunny"], "grey": ["Rain", "Overcast"]}
    treatment = ValueClass(groups=groups)
    released = treatment.released(SKY)
    assert released.values == ("dry", "grey")
    coding = treatment.coding(SKY)
    column = np.array(["Rain", "Sunny", "Overcast", None], object)
    assert treatment.encode(SKY, coding, column).tolist() == [1, 0, 1, 2]


def test_a_disguised_missing_value_is_one_more_value() -> None:
    assert Substitution(3).channel(SKY).size == 4


@pytest.mark.parametrize(
    ("treatment", "attribute", "complaint"),
    [
        (ValueClass(bins=0), AGE, "bins must be a whole number"),
        (ValueClass(bins=2.5), AGE, "bins must be a whole number"),  # type: ignore[arg-type]
        (ValueClass(groups={"a": [1]}), AGE, "bins, not groups"),
        (ValueClass(bins=3), SKY, "groups, not cells"),
        (ValueClass(), SKY, "needs groups"),
        (ValueClass(width=3), SKY, "groups, not cells"),
        (ValueClass(width=31), AGE, "a single one"),
        (ValueClass(level=0.5), AGE, "a single one"),
        (ValueClass(width=0), AGE, "above 0"),
        (ValueClass(level=True), AGE, "above 0"),
        (ValueClass(level=0.1, confidence=2), AGE, "confidence must be"),
        (ValueClass(width=3, bins=2), AGE, "one of bins, edges, width and level"),
        (ValueClass(groups={"dry": ["Sunny"]}), SKY, "just once"),
        (ValueClass(groups={"a": ["Sunny", "Rain"], "b": ["Rain", "Overcast"]}), SKY, "just once"),
        (Substitution(1), AGE, "gamma must be"),
        (Substitution(8, bins=-1), AGE, "bins must be"),
    ],
)
def test_what_does_not_fit_is_refused(
    treatment: ValueClass | Substitution, attribute: Attribute, complaint: str
) -> None:
    with pytest.raises(PlanError, match=complaint) as caught:
        treatment.released(attribute)
    assert repr(attribute.name) in str(caught.value)


def test_one_value_cannot_be_substituted() -> None:
    for lone in (
        Attribute.categorical("lone", ["only"]),
        Attribute.numeric("lone", low=3, high=3),
        Attribute.numeric("lone", low=0, high=9, bins=1),
    ):
        with pytest.raises(PlanError, match="'lone' has a single value"):
            Substitution(8).channel(lone)


def numeric(low: float, high: float, *, integer: bool = False) -> Attribute:
    return Attribute.numeric("a", low=low, high=high, integer=integer)


@pytest.mark.parametrize(
    ("attribute", "treatment", "cells"),
    [
        (numeric(0, 2), ValueClass(width=0.5), 4),
        (numeric(0, 0.3), ValueClass(width=0.1), 3),  # though 0.3/0.1 is less, in floats
        (numeric(-1, 1), ValueClass(width=0.4), 5),
        (numeric(20, 80), ValueClass(width=30), 2),
        (numeric(20, 80), ValueClass(level=0.5, confidence=1), 2),
        (numeric(20, 80), ValueClass(level=0.2, confidence=0.5), 2),
        (numeric(20, 80), ValueClass(level=0.2), 4),  # 60·0.2/0.95 = 12.6
        (numeric(1, 12, integer=True), ValueClass(width=3), 4),
        (numeric(1, 12, integer=True), ValueClass(width=2.5), 4),  # whole numbers: three each
        (numeric(1, 12, integer=True), ValueClass(width=3.5), 3),
        (numeric(1, 12, integer=True), ValueClass(level=0.2, confidence=0.8), 4),  # 3, and a bit
        (numeric(1, 12, integer=True), ValueClass(level=0.25, confidence=1), 4),
        (numeric(1, 12, integer=True), ValueClass(width=6), 2),
    ],
)
def test_as_many_classes_as_are_wide_enough(
    attribute: Attribute, treatment: ValueClass, cells: int
) -> None:
    assert treatment.released(attribute).coding().known == cells


def test_the_narrowest_class_is_what_hides_a_number() -> None:
    assert ValueClass(edges=[30, 70]).width_at(numeric(20, 80), 0.5) == 5
    assert ValueClass(bins=3).width_at(numeric(1, 12, integer=True), 0.5) == 2
    assert ValueClass().confidence == 0.95
    with pytest.raises(PlanError, match="has no width"):
        ValueClass(groups={"a": ["Sunny", "Overcast", "Rain"]}).width_at(SKY, 0.5)


@pytest.mark.parametrize(
    ("treatment", "attribute", "complaint"),
    [
        (ValueClass(width=3, confidence=1.5), AGE, "confidence must be"),
        (ValueClass(width=3, confidence=0), AGE, "confidence must be"),
        (ValueClass(width=3, level=0.2), AGE, "one of bins, edges, width and level"),
        (ValueClass(level=0.1, edges=[30]), AGE, "one of bins, edges, width and level"),
        (ValueClass(width="3"), AGE, "width of a value class must be a number"),  # type: ignore[arg-type]
        (ValueClass(level=-0.1), AGE, "level of a value class must be a number"),
        (ValueClass(level=0.1), SKY, "groups, not cells"),
        (ValueClass(edges=[1]), SKY, "groups, not cells"),
        (ValueClass(groups=["Sunny"]), SKY, "needs groups"),  # type: ignore[arg-type]
        (ValueClass(groups={}), SKY, "needs groups"),
        (ValueClass(groups={"a": "Sunny"}), SKY, "needs groups"),
        (Substitution(edges=[3]), SKY, "has no edges"),
        (Substitution(scale="log"), SKY, "has no scale"),
        (Substitution(8, matrix=[[0.7, 0.3], [0.3, 0.7]]), SKY, "a matrix says all"),
        (Substitution(rho=(0.1, 0.5), matrix=[[0.7, 0.3], [0.3, 0.7]]), SKY, "a matrix says all"),
    ],
)
def test_other_settings_that_do_not_fit(
    treatment: ValueClass | Substitution, attribute: Attribute, complaint: str
) -> None:
    with pytest.raises(PlanError, match=complaint):
        treatment.released(attribute)


def test_groups_are_lists_or_tuples() -> None:
    groups = {"dry": ("Sunny",), "grey": ["Rain", "Overcast"]}
    assert ValueClass(groups=groups).released(SKY).values == ("dry", "grey")
    wide = ValueClass(width=1, confidence=1)
    assert wide.released(numeric(0, 2)).coding().known == 2


@pytest.mark.parametrize(("groups", "type_"), [(255, np.uint8), (256, np.uint16)])
def test_the_code_of_missing_has_room_behind_the_groups(groups: int, type_: type) -> None:
    values = [f"v{number}" for number in range(groups)]
    many = Attribute.categorical("many", values, missing="category")
    treatment = ValueClass(groups={f"g{value}": [value] for value in values})
    column = np.array([values[-1], None, values[0]], object)
    codes = treatment.encode(many, treatment.coding(many), column)
    assert codes.tolist() == [groups - 1, groups, 0]
    assert codes.dtype == type_


def test_a_matrix_has_a_row_and_a_column_for_every_value() -> None:
    matrix = [[0.7, 0.3], [0.3, 0.7]]
    wind = Attribute.categorical("wind", ["weak", "strong"])
    assert Substitution(matrix=matrix).channel(wind).inputs == (2,)
    assert Substitution(matrix=matrix, bins=2).channel(AGE).inputs == (2,)
    with pytest.raises(PlanError, match="has 4 values, its matrix 2"):
        Substitution(matrix=matrix).channel(SKY)
