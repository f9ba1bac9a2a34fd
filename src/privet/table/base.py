"""What a table is: columns of codes or numbers that can be counted, mapped and collected.

That is the whole engine. Counts are integers, so adding them up in any order, over any batches and
on any number of threads gives the same result to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.compiled import in_threads
from privet.errors import DataError
from privet.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Ints
    from privet.table.memory import MemoryTable

__all__ = ["Batch", "IntArrays", "Meter", "Table", "added", "thinned"]

IntArrays: TypeAlias = "tuple[Ints, ...]"


@dataclass(frozen=True)
class Batch:
    """Some neighbouring rows: ``start`` is the place of the first in the whole table."""

    start: int
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0


class Meter:
    """How often the rows of a table, or of a part of it, were read from end to end."""

    def __init__(self) -> None:
        self.passes = 0


class Table(ABC):
    """Columns by name, and where they live. A table never changes.

    Its pieces (``shards``) can be read independently and in any order.
    """

    names: list[str]
    rows: int

    @cached_property
    def meter(self) -> Meter:
        """The count of passes, which slices and maps of a table outside memory share."""
        return Meter()

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
        """Yield all batches in order.

        >>> from privet.table import MemoryTable
        >>> table = MemoryTable({"wind": np.array([0, 1, 1])})
        >>> sum(len(batch) for batch in table.batches())
        3
        """
        self.meter.passes += 1
        for shard in self.shards():
            yield from shard()

    def count(self, work: Callable[[Batch], IntArrays], label: str = "counting") -> IntArrays:
        """Return the sum of ``work(batch)`` over all batches, in one pass on all threads.

        >>> from privet.table import MemoryTable
        >>> table = MemoryTable({"wind": np.array([0, 1, 1])})
        >>> table.count(lambda batch: (np.bincount(batch.columns["wind"]),))
        (array([1, 2]),)
        """
        self.meter.passes += 1

        def counted(shard: Callable[[], Iterator[Batch]]) -> tuple[IntArrays | None, int]:
            rows = 0

            def counted(batch: Batch) -> IntArrays:
                nonlocal rows
                rows += len(batch)
                return work(batch)

            return added(map(counted, shard())), rows

        parts = track(in_threads(counted, self.shards()), label, self.rows, lambda done: done[1])
        total = added(part for part, _ in parts if part is not None)
        if total is None:
            message = "The table has no rows."
            raise DataError(message)
        return total

    def thinned(self, names: Sequence[str], step: int) -> dict[str, NDArray[Any]]:
        """Return some columns of every ``step``-th row, in one pass.

        >>> from privet.table import MemoryTable
        >>> table = MemoryTable({"wind": np.array([0, 1, 1])})
        >>> table.thinned(["wind"], 2)["wind"].tolist()
        [0, 1]
        """
        parts = [thinned(batch, names, step) for batch in self.batches()]
        return {name: np.concatenate([part[name] for part in parts]) for name in names}

    def collect(self, limit: int) -> MemoryTable:
        """Return the table in memory; refuse if it has more than ``limit`` rows.

        >>> from privet.table import MemoryTable
        >>> table = MemoryTable({"wind": np.array([0, 1, 1])})
        >>> table.collect(limit=10).rows
        3
        """
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


def thinned(batch: Batch, names: Sequence[str], step: int) -> dict[str, NDArray[Any]]:
    """Return some columns of the rows of a batch whose places are multiples of ``step``."""
    return {name: batch.columns[name][-batch.start % step :: step].copy() for name in names}


def added(parts: Iterable[IntArrays]) -> IntArrays | None:
    """Return the sum of arrays, place by place; None if there are none."""
    total: list[Ints] | None = None
    for part in parts:
        if total is None:
            total = [array.copy() for array in part]
        else:
            for place, array in enumerate(part):
                total[place] += array
    return None if total is None else tuple(total)
