"""An owner's raw files, read out of core: Parquet or CSV, one file, a folder or a pattern of them.

A folder may be partitioned: below folders named ``key=value`` every row has that value of the
attribute ``key``. Rows have stable places: files in order of their names, rows in order in them.
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from privet.errors import DataError
from privet.frames import columns
from privet.table.base import Batch
from privet.table.parquet import BATCH_ROWS, open_parquet, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.frames import Column
    from privet.schema import Attribute

__all__ = ["RawBatch", "Source", "is_parquet", "keys_of"]

_PARQUET = (".parquet", ".pq")
_CSV = (".csv", ".csv.gz")
_MIN_ROW = 2  # bytes that a cell of CSV takes at least, with its comma
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # what writers of partitioned folders call a missing value


@dataclass(frozen=True)
class RawBatch(Batch):
    """Raw rows of one file: ``row`` is the place of the first one there."""

    path: Path
    row: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self)

    @property
    def where(self) -> str:
        """Name the file, for error messages."""
        return f" of {self.path}"


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet by its name."""
    return path.name.endswith(_PARQUET)


class Source:
    """The columns of some attributes in raw Parquet or CSV files.

    ``path`` is a file, a folder of files, or a pattern such as ``"sales/2024-*.parquet"``.
    """

    def __init__(self, path: str | Path, attributes: Sequence[Attribute]) -> None:
        self.paths = _files(Path(path))
        self.attributes = list(attributes)
        self.names = [attribute.name for attribute in attributes]

    def row_bound(self) -> int:
        """Return a number of rows that the source does not exceed, from sizes alone."""
        total = 0
        for path in self.paths:
            if is_parquet(path):
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
            for raw in self.read(path):
                batch = RawBatch(start, raw, path, row)
                yield batch
                start, row = start + len(batch), row + len(batch)

    def read(self, path: Path) -> Iterator[dict[str, Column]]:
        """Yield the raw columns of one file, at most ``BATCH_ROWS`` rows at a time."""
        for held in self._parquet(path) if is_parquet(path) else self._csv(path):
            for first in range(0, held.num_rows, BATCH_ROWS):
                yield self.columns(path, held.slice(first, BATCH_ROWS))

    def columns(self, path: Path, held: Any) -> dict[str, Column]:
        """Return the raw columns of an Arrow batch of one file, those of its folders added."""
        keys = keys_of(path)
        for attribute in self.attributes:
            if attribute.name not in held.schema.names:
                column = _constant(path, attribute, keys[attribute.name], held.num_rows)
                held = held.append_column(attribute.name, column)
        return columns(held, self.names)

    def stored(self, path: Path, held: Sequence[str]) -> list[str]:
        """Return the names to read from a file with such columns; complain if one is missing."""
        keys = keys_of(path)
        asked = [name for name in self.names if name in held or name not in keys]
        self._check(path, held, asked)
        return asked

    def _parquet(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa

        with open_parquet(path) as reader:
            asked = self.stored(path, reader.schema_arrow.names)
            try:
                yield from reader.iter_batches(BATCH_ROWS, columns=asked)
            except (OSError, pa.ArrowException) as error:
                raise unreadable(path, error) from None

    def _csv(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.csv as pc

        types = {attribute.name: _type(attribute) for attribute in self.attributes}
        read = pc.ReadOptions(block_size=1 << 22)
        convert = pc.ConvertOptions(column_types=types)
        try:
            asked = self.stored(path, _header(path, pc))
            kept = [attribute for attribute in self.attributes if attribute.name in asked]
            with pc.open_csv(path, read_options=read, convert_options=convert) as reader:
                for batch in reader:
                    yield _emptied(batch.select(asked), kept)
        except (OSError, pa.ArrowException) as error:
            raise _csv_error(path, error, self.names) from None

    @staticmethod
    def _check(path: Path, held: Sequence[str], asked: Sequence[str]) -> None:
        for name in asked:
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
    if path.is_dir():
        files = _inside(path)
        if not files:
            raise DataError(f"The folder {path} holds no .parquet or .csv file.")
        return files
    if not glob.has_magic(str(path)):
        raise DataError(f"There is no file or folder {path}.")
    files = []
    for found in sorted(map(Path, glob.glob(str(path), recursive=True))):  # noqa: PTH207
        if found.is_dir():
            files += _inside(found)
        elif found.name.endswith(_PARQUET + _CSV):
            files.append(found)
    if not files:
        raise DataError(f"No .parquet or .csv file fits the pattern {path}.")
    return sorted(set(files))


def _inside(folder: Path) -> list[Path]:
    """Return the files of a folder, and of those below it that are named ``key=value``."""
    files = []
    for held in sorted(folder.iterdir()):
        if held.name[0] in "._":
            continue
        if held.is_dir():
            files += _inside(held) if "=" in held.name else []
        elif held.name.endswith(_PARQUET + _CSV):
            files.append(held)
    return files


def keys_of(path: Path) -> dict[str, str | None]:
    """Return the values that the names of a file's folders give; None for a missing one.

    >>> keys_of(Path("sales/year=2024/shop=Rh%C3%B4ne/part-0.parquet"))
    {'year': '2024', 'shop': 'Rhône'}
    """
    pairs = (part.partition("=") for part in path.parts[:-1] if "=" in part)
    return {unquote(key): None if value == _NO_VALUE else unquote(value) for key, _, value in pairs}


def _constant(path: Path, attribute: Attribute, value: str | None, rows: int) -> Any:
    """Return a column with the value of a folder's name, of the declared type, in all rows."""
    import pyarrow as pa

    try:
        scalar = pa.scalar(value, pa.string()).cast(_type(attribute))
    except pa.ArrowException:
        message = f"The folder of {path} gives {attribute.name!r} a value that is not of its type."
        raise DataError(message) from None
    return pa.repeat(scalar, rows)


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
