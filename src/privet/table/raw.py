"""An owner's raw files as a table: pieces that can be read anywhere, for work on many machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.table.parquet import BATCH_ROWS, check_stamp, open_parquet, read_group, stamp_of
from privet.table.pieces import Piece, PiecedTable
from privet.table.source import RawBatch, is_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from privet.files.reading import Stamp
    from privet.table.source import Source

__all__ = ["RawTable"]


@dataclass(frozen=True)
class _Raw:
    """A row group of a Parquet file, or a whole CSV file."""

    path: Path
    stamp: Stamp
    group: int
    row: int  # of the file: the first one of the group
    names: tuple[str, ...]
    text: tuple[str, ...]


class RawTable(PiecedTable):
    """The raw columns of a source; its batches know their file and their rows there.

    ``lengths`` are the numbers of rows of the CSV files, in order: their footers do not tell.
    """

    def __init__(self, source: Source, lengths: Sequence[int]) -> None:
        self.source = source
        self.names = source.names
        self.pieces = []
        self.steps = ()
        self.rows = 0
        counted = iter(lengths)
        for path in source.paths:
            stamp = stamp_of(path)
            if not is_parquet(path):
                self._add(_Raw(path, stamp, 0, 0, (), ()), next(counted))
                continue
            with open_parquet(path, stamp=stamp) as reader:
                metadata = reader.metadata
                arrow = reader.schema_arrow
            names = tuple(source.stored(path, arrow.names))
            text = tuple(name for name in names if str(arrow.field(name).type) == "string")
            row = 0
            for group in range(metadata.num_row_groups):
                rows = metadata.row_group(group).num_rows
                self._add(_Raw(path, stamp, group, row, names, text), rows)
                row += rows

    def _add(self, raw: _Raw, rows: int) -> None:
        if rows:
            self.pieces.append(Piece(raw, self.rows, 0, rows))
        self.rows += rows

    def stored_columns(self, piece: Piece) -> Iterator[Mapping[str, Any]]:
        """Yield the raw columns of a piece."""
        raw: _Raw = piece.origin
        if is_parquet(raw.path):
            stored = raw.names, BATCH_ROWS, raw.text
            for batch in read_group(raw.path, raw.stamp, raw.group, *stored):
                yield self.source.columns(raw.path, batch)
            return
        check_stamp(raw.path, raw.stamp)
        yield from self.source.read(raw.path)
        raise DataError(f"The file {raw.path} is shorter than it was.")

    def batch(self, piece: Piece, start: int, row: int, columns: Mapping[str, Any]) -> RawBatch:
        """Return a batch that knows its file."""
        return RawBatch(start, columns, piece.origin.path, piece.origin.row + row)
