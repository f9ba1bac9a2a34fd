"""Collapsing records: each distinct record once, with how often it occurs.

A million records over fourteen binary attributes have at most 2¹⁴ distinct ones per class.
Counted once, they are mined in a time that no longer depends on the number of records; the
sums are the same to the last bit, because what is added is whole.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Ints
    from privet.table import Batch, Table

__all__ = ["TIMES", "collapse", "may_collapse"]

TIMES = "times"  # the place of how often a record occurs
MAX_CELLS = 1 << 22  # distinct records that could be
ALWAYS = 1 << 12  # so few that it is worth it for any number of records


def may_collapse(rows: int, sizes: Iterable[int]) -> bool:
    """Whether so many records of columns with so many codes are worth collapsing."""
    cells = math.prod(sizes)
    return cells <= ALWAYS or cells <= min(rows, MAX_CELLS)


def collapse(
    table: Table, sizes: Mapping[str, int], codes: Callable[[Batch], Sequence[NDArray[Any]]]
) -> MemoryTable | None:
    """Return the distinct records of a table in memory, or None if there could be too many.

    ``codes`` gives the coded columns of a batch in the order of ``sizes``, whose numbers they stay
    below. The column ``TIMES`` of the result says how often each distinct record occurs.

    >>> table = MemoryTable({"a": np.array([0, 1, 0]), "b": np.array([1, 1, 1])})
    >>> collapsed = collapse(table, {"a": 2, "b": 2}, lambda batch: list(batch.columns.values()))
    >>> {name: column.tolist() for name, column in collapsed.columns.items()}
    {'a': [0, 1], 'b': [1, 1], 'times': [2, 1]}
    """
    cells = math.prod(sizes.values())
    if not may_collapse(table.rows, sizes.values()):
        return None

    def count(batch: Batch) -> tuple[Ints, ...]:
        joint = np.zeros(len(batch), np.int32)
        for size, column in zip(sizes.values(), codes(batch), strict=True):
            joint *= np.int32(size)
            joint += column.astype(np.int32)
        return (np.bincount(joint, minlength=cells).astype(np.int64, copy=False),)

    (times,) = table.count(count, "collapsing")
    joint = np.flatnonzero(times)
    columns: dict[str, NDArray[Any]] = {TIMES: times[joint]}
    for name, size in reversed(list(sizes.items())):
        joint, column = np.divmod(joint, size)
        columns[name] = column.astype(np.uint8 if size <= 256 else np.uint16)
    return MemoryTable(dict(reversed(columns.items())))
