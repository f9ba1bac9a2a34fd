"""The scikit-learn class of forests: SysFor on plain records and on releases."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from privet.errors import InputError, MethodError
from privet.estimators import TreeClassifier
from privet.release import Release
from privet.tree.forest import VOTES, SysFor, grow_forest, votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.estimate.base import Evidence
    from privet.tree import Policy

__all__ = ["ForestClassifier"]

COUNTED_TREES = 60
ESTIMATED_TREES = 10  # all have the same noisy counts: more of them add time, not sureness


class ForestClassifier(TreeClassifier):
    """A forest of trees that start with different good splits (SysFor), which vote.

    From a release, counts are corrected as for a tree, and every tree is right about the original
    records. From plain records: ``fit(X, y)``.

    Parameters
    ----------
    n_trees : int, default=None
        The most trees: None means 60, and 10 where counts are estimated. There are fewer if there
        are fewer good splits.
    goodness : float, default=0.3
        How far below the best gain ratio a good split's may lie, or its gain if the policy takes
        no ratios.
    separation : float, default=0.3
        How far apart two cuts of one numeric attribute must lie, as a share of its range.
    voting : {"credal", "majority"}, default="credal"
        ``credal`` adds up the lower probabilities n_c / (n + 1) of the leaves; ``majority`` their
        labels.
    policy : {"c4.5", "cart", "id3"}, default=None
        How trees grow, as for ``TreeClassifier``. None means ``c4.5``, as in SysFor, and
        ``cart`` where counts are estimated: small branches have high gain ratios, and are unsure.
    method, max_depth, min_samples_split, min_samples_leaf, min_gain
        As for ``TreeClassifier``.

    Attributes
    ----------
    trees_ : tuple of Tree
        The trees; the first, also ``tree_``, is the one that ``TreeClassifier`` grows.
    classes_, method_, reason_, n_features_in_, feature_names_in_
        As for ``TreeClassifier``.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> model = pv.ForestClassifier(n_trees=2).fit(release)
    >>> [tree.codings[tree.attribute[0]].name for tree in model.trees_]
    ['Outlook', 'Humidity']
    """

    def __init__(
        self,
        n_trees: int | None = None,
        goodness: float = 0.3,
        separation: float = 0.3,
        voting: str = "credal",
        policy: str | None = None,
        method: str = "auto",
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_gain: float | None = None,
    ) -> None:
        limits = max_depth, min_samples_split, min_samples_leaf, min_gain
        super().__init__("", method, *limits)
        self.policy = policy
        self.n_trees = n_trees
        self.goodness = goodness
        self.separation = separation
        self.voting = voting

    def _preset(self, X: Any) -> str:
        if self.policy is not None:
            return self.policy
        return "cart" if _is_estimated(X) else "c4.5"

    def _policy(self, X: Any) -> Policy:
        if self.n_trees is None:
            self._trees = ESTIMATED_TREES if _is_estimated(X) else COUNTED_TREES
        elif isinstance(self.n_trees, Integral) and int(self.n_trees) >= 1:
            self._trees = int(self.n_trees)
        else:
            raise InputError("n_trees must be a whole number of at least 1, or None.")
        for name in ("goodness", "separation"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 <= float(value) <= 1:
                raise InputError(f"{name} must be a number from 0 to 1.")
        if self.voting not in VOTES:
            message = f"There is no voting {self.voting!r}; there are {', '.join(VOTES)}."
            raise MethodError(message)
        return super()._policy(X)

    def _grow(self, evidence: Evidence, policy: Policy, target: str) -> None:
        wanted = SysFor(self._trees, float(self.goodness), float(self.separation))
        self.trees_ = grow_forest(evidence, policy, target, wanted)
        self.tree_ = self.trees_[0]

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each plain record reaches in each tree, records × trees."""
        values = self._values(X)
        return np.stack([tree.apply(values) for tree in self.trees_], axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each plain record; a tie goes to the class that comes first."""
        chosen = self.predict_proba(X).argmax(1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return each class's share of all votes, in the order of ``classes_``."""
        values = self._values(X)
        total: Floats = np.zeros((len(values), len(self.classes_)))
        for tree in self.trees_:
            total += votes(tree, self.voting)[tree.apply(values)]
        whole = total.sum(1, keepdims=True)
        # Equal votes stay equal however they were added up.
        shares: Floats = np.round(np.divide(total, whole, out=total, where=whole > 0), 12)
        return shares

    def accuracy(self, release: Release) -> NoReturn:
        """Refuse: the accuracy of a vote cannot be estimated from disguised records."""
        del release
        message = "A forest's accuracy cannot be estimated from a release: its trees vote."
        raise MethodError(message, hint="score it on plain records, or score model.tree_.")


def _is_estimated(X: Any) -> bool:
    """Whether counts are estimated: from a release of records that went through a channel."""
    return isinstance(X, Release) and any(part.channels for part in X.parts)
