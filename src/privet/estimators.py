"""The scikit-learn face of privet: classifiers that learn from releases and from plain tables."""

from __future__ import annotations

import warnings
import weakref
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from privet.classifier import Classifier
from privet.coding import code_type
from privet.errors import InputError, MethodError, PrivetWarning
from privet.estimate.accuracy import Accuracy, accuracy
from privet.estimate.methods import METHODS
from privet.estimate.routed import routed
from privet.grow import grow
from privet.mining import mine
from privet.records import check_weight, code_columns, taken, whole_weights
from privet.release import Release
from privet.split import Policy
from privet.table import MemoryTable
from privet.tree.understand import importances, steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats, Ints
    from privet.estimate.base import Evidence
    from privet.tree import Tree
    from privet.tree.understand import Step

__all__ = ["TreeClassifier", "check_release", "paths_to"]

CLASS = "class"

# The release that a model was learned from, as long as both are in memory: no model keeps records.
_GROWN: weakref.WeakKeyDictionary[Any, weakref.ref[Release]] = weakref.WeakKeyDictionary()


class TreeClassifier(Classifier):
    """A decision tree learned from a release, or from plain records.

    From a release, the tree is right about the *original* records: counts are corrected for the
    disguise and a split must be significant against the error of that correction. From plain
    records it is an ordinary tree: ``fit(X, y)``, with numeric and categorical columns.

    Parameters
    ----------
    policy : {"cart", "id3", "c4.5", "credal"} or Policy, default=None
        What the other parameters change. ``cart`` divides in two by the gini index, ``id3`` by the
        information gain, one branch per category; ``c4.5`` by the gain ratio, and prunes;
        ``credal`` by the upper entropy of the imprecise Dirichlet model (Abellán and Moral, 2003),
        which stops where records are few. For other values:
        ``Policy.named("c4.5").but(confidence=0.1)``. None means ``cart``; a tree
        of a release is then pruned where its splits are not tested against the disguise.
    method : {"auto", "naive", "global", "by-class", "local", "direct", "joint"}, default="auto"
        How counts of a release are corrected; plain records need none. ``naive`` and ``global``
        ask for larger leaves the noisier the release is.
    max_depth : int, default=None
        The most tests on a path. None means the preset's value, as for all that follow.
    min_samples_split : float, default=None
        The fewest records of a node that is split; below 1, their share of all records, as in
        scikit-learn.
    min_samples_leaf : float, default=None
        The fewest records of a leaf; below 1, their share of all records. A record counts once,
        whatever its weight.
    min_weight_fraction_leaf : float, default=0.0
        The least share of all weights in a leaf, for plain records.
    min_impurity_decrease : float, default=None
        The least decrease of impurity by a split, weighted by the node's share of all records.
    max_leaf_nodes : int, default=None
        The most leaves: splits that decrease impurity most stay.
    max_purity : float, default=None
        A node is not split if one class has at least this share of its records (Agrawal and
        Srikant, 2000: "most points of the same class"); above 0, at most 1.
    class_weight : dict or "balanced", default=None
        How much the records of each class count, for plain records; ``"balanced"`` makes all
        classes count alike.

    Attributes
    ----------
    tree_ : Tree
        The tree itself.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in the card's order if learned from a release.
    method_ : str
        The method taken, and ``reason_`` why.
    n_features_in_ : int
        The number of attributes.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they are known.

    Notes
    -----
    A category that was not known when the tree was learned takes the branch with most records.
    Ties between splits go to the attribute that comes first, then to the lowest cut.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> pv.TreeClassifier(policy="id3").fit(release).score(table)
    1.0
    """

    _instead = "predict plain records; accuracy(release) takes all."
    _called = "tree"
    _tellable = "a lower max_depth, or more records to test on"

    def __init__(
        self,
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
        self.policy = policy
        self.method = method
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_purity = max_purity

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if not hasattr(self, "tree_"):
            unfitted: dict[str, str] = super()._repr_mimebundle_(**kwargs)
            return unfitted
        return {"text/plain": repr(self), "text/html": self.tree_._repr_html_()}

    # Learning

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a release, or from plain records ``X`` with classes ``y``.

        Parameters
        ----------
        X : Release, or frame or array of shape (n_samples, n_features)
            A frame's columns of text or categories are taken as categories, numbers as numbers.
        y : array of shape (n_samples,)
            The classes; None with a release, whose card names the class.
        sample_weight : array of shape (n_samples,)
            How much each record counts beside the others; the tree's counts sum to the number of
            records whose weight is not zero.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
        >>> model = pv.TreeClassifier(policy="id3").fit(release)
        >>> model.classes_.tolist()
        ['Yes', 'No']
        """
        _GROWN.pop(self, None)
        policy = self._policy(X)
        if isinstance(X, Release):
            return self._fit_release(X, y, sample_weight, policy)
        if isinstance(X, str | PathLike):
            message = "A release or a table is expected, not a path."
            raise InputError(message, hint="fit(Release.read(path)).")
        return self._fit_plain(X, y, sample_weight, policy)

    def _preset(self, X: Any) -> str | Policy:  # noqa: ARG002 - a forest asks what it is
        return "cart" if self.policy is None else self.policy

    def _policy(self, X: Any) -> Policy:
        if self.method not in METHODS:
            message = f"There is no method {self.method!r}; there are {', '.join(METHODS)}."
            raise MethodError(message)
        limits = {
            "max_depth": (self.max_depth, 1),
            "min_samples_split": (self.min_samples_split, 0),
            "min_samples_leaf": (self.min_samples_leaf, 0),
            "min_impurity_decrease": (self.min_impurity_decrease, 0),
            "max_leaf_nodes": (self.max_leaf_nodes, 2),
        }
        for name, (value, least) in limits.items():
            whole = name.startswith("max_")
            number = isinstance(value, Integral if whole else Real)
            if value is not None and not (number and value >= least):
                kind = "a whole number" if whole else "a number"
                message = f"{name} must be {kind} of at least {least}, "
                raise InputError(message + "or None for the policy's own value.")
        share = self.min_weight_fraction_leaf
        if not isinstance(share, Real) or not 0 <= float(share) <= 0.5:
            raise InputError("min_weight_fraction_leaf must be a number from 0 to 0.5.")
        preset = Policy.named(self._preset(X))
        given = {name: value for name, (value, _) in limits.items()}
        return preset.but(**given, max_purity=self.max_purity)

    def _fit_release(self, release: Release, y: Any, weight: Any, policy: Policy) -> Self:
        if y is not None or weight is not None:
            message = "A release brings its own classes: give no y and no sample_weight beside it."
            raise InputError(message, hint="TreeClassifier().fit(release).")
        if self.class_weight is not None:
            message = (
                "class_weight weighs plain records; counts of a release are estimated as they are."
            )
            raise InputError(message, hint="TreeClassifier(class_weight=None).fit(release).")
        any_leaf = self.min_samples_leaf is not None
        mined = mine(
            release,
            policy,
            self.method,
            any_leaf=any_leaf,
            prune=self.policy is None,
            grower=self._grown,
        )
        self._take(mined.trees)
        _GROWN[self] = weakref.ref(release)
        self.method_, self.reason_ = mined.method, mined.reason
        self.classes_ = np.array(release.schema.classes)
        self._name_attributes(release.schema.inputs)
        return self

    @classmethod
    def from_tree(cls, tree: Tree) -> Self:
        """Return a classifier that predicts by a tree learned elsewhere, read from a file say.

        It takes frames, columns by name, as a model of a release does.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> TreeClassifier.from_tree(model.tree_).predict({"x0": [2.9]}).tolist()
        ['yes']
        """
        made = cls()
        made.tree_ = tree
        made.classes_ = np.array(tree.classes)
        made.method_, made.reason_ = "given", "the tree was learned elsewhere"
        made._name_attributes(tree.codings)
        return made

    def _fit_plain(self, X: Any, y: Any, weight: Any, policy: Policy) -> Self:
        raw, y = self._plain(X, y)
        rows = len(y)
        if weight is not None:
            weight = check_weight(weight, rows)
            kept = weight > 0
            if not kept.all():
                raw = {name: taken(column, kept) for name, column in raw.items()}
                y, weight = y[kept], weight[kept]
        labels = self._label(y)
        if self.class_weight is not None:
            balance = compute_sample_weight(self.class_weight, self.classes_[labels])
            weight = balance if weight is None else weight * balance
        codings, coded = code_columns(raw)
        coded[CLASS] = labels.astype(code_type(len(self.classes_)))
        whole, scale = (None, 1.0) if weight is None else whole_weights(weight)
        classes = tuple(self.classes_.tolist())
        policy = policy.counted(len(labels))
        large = policy.min_samples_leaf > 1 or policy.min_samples_split > 2
        if weight is not None and not large:  # then any records at all are enough
            policy = policy.but(min_samples_leaf=0.0, min_samples_split=0.0)
        policy = policy.but(min_weight_leaf=self.min_weight_fraction_leaf * len(labels))
        records = MemoryTable(coded), codings, CLASS, classes
        evidence = routed(*records, whole, scale, by_rows=weight is not None and large)
        self.method_, self.reason_ = "plain", "the records are not disguised"
        self._by_name = False
        self._take(self._grown(evidence, policy, CLASS))
        return self

    def _grown(self, evidence: Evidence, policy: Policy, target: str) -> tuple[Tree, ...]:
        """Return the trees of some evidence: here, one."""
        return (grow(evidence, policy, target),)

    def _take(self, trees: tuple[Tree, ...]) -> None:
        self.tree_ = trees[0]

    # Using

    def _values(self, X: Any) -> Floats:
        """Return records as the tree reads them: numbers, and categories as codes."""
        check_is_fitted(self)
        return self._read(self.tree_.codings, X)

    def apply(self, X: Any) -> Ints:
        """Return the leaf that each plain record reaches, by its number in the tree.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> model.apply([[1.0], [3.0]]).tolist()
        [1, 2]
        """
        values = self._values(X)
        leaves: Ints = self.tree_.apply(values)
        return leaves

    def decision_path(self, X: Any) -> Any:
        """Return which nodes each plain record passes, a sparse matrix of records × nodes.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> model.decision_path([[3.0]]).toarray().tolist()
        [[1, 0, 1]]
        """
        return paths_to(self.tree_, self.apply(X))

    def get_depth(self) -> int:
        """Return the most tests on a path.

        >>> TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"]).get_depth()
        1
        """
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        """Return how many leaves the tree has.

        >>> TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"]).get_n_leaves()
        2
        """
        check_is_fitted(self)
        return len(self.tree_.leaves)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each plain record.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> model.predict([[1.5], [9.0]]).tolist()
        ['no', 'yes']
        """
        leaves = self.apply(X)
        labels: NDArray[Any] = self.classes_[self.tree_.label[leaves]]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities of each plain record, in the order of ``classes_``.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> model.predict_proba([[9.0]]).tolist()
        [[0.0, 1.0]]
        """
        leaves = self.apply(X)
        shares: Floats = self.tree_.shares[leaves]
        return shares

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy on plain records, or an estimate of it from a release.

        The estimate stops at 0 and 1; ``accuracy`` has an estimate without bias, and its error.
        With a frame that has the class among its columns, ``y`` may be left out if the tree was
        learned from a release.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> model.score([[1.0], [2.0]], ["no", "yes"])
        0.5
        """
        check_is_fitted(self)
        if isinstance(X, Release):
            if y is not None or sample_weight is not None:
                message = "A release brings its own classes: give no y and no sample_weight."
                raise InputError(message)
            return float(np.clip(self.accuracy(X).value, 0.0, 1.0))
        y = self._told(X, y, self.tree_.target, self.tree_.classes)
        return float(super().score(X, y, sample_weight))

    @property
    def feature_importances_(self) -> Floats:
        """The share of the tree's gain that each attribute has; ``importances`` tells errors.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> model.feature_importances_.tolist()
        [1.0]
        """
        check_is_fitted(self)
        by_name = {importance.name: importance.value for importance in importances(self.tree_)}
        return np.array([by_name[coding.name] for coding in self.tree_.codings])

    def explain(self, X: Any) -> list[list[Step]]:
        """Return each plain record's path from the root to its leaf, with the evidence there.

        >>> from privet import TreeClassifier
        >>> model = TreeClassifier().fit([[1.0], [2.0], [3.0]], ["no", "no", "yes"])
        >>> [step.condition for step in model.explain([[3.0]])[0]]
        ['', 'x0 > 2.5']
        """
        return [steps(self.tree_, values) for values in self._values(X)]

    def accuracy(self, release: Release) -> Accuracy:
        """Estimate the accuracy about the originals of a release, with its standard error.

        >>> import privet as pv
        >>> table = pv.datasets.load("as-f1", rows=3000, seed=1)
        >>> schema = pv.datasets.schema("as-f1")
        >>> release = pv.RandomSubstitution(gamma=8).disguise(table, schema, seed=1)
        >>> grown, tested = release.split(0.7)
        >>> pv.TreeClassifier().fit(grown).accuracy(tested).value > 0.8
        True
        """
        check_is_fitted(self)
        check_release(release)
        return self._warned(accuracy(self.tree_, release), release)

    def _warned(self, measured: Accuracy, release: Release) -> Accuracy:
        """Return an accuracy, with a warning where it is worth nothing."""
        grown_from = _GROWN.get(self, lambda: None)()
        if release is grown_from and measured.error > 0.001:  # plain ones: as scikit-learn does
            message = "The accuracy is estimated on the records that the model was learned from, "
            message += "and may be too high; release.split(0.7) keeps some back."
            warnings.warn(message, PrivetWarning, stacklevel=3)
        if not measured.told:
            message = f"The release cannot tell this {self._called}'s accuracy (the 95 % interval "
            message += f"is 0 to 100 %); use {self._tellable}."
            warnings.warn(message, PrivetWarning, stacklevel=3)
        return measured


def check_release(release: Any) -> None:
    """Refuse what is no release where the accuracy about its originals is asked for."""
    if not isinstance(release, Release):
        message = f"A release is expected, not {type(release).__name__}."
        raise InputError(message, hint="accuracy(Release.read(path)); score takes plain records.")


def paths_to(tree: Tree, leaves: Ints) -> Any:
    """Return the nodes on the way to each leaf, as a sparse matrix."""
    from scipy.sparse import csr_matrix

    above: list[list[int]] = [[0]]
    for node in range(1, tree.nodes):
        above.append([*above[tree.parent[node]], node])
    lengths = np.array([len(path) for path in above])[leaves]
    nodes = np.array([node for leaf in leaves.tolist() for node in above[leaf]], np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return csr_matrix((np.ones(len(nodes), np.int8), nodes, starts), (len(leaves), tree.nodes))
