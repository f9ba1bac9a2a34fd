"""The forest that noise is fitted to: its settings, its least leaves and what its trees read."""

import numpy as np
import pytest

from privet.disguise.rules import BELOW_ONE, Rules, check_share, check_whole, matrix
from privet.errors import PlanError
from privet.table import MemoryTable
from tests.disguise.noisy_people import SCHEMA


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
