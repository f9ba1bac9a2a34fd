"""From a batch of columns to what kernels count: a matrix of codes and a column of classes."""

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


@dataclass(frozen=True)
class Coder:
    """Lays the coded attributes of a batch side by side; numbers are coded on the way."""

    codings: tuple[Coding, ...]
    target: str

    def __call__(self, batch: Batch) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the matrix (rows × attributes, C order) and the class codes."""
        matrix = self._empty(len(batch))
        self._write(batch, matrix)
        return matrix, np.ascontiguousarray(batch.columns[self.target])

    def matrix(self, table: MemoryTable) -> tuple[NDArray[Any], NDArray[Any]]:
        """Code a whole table in memory on all threads."""
        matrix = self._empty(table.rows)

        def work(batch: Batch) -> None:
            self._write(batch, matrix[batch.start : batch.start + len(batch)])

        for _ in in_threads(work, table.batches()):
            pass
        return matrix, np.ascontiguousarray(table.columns[self.target])

    def _empty(self, rows: int) -> NDArray[Any]:
        kind = code_type(max(coding.size for coding in self.codings))
        return np.empty((rows, len(self.codings)), kind)

    def _write(self, batch: Batch, out: NDArray[Any]) -> None:
        for place, coding in enumerate(self.codings):
            column = batch.columns[coding.name]
            if column.dtype.kind == "u":
                out[:, place] = column
            else:
                coding.encode(column, out=out[:, place])
