"""``privet shares``: how the originals of released attributes were distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli.options import PATH, by_option, estimate_options, examples, json_option

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command(
    "shares",
    epilog=examples(
        "privet shares people.release",
        "privet shares people.release age --edges age=30,50,65 --population",
    ),
)
@click.argument("release", type=PATH)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@estimate_options
@by_option
@json_option
def command(
    release: Path,
    names: tuple[str, ...],
    edges: tuple[tuple[str, list[float]], ...],
    weights: str | None,
    population: bool,
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
    borders = dict(edges)
    asked = names or tuple(name for name in opened.schema.names if name != weights)
    for name in borders:
        if name not in asked:
            raise InputError(f"The edges are for {name!r}, whose shares are not asked for.")
    tables = [
        shares(opened, name, edges=borders.get(name), weights=weights, population=population)
        for name in asked
    ]
    if as_json:
        emit({"shares": [table.to_dict() for table in tables]})
    else:
        say("\n\n".join(map(str, tables)))
