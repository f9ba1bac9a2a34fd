"""The report for a terminal, by rich; and plans drawn with letters."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from privet.audit.report.names import letters, shown
from privet.audit.summary import percent
from privet.release.claim import PRIORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from privet.audit.attacks import Outcome
    from privet.audit.compare import Comparison
    from privet.audit.similarity import Similarity
    from privet.audit.summary import Audit
    from privet.audit.utility import Utility

__all__ = ["comparison_text", "show", "show_comparison", "similarity_lines", "text"]

_ROWS = 10  # of the table of attacks
_COLOURS = {
    "strong": "green", "held": "green", "moderate": "yellow", "weak": "red", "dented": "yellow",
    "untested": "yellow", "partial": "red", "none": "red", "broken": "red",
}  # fmt: skip


def text(audit: Audit, width: int) -> str:
    """Return the report as plain text."""
    return _plain(lambda console: show(audit, console), width)


def comparison_text(found: Comparison, width: int) -> str:
    """Return a comparison as plain text."""
    return _plain(lambda console: show_comparison(found, console), width)


def _plain(work: Any, width: int) -> str:
    from rich.console import Console

    file = io.StringIO()
    work(
        Console(
            file=file, width=width, color_system=None, highlight=False, markup=False, emoji=False
        )
    )
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    return "\n".join(lines) + "\n"


def show(audit: Audit, console: Console) -> None:
    """Print the report: verdict, promise, checks that failed, attacks, use, advice."""
    for sentence in audit.verdict:
        console.print(shown(sentence, 600))
    grades = audit.grades
    style = f"bold {_COLOURS[grades['attacks']]}"
    console.print(f"Promise: {grades['promise']}. Attacks: {grades['attacks']}.", style=style)
    console.print()
    console.print(_promises(audit))
    for note in audit.facts.notes:
        console.print(shown(note, 600))
    failed = [check for check in audit.checks if not check.holds]
    for check in failed:
        detail = f" ({shown(check.detail, 200)})" if check.detail else ""
        console.print(f"✗ NOT SO: {check.what}{detail}.", style="bold red")
    if not failed:
        console.print(f"✓ All {len(audit.checks)} checks hold.", style="green")
    console.print()
    if audit.attacks:
        console.print(_attacks(audit.attacks))
    for one in audit.not_run:
        console.print(f"Not run: {one.title.lower()} ({one.why}).", style="dim")
    _show_use(audit, console)
    if audit.advice:
        console.print("\nWhat would be better:", style="bold")
        for line in audit.advice:
            console.print(f"- {shown(line, 600)}")


def _show_use(audit: Audit, console: Console) -> None:
    if audit.utility is not None:
        console.print()
        console.print(_trees(audit.utility))
    if audit.associations is not None:
        held = audit.associations
        console.print(
            f"Associations of {held.pairs} pairs, mean {held.mean:.3f}: off by {held.kept:.3f} "
            f"corrected, by {held.naive:.3f} as released."
        )
    if audit.similarity is not None:
        for line in similarity_lines(audit.similarity):
            console.print(line)
    if not audit.facts.original:
        said = "Audited without the originals: give them (--original) for attacks on true pairs."
        console.print(said, style="dim")


def similarity_lines(held: Similarity) -> list[str]:
    """Say the three measures of noise without a bound in words."""
    said = []
    if held.splits is not None:
        rules = f"{held.trees} trees of leaves of at least {held.least_leaf:,} records"
        kept = "not measured" if held.domains is None else f"{held.domains:.3f}"
        said.append(f"Rules of {rules}: sub-domains kept (EDUDS) {kept}, 1 being all of them;")
        said.append(
            f"splits kept (EDUSC) {held.splits:.3f} as printed, {held.splits_by_records:.3f} by "
            "records."
        )
    error = f" ± {held.entropy_error:.3f}" if held.entropy_error else ""
    said.append(
        f"Whose row is whose, by similarity (SERS): {held.entropy:.3f}{error} bits of at most "
        f"{held.most_entropy:.3f}. It is near the most for any disguise: rely on the attacks."
    )
    return said


def _table(*columns: str) -> Any:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False)
    for place, title in enumerate(columns):
        table.add_column(title, justify="right" if place else "left", overflow="fold")
    return table


def _add(table: Any, *cells: str) -> None:
    from rich.text import Text

    table.add_row(*(Text(cell) for cell in cells))


def _promises(audit: Audit) -> Any:
    table = _table(
        "attribute", "treatment", "values", "ε", "γ", f"{float(PRIORS[1]):.0%} rises to", "bits"
    )
    for one in audit.measures[:30]:
        _add(
            table,
            shown(one.about, 24),
            shown(one.treatment, 18),
            "–" if one.values is None else f"{one.values:,}",
            "–" if one.epsilon is None else f"{one.epsilon:.2f}",
            "–" if one.gamma is None else f"{float(one.gamma):.4g}",
            "–" if one.posteriors is None else percent(one.posteriors[1]),
            "–" if one.entropy is None else f"{one.entropy:.2f}",
        )
    if len(audit.measures) > 30:
        _add(table, f"and {len(audit.measures) - 30} more", "", "", "", "", "", "")
    if audit.facts.disguised > 1:
        most = percent(audit.facts.disguised_posteriors[1])
        _add(table, "together", "", "", f"{audit.facts.disguised_epsilon:.2f}", "", most, "")
    return table


def _attacks(outcomes: Sequence[Outcome]) -> Any:
    table = _table("attack", "about", "right", "95 % interval", "blind", "control", "null", "won")
    chosen = [one for one in outcomes if one.kind == "success" and not one.repeated]
    chosen = sorted(chosen, key=lambda one: -one.advantage)[:_ROWS]
    chosen += _worst([one for one in outcomes if one.kind == "success" and one.repeated])
    chosen += _worst([one for one in outcomes if one.kind == "gain"])
    for one in chosen:
        _add(
            table,
            one.attack + (" (agreed)" if one.agreed else " (if repeated)" if one.repeated else ""),
            shown(one.about, 20),
            percent(one.value),
            f"{100 * one.low:.1f} – {100 * one.high:.1f} %",
            percent(one.blind),
            "–" if one.control is None else percent(one.control),
            "–" if one.null is None else percent(one.null),
            "–" if one.kind == "gain" else percent(one.advantage),
        )
    return table


def _worst(outcomes: list[Outcome]) -> list[Outcome]:
    return [max(outcomes, key=lambda one: (one.advantage, one.value))] if outcomes else []


def _trees(found: Utility) -> Any:
    table = _table("tree grown", "right", "±", "leaves")
    rows = [
        ("from the originals", found.plain),
        ("from the release", found.release),
        ("from the release, uncorrected", found.naive),
    ]
    for name, one in rows:
        if one is not None:
            _add(table, name, percent(one.accuracy), f"{100 * one.error:.1f}", f"{one.leaves:.0f}")
    _add(table, "none: always the commonest class", percent(found.blind), "", "")
    return table


def show_comparison(found: Comparison, console: Console) -> None:
    """Print a comparison: the front, a table, a drawing."""
    front = ", ".join(shown(name) for name in found.front)
    console.print(f"Worth choosing from, the most private first: {front}.", style="bold")
    table = _table("", "plan", "accuracy", "worst attack wins", "by", "about", "ε of a record")
    for letter, one in zip(letters(len(found.points)), found.points, strict=True):
        _add(
            table,
            letter + ("*" if one.front else ""),
            shown(one.plan, 24),
            f"{100 * one.accuracy:.1f} ± {100 * one.error:.1f} %",
            percent(one.advantage),
            one.attack,
            shown(one.about, 18),
            "none" if one.epsilon is None else f"{one.epsilon:.2f}",
        )
    console.print(table)
    for line in _drawn(found):
        console.print(line)
    console.print(
        f"* on the Pareto front. Up: accuracy (from the originals {percent(found.plain_accuracy)}, "
        f"commonest class {percent(found.blind_accuracy)}). Right: what the worst attack wins.",
        style="dim",
    )


def _drawn(found: Comparison, width: int = 60, height: int = 12) -> list[str]:
    """Return a drawing of letters: to the right the attack, up the accuracy."""
    values = [found.plain_accuracy, found.blind_accuracy, *(one.accuracy for one in found.points)]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    grid = [[" "] * (width + 1) for _ in range(height + 1)]
    level = round((found.plain_accuracy - low) / span * height)
    grid[level] = ["·"] * (width + 1)
    for letter, one in zip(letters(len(found.points)), found.points, strict=True):
        row = round((one.accuracy - low) / span * height)
        grid[row][round(min(1.0, one.advantage) * width)] = letter[0]
    lines = []
    for row in range(height, -1, -1):
        mark = f"{100 * (low + span * row / height):5.1f} % " if row % 4 == 0 else " " * 8
        lines.append(f"{mark}│{''.join(grid[row])}".rstrip())
    return [*lines, f"{'':8}└{'─' * width}", f"{'':8} 0 %{'100 %':>{width - 3}}"]
