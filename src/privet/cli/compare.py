"""``privet compare``: several plans for one table, accuracy against the worst attack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.disguise import Disguise
    from privet.schema import Format

__all__ = ["command"]


@options.command(
    "privet compare mild.toml strong.toml --data people.csv --schema people.toml",
    "privet compare *.toml --data people.csv --schema people.toml --html plans.html",
)
@click.argument("plans", type=options.EXISTING, nargs=-1, required=True)
@click.option("--data", type=options.TABLE, required=True, help="The owner's table.")
@options.schema
@click.option("--html", "page", type=options.PATH, help="Write the comparison as one HTML page.")
@options.allow_plain
@click.option("--seed", type=int, help="Draw the same random numbers again.")
@options.csv_format
@options.overwrite
@options.as_json
def command(
    plans: tuple[Path, ...],
    data: Path,
    schema: Path,
    page: Path | None,
    allow_plain: tuple[str, ...],
    seed: int | None,
    written: Format,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Try plans on a table, and name those that no other plan beats.

    Each plan is tried out of core in a temporary folder. What is shown are aggregates.
    """
    from privet.audit import compare
    from privet.audit.report.terminal import show
    from privet.cli.audit import console
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, say
    from privet.cli.tables import table_files
    from privet.schema import Schema

    check_free(page, overwrite=overwrite)
    declared = Schema.read(schema)
    files = table_files(data, written, declared)
    comparison = compare(_named(plans), files, declared, agreed=allow_plain or None, seed=seed)
    if page is not None:
        write_text(page, comparison.to_html(), overwrite=overwrite)
    if as_json:
        emit(comparison.to_dict())
        return
    show(comparison, console())
    if page is not None:
        say(f"\nWritten to {page}.")


def _named(plans: tuple[Path, ...]) -> dict[str, Disguise]:
    """Read the plans, each by the name of its file, or by its path where names are alike."""
    from privet.disguise import Plan

    stems = [plan.stem for plan in plans]
    named = {}
    for plan in plans:
        name = plan.stem if stems.count(plan.stem) == 1 else str(plan)
        named[name] = Plan.read(plan)
    return named
