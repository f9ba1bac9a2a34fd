"""What evidence hands out: tables that name their nodes."""

import numpy as np
from hypothesis import given, settings

from privet.coding import Box
from privet.split.counted import CountTables, offsets_of
from tests.strategies import Coded, coded_tables


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
