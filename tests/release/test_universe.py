"""Universes: which cells there are, which of them are dummies, and tables that complete them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet.errors import PlanError, ReleaseError
from privet.release.universe import LIMIT, Dummy, Universe, proposal
from privet.release.universe_words import as_told_before
from privet.table import MemoryTable

MOST = 2**63 - 1  # of a sum of counts


def sized(**sizes: int) -> Any:
    """Codings of so many codes."""
    return {name: SimpleNamespace(size=size) for name, size in sizes.items()}


@pytest.mark.parametrize(
    "dummy", [None, *(Dummy(name, ("x", "y")) for name in ("a", "b", "c", "more"))]
)
def test_cells_are_numbered_in_mixed_radix_and_dummies_are_known(dummy: Dummy | None) -> None:
    universe = Universe(("a", "b", "c"), (2, 3, 4), dummy)
    cells = np.arange(universe.size)
    stored = {
        None: (2, 3, 4), "a": (4, 3, 4), "b": (2, 5, 4), "c": (2, 3, 6), "more": (2, 3, 4, 3)
    }[dummy.attribute if dummy else None]  # fmt: skip
    assert universe.stored == stored
    assert (universe.size, universe.real_size) == (int(np.prod(stored)), 24)
    codes = universe.part(cells)
    assert list(codes) == list(universe.columns) == ["a", "b", "c", "more"][: len(stored)]
    assert list(zip(*(column.tolist() for column in codes.values()), strict=True)) == [
        *np.ndindex(stored)
    ]
    assert universe.join(codes).tolist() == cells.tolist()
    real = {"a": 2, "b": 3, "c": 4, "more": 1}
    expected = np.all([codes[name] < real[name] for name in codes], axis=0)
    assert universe.is_real(cells).tolist() == expected.tolist()
    assert universe.real_rows(codes).tolist() == expected.tolist()
    assert int(expected.sum()) == 24


def test_a_single_column_is_a_universe_too() -> None:
    universe = Universe.of(sized(a=2))
    assert (universe.size, universe.copies, Universe(("a",), (2,)).copies) == (2, 0, 0)
    assert universe.join({"a": np.array([1, 0, 1])}).tolist() == [1, 0, 1]
    assert universe.real_rows({"a": np.array([1, 0, 1])}).tolist() == [True] * 3
    assert universe.is_real(np.array([1])).tolist() == [True]


def test_an_added_attribute_that_is_left_out_is_no_dummy() -> None:
    universe = Universe(("a", "b"), (2, 2), Dummy("more", ("x",)))
    assert universe.join({"a": np.array([0, 1]), "b": np.array([1, 1])}).tolist() == [2, 6]
    assert universe.with_copies(3).copies == 3
    taken = Universe(("count", "count_"), (2, 2))
    assert taken.count_column == "count__"


def test_a_universe_has_two_records_at_least_and_four_million_at_most() -> None:
    assert Universe.of(sized(a=2048, b=2048)).size == LIMIT == 4_194_304
    with pytest.raises(PlanError, match="has 4,194,305 records; at most 4,194,304 can"):
        Universe.of(sized(a=5, b=838_861))
    with pytest.raises(PlanError, match="single record"):
        Universe.of(sized(a=1, b=1))
    with pytest.raises(PlanError, match="'a' holds exact numbers"):
        Universe.of({"a": None})


@pytest.mark.parametrize(
    ("sizes", "limit", "steps"),
    [
        ([2, 2], 1, []),  # two values cannot be merged
        ([3, 2], 5, [("a", 3, 2)]),
        ([3, 2], 6, []),
        ([5, 4], 12, [("a", 5, 3)]),
        ([5, 4], 11, [("a", 5, 3), ("b", 4, 2)]),
        ([100, 3], 10, [("a", 100, 2)]),
    ],
)
def test_the_largest_is_halved_until_all_fit(
    sizes: list[int], limit: int, steps: list[tuple[str, int, int]]
) -> None:
    assert proposal(["a", "b"], sizes, limit) == steps


@pytest.mark.parametrize(("size", "most"), [(2, 2**53), (511, 2**53), (1024, 2**52 - 1)])
def test_copies_on_a_card_are_as_many_as_can_be_counted(size: int, most: int) -> None:
    """Twice the universe's records stay below 2**63, and a count is a number of floating point."""
    assert Universe.from_dict({"copies": most}, sized(a=size)).copies == most
    for wrong in (most + 1, 0, -1, True, 1.0, "1"):
        with pytest.raises(ValueError, match=r"^$"):
            Universe.from_dict({"copies": wrong}, sized(a=size))


def test_dummies_on_a_card_come_back() -> None:
    made = Universe(("a",), (2,), Dummy("b", ("x", "y")), 3)
    assert Universe.from_dict(made.to_dict(), sized(a=2)) == made
    assert made.to_dict() == {"copies": 3, "dummy": {"b": ["x", "y"]}}
    for wrong in ({"b": ["x", 1]}, {1: ["x"]}):
        with pytest.raises(TypeError):
            Universe.from_dict({"copies": 3, "dummy": wrong}, sized(a=2))
    for form in ({"copies": 3, "more": 1}, {"dummy": {"b": ["x"]}, "copies": 3}):
        with pytest.raises(ValueError, match=r"^$"):
            Universe.from_dict(form, sized(a=2))


# Tables: of 2 × 2 records twice, cells 0 and 1 were collected; cells 2 and 3 are in T′ then.

FOUR = Universe(("a", "b"), (2, 2), copies=2)


def release(*tables: list[float], signs: tuple[int, ...] = (-1, -1), rows: int = 0) -> Any:
    """A release whose parts have so many records of each cell."""
    parts = []
    for counts, sign in zip(tables, signs, strict=True):
        table: Any = MemoryTable({
            "a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1]), "count": np.array(counts)
        }).take(np.flatnonzero(counts))  # fmt: skip
        if rows:
            table = SimpleNamespace(rows=rows, batches=table.batches)
        parts.append(SimpleNamespace(table=table, sign=sign))
    return SimpleNamespace(parts=tuple(parts))


def test_two_tables_complete_what_was_collected() -> None:
    made = release([0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0])
    FOUR.verify(made)
    assert FOUR.collected(made.parts).tolist() == [1, 1, 0, 0]
    alone = release([0.0, 0.0, 0.0, 2.0], [2.0, 2.0, 0.0, 0.0])
    FOUR.verify(alone)
    assert FOUR.collected(alone.parts).tolist() == [0, 0, 2, 0]


@pytest.mark.parametrize(
    ("unreal", "perturbing", "said"),
    [
        ([0, 0, 1, 1], [1, 1, 1, 0], "do not complete"),
        ([0, 0, 2, 1], [1, 1, 0, 1], "do not complete"),
        ([0, 0, 0, 1], [0, 2, 2, 2], "do not complete"),  # 2·1 + 6 are 8, but a cell is thrice
        ([0, 0, 1, 1], [1, 1, 1.5, 1], "no whole number from 1 to the 2 copies"),
        ([0, 0, 1, 3], [1, 1, 1, 1], "no whole number from 1 to the 2 copies"),
        ([0, 0, 1, 1], [1, 1, -1, 1], "no whole number from 1 to the 2 copies"),
        ([0, 0, 1, 0.5], [1, 1, 1, 1], "no whole number from 1 to the 2 copies"),
    ],
)
def test_tables_that_complete_nothing(unreal: Any, perturbing: Any, said: str) -> None:
    made = release([float(n) for n in unreal], [float(n) for n in perturbing])
    with pytest.raises(ReleaseError, match=said):
        FOUR.verify(made)


@pytest.mark.parametrize("signs", [(-1, 1), (1, -1), (1, 1)])
def test_both_parts_are_taken_away(signs: tuple[int, int]) -> None:
    one = [1.0, 1.0, 1.0, 1.0]
    with pytest.raises(ReleaseError, match="has two negative parts"):
        FOUR.verify(release([0.0, 0.0, 1.0, 1.0], one, signs=signs))
    with pytest.raises(ReleaseError, match="has two negative parts"):
        FOUR.verify(release(one, signs=(-1,)))


@pytest.mark.parametrize(
    ("copies", "rows", "counted"),
    [(MOST // 14, 7, True), (MOST // 14 + 1, 7, False), (2**62, 1, False), (2**62 - 1, 1, True)],
)
def test_more_records_than_can_be_counted_are_refused(
    copies: int, rows: int, counted: bool
) -> None:
    made = release([0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], rows=rows)
    said = "do not complete" if counted else "more records than can be counted"
    with pytest.raises(ReleaseError, match=said):
        FOUR.with_copies(copies).verify(made)


def test_just_as_many_as_can_be_counted_are_counted() -> None:
    """7 · 7 · 73 · 127 · 337 · 92737 · 649657 is 2**63 − 1."""
    made = release([0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0])
    made.parts[0].table = SimpleNamespace(rows=3, batches=made.parts[0].table.batches)
    with pytest.raises(ReleaseError, match="do not complete"):  # 3 and 4 are 7
        FOUR.with_copies(MOST // 7).verify(made)


def test_words_of_earlier_versions_knew_no_attack_with_one_table() -> None:
    for universe in (FOUR, Universe(("a",), (2,), Dummy("b", ("x",)), 2)):
        now = universe.notes()
        before = as_told_before(universe, now)
        assert len(before) == len(now) - 1
        assert before[0].endswith("protects only from someone who gets a part of them.")
        assert before[1].startswith("One row of each table for the same record, with the number")
        assert before[2:] == now[3:]
        assert not any("T^P alone" in note for note in before)
    assert "copies (2), tells" in FOUR.notes()[2]
    assert "copies, tells" in FOUR.with_copies(0).notes()[2]
