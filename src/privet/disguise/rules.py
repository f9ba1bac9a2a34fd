"""The rules that noise has to keep: a forest grown from the owner's own records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, PlanError
from privet.estimate.bins import learn_cells
from privet.split.policy import Policy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.schema import Schema
    from privet.table import MemoryTable
    from privet.tree.tree import Tree

__all__ = [
    "BELOW_ONE",
    "FORESTS",
    "LEAST_SHARE",
    "SAID",
    "Rules",
    "check_share",
    "check_whole",
    "matrix",
]

LEAST_SHARE = 0.04  # of the records in a leaf, where nobody says another least
SAID = (
    "Every record stays in its leaf of the trees that the noise was fitted to: whoever grows the "
    "same trees from the release knows for certain which interval a true number lies in, and which "
    "category it is where a tree tests it."
)
FORESTS = ("sysfor", "credal")
TO_ONE, BELOW_ONE = "to 1", "up to, but not, 1"


@dataclass(frozen=True)
class Rules:
    """How a forest is grown: C4.5 trees by SysFor (FI §7), or credal trees (FI §3, step 1).

    ``forest`` is ``"sysfor"``, or ``"credal"``: trees by the upper entropy, one for each attribute
    at the root, the best first, and up to ``n_trees`` of them (Abellán and Masegosa, 2010); they
    stop by themselves and take no goodness, separation, gain ratio or confidence. ``min_leaf``
    None means 4 % of the records, and two at least: FI's own choices lie between 4 and 7 %. The
    least gain ratio of 0.01 and the confidence of 0.25 are C4.5's.
    """

    n_trees: int = 3
    min_leaf: float | None = None
    goodness: float = 0.5
    separation: float = 0.3
    forest: str = "sysfor"
    min_gain_ratio: float = 0.01
    confidence: float = 0.25

    def check(self, who: str) -> None:
        """Validate settings; ``who`` is the method that messages name."""
        if self.forest not in FORESTS:
            raise PlanError(f"{who}: forest must be {' or '.join(map(repr, FORESTS))}.")
        check_whole(who, "n_trees", self.n_trees, 1)
        if self.min_leaf is not None:
            check_whole(who, "min_leaf", self.min_leaf, 1)
        check_share(who, "goodness", self.goodness)
        check_share(who, "separation", self.separation)
        check_share(who, "min_gain_ratio", self.min_gain_ratio)
        check_share(who, "confidence", self.confidence, BELOW_ONE)
        if self.confidence == 0:
            raise PlanError(f"{who}: confidence must be above 0.", hint="C4.5's own is 0.25.")

    def least(self, rows: int) -> float:
        """Return the least number of records in a leaf."""
        if self.min_leaf is not None:
            return float(self.min_leaf)
        return float(max(2, math.ceil(LEAST_SHARE * rows)))

    def grow(
        self, table: MemoryTable, schema: Schema, target: str | None = None
    ) -> tuple[Tree, ...]:
        """Grow the forest of coded records, for the class or another categorical attribute."""
        from privet.estimate.routed import routed
        from privet.grow.forest import SysFor, grow_forest

        goal = target or schema.target
        codings = tuple(
            attribute.coding()
            if attribute.is_categorical
            else learn_cells(
                attribute.name,
                table.columns[attribute.name],
                missing=attribute.missing == "category",
            )
            for attribute in schema
            if attribute.name != goal
        )
        labels = schema[goal].coding()
        classes = (*(labels.values or ()), *(["missing"] * labels.missing))
        evidence = routed(table, codings, goal, classes)
        least = self.least(table.rows)
        if self.forest == "credal":
            policy = Policy.named("credal").but(min_samples_leaf=least)
            return grow_forest(evidence, policy, goal, SysFor(self.n_trees, 1.0, 1.0))
        policy = Policy.named("c4.5").but(
            min_samples_leaf=least, min_gain_ratio=self.min_gain_ratio, confidence=self.confidence
        )
        return grow_forest(
            evidence, policy, goal, SysFor(self.n_trees, self.goodness, self.separation)
        )

    def grown(self, table: MemoryTable, schema: Schema) -> tuple[Tree, ...]:
        """Grow the forest for the class; too few records are refused."""
        least = self.least(table.rows)
        if table.rows < least:
            message = f"The table has {table.rows:,} records, fewer than the {least:g} that a leaf "
            raise DataError(message + "must hold.", hint="lower min_leaf, or collect more records.")
        labels: NDArray[Any] = table.columns[schema.target]
        if (labels == labels[0]).all():
            message = f"The records are all of one class of {schema.target!r}: there are no rules "
            raise DataError(message + "to keep.", hint="choose a class that differs among records.")
        return self.grow(table, schema)


def matrix(table: MemoryTable, schema: Schema, target: str | None = None) -> Floats:
    """Return records × attributes as trees read them: numbers, and categories as codes."""
    names = [name for name in schema.names if name != (target or schema.target)]
    values = np.empty((table.rows, len(names)))
    for place, name in enumerate(names):
        values[:, place] = table.columns[name]
    return values


def check_whole(who: str, name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise PlanError(f"{who}: {name} must be a whole number of at least {least}.")


def check_share(who: str, name: str, value: object, most: str = TO_ONE) -> None:
    """Refuse what is not a number from 0 to 1, or, with ``most`` ``BELOW_ONE``, below 1."""
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if 0 <= number <= 1 and (number < 1 or most == TO_ONE):
            return
    raise PlanError(f"{who}: {name} must be a number from 0 {most}.")
