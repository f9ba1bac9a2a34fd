"""Policies: what makes one tree learner another. ID3, C4.5, CART, credal trees: sets of values.

A policy holds the classical settings: criterion, how categories branch, when to stop, what to
prune. How sure a split of estimated counts has to be belongs to the evidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any

from privet.errors import InputError, MethodError
from privet.split.criterion import criterion_names

__all__ = ["POLICIES", "Policy"]

_NUMBERS = (
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_leaf",
    "min_impurity_decrease",
    "min_gain_ratio",
    "cut_margin",
)


@dataclass(frozen=True)
class Policy:
    """How a tree is grown; ``Policy.named("c4.5").but(confidence=0.1)`` changes a preset.

    ``multiway`` gives a categorical attribute one branch per value; otherwise its values are
    divided in two. Numbers always divide in two. ``min_samples_leaf`` is in (estimated) records, as
    is ``min_samples_split``; above 0 and below 1 they are shares of all records, which ``counted``
    turns to numbers. ``min_weight_leaf`` is in weights, where records have some.
    ``min_impurity_decrease`` is in units of the criterion, the gain of a split times the node's
    share of all records; ``max_leaf_nodes`` keeps the splits that decrease impurity most, those
    below others after them. A node one of whose classes has a share of ``max_purity`` is not split
    ("most points of the same class", Agrawal and Srikant, 2000).

    With ``ratio`` an attribute's best split is still that of most gain, but attributes compete by
    gain ratio, gain over the entropy of the branch sizes, and only those of at least average gain
    (Quinlan, 1993); the gain of a cut between numbers is less log2(cuts) / records (Quinlan, 1996),
    and a ratio below ``min_gain_ratio`` is no split. ``cut_margin`` is what either side of such a
    cut must hold, as a share of a class's average records, 25 records at most. ``confidence``
    prunes by errors: a subtree stays if the upper bounds of its leaves' errors at that confidence
    are below that of the leaf in its place; None prunes nothing.

    Examples
    --------
    >>> strict = Policy.named("c4.5").but(confidence=0.1, max_depth=4)
    >>> strict.criterion, strict.max_depth
    ('entropy', 4)
    """

    criterion: str = "gini"
    multiway: bool = False
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    max_purity: float = 1.0
    ratio: bool = False
    min_gain_ratio: float = 0.0
    cut_margin: float = 0.0
    confidence: float | None = None

    def __post_init__(self) -> None:
        """Check the values as soon as they are given."""
        if self.criterion not in (names := criterion_names()):
            raise InputError(f"Policy: criterion must be {' or '.join(map(repr, names))}.")
        for name in ("multiway", "ratio"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"Policy: {name} must be true or false.")
        if self.max_depth is not None and not (_is_number(self.max_depth, Integral)):
            raise InputError("Policy: max_depth must be a whole number of at least 0, or None.")
        leaves = self.max_leaf_nodes
        if leaves is not None and not (_is_number(leaves, Integral) and leaves >= 2):
            message = "Policy: max_leaf_nodes must be a whole number of at least 2, or None."
            raise InputError(message)
        if not _is_number(self.max_purity, Real) or not 0 < self.max_purity <= 1:
            raise InputError("Policy: max_purity must be a number above 0 and at most 1.")
        for name in _NUMBERS:
            if not _is_number(getattr(self, name), Real):
                raise InputError(f"Policy: {name} must be a number of at least 0.")
        known = self.confidence is None or _is_number(self.confidence, Real)
        if not known or not (self.confidence is None or 0 < self.confidence < 1):
            message = "Policy: confidence must be a number between 0 and 1, or None."
            raise InputError(message, hint="C4.5's own is 0.25; a smaller one prunes more.")

    def but(self, **changes: Any) -> Policy:
        """Return the policy with other values; None keeps the preset's.

        >>> Policy.named("cart").but(max_depth=3).max_depth
        3
        """
        names = [field.name for field in fields(self)]
        for name in changes:
            if name not in names:
                message = f"A policy has no {name!r}; it has {', '.join(names)}."
                raise InputError(message)
        return replace(self, **{name: v for name, v in changes.items() if v is not None})

    def counted(self, rows: float) -> Policy:
        """Return the policy with shares of so many records as numbers of records, rounded up.

        >>> Policy.named("cart").but(min_samples_leaf=0.05).counted(1_010).min_samples_leaf
        51.0
        """
        names = ("min_samples_split", "min_samples_leaf")
        given = {name: float(getattr(self, name)) for name in names}
        shares = {name: value for name, value in given.items() if 0 < value < 1}
        return self.but(**{name: float(math.ceil(v * rows)) for name, v in shares.items()})

    @classmethod
    def named(cls, name: str | Policy | None) -> Policy:
        """Return a preset by its name; a policy is returned as it is.

        >>> Policy.named("id3").criterion
        'entropy'
        """
        if isinstance(name, Policy):
            return name
        if not isinstance(name, str) or name not in POLICIES:
            message = f"There is no policy {name!r}; there are {', '.join(map(repr, POLICIES))}."
            raise MethodError(message)
        return POLICIES[name]


def _is_number(value: object, kind: type) -> bool:
    """Whether a value is a finite number of a kind, at least 0."""
    number = isinstance(value, kind) and isinstance(value, Real) and not isinstance(value, bool)
    return number and 0 <= float(value) < math.inf  # type: ignore[arg-type] # a Real by now


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
    # Abellán and Moral (2003): it stops by itself where the imprecise gain is not above 0.
    "credal": Policy(criterion="credal", multiway=True, min_impurity_decrease=1e-9),
}
