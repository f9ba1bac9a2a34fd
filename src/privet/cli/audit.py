"""``privet audit``: what a release discloses, and what it is still good for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options
from privet.cli.words import ATTACKS, METHODS, listed

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from privet.audit import Audit
    from privet.schema import Format

__all__ = ["command", "console"]

EXCEEDED = 1


@options.command(
    "privet audit people.release --original people.csv --html audit.html",
    "privet audit people.release --max-epsilon 12 --max-attack 0.4",
)
@click.argument("release", type=options.EXISTING)
@click.option(
    "--original", type=options.TABLE, help="The owner's table that the release was made from."
)
@click.option("--target", metavar="NAME", help="The class, if the release names none.")
@click.option("--html", "page", type=options.PATH, help="Write the report as one HTML page.")
@click.option("--max-epsilon", type=click.FloatRange(0), help="Fail if ε per record is above this.")
@click.option(
    "--max-attack",
    type=click.FloatRange(0, 1),
    help="Fail if an attack gets right more than this share of what a blind guess gets wrong.",
)
@options.allow_plain
@click.option(
    "--attack",
    "attacks",
    type=ATTACKS,
    metavar="ATTACK",
    multiple=True,
    help=f"Only this attack, of {listed(ATTACKS)}. Repeatable.",
)
@click.option(
    "--releases",
    type=click.IntRange(2, 100),
    default=10,
    help="How many releases of the same records the attack averaging combines.",
)
@click.option(
    "--method",
    type=METHODS,
    metavar="METHOD",
    help=f"How trees are mined: {listed(METHODS)}; auto by default.",
)
@click.option("--no-trees", is_flag=True, help="Do not grow trees to measure accuracy.")
@click.option("--seed", type=int, help="Draw the same random numbers again.")
@options.by
@options.csv_format
@options.overwrite
@options.as_json
def command(
    release: Path,
    original: Path | None,
    target: str | None,
    page: Path | None,
    max_epsilon: float | None,
    max_attack: float | None,
    allow_plain: tuple[str, ...],
    attacks: tuple[str, ...],
    releases: int,
    method: str | None,
    no_trees: bool,
    seed: int | None,
    by: Path | None,
    written: Format,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Check claims, run attacks, measure use; exit with 1 if a bound is exceeded.

    With --original, attacks run on true pairs; without it, on what the release and its card tell.
    """
    from privet.audit import audit
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, note
    from privet.cli.tables import read_release, table_files

    check_free(page, overwrite=overwrite)
    audited = audit(
        read_release(release, by),
        None if original is None else table_files(original, written),
        target=target,
        agreed=allow_plain or None,
        attacks=attacks or None,
        trees=not no_trees,
        method=method,
        releases=releases,
        seed=seed,
    )
    over = audited.exceeds(max_epsilon=max_epsilon, max_attack=max_attack)
    if page is not None:
        write_text(page, audited.to_html(), overwrite=overwrite)
    if as_json:
        emit(audited.to_dict() | {"exceeded": over})
    else:
        _tell(audited, page)
    for sentence in over:
        note(f"EXCEEDED: {sentence}")
    if over:
        click.get_current_context().exit(EXCEEDED)


def _tell(audited: Audit, page: Path | None) -> None:
    from privet.audit.report.terminal import show
    from privet.cli.output import say

    show(audited, console())
    if page is not None:
        say(f"\nWritten to {page}.")


def console() -> Console:
    """Return a console as wide as the terminal, or as reports are."""
    from rich.console import Console

    made = Console(highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made.width = 100
    return made
