"""From what an owner wishes for to a plan, and what to expect of it, in milliseconds."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from privet.advise import advise
from privet.audit.compare import Comparison, Point, pareto
from privet.disguise import Exact, Plan
from privet.disguise.wish import gamma_of
from privet.errors import InputError
from privet.schema import Schema
from privet.web.bench.describe import BELIEF, raised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.advise import Expected
    from privet.disguise.treatment import Treatment
    from privet.web.bench.columns import Column

__all__ = ["STEPS", "Preview", "Wish", "chart_of", "curve_plans", "preview_of"]

# The γ that the slider stops at: one promise doubles in about four steps.
STEPS = (1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19, 24, 32, 48, 64)
CURVE = (8, 3, 19, 5, 2, 12)  # of which trees are simulated, what tells most first
BLIND = 0.5  # of made-up classes, of which there are two
_BEGIN = ("use", "guess", "gamma", "epsilon")


@dataclass
class Wish:
    """What the owner asks for; whichever way she begins, the other ways keep what she entered."""

    begin: str = "use"
    accuracy: int = 90
    belief: int = 30
    step: int = STEPS.index(8)
    epsilon: float = 2.0
    alone: bool = False
    each: dict[str, int] = field(default_factory=dict)
    own: bool = False

    def change(self, form: Mapping[str, Any]) -> None:
        """Take what was entered."""
        try:
            begin = str(form.get("begin", self.begin))
            accuracy = min(99, max(50, int(form.get("accuracy", self.accuracy))))
            belief = min(95, max(6, int(form.get("belief", self.belief))))
            step = min(len(STEPS) - 1, max(0, int(form.get("step", self.step))))
            epsilon = min(4.5, max(0.1, float(form.get("epsilon", self.epsilon))))
            each = {
                name.removeprefix("each:"): min(len(STEPS) - 1, max(0, int(value)))
                for name, value in form.items()
                if name.startswith("each:")
            }
        except (TypeError, ValueError, OverflowError):
            raise InputError("A number is needed there.") from None
        if begin not in _BEGIN:
            raise InputError("There is no such way to begin.")
        self.begin, self.accuracy, self.belief = begin, accuracy, belief
        self.step, self.epsilon = step, epsilon
        if "alone" in form:
            self.alone = form["alone"] in (True, "each")
        if "own" in form:
            self.own = form["own"] in (True, "own")
        self.each |= each

    def gamma(self, points: Mapping[float, float]) -> tuple[Any, str]:
        """Return γ, and where it comes from; ``points`` are simulated accuracies by γ."""
        if self.begin == "gamma":
            return STEPS[self.step], "You chose γ itself."
        if self.begin == "epsilon":
            return gamma_of("plan", epsilon=self.epsilon), f"γ is e^ε = e^{self.epsilon:g}."
        if self.begin == "guess":
            rho = (float(BELIEF), self.belief / 100)
            return gamma_of("plan", rho=rho), (
                f"With this γ a belief of 5 % about one attribute can become {self.belief} % at "
                "most, and no more."
            )
        return _needed(self.accuracy / 100, points)


def _needed(accuracy: float, points: Mapping[float, float]) -> tuple[float, str]:
    """Return the smallest γ whose trees are as accurate as is needed."""
    if not points:
        return 8, "γ = 8 until the first trees on made-up tables have been grown."
    reached = [step for step in STEPS if expected_accuracy(step, points) >= accuracy]
    if reached:
        text = f"The smallest γ at which trees on made-up tables are right for {accuracy:.0%}."
        return min(reached), text.replace("%", " %")
    best = max(points, key=lambda gamma: points[gamma])
    return best, "No γ that was tried reaches this; the best of them is taken."


def expected_accuracy(gamma: float, points: Mapping[float, float]) -> float:
    """Return the accuracy at γ between simulated ones, on a line in log γ; it never falls."""
    known = sorted(points.items())
    best = BLIND
    rising = [(0.0, BLIND)]  # γ = 1 tells nothing
    for value, accuracy in known:
        best = max(best, accuracy)
        rising.append((math.log(value), best))
    at = math.log(gamma)
    for (left, low), (right, high) in itertools.pairwise(rising):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return rising[-1][1]


@dataclass(frozen=True)
class Preview:
    """A plan, and what is to be expected of it."""

    gamma: Any
    why: str
    gammas: dict[str, Any]
    plan: Plan
    lines: tuple[Expected, ...]
    epsilon: float
    raised: float
    accuracy: float | None
    plain: tuple[str, ...]

    @property
    def worst(self) -> Expected:
        """The attribute that an attacker gains most about."""
        return max(self.lines, key=advantage)

    @property
    def risk(self) -> float:
        """What the best guess about that attribute wins over a blind guess."""
        return advantage(self.worst)


def advantage(line: Expected) -> float:
    """Return the share of a blind guesser's misses that an attacker gets right."""
    return 0.0 if line.blind >= 1 else max(0.0, (line.guess - line.blind) / (1 - line.blind))


def preview_of(
    columns: Sequence[Column], schema: Schema, rows: int, wish: Wish, points: Mapping[float, float]
) -> Preview:
    """Return the plan that a wish amounts to; no record is looked at."""
    gamma, why = wish.gamma(points)
    hidden = [column.name for column in columns if column.role == "disguise"]
    if not hidden:
        raise InputError("No column is to be disguised.", hint="go back and choose some.")
    gammas = {
        name: STEPS[wish.each[name]] if wish.alone and name in wish.each else gamma
        for name in hidden
    }
    treatments: dict[str, Treatment] = {}
    lines = []
    for name in schema.names:
        if name in gammas:
            advised = _advised(_narrowed(schema, hidden), rows, gammas[name])
            if name in advised:
                line, treatments[name] = advised[name]
                lines.append(line)
                continue
        treatments[name] = Exact()
    plan = Plan(treatments)
    claim = plan.claim(schema)
    worst = max(gammas.values(), default=gamma)
    return Preview(
        gamma=gamma,
        why=why,
        gammas=gammas,
        plan=plan,
        lines=tuple(lines),
        epsilon=claim.disguised_epsilon,
        raised=raised(worst),
        accuracy=expected_accuracy(float(gamma), points) if points else None,
        plain=tuple(column.name for column in columns if column.role == "plain"),
    )


def _narrowed(schema: Schema, hidden: Sequence[str]) -> Schema:
    """Return the schema of what is disguised, and the class."""
    kept = [
        attribute
        for attribute in schema
        if attribute.name in hidden or attribute.name == schema.goal
    ]
    return schema.with_attributes(kept)


def _advised(schema: Schema, rows: int, gamma: Any) -> dict[str, tuple[Expected, Treatment]]:
    return _lines(schema.to_json(), rows, Fraction(gamma))


@lru_cache(maxsize=256)
def _lines(schema: str, rows: int, gamma: Fraction) -> dict[str, tuple[Expected, Treatment]]:
    from privet.files.reading import parse_json

    exact: Any = int(gamma) if gamma.denominator == 1 else gamma
    exact = float(gamma) if gamma.denominator > 1_000_000 else exact
    advice = advise(Schema.from_dict(parse_json(schema)), rows, gamma=exact, simulate=False)
    treatments = advice.plan().treatments
    return {line.attribute: (line, treatments[line.attribute]) for line in advice.attributes}


def curve_plans(columns: Sequence[Column], schema: Schema, rows: int) -> dict[str, Plan]:
    """Return the plans that the curve of accuracies is simulated with, by their γ."""
    plans = {}
    for gamma in CURVE:
        wish = Wish(begin="gamma", step=STEPS.index(gamma))
        plans[str(gamma)] = preview_of(columns, schema, rows, wish, {}).plan
    return plans


def chart_of(kept: Sequence[dict[str, Any]], plain: float, rows: int) -> Comparison | None:
    """Return kept plans side by side, as far as their trees were tried on made-up tables."""
    points = [
        Point(
            plan=plan["name"],
            accuracy=plan["accuracy"][0],
            error=plan["accuracy"][1],
            advantage=plan["risk"],
            success=plan["guess"],
            blind=plan["blind"],
            attack="best guess",
            about=plan["about"],
            epsilon=plan["epsilon"],
            plain=(),
        )
        for plan in kept
        if plan.get("accuracy") is not None
    ]
    return Comparison(tuple(pareto(points)), plain, BLIND, rows) if points else None
