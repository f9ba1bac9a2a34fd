"""The scikit-learn class of forests: SysFor on plain records and on releases."""

from __future__ import annotations

from contextlib import suppress
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from privet.errors import InputError, MethodError
from privet.estimate.accuracy import Accuracy, accuracy, check_measurable, vote_accuracy
from privet.estimators import TreeClassifier, check_release, paths_to
from privet.grow.forest import VOTES, SysFor, grow_forest, votes
from privet.release import Release
from privet.tree.diagram import TooManyCasesError
from privet.tree.graft import grafted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats, Ints
    from privet.estimate.base import Evidence
    from privet.split import Policy
    from privet.tree import Tree

__all__ = ["ForestClassifier"]

COUNTED_TREES = 60
ESTIMATED_TREES = 10  # all have the same noisy counts: more of them add time, not sureness


class ForestClassifier(TreeClassifier):
    """A forest of trees that start with different good splits (SysFor), which vote.

    From a release, counts are corrected as for a tree, and every tree is right about the original
    records. From plain records: ``fit(X, y)``.

    Parameters
    ----------
    n_estimators : int, default=None
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
    policy : {"c4.5", "cart", "id3", "credal"} or Policy, default=None
        How trees grow, as for ``TreeClassifier``. None means ``c4.5``, as in SysFor, and
        ``cart`` where counts are estimated: small branches have high gain ratios, and are unsure.
        ``credal`` with ``goodness=1, separation=1`` is the credal forest of Abellán and Masegosa
        (2010): a tree for each attribute at the root.
    method, max_depth, min_samples_split, min_samples_leaf, min_impurity_decrease,
    max_leaf_nodes, class_weight, min_weight_fraction_leaf, max_purity
        As for ``TreeClassifier``.

    Attributes
    ----------
    trees_ : tuple of Tree
        The trees; the first, also ``tree_``, is what ``TreeClassifier`` grows.
    estimators_ : list of TreeClassifier
        The same trees, each as a classifier.
    classes_, method_, reason_, n_features_in_, feature_names_in_
        As for ``TreeClassifier``.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> model = pv.ForestClassifier(n_estimators=2).fit(release)
    >>> [tree.codings[tree.attribute[0]].name for tree in model.trees_]
    ['Outlook', 'Humidity']
    """

    _called = "forest"
    _tellable = "fewer or shallower trees, or TreeClassifier"

    def __init__(
        self,
        n_estimators: int | None = None,
        goodness: float = 0.3,
        separation: float = 0.3,
        voting: str = "credal",
        policy: str | Policy | None = None,
        method: str = "auto",
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_impurity_decrease: float | None = None,
        max_leaf_nodes: int | None = None,
        class_weight: Any = None,
        min_weight_fraction_leaf: float = 0.0,
        max_purity: float | None = None,
    ) -> None:
        limits = max_depth, min_samples_split, min_samples_leaf, min_impurity_decrease
        others = max_leaf_nodes, class_weight, min_weight_fraction_leaf, max_purity
        super().__init__(policy, method, *limits, *others)
        self.n_estimators = n_estimators
        self.goodness = goodness
        self.separation = separation
        self.voting = voting

    def _preset(self, X: Any) -> str | Policy:
        if self.policy is not None:
            return self.policy
        return "cart" if _is_estimated(X) else "c4.5"

    def _policy(self, X: Any) -> Policy:
        if self.n_estimators is None:
            self._trees = ESTIMATED_TREES if _is_estimated(X) else COUNTED_TREES
        elif isinstance(self.n_estimators, Integral) and int(self.n_estimators) >= 1:
            self._trees = int(self.n_estimators)
        else:
            raise InputError("n_estimators must be a whole number of at least 1, or None.")
        for name in ("goodness", "separation"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 <= float(value) <= 1:
                raise InputError(f"{name} must be a number from 0 to 1.")
        if self.voting not in VOTES:
            message = f"There is no voting {self.voting!r}; there are {', '.join(VOTES)}."
            raise MethodError(message)
        return super()._policy(X)

    def _grown(self, evidence: Evidence, policy: Policy, target: str) -> tuple[Tree, ...]:
        wanted = SysFor(self._trees, float(self.goodness), float(self.separation))
        return grow_forest(evidence, policy, target, wanted)

    def _take(self, trees: tuple[Tree, ...]) -> None:
        super()._take(trees)
        self.trees_ = trees

    @property
    def estimators_(self) -> list[TreeClassifier]:
        """The trees as classifiers, which take frames with columns by name.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> forest = pv.ForestClassifier(n_estimators=2).fit(release)
        >>> [tree.get_depth() for tree in forest.estimators_]
        [2, 2]
        """
        check_is_fitted(self)
        return [TreeClassifier.from_tree(tree) for tree in self.trees_]

    def decision_path(self, X: Any) -> tuple[Any, Ints]:
        """Return the nodes each plain record passes in all trees, and where each tree's begin.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> forest = pv.ForestClassifier(n_estimators=2).fit(release)
        >>> forest.decision_path(table)[0].shape[0]
        14
        """
        from scipy.sparse import hstack

        leaves = self.apply(X)
        paths = [paths_to(tree, leaves[:, place]) for place, tree in enumerate(self.trees_)]
        return hstack(paths, "csr"), np.cumsum([0, *(tree.nodes for tree in self.trees_)])

    def apply(self, X: Any) -> Ints:
        """Return the leaf that each plain record reaches in each tree, records × trees.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> forest = pv.ForestClassifier(n_estimators=2).fit(release)
        >>> forest.apply(table).shape[0]
        14
        """
        values = self._values(X)
        return np.stack([tree.apply(values) for tree in self.trees_], axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each plain record; a tie goes to the class that comes first.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> forest = pv.ForestClassifier(n_estimators=2).fit(release)
        >>> len(forest.predict(table))
        14
        """
        chosen = self.predict_proba(X).argmax(1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return each class's share of all votes, in the order of ``classes_``.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> forest = pv.ForestClassifier(n_estimators=2).fit(release)
        >>> forest.predict_proba(table).shape
        (14, 2)
        """
        values = self._values(X)
        total: Floats = np.zeros((len(values), len(self.classes_)))
        for tree in self.trees_:
            total += votes(tree, self.voting)[tree.apply(values)]
        whole = total.sum(1, keepdims=True)
        # Equal votes stay equal however they were added up.
        shares: Floats = np.round(np.divide(total, whole, out=total, where=whole > 0), 12)
        return shares

    def accuracy(self, release: Release) -> Accuracy:
        """Estimate the vote's accuracy about the originals of a release, with its standard error.

        Attributes are asked one after the other until the vote is decided; where that takes too
        many steps, the leaves of all trees are intersected, which suits trees that agree. Each test
        of a disguised attribute adds to the error: a forest of many deep trees can be learned where
        its accuracy cannot be told; the interval is then 0 to 1, and a warning says so.

        >>> import privet as pv
        >>> table = pv.datasets.load("as-f1", rows=3000, seed=1)
        >>> schema = pv.datasets.schema("as-f1")
        >>> release = pv.RandomSubstitution(gamma=8).disguise(table, schema, seed=1)
        >>> grown, tested = release.split(0.7)
        >>> forest = pv.ForestClassifier(n_estimators=2).fit(grown)
        >>> forest.accuracy(tested).value > 0.8
        True
        """
        check_is_fitted(self)
        check_release(release)
        check_measurable(release)
        said = [votes(tree, self.voting) for tree in self.trees_]
        if release.universe is None:
            with suppress(TooManyCasesError):
                return self._warned(vote_accuracy(self.trees_, said, release), release)
        return self._warned(accuracy(grafted(self.trees_, said), release), release)


def _is_estimated(X: Any) -> bool:
    """Whether counts are estimated: from a release of records that went through a channel."""
    return isinstance(X, Release) and any(part.channels for part in X.parts)
