"""Unrealizing inside a transaction: read the few rows that samples touch, change them, write them.

A batch that is large beside the universe is done in memory instead, by the same rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, select

from privet.disguise.unrealize import Unrealizer, count_sample
from privet.store.layout import perturbing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from privet.coding import Ints
    from privet.disguise.unrealize import Pick
    from privet.randomness import Randomness
    from privet.release.universe import Universe

__all__ = ["State", "insert", "read_taken"]

LARGE = 8  # a batch with a sample for this many cells, or fewer, is done in memory
TRIES = 64  # cells drawn together when a record is picked at random
CHUNK = 500  # values in one list of a query

# Written by the driver itself, whose mark for a value differs: a call changes a hundred rows.
_MOVE = (
    "INSERT INTO privet_unreal (cell, count) VALUES ({0}, {0}) "
    "ON CONFLICT (cell) DO UPDATE SET count = privet_unreal.count + excluded.count"
)
_TAKE = "UPDATE privet_perturbing SET taken = {0} WHERE cell = {0}"
_CELLS = select(perturbing.c.cell, perturbing.c.taken).where(
    perturbing.c.cell.in_(bindparam("cells", expanding=True))
)
_WINDOW = (
    select(perturbing.c.cell, perturbing.c.taken)
    .where(perturbing.c.place >= bindparam("first"))
    .order_by(perturbing.c.place)
    .limit(bindparam("most"))
)
_LEFT = select(perturbing.c.cell, perturbing.c.taken).where(
    perturbing.c.taken < bindparam("copies")
)


@dataclass(frozen=True)
class State:
    """How far a store has come: see ``unrealize_in_order``."""

    copies: int
    remaining: int
    oldest: int
    place: int


def insert(
    connection: Connection,
    universe: Universe,
    pick: Pick,
    state: State,
    cells: Ints,
    source: Randomness,
) -> State:
    """Unrealize samples, given by their cells, and return the state behind them."""
    if len(cells) * LARGE >= universe.size:
        taken, order = read_taken(connection, universe)
        copy, before = taken.copy(), astuple(state)
        worked = Unrealizer(universe, pick, source, order=order, taken=copy, state=before)
        worked.add(cells)
        done = _written(connection, worked, taken)
        return replace(done, oldest=1, place=0) if pick == "random" else done
    rows = _Rows(connection, cells.tolist())
    moved: Counter[int] = Counter()
    picked: _InOrder | _AtRandom
    if pick == "random":
        picked = _AtRandom(connection, rows, universe.size, source, len(cells))
    else:
        picked = _InOrder(connection, rows, state)
    copies, remaining = state.copies, state.remaining
    for cell in cells.tolist():
        copies, remaining, alone = count_sample(rows[cell], copies, remaining, universe.size)
        rows.take(cell)
        chosen = cell if alone and pick != "random" else picked.choose(copies)
        rows.take(chosen)
        moved[chosen] += 1
        remaining -= 1
    _write(connection, rows.changed(), moved.items())
    place = (picked.oldest, picked.place) if isinstance(picked, _InOrder) else (1, 0)
    return State(copies, remaining, *place)


class _Rows:
    """What was taken of cells, read when first asked for."""

    def __init__(self, connection: Connection, cells: Iterable[int]) -> None:
        self._connection = connection
        self._before: dict[int, int] = {}
        self._now: dict[int, int] = {}
        self.read(cells)

    def read(self, cells: Iterable[int]) -> None:
        """Read several cells in one go."""
        wanted = sorted({cell for cell in cells if cell not in self._now})
        for start in range(0, len(wanted), CHUNK):
            part = wanted[start : start + CHUNK]
            for cell, taken in self._connection.execute(_CELLS, {"cells": part}):
                self.keep(cell, taken)

    def keep(self, cell: int, taken: int) -> None:
        """Note what was read of a cell, unless it was read, and maybe changed, before."""
        if cell not in self._now:
            self._before[cell] = self._now[cell] = taken

    def __getitem__(self, cell: int) -> int:
        if cell not in self._now:
            self.read([cell])
        return self._now[cell]

    def __iter__(self) -> Iterator[int]:
        return iter(self._now)

    def take(self, cell: int) -> None:
        """Take a record of a cell."""
        self._now[cell] = self[cell] + 1

    def changed(self) -> Iterator[tuple[int, int]]:
        """Yield the cells that changed, and what is taken of them now."""
        for cell, taken in self._now.items():
            if taken != self._before[cell]:
                yield cell, taken


class _InOrder:
    """Finds the record of the oldest copy that comes first, as ``unrealize_in_order`` does."""

    def __init__(self, connection: Connection, rows: _Rows, state: State) -> None:
        self._connection = connection
        self._rows = rows
        self.oldest, self.place = state.oldest, state.place
        self._window: list[int] = []
        self._start = self.place

    def choose(self, copies: int) -> int:
        """Return the cell to move."""
        while True:
            at = self.place - self._start
            if not 0 <= at < len(self._window):
                self._read()
                continue
            cell = self._window[at]
            if self._rows[cell] < self.oldest:
                return cell
            self.place += 1
            if self.oldest > copies:
                raise LookupError("no record is left to move")

    def _read(self) -> None:
        most = 2 * CHUNK if self._window else CHUNK // 4
        asked = {"first": self.place, "most": most}
        rows = self._connection.execute(_WINDOW, asked).all()
        if not rows:  # behind the last place: on to the next copy
            self.oldest, self.place = self.oldest + 1, 0
        self._window, self._start = [cell for cell, _ in rows], self.place
        for cell, taken in rows:
            self._rows.keep(cell, taken)


class _AtRandom:
    """Draws a cell of which records are left, each equally likely."""

    def __init__(
        self, connection: Connection, rows: _Rows, size: int, source: Randomness, samples: int
    ) -> None:
        self._connection = connection
        self._rows = rows
        self._size = size
        self._drawn = self._draws(source, samples)

    def _draws(self, source: Randomness, samples: int) -> Iterator[int]:
        """Yield cells, all equally likely; those that will mostly do are read together."""
        start, count = 0, TRIES + 2 * samples
        while True:
            words = source.words(0, start, 2 * count).tolist()
            pairs = zip(words[::2], words[1::2], strict=True)
            cells = [((high << 32 | low) * self._size) >> 64 for low, high in pairs]
            self._rows.read(cells)
            yield from cells
            start, count = start + 2 * count, TRIES

    def choose(self, copies: int) -> int:
        """Return the cell to move."""
        for _, cell in zip(range(4 * TRIES), self._drawn, strict=False):
            if self._rows[cell] < copies:
                return cell
        # Few cells are left: list them.
        for cell, taken in self._connection.execute(_LEFT, {"copies": copies}):
            self._rows.keep(cell, taken)
        left = [cell for cell in self._rows if self._rows[cell] < copies]
        fair = self._size - self._size % len(left)
        return left[next(cell for cell in self._drawn if cell < fair) % len(left)]


def _written(connection: Connection, worked: Unrealizer, taken: Ints) -> State:
    """Write what was worked out in memory, where so much was ``taken`` before."""
    changed = np.flatnonzero(worked.taken != taken)
    moved = np.flatnonzero(worked.unreal)
    _write(
        connection,
        zip(changed.tolist(), worked.taken[changed].tolist(), strict=True),
        zip(moved.tolist(), worked.unreal[moved].tolist(), strict=True),
    )
    copies, remaining, oldest, place = worked.state.tolist()
    return State(copies, remaining, oldest, place)


def read_taken(connection: Connection, universe: Universe) -> tuple[Ints, Ints]:
    """Return what was taken of every cell, and the cells in order of their places."""
    rows = connection.execute(select(perturbing.c.cell, perturbing.c.taken, perturbing.c.place))
    table = np.array([(cell, taken, -1 if place is None else place) for cell, taken, place in rows])
    if len(table) != universe.size:
        raise LookupError("a store has not a row for every cell of its universe")
    taken = np.empty(universe.size, np.int64)
    taken[table[:, 0]] = table[:, 1]
    placed = table[table[:, 2] >= 0]
    return taken, np.ascontiguousarray(placed[np.argsort(placed[:, 2]), 0])


def _write(
    connection: Connection, changed: Iterable[tuple[int, int]], moved: Iterable[tuple[int, int]]
) -> None:
    # Rows are changed in the order of their cells: what is written tells no order of samples.
    mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
    rows = [(taken, cell) for cell, taken in sorted(changed)]
    if rows:
        connection.exec_driver_sql(_TAKE.format(mark), rows)
    more = sorted(moved)
    if more:
        connection.exec_driver_sql(_MOVE.format(mark), more)
