"""An owner's raw files, read out of core: Parquet or CSV, one file or a folder of them.

Rows have stable places: files in order of their names, rows in order within them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.frames import columns
from privet.table.parquet import BATCH_ROWS, open_parquet, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.frames import Column
    from privet.schema import Attribute

__all__ = ["RawBatch", "Source"]

_PARQUET = (".parquet", ".pq")
_CSV = (".csv", ".csv.gz")
_MIN_ROW = 2  # bytes that a cell of CSV takes at least, with its comma


@dataclass(frozen=True)
class RawBatch:
    """Raw rows: ``start`` is the place of the first one in the source, ``row`` in its file."""

    path: Path
    start: int
    row: int
    columns: dict[str, Column]
    rows: int

    @property
    def where(self) -> str:
        """Name the file, for error messages."""
        return f" of {self.path}"


class Source:
    """The columns of some attributes in a raw Parquet or CSV file, or in a folder of such files."""

    def __init__(self, path: str | Path, attributes: Sequence[Attribute]) -> None:
        self.paths = _files(Path(path))
        self.attributes = list(attributes)
        self.names = [attribute.name for attribute in attributes]

    def row_bound(self) -> int:
        """Return a number of rows that the source does not exceed, from sizes alone."""
        total = 0
        for path in self.paths:
            if path.name.endswith(_PARQUET):
                with open_parquet(path) as reader:
                    total += reader.metadata.num_rows
            else:
                packed = 20 if path.name.endswith(".gz") else 1
                total += packed * path.stat().st_size // (_MIN_ROW * len(self.names)) + 1
        return total

    def batches(self) -> Iterator[RawBatch]:
        """Yield all rows in order, at most ``BATCH_ROWS`` at a time."""
        start = 0
        for path in self.paths:
            row = 0
            read = self._parquet if path.name.endswith(_PARQUET) else self._csv
            for held in read(path):
                for first in range(0, held.num_rows, BATCH_ROWS):
                    piece = held.slice(first, BATCH_ROWS)
                    raw = columns(piece, self.names)
                    yield RawBatch(path, start, row, raw, piece.num_rows)
                    start, row = start + piece.num_rows, row + piece.num_rows

    def _parquet(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa

        with open_parquet(path) as reader:
            self._check(path, reader.schema_arrow.names)
            try:
                yield from reader.iter_batches(BATCH_ROWS, columns=self.names)
            except (OSError, pa.ArrowException) as error:
                raise unreadable(path, error) from None

    def _csv(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.csv as pc

        types = {attribute.name: _type(attribute) for attribute in self.attributes}
        read = pc.ReadOptions(block_size=1 << 22)
        convert = pc.ConvertOptions(column_types=types)
        try:
            self._check(path, _header(path, pc))
            with pc.open_csv(path, read_options=read, convert_options=convert) as reader:
                for batch in reader:
                    yield _emptied(batch.select(self.names), self.attributes)
        except (OSError, pa.ArrowException) as error:
            raise _csv_error(path, error, self.names) from None

    def _check(self, path: Path, held: Sequence[str]) -> None:
        for name in self.names:
            if name not in held:
                message = f"The file {path} has no column {name!r}; it has {', '.join(held)}."
                raise DataError(message, hint="rename the column, or correct the schema.")
            if list(held).count(name) > 1:
                message = f"The file {path} has two columns named {name!r}."
                raise DataError(message, hint="rename or drop one of them.")


def _files(path: Path) -> list[Path]:
    if path.is_file():
        if not path.name.endswith(_PARQUET + _CSV):
            raise DataError(f"The file {path} is neither .parquet nor .csv by its name.")
        return [path]
    if not path.is_dir():
        raise DataError(f"There is no file or folder {path}.")
    held = sorted(file for file in path.iterdir() if file.is_file() and file.name[0] not in "._")
    files = [file for file in held if file.name.endswith(_PARQUET + _CSV)]
    if not files:
        raise DataError(f"The folder {path} holds no .parquet or .csv file.")
    return files


def _type(attribute: Attribute) -> Any:
    """Return the type a CSV column is read as: that of the declared values."""
    import pyarrow as pa

    if attribute.values is None:
        return pa.float64()
    kinds = {type(value) for value in attribute.values}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


def _header(path: Path, pc: Any) -> list[str]:
    with pc.open_csv(path, read_options=pc.ReadOptions(block_size=1 << 22)) as reader:
        return list(reader.schema.names)


def _emptied(batch: Any, attributes: Sequence[Attribute]) -> Any:
    """Make empty text a missing value, unless it is a declared category."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held = []
    for attribute in attributes:
        column = batch.column(attribute.name)
        if pa.types.is_string(column.type) and "" not in (attribute.values or ()):
            column = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
        held.append(column)
    return pa.record_batch(held, names=[attribute.name for attribute in attributes])


def _csv_error(path: Path, error: Exception, names: Sequence[str]) -> DataError:
    """Say where a CSV file is wrong, without the value that Arrow's own message quotes."""
    if isinstance(error, OSError) and error.errno:
        return DataError(f"The file {path} cannot be read: {os.strerror(error.errno)}.")
    text = str(error)
    row = re.search(r"[Rr]ow #(\d+)", text)
    where = f" (row {row.group(1)})" if row else ""
    if "conversion error" in text:
        message = f"The file {path} has a value that is not of its column's declared type{where}."
        return DataError(message, hint=f"check the numbers among {', '.join(names)}.")
    if "Empty CSV" in text:
        return DataError(f"The file {path} is empty.")
    return DataError(f"The file {path} is not well-formed CSV{where}.")
