"""``privet schema``: read a schema off a table, or check one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.schema import Files, Format, Schema

__all__ = ["command"]

_NAMED = 3  # rows that are named of a column's values that do not fit

_LEARNED = (
    "LEARNED FROM DATA: these categories and ranges are facts about the records, and a release "
    "made with them gives them away. Replace them by what is public (widen ranges, list all "
    "categories), then delete the line learned_from_data."
)


@options.command(
    "privet schema people.csv --target income --output people.toml",
    "privet schema --check people.toml people.csv",
)
@click.argument("table", type=options.TABLE, required=False)
@click.option("--target", metavar="NAME", help="The column that is the class.")
@click.option("--bins", type=click.IntRange(1), help="The number of cells per numeric attribute.")
@click.option(
    "--check",
    type=options.EXISTING,
    metavar="SCHEMA",
    help="Check this schema, and TABLE against it.",
)
@options.output("Where to write the schema (.toml or .json) instead of printing it.")
@options.csv_format
@options.overwrite
@options.as_json
def command(
    table: Path | None,
    target: str | None,
    bins: int | None,
    check: Path | None,
    output: Path | None,
    written: Format,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Draft a schema from a table, or check one.

    A schema should be declared before data is seen. What is drafted here is learned from data, and
    says so: go through it by hand.
    """
    if check is not None:
        if target is not None or bins is not None or output is not None:
            raise click.UsageError("--check takes a schema and perhaps a TABLE, nothing else.")
        _check(check, table, written, as_json=as_json)
        return
    if table is None or target is None:
        raise click.UsageError("Give a TABLE and --target, or --check SCHEMA.")
    _draft(table, target, bins, output, written, overwrite=overwrite, as_json=as_json)


def _draft(
    table: Path,
    target: str,
    bins: int | None,
    output: Path | None,
    written: Format,
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, note, say
    from privet.cli.tables import table_files
    from privet.errors import InputError
    from privet.schema.draft import Draft
    from privet.table.looks import read_table

    check_free(output, overwrite=overwrite)
    if output is not None and output.suffix not in (".toml", ".json"):
        message = f"{output} does not say by its name how to write a schema."
        raise InputError(message, hint="end it in .toml or .json.")
    draft = Draft.of(read_table(table_files(table, written)), target, bins, written)
    schema = draft.schema
    if output is not None:
        text = draft.to_toml() if output.suffix == ".toml" else schema.to_json()
        write_text(output, text, overwrite=overwrite)
    note(_LEARNED)
    for remark in draft.remarks():
        note(remark)
    if as_json:
        emit(schema.to_dict())
    elif output is None:
        say(draft.to_toml().rstrip("\n"))
    else:
        say(f"{output}: {_summary(schema)}")


def _check(path: Path, table: Path | None, written: Format, *, as_json: bool) -> None:
    from privet.cli.output import emit, say
    from privet.cli.tables import table_files
    from privet.schema import Schema

    schema = Schema.read(path)
    form = {
        "schema": str(path),
        "attributes": len(schema.inputs),
        "target": schema.goal,
        "classes": len(schema.classes),
        "learned_from_data": schema.learned,
    }
    rows = None
    if table is not None:
        files = table_files(table, written, schema)
        rows = _fitting(files, schema)
        form |= {"table": str(table), "rows": rows}
    if as_json:
        emit(form)
        return
    say(f"{path} is a good schema: {_summary(schema)}")
    if schema.learned:
        say(_LEARNED)
    if rows is not None:
        say(f"{table} fits it: {rows:,} records.")


def _fitting(files: Files, schema: Schema) -> int:
    """Return how many records there are, if all fit; say what does not, column by column."""
    from privet.cli.tables import raw_batches
    from privet.errors import DataError

    rows = 0
    first: DataError | None = None
    wrong: dict[str, list[int]] = {}
    for batch in raw_batches(files, schema):
        rows += batch.rows
        for attribute in schema:
            column = batch.columns[attribute.name]
            try:
                attribute.encode(column)
            except DataError as error:
                placed = error.placed(batch.path, row=batch.row)
                if error.where.row is None:  # the column as a whole is of another kind
                    raise placed from None
                first = first or placed
                rows_wrong = attribute.misfits(column).nonzero()[0] + batch.row
                wrong.setdefault(attribute.name, []).extend(rows_wrong.tolist())
    if first is None:
        return rows
    if sum(map(len, wrong.values())) == 1:
        raise first
    told = "; ".join(f"{name!r}: {_places(places)}" for name, places in wrong.items())
    raise first.retold(f"{told}. {first.message}")


def _places(rows: list[int]) -> str:
    """Say how many values do not fit, and in which rows the first of them are."""
    number = len(rows)
    if number == 1:
        return f"1 value does not fit (row {rows[0]:,})"
    named = [f"{row:,}" for row in rows[:_NAMED]]
    more = f" and {number - _NAMED:,} more" if number > _NAMED else ""
    return f"{number:,} values do not fit (rows {', '.join(named)}{more})"


def _summary(schema: Schema) -> str:
    numeric = sum(not attribute.is_categorical for attribute in schema.inputs)
    classes = len(schema.classes)
    goal = f"the class {schema.goal!r} of {classes} value{'' if classes == 1 else 's'}"
    number = len(schema.inputs)
    return (
        f"{number} attribute{'' if number == 1 else 's'} ({numeric} numeric, {number - numeric} "
        f"categorical) and {'no class' if schema.goal is None else goal}."
    )
