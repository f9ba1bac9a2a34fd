"""``privet shares``: how the originals of released attributes were distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command(
    "shares",
    epilog=options.examples(
        "privet shares people.release",
        "privet shares people.release age --edges age=30,50,65 --population",
    ),
)
@click.argument("release", type=options.EXISTING)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.estimate
@options.by
@options.as_json
def command(
    release: Path,
    names: tuple[str, ...],
    how: options.Counting,
    by: Path | None,
    as_json: bool,
) -> None:
    """Show how the originals were distributed, with errors: shares and means.

    Of the attributes named, or of all of them.
    """
    from privet.cli.output import emit, say
    from privet.cli.tables import read_release
    from privet.errors import InputError
    from privet.estimate.shares import shares

    opened = read_release(release, by)
    weights, population = how.weights, how.population
    asked = names or tuple(name for name in opened.schema.names if name != weights)
    for name in how.edges:
        if name not in asked:
            raise InputError(f"The edges are for {name!r}, whose shares are not asked for.")
    tables = [
        shares(opened, name, edges=how.edges.get(name), weights=weights, population=population)
        for name in asked
    ]
    if as_json:
        emit({"shares": [table.to_dict() for table in tables]})
    else:
        say("\n\n".join(map(str, tables)))
