"""Tables in Parquet files, read out of core: a row group at a time, batch by batch.

The one door to Parquet. What is read stays small in memory however long the table: a thread holds
one row group's pages and one batch.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.files.reading import Stamp, cause, open_regular
from privet.frames import as_arrow, as_numpy
from privet.table.pieces import Piece, PiecedTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["ParquetTable", "check_stamp", "open_parquet", "read_group", "stamp_of", "write_parquet"]

BATCH_ROWS = 1 << 17
GROUP_ROWS = 1 << 18  # a row group is what one thread reads, so tables of a million use them all
_TYPES = ("uint8", "uint16", "double")


@contextmanager
def open_parquet(
    path: Path, metadata: Any = None, text: Sequence[str] = (), stamp: Stamp | None = None
) -> Iterator[Any]:
    """Open a Parquet file for reading in small pieces; say so if it is none.

    Columns of ``text`` are read as dictionaries: each distinct value once a batch. With a
    ``stamp`` the file that is opened must have it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = open_regular(path)
    except OSError as error:
        raise unreadable(path, error) from None
    with file:
        if stamp is not None and not stamp.fits(Stamp.of(file.fileno())):
            raise _changed(path)
        try:
            # Without pre-buffering and with a small buffer a column is never read as a whole.
            reader = pq.ParquetFile(
                pa.PythonFile(file, "r"),
                metadata=metadata,
                pre_buffer=False,
                buffer_size=1 << 20,
                read_dictionary=list(text) or None,
            )
        except (OSError, pa.ArrowException, UnicodeError) as error:
            raise unreadable(path, error) from None
        with reader:
            if metadata is None and min(_sizes(reader.metadata), default=0) < 0:
                raise unreadable(path)
            yield reader


def _sizes(metadata: Any) -> list[int]:
    """Return how many rows each row group of a file says it has."""
    return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def unreadable(path: Path, error: Exception | None = None) -> DataError:
    """Return the error for a file that cannot be read."""
    why = "it is no Parquet file, or is cut short or altered"
    if isinstance(error, OSError) and error.errno:  # Arrow's own text is long, and repeats the path
        why = cause(error)
    return DataError(f"The file {path} cannot be read: {why}.")


def _changed(path: Path) -> DataError:
    message = f"The file {path} has changed since it was first looked at."
    return DataError(message, hint="start again when nobody writes to it.")


@dataclass(frozen=True)
class _Group:
    """A row group of a file; ``stamp`` is the file's when it was first looked at."""

    path: Path
    stamp: Stamp
    group: int


class ParquetTable(PiecedTable):
    """Columns of codes (uint8, uint16) or numbers (float64) in one or more files, end to end.

    ``types`` has the stored type of each column by Arrow's name. A piece is a row group.
    """

    def __init__(
        self,
        paths: Iterable[str | Path],
        names: Sequence[str] | None = None,
        stamps: Sequence[Stamp] | None = None,
    ) -> None:
        pieces: list[Piece] = []
        types: dict[str, str] | None = None
        start = 0
        for number, path in enumerate(map(Path, paths)):
            stamp = stamp_of(path) if stamps is None else stamps[number]
            with open_parquet(path, stamp=stamp) as reader:
                metadata = reader.metadata
                stored = {field.name: str(field.type) for field in reader.schema_arrow}
            _check_types(path, stored, types, names)
            types = types or stored
            for group, rows in enumerate(_sizes(metadata)):
                if rows:  # a piece has rows: whoever maps a table looks at the first row
                    pieces.append(Piece(_Group(path, stamp, group), start, 0, rows))
                start += rows
        self.names = list(types or {}) if names is None else list(names)
        self.types = {name: (types or {})[name] for name in self.names}
        self.rows = start
        self.stored = list(self.names)
        self.pieces = pieces
        self.steps = ()

    def stored_columns(self, piece: Piece) -> Iterator[Mapping[str, Any]]:
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
                columns[name] = as_numpy(column)
            yield columns


def stamp_of(path: Path) -> Stamp:
    """Return what tells that a file has changed."""
    try:
        with open_regular(path) as file:
            return Stamp.of(file.fileno())
    except OSError as error:
        raise unreadable(path, error) from None


def check_stamp(path: Path, stamp: Stamp) -> None:
    """Complain of a file that is not the same any more."""
    if not stamp.fits(stamp_of(path)):
        raise _changed(path)


@lru_cache(maxsize=16)
def _footer(path: Path, stamp: Stamp) -> Any:
    """Return a file's footer, which is read once for many row groups."""
    with open_parquet(path, stamp=stamp) as reader:
        return reader.metadata


def read_group(
    path: Path, stamp: Stamp, group: int, names: Sequence[str], rows: int, text: Sequence[str] = ()
) -> Iterator[Any]:
    """Yield the Arrow batches of one row group of a file that is still the same."""
    import pyarrow as pa

    metadata = _footer(path, stamp)
    left = metadata.row_group(group).num_rows
    with open_parquet(path, metadata, text, stamp) as reader:
        batches = reader.iter_batches(
            rows, row_groups=[group], columns=list(names), use_threads=False
        )
        while left:
            try:
                batch = next(batches)
                batch.validate(full=True)  # Parquet's reader takes any bytes for text
            except (OSError, pa.ArrowException, StopIteration) as error:
                raise unreadable(path, error) from None
            yield batch
            left -= len(batch)


def _check_types(
    path: Path, stored: dict[str, str], types: dict[str, str] | None, names: Sequence[str] | None
) -> None:
    asked = list(stored) if names is None else names
    for name in asked:
        if name not in stored:
            raise DataError(f"The file {path} has no column {name!r}; it has {', '.join(stored)}.")
        if stored[name] not in _TYPES:
            message = f"The file {path} has a column {name!r} of type {stored[name]}; "
            raise DataError(message + "codes (uint8, uint16) or numbers (float64) are allowed.")
        if types is not None and stored[name] != types.get(name):
            message = f"The file {path} has another type of column {name!r} than the files before."
            raise DataError(message)
    if types is not None and names is None and list(stored) != list(types):
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
            table = pa.table([as_arrow(group[name]) for name in types], schema=schema)
            writer.write_table(table, row_group_size=GROUP_ROWS)
            rows += table.num_rows
    return rows


def _groups(
    batches: Iterable[Mapping[str, NDArray[Any]]], types: Mapping[str, np.dtype[Any]]
) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the same rows in groups of GROUP_ROWS, the last smaller."""
    group = {name: np.empty(GROUP_ROWS, kind) for name, kind in types.items()}
    filled = 0
    for batch in batches:
        length = len(next(iter(batch.values())))
        taken = 0
        while taken < length:
            step = min(GROUP_ROWS - filled, length - taken)
            for name, column in group.items():
                column[filled : filled + step] = batch[name][taken : taken + step]
            filled, taken = filled + step, taken + step
            if filled == GROUP_ROWS:
                yield group
                filled = 0
    if filled:
        yield {name: column[:filled] for name, column in group.items()}
