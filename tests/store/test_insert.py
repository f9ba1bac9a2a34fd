"""Which record of T^P moves: all that are left are as likely, also where few are."""

from collections import Counter
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.disguise import Complement
from privet.disguise.unrealize import Unrealizer
from privet.randomness import Randomness
from privet.schema import Attribute, Schema
from privet.store import Store
from privet.store.insert import TRIES, _AtRandom, read_taken

SIZE, LEFT = 10, [2, 5, 7]


class Rows(dict[int, int]):
    """Rows of the table, as far as they were read."""

    def keep(self, cell: int, taken: int) -> None:
        self[cell] = taken

    def read(self, cells: Any) -> None:
        for cell in cells:
            self.setdefault(cell, 0 if cell in LEFT else 1)


class Database:
    """A connection that knows which cells are left."""

    def execute(self, *_: Any) -> list[tuple[int, int]]:
        return [(cell, 0) for cell in LEFT]


def chosen(*drawn: int) -> int:
    """The cell that moves if all cells drawn first are used up, and then come others."""
    made = _AtRandom.__new__(_AtRandom)
    made._connection, made._rows, made._size = Database(), Rows({0: 1}), SIZE  # type: ignore[assignment]
    made._drawn = chain(repeat(0, 4 * TRIES), drawn)
    return made.choose(1)


def test_draws_that_would_favour_a_cell_are_drawn_again() -> None:
    # Of ten cells nine are shared out among three; the tenth would favour the first of them.
    assert Counter(chosen(cell) for cell in range(9)) == dict.fromkeys(LEFT, 3)
    assert [chosen(9, cell) for cell in range(3)] == LEFT
    with pytest.raises(StopIteration):
        chosen(9)


def test_a_cell_that_is_left_moves_at_once() -> None:
    made = _AtRandom.__new__(_AtRandom)
    made._rows, made._drawn = Rows({0: 1, 5: 0}), iter([0, 0, 5, 7])  # type: ignore[assignment]
    assert made.choose(1) == 5


class Words:
    """Random words that are known, and what was asked of them."""

    def __init__(self) -> None:
        self.every = np.random.default_rng(5).integers(0, 2**32, 4000, np.uint32)
        self.asked: list[int] = []

    def words(self, stream: int, start: int, count: int) -> NDArray[np.uint32]:
        self.asked.append(stream)
        return self.every[start : start + count]


@pytest.mark.parametrize("samples", [1, 7])
def test_each_pair_of_words_is_a_cell_once(samples: int) -> None:
    """Two words are a number of 64 bits, the first its lower half; it is scaled to the cells."""
    source, size = Words(), 1_000_003
    made = _AtRandom(None, Rows(), size, source, samples)  # type: ignore[arg-type]
    low, high = source.every[::2].tolist(), source.every[1::2].tolist()
    expected = [(h * 2**32 + lo) * size // 2**64 for lo, h in zip(low, high, strict=True)]
    assert list(islice(made._drawn, 300)) == expected[:300]
    assert set(source.asked) == {0}


WIDE = Schema(
    [
        Attribute.categorical("a", list(range(50))),
        Attribute.categorical("b", list(range(30))),
        Attribute.categorical("y", ["no", "yes"]),
    ],
    target="y",
)


def drawn(rows: int, call: int) -> dict[str, Any]:
    rng = np.random.default_rng([rows, call])
    return {
        "a": rng.integers(0, 50, rows),
        "b": rng.integers(0, 30, rows),
        "y": np.array(["no", "yes"])[rng.integers(0, 2, rows)],
    }


def test_many_places_are_passed_in_one_call_as_they_are_in_memory(tmp_path: Path) -> None:
    """More than are read at first, more than are read next, and round to the next copy."""
    method = Complement()
    with Store.create(tmp_path / "s.db", WIDE, method) as store, Randomness.seeded(1) as source:
        worked = Unrealizer(method.universe(WIDE), "first", source)
        for call, rows in enumerate([150, 370, 1200, 370, 1]):
            frame = drawn(rows, call)
            store.add(frame)
            for cells in method.cells(frame, WIDE):
                worked.add(cells)
            row, moved, taken = store._tables()
            assert np.array_equal(moved, worked.unreal)
            assert np.array_equal(taken, worked.taken)
            state = [row[name] for name in ("copies", "remaining", "oldest", "place")]
            assert state == worked.state.tolist()
        assert store.verify() == 2091


@pytest.mark.parametrize("rows", [3, 60])
def test_what_moves_at_random_leaves_no_place(tmp_path: Path, rows: int) -> None:
    """Be it done row by row or in memory: only a store with an order comes on in it."""
    schema = Schema(
        [Attribute.categorical("a", list(range(40))), Attribute.categorical("y", ["n", "y"])],
        target="y",
    )
    with Store.create(tmp_path / "s.db", schema, Complement("random")) as store:
        frame = {"a": np.arange(rows) % 40, "y": np.array(["n", "y"] * rows)[:rows]}
        for _ in range(2):
            store.add(frame)
        row, _, taken = store._tables()
        assert (row["oldest"], row["place"]) == (1, 0)
        assert row["remaining"] == row["copies"] * 80 - 4 * rows
        assert int(taken.sum()) == 4 * rows


def test_only_dummies_have_a_place_where_only_they_move(tmp_path: Path) -> None:
    schema = Schema(
        [Attribute.categorical("a", list(range(4))), Attribute.categorical("y", ["n", "y"])],
        target="y",
    )
    with Store.create(tmp_path / "s.db", schema, Complement("dummy")) as store:
        store.add({"a": [1, 2, 2], "y": ["n", "y", "y"]})
        with store.database.reading() as connection:
            taken, order = read_taken(connection, store.universe)
        real = store.universe.is_real(np.arange(store.universe.size))
        assert sorted(order.tolist()) == np.flatnonzero(~real).tolist()
        assert taken.tolist() == store._tables()[2].tolist()
        with store.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM privet_perturbing WHERE cell = 3")
        with (
            store.database.reading() as connection,
            pytest.raises(LookupError, match="not a row for every cell"),
        ):
            read_taken(connection, store.universe)
