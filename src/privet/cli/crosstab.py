"""``privet crosstab``: how two released attributes go together in the originals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command(
    "crosstab",
    epilog=options.examples(
        "privet crosstab people.release drugs sex",
        "privet crosstab people.release drugs age --edges age=30,50 --population",
    ),
)
@click.argument("release", type=options.EXISTING)
@click.argument("first", metavar="NAME")
@click.argument("second", metavar="NAME")
@options.estimate
@options.by
@options.as_json
def command(
    release: Path,
    first: str,
    second: str,
    how: options.Counting,
    by: Path | None,
    as_json: bool,
) -> None:
    """Show how two attributes go together, with errors and a test that allows for the disguise."""
    from privet.cli.output import emit, say
    from privet.cli.tables import read_release
    from privet.estimate.crosstab import crosstab

    table = crosstab(read_release(release, by), first, second, **how._asdict())
    if as_json:
        emit(table.to_dict())
    else:
        say(str(table))
