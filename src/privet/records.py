"""Plain records, as people bring them: columns checked, coded to learn from, read to predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Coding, code_values
from privet.compiled import in_threads
from privet.errors import DataError, InputError
from privet.estimate.bins import learn_cells
from privet.frames import Column, columns, distinct, holds_dates, is_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints, Mask

__all__ = [
    "as_frame",
    "check_finite",
    "check_weight",
    "code_columns",
    "has_text",
    "labels_of",
    "positional",
    "read_by",
    "readable",
    "readable_rows",
    "taken",
    "whole_weights",
]


NAMED = "columns go by the names that the model was learned with; rename them."


def as_frame(X: Any) -> Any:
    """Return columns that scikit-learn does not take for a table as a table that it does take."""
    if type(X) is dict:
        import pyarrow as pa

        return pa.table(columns(X))
    if is_frame(X) and type(X).__name__ == "RecordBatch":
        import pyarrow as pa

        return pa.Table.from_batches([X])
    return X


def has_text(X: Any) -> bool:
    """Whether an array has text among its values, which are then categories."""
    if isinstance(X, list | tuple):
        X = np.asarray(X, dtype=object)
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return False
    if X.dtype.kind in "US":
        return True
    return X.dtype == object and any(isinstance(value, str | bytes) for value in X.ravel())


def positional(X: Any) -> dict[str, Column]:
    """Return the columns of an array of mixed types, numbers as numbers."""
    array = np.asarray(X, dtype=object)
    named = {}
    for place in range(array.shape[1]):
        column = array[:, place]
        text = any(isinstance(value, str) for value in column)
        try:
            named[f"x{place}"] = column if text else np.asarray(column, np.float64)
        except (TypeError, ValueError):
            message = f"Column {place} holds values that are neither text nor numbers."
            raise DataError(message, hint="convert it to one of them.") from None
    return columns(named)


def code_columns(raw: dict[str, Column]) -> tuple[list[Coding], dict[str, Any]]:
    """Learn a coding for each plain column; numbers stay numbers, they are coded on the way."""

    def learn(name: str) -> tuple[Coding, Any]:
        column = raw[name]
        if isinstance(column, np.ndarray):
            numbers = np.asarray(column, np.float64)
            check_finite(name, numbers)
            return learn_cells(name, numbers), numbers
        values = distinct(column)
        if None in values:
            message = f"Column {name!r} has a missing value."
            raise DataError(message, hint="fill it, with a category of its own for example.")
        if not all(isinstance(value, str | int | float) for value in values):
            message = f"Column {name!r} holds values that are neither text nor numbers."
            raise DataError(message, hint="convert it to one of them.")
        coding = Coding.categories(name, sorted(values, key=str))
        return coding, coding.encode(column)

    learned = dict(zip(raw, in_threads(learn, raw), strict=True))
    return [coding for coding, _ in learned.values()], {
        name: column for name, (_, column) in learned.items()
    }


def check_finite(name: str, numbers: Floats, *, gaps: bool = False) -> None:
    """Refuse numbers that are infinite, and missing ones unless there may be ``gaps``."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = numbers.sum()  # finite unless a number is not, or all are huge
    if np.isfinite(total):
        return
    if gaps and np.isinf(numbers).any():
        message = f"Column {name!r} has an infinite value (inf)."
        raise DataError(message, hint="correct or drop those records.")
    if not gaps and not np.isfinite(numbers).all():
        message = f"Column {name!r} has a missing or infinite value (NaN, inf)."
        raise DataError(message, hint="fill or drop those records.")


def labels_of(y: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the sorted classes and each record's place among them, without sorting the records."""
    if y.dtype.kind in "iu" and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < 1 << 16 and high < 1 << 63:
            whole = y.astype(np.int64, copy=False)
            shifted = whole - low if low else whole
            there = np.bincount(shifted, minlength=high - low + 1) > 0
            classes = (np.flatnonzero(there) + low).astype(y.dtype)
            return classes, shifted if there.all() else (np.cumsum(there) - 1)[shifted]
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels


def readable(coding: Coding, column: Column, *, gaps: bool = False) -> Floats:
    """Return a column as a tree reads it: numbers, or codes; a category it never saw is -1.

    With ``gaps`` a number may be missing (NaN), whether or not missing ones were learned from.
    """
    if not coding.ordered:
        codes = code_values(column, coding.places, coding.name, unknown=coding.size)
        return np.where(codes == coding.size, -1.0, codes.astype(np.float64))
    if not isinstance(column, np.ndarray):
        dated = "holds dates as text, not" if holds_dates(column) else "does not hold"
        message = f"Column {coding.name!r} {dated} numbers."
        raise DataError(message, hint="the tree was learned from numbers there.")
    numbers = np.asarray(column, np.float64)
    if not coding.missing:
        check_finite(coding.name, numbers, gaps=gaps)
    return numbers


def read_by(codings: Sequence[Coding], frame: Any) -> Floats:
    """Return the records of a frame as a tree with such codings reads them, columns by name."""
    named = columns(frame, [coding.name for coding in codings], hint=NAMED)
    return readable_rows(codings, named.values(), gaps=True)


def readable_rows(
    codings: Sequence[Coding], raw: Iterable[Column], *, gaps: bool = False
) -> Floats:
    """Return columns as a tree reads them, records × attributes."""
    pairs = zip(codings, raw, strict=True)
    return np.stack([readable(*pair, gaps=gaps) for pair in pairs], axis=1)


def taken(column: Column, rows: Mask) -> Column:
    """Return some rows of a column."""
    return column[rows] if isinstance(column, np.ndarray) else column.filter(rows)


def check_weight(weight: Any, rows: int) -> Floats:
    """Return one weight per record, or say what is wrong with them."""
    try:
        weights = np.asarray(weight, np.float64)
    except (TypeError, ValueError):
        message = "Sample weights must be numbers."
        raise InputError(message) from None
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1:
        message = "Sample weights must be 1D array or scalar."
        raise InputError(message)
    if len(weights) != rows:
        message = f"sample_weight.shape == {weights.shape}, expected {(rows,)}!"
        raise InputError(message)
    if not np.isfinite(weights).all() or (weights < 0).any():
        message = "Sample weights must be finite and not negative."
        raise InputError(message)
    if not weights.any():
        message = "All sample weights are zero: no class has a record."
        raise InputError(message)
    return weights


def whole_weights(weight: Floats) -> tuple[Ints, float]:
    """Return weights as whole numbers of a unit, and that unit, so that they sum to their number.

    Only their ratios matter. The unit is as small as the sum of all weights allows, so that no
    weight vanishes.
    """
    total, rows = weight.sum(), len(weight)
    if (weight == np.floor(weight)).all() and total < 2.0**53:
        whole = weight.astype(np.int64)
        whole //= np.gcd.reduce(whole)
        return whole, rows / int(whole.sum())
    share, unit = weight / total, 2.0**61
    return np.maximum(np.rint(share * unit), 1.0).astype(np.int64), rows / unit
