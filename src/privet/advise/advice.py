"""Advice: from a schema, a number of records and a wish to γ, channels and N, and their cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.advise.expected import Expected, best_channel, expected, repeated
from privet.advise.notes import notes_of
from privet.advise.simulated import LARGEST, simulated_accuracy
from privet.channel import Band, GammaDiagonal
from privet.disguise import Exact, Plan, Substitution, Withheld
from privet.disguise.suited import cell_each
from privet.disguise.wish import gamma_of
from privet.errors import InputError
from privet.estimate.methods import METHODS
from privet.progress import track
from privet.release.claim import PRIORS, posterior
from privet.schema.attribute import toml_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel import Channel
    from privet.channel.gamma_diagonal import Gamma
    from privet.disguise.treatment import Treatment
    from privet.schema import Attribute, Schema

__all__ = ["Advice", "Point", "advise"]

GAMMAS = (2, 3, 5, 8, 12, 19)  # of the trade-off that is drawn
GUIDED = (5, 8, 12)  # of the γ that the paper recommends
GUIDED_SIZES = (5, 10, 15, 20)
TIMES = (1, 2, 3, 5, 10)


@dataclass(frozen=True)
class Point:
    """One point of the trade-off: what a γ gives and what it costs.

    ``accuracy`` is the mean over made-up tables, ``error`` their spread (a standard deviation);
    ``bins`` the most cells of a number, 0 if there are no numbers.
    """

    gamma: float
    epsilon: float
    bins: int
    accuracy: float
    error: float
    guess: float

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name."""
        return dict(vars(self))


@dataclass(frozen=True)
class Advice:
    """What to do, and what to expect of it.

    ``attributes`` has one line per attribute; ``trade_off`` a point per γ, also for a γ that is
    asked for beyond the others (empty if nothing was simulated), ``guide`` the paper's answer;
    ``repeated`` is for the attribute with most values.

    Examples
    --------
    >>> import privet as pv
    >>> schema = pv.datasets.schema("as-f1")
    >>> advice = pv.Advice.of(schema, 10_000, gamma=8, simulate=False)
    >>> round(float(advice.gamma), 1)
    8.0
    """

    schema: Schema
    records: int
    gamma: Gamma
    attributes: tuple[Expected, ...]
    trade_off: tuple[Point, ...]
    guide: dict[str, float]
    repeated: tuple[dict[str, float], ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, schema: Schema, records: int, **wish: Any) -> Advice:
        """Return advice for a schema, a number of records and a wish; see ``advise``.

        >>> import privet as pv
        >>> advice = pv.Advice.of(pv.datasets.schema("as-f1"), 10_000, gamma=8, simulate=False)
        >>> advice.records
        10000
        """
        return advise(schema, records, **wish)

    def __repr__(self) -> str:
        settings = f"γ = {float(self.gamma):g}, ε = {self.epsilon:.2f} in all"
        return f"<Advice for {self.records:,} records: {settings}>"

    def _repr_html_(self) -> str:
        from privet.notebook import shown

        rows = [
            (
                line.attribute,
                line.channel,
                line.values,
                f"{line.epsilon:.2f}",
                f"{100 * line.guess:.0f} %",
                f"{100 * line.blind:.0f} %",
            )
            for line in self.attributes
        ]
        heads = ("attribute", "channel", "values", "ε", "best guess", "blind guess")
        return shown(repr(self)[1:-1], heads=heads, rows=rows, sentences=self.notes)

    @property
    def epsilon(self) -> float:
        """What a record's disguised attributes cost together.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> round(advise(schema, 1000, gamma=8, simulate=False).epsilon, 2)
        6.24
        """
        return sum(line.epsilon for line in self.attributes)

    def plan(self) -> Plan:
        """Return the plan that follows the advice; the class stays exact.

        >>> import privet as pv
        >>> advice = pv.Advice.of(pv.datasets.schema("as-f1"), 10_000, gamma=8, simulate=False)
        >>> advice.plan().treatment("age", advice.schema).kind
        'band'
        """
        return _plan(self.schema, self.gamma, {line.attribute: line for line in self.attributes})

    def plan_file(self) -> str:
        """Return that plan as TOML.

        >>> import privet as pv
        >>> advice = pv.Advice.of(pv.datasets.schema("as-f1"), 10_000, gamma=8, simulate=False)
        >>> print(advice.plan_file().splitlines()[0])
        default = "withheld"
        """
        gamma = float(self.gamma)
        number = f"{int(gamma)}" if gamma.is_integer() else repr(gamma)
        target = toml_of(self.schema.target)
        lines = ['default = "withheld"', "", "[attributes]", f'{target} = "exact"']
        for line in self.attributes:
            words = [f'method = "substitution", gamma = {number}']
            if not self.schema[line.attribute].is_categorical:
                bins = None if _is_cut(self.schema[line.attribute]) else line.values
                words += [] if bins is None else [f"bins = {bins}"]
                words += [f'kind = "{line.channel}"']
            name = toml_of(line.attribute)
            lines.append(f"{name} = {{ {', '.join(words)} }}")
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return everything a program may want.

        >>> import privet as pv
        >>> advice = pv.Advice.of(pv.datasets.schema("as-f1"), 10_000, gamma=8, simulate=False)
        >>> advice.to_dict()["records"]
        10000
        """
        return {
            "records": self.records,
            "gamma": float(self.gamma),
            "epsilon_attribute": math.log(self.gamma),
            "epsilon_record": self.epsilon,
            "posterior": {
                str(prior): float(posterior(prior, Fraction(self.gamma))) for prior in PRIORS
            },
            "attributes": [line.to_dict() for line in self.attributes],
            "trade_off": [point.to_dict() for point in self.trade_off],
            "guide": self.guide,
            "repeated": list(self.repeated),
            "notes": list(self.notes),
        }


def advise(
    schema: Schema,
    records: int,
    *,
    gamma: Gamma | None = None,
    epsilon: float | None = None,
    rho: Sequence[float] | None = None,
    accuracy: float | None = None,
    simulate: bool = True,
    repeats: int = 4,
    seed: int | None = None,
) -> Advice:
    """Return advice for a schema and a number of records; no record is looked at.

    Ask for a ``gamma``, an ``epsilon`` per attribute, ``rho`` = (ρ1, ρ2), or for an ``accuracy``
    (between 0 and 1): the smallest γ whose simulated trees reach it. ``simulate`` off leaves
    trees out. The made-up tables are the same every time, unless a ``seed`` draws others.

    >>> from privet.schema import Attribute, Schema
    >>> sky = Attribute.categorical("sky", ["Sunny", "Overcast", "Rain"])
    >>> schema = Schema([sky, Attribute.categorical("play", ["Yes", "No"])], target="play")
    >>> advise(schema, 1000, rho=(0.05, 0.5), simulate=False).gamma
    Fraction(19, 1)
    """
    _check(schema, records, accuracy, [gamma, epsilon, rho], simulate=simulate)
    first = 0 if seed is None else seed  # the same tables every time: advice must not waver
    seeds = [first + place for place in range(repeats)]
    notes = ["Values are taken to be equally common; nothing was learned from data."]
    points: list[Point] = []
    guide: dict[str, float] = {}
    if simulate:
        tried = track(GAMMAS, "simulating", len(GAMMAS))
        points = [_point(schema, records, value, seeds) for value in tried]
        guide = _guide(schema, records, seeds)
        notes.append(
            f"Accuracy is that of trees mined from {repeats} made-up tables of "
            f"{min(records, LARGEST):,} records, whose class three tests decide."
        )
    if accuracy is None:
        chosen = gamma_of("advise", gamma, epsilon, rho)
    else:
        reached = [point.gamma for point in points if point.accuracy >= accuracy]
        chosen = int(min(reached)) if reached else GAMMAS[-1]
        if not reached:
            notes.append(f"No γ up to {GAMMAS[-1]} reached an accuracy of {100 * accuracy:g} %.")
    if points and not GAMMAS[0] <= chosen <= GAMMAS[-1]:
        beyond = _point(schema, records, chosen, seeds)
        points = sorted([*points, beyond], key=lambda point: point.gamma)
    lines = tuple(expected(channel, records) for channel in _channels(schema, chosen, records))
    widest = max(lines, key=lambda line: line.values)
    return Advice(
        schema,
        records,
        chosen,
        lines,
        tuple(points),
        guide,
        tuple(repeated(widest.values, float(chosen), times) for times in TIMES),
        (*notes, *notes_of(schema, chosen, lines, epsilon)),
    )


def _check(
    schema: Schema, records: int, accuracy: float | None, wishes: list[Any], *, simulate: bool
) -> None:
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        raise InputError("The number of records must be a whole number from 1.")
    if not schema.inputs:
        raise InputError("The schema has no attribute beside the class.")
    if accuracy is None:
        return
    if any(wish is not None for wish in wishes):
        message = "Wish either for an accuracy or for gamma, epsilon or rho."
        raise InputError(message, hint="the trade-off shows what each gives.")
    if not 0 < accuracy < 1:
        message = "The accuracy wished for must lie between 0 and 1."
        raise InputError(message, hint="0.9 is 90 %.")
    if not simulate:
        raise InputError("An accuracy can only be reached by simulating.", hint="simulate=True.")


def _channels(schema: Schema, gamma: Gamma, records: int) -> list[Channel]:
    """Return the channel of every attribute; an attribute of a single value needs none."""
    channels: list[Channel] = []
    for attribute in schema.inputs:
        if attribute.is_categorical:
            size = attribute.coding().size
            if size > 1:
                channels.append(GammaDiagonal(attribute.name, size, gamma))
            continue
        low, high = attribute.range
        most = int(high - low) + 1 if attribute.integer else None
        given = attribute.coding().known if _is_cut(attribute) else cell_each(attribute)
        if low < high and given is not None:
            channels.append(Band(attribute.name, given, gamma))
        elif low < high:
            band = "joint" in METHODS
            channel = best_channel(attribute.name, most, gamma, records, band=band)
            channels.append(channel)
    if not channels:
        raise InputError("No attribute of the schema has more than one value.")
    return channels


def _is_cut(attribute: Attribute) -> bool:
    """Whether the schema says into which cells, or how many, a number is cut."""
    told = attribute.bins is not None or attribute.edges is not None
    return told and attribute.coding().known > 1


def _plan(schema: Schema, gamma: Gamma, lines: dict[str, Expected]) -> Plan:
    treatments: dict[str, Treatment] = {}
    for name, line in lines.items():
        if schema[name].is_categorical:
            treatments[name] = Substitution(gamma)
        else:
            bins = None if _is_cut(schema[name]) else line.values
            treatments[name] = Substitution(gamma, bins=bins, kind=line.channel)
    return Plan(treatments | {schema.target: Exact()}, default=Withheld())


def _point(schema: Schema, records: int, gamma: Gamma, seeds: Sequence[int]) -> Point:
    rows = min(records, LARGEST)
    lines = [expected(channel, rows) for channel in _channels(schema, gamma, rows)]
    plan = _plan(schema, gamma, {line.attribute: line for line in lines})
    accuracies = simulated_accuracy(plan, schema, records, seeds)
    numeric = [line.values for line in lines if not schema[line.attribute].is_categorical]
    return Point(
        gamma=gamma if isinstance(gamma, int) else float(gamma),
        epsilon=math.log(gamma),
        bins=max(numeric, default=0),
        accuracy=float(np.mean(accuracies)),
        error=float(np.std(accuracies, ddof=1)) if len(accuracies) > 1 else 0.0,
        guess=float(np.mean([line.guess for line in lines])),
    )


def _guide(schema: Schema, records: int, seeds: Sequence[int]) -> dict[str, float]:
    """Return the paper's answer (DXZ §6): 5 ≤ γ ≤ 12, the best N for each γ, then the smallest N.

    As in the paper, channels are γ-diagonal and trees come from reconstructed tables.
    """
    mean_accuracy: dict[tuple[int, int], float] = {}
    names = [channel.attributes[0] for channel in _channels(schema, GUIDED[0], records)]
    for gamma in track(GUIDED, "guiding", len(GUIDED)):
        for size in GUIDED_SIZES:
            treatments = {
                name: Substitution(gamma, bins=size, kind="gamma-diagonal") for name in names
            }
            plan = Plan(treatments, default=Exact())
            accuracies = simulated_accuracy(plan, schema, records, seeds[:1], "global")
            mean_accuracy[gamma, size] = float(np.mean(accuracies))
    best = {}
    for g in GUIDED:
        accuracies = [mean_accuracy[g, size] for size in GUIDED_SIZES]
        best[g] = GUIDED_SIZES[int(np.argmax(accuracies))]  # the smallest of equals
    smallest = min(best.values())
    chosen = max(
        (g for g in GUIDED if best[g] == smallest), key=lambda g: mean_accuracy[g, smallest]
    )
    return {"gamma": chosen, "bins": smallest, "accuracy": mean_accuracy[chosen, smallest]}
