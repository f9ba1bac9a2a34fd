"""What a table is: columns of codes or numbers that can be counted, mapped and collected.

That is the whole engine. Counts are integers, so adding them up in any order, over any batches and
on any number of threads gives the same result to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.compiled import in_threads
from privet.errors import DataError
from privet.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.table.memory import MemoryTable

__all__ = ["Batch", "IntArrays", "Table"]

IntArrays: TypeAlias = "tuple[NDArray[np.int64], ...]"


@dataclass(frozen=True)
class Batch:
    """Some neighbouring rows: ``start`` is the place of the first one in the whole table."""

    start: int
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0


class Table(ABC):
    """Columns by name, and where they live. A table never changes.

    Its pieces (``shards``) can be read independently and in any order.
    """

    names: list[str]
    rows: int

    @abstractmethod
    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        """Return the table's pieces, each a call that reads it batch by batch."""

    @abstractmethod
    def map(self, work: Callable[[Batch], Batch]) -> Table:
        """Return the table of ``work(batch)``, which keeps the number and order of rows."""

    @abstractmethod
    def slice(self, start: int, stop: int) -> Table:
        """Return the rows from ``start`` up to ``stop``."""

    def batches(self) -> Iterator[Batch]:
        """Yield all batches in order."""
        for shard in self.shards():
            yield from shard()

    def count(self, work: Callable[[Batch], IntArrays], label: str = "counting") -> IntArrays:
        """Return the sum of ``work(batch)`` over all batches, in one pass on all threads."""
        shards = self.shards()

        def one(shard: Callable[[], Iterator[Batch]]) -> IntArrays | None:
            return _added(map(work, shard()))

        parts = in_threads(one, shards)
        total = _added(part for part in track(parts, label, len(shards)) if part is not None)
        if total is None:
            message = "The table has no rows."
            raise DataError(message)
        return total

    def collect(self, limit: int) -> MemoryTable:
        """Return the table in memory; refuse if it has more than ``limit`` rows."""
        from privet.table.memory import MemoryTable

        if self.rows > limit:
            message = f"This step works in memory and takes at most {limit:,} rows; "
            message += f"the table has {self.rows:,}."
            raise DataError(message, hint="mine a slice of the release, or raise the limit.")
        batches = list(self.batches())
        return MemoryTable(
            {
                name: np.concatenate([batch.columns[name] for batch in batches])
                for name in self.names
            }
        )


def _added(parts: Iterator[IntArrays]) -> IntArrays | None:
    total: list[NDArray[np.int64]] | None = None
    for part in parts:
        if total is None:
            total = [array.copy() for array in part]
        else:
            for place, array in enumerate(part):
                total[place] += array
    return None if total is None else tuple(total)
