"""Charts as geometry: where every mark goes. The templates draw them as inline SVG.

A chart is 360 units wide, so that its text reads at a phone's width and grows on a desktop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from privet.audit.report.names import shown
from privet.audit.summary import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.audit.attacks import Outcome
    from privet.audit.compare import Comparison
    from privet.audit.fidelity import Associations, CountError
    from privet.audit.utility import Utility

__all__ = [
    "Curve",
    "Mark",
    "Rows",
    "Scatter",
    "accuracy_rows",
    "association_scatter",
    "attack_rows",
    "comparison_scatter",
    "count_rows",
    "release_curve",
]

WIDTH = 360
LEFT, RIGHT = 114, 300  # of the area that marks lie in; values stand to the right of it
TOP, STEP = 26, 20
MOST_ROWS = 20
SIDE, EDGE, FOOT = 40, 20, 34  # left, right and lower margin of charts with two axes
TALL = 240
LINE = 11  # from one line of text to the next
LETTER = 6  # the width of a letter, about
NAME = 24  # letters of a plan's name in a chart
ROWS = 10  # lines that a name may lie above or below its point
_ORIGINALS = "a tree from the originals"

Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Tick:
    """A line of the grid and what stands at it."""

    at: float
    text: str


@dataclass(frozen=True)
class Mark:
    """One row: a full mark with its interval, and a hollow one beside it."""

    name: str
    y: float
    full: float
    low: float
    high: float
    hollow: float | None
    text: str
    strong: bool = False


@dataclass(frozen=True)
class Rows:
    """A chart with one row per name."""

    title: str
    desc: str
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    full: str
    hollow: str
    height: float = field(default=0.0)
    left: float = LEFT
    right: float = RIGHT


@dataclass(frozen=True)
class Dot:
    """A point of a chart with two axes; ``low`` and ``high`` are its interval upwards.

    ``label`` is where its name stands, and whether the text ends or starts there.
    """

    x: float
    y: float
    low: float
    high: float
    name: str = ""
    strong: bool = False
    label: tuple[float, float, str] | None = None


@dataclass(frozen=True)
class Curve:
    """A line through points."""

    title: str
    desc: str
    points: tuple[Dot, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    x_name: str
    base: float
    height: float = TALL


@dataclass(frozen=True)
class Scatter:
    """Two kinds of points, full and hollow, and the line they should lie on."""

    title: str
    desc: str
    full: tuple[Dot, ...]
    hollow: tuple[Dot, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    x_name: str
    y_name: str
    full_name: str
    hollow_name: str
    line: tuple[float, float, float, float] | None = None
    line_name: str = ""
    height: float = TALL


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
    ticks = tuple(Tick(x(value), _tick(value)) for value in _steps(low, high))
    return Rows(title, desc, marks, ticks, full, hollow, TOP + STEP * len(marks) + 8)


def _steps(low: float, high: float) -> list[float]:
    """Return round numbers between two bounds, three to seven of them.

    >>> _steps(0, 1)
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


def _tick(value: float) -> str:
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


def _plane(
    across: tuple[float, float], up: tuple[float, float]
) -> tuple[tuple[Tick, ...], tuple[Tick, ...]]:
    columns = tuple(Tick(_x(value, across), _tick(value)) for value in _steps(*across))
    rows = tuple(Tick(_y(value, up), _tick(value)) for value in _steps(*up))
    return columns, rows


def _x(value: float, bounds: tuple[float, float]) -> float:
    share = (min(max(value, bounds[0]), bounds[1]) - bounds[0]) / (bounds[1] - bounds[0])
    return round(SIDE + (WIDTH - SIDE - EDGE) * share, 2)


def _y(value: float, bounds: tuple[float, float]) -> float:
    share = (min(max(value, bounds[0]), bounds[1]) - bounds[0]) / (bounds[1] - bounds[0])
    return round(TALL - FOOT - (TALL - FOOT - 28) * share, 2)


def release_curve(outcomes: Sequence[Outcome]) -> Curve | None:
    """Draw how repeated releases of the same records wear the disguise down."""
    curved = [outcome for outcome in outcomes if outcome.curve]
    if not curved:
        return None
    worst = max(curved, key=lambda outcome: outcome.advantage)
    last = worst.curve[-1][0]
    span = (1.0, float(last))
    points = tuple(
        Dot(_x(number, span), _y(value, (0, 1)), 0, 0, percent(value))
        for number, value in worst.curve
    )
    across = tuple(Tick(_x(number, span), str(number)) for number, _ in worst.curve)
    up = tuple(Tick(_y(value, (0, 1)), _tick(value)) for value in _steps(0, 1))
    said = ", ".join(f"{number}: {percent(value)}" for number, value in worst.curve)
    return Curve(
        f"What repeated releases would give away of {shown(worst.about, 24)}",
        f"How often the best guess is right after so many fresh disguises of the records: {said}. "
        f"A blind guess: {percent(worst.blind)}.",
        points,
        across,
        up,
        "releases of the same records, each disguised afresh",
        _y(worst.blind, (0, 1)),
    )


def association_scatter(links: Associations | None) -> Scatter | None:
    """Draw each pair's association in the originals against that in the release."""
    if links is None or not links.points:
        return None
    top = max(0.1, *(max(point) for point in links.points))
    bounds = (0.0, min(1.0, top * 1.05))
    across = tuple(Tick(_x(value, bounds), f"{value:.4g}") for value in _steps(*bounds))
    up = tuple(Tick(_y(value, bounds), f"{value:.4g}") for value in _steps(*bounds))
    full = tuple(Dot(_x(a, bounds), _y(b, bounds), 0, 0) for a, b, _ in links.points)
    hollow = tuple(Dot(_x(a, bounds), _y(c, bounds), 0, 0) for a, _, c in links.points)
    return Scatter(
        "How pairs of attributes go together",
        f"{links.pairs} pairs. On the line, the release tells what the originals would. Mean "
        f"distance: {links.kept:.3f} with corrected counts, {links.naive:.3f} with counts as "
        f"released; mean association of the originals {links.mean:.3f}.",
        full,
        hollow,
        across,
        up,
        "in the originals",
        "in the release",
        "corrected",
        "as released",
        (_x(0, bounds), _y(0, bounds), _x(1, bounds), _y(bounds[1], bounds)),
    )


def comparison_scatter(plans: Comparison) -> Scatter:
    """Draw plans: to the left is more private, up is more accurate."""
    rights = [point.accuracy + 1.96 * point.error for point in plans.points]
    lefts = [point.accuracy - 1.96 * point.error for point in plans.points]
    values = [plans.plain_accuracy, plans.blind_accuracy, *rights, *lefts]
    up_to = (max(0.0, min(values) - 0.01), min(1.0, max(values) + 0.01))
    across, up = _plane((0, 1), up_to)
    dots = [
        Dot(
            _x(point.advantage, (0, 1)),
            _y(point.accuracy, up_to),
            _y(low, up_to),
            _y(high, up_to),
            shown(shown(point.plan, NAME), NAME),
            point.front,
        )
        for point, low, high in zip(plans.points, lefts, rights, strict=True)
    ]
    level = _y(plans.plain_accuracy, up_to)
    dots = _labelled(dots, [(SIDE, level - LINE, SIDE + LETTER * len(_ORIGINALS), level)])
    said = "; ".join(
        f"{shown(point.plan)}: accuracy {percent(point.accuracy)}, worst attack wins "
        f"{percent(point.advantage)}{', on the front' if point.front else ''}"
        for point in plans.points
    )
    return Scatter(
        "Accuracy against the worst attack",
        f"{said}. The dashed line is a tree from the originals: {percent(plans.plain_accuracy)}.",
        tuple(dot for dot in dots if dot.strong),
        tuple(dot for dot in dots if not dot.strong),
        across,
        up,
        "what the worst attack wins over a blind guess",
        "accuracy",
        "on the Pareto front",
        "beaten by another",
        (SIDE, level, WIDTH - EDGE, level),
        _ORIGINALS,
    )


def _labelled(dots: Sequence[Dot], taken: Sequence[Box]) -> list[Dot]:
    """Give every point a place for its name: beside it, or a few lines above or below.

    A name keeps clear of what is ``taken``, of all points with their intervals and of other names;
    where there is no such place, it lies where it covers least.
    """
    marks = [*taken, *(_mark(dot) for dot in dots)]
    labels: dict[int, tuple[float, float, str]] = {}
    for place in sorted(range(len(dots)), key=lambda place: dots[place].y):
        dot = dots[place]
        spots = [
            (spot, _name_box(dot, spot))
            for row in sorted(range(-ROWS, ROWS + 1), key=lambda row: (abs(row), -row))
            for spot in (
                (dot.x + 9, dot.y + LINE * row, "start"),
                (dot.x - 9, dot.y + LINE * row, "end"),
            )
        ]
        inside = [pair for pair in spots if _is_inside(pair[1])] or spots[:1]
        labels[place], box = min(
            inside, key=lambda pair: sum(_shared(pair[1], mark) for mark in marks)
        )
        marks.append(box)
    return [replace(dot, label=labels[place]) for place, dot in enumerate(dots)]


def _mark(dot: Dot) -> Box:
    ends = (dot.y - 6, dot.y + 6, dot.low or dot.y, dot.high or dot.y)
    return dot.x - 6, min(ends), dot.x + 6, max(ends)


def _name_box(dot: Dot, spot: tuple[float, float, str]) -> Box:
    x, y, side = spot
    reach = LETTER * len(dot.name)
    left = x if side == "start" else x - reach
    return left, y - LINE / 2, left + reach, y + LINE / 2


def _is_inside(box: Box) -> bool:
    return box[0] >= SIDE and box[2] <= WIDTH and box[1] >= TOP and box[3] <= TALL - FOOT + LINE / 2


def _shared(one: Box, two: Box) -> float:
    """Return the area that two boxes have in common."""
    wide = min(one[2], two[2]) - max(one[0], two[0])
    tall = min(one[3], two[3]) - max(one[1], two[1])
    return max(0.0, wide) * max(0.0, tall)
