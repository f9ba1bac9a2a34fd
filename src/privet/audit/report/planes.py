"""Charts with two axes: repeated releases, associations, and plans side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from privet.audit.report.charts import TOP, WIDTH, Chart, Tick, steps, tick
from privet.audit.report.names import shown
from privet.audit.verdict import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.audit.attacks import Outcome
    from privet.audit.compare import Comparison
    from privet.audit.fidelity import Associations


__all__ = ["Curve", "Dot", "Scatter", "association_scatter", "comparison_scatter", "release_curve"]


SIDE, EDGE, FOOT = 40, 20, 34  # left, right and lower margin of charts with two axes
TALL = 240
LINE = 11  # from one line of text to the next
LETTER = 6  # the width of a letter, about
_TICKS = 3 * LETTER  # at least between numbers below a curve
NAME = 24  # letters of a plan's name in a chart
ROWS = 10  # lines that a name may lie above or below its point
_ORIGINALS = "a tree from the originals"

Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom


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
class Plane(Chart):
    """A chart with two axes."""

    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    x_name: str
    height = TALL


@dataclass(frozen=True)
class Curve(Plane):
    """A line through points."""

    points: tuple[Dot, ...]
    base: float


@dataclass(frozen=True)
class Scatter(Plane):
    """Two kinds of points, full and hollow, and the line they should lie on."""

    y_name: str
    full: tuple[Dot, ...]
    hollow: tuple[Dot, ...]
    full_name: str
    hollow_name: str
    line: tuple[float, float, float, float] | None = None
    line_name: str = ""


def _plane(
    across: tuple[float, float], up: tuple[float, float]
) -> tuple[tuple[Tick, ...], tuple[Tick, ...]]:
    columns = tuple(Tick(_x(value, across), tick(value)) for value in steps(*across))
    rows = tuple(Tick(_y(value, up), tick(value)) for value in steps(*up))
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
    across: list[Tick] = []
    for number, _ in reversed(worst.curve):  # the last is reported
        place = _x(number, span)
        if not across or across[-1].at - place > _TICKS:
            across.append(Tick(place, str(number)))
    up = tuple(Tick(_y(value, (0, 1)), tick(value)) for value in steps(0, 1))
    said = ", ".join(f"{number}: {percent(value)}" for number, value in worst.curve)
    return Curve(
        f"What repeated releases would disclose of {shown(worst.about, 24)}",
        f"How often the best guess is right after so many fresh disguises of the records: {said}. "
        f"A blind guess: {percent(worst.blind)}.",
        tuple(reversed(across)),
        up,
        "releases of the same records, each disguised afresh",
        points,
        _y(worst.blind, (0, 1)),
    )


def association_scatter(links: Associations | None) -> Scatter | None:
    """Draw each pair's association in the originals against that in the release."""
    if links is None or not links.points:
        return None
    top = max(0.1, *(max(point) for point in links.points))
    bounds = (0.0, min(1.0, top * 1.05))
    across = tuple(Tick(_x(value, bounds), f"{value:.4g}") for value in steps(*bounds))
    up = tuple(Tick(_y(value, bounds), f"{value:.4g}") for value in steps(*bounds))
    full = tuple(Dot(_x(a, bounds), _y(b, bounds), 0, 0) for a, b, _ in links.points)
    hollow = tuple(Dot(_x(a, bounds), _y(c, bounds), 0, 0) for a, _, c in links.points)
    return Scatter(
        "How pairs of attributes go together",
        f"{links.pairs} pairs. On the line, the release tells what the originals would. Mean "
        f"distance: {links.kept:.3f} with corrected counts, {links.naive:.3f} with counts as "
        f"released; mean association of the originals {links.mean:.3f}.",
        across,
        up,
        "in the originals",
        "in the release",
        full,
        hollow,
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
        across,
        up,
        "what the worst attack wins over a blind guess",
        "accuracy",
        tuple(dot for dot in dots if dot.strong),
        tuple(dot for dot in dots if not dot.strong),
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


def _shared(first: Box, second: Box) -> float:
    """Return the area that two boxes have in common."""
    wide = min(first[2], second[2]) - max(first[0], second[0])
    tall = min(first[3], second[3]) - max(first[1], second[1])
    return max(0.0, wide) * max(0.0, tall)
