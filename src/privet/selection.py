"""Choosing between models by releases alone: cross-validation, and a search through settings.

scikit-learn's own functions index rows of plain records; a release has none to show. These fit on
all folds but one and estimate the accuracy about the originals on the fold left out.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from privet.errors import InputError, PrivetWarning
from privet.estimate.accuracy import Accuracy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.release import Release

__all__ = ["Search", "Validation", "cross_validate", "grid_search"]


@dataclass(frozen=True)
class Validation:
    """Accuracies about the originals, one per fold.

    ``value`` is their mean, ``error`` its standard error over the disguise: folds are disguised
    independently of each other.
    """

    folds: tuple[Accuracy, ...]

    @property
    def value(self) -> float:
        """The mean accuracy."""
        return float(np.mean([fold.value for fold in self.folds]))

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return math.hypot(*(fold.error for fold in self.folds)) / len(self.folds)

    def __str__(self) -> str:
        value = min(max(self.value, 0.0), 1.0)
        return f"{100 * value:.1f} % ± {196 * self.error:.1f} in {len(self.folds)} folds"


def cross_validate(
    model: Any, release: Release, *, folds: int = 5, random_state: int | None = None
) -> Validation:
    """Estimate how accurate a model learned from a release is about originals it has not seen.

    Parameters
    ----------
    model : TreeClassifier or ForestClassifier
        What to fit; it is cloned, and stays as it is.
    release : Release
        Its records are dealt to the folds at random, in memory.
    folds : int, default=5
        How many.
    random_state : int, default=None
        A seed, to deal them the same way again.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=4000, seed=1), pv.datasets.schema("as-f1")
    >>> release = pv.RandomSubstitution(gamma=50).disguise(table, schema, seed=1)
    >>> pv.cross_validate(pv.TreeClassifier(max_depth=2), release, random_state=1).value > 0.9
    True
    """
    _check_model(model)
    pairs = release.folds(folds, seed=random_state)
    told = Validation(tuple(_tested(clone(model).fit(train), test) for train, test in pairs))
    if not Accuracy(told.value, told.error, max(fold.cut for fold in told.folds)).told:
        message = "The release cannot tell how accurate this model is (the 95 % interval is 0 to "
        message += "100 %); use shallower trees, and fewer of them."
        warnings.warn(message, PrivetWarning, stacklevel=2)
    return told


def _check_model(model: Any) -> None:
    """Refuse what can be fitted to a release but not judged by it, before anything is fitted."""
    if callable(getattr(model, "accuracy", None)):
        return
    name = type(model).__name__
    message = f"A release judges TreeClassifier and ForestClassifier; this is a {name}."
    hint = "give one of them."
    if hasattr(model, "steps"):
        hint = "give its last step, as model[-1], and name settings without its prefix: no step "
        hint += "before a tree can change the columns of a release."
    raise InputError(message, hint=hint)


def _tested(model: Any, release: Release) -> Accuracy:
    """Return the accuracy on one fold; what a fold alone cannot tell, all together may."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivetWarning)
        measured: Accuracy = model.accuracy(release)
    return measured


@dataclass(frozen=True)
class Search:
    """What a search through settings came to.

    ``best_estimator`` is the model with the best settings, fitted on all records; ``validations``
    has every setting with its accuracy, the best first.
    """

    best_estimator: Any
    best_params: Mapping[str, Any]
    validations: Sequence[tuple[Mapping[str, Any], Validation]] = field(repr=False)


def grid_search(
    model: Any,
    release: Release,
    grid: Mapping[str, Sequence[Any]],
    *,
    folds: int = 5,
    random_state: int | None = None,
) -> Search:
    """Fit a model with every combination of settings, and keep the most accurate by validation.

    All settings are tried on the same folds. Ties go to the combination that comes first.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=4000, seed=1), pv.datasets.schema("as-f1")
    >>> release = pv.RandomSubstitution(gamma=50).disguise(table, schema, seed=1)
    >>> grid = {"max_depth": [1, 2]}
    >>> pv.grid_search(pv.TreeClassifier(), release, grid, random_state=1).best_params
    {'max_depth': 2}
    """
    _check_model(model)
    if not all(len(values) for values in grid.values()):
        raise InputError("The grid has no setting to try.", hint="grid={'max_depth': [2, 4]}.")
    settings = list(ParameterGrid(dict(grid)))
    seed = int(np.random.default_rng(random_state).integers(2**31))
    tried = [
        (setting, cross_validate(_with(model, setting), release, folds=folds, random_state=seed))
        for setting in settings
    ]
    tried.sort(key=lambda pair: -pair[1].value)
    best = tried[0][0]
    return Search(_with(model, best).fit(release), best, tried)


def _with(model: Any, setting: Mapping[str, Any]) -> Any:
    return clone(model).set_params(**setting)
