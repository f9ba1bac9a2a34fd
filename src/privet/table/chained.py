"""Tables end to end: several tables of the same columns as one, each where it lives."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from privet.table.base import Table, added
from privet.table.memory import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from privet.table.base import Batch, IntArrays

__all__ = ["ChainedTable", "chained"]


def chained(tables: Sequence[Table]) -> Table:
    """Return tables end to end; those in memory become one there."""
    if len(tables) == 1:
        return tables[0]
    in_memory = [table for table in tables if isinstance(table, MemoryTable)]
    if len(in_memory) == len(tables):
        return MemoryTable(
            {
                name: np.concatenate([table.columns[name] for table in in_memory])
                for name in in_memory[0].names
            }
        )
    return ChainedTable(tables)


class ChainedTable(Table):
    """Tables end to end. What is counted is counted in each, wherever that is."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = [table for table in tables if table.rows] or list(tables[:1])
        self.names = list(self.tables[0].names)
        self.rows = sum(table.rows for table in self.tables)

    def _starts(self) -> list[int]:
        return [0, *np.cumsum([table.rows for table in self.tables])[:-1].tolist()]

    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        """Return the pieces of all tables, in order."""
        return [
            partial(_moved, shard, start)
            for start, table in zip(self._starts(), self.tables, strict=True)
            for shard in table.shards()
        ]

    def count(self, work: Callable[[Batch], IntArrays], label: str = "counting") -> IntArrays:
        """Return the sum of ``work(batch)`` over all batches of all tables."""
        self.meter.passes += 1
        parts = [
            table.count(partial(_at, work, start), label)
            for start, table in zip(self._starts(), self.tables, strict=True)
        ]
        return added(parts) or ()

    def map(self, work: Callable[[Batch], Batch]) -> ChainedTable:
        """Return the mapped tables end to end."""
        return ChainedTable(
            [
                table.map(partial(_mapped, work, start))
                for start, table in zip(self._starts(), self.tables, strict=True)
            ]
        )

    def slice(self, start: int, stop: int) -> Table:
        """Return the rows from ``start`` up to ``stop``."""
        start, stop, _ = slice(start, stop).indices(self.rows)
        kept = []
        for begin, table in zip(self._starts(), self.tables, strict=True):
            first, last = max(start - begin, 0), min(stop - begin, table.rows)
            if first < last:
                kept.append(table.slice(first, last))
        return chained(kept) if kept else self.tables[0].slice(0, 0)


def _moved(shard: Callable[[], Iterator[Batch]], start: int) -> Iterator[Batch]:
    for batch in shard():
        yield replace(batch, start=batch.start + start)


def _at(work: Callable[[Batch], IntArrays], start: int, batch: Batch) -> IntArrays:
    return work(replace(batch, start=batch.start + start))


def _mapped(work: Callable[[Batch], Batch], start: int, batch: Batch) -> Batch:
    made = work(replace(batch, start=batch.start + start))
    return replace(made, start=batch.start)
