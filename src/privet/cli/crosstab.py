"""``privet crosstab``: how two released attributes go together in the originals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli.options import PATH, by_option, estimate_options, examples, json_option

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command(
    "crosstab",
    epilog=examples(
        "privet crosstab people.release drugs sex",
        "privet crosstab people.release drugs age --edges age=30,50 --population",
    ),
)
@click.argument("release", type=PATH)
@click.argument("first", metavar="NAME")
@click.argument("second", metavar="NAME")
@estimate_options
@by_option
@json_option
def command(
    release: Path,
    first: str,
    second: str,
    edges: tuple[tuple[str, list[float]], ...],
    weights: str | None,
    population: bool,
    by: Path | None,
    as_json: bool,
) -> None:
    """Show how two attributes go together, with errors and a test that allows for the disguise."""
    from privet.cli.output import emit, say
    from privet.cli.tables import read_release
    from privet.estimate.crosstab import crosstab

    table = crosstab(
        read_release(release, by),
        first,
        second,
        edges=dict(edges),
        weights=weights,
        population=population,
    )
    if as_json:
        emit(table.to_dict())
    else:
        say(str(table))
