"""``privet shares``: how the originals of released attributes were distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from privet.release import Release

__all__ = ["command"]


@options.command(
    "privet shares people.release",
    "privet shares people.release age --edges age=30,50,65 --population",
)
@options.estimate
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.as_json
def command(release: Release, how: options.Counting, names: tuple[str, ...], as_json: bool) -> None:
    """Show how the originals were distributed, with errors: shares and means.

    Of the attributes named, or of all of them.
    """
    from privet.cli.output import emit, say
    from privet.errors import InputError
    from privet.estimate.shares import shares

    weights, population = how.weights, how.population
    asked = names or tuple(name for name in release.schema.names if name != weights)
    for name in how.edges:
        if name not in asked:
            raise InputError(f"The edges are for {name!r}, whose shares are not asked for.")
    tables = [
        shares(release, name, edges=how.edges.get(name), weights=weights, population=population)
        for name in asked
    ]
    if as_json:
        emit({"shares": [table.to_dict() for table in tables]})
    else:
        say("\n\n".join(map(str, tables)))
