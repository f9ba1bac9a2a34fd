"""Additive noise (AS): numbers are released with a random amount added, drawn on a public grid."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar

from privet.channel.gamma_diagonal import check_gamma
from privet.channel.noise import STEPS, Noise, check_amount
from privet.channel.noise_law import LAWS, MOST_STEPS
from privet.disguise.base import Planned, method
from privet.disguise.plan import Plan
from privet.disguise.treatment import Exact, Substitution, Treatment, Withheld, treatment
from privet.errors import PlanError

if TYPE_CHECKING:
    from privet.channel.gamma_diagonal import Gamma
    from privet.schema import Attribute, Schema

__all__ = ["AdditiveNoise"]

MOST_VALUES = 1 << 16  # whole numbers of a range that are the grid themselves


@method
@treatment
@dataclass(frozen=True)
class AdditiveNoise(Treatment, Planned):
    """Add noise to numbers: to one attribute of a plan, or to all but the class.

    Protects by an interval: at ``confidence`` the true value of an attribute lies in one whose
    width is at least ``level`` times its range, for someone who knows nothing else. There is no
    finite ε.

    Parameters
    ----------
    kind
        ``"uniform"`` on [−α, α], or ``"gaussian"``.
    level
        The width over the range: 0.25 is AS's "25 % privacy", 1 its "100 %", the default.
    confidence
        Above 0 and below 1; 0.95 by default.
    alpha, sigma
        Instead of a level: the half width of uniform noise, the standard deviation of Gaussian
        noise, in the attribute's own unit.
    integer
        Whether noisy values are whole numbers; by default where the schema says that values are.
    steps
        Of the grid over the range of a real attribute.
    categorical
        What happens to categories when a whole table is disguised, as they take no noise:
        ``"exact"``, ``"withheld"``, or a γ to substitute them by. Without it they are an error.

    >>> from privet.schema import Attribute
    >>> age = Attribute.numeric("age", low=10, high=90)
    >>> AdditiveNoise(level=0.25).channel(age).width(0.95) >= 20
    True
    """

    method: ClassVar[str] = "additive-noise"

    kind: str = "uniform"
    level: float | None = None
    confidence: float = 0.95
    alpha: float | None = None
    sigma: float | None = None
    integer: bool | None = None
    steps: int = STEPS
    categorical: str | Gamma | None = None

    # One attribute

    def released(self, attribute: Attribute) -> Attribute:
        """Return the attribute itself; its range is that of the originals.

        >>> import privet as pv
        >>> age = pv.Attribute.numeric("age", low=10, high=90)
        >>> pv.AdditiveNoise(level=0.25).released(age).range
        (10.0, 90.0)
        """
        self.channel(attribute)
        return attribute

    def coding(self, attribute: Attribute) -> None:
        """Return nothing: numbers are released as they are.

        >>> import privet as pv
        >>> age = pv.Attribute.numeric("age", low=10, high=90)
        >>> pv.AdditiveNoise(level=0.25).coding(age) is None
        True
        """
        del attribute

    def channel(self, attribute: Attribute) -> Noise:
        """Return the noise of an attribute.

        >>> import privet as pv
        >>> age = pv.Attribute.numeric("age", low=10, high=90)
        >>> pv.AdditiveNoise(alpha=4).channel(age).law
        'uniform'
        """
        where = f"Attribute {attribute.name!r}"
        self._check(where)
        if attribute.is_categorical:
            message = f"{where} is categorical: noise can be added to numbers only."
            raise PlanError(message, hint='{ method = "substitution", gamma = 8 }.')
        if attribute.missing == "category":
            message = f"{where} may be missing, and noise cannot hide whether a value is."
            hint = "fill missing values, and delete `missing` from the schema, or disguise it by "
            raise PlanError(message, hint=f"{hint}substitution.")
        low, high = attribute.range
        if low == high:
            message = f"{where} has a single value: there is nothing to hide."
            raise PlanError(message, hint="release it as 'exact' or 'withheld'.")
        steps = self._grid(attribute, where)
        amount = {"uniform": self.alpha, "gaussian": self.sigma}[self.kind]
        if amount is None:
            return self._of_level(attribute.name, low, high, steps)
        if self.kind == "uniform":
            return Noise.uniform(attribute.name, low=low, high=high, alpha=amount, steps=steps)
        return Noise.gaussian(attribute.name, low=low, high=high, sigma=amount, steps=steps)

    def width_at(self, attribute: Attribute, confidence: float) -> float:
        """Return AS's privacy: how wide an interval holds the true value at a confidence.

        >>> import privet as pv
        >>> age = pv.Attribute.numeric("age", low=10, high=90)
        >>> pv.AdditiveNoise(level=0.25).width_at(age, 0.95) >= 20
        True
        """
        return self.channel(attribute).width(confidence)

    def _of_level(self, name: str, low: float, high: float, steps: int) -> Noise:
        """Return the least noise whose interval is as wide as the level asks.

        See Agrawal and Srikant (2000), table 1. An interval of k + 1 grid points is k steps wide.
        Uniform noise on 2m + 1 points needs ⌈c·(2m + 1)⌉ of them; a Gaussian gets one step more
        than the formula for the line.
        """
        wanted = (1.0 if self.level is None else self.level) * steps
        confidence = self.confidence
        if self.kind == "gaussian":
            spread = (wanted + 1) / (2 * NormalDist().inv_cdf((1 + confidence) / 2))
            return Noise(name, "gaussian", low, high, steps, spread)
        wanted = min(wanted, float(MOST_STEPS))  # the grid has not so many: it is refused below
        half = max(1, math.ceil((wanted / confidence - 1) / 2) - 1)
        while math.ceil(confidence * (2 * half + 1) - 1e-9) - 1 < wanted - 1e-9:
            half += 1
        return Noise(name, "uniform", low, high, steps, half)

    def _grid(self, attribute: Attribute, where: str) -> int:
        """Return the number of steps over the range: whole numbers where they are asked for."""
        whole = attribute.integer if self.integer is None else self.integer
        low, high = attribute.range
        if not whole:
            return self.steps
        if low != math.floor(low) or high != math.floor(high):
            message = f"{where}: noisy values can be whole numbers only if the range's ends are."
            hint = f"set integer = false in {attribute.section}, or declare another range."
            raise PlanError(message, hint=hint)
        if high - low >= MOST_VALUES:
            message = f"{where} has more than {MOST_VALUES:,} whole numbers to add noise to."
            raise PlanError(message, hint=f"set integer = false in {attribute.section}.")
        return int(high - low)

    def _check(self, where: str) -> None:
        """Validate settings, whatever the attribute."""
        if self.kind not in LAWS:
            raise PlanError(f"{where}: the kind of noise must be 'uniform' or 'gaussian'.")
        if self.level is not None:
            check_amount(self.level, "level", where)
        number = isinstance(self.confidence, int | float) and not isinstance(self.confidence, bool)
        if not number or not 0 < self.confidence < 1:
            raise PlanError(f"{where}: confidence must be a number above 0 and below 1.")
        other = {"uniform": "sigma", "gaussian": "alpha"}[self.kind]
        if getattr(self, other) is not None:
            message = f"{where}: {other} is not a word of {self.kind} noise."
            raise PlanError(message, hint="alpha goes with 'uniform', sigma with 'gaussian'.")
        own = {"uniform": "alpha", "gaussian": "sigma"}[self.kind]
        amount = getattr(self, own)
        if amount is not None:
            if self.level is not None:
                message = f"{where}: level and {own} say the same thing in two ways."
                raise PlanError(message, hint="give one of them.")
            check_amount(amount, own, where)
        if self.integer is not None and not isinstance(self.integer, bool):
            raise PlanError(f"{where}: integer must be true or false.")
        whole = isinstance(self.steps, int) and not isinstance(self.steps, bool)
        if not whole or not 1 <= self.steps <= MOST_VALUES:
            raise PlanError(f"{where}: steps must be a whole number from 1 to {MOST_VALUES}.")

    # A whole table

    def plan(self, schema: Schema) -> Plan:
        """Return the plan: noise for every number, and what ``categorical`` says for the rest.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> type(pv.AdditiveNoise(level=0.5).plan(schema).treatment("age", schema)).__name__
        'AdditiveNoise'
        """
        self._check("AdditiveNoise")
        names = [attribute.name for attribute in schema.inputs if attribute.is_categorical]
        noise = replace(self, categorical=None)
        treatments: dict[str, Treatment] = {schema.target: Exact()}
        if names:
            treatments |= dict.fromkeys(names, self._categories(names[0]))
        return Plan(treatments, default=noise)

    def _categories(self, name: str) -> Treatment:
        if self.categorical is None:
            message = f"AdditiveNoise: attribute {name!r} is categorical and takes no noise."
            hint = (
                "categorical = 'withheld', categorical = 'exact', or categorical = 8 for a gamma "
            )
            hint += "to substitute categories by."
            raise PlanError(message, hint=hint)
        if isinstance(self.categorical, str):
            kinds: dict[str, Treatment] = {"exact": Exact(), "withheld": Withheld()}
            if self.categorical not in kinds:
                message = "AdditiveNoise: categorical must be 'exact', 'withheld' or a gamma."
                raise PlanError(message)
            return kinds[self.categorical]
        check_gamma(self.categorical, "AdditiveNoise: categorical")
        return Substitution(self.categorical)
