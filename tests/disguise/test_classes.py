"""A class cut out of a number: borders, labels, and what cannot be cut."""

from typing import Any

import pytest

import privet as pv
from privet.errors import PlanError, SchemaError

AGE = pv.Attribute.numeric("age", low=0, high=90)
PAY = pv.Attribute.numeric("pay", low=-10, high=50)
SKY = pv.Attribute.categorical("sky", ["sun", "rain"])
GAP = pv.Attribute.numeric("gap", low=0, high=9, missing="category")
RAW = {
    "age": [20.0, 40, 70],
    "pay": [-10.0, 20, 50],
    "sky": ["sun", "sun", "rain"],
    "gap": [1, 2, None],
}


@pytest.mark.parametrize(
    ("settings", "labels", "values"),
    [
        ({}, ["-10 to 10", "10 to 30", "30 to 50"], [0, 1, 2]),
        ({"classes": 2}, ["-10 to 20", "20 to 50"], [0, 0, 1]),
        ({"classes": 4}, ["-10 to 5", "5 to 20", "20 to 35", "35 to 50"], [0, 1, 3]),
        ({"edges": [0]}, ["-10 to 0", "0 to 50"], [0, 1, 1]),
        ({"edges": [20, 49]}, ["-10 to 20", "20 to 49", "49 to 50"], [0, 0, 2]),
    ],
)
def test_a_number_becomes_a_class(
    settings: dict[str, Any], labels: list[str], values: list[int]
) -> None:
    table, schema = pv.cut_class(RAW, [AGE, PAY, SKY], "pay", **settings)
    assert schema.target == "pay"
    assert schema["pay"].values == tuple(labels)
    assert table["pay"].tolist() == [labels[value] for value in values]
    assert [schema[name] for name in ("age", "sky")] == [AGE, SKY]
    assert schema.names == ["age", "pay", "sky"]
    assert not schema.learned


def test_a_schema_stays_learned() -> None:
    for learned in (False, True):
        schema = pv.Schema([AGE, PAY, SKY], target="sky", learned=learned)
        assert pv.cut_class(RAW, schema, "pay")[1].learned == learned


@pytest.mark.parametrize("name", ["sky", "gap", "none"])
def test_only_numbers_that_are_never_missing_are_cut(name: str) -> None:
    with pytest.raises(SchemaError, match="a number that is never missing"):
        pv.cut_class(RAW, [AGE, PAY, SKY, GAP], name)


@pytest.mark.parametrize(
    "settings",
    [
        {"classes": 1},
        {"edges": []},
        {"edges": [-10]},
        {"edges": [50]},
        {"edges": [5, 5]},
        {"edges": [6, 5]},
        {"edges": [60]},
    ],
)
def test_borders_rise_inside_the_range(settings: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="from -10 to 50"):
        pv.cut_class(RAW, [AGE, PAY, SKY], "pay", **settings)
