"""Forest Framework: noise that keeps the rules of a forest (Fletcher and Islam, FI §3).

A forest is grown from the records; every record lies in one leaf of each tree, so in their
intersection. Numbers get noise that stays inside the intersection, categories and the class are
dealt anew among its records. So every record stays in its leaf of every tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.cells import LARGEST
from privet.compiled import in_threads
from privet.disguise.base import method
from privet.disguise.kernels import deal
from privet.disguise.noised import Noised, normals
from privet.disguise.rules import SAID, Rules, matrix
from privet.disguise.wrap import wrap
from privet.errors import PlanError
from privet.table import MemoryTable
from privet.tree.domains import intersect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints
    from privet.randomness import Randomness
    from privet.schema import Attribute, Schema
    from privet.tree.domains import Intersections
    from privet.tree.tree import Tree

__all__ = ["ForestFramework", "check_noise", "dealt", "keep_rules", "shaken"]


@method
@dataclass(frozen=True)
class ForestFramework(Noised):
    """Noise under which every record stays in its leaf of every tree of a forest.

    No formal guarantee: whoever grows the same trees knows for certain the interval that a true
    number lies in. Inside it numbers are noisy, and categories and classes change hands.

    Parameters
    ----------
    n_trees
        The most trees of the forest. More trees make smaller intersections: more rules are kept,
        and more is disclosed.
    noise
        The standard deviation of the noise, as a share of each attribute's range.
    min_leaf
        The least records in a leaf; by default 4 % of the records, two at least.
    goodness, separation
        Of SysFor: how far below the best gain ratio a tree's first split may lie, and how far apart
        two cuts of one attribute must lie.
    min_gain_ratio, confidence
        Of C4.5: the least gain ratio of a split, and at which confidence of their errors' upper
        bounds subtrees are pruned; the smaller, the more.
    forest
        ``"sysfor"``, or ``"credal"``: credal trees, one for each of the best attributes at the
        root, which take none of the four settings before.
    mean
        The mean of the noise, as a share of each range; 0 by default. What leaves a sub-domain at
        one end comes in at the other, so that another mean moves numbers round inside it.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> release = pv.ForestFramework(n_trees=2).disguise(table, schema)
    >>> release.unbounded.settings["n_trees"]
    2
    """

    method: ClassVar[str] = "forest-framework"
    said = (
        (
            "Numbers have noise, categories and the class are dealt anew among records of the "
            "same leaves of {n_trees} trees."
        ),
        SAID,
    )

    n_trees: int = 3
    noise: float = 0.1
    min_leaf: int | None = None
    goodness: float = 0.5
    separation: float = 0.3
    min_gain_ratio: float = 0.01
    confidence: float = 0.25
    forest: str = "sysfor"
    mean: float = 0.0

    @property
    def rules(self) -> Rules:
        """How the forest is grown.

        >>> ForestFramework(n_trees=5).rules.n_trees
        5
        """
        learner = self.forest, self.min_gain_ratio, self.confidence
        return Rules(self.n_trees, self.min_leaf, self.goodness, self.separation, *learner)

    def check(self, schema: Schema) -> None:
        """Validate settings, and refuse numbers without room for noise.

        >>> import privet as pv
        >>> pv.ForestFramework(noise=0.1).check(pv.datasets.schema("as-f1"))
        """
        self.rules.check("ForestFramework")
        check_noise("ForestFramework", self.noise, schema, self.mean)

    def perturb(self, table: MemoryTable, schema: Schema, source: Randomness) -> MemoryTable:
        """Return the records with noise, each in its leaf of every tree.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> pv.ForestFramework(n_trees=2).disguise(table, schema).schema.names == schema.names
        True
        """
        trees = self.rules.grown(table, schema)
        return keep_rules(trees, table, schema, source, self.noise, self.mean)


def keep_rules(
    trees: Sequence[Tree],
    table: MemoryTable,
    schema: Schema,
    source: Randomness,
    noise: float,
    mean: float = 0.0,
) -> MemoryTable:
    """Shake numbers inside the intersections of trees, and deal all categories anew there."""
    leaves = intersect(trees, matrix(table, schema))
    made = shaken(leaves, table, schema, source, noise, mean)
    names = [attribute.name for attribute in schema if attribute.is_categorical]
    columns = {**made, **dealt(leaves.member, table, names, schema, source)}
    return MemoryTable({name: columns[name] for name in schema.names})


def shaken(
    leaves: Intersections,
    table: MemoryTable,
    schema: Schema,
    source: Randomness,
    noise: float,
    mean: float = 0.0,
) -> dict[str, Floats]:
    """Return the numeric columns with noise, each number inside its intersection's sub-domain.

    A missing number stays missing.
    """
    places = {name: place for place, name in enumerate(schema.names)}

    def shake(column: int) -> Floats:
        attribute = schema.inputs[column]
        low, high = attribute.range
        lower = np.maximum(leaves.limits.lower[:, column], _below(attribute))
        upper = np.minimum(leaves.limits.upper[:, column], high)
        drawn = normals(source, places[attribute.name], table.rows)
        shift = (high - low) * (mean + noise * drawn)
        numbers = table.columns[attribute.name]
        return wrap(numbers, shift, lower, upper, leaves.member, whole=attribute.integer)

    inputs = schema.inputs
    numeric = [place for place, attribute in enumerate(inputs) if not attribute.is_categorical]
    made = in_threads(shake, numeric)
    return {inputs[place].name: column for place, column in zip(numeric, made, strict=True)}


def _below(attribute: Attribute) -> float:
    """Return the open lower end of a range: its smallest number is inside, if it is whole."""
    return attribute.range[0] - (0.5 if attribute.integer else 0.0)


def dealt(
    member: Ints, table: MemoryTable, names: Sequence[str], schema: Schema, source: Randomness
) -> dict[str, NDArray[Any]]:
    """Return columns of codes dealt anew within groups: every group keeps its counts."""
    # Numbers of two bytes are sorted by counting.
    narrow = member.astype(np.uint16) if member.max() < 1 << 16 else member
    order = np.argsort(narrow, kind="stable")
    ends = np.cumsum(np.bincount(member))

    def work(name: str) -> NDArray[Any]:
        codes = table.columns[name]
        out = np.empty_like(codes)
        words = source.words(schema.names.index(name), 0, 2 * table.rows)
        deal(codes, order, ends, words, out)
        return out

    return dict(zip(names, in_threads(work, names), strict=True))


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def check_noise(who: str, noise: Any, schema: Schema, mean: Any = 0.0) -> None:
    """Validate the noise and its mean, and that numbers have room for it."""
    if not _is_real(noise) or not 0 < noise <= LARGEST:
        raise PlanError(f"{who}: noise must be a number above 0, a share of each range.")
    if not _is_real(mean) or not abs(mean) <= LARGEST:
        raise PlanError(f"{who}: mean must be a finite number, a share of each range.")
    for attribute in schema.inputs:
        if attribute.is_categorical:
            continue
        if attribute.range[0] == attribute.range[1]:
            message = (
                f"{who}: the range of {attribute.name!r} is a single number: there is no room "
            )
            raise PlanError(message + "for noise.", hint="leave it out of the schema.")
