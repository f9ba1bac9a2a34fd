"""What evidence hands out: tables that name their nodes."""

import numpy as np
import pytest
from hypothesis import given, settings

from privet.coding import Box
from privet.estimate.base import CountedFrontier, Frontier, unit
from privet.split.counted import CountTables, offsets_of
from privet.split.policy import Policy
from privet.split.tables import Estimate
from tests.strategies import Coded, coded_tables, coding


@settings(max_examples=50)
@given(coded_tables(max_rows=12, max_size=4, weighted=False))
def test_nodes_of_one_name_hold_the_same_records(held: Coded) -> None:
    """And nodes of the same records have one name, however their boxes were drawn."""
    boxes = [Box()]
    for _ in range(20):
        box = boxes[held.rng.integers(len(boxes))]
        coding = held.codings[held.rng.integers(len(held.codings))]
        boxes.append(box.narrowed(coding.name, held.rng.random(coding.size) < 0.7))
    counts = np.stack([held.counts(box) for box in boxes])
    names = CountTables(counts, offsets_of(held.codings), whole=True).names()
    records = [held.inside(box).tobytes() for box in boxes]
    for one in range(len(boxes)):
        for two in range(one):
            assert (names[one] == names[two]) == (records[one] == records[two])


def test_tables_of_some_nodes() -> None:
    tables = CountTables(np.arange(24).reshape(3, 4, 2), np.array([0, 1, 4]), 0.5, whole=True)
    some = tables.of(np.array([0, 2]))
    assert some.nodes == 2
    assert some.whole
    np.testing.assert_array_equal(some.at(1)[0].mean, tables.at(2)[0].mean)
    assert tables.of(np.arange(3)) is tables


@pytest.mark.parametrize(
    ("rows", "bound", "power"),
    [
        (0, 1.0, 40),
        (1, 1.0, 40),
        (1 << 22, 1.0, 40),
        ((1 << 22) + 1, 1.0, 39),
        (1 << 23, 1.0, 39),
        (1 << 10, 2.0**12, 40),
        (1 << 10, 2.0**13, 39),
        (1 << 30, 1000.0, 22),
    ],
)
def test_units_are_as_fine_as_sums_of_all_weights_allow(
    rows: int, bound: float, power: int
) -> None:
    assert unit(rows, bound) == 2.0**power
    assert max(rows, 1) * bound * unit(rows, bound) <= 2.0**62


class Two(Frontier):
    """Two nodes of one binary attribute; the class goes with it at the second alone."""

    codings = (coding("x0", 2, ordered=True),)
    nodes = 2

    def at(self, node: int) -> list[Estimate]:
        counts = [[[5, 5], [5, 5]], [[9, 1], [0, 8]]][node]
        offsets = offsets_of(self.codings)
        return list(CountTables(np.array([counts]), offsets).at(0))


def test_only_wanted_nodes_are_split() -> None:
    policy = Policy()
    every = Two().best(policy)
    assert every[1] is not None
    assert Two().best(policy, np.array([True, False]))[1] is None
    some = Two().best(policy, np.array([False, True]))
    assert some[0] is None
    assert some[1] is not None
    assert some[1].counts.tolist() == every[1].counts.tolist() == [[9, 1], [0, 8]]
    assert Two().names() is None
    assert Two().total().counts.tolist() == [10, 10]
    counts = np.array([[[5, 5], [5, 5]], [[9, 1], [0, 8]]])
    held = CountedFrontier(Two.codings, CountTables(counts, offsets_of(Two.codings)))
    assert held.nodes == 2
    assert held.names() is None  # of tables that are not whole nothing is known
    for wanted in ([True, True], [False, True], [True, False]):
        found = held.best(policy, np.array(wanted))
        alike = Two().best(policy, np.array(wanted))
        assert [one is None for one in found] == [one is None for one in alike]
    whole = CountTables(counts, offsets_of(Two.codings), whole=True)
    assert CountedFrontier(Two.codings, whole).names() is not None
