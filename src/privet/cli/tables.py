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

    from privet.estimate.bayes import Terms
    from privet.release import Release
    from privet.schema import Attribute, Files, Format, Schema
    from privet.signing import PublicKey
    from privet.table.source import RawBatch
    from privet.tree import Tree

__all__ = [
    "attributes_of",
    "check_kind",
    "check_unsigned",
    "coded_batches",
    "is_release",
    "model_batches",
    "placed",
    "plain_release",
    "raw_batches",
    "read_model",
    "read_release",
    "signed_by_stranger",
    "table_files",
    "write_batches",
]

CARD = "card.json"
_PARTY = "records.parquet"  # in a party's folder, as ``privet.party.folder`` writes it
_KINDS = (".parquet", ".csv")
_FORMULA = r"^[=+\-@\t\r]"  # what makes a spreadsheet compute, unless it is
_NUMBER = r"^[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$"


def is_release(path: Path) -> bool:
    """Whether a path looks like a release, even if broken, rather than a plain table."""
    if not path.is_dir():
        return path.suffix == ".release" and not path.is_file()
    files = [file.name for file in path.iterdir() if file.name[0] not in "._"]
    parts = bool(files) and all(re.fullmatch(r"part-\d+(-\d+)?\.parquet", name) for name in files)
    return CARD in files or path.suffix == ".release" or parts


def read_release(path: Path, by: Path | None, spark: Any = None) -> Release:
    """Read a release, and say so if it is signed by a key that nobody named."""
    from privet.cli.output import remark
    from privet.release import Release

    if (path / _PARTY).exists() and (path / CARD).exists():
        message = f"{path} is a party's folder, not a release."
        hint = "privet verify checks it; privet party join makes a release of all parties' folders."
        raise InputError(message, hint=hint)
    release = Release.read(path, spark=spark, by=by)
    if by is None and release.signed_by is not None:
        remark(signed_by_stranger(path, release.signed_by))
    return release


def check_unsigned(path: Path, by: Path | None) -> None:
    """Refuse a plain table where a signature is asked for: only releases are signed."""
    if by is not None:
        message = f"{path} is not a release, and only releases are signed."
        raise InputError(message, hint="leave out --by, or name a release.")


def signed_by_stranger(path: Path, signer: PublicKey) -> str:
    """Say what a signature is worth whose key nobody named."""
    return f"{path} is signed by a key you have not named: {signer}."


def table_files(path: Path, written: Format, schema: Schema | None = None) -> Files:
    """Return a table's files with their format; say what was sniffed, and what is left out."""
    from privet.cli.output import remark
    from privet.schema import Files
    from privet.table.csv import described, sniffed
    from privet.table.source import column_names, files_of, is_parquet

    files: Files = Files.of(Files(path, written), None if schema is None else schema.format)
    first = files_of(path)[0]
    looks = "" if is_parquet(first) else described(sniffed(first, files.format))
    if looks and None in (written.delimiter, written.decimal, written.encoding):
        remark(f"{first}: {looks}.")
    if schema is not None:
        known = {*schema.names, *schema.withheld, schema.unit}
        names = column_names(first, files.format)
        dropped = [name for name in names if name not in known]
        if dropped and set(schema.names) <= set(names):
            remark(f"Left out, because the schema does not name them: {', '.join(dropped)}.")
    return files


def raw_batches(
    path: Path | Files, attributes: Iterable[Attribute], hint: str | None = None
) -> Iterator[RawBatch]:
    """Yield the raw rows of a table, with progress; none at all is an error."""
    from privet.table.source import Source

    rows = 0
    for batch in track(Source(path, list(attributes), hint).batches(), "reading"):
        rows += batch.rows
        yield batch
    if not rows:
        raise DataError(f"The table {path} has no rows.")


def model_batches(path: Path | Files, model: Tree | Terms, *more: Attribute) -> Iterator[RawBatch]:
    """Return the raw rows of a table for a model, which has no schema to correct."""
    from privet.records import NAMED

    return raw_batches(path, [*attributes_of(model), *more], NAMED)


@contextmanager
def placed(batch: RawBatch) -> Iterator[None]:
    """Let a complaint about a value in the batch tell its row in the file."""
    try:
        yield
    except DataError as error:
        raise error.placed(batch.path, row=batch.row) from None


def coded_batches(path: Path | Files, schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield a plain table coded by its schema; a value that does not fit is an error."""
    from privet.disguise import Exact, Plan
    from privet.randomness import Randomness

    recipe = Plan({}, default=Exact()).recipe(schema)
    with Randomness.system() as source:  # of which nothing is drawn: no step has a channel
        for batch in raw_batches(path, schema):
            yield recipe.work(batch.columns, source, batch.start, batch.row, batch.path)


def plain_release(path: Path | Files, schema: Schema, spark: Any = None) -> Release:
    """Return a plain table, in memory or on a cluster, in the form that all mining takes."""
    import numpy as np

    from privet.disguise import Exact, Plan
    from privet.randomness import Randomness
    from privet.release import Part
    from privet.table import Batch, MemoryTable

    recipe = Plan({}, default=Exact()).recipe(schema)

    def coded(batch: Any) -> Batch:
        with Randomness.system() as source:  # of which nothing is drawn: no step has a channel
            made = recipe.work(batch.columns, source, batch.start, batch.row, batch.path)
        return Batch(batch.start, made)

    if spark is not None:
        from privet.table.spark import SparkFiles

        table: Any = SparkFiles(spark, path).table(schema.attributes).map(coded)
    else:
        pieces = list(coded_batches(path, schema))
        table = MemoryTable(
            {name: np.concatenate([piece[name] for piece in pieces]) for name in schema.names}
        )
    return recipe.release([Part(table, ())], seeded=False, shuffled=False)


def read_model(path: Path) -> Tree | Terms:
    """Read a tree, or a naive Bayes model."""
    from privet.errors import TreeError
    from privet.files.reading import parse_json, read_text
    from privet.tree import Tree
    from privet.tree.form import KIND

    try:
        form = parse_json(read_text(path, "model", TreeError))
    except ValueError:
        form = None
    if isinstance(form, dict) and form.get("format") != KIND.mark:
        from privet.estimate.bayes import KIND as BAYES
        from privet.estimate.bayes import Terms

        if form.get("format") == BAYES.mark:
            return Terms.read(path)
    return Tree.read(path)


def attributes_of(model: Tree | Terms) -> list[Attribute]:
    """Return the columns a model reads, as a table is asked for them."""
    from privet.schema import Attribute

    asked = []
    for coding in model.codings:
        if coding.values is not None:
            plain = coding.plain
            asked.append(Attribute.categorical(coding.name, plain.values or ()))
        else:
            asked.append(Attribute.numeric(coding.name, low=0, high=0))
    return asked


def check_kind(path: Path) -> None:
    """Complain of a name that does not say how a table is to be written."""
    if path.suffix not in _KINDS:
        message = f"{path} does not say by its name how to write a table."
        raise InputError(message, hint=f"end it in {' or '.join(_KINDS)}.")


def _unarmed(batch: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run as a formula."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from privet.frames import text_as_arrow

    columns = []
    apostrophe, nothing = text_as_arrow(["'", ""])
    for column in batch.columns:
        if pa.types.is_string(column.type):
            number = pc.match_substring_regex(column, _NUMBER)
            armed = pc.and_not(pc.match_substring_regex(column, _FORMULA), number)
            text = pc.binary_join_element_wise(apostrophe, column, nothing)
            column = pc.if_else(armed, text, column)  # noqa: PLW2901
        columns.append(column)
    names = [f"'{name}" if re.match(_FORMULA, name) else name for name in batch.schema.names]
    return pa.record_batch(columns, names=names)


def write_batches(made: Path, kind: str, batches: Iterator[Any]) -> int:
    """Write Arrow batches to a file, a single batch in memory; return the number of rows."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    writer = pc.CSVWriter if kind == ".csv" else pq.ParquetWriter
    batches = map(_unarmed, batches) if kind == ".csv" else batches
    first = next(batches)
    rows = int(first.num_rows)
    with writer(made, first.schema) as file:
        file.write_batch(first)
        for batch in batches:
            file.write_batch(batch)
            rows += int(batch.num_rows)
    return rows
