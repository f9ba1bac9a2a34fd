"""Whole records with a small ε: each record tells of a few of its attributes, drawn at random.

Channels of all attributes share one ε between them, and each then tells next to nothing. If a
record tells of m attributes only, and of its class, these share the ε: fewer records tell of each
attribute, but much more clearly, which is worth more (Wang et al. 2019, "Collecting and analyzing
multidimensional data with local differential privacy"). Which attributes a record tells of is
drawn whatever its values, and public: a part of the release for every set of attributes.

Sets of m attributes tell of joint tables of m attributes and the class; what more of them have to
do with each other is not in the release, whatever the miner does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.base import Planned, method
from privet.disguise.plan import Plan
from privet.disguise.recipe import Lot
from privet.disguise.treatment import Substitution
from privet.disguise.wish import gamma_of
from privet.errors import BugError, PlanError
from privet.release import Claim
from privet.release.people import People

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.disguise.plan import Make
    from privet.disguise.recipe import Recipe, Step
    from privet.disguise.units import Kept
    from privet.release import Release
    from privet.schema import Schema

__all__ = ["RandomSubsets", "SubsetPlan"]

MOST_PARTS = 120  # sets of attributes; of more than that so many are drawn, which is enough


@method
@dataclass(frozen=True)
class RandomSubsets(Planned):
    """Let each record tell of a few of its attributes, drawn at random, and of its class.

    Protects a whole record, its class included, by ``epsilon``: the attributes that it tells of
    share it with the class.

    Parameters
    ----------
    epsilon
        Of a whole record; 4 if nothing is said.
    attributes
        How many attributes a record tells of, besides the class.
    target
        The share of ε that goes to the class; by default a third.
    weights
        How much of the rest goes to an attribute relative to others, by name; 1 where not given.
        What is known in advance to matter more may get more.
    bins
        Into how many cells numbers are cut; by default as the schema says, else as many as suit
        the number of records.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = RandomSubsets(epsilon=4, attributes=2).disguise(table, schema)
    >>> release.claim.epsilon <= 4
    True
    """

    method: ClassVar[str] = "subsets"

    epsilon: float = 4.0
    attributes: int = 2
    target: float = 1 / 3
    weights: Mapping[str, float] = field(default_factory=dict)
    bins: int | None = None

    def plan(self, schema: Schema) -> SubsetPlan:
        """Return the plan: the sets of attributes, and the γ of each of their channels.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> plan = pv.RandomSubsets(epsilon=4, attributes=2).plan(schema)
        >>> len(plan.recipes(schema)) > 1
        True
        """
        self._check(schema)
        sets = _sets([attribute.name for attribute in schema.inputs], self.attributes)
        weights = {
            attribute.name: float(self.weights.get(attribute.name, 1))
            for attribute in schema.inputs
        }
        cells = {
            attribute.name: Substitution(bins=None if attribute.is_categorical else self.bins)
            for attribute in schema.inputs
        }
        return SubsetPlan(
            {**cells, schema.target: Substitution()},
            wave=None,
            sets=tuple(sets),
            epsilons=tuple(
                {
                    schema.target: self.target * self.epsilon,
                    **_shared((1 - self.target) * self.epsilon, names, weights),
                }
                for names in sets
            ),
        )

    def _check(self, schema: Schema) -> None:
        where = "RandomSubsets"
        gamma_of(where, epsilon=self.epsilon)
        names = [attribute.name for attribute in schema.inputs]
        whole = isinstance(self.attributes, int) and not isinstance(self.attributes, bool)
        if not whole or not 1 <= self.attributes <= len(names):
            message = f"{where}: attributes must be a whole number from 1 to {len(names)}, "
            raise PlanError(message + "how many a record tells of.")
        if not isinstance(self.target, int | float) or not 0 < self.target < 1:
            message = f"{where}: target must be a number above 0 and below 1, the class's share "
            raise PlanError(message + "of ε: a class that is plain would leave no bound.")
        if not isinstance(self.weights, Mapping):
            raise PlanError(f"{where}: weights is a table of attributes and numbers.")
        for name, weight in self.weights.items():
            number = isinstance(weight, int | float) and not isinstance(weight, bool)
            if name not in names or not number or not 0 < weight < math.inf:
                message = f"{where}: the weight of {name!r} must be a number above 0, of one of "
                raise PlanError(message + f"{', '.join(names)}.")


@dataclass(frozen=True)
class SubsetPlan(Plan):
    """A plan whose records tell of different attributes: a set of them for every part.

    ``epsilons`` has the ε of the attributes of each set, and of the class.
    """

    method: ClassVar[str] = "subset-plan"

    sets: tuple[tuple[str, ...], ...] = ()
    epsilons: tuple[Mapping[str, float], ...] = ()

    def suited(self, schema: Schema, rows: int) -> SubsetPlan:
        """Return the plan with numbers of cells for so many records."""
        return replace(self, treatments=super().suited(schema, rows).treatments)

    def recipes(self, schema: Schema) -> list[Recipe]:
        """Return the recipe of each part, with the lot of records that is in it."""
        whole = self.recipe(schema)
        lots = Lot.shares([1.0] * len(self.sets))
        return [
            replace(
                whole,
                steps=tuple(
                    _paying(step, epsilons[step.name])
                    for step in whole.steps
                    if step.name in epsilons
                ),
                lot=lot,
            )
            for epsilons, lot in zip(self.epsilons, lots, strict=True)
        ]

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed."""
        whole = self.recipe(schema)
        recipes = self.recipes(schema)
        return Claim.of(
            whole.treatments,
            [recipe.channels for recipe in recipes],
            columns=whole.types,
            target=schema.goal,
            learned=schema.learned,
            seeded=seeded,
            lacking=[set(whole.types) - set(recipe.types) for recipe in recipes],
            people=None if schema.rows_per_unit is None else People(schema.rows_per_unit),
        )

    def made(
        self, schema: Schema, make: Make, kept: Kept, *, seeded: bool, shuffled: bool
    ) -> Release:
        """Return the release of what is ``kept``, a part for every set of attributes."""
        whole = replace(self.recipe(schema), kept=kept)
        recipes = [replace(recipe, kept=kept) for recipe in self.recipes(schema)]
        parts = [recipe.part(make(recipe, place)) for place, recipe in enumerate(recipes)]
        return whole.release(parts, seeded=seeded, shuffled=shuffled, drawn=True)


def _sets(names: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Return all sets of so many names, or as many as there may be parts, drawn evenly.

    The draw is the same every time: it is public anyway.
    """
    if math.comb(len(names), size) <= MOST_PARTS:
        return list(combinations(names, size))
    rng = np.random.default_rng(len(names))
    chosen: dict[tuple[str, ...], None] = {}
    while len(chosen) < MOST_PARTS:
        order = rng.permutation(len(names))  # blocks of one order: each name about as often
        for start in range(0, len(names) - size + 1, size):
            places = sorted(order[start : start + size].tolist())
            chosen[tuple(names[place] for place in places)] = None
    return list(chosen)[:MOST_PARTS]


def _paying(step: Step, epsilon: float) -> Step:
    """Return the work for an attribute that costs so much."""
    if not isinstance(step.treatment, Substitution):
        raise BugError("a subset plan substitutes every attribute")
    treatment = replace(step.treatment, epsilon=epsilon)
    return replace(step, channel=treatment.channel(step.attribute))


def _shared(epsilon: float, names: Sequence[str], weights: Mapping[str, Any]) -> dict[str, float]:
    """Return how some attributes share an ε, by their weights."""
    total = sum(weights[name] for name in names)
    return {name: epsilon * weights[name] / total for name in names}
