"""The tables that commands take and make: releases, plain tables, and files to write."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, InputError
from privet.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from privet.release import Release
    from privet.schema import Attribute, Schema
    from privet.table.source import RawBatch
    from privet.tree import Tree

__all__ = [
    "attributes_of",
    "check_kind",
    "coded_batches",
    "is_release",
    "placed",
    "plain_release",
    "raw_batches",
    "read_frame",
    "write_batches",
]

CARD = "card.json"
_KINDS = (".parquet", ".csv")


def is_release(path: Path) -> bool:
    """Whether a path looks like a release, a broken one included, rather than a plain table."""
    if not path.is_dir():
        return path.suffix == ".release" and not path.is_file()
    held = [file.name for file in path.iterdir() if file.name[0] not in "._"]
    parts = bool(held) and all(re.fullmatch(r"part-\d+(-\d+)?\.parquet", name) for name in held)
    return CARD in held or path.suffix == ".release" or parts


def read_frame(path: Path) -> Any:
    """Return a raw file, or a folder of them, as one Arrow table in memory, types by its looks.

    Only for tables that no schema describes yet.
    """
    import pyarrow as pa

    from privet.table.source import Source

    files = Source(path, []).paths
    tables = [_keyed(_frame(file), file) for file in track(files, "reading", len(files))]
    names = tables[0].column_names
    for file, table in zip(files, tables, strict=True):
        if table.column_names != names:
            raise DataError(f"The file {file} has other columns than {files[0]}.")
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException:
        raise DataError(f"The files in {path} have columns of different types.") from None
    if table.num_rows == 0:
        raise DataError(f"The table {path} has no rows.")
    return table


def _frame(file: Path) -> Any:
    import pyarrow as pa
    import pyarrow.csv as pc

    from privet.table.parquet import open_parquet, unreadable

    if not file.name.endswith((".csv", ".csv.gz")):
        with open_parquet(file) as reader:
            if len(set(reader.schema_arrow.names)) < len(reader.schema_arrow.names):
                raise _twice(file, reader.schema_arrow.names)
            try:
                return reader.read()
            except (OSError, pa.ArrowException) as error:
                raise unreadable(file, error) from None
    try:
        table = pc.read_csv(file)
    except OSError as error:
        raise DataError(f"The file {file} cannot be read: {error.strerror}.") from None
    except pa.ArrowException as error:
        if "Empty CSV" in str(error):
            raise DataError(f"The file {file} is empty.") from None
        hint = "declare the schema by hand if a column changes its type on the way."
        raise DataError(f"The file {file} is not well-formed CSV.", hint=hint) from None
    if len(set(table.column_names)) < len(table.column_names):
        raise _twice(file, table.column_names)
    return _emptied(table)


def _keyed(table: Any, file: Path) -> Any:
    """Add the values that the names of a file's folders give, as numbers where they are whole."""
    import pyarrow as pa

    from privet.table.source import keys_of

    for name, value in keys_of(file).items():
        if name not in table.column_names:
            held = int(value) if value is not None and value.isdecimal() else value
            table = table.append_column(name, pa.repeat(pa.scalar(held), table.num_rows))
    return table


def _twice(file: Path, names: list[str]) -> DataError:
    name = next(name for name in names if names.count(name) > 1)
    message = f"The file {file} has two columns named {name!r}."
    return DataError(message, hint="rename or drop one of them.")


def _emptied(table: Any) -> Any:
    """Make empty text a missing value, as it is when the table is read by its schema."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            column = table.column(place)
            missing = pa.scalar(None, pa.string())
            column = pc.if_else(pc.equal(column, ""), missing, column)
            table = table.set_column(place, field.name, column)
    return table


def raw_batches(path: Path, attributes: Iterable[Attribute]) -> Iterator[RawBatch]:
    """Yield the raw rows of a table, with progress; none at all is an error."""
    from privet.table.source import Source

    rows = 0
    for batch in track(Source(path, list(attributes)).batches(), "reading"):
        rows += batch.rows
        yield batch
    if not rows:
        raise DataError(f"The table {path} has no rows.")


@contextmanager
def placed(batch: RawBatch) -> Iterator[None]:
    """Let a complaint about a value in the batch tell its row in the file."""
    try:
        yield
    except DataError as error:
        told = str(error).removesuffix(f" Hint: {error.hint}")
        said, found = re.subn(
            r"first in row (\d+)",
            lambda found: f"first in row {int(found[1]) + batch.row}{batch.where}",
            told,
        )
        raise DataError(said if found else f"{batch.path}: {told}", hint=error.hint) from None


def coded_batches(path: Path, schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield a plain table coded by its schema; a value that does not fit is an error."""
    from privet.disguise import Exact, Plan
    from privet.randomness import Randomness

    recipe = Plan({}, default=Exact()).recipe(schema)
    with Randomness.system() as source:  # of which nothing is drawn: no step has a channel
        for batch in raw_batches(path, schema):
            yield recipe.work(batch.columns, source, batch.start, batch.row, batch.where)


def plain_release(path: Path, schema: Schema, spark: Any = None) -> Release:
    """Return a plain table, in memory or on a cluster, in the form that all mining takes."""
    import numpy as np

    from privet.disguise import Exact, Plan
    from privet.randomness import Randomness
    from privet.release import Part
    from privet.table import Batch, MemoryTable
    from privet.table.spark import SparkFiles

    recipe = Plan({}, default=Exact()).recipe(schema)

    def coded(batch: Any) -> Batch:
        with Randomness.system() as source:  # of which nothing is drawn: no step has a channel
            made = recipe.work(batch.columns, source, batch.start, batch.row, batch.where)
        return Batch(batch.start, made)

    if spark is not None:
        table: Any = SparkFiles(spark, path).table(schema.attributes).map(coded)
    else:
        pieces = list(coded_batches(path, schema))
        table = MemoryTable(
            {name: np.concatenate([piece[name] for piece in pieces]) for name in schema.names}
        )
    return recipe.release([Part(table, ())], seeded=False, shuffled=False)


def attributes_of(tree: Tree) -> list[Attribute]:
    """Return the columns a tree reads, as a table is asked for them."""
    from privet.schema import Attribute

    asked = []
    for coding in tree.codings:
        if coding.values is not None:
            asked.append(Attribute.categorical(coding.name, coding.values))
        else:
            asked.append(Attribute.numeric(coding.name, low=0, high=0))
    return asked


def check_kind(path: Path) -> None:
    """Complain of a name that does not say how a table is to be written."""
    if path.suffix not in _KINDS:
        message = f"{path} does not say by its name how to write a table."
        raise InputError(message, hint=f"end it in {' or '.join(_KINDS)}.")


def write_batches(made: Path, kind: str, batches: Iterator[Any]) -> int:
    """Write Arrow batches to a file, one in memory at a time; return the number of rows."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    first = next(batches)
    writer = pc.CSVWriter if kind == ".csv" else pq.ParquetWriter
    rows = int(first.num_rows)
    with writer(made, first.schema) as file:
        file.write_batch(first)
        for batch in batches:
            file.write_batch(batch)
            rows += int(batch.num_rows)
    return rows
