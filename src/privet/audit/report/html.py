"""One HTML page, whole in itself: no network, no scripts, names escaped. The door to Jinja."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.audit.report import charts
from privet.audit.report.names import letters, shown
from privet.audit.report.terminal import similarity_lines
from privet.audit.summary import percent
from privet.release.claim import PRIORS

if TYPE_CHECKING:
    from jinja2 import Environment

    from privet.audit.attacks import Outcome
    from privet.audit.compare import Comparison
    from privet.audit.summary import Audit

__all__ = ["comparison_page", "page"]

_ROWS = 12  # of an attack's table
_ATTRIBUTES = 60  # of the table of promises


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    made.filters["percent"] = percent
    made.filters["sentence"] = lambda text: shown(text, 600)
    return made


def page(audit: Audit) -> str:
    """Return the report of an audit."""
    return _render(
        "audit.html",
        audit=audit,
        worst=audit.worst,
        priors=[f"{float(prior):.0%}".replace("%", " %") for prior in PRIORS],
        measures=audit.measures[:_ATTRIBUTES],
        sections=_sections(audit.attacks),
        attack_chart=charts.attack_rows(audit.attacks),
        curve=charts.release_curve(audit.attacks),
        accuracy_chart=None if audit.utility is None else charts.accuracy_rows(audit.utility),
        count_chart=charts.count_rows(audit.counts),
        scatter=(
            None if audit.associations is None else charts.association_scatter(audit.associations)
        ),
        similar=[] if audit.similarity is None else similarity_lines(audit.similarity),
    )


def comparison_page(found: Comparison) -> str:
    """Return the page of a comparison of plans."""
    named = list(zip(letters(len(found.points)), found.points, strict=True))
    scatter = charts.comparison_scatter(found)
    return _render("comparison.html", found=found, named=named, scatter=scatter)


def _render(name: str, **held: Any) -> str:
    return _environment().get_template(name).render(**held)


def _sections(outcomes: tuple[Outcome, ...]) -> list[dict[str, Any]]:
    """Return the attacks in order, each with its rows, the worst first."""
    sections = []
    for _, held in groupby(outcomes, key=lambda one: one.attack):
        rows = sorted(held, key=lambda one: (-one.advantage, -one.value))
        sections.append({"first": rows[0], "rows": rows[:_ROWS], "more": max(0, len(rows) - _ROWS)})
    return sections
