"""``privet audit``: what a release gives away, and what it is still good for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli.options import PATH, WORDS, examples, json_option, overwrite_option

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from privet.audit import Audit

__all__ = ["command", "console"]

EXCEEDED = 1


def _attacks() -> list[str]:
    from privet.audit import ATTACKS

    return list(ATTACKS)


def _methods() -> list[str]:
    from privet.estimate.methods import METHODS

    return list(METHODS)


@click.command(
    "audit",
    epilog=examples(
        "privet audit people.release --original people.csv --html audit.html",
        "privet audit people.release --max-epsilon 12 --max-attack 0.4",
    ),
)
@click.argument("release", type=PATH)
@click.option("--original", type=PATH, help="The owner's table that the release was made from.")
@click.option("--html", "page", type=PATH, help="Write the report as one HTML page.")
@click.option("--max-epsilon", type=click.FloatRange(0), help="Fail if the ε of a record is above.")
@click.option(
    "--max-attack",
    type=click.FloatRange(0, 1),
    help="Fail if an attack wins more over a blind guess, of what that gets wrong (0 to 1).",
)
@click.option(
    "--allow-plain",
    multiple=True,
    metavar="NAME",
    help="An attribute that is plain on purpose; the class always is. Repeatable.",
)
@click.option(
    "--attack", "attacks", type=WORDS(_attacks), multiple=True, help="Only this attack. Repeatable."
)
@click.option(
    "--method", type=WORDS(_methods), help="How trees from it are mined; the quickest by default."
)
@click.option("--no-trees", is_flag=True, help="Do not measure what the release is good for.")
@click.option("--seed", type=int, help="The same report each time.")
@overwrite_option
@json_option
def command(
    release: Path,
    original: Path | None,
    page: Path | None,
    max_epsilon: float | None,
    max_attack: float | None,
    allow_plain: tuple[str, ...],
    attacks: tuple[str, ...],
    method: str | None,
    no_trees: bool,
    seed: int | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Check claims, run attacks, measure use; exit with 1 if a bound is exceeded.

    With --original attacks are run on true pairs; without, on what card and release tell.
    """
    from privet.audit import audit
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, note
    from privet.release import Release

    check_free(page, overwrite=overwrite)
    found = audit(
        Release.read(release),
        original,
        agreed=allow_plain or None,
        attacks=attacks or None,
        trees=not no_trees,
        method=method,
        seed=seed,
    )
    over = found.exceeds(max_epsilon=max_epsilon, max_attack=max_attack)
    if page is not None:
        write_text(page, found.to_html(), overwrite=overwrite)
    if as_json:
        emit(found.to_dict() | {"exceeded": over})
    else:
        _tell(found, page)
    for sentence in over:
        note(f"EXCEEDED: {sentence}")
    if over:
        click.get_current_context().exit(EXCEEDED)


def _tell(found: Audit, page: Path | None) -> None:
    from privet.audit.report.terminal import show
    from privet.cli.output import say

    show(found, console())
    if page is not None:
        say(f"\nWritten to {page}.")


def console() -> Console:
    """Return a console as wide as the terminal, or as reports are."""
    from rich.console import Console

    made = Console(highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made.width = 100
    return made
