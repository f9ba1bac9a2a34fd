"""Routed evidence against boolean masks, for any tree, any batches and any number of threads."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.coding import Box
from privet.estimate import routed as module
from privet.estimate.routed import SortedEvidence, WalkedEvidence, routed
from privet.split.scored import Splits
from privet.table import MemoryTable
from tests.strategies import Coded, Elsewhere, coded_tables, coding

fixtures_are_fine = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def children(boxes: list[Box], splits: Splits, table: Coded) -> list[Box]:
    """The boxes of all children, end to end."""
    found = []
    for box, attribute, branch, branches in zip(
        boxes, splits.attribute, splits.branch, splits.branches, strict=True
    ):
        for side in range(branches):
            tested = table.codings[attribute]
            found.append(box.narrowed(tested.name, branch[: tested.size] == side))
    return found


def grown(table: Coded, evidence: list[Any], levels: int) -> None:
    """Grow a random tree and compare every level's counts with boolean masks."""
    boxes = [Box()]
    frontiers = [one.root() for one in evidence]
    for _ in range(levels):
        expected = np.stack([table.counts(box) for box in boxes])
        for frontier in frontiers:
            np.testing.assert_array_equal(frontier.tables.counts, expected)
        splits = table.random_splits(len(boxes))
        kids = children(boxes, splits, table)
        keep: NDArray[np.bool_] = table.rng.random(len(kids)) < table.rng.choice([0.3, 0.8, 1.0])
        if not keep.any():
            return
        boxes = [box for box, kept in zip(kids, keep, strict=True) if kept]
        frontiers = [
            one.split(frontier, splits, keep)
            for one, frontier in zip(evidence, frontiers, strict=True)
        ]


@fixtures_are_fine
@given(coded_tables(), st.sampled_from([1, 3, 16, 1 << 16]), st.integers(2, 5))
def test_sorted_evidence_counts_what_masks_count(
    monkeypatch: pytest.MonkeyPatch, table: Coded, piece: int, levels: int
) -> None:
    monkeypatch.setattr(module, "PIECE", piece)
    held: Any = routed(
        MemoryTable(table.columns), table.codings, "class", table.classes, table.weight
    )
    assert isinstance(held, SortedEvidence)
    grown(table, [held], levels)


@settings(max_examples=60)
@given(coded_tables(weighted=False), st.integers(1, 40), st.integers(2, 4))
def test_walked_evidence_counts_the_same(table: Coded, size: int, levels: int) -> None:
    memory = MemoryTable(table.columns)
    held = [
        routed(memory, table.codings, "class", table.classes),
        routed(Elsewhere(memory, size), table.codings, "class", table.classes),
    ]
    assert isinstance(held[1], WalkedEvidence)
    grown(table, held, levels)


@given(coded_tables())
def test_a_frontier_can_be_split_twice(table: Coded) -> None:
    """Splitting changes nothing: a forest may branch from any frontier."""
    held: Any = routed(
        MemoryTable(table.columns), table.codings, "class", table.classes, table.weight
    )
    root = held.root()
    # The first answers are dropped, so that their memory may be used again.
    for _ in range(3):
        splits = table.random_splits(1)
        kids = children([Box()], splits, table)
        if not kids:
            continue
        frontier = held.split(root, splits, np.ones(len(kids), np.bool_))
        deeper = table.random_splits(len(kids))
        below = children(kids, deeper, table)
        if below:
            kept = held.split(frontier, deeper, np.ones(len(below), np.bool_))
            expected = np.stack([table.counts(box) for box in below])
            np.testing.assert_array_equal(kept.tables.counts, expected)
        expected = np.stack([table.counts(box) for box in kids])
        np.testing.assert_array_equal(frontier.tables.counts, expected)
    np.testing.assert_array_equal(root.tables.counts[0], table.counts(Box()))


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_counts_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch, threads: str) -> None:
    """Pieces far below the table's size, so that every thread has some."""
    monkeypatch.setenv("PRIVET_THREADS", threads)
    monkeypatch.setattr(module, "PIECE", 1000)
    rng = np.random.default_rng(5)
    codings = tuple(coding(f"x{i}", 6, ordered=False) for i in range(3))
    table = Coded(
        codings,
        rng.integers(0, 6, (40_000, 3)),
        rng.integers(0, 2, 40_000),
        ("a", "b"),
        None,
        rng,
    )
    grown(table, [routed(MemoryTable(table.columns), codings, "class", ("a", "b"))], 5)


def test_scale_turns_units_into_records() -> None:
    table = MemoryTable({"x0": np.array([0, 1, 1], np.uint8), "class": np.zeros(3, np.uint8)})
    held: Any = routed(
        table, [coding("x0", 2, ordered=True)], "class", ("a",), np.array([2, 4, 6]), 0.25
    )
    np.testing.assert_array_equal(held.root().at(0)[0].mean, [[0.5], [2.5]])
    assert not held.root().at(0)[0].variances(np.ones((3, 2, 1))).any()


def test_records_of_closed_nodes_take_no_room() -> None:
    """Two of four children are kept, then two of their four: room is made for what is kept."""
    rows = 64
    bits = (np.arange(rows)[:, None] >> np.arange(3) & 1).astype(np.uint8)
    table = MemoryTable(
        {**dict(zip("abc", bits.T, strict=True)), "class": np.zeros(rows, np.uint8)}
    )
    codings = [coding(name, 2, ordered=True) for name in "abc"]
    for weight in (None, np.ones(rows, np.int64)):
        held: Any = routed(table, codings, "class", ("u",), weight)
        frontiers = [held.root()]
        for place, keep in enumerate(([True, True], [False, True, True, False], [False, True] * 2)):
            nodes = len(frontiers[-1].tables.counts)
            branch = np.tile(np.arange(2, dtype=np.int16), (nodes, 1))
            splits = Splits(np.full(nodes, place), branch, np.full(nodes, 2))
            frontiers.append(held.split(frontiers[-1], splits, np.array(keep)))
        states = [frontier.state for frontier in frontiers]
        assert [len(state.words) for state in states] == [64, 64, 64, 32]
        assert [len(state.weight) for state in states[1:]] == (
            [0, 0, 0] if weight is None else [64, 64, 32]
        )
        assert [int(state.counts[:, :2].sum()) for state in states] == [64, 64, 32, 16]
