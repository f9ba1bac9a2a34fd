"""What the scikit-learn classes share: plain records, and frames whose columns go by name."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import validation
from sklearn.utils.multiclass import check_classification_targets

from privet.coding import Coding, of_class
from privet.errors import DataError, InputError
from privet.frames import Column, columns, is_frame
from privet.records import as_frame, has_text, labels_of, positional, read_by, readable_rows
from privet.release import Release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Codes, Floats, Value
    from privet.schema import Attribute

__all__ = ["Classifier"]

CLASSLESS = "the class is looked for among the columns; give it as y if it is elsewhere."


class Classifier(ClassifierMixin, BaseEstimator):
    """A classifier of plain records; after a release, it takes columns by name."""

    classes_: NDArray[Any]
    _by_name: bool
    _instead = "predict plain records."

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _name_attributes(self, attributes: Sequence[Attribute | Coding]) -> None:
        """Learn the attributes by name."""
        self.feature_names_in_ = np.array([known.name for known in attributes], dtype=object)
        self.n_features_in_ = len(attributes)
        self._by_name = True

    def _plain(self, X: Any, y: Any) -> tuple[dict[str, Column], Any]:
        """Return columns and classes to learn from."""
        if y is None:
            name = type(self).__name__
            message = f"This {name} requires y to be passed, but the target y is None."
            raise InputError(message, hint="fit(X, y), or fit(release).")
        raw, y = self._columns(as_frame(X), y, reset=True)
        if y.dtype.kind not in "iub":  # whole numbers are classes, whatever there is among them
            check_classification_targets(y)
        return raw, y

    def _columns(self, X: Any, y: Any, *, reset: bool) -> tuple[dict[str, Column], Any]:
        """Check plain records as scikit-learn does and return their columns.

        A frame keeps its columns as they are; anything else becomes a matrix of numbers, unless
        there is text in it. That the numbers are finite is left to whoever takes the columns.
        """
        framed = is_frame(X)
        if framed or has_text(X):
            raw = columns(X) if framed else positional(X)
            validation.validate_data(self, X, reset=reset, skip_check_array=True)
            rows = len(next(iter(raw.values()))) if raw else 0
            if not rows:
                message = f"Found array with {rows} sample(s) and {len(raw)} feature(s)."
                raise DataError(message, hint="a minimum of 1 of each is required.")
            if y is not None:
                y = validation.column_or_1d(y, warn=True)
                validation.check_consistent_length(next(iter(raw.values())), y)
            return raw, y
        as_numbers = {"reset": reset, "dtype": np.float64, "ensure_all_finite": False}
        if y is None:
            matrix = validation.validate_data(self, X, **as_numbers)
        else:
            matrix, y = validation.validate_data(self, X, y, **as_numbers)
        return {f"x{place}": matrix[:, place] for place in range(matrix.shape[1])}, y

    def _label(self, y: Any) -> Codes:
        """Learn the classes, and return which of them each record has."""
        self.classes_, labels = labels_of(y)
        if len(self.classes_) < 2:
            message = "The records are all of one class; at least two classes are needed."
            raise DataError(message, hint="there is nothing to tell apart here.")
        return labels

    def _read(self, codings: Sequence[Coding], X: Any) -> Floats:
        """Return plain records as codings read them: numbers, and categories as codes."""
        _check_no_path(X, "a frame or an array of records", "predict(pandas.read_csv(path)).")
        if isinstance(X, Release):
            message = "Single records of a release are disguised: nothing is predicted of them."
            raise InputError(message, hint=self._instead)
        if self._by_name and is_frame(X):
            return read_by(codings, X)
        raw, _ = self._columns(as_frame(X), None, reset=False)
        return readable_rows(codings, raw.values(), gaps=self._by_name)

    def _told(self, X: Any, y: Any, target: str, classes: Sequence[Value]) -> Any:
        """Return the classes of records: those given, or those among the columns of a frame."""
        hint = "score(pandas.read_csv(path)), or score(Release.read(path))."
        _check_no_path(X, "a release or a table", hint)
        if y is not None or not self._by_name or not is_frame(X):
            return y
        (column,) = columns(X, [target], hint=CLASSLESS).values()
        try:
            return self.classes_[Coding.categories(target, classes).encode(column)]
        except DataError as error:
            raise of_class(error, target) from None


def _check_no_path(X: Any, expected: str, hint: str) -> None:
    """Refuse the name of a file in place of what it holds."""
    if isinstance(X, str | PathLike):
        raise InputError(f"{expected.capitalize()} is expected, not a path.", hint=hint)
