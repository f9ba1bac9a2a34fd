"""Tables in Parquet files, read out of core: a row group at a time, batch by batch.

The one door to Parquet. What is read stays small in memory however long the table: a thread holds
one row group's pages and one batch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.table.pieces import Piece, PiecedTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = [
    "ParquetTable",
    "check_stamp",
    "open_parquet",
    "read_group",
    "stamp_of",
    "write_parquet",
]

BATCH_ROWS = 1 << 17
GROUP_ROWS = 1 << 18  # a row group is what one thread reads, so tables of a million use them all
_TYPES = ("uint8", "uint16", "double")


def open_parquet(path: Path, metadata: Any = None, text: Sequence[str] = ()) -> Any:
    """Open a Parquet file for reading in small pieces; say so if it is none.

    Columns of ``text`` are read as dictionaries: each distinct value once a batch.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Without pre-buffering and with a small buffer a column is never read as a whole.
        return pq.ParquetFile(
            path,
            metadata=metadata,
            pre_buffer=False,
            buffer_size=1 << 20,
            read_dictionary=list(text) or None,
        )
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: Exception) -> DataError:
    """Return the error for a file that cannot be read."""
    number = getattr(error, "errno", None)  # Arrow's own text is long, and repeats the path
    cause = os.strerror(number) if number else "it is no Parquet file, or is cut short or altered"
    return DataError(f"The file {path} cannot be read: {cause}.")


@dataclass(frozen=True)
class _Group:
    """A row group of a file; ``stamp`` is the file's size and time when it was first looked at."""

    path: Path
    stamp: tuple[int, int]
    group: int


class ParquetTable(PiecedTable):
    """Columns of codes (uint8, uint16) or numbers (float64) in one or more files, end to end.

    ``types`` has the stored type of each column by Arrow's name. A piece is a row group.
    """

    def __init__(self, paths: Iterable[str | Path], names: Sequence[str] | None = None) -> None:
        pieces: list[Piece] = []
        types: dict[str, str] | None = None
        start = 0
        for path in map(Path, paths):
            with open_parquet(path) as reader:
                metadata = reader.metadata
                held = {field.name: str(field.type) for field in reader.schema_arrow}
            stamp = stamp_of(path)
            _check_types(path, held, types, names)
            types = types or held
            for group in range(metadata.num_row_groups):
                rows = metadata.row_group(group).num_rows
                pieces.append(Piece(_Group(path, stamp, group), start, 0, rows))
                start += rows
        self.names = list(types or {}) if names is None else list(names)
        self.types = {name: (types or {})[name] for name in self.names}
        self.rows = start
        self.stored = list(self.names)
        self.pieces = pieces
        self.steps = ()

    def held(self, piece: Piece) -> Iterator[Mapping[str, Any]]:
        """Yield the stored columns of a row group."""
        group: _Group = piece.origin
        rows = min(BATCH_ROWS, piece.skip + piece.rows)
        for batch in read_group(group.path, group.stamp, group.group, self.stored, rows):
            columns = {}
            for name in self.stored:
                column = batch.column(name)
                if column.null_count:
                    message = f"The file {group.path} has a missing value in column {name!r}."
                    raise DataError(message)
                columns[name] = column.to_numpy(zero_copy_only=False)
            yield columns


def stamp_of(path: Path) -> tuple[int, int]:
    """Return what tells that a file has changed: its size and the time it was last written."""
    try:
        found = path.stat()
    except OSError as error:
        raise unreadable(path, error) from None
    return found.st_size, found.st_mtime_ns


def check_stamp(path: Path, stamp: tuple[int, int]) -> None:
    """Complain of a file that is not the same any more."""
    if stamp_of(path) != stamp:
        message = f"The file {path} has changed since it was first looked at."
        raise DataError(message, hint="start again when nobody writes to it.")


@lru_cache(maxsize=16)
def _footer(path: Path, stamp: tuple[int, int]) -> Any:
    """Return a file's footer, which is read once for many row groups."""
    del stamp
    with open_parquet(path) as reader:
        return reader.metadata


def read_group(
    path: Path,
    stamp: tuple[int, int],
    group: int,
    names: Sequence[str],
    rows: int,
    text: Sequence[str] = (),
) -> Iterator[Any]:
    """Yield the Arrow batches of one row group of a file that is still the same."""
    import pyarrow as pa

    check_stamp(path, stamp)
    metadata = _footer(path, stamp)
    left = metadata.row_group(group).num_rows
    with open_parquet(path, metadata, text) as reader:
        batches = reader.iter_batches(
            rows, row_groups=[group], columns=list(names), use_threads=False
        )
        while left:
            try:
                batch = next(batches)
            except (OSError, pa.ArrowException, StopIteration) as error:
                raise unreadable(path, error) from None
            yield batch
            left -= len(batch)


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
