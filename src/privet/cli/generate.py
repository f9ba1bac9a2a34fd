"""``privet generate``: write a table to try things out on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["command"]

_PIECE = 1 << 18


def _names() -> list[str]:
    from privet import datasets

    return datasets.names()


@options.command("privet generate as-f2 --rows 1000000 --output f2.parquet --schema f2.toml")
@click.argument("name", type=options.WORDS(_names), required=False)
@click.option("--rows", type=click.IntRange(1), help="How many records; 100,000 if not given.")
@click.option("--seed", type=click.IntRange(0), help="For the same table every time.")
@click.option(
    "--schema", type=options.PATH, metavar="FILE", help="Also write the schema (.toml or .json)."
)
@click.option("--bins", type=click.IntRange(1), help="Bins of the schema's numeric attributes.")
@click.option("--list", "listing", is_flag=True, help="List the names and stop.")
@options.output("Where to write the table (.parquet or .csv).")
@options.overwrite
@options.as_json
def command(
    name: str | None,
    rows: int | None,
    seed: int | None,
    schema: Path | None,
    bins: int | None,
    listing: bool,
    output: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write a made-up or well-known table, and its schema."""
    if listing:
        _list(as_json=as_json)
        return
    if name is None or output is None:
        raise click.UsageError("Give the NAME of a table and --output, or --list.")
    from privet import datasets
    from privet.cli.files import check_free, new_file, write_text
    from privet.cli.output import emit, say
    from privet.cli.tables import check_kind, write_batches

    named = seed if name == "world" else None  # a world's seed is its name
    declared = datasets.schema(name, bins=bins, seed=named)
    check_kind(output)
    check_free(output, overwrite=overwrite)
    check_free(schema, overwrite=overwrite)
    batches = _batches(name, rows, seed)
    with new_file(output, overwrite=overwrite) as made:
        written = write_batches(made, output.suffix, batches)
    if schema is not None:
        text = declared.to_toml() if schema.suffix == ".toml" else declared.to_json()
        write_text(schema, text, overwrite=overwrite)
    if as_json:
        form = {"name": name, "rows": written, "output": str(output)}
        emit(form if schema is None else form | {"schema": str(schema)})
        return
    columns = ", ".join(declared.names)
    say(f"{output}: {written:,} records of {columns}; the class is {declared.target!r}.")
    if schema is not None:
        say(f"{schema}: their schema.")


def _batches(name: str, rows: int | None, seed: int | None) -> Iterator[Any]:
    from privet import datasets
    from privet.datasets import agrawal
    from privet.progress import track

    if not datasets.is_generated(name) or name in {"skewed", "world"}:
        return iter(datasets.load(name, rows=rows, seed=seed).to_batches())
    family, _, function = name.partition("-f")
    asked = datasets.DEFAULT_ROWS if rows is None else rows
    made = agrawal.batches(family, int(function), asked, seed, _PIECE)
    return track(made, "generating", -(-asked // _PIECE))


def _list(*, as_json: bool) -> None:
    from privet import datasets
    from privet.cli.output import emit, say

    made = [name for name in datasets.names() if datasets.is_generated(name)]
    known = [name for name in datasets.names() if name not in made]
    if as_json:
        emit({"generated": made, "loaded": known})
        return
    say(f"Made to measure (--rows, --seed): {', '.join(made)}")
    say(f"Well-known: {', '.join(known)}")
