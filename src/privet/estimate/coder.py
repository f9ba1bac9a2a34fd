"""From columns to what kernels count: a row of codes a record, the class behind the attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import code_type
from privet.compiled import in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Coding
    from privet.table import Batch, MemoryTable

__all__ = ["Coder"]

BLOCK = 1 << 14  # rows coded attribute after attribute while they are in cache
WORD = 8  # bytes that records are padded to, so that they can be moved by words


@dataclass(frozen=True)
class Coder:
    """Lays the codes of a record's attributes side by side, then its class.

    Numbers are coded on the way.
    """

    codings: tuple[Coding, ...]
    target: str
    classes: int

    def __call__(self, batch: Batch) -> NDArray[Any]:
        """Return the records of a batch, a row each."""
        records = self._empty(len(batch))
        self._write(batch, records)
        return records

    def table(self, table: MemoryTable) -> NDArray[Any]:
        """Return the records of a whole table in memory, coded on all threads."""
        records = self._empty(table.rows)

        def work(batch: Batch) -> None:
            self._write(batch, records[batch.start : batch.start + len(batch)])

        for _ in in_threads(work, table.batches()):
            pass
        return records

    def _empty(self, rows: int) -> NDArray[Any]:
        kind = code_type(max(self.classes, *(coding.size for coding in self.codings)))
        unit = WORD // np.dtype(kind).itemsize
        width = -(-(len(self.codings) + 1) // unit) * unit
        return np.empty((rows, width), kind)

    def _write(self, batch: Batch, out: NDArray[Any]) -> None:
        held = [batch.columns[coding.name] for coding in self.codings]
        for start in range(0, len(out), BLOCK):
            rows = slice(start, start + BLOCK)
            for place, (coding, column) in enumerate(zip(self.codings, held, strict=True)):
                if column.dtype.kind == "u":
                    out[rows, place] = column[rows]
                else:
                    coding.encode(column[rows], out=out[rows, place])
        out[:, len(self.codings)] = batch.columns[self.target]
