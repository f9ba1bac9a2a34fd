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


# How the work is shared out


def test_ranges_are_cut_to_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", 10)
    short = np.array([[3, 5, 15], [4, 20, 20]])
    assert module._cut(short) is short
    long = np.array([[3, 5, 16], [4, 20, 20], [7, 30, 55]])
    assert module._cut(long).tolist() == [
        [3, 5, 15], [3, 15, 16], [4, 20, 20], [7, 30, 40], [7, 40, 50], [7, 50, 55],
    ]  # fmt: skip


def test_neighbouring_pieces_of_a_node_are_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most ten rows of a node are one job, in however many ranges."""
    monkeypatch.setattr(module, "PIECE", 10)
    pieces = np.array(
        [[0, 0, 4], [0, 8, 11], [0, 20, 23], [2, 30, 40], [2, 40, 50], [2, 50, 53], [3, 60, 61]]
    )
    assert module._jobs(pieces).tolist() == [
        [0, 0, 3, 0], [2, 3, 4, 10], [2, 4, 5, 20], [2, 5, 6, 30], [3, 6, 7, 33],
    ]  # fmt: skip
    later = np.array([[0, 0, 4], [1, 4, 11], [1, 11, 18], [1, 18, 25]])  # a node begins anew
    assert module._jobs(later).tolist() == [[0, 0, 1, 0], [1, 1, 3, 4], [1, 3, 4, 18]]
    uneven = np.array([[1, 0, 9], [1, 9, 18], [1, 18, 20], [1, 20, 29]])  # 9, 18, 20, 29 rows
    assert module._jobs(uneven).tolist() == [[1, 0, 2, 0], [1, 2, 3, 18], [1, 3, 4, 20]]


@pytest.mark.parametrize(
    ("sizes", "runs"),
    [
        ([], 0),
        ([5], 1),
        ([16_100, 16_156], 2),  # 16,384 units of work a run, 256 of them for a job itself
        ([16_100, 16_155], 1),
        ([0] * 511, 7),
        ([0] * 512, 8),
        ([10**6] * 40, 8),  # four a thread
    ],
)
def test_work_is_shared_out_evenly(
    sizes: list[int], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVET_THREADS", "2")
    groups = module._groups(np.array(sizes, np.int64))
    assert len(groups) == runs
    places = [place for group in groups for place in range(group.start, group.stop)]
    assert places == list(range(len(sizes)))
    work = [sum(sizes[group]) + 256 * (group.stop - group.start) for group in groups]
    if len(set(sizes)) == 1:
        assert max(work) - min(work) <= 2 * (max(sizes) + 256)


def test_the_largest_child_is_what_the_others_leave() -> None:
    """Unless what has to be counted for it is more than what is kept."""
    parent = np.array([0, 0, 0, 2, 2, 3, 3, 4, 4])
    rows = np.array([5, 9, 3, 4, 4, 7, 2, 6, 5])
    keep = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1], np.bool_)
    # Node 0 keeps 5 + 9 and counts 5 + 3 of them; of two equal children the first is counted
    # last; node 3 counts 2 in place of 7; node 4 keeps the smaller one, which is counted.
    counted = module._what_to_count(parent, keep, rows, 5)
    assert counted.tolist() == [True, False, True, False, True, False, True, False, True]
    few = np.array([0, 0, 1, 1, 0, 0, 0, 0, 0], np.bool_)
    counted = module._what_to_count(parent, few, rows, 5)
    assert counted.tolist() == [False, False, True, False, True, False, False, False, False]
    first = np.array([True, False])  # the largest is the first child of all
    counted = module._what_to_count(np.zeros(2, int), first, np.array([9, 5]), 1)
    assert counted.tolist() == [False, True]
    # 10 rows would be counted for the 9 that are kept: they are counted themselves.
    kept = np.array([False, True, False])
    assert module._what_to_count(np.zeros(3, int), kept, np.array([5, 9, 5]), 1).tolist() == [
        False, True, False,
    ]  # fmt: skip
    assert module._what_to_count(np.zeros(3, int), kept, np.array([5, 9, 4]), 1).tolist() == [
        True, False, True,
    ]  # fmt: skip


def test_ranges_of_children_lie_one_behind_the_other() -> None:
    """Jobs of nodes 0, 0 and 1 that begin at 0, 10 and 16; the second child of 1 is not born."""
    jobs = np.array([[0, 0, 1, 0], [0, 1, 2, 10], [1, 2, 3, 16]])
    taken = np.array([[4, 6], [6, 0], [3, 2]])
    born = np.array([[1, 0], [2, -1]])
    assert module._children(jobs, taken, born).tolist() == [
        [0, 4, 10], [1, 0, 4], [1, 10, 16], [2, 16, 19],
    ]  # fmt: skip


def evidence_of_bits(rows: int, weight: NDArray[np.int64] | None = None) -> Any:
    bits = (np.arange(rows) % 2).astype(np.uint8)
    table = MemoryTable({"x0": bits, "class": np.zeros(rows, np.uint8)})
    return routed(table, [coding("x0", 2, ordered=True)], "class", ("a",), weight)


def test_room_that_is_large_enough_is_used_again() -> None:
    held = evidence_of_bits(8)
    rooms = [np.empty((rows, 1), np.uint64) for rows in (9, 5, 4)]
    held._spare = list(rooms)
    assert held._space(5) is rooms[1]  # what is too small is given up
    assert len(held._spare) == 1
    assert held._space(10).shape == (10, 1)
    assert not held._spare


def test_counts_are_narrow_where_no_record_has_a_weight() -> None:
    splits = Splits(np.array([0]), np.array([[0, 1]], np.int16), np.array([2]))
    for weight, kind in ((None, np.int32), (np.full(6, 2**40), np.int64)):
        held = evidence_of_bits(6, weight)
        root = held.root()
        below = held.split(root, splits, np.array([True, True]))
        assert root.tables.counts.dtype == below.tables.counts.dtype == kind
        times = 1 if weight is None else 2**40
        assert root.tables.counts.tolist() == [[[3 * times], [3 * times]]]
        assert below.tables.counts.tolist() == [[[3 * times], [0]], [[0], [3 * times]]]


def test_records_with_weights_may_be_counted_as_well() -> None:
    """Three records of value 0 and two of value 1, of weights 1 to 5, in halves."""
    columns = {"x0": np.array([0, 1, 0, 1, 0], np.uint8), "x1": np.array([0, 1, 1, 1, 0], np.uint8)}
    table = MemoryTable(columns | {"class": np.array([0, 0, 1, 1, 1], np.uint8)})
    codings = [coding(name, 2, ordered=True) for name in columns]
    held = routed(table, codings, "class", ("a", "b"), np.arange(1, 6), 0.5, by_rows=True)
    assert isinstance(held, module.RowsEvidence)
    assert (held.codings, held.classes) == (tuple(codings), ("a", "b"))
    root = held.root()
    assert root.tables.rows is not None
    assert root.tables.rows.tolist() == [[3, 2, 2, 3]]
    assert root.tables.counts.tolist() == [[[1, 8], [2, 4], [1, 5], [2, 7]]]
    assert root.at(0)[0].mean.tolist() == [[0.5, 4.0], [1.0, 2.0]]
    splits = Splits(np.array([0]), np.array([[0, 1]], np.int16), np.array([2]))
    below = held.split(root, splits, np.array([True, False]))
    assert below.tables.rows is not None
    assert below.tables.rows.tolist() == [[3, 0, 2, 1]]
    assert below.tables.counts.tolist() == [[[1, 8], [0, 0], [1, 5], [0, 3]]]
    plain = routed(table, codings, "class", ("a", "b"), np.arange(1, 6), 0.5)
    assert isinstance(plain, SortedEvidence)
    assert plain.root().tables.rows is None


@pytest.mark.parametrize("branches", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_more_records_than_a_block_are_routed(branches: int, weighted: bool) -> None:
    """Splits in two and in three have loops of their own; a block has 1,024 records."""
    rng = np.random.default_rng(7)
    codings = tuple(coding(f"x{i}", 6, ordered=False) for i in range(3))
    codes, labels = rng.integers(0, 6, (5_000, 3)), rng.integers(0, 2, 5_000)
    weight = rng.integers(1, 9, 5_000) if weighted else None
    table = Coded(codings, codes, labels, ("a", "b"), weight, rng)
    held: Any = routed(MemoryTable(table.columns), codings, "class", ("a", "b"), weight)
    frontier, boxes = held.root(), [Box()]
    for level in range(3):
        branch = np.tile(np.arange(6) % branches, (len(boxes), 1)).astype(np.int16)
        splits = Splits(np.full(len(boxes), level), branch, np.full(len(boxes), branches))
        boxes = children(boxes, splits, table)
        frontier = held.split(frontier, splits, np.ones(len(boxes), np.bool_))
        expected = np.stack([table.counts(box) for box in boxes])
        np.testing.assert_array_equal(frontier.tables.counts, expected)
