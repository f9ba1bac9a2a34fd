"""From columns to what kernels count: a record is a word or a few, with a field of bits a code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import in_threads
from privet.estimate.routing_kernels import pack

if TYPE_CHECKING:
    from privet.coding import Coding
    from privet.estimate.routing_kernels import Words
    from privet.table import Batch, MemoryTable

__all__ = ["Coder"]

WORD_BITS = 64


@dataclass(frozen=True)
class Coder:
    """Packs the codes of a record's attributes, and of its class, into as few words as hold them.

    Numbers are coded on the way.
    """

    codings: tuple[Coding, ...]
    target: str
    classes: int

    @cached_property
    def fields(self) -> Words:
        """The word, the shift and the mask of each attribute's code, and of the class, the last.

        A field goes to the first word with room for it.
        """
        free: list[int] = []
        fields = []
        for size in (*(coding.size for coding in self.codings), self.classes):
            bits = max(1, (size - 1).bit_length())
            word = next((word for word, room in enumerate(free) if room >= bits), len(free))
            if word == len(free):
                free.append(WORD_BITS)
            fields.append((word, WORD_BITS - free[word], (1 << bits) - 1))
            free[word] -= bits
        return np.array(fields, np.uint64)

    def __call__(self, batch: Batch) -> Words:
        """Return the records of a batch, a row each."""
        records = self._empty(len(batch))
        self._write(batch, records)
        return records

    def table(self, table: MemoryTable) -> Words:
        """Return the records of a whole table in memory, coded on all threads."""
        records = self._empty(table.rows)

        def work(batch: Batch) -> None:
            self._write(batch, records[batch.start : batch.start + len(batch)])

        for _ in in_threads(work, table.batches()):
            pass
        return records

    def _empty(self, rows: int) -> Words:
        return np.zeros((rows, int(self.fields[:, 0].max()) + 1), np.uint64)

    def _write(self, batch: Batch, out: Words) -> None:
        codes = np.empty(len(out), np.uint16)
        for coding, (word, shift, _) in zip(self.codings, self.fields.tolist(), strict=False):
            column = batch.columns[coding.name]
            if column.dtype.kind == "u":
                codes[:] = column
            else:
                coding.encode(column, out=codes)
            pack(codes, shift, out[:, word])
        word, shift, _ = self.fields[-1].tolist()
        codes[:] = batch.columns[self.target]
        pack(codes, shift, out[:, word])
