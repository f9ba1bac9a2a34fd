"""Regression of confidential numbers on all else, also where covariances have no inverse."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import DataError, PrivetWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats
    from privet.schema import Schema
    from privet.table import MemoryTable

__all__ = [
    "Regression",
    "SingularWarning",
    "basis",
    "regress",
    "root",
    "side_columns",
    "warn_singular",
]

_TINY = 1e-9  # of the largest singular value: what lies below is no direction of its own


class SingularWarning(PrivetWarning):
    """Said to the owner when a covariance has no inverse: columns depend on one another."""


@dataclass(frozen=True, eq=False)
class Regression:
    """Confidential numbers as a regression sees them, all records × attributes.

    ``mean`` is the prediction from the other columns and ``residual`` what it misses;
    ``covariance`` is that of the residuals; ``sides`` an orthonormal basis of the constant and the
    other columns.
    """

    mean: Floats
    residual: Floats
    covariance: Floats
    sides: Floats


def side_columns(table: MemoryTable, schema: Schema, confidential: Sequence[str]) -> Floats:
    """Return all that is not confidential as numbers, categories by indicators of all but one."""
    columns: list[Floats] = []
    for attribute in schema:
        column = table.columns[attribute.name]
        if attribute.name in confidential:
            continue
        if attribute.is_categorical:
            size = attribute.coding().size
            columns += [(column == code).astype(np.float64) for code in range(1, size)]
        else:
            known = ~np.isnan(column)
            if not known.all():  # a column that says so, and the mean in place of what is missing
                columns.append(known.astype(np.float64))
                column = np.where(known, column, column[known].mean() if known.any() else 0.0)
            columns.append(column)
    if not columns:
        return np.empty((table.rows, 0))
    return np.column_stack(columns)


def basis(columns: Floats) -> tuple[Floats, int]:
    """Return an orthonormal basis of the span of columns, and how many of them were superfluous.

    Columns that do not vary at all are dropped in silence: a category nobody has is no fault.
    """
    scale = np.sqrt((columns**2).sum(axis=0))
    scaled = columns[:, scale > 0] / scale[scale > 0]
    if not scaled.shape[1]:
        return scaled, 0
    left, values, _ = np.linalg.svd(scaled, full_matrices=False)
    rank = int((values > _TINY * values[0]).sum())
    return left[:, :rank], scaled.shape[1] - rank


def regress(true: Floats, sides: Floats) -> Regression:
    """Regress confidential numbers on the other columns, by an orthonormal basis of them.

    Where columns depend on one another their covariance has no inverse; the prediction is the
    same whichever of them is left out, and the owner is warned. Residual covariances are of the
    sample, by n − 1.
    """
    rows, width = true.shape
    centred = sides - sides.mean(axis=0)
    centred -= centred.mean(axis=0)  # a mean far from zero leaves some of itself behind
    constant = np.ptp(sides, axis=0) == 0  # less its mean it would be rounding, not nothing
    spanned, spare = basis(np.where(constant, 0.0, centred))
    if rows < spanned.shape[1] + width + 2:
        message = (
            f"There are {rows:,} records for {spanned.shape[1] + width} columns of numbers: too "
        )
        message += "few for their covariances."
        raise DataError(message, hint="leave categories of many values out, or collect more.")
    middle = true.mean(axis=0)
    away = true - middle
    mean = middle + spanned @ (spanned.T @ away)
    residual = true - mean
    covariance = residual.T @ residual / (rows - 1)
    warn_singular(spare, _dependent(covariance, away))
    ones = np.full((rows, 1), 1.0 / np.sqrt(rows))
    return Regression(mean, residual, covariance, np.column_stack([ones, spanned]))


def warn_singular(spare: int, lost: int) -> None:
    """Tell the owner of columns that depend on one another, if there are any."""
    if not spare and not lost:
        return
    what = [
        f"{spare} of the other columns depend on the rest" if spare else "",
        f"{lost} of the confidential numbers are known from the others" if lost else "",
    ]
    message = f"The covariance has no inverse: {' and '.join(remark for remark in what if remark)}."
    warnings.warn(message, SingularWarning, stacklevel=4)


def _dependent(covariance: Floats, away: Floats) -> int:
    """Return how many directions of the residuals have no spread."""
    scale = np.sqrt((away**2).sum(axis=0) / max(1, len(away) - 1))
    values = np.linalg.eigvalsh(covariance / np.outer(scale, scale))
    return int((values <= _TINY).sum())


def root(covariance: Floats) -> Floats:
    """Return a matrix A with A Aᵀ = covariance, which may have no inverse; negatives count as zero.

    >>> bool(np.allclose(root(np.array([[4.0, 2.0], [2.0, 1.0]])) ** 2, [[3.2, 0.8], [0.8, 0.2]]))
    True
    """
    values, vectors = np.linalg.eigh(covariance)
    square_root: Floats = vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)
    return square_root
