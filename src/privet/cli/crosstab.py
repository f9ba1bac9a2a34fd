"""``privet crosstab``: how two released attributes go together in the originals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from privet.release import Release

__all__ = ["command"]


@options.command(
    "privet crosstab people.release drugs sex",
    "privet crosstab people.release drugs age --edges age=30,50 --population",
)
@options.estimate
@click.argument("first", metavar="NAME")
@click.argument("second", metavar="NAME")
@options.as_json
def command(
    release: Release, how: options.Counting, first: str, second: str, as_json: bool
) -> None:
    """Show how two attributes go together, with errors and a test that allows for the disguise."""
    from privet.cli.output import emit, say
    from privet.estimate.crosstab import crosstab

    table = crosstab(release, first, second, **how._asdict())
    if as_json:
        emit(table.to_dict())
    else:
        say(str(table))
