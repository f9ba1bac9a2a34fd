"""Which record of T^P moves: all that are left are as likely, also where few are."""

from collections import Counter
from itertools import chain, repeat
from typing import Any

import pytest

from privet.store.insert import TRIES, _AtRandom

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
