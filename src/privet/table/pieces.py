"""Tables in pieces: each is read by itself, cut and mapped on the way, wherever that happens."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from privet.errors import BugError
from privet.frames import cut
from privet.table.base import Batch, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["Asked", "Piece", "PiecedTable"]


@dataclass(frozen=True)
class Piece:
    """Some rows of what ``origin`` holds, ``skip`` of them left out before the first.

    ``start`` is the place of the first in the table.
    """

    origin: Any
    start: int
    skip: int
    rows: int


@dataclass(frozen=True)
class Asked:
    """Work a map asked for; ``offset`` is where this table begins in the one it was asked of."""

    work: Callable[[Batch], Batch]
    offset: int


class PiecedTable(Table):
    """A table that knows its pieces and how long each is; what a piece holds comes when asked."""

    pieces: list[Piece]
    steps: tuple[Asked, ...]

    @abstractmethod
    def stored_columns(self, piece: Piece) -> Iterator[Mapping[str, Any]]:
        """Yield the columns of all that a piece's origin holds, in order, some rows at a time."""

    def batch(self, piece: Piece, start: int, row: int, columns: Mapping[str, Any]) -> Batch:
        """Return a batch; ``row`` is the place of its first row in the piece's origin."""
        del piece, row
        return Batch(start, columns)

    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        """Return one call per piece."""
        return [partial(self.read, piece) for piece in self.pieces]

    def read(self, piece: Piece) -> Iterator[Batch]:
        """Yield the batches of a piece."""
        return self.worked(piece, self.stored_columns(piece))

    def worked(self, piece: Piece, batches: Iterator[Mapping[str, Any]]) -> Iterator[Batch]:
        """Cut what a piece's origin holds to the piece, and do the work of all maps."""
        begin, end = piece.skip, piece.skip + piece.rows
        place = 0
        while place < end:
            columns = next(batches, None)
            if columns is None:
                message = "a piece of a table ended before its last row"
                raise BugError(message)
            length = len(next(iter(columns.values())))
            first, last = max(begin - place, 0), min(end - place, length)
            if first < last:
                if last - first < length:
                    columns = {name: cut(column, first, last) for name, column in columns.items()}
                start = piece.start + place + first - begin
                batch = self.batch(piece, start, place + first, columns)
                for step in self.steps:
                    made = step.work(replace(batch, start=start + step.offset))
                    batch = replace(made, start=start)
                yield batch
            place += length

    def map(self, work: Callable[[Batch], Batch]) -> Self:
        """Return the mapped table; the work is done whenever the table is read."""
        mapped = self._copy(self.pieces, (*self.steps, Asked(work, 0)))
        if self.pieces:
            # One row tells which columns the work gives.
            first = replace(self.pieces[0], skip=0, rows=1)
            mapped.names = list(next(mapped.read(first)).columns)
        return mapped

    def slice(self, start: int, stop: int) -> Self:
        """Return some rows; pieces outside them are not read."""
        start, stop, _ = slice(start, stop).indices(self.rows)
        pieces = []
        for piece in self.pieces:
            first, last = max(piece.start, start), min(piece.start + piece.rows, stop)
            if first < last:
                skip = piece.skip + first - piece.start
                pieces.append(replace(piece, start=first - start, skip=skip, rows=last - first))
        steps = tuple(replace(step, offset=step.offset + start) for step in self.steps)
        return self._copy(pieces, steps)

    def _copy(self, pieces: list[Piece], steps: tuple[Asked, ...]) -> Self:
        table = self.__class__.__new__(self.__class__)
        table.__dict__.update(self.__dict__, names=list(self.names), meter=self.meter)
        table.rows = sum(piece.rows for piece in pieces)
        table.pieces, table.steps = pieces, steps
        return table
