"""The forest that noise is fitted to: its settings, its least leaves and what its trees read."""

from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.disguise.noised import coded
from privet.disguise.rules import BELOW_ONE, Rules, check_share, check_whole, matrix
from privet.errors import DataError, PlanError
from privet.frames import columns
from privet.table import MemoryTable
from tests.disguise.noisy_people import SCHEMA
from tests.golden import golden
from tests.releases import GAPS, gapped, people


def test_a_leaf_holds_four_per_cent_of_the_records_and_two_at_least() -> None:
    rows = (1, 50, 51, 75, 76, 1000, 1001)
    assert [Rules().least(number) for number in rows] == [2, 2, 3, 3, 4, 40, 41]
    assert Rules(min_leaf=7).least(1000) == 7.0


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float64(0.25), np.int64(1)])
def test_shares_go_from_nothing_to_all(value: object) -> None:
    check_share("Framework", "goodness", value)
    if value != 1:
        check_share("Framework", "goodness", value, BELOW_ONE)
        return
    with pytest.raises(PlanError, match="goodness must be a number from 0 up to, but not, 1"):
        check_share("Framework", "goodness", value, BELOW_ONE)


@pytest.mark.parametrize("value", [-0.1, 1.1, True, False, "0.5", None, float("nan"), 1j])
def test_other_shares_are_refused(value: object) -> None:
    with pytest.raises(PlanError, match="Framework: goodness must be a number from 0 to 1"):
        check_share("Framework", "goodness", value)


@pytest.mark.parametrize(("value", "fits"), [(2, True), (np.int64(3), True), (1, False)])
def test_whole_numbers_have_a_least_one(value: object, fits: bool) -> None:
    if fits:
        check_whole("Framework", "n_trees", value, 2)
        return
    with pytest.raises(PlanError, match="n_trees must be a whole number of at least 2"):
        check_whole("Framework", "n_trees", value, 2)


@pytest.mark.parametrize("value", [2.0, True, "2", None])
def test_what_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(PlanError, match="must be a whole number"):
        check_whole("Framework", "n_trees", value, 1)


def test_trees_read_all_but_what_they_are_grown_for() -> None:
    columns = {name: np.full(3, float(place)) for place, name in enumerate(SCHEMA.names)}
    for target in (None, *SCHEMA.names):
        read = matrix(MemoryTable(columns), SCHEMA, target)
        places = [
            place for place, name in enumerate(SCHEMA.names) if name != (target or SCHEMA.target)
        ]
        assert read.tolist() == [places] * 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"forest": "oak"}, "forest must be 'sysfor' or 'credal'"),
        ({"n_trees": 0}, "n_trees must be a whole number of at least 1"),
        ({"min_leaf": 0}, "min_leaf must be a whole number of at least 1"),
        ({"min_leaf": 2.5}, "min_leaf must be a whole number"),
        ({"goodness": 1.5}, "goodness must be a number from 0 to 1"),
        ({"separation": -1}, "separation must be a number from 0 to 1"),
        ({"min_gain_ratio": 2}, "min_gain_ratio must be a number from 0 to 1"),
        ({"confidence": 1}, "confidence must be a number from 0 up to, but not, 1"),
        ({"confidence": 0}, "confidence must be above 0"),
    ],
)
def test_rules_that_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=f"Framework: {said}"):
        Rules(**settings).check("Framework")


def test_borders_of_rules() -> None:
    for settings in (
        {},
        {"n_trees": 1, "min_leaf": 1},
        {"goodness": 0, "separation": 1, "min_gain_ratio": 1, "confidence": 0.999},
        {"forest": "credal"},
    ):
        Rules(**settings).check("Framework")


def test_a_forest_needs_a_leaf_of_records_of_two_classes() -> None:
    schema = pv.Schema(
        [pv.Attribute.numeric("x", low=0, high=9), pv.Attribute.categorical("y", ["a", "b"])],
        target="y",
    )

    def table(labels: list[int]) -> MemoryTable:
        return MemoryTable({"x": np.arange(len(labels)) * 1.0, "y": np.array(labels, np.uint8)})

    assert len(Rules(min_leaf=4).grown(table([0, 0, 1, 1]), schema)) == 1
    assert Rules(min_leaf=2).grown(table([0, 1, 1, 1]), schema)
    with pytest.raises(DataError, match="4 records, fewer than the 5 that a leaf"):
        Rules(min_leaf=5).grown(table([0, 0, 1, 1]), schema)
    for one in ([1, 1, 1], [0, 0, 0]):
        with pytest.raises(DataError, match="all of one class of 'y'"):
            Rules(min_leaf=1).grown(table(one), schema)


@pytest.mark.parametrize("forest", ["sysfor", "credal"])
@pytest.mark.parametrize("target", [None, "job", "flag"])
def test_forests_are_the_same_again(forest: str, target: str | None) -> None:
    """Of numbers and categories with gaps, for the class and for others."""
    raw = gapped(people(250))
    table = coded(dict(columns(raw, GAPS.names)), GAPS)
    found = []
    for settings in (
        {"n_trees": 4, "min_leaf": 12},
        {"n_trees": 6, "goodness": 0.9, "separation": 0.05, "min_gain_ratio": 0.0},
    ):
        trees = Rules(**settings, forest=forest).grow(table, GAPS, target)
        found.append(
            [[tree.attribute, tree.threshold, tree.classes, tree.counts] for tree in trees]
        )
    golden("settings", f"{forest} for {target}", found)
