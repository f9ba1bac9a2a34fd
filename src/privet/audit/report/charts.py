"""Charts of rows as geometry: where every mark goes. The templates draw them as inline SVG.

A chart is 360 units wide, so that its text reads at a phone's width and grows on a desktop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from privet.audit.report.names import shown
from privet.audit.verdict import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.audit.attacks import Outcome
    from privet.audit.fidelity import CountError
    from privet.audit.utility import Utility

__all__ = [
    "TOP",
    "WIDTH",
    "Chart",
    "Mark",
    "Rows",
    "Tick",
    "accuracy_rows",
    "attack_rows",
    "count_rows",
    "steps",
    "tick",
]

WIDTH = 360
LEFT, RIGHT = 114, 300  # of the area that marks lie in; values stand to the right of it
TOP, STEP = 26, 20
MOST_ROWS = 20


@dataclass(frozen=True)
class Chart:
    """What every chart says of itself."""

    title: str
    desc: str


class Tick(NamedTuple):
    """A line of the grid and what stands at it."""

    at: float
    text: str


@dataclass(frozen=True)
class Mark:
    """One row: a full mark with its interval, and a hollow mark beside it."""

    name: str
    y: float
    full: float
    low: float
    high: float
    hollow: float | None
    text: str
    strong: bool = False


@dataclass(frozen=True)
class Rows(Chart):
    """A chart with one row per name."""

    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    full: str
    hollow: str
    height: float = field(default=0.0)
    left: float = LEFT
    right: float = RIGHT


def _rows(
    title: str,
    desc: str,
    bars: Sequence[tuple[str, float, float, float, float | None, str, bool]],
    bounds: tuple[float, float],
    full: str,
    hollow: str,
) -> Rows:
    low, high = bounds

    def x(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(LEFT + (RIGHT - LEFT) * share, 2)

    marks = tuple(
        Mark(
            shown(shown(name, 15), 15),
            TOP + STEP * place + STEP / 2,
            x(value),
            x(least),
            x(most),
            None if other is None else x(other),
            text,
            strong,
        )
        for place, (name, value, least, most, other, text, strong) in enumerate(bars)
    )
    ticks = tuple(Tick(x(value), tick(value)) for value in steps(low, high))
    return Rows(title, desc, marks, ticks, full, hollow, TOP + STEP * len(marks) + 8)


def steps(low: float, high: float) -> list[float]:
    """Return round numbers between two bounds, three to seven of them.

    >>> steps(0, 1)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if (low, high) == (0, 1):
        return [0.0, 0.25, 0.5, 0.75, 1.0]
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * step for step in (1, 2, 2.5, 5, 10) if unit * step >= rough)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(step * place, 10) for place in range(first, last + 1)]


def tick(value: float) -> str:
    """Write a share at a line of the grid."""
    return f"{100 * value:.4g} %"


def attack_rows(outcomes: Sequence[Outcome]) -> Rows | None:
    """Draw, for each attribute, the attack that wins most, beside the blind guess."""
    best: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.kind == "success" and not outcome.repeated and not outcome.agreed:
            known = best.get(outcome.about)
            if known is None or outcome.advantage > known.advantage:
                best[outcome.about] = outcome
    ordered = sorted(best.values(), key=lambda o: (-o.advantage, o.blind - o.value))
    if not ordered:
        return None
    drawn = ordered[:MOST_ROWS]
    rest = f" The {len(ordered) - len(drawn)} others win less." if len(ordered) > len(drawn) else ""
    said = "; ".join(
        f"{shown(outcome.about)}: {percent(outcome.value)}, blind {percent(outcome.blind)}"
        for outcome in drawn
    )
    return _rows(
        "How often the worst attack is right",
        f"For each attribute the attack that wins most over a blind guess. {said}.{rest}",
        [
            (
                outcome.about if outcome.about != "record" else "(whole record)",
                outcome.value,
                outcome.low,
                outcome.high,
                outcome.blind,
                percent(outcome.value),
                place == 0,
            )
            for place, outcome in enumerate(drawn)
        ],
        (0, 1),
        "attacker",
        "blind guess",
    )


def accuracy_rows(utility: Utility) -> Rows:
    """Draw the accuracies of trees with their error bars, above that of no tree at all."""
    trees = [
        ("from originals", utility.plain),
        ("from release", utility.release),
        ("uncorrected", utility.naive),
    ]
    bars = [
        (
            name,
            grown.accuracy,
            grown.accuracy - 1.96 * grown.error,
            grown.accuracy + 1.96 * grown.error,
            utility.blind,
            percent(grown.accuracy),
            False,
        )
        for name, grown in trees
        if grown is not None
    ]
    values = [utility.blind, *(least for _, _, least, *_ in bars), *(row[3] for row in bars)]
    low, high = max(0.0, min(values) - 0.02), min(1.0, max(values) + 0.02)
    said = "; ".join(
        f"tree {name}: {percent(grown.accuracy)} ± {percent(grown.error)}"
        for name, grown in trees
        if grown
    )
    return _rows(
        "How often trees are right about the originals",
        f"{said}; always the commonest class: {percent(utility.blind)}. Bars are 95 % intervals.",
        bars,
        (low, max(high, low + 0.01)),
        "tree, 95 % interval",
        "commonest class",
    )


def count_rows(errors: Sequence[CountError]) -> Rows | None:
    """Draw how far counts are from the truth, corrected and as released."""
    if not errors:
        return None
    ordered = sorted(errors, key=lambda error: -error.error)[:MOST_ROWS]
    top = max(max(error.error, error.naive or 0.0) for error in ordered) * 1.05
    said = "; ".join(
        f"{shown(error.about)}: {percent(error.error)}"
        + ("" if error.naive is None else f", uncorrected {percent(error.naive)}")
        for error in ordered
    )
    return _rows(
        "How far estimated counts are from the true ones",
        f"The sum of differences over all values, beside the number of records. {said}.",
        [
            (
                error.about,
                error.error,
                error.error,
                error.error,
                error.naive,
                percent(error.error),
                False,
            )
            for error in ordered
        ],
        (0, max(top, 0.01)),
        "corrected",
        "as released",
    )
