"""Tables in memory: a dictionary of arrays, cut into slices for the threads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.compiled import in_threads
from privet.errors import BugError
from privet.table.base import Batch, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Ints

__all__ = ["MemoryTable"]

BATCH_ROWS = 1 << 16


class MemoryTable(Table):
    """Columns as arrays of equal length: codes (uint8, uint16) or numbers (float64)."""

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self.columns = dict(columns)
        self.names = list(columns)
        lengths = {len(column) for column in columns.values()}
        if len(lengths) != 1:
            message = "a table's columns differ in length, or there are none"
            raise BugError(message)
        self.rows = lengths.pop()

    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        """Return slices of equal size, none copied."""
        return [partial(self._read, start) for start in range(0, self.rows, BATCH_ROWS)]

    def _read(self, start: int) -> Iterator[Batch]:
        rows = slice(start, start + BATCH_ROWS)
        yield Batch(start, {name: column[rows] for name, column in self.columns.items()})

    def map(self, work: Callable[[Batch], Batch]) -> MemoryTable:
        """Return the mapped table, made at once on all threads."""
        done = list(in_threads(work, self.batches()))
        if not done:
            return self
        return MemoryTable(
            {
                name: np.concatenate([batch.columns[name] for batch in done])
                for name in done[0].columns
            }
        )

    def slice(self, start: int, stop: int) -> MemoryTable:
        """Return a view of some rows."""
        return MemoryTable({name: column[start:stop] for name, column in self.columns.items()})

    def take(self, order: Ints) -> MemoryTable:
        """Return the rows in another order."""
        return MemoryTable({name: column[order] for name, column in self.columns.items()})

    def collect(self, limit: int) -> MemoryTable:
        """Return the table itself: it is in memory already, whatever its size."""
        del limit
        return self
