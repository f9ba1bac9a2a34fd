"""The scikit-learn class of naive Bayes: on plain records, releases, and parties' terms."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from privet.classifier import Classifier
from privet.coding import Coding
from privet.errors import InputError
from privet.estimate.bayes import Terms, counted_term, terms_of
from privet.records import check_finite, check_weight, code_columns
from privet.release import Release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints
    from privet.estimate.bayes import Term
    from privet.frames import Column

__all__ = ["NaiveBayesClassifier"]


class NaiveBayesClassifier(Classifier):
    """Naive Bayes learned from a release, from plain records, or from parties' terms.

    It takes attributes for independent inside a class, so it needs P(value | class) of one
    attribute at a time: counts that any release tells with small errors, and that parties with
    different columns can tell without joining their records (Zhan, Chang & Matwin §7). Where
    attributes must be read together a tree is better.

    Parameters
    ----------
    smoothing : float, default=1.0
        How many records, spread like those of all classes, each class's terms are drawn towards.
        Terms that the disguise makes unsure are worth fewer records and are drawn farther.

    Attributes
    ----------
    terms_ : Terms
        The model: ``terms_.prior`` and, for each attribute, shares by class with standard errors.
        ``terms_.to_json()`` writes it; printing it shows it.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in the card's order if learned from a release.
    n_features_in_, feature_names_in_
        The number of attributes, and their names where they are known.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> model = pv.NaiveBayesClassifier().fit(release)
    >>> model.predict({"Outlook": ["Sunny"], "Humidity": ["High"], "Wind": ["Strong"]})
    array(['No'], dtype='<U3')
    """

    terms_: Terms

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    # Learning

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a release, or from plain records ``X`` with classes ``y``.

        Numbers are cut to ten ranges of about equal frequency.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> model = pv.NaiveBayesClassifier().fit(release)
        >>> model.classes_.tolist()
        ['Yes', 'No']
        """
        if not isinstance(self.smoothing, Real) or not float(self.smoothing) > 0:
            raise InputError("smoothing must be a number above 0.")
        if isinstance(X, Release):
            if y is not None or sample_weight is not None:
                message = "A release brings its own classes: give no y and no sample_weight."
                raise InputError(message, hint="NaiveBayesClassifier().fit(release).")
            return self._take(terms_of(X, float(self.smoothing)))
        raw, y = self._plain(X, y)
        weight = np.ones(len(y))
        if sample_weight is not None:
            weight = check_weight(sample_weight, len(y))
        labels = self._label(y[weight > 0])
        terms = tuple(self._counted(name, column, labels, weight) for name, column in raw.items())
        prior = np.bincount(labels, weight[weight > 0], len(self.classes_))
        prior /= prior.sum()
        rows = len(labels)
        errors = np.sqrt(prior * (1 - prior) / rows)
        classes = tuple(self.classes_.tolist())
        self.terms_ = Terms("class", classes, prior, errors, terms, rows)
        self._by_name = False
        return self

    def _counted(self, name: str, column: Column, labels: Ints, weight: Floats) -> Term:
        """Return the term of a plain column: numbers by their values, categories by theirs."""
        kept = weight > 0
        if isinstance(column, np.ndarray):
            numbers = np.asarray(column, np.float64)
            check_finite(name, numbers)
            values, codes = np.unique(numbers[kept], return_inverse=True)
            coding = Coding.cells(name, values, values)
        else:
            (coding,), coded = code_columns({name: column})
            codes = coded[name][kept]
        counts = np.zeros((len(self.classes_), coding.size))
        np.add.at(counts, (labels, codes), weight[kept])
        return counted_term(coding, counts, float(self.smoothing))

    @classmethod
    def from_terms(cls, terms: Terms | Sequence[Terms]) -> Self:
        """Return a classifier of terms learned elsewhere: a file's, or those of several parties.

        Parties that hold different columns of the same people each tell theirs; nothing is joined.

        >>> import privet as pv
        >>> from privet.estimate.bayes import terms_of
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> told = []
        >>> for names in (["Outlook", "Play"], ["Humidity", "Wind", "Play"]):
        ...     own = schema.with_attributes(schema[name] for name in names)
        ...     told.append(terms_of(pv.RandomSubstitution(gamma=50).disguise(table, own)))
        >>> NaiveBayesClassifier.from_terms(told).n_features_in_
        3
        """
        several = [terms] if isinstance(terms, Terms) else list(terms)
        if not several:
            raise InputError("There are no terms to learn from.")
        made = cls()
        return made._take(Terms.merged(several))

    def _take(self, terms: Terms) -> Self:
        self.terms_ = terms
        self.classes_ = np.array(terms.classes)
        self._name_attributes(terms.codings)
        return self

    # Using

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities of each plain record, in the order of ``classes_``.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> model = pv.NaiveBayesClassifier().fit(release)
        >>> model.predict_proba(table).shape
        (14, 2)
        """
        check_is_fitted(self)
        return self.terms_.probabilities(self._read(self.terms_.codings, X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of each plain record.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> model = pv.NaiveBayesClassifier().fit(release)
        >>> len(model.predict(table))
        14
        """
        likeliest = np.argmax(self.predict_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[likeliest]
        return labels

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy on plain records.

        With a frame that has the class among its columns, ``y`` may be left out if the model was
        learned from a release.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> model = pv.NaiveBayesClassifier().fit(release)
        >>> 0 <= model.score(table) <= 1
        True
        """
        check_is_fitted(self)
        y = self._told(X, y, self.terms_.target, self.terms_.classes)
        return float(super().score(X, y, sample_weight))
