"""Policies: what makes one tree learner another. ID3, C4.5 and CART are sets of values.

A grower reads nothing else: criterion, how categories branch, when to stop, and how sure a split
from estimated counts has to be.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from privet.errors import MethodError

__all__ = ["POLICIES", "Policy"]

Criterion = Literal["gini", "entropy"]


@dataclass(frozen=True)
class Policy:
    """How a tree is grown.

    ``multiway`` gives a categorical attribute one branch a value; otherwise its values are
    divided in two. Numbers always divide in two. ``min_samples_leaf`` is in (estimated)
    records, as is ``min_samples_split``; ``min_gain`` in units of the criterion.

    With ``ratio`` an attribute's best split is still that of most gain, but attributes compete by
    gain ratio, gain over the entropy of the branch sizes, and only those of at least average gain
    (Quinlan, 1993); the gain of a cut between numbers is less log2(cuts) / records (Quinlan, 1996),
    and a ratio below ``min_gain_ratio`` is no split. ``cut_margin`` is what either side of such a
    cut must hold, as a share of a class's average records, 25 records at most. ``confidence``
    prunes by errors: a subtree stays if the upper bounds of its leaves' errors at that confidence
    are below that of the leaf in its place; None prunes nothing.

    The z values matter only where counts are estimated: a split's gain must be ``min_z``
    standard errors above zero, its children ``min_child_z`` standard errors, and a leaf whose
    leading class is less than ``min_leaf_z`` standard errors ahead takes its parent's label.
    Where tables are fitted, a split that brings z² / 2 of log-likelihood costs ``min_fit_z``² / 2:
    the grower goes on past splits of half that z, and subtrees that do not pay are cut. A first
    tree is grown to see which attributes ever split with ``min_attribute_z``; the tree is then
    grown from these alone, in larger tables: among many nodes and cuts chance finds a few of any.
    In the first tree a split that is as sure as that comes before one that only gains more. Where
    noise blurs all of them and they fit in one table, no split of it has to be sure, as with a
    ``min_fit_z`` of 0: what makes no fewer errors is cut.
    """

    criterion: Criterion = "gini"
    multiway: bool = False
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_gain: float = 0.0
    min_z: float = 2.0
    min_child_z: float = 2.0
    min_leaf_z: float = 1.0
    min_fit_z: float = 2.0
    min_attribute_z: float = 4.5
    ratio: bool = False
    min_gain_ratio: float = 0.0
    cut_margin: float = 0.0
    confidence: float | None = None

    def but(self, **changes: Any) -> Policy:
        """Return the policy with other values; None keeps the preset's."""
        known = {field.name for field in fields(self)}
        return replace(
            self,
            **{
                name: value
                for name, value in changes.items()
                if value is not None and name in known
            },
        )

    @classmethod
    def named(cls, name: str | None) -> Policy:
        """Return a preset."""
        if not isinstance(name, str) or name not in POLICIES:
            message = f"There is no policy {name!r}; there are {', '.join(map(repr, POLICIES))}."
            raise MethodError(message)
        return POLICIES[name]


POLICIES: dict[str, Policy] = {
    "cart": Policy(criterion="gini", multiway=False),
    "id3": Policy(criterion="entropy", multiway=True),
    "c4.5": Policy(
        criterion="entropy",
        multiway=True,
        min_samples_leaf=2,
        ratio=True,
        min_gain_ratio=0.01,
        cut_margin=0.1,
        confidence=0.25,
    ),
}
