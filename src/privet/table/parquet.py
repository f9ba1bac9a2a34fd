"""Tables in Parquet files, read out of core: a row group at a time, batch by batch.

The one door to Parquet. What is read stays small in memory however long the table: a thread holds
one row group's pages and one batch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.table.base import Batch, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["ParquetTable", "open_parquet", "write_parquet"]

BATCH_ROWS = 1 << 17
GROUP_ROWS = 1 << 18  # a row group is what one thread reads, so tables of a million use them all
_TYPES = ("uint8", "uint16", "double")


def open_parquet(path: Path, metadata: Any = None) -> Any:
    """Open a Parquet file for reading in small pieces; say so if it is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Without pre-buffering and with a small buffer a column is never read as a whole.
        return pq.ParquetFile(path, metadata=metadata, pre_buffer=False, buffer_size=1 << 20)
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> DataError:
    """Return the error for a file that cannot be read."""
    number = getattr(error, "errno", None)  # Arrow's own text is long, and repeats the path
    cause = os.strerror(number) if number else "it is no Parquet file, or is cut short or altered"
    return DataError(f"The file {path} cannot be read: {cause}.")


@dataclass(frozen=True)
class _File:
    path: Path
    metadata: Any


@dataclass(frozen=True)
class _Piece:
    """Some rows of one row group: ``start`` is the place of the first one in the table."""

    file: _File
    group: int
    start: int
    skip: int
    rows: int


@dataclass(frozen=True)
class _Step:
    """Work a map asked for; ``offset`` is where this table begins in the one it was asked of."""

    work: Callable[[Batch], Batch]
    offset: int


class ParquetTable(Table):
    """Columns of codes (uint8, uint16) or numbers (float64) in one or more files, end to end.

    ``types`` has the stored type of each column by Arrow's name.
    """

    def __init__(self, paths: Iterable[str | Path], names: Sequence[str] | None = None) -> None:
        pieces: list[_Piece] = []
        types: dict[str, str] | None = None
        start = 0
        for path in map(Path, paths):
            with open_parquet(path) as reader:
                file = _File(path, reader.metadata)
                held = {field.name: str(field.type) for field in reader.schema_arrow}
            _check_types(path, held, types, names)
            types = types or held
            for group in range(file.metadata.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                pieces.append(_Piece(file, group, start, 0, rows))
                start += rows
        self.names = list(types or {}) if names is None else list(names)
        self.types = {name: (types or {})[name] for name in self.names}
        self.rows = start
        self.stored = list(self.names)
        self.pieces = pieces
        self.steps: tuple[_Step, ...] = ()

    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        """Return one piece a row group."""
        return [partial(self.read, piece) for piece in self.pieces]

    def map(self, work: Callable[[Batch], Batch]) -> ParquetTable:
        """Return the mapped table; the work is done whenever the table is read."""
        mapped = self._copy(self.pieces, (*self.steps, _Step(work, 0)))
        if self.pieces:
            # One row tells which columns the work gives.
            first = replace(self.pieces[0], rows=1)
            mapped.names = list(next(mapped.read(first)).columns)
        return mapped

    def slice(self, start: int, stop: int) -> ParquetTable:
        """Return some rows; row groups outside them are not read."""
        start, stop, _ = slice(start, stop).indices(self.rows)
        pieces = []
        for piece in self.pieces:
            first, last = max(piece.start, start), min(piece.start + piece.rows, stop)
            if first < last:
                skip = piece.skip + first - piece.start
                pieces.append(replace(piece, start=first - start, skip=skip, rows=last - first))
        steps = tuple(replace(step, offset=step.offset + start) for step in self.steps)
        return self._copy(pieces, steps)

    def _copy(self, pieces: list[_Piece], steps: tuple[_Step, ...]) -> ParquetTable:
        table = ParquetTable.__new__(ParquetTable)
        table.names, table.stored, table.types = list(self.names), self.stored, self.types
        table.rows = sum(piece.rows for piece in pieces)
        table.pieces, table.steps = pieces, steps
        return table

    def read(self, piece: _Piece) -> Iterator[Batch]:
        """Yield the batches of one piece."""
        import pyarrow as pa

        begin, end = piece.skip, piece.skip + piece.rows
        place = 0
        with open_parquet(piece.file.path, piece.file.metadata) as reader:
            batches = reader.iter_batches(
                min(BATCH_ROWS, end),
                row_groups=[piece.group],
                columns=self.stored,
                use_threads=False,
            )
            while place < end:
                try:
                    batch = next(batches)
                except (OSError, pa.ArrowException, StopIteration) as error:
                    raise unreadable(piece.file.path, error) from None
                first, last = max(begin - place, 0), min(end - place, len(batch))
                if first < last:
                    start = piece.start + place + first - begin
                    yield self._worked(start, batch.slice(first, last - first), piece.file.path)
                place += len(batch)

    def _worked(self, start: int, held: Any, path: Path) -> Batch:
        columns = {}
        for name in self.stored:
            column = held.column(name)
            if column.null_count:
                message = f"The file {path} has a missing value in column {name!r}."
                raise DataError(message)
            columns[name] = column.to_numpy(zero_copy_only=False)
        batch = Batch(start, columns)
        for step in self.steps:
            batch = Batch(start, step.work(replace(batch, start=start + step.offset)).columns)
        return batch


def _check_types(
    path: Path, held: dict[str, str], types: dict[str, str] | None, names: Sequence[str] | None
) -> None:
    asked = list(held) if names is None else names
    for name in asked:
        if name not in held:
            raise DataError(f"The file {path} has no column {name!r}; it has {', '.join(held)}.")
        if held[name] not in _TYPES:
            message = f"The file {path} has a column {name!r} of type {held[name]}; "
            raise DataError(message + "codes (uint8, uint16) or numbers (float64) are allowed.")
        if types is not None and held[name] != types.get(name):
            message = f"The file {path} has another type of column {name!r} than the files before."
            raise DataError(message)
    if types is not None and names is None and list(held) != list(types):
        raise DataError(f"The file {path} has other columns than the files before it.")


def write_parquet(
    path: str | Path,
    batches: Iterable[Mapping[str, NDArray[Any]]],
    types: Mapping[str, np.dtype[Any]],
) -> int:
    """Write batches of columns to one file, holding one row group in memory; return the rows.

    The bytes depend on the rows only, not on how they come in batches. An ``OSError`` (a full
    disk) is for the caller, who knows what the file is for.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, pa.from_numpy_dtype(kind)) for name, kind in types.items()])
    coded = [name for name, kind in types.items() if kind.kind == "u"]
    rows = 0
    with pq.ParquetWriter(
        path,
        schema,
        compression="snappy",
        use_dictionary=coded,
        write_statistics=False,
        store_schema=True,
    ) as writer:
        for group in _groups(batches, types):
            table = pa.table([group[name] for name in types], schema=schema)
            writer.write_table(table, row_group_size=GROUP_ROWS)
            rows += table.num_rows
    return rows


def _groups(
    batches: Iterable[Mapping[str, NDArray[Any]]], types: Mapping[str, np.dtype[Any]]
) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the same rows in groups of GROUP_ROWS, the last one smaller."""
    held = {name: np.empty(GROUP_ROWS, kind) for name, kind in types.items()}
    filled = 0
    for batch in batches:
        length = len(next(iter(batch.values())))
        taken = 0
        while taken < length:
            step = min(GROUP_ROWS - filled, length - taken)
            for name, column in held.items():
                column[filled : filled + step] = batch[name][taken : taken + step]
            filled, taken = filled + step, taken + step
            if filled == GROUP_ROWS:
                yield held
                filled = 0
    if filled:
        yield {name: column[:filled] for name, column in held.items()}
