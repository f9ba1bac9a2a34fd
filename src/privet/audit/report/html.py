"""One HTML page, whole in itself: no network, no scripts, names escaped. The door to Jinja."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.audit.report import charts, planes
from privet.audit.report.names import shown
from privet.audit.report.terminal import detected_line, idle_reasons, similarity_lines
from privet.audit.summary import Audit
from privet.audit.verdict import percent
from privet.release.claim import PRIORS
from privet.tree.draw import templates

if TYPE_CHECKING:
    from jinja2 import Environment

    from privet.audit.attacks import Outcome
    from privet.audit.compare import Comparison

__all__ = ["STYLE", "body", "page", "render"]

STYLE = Path(__file__).parent / "templates" / "style.css"

_ROWS = 12  # of an attack's table
_ATTRIBUTES = 60  # of the table of promises


@cache
def _environment() -> Environment:
    made = templates(STYLE.parent)
    made.filters["shown"] = shown
    made.filters["percent"] = percent
    made.filters["sentence"] = lambda text: shown(text, 600)
    return made


def page(report: Audit | Comparison) -> str:
    """Return the page of an audit, or of a comparison of plans."""
    if isinstance(report, Audit):
        return _audit_page(report)
    return render("comparison.html", comparison=report, scatter=planes.comparison_scatter(report))


def body(report: Audit | Comparison) -> str:
    """Return the inside of that page, for one of someone else that has the ``STYLE``.

    Its heading becomes that of a part.
    """
    inside = page(report).partition("<main>")[2].rpartition("</main>")[0]
    return inside.replace("<h1>", '<h2 class="first">').replace("</h1>", "</h2>")


def _audit_page(audit: Audit) -> str:
    return render(
        "audit.html",
        audit=audit,
        worst=audit.worst,
        priors=[f"{float(prior):.0%}".replace("%", " %") for prior in PRIORS],
        measures=audit.measures[:_ATTRIBUTES],
        sections=_sections(audit.attacks),
        attack_chart=charts.attack_rows(audit.attacks),
        curve=planes.release_curve(audit.attacks),
        accuracy_chart=None if audit.utility is None else charts.accuracy_rows(audit.utility),
        count_chart=charts.count_rows(audit.counts),
        scatter=planes.association_scatter(audit.associations),
        detected=detected_line(audit.detected),
        idle=idle_reasons(audit.not_run),
        similar=[] if audit.similarity is None else similarity_lines(audit.similarity),
    )


def render(name: str, **context: Any) -> str:
    """Return a template filled in."""
    return _environment().get_template(name).render(**context)


def _sections(outcomes: tuple[Outcome, ...]) -> list[dict[str, Any]]:
    """Return the attacks in order, each with its rows, the worst first."""
    sections = []
    for _, group in groupby(outcomes, key=lambda outcome: outcome.attack):
        rows = sorted(group, key=lambda outcome: (-outcome.advantage, -outcome.value))
        sections.append({"first": rows[0], "rows": rows[:_ROWS], "more": max(0, len(rows) - _ROWS)})
    return sections
