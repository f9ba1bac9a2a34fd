"""Reports for a terminal, by rich."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any

from privet.audit.report.drawing import drawn
from privet.audit.report.names import shown
from privet.audit.summary import Audit
from privet.audit.verdict import percent
from privet.release.claim import PRIORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from privet.audit.attacks import NotRun, Outcome
    from privet.audit.checks import Check
    from privet.audit.compare import Comparison
    from privet.audit.fidelity import DetectedError
    from privet.audit.similarity import Similarity
    from privet.audit.utility import Utility

__all__ = ["detected_line", "idle_reasons", "show", "similarity_lines", "text"]

_ROWS = 10  # of the table of attacks
_ALWAYS = ("linkage",)  # attacks that are shown however little they win
_PROVEN = 5  # attributes named whose inverted counts are wrong
_COLOURS = {
    "strong": "green", "held": "green", "moderate": "yellow", "weak": "red", "dented": "yellow",
    "untested": "yellow", "within the promise": "yellow", "partial": "red",
    "none": "red", "broken": "red",
}  # fmt: skip


def text(report: Audit | Comparison, width: int) -> str:
    """Return a report as plain text."""
    from rich.console import Console

    file = io.StringIO()
    plain = partial(Console, color_system=None, highlight=False, markup=False, emoji=False)
    show(report, plain(file=file, width=width))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    return "\n".join(lines) + "\n"


def show(report: Audit | Comparison, console: Console) -> None:
    """Print a report."""
    if isinstance(report, Audit):
        _show_audit(report, console)
    else:
        _show_comparison(report, console)


def _show_audit(audit: Audit, console: Console) -> None:
    """Print verdict, promise, checks that failed, attacks, use, advice."""
    for sentence in audit.verdict:
        console.print(shown(sentence, 600))
    grades = audit.grades
    style = f"bold {_COLOURS[grades['attacks']]}"
    aside = " with this release alone" if audit.worst is None and audit.attacks else ""
    said = f"Promise: {grades['promise']}. Attacks: {grades['attacks']}{aside}."
    console.print(said, style=style)
    console.print()
    console.print(_promises(audit))
    for note in audit.facts.notes:
        console.print(shown(note, 600))
    _show_checks(audit.checks, console)
    console.print()
    if audit.attacks:
        _show_attacks(audit.attacks, console)
    _show_use(audit, console)
    if audit.advice:
        console.print("\nWhat would be better:", style="bold")
        for line in audit.advice:
            console.print(f"- {shown(line, 600)}")
    if audit.not_run:
        console.print("\nNot run:", style="dim")
        for why, titles in idle_reasons(audit.not_run):
            console.print(f"- {titles.lower()} ({why}).", style="dim")


def _show_checks(checks: Sequence[Check], console: Console) -> None:
    failed = [check for check in checks if not check.holds]
    for check in failed:
        detail = f" ({shown(check.detail, 200)})" if check.detail else ""
        if check.hard:
            console.print(f"✗ FAILED: {check.what}{detail}.", style="bold red")
        else:
            console.print(f"⚠ warning: {check.what} – no{detail}.", style="yellow")
    if not failed:
        console.print(f"✓ All {len(checks)} checks hold.", style="green")


def idle_reasons(not_run: Sequence[NotRun]) -> list[tuple[str, str]]:
    """Return each reason not to run attacks once, with the titles of those it is given for."""
    reasons: dict[str, list[str]] = {}
    for idle in not_run:
        titles = reasons.setdefault(idle.why, [])
        titles.append(idle.title[0].lower() + idle.title[1:] if titles else idle.title)
    return [(why, "; ".join(titles)) for why, titles in reasons.items()]


def _show_use(audit: Audit, console: Console) -> None:
    if audit.utility is not None:
        console.print()
        console.print(_trees(audit.utility))
    if audit.associations is not None:
        links = audit.associations
        console.print(
            f"Associations of {links.pairs} pairs, mean {links.mean:.3f}: off by {links.kept:.3f} "
            f"corrected, by {links.naive:.3f} as released."
            + (
                f" Those of {links.hidden} more are lost in the noise of the disguise."
                if links.hidden
                else ""
            )
        )
    line = detected_line(audit.detected)
    if line:
        console.print(line)
    if audit.similarity is not None:
        for line in similarity_lines(audit.similarity):
            console.print(line)
    if not audit.facts.original:
        said = "Audited without the originals: give them (--original) for attacks on true pairs."
        console.print(said, style="dim")


def detected_line(detected: Sequence[DetectedError]) -> str:
    """Say which inverted counts prove themselves wrong, by ‖X̂‖₁; nothing if none do."""
    proven = sorted(
        (error for error in detected if error.norm > 1.0005), key=lambda error: -error.norm
    )
    if not proven:
        return ""
    worst = ", ".join(
        f"{shown(error.about, 24)} {percent(error.norm - 1)}" for error in proven[:_PROVEN]
    )
    more = f" and {len(proven) - _PROVEN} more" if len(proven) > _PROVEN else ""
    return (
        "Inverted counts are negative in places, which proves them wrong (‖X̂‖₁ > n) by at least: "
        f"{worst}{more}. Methods that fit (EM) or repair them do not have this error."
    )


def similarity_lines(score: Similarity) -> list[str]:
    """Say the three measures of noise without a bound in words."""
    said = []
    if score.splits is not None:
        rules = f"{score.trees} trees of leaves of at least {score.least_leaf:,} records"
        kept = "not measured" if score.domains is None else f"{score.domains:.3f}"
        said.append(f"Rules of {rules}: sub-domains kept (EDUDS) {kept}, 1 being all of them;")
        said.append(
            f"splits kept (EDUSC) {score.splits:.3f} as printed, {score.splits_by_records:.3f} by "
            "records."
        )
    error = f" ± {score.entropy_error:.3f}" if score.entropy_error else ""
    said.append(
        f"Whose row is whose, by similarity (SERS): {score.entropy:.3f}{error} bits of at most "
        f"{score.most_entropy:.3f}. It is near the most for any disguise: rely on the attacks."
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
    for measure in audit.measures[:30]:
        _add(
            table,
            shown(measure.about, 24),
            shown(measure.treatment, 18),
            "–" if measure.values is None else f"{measure.values:,}",
            "–" if measure.epsilon is None else f"{measure.epsilon:.2f}",
            "–" if measure.gamma is None else f"{float(measure.gamma):.4g}",
            "–" if measure.posteriors is None else percent(measure.posteriors[1]),
            "–" if measure.entropy is None else f"{measure.entropy:.2f}",
        )
    if len(audit.measures) > 30:
        _add(table, f"and {len(audit.measures) - 30} more", "", "", "", "", "", "")
    if audit.facts.disguised > 1:
        most = percent(audit.facts.disguised_posteriors[1])
        _add(table, "together", "", "", f"{audit.facts.disguised_epsilon:.2f}", "", most, "")
    return table


def _show_attacks(outcomes: Sequence[Outcome], console: Console) -> None:
    chosen = _chosen(outcomes)
    console.print(_attacks(chosen))
    if len(chosen) < len(outcomes):
        more = len(outcomes) - len(chosen)
        console.print(f"{more} more, none of them worse, in --json.", style="dim")
    for outcome in chosen:
        if outcome.repeated and outcome.curve:
            told = [
                f"with {number}: {percent(value)}"
                for number, value in outcome.curve
                if number in (2, outcome.curve[-1][0])
            ]
            about = shown(outcome.about, 24)
            said = f"Releases of the same records, about {about}: {', '.join(told)} right."
            console.print(said, style="dim")


def _chosen(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes that are printed: the worst, and how well people can be found."""
    alone = [outcome for outcome in outcomes if outcome.kind == "success" and not outcome.repeated]
    alone = sorted(alone, key=lambda outcome: -outcome.advantage)
    kept = alone[:_ROWS] + [outcome for outcome in alone[_ROWS:] if outcome.attack in _ALWAYS]
    kept += _worst(
        [outcome for outcome in outcomes if outcome.kind == "success" and outcome.repeated]
    )
    return kept + _worst([outcome for outcome in outcomes if outcome.kind == "gain"])


def _attacks(chosen: Sequence[Outcome]) -> Any:
    table = _table("attack", "about", "right", "95 % interval", "blind", "control", "null", "won")
    for outcome in chosen:
        _add(
            table,
            outcome.attack
            + (" (agreed)" if outcome.agreed else " (if repeated)" if outcome.repeated else ""),
            shown(outcome.about, 20),
            percent(outcome.value),
            f"{100 * outcome.low:.1f} – {100 * outcome.high:.1f} %",
            percent(outcome.blind),
            "–" if outcome.control is None else percent(outcome.control),
            "–" if outcome.null is None else percent(outcome.null),
            "–" if outcome.kind == "gain" else percent(outcome.advantage),
        )
    return table


def _worst(outcomes: list[Outcome]) -> list[Outcome]:
    return (
        [max(outcomes, key=lambda outcome: (outcome.advantage, outcome.value))] if outcomes else []
    )


def _by(method: str) -> str:
    return f", by '{method}'" if method else ""


def _trees(utility: Utility) -> Any:
    table = _table("tree grown", "right", "±", "leaves")
    rows = [
        (f"from the originals{', made as coarse' if utility.coarse else ''}", utility.plain),
        (f"from the release{_by(utility.release.method)}", utility.release),
        ("from the release, uncorrected", utility.naive),
    ]
    for name, grown in rows:
        if grown is not None:
            _add(
                table,
                name,
                percent(grown.accuracy),
                f"{100 * grown.error:.1f}",
                f"{grown.leaves:.0f}",
            )
    _add(table, "none: always the commonest class", percent(utility.blind), "", "")
    return table


def _show_comparison(plans: Comparison, console: Console) -> None:
    """Print a comparison: the front, a table, a drawing."""
    front = ", ".join(shown(name) for name in plans.front)
    console.print(f"Worth choosing from, the most private first: {front}.", style="bold")
    table = _table(
        "plan", "worst attack wins", "accuracy", "mined by", "attack", "about", "ε of a record"
    )
    for point in plans.points:
        _add(
            table,
            shown(point.plan, 24) + (" *" if point.front else ""),
            percent(point.advantage),
            f"{100 * point.accuracy:.1f} ± {100 * point.error:.1f} %",
            point.method,
            point.attack,
            shown(point.about, 18),
            "none" if point.epsilon is None else f"{point.epsilon:.2f}",
        )
    console.print(table)
    for line in drawn(plans):
        console.print(line)
    console.print(
        "* on the Pareto front, ○ beaten by another. Up: accuracy (from the originals "
        f"{percent(plans.plain_accuracy)}, commonest class {percent(plans.blind_accuracy)}). "
        "Right: what the worst attack wins.",
        style="dim",
    )
