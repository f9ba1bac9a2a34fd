"""The workbench's pages as text: Jinja fills in, and escapes all of it."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from privet.audit.report import html as report
from privet.audit.verdict import percent
from privet.tree.draw import templates
from privet.tree.names import shown
from privet.web.bench.forms import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

__all__ = ["bars", "measured", "rendered"]

_PAGES = Path(__file__).with_name("pages")
_FOLDERS = (_PAGES, _PAGES.parents[1] / "pages", report.STYLE.parent)
WIDE, TALL = 240, 56  # units of a small histogram


def bars(heights: Sequence[tuple[str, int]]) -> list[tuple[float, float, float, float, str]]:
    """Return the bars of a small histogram: left, top, width, height, and what each stands for."""
    if not heights:
        return []
    top = max(1, *(height for _, height in heights))
    step = WIDE / len(heights)
    gap = min(2.0, step / 6)
    made = []
    for place, (label, height) in enumerate(heights):
        tall = max(1.0 if height else 0.0, TALL * height / top)
        made.append(
            (
                round(place * step, 2),
                round(TALL - tall, 2),
                round(step - gap, 2),
                round(tall, 2),
                f"{label}: {height:,}",
            )
        )
    return made


def measured(pair: Sequence[float]) -> str:
    """Return an estimate and its half-width, to as many places as the half-width tells.

    >>> measured([189301.4, 11032.1]), measured([37.9412, 0.6134]), measured([5.0, 0.0])
    ('189,301 ± 11,032', '37.94 ± 0.61', '5 ± 0')
    """
    value, error = pair
    places = max(0, 1 - math.floor(math.log10(error))) if error > 0 else 0
    return f"{value:,.{places}f} ± {error:,.{places}f}"


def _told(value: Any) -> Any:
    """Return what a page shows: of text from elsewhere, control and direction signs by number."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _entered(value: object) -> Markup:
    """Return a text that a form sends back as it is, and that nobody reads."""
    return Markup(  # noqa: S704 - escaped right here
        "".join(
            str(escape(sign)) if sign.isprintable() else f"&#{ord(sign)};" for sign in str(value)
        )
    )


@cache
def _environment() -> Environment:
    made = templates(*_FOLDERS, finalize=_told)
    made.filters |= {
        "shown": shown,
        "entered": _entered,
        "percent": percent,
        "bars": bars,
        "amount": lambda value: f"{value:,}" if isinstance(value, int) else f"{value:,.6g}",
        "measured": measured,
        "number": lambda value: f"{value:,}",
        "sentence": lambda text: shown(text, 600),
    }
    return made


def rendered(name: str, **context: Any) -> str:
    """Return a page, or a part of a page."""
    return _environment().get_template(name).render(**context)
