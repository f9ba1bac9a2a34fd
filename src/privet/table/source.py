"""An owner's raw files, read out of core: Parquet or CSV, one file, a folder or a pattern of them.

A folder may be partitioned: below folders named ``key=value`` every row has that value of the
attribute ``key``. Rows have stable places: files in order of their names, rows in order in them.
"""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from privet.errors import DataError
from privet.files.reading import cause
from privet.frames import check_names, columns, text_as_arrow
from privet.schema import Files
from privet.table.base import Batch
from privet.table.csv import csv_batches, header, sniffed
from privet.table.parquet import BATCH_ROWS, open_parquet, stamp_of, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.frames import Column
    from privet.schema import Attribute, Format

__all__ = ["RawBatch", "Source", "column_names", "files_of", "is_parquet", "keys_of"]

_PARQUET = (".parquet", ".pq")
_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_MIN_ROW = 2  # bytes that a cell of CSV takes at least, with its comma
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # what writers of partitioned folders call a missing value


@dataclass(frozen=True)
class RawBatch(Batch):
    """Raw rows of a file: ``row`` is the place of the first there."""

    path: Path
    row: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self)


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet by its name."""
    return path.name.endswith(_PARQUET)


class Source:
    """The columns of some attributes in raw Parquet or CSV files.

    ``path`` is a file, a folder of files, or a pattern such as ``"sales/2024-*.parquet"``;
    ``Files`` says how CSV files there are written, where it has to be said. ``hint`` says what to
    do about absent columns, if that is not to correct the schema.
    """

    def __init__(
        self, path: str | Path | Files, attributes: Sequence[Attribute], hint: str | None = None
    ) -> None:
        files: Files = Files.of(path)
        self.paths = files_of(files.path)
        self.format = files.format
        self.attributes, self.hint = list(attributes), hint
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
                total += packed * stamp_of(path).size // (_MIN_ROW * len(self.names)) + 1
        return total

    def rows_up_to(self, most: int) -> int:
        """Return the number of rows, or ``most`` if there are so many or more.

        CSV files are read for it, as far as need be.
        """
        if all(map(is_parquet, self.paths)):
            return min(self.row_bound(), most)
        rows = 0
        for batch in self.batches():
            rows += len(batch)
            if rows >= most:
                return most
        return rows

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
        for table in self._parquet(path) if is_parquet(path) else self._csv(path):
            for first in range(0, table.num_rows, BATCH_ROWS):
                yield self.columns(path, table.slice(first, BATCH_ROWS))

    def columns(self, path: Path, table: Any) -> dict[str, Column]:
        """Return the raw columns of an Arrow batch of a file, those of its folders added."""
        keys = keys_of(path)
        for attribute in self.attributes:
            if attribute.name not in table.schema.names:
                column = _constant(path, attribute, keys[attribute.name], table.num_rows)
                table = table.append_column(attribute.name, column)
        return columns(table, self.names)

    def stored(self, path: Path, present: Sequence[str]) -> list[str]:
        """Return the names to read from a file with such columns; complain if a name is missing."""
        keys = keys_of(path)
        asked = [name for name in self.names if name in present or name not in keys]
        self._check(path, present, asked)
        return asked

    def _parquet(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa

        with open_parquet(path) as reader:
            asked = self.stored(path, reader.schema_arrow.names)
            try:
                for batch in reader.iter_batches(BATCH_ROWS, columns=asked):
                    batch.validate(full=True)  # Parquet's reader takes any bytes for text
                    yield batch
            except (OSError, pa.ArrowException) as error:
                raise unreadable(path, error) from None

    def _csv(self, path: Path) -> Iterator[Any]:
        written = sniffed(path, self.format)
        looks = header(path, written)
        asked = self.stored(path, looks.names)
        kept = [attribute for attribute in self.attributes if attribute.name in asked]
        types = {
            attribute.name: _read_as(attribute, looks.field(attribute.name).type)
            for attribute in kept
        }
        for batch in csv_batches(path, written, types, asked):
            yield _emptied(batch, kept, written.missing or ())

    def _check(self, path: Path, present: Sequence[str], asked: Sequence[str]) -> None:
        for name in asked:
            if list(present).count(name) > 1:
                message = f"The file {path} has two columns named {name!r}."
                raise DataError(message, hint="rename or drop one of them.")
        check_names(present, asked, f"The file {path}", self.hint)


def files_of(path: Path) -> list[Path]:
    """Return the files that a path, a folder or a pattern stands for, in order of their names."""
    if path.is_file():
        if not path.name.endswith(_PARQUET + _CSV):
            message = f"The file {path} is neither .parquet nor .csv nor .tsv by its name."
            raise DataError(message, hint="rename it if it is one of them, or export it as one.")
        return [path]
    if path.is_dir():
        files = _inside(path)
        if not files:
            raise DataError(f"The folder {path} holds no .parquet, .csv or .tsv file.")
        return files
    if not glob.has_magic(str(path)):
        raise DataError(f"There is no file or folder {path}.")
    _check_links(path)
    files = []
    for match in sorted(map(Path, glob.glob(str(path), recursive=True))):  # noqa: PTH207
        if match.is_dir():
            files += _inside(match)
        elif match.name.endswith(_PARQUET + _CSV):
            files.append(match)
    if not files:
        raise DataError(f"No .parquet, .csv or .tsv file fits the pattern {path}.")
    return sorted(set(files))


def _check_links(pattern: Path) -> None:
    """Refuse links among the folders that ``**`` goes through: glob follows them without end."""
    if "**" not in pattern.parts:
        return
    plain = list(takewhile(lambda part: not glob.has_magic(part), pattern.parts))
    for folder, names, _ in os.walk(Path(*plain)):
        for name in names:
            if (Path(folder) / name).is_symlink():
                message = f"The folder {Path(folder) / name} is a link, which ** does not follow."
                raise DataError(message, hint="name the folder that it leads to.")


def _inside(folder: Path, seen: set[tuple[int, int]] | None = None) -> list[Path]:
    """Return the files of a folder, and of those below it that are named ``key=value``.

    No folder is read twice: links that lead back up would multiply the files without end.
    """
    seen = set() if seen is None else seen
    try:
        status, entries = folder.stat(), sorted(folder.iterdir())
    except OSError as error:
        raise DataError(f"The folder {folder} cannot be read: {cause(error)}.") from None
    if (status.st_dev, status.st_ino) in seen:
        message = f"The folder {folder} is one that was read before, by another name."
        raise DataError(message, hint="remove the link that leads there.")
    seen.add((status.st_dev, status.st_ino))
    files = []
    for entry in entries:
        if entry.name[0] in "._":
            continue
        if entry.is_dir():
            files += _inside(entry, seen) if "=" in entry.name else []
        elif entry.name.endswith(_PARQUET + _CSV):
            files.append(entry)
    return files


def keys_of(path: Path) -> dict[str, str | None]:
    """Return the values that the names of a file's folders give; None for a missing value.

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
    kinds = {type(value) for value in attribute.originals}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


def _read_as(attribute: Attribute, looks: Any) -> Any:
    """Return the type of a CSV column; where numbers are declared, dates are read as dates."""
    import pyarrow as pa

    return looks if attribute.values is None and pa.types.is_temporal(looks) else _type(attribute)


def column_names(path: Path, asked: Format) -> list[str]:
    """Return the names of a file's columns, those that its folders give included."""
    if is_parquet(path):
        with open_parquet(path) as reader:
            names = list(reader.schema_arrow.names)
    else:
        names = list(header(path, sniffed(path, asked)).names)
    return [*names, *(name for name in keys_of(path) if name not in names)]


def _emptied(batch: Any, attributes: Sequence[Attribute], marks: Sequence[str]) -> Any:
    """Make null of text that stands for a missing value, unless it is a declared category."""
    import pyarrow as pa
    import pyarrow.compute as pc

    emptied = []
    nothing = pa.nulls(batch.num_rows, pa.string())
    for attribute in attributes:
        column = batch.column(attribute.name)
        missing = [mark for mark in (*marks, "") if mark not in attribute.originals]
        if pa.types.is_string(column.type) and missing:
            column = pc.if_else(pc.is_in(column, text_as_arrow(missing)), nothing, column)
        emptied.append(column)
    return pa.record_batch(emptied, names=[attribute.name for attribute in attributes])
