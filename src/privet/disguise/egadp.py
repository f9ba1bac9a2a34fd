"""EGADP: GADP whose sample means and covariances are exact (Muralidhar and Sarathy, 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.disguise.base import method
from privet.disguise.gadp import GADP, REGRESSION_SAID
from privet.disguise.noised import normals
from privet.disguise.regression import Regression, basis, root
from privet.errors import DataError

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.randomness import Randomness

__all__ = ["EGADP"]


@method
@dataclass(frozen=True)
class EGADP(GADP):
    """GADP with noise from which all correlation with the records is taken out.

    The sample mean of every column and every covariance between columns are exactly those of the
    originals, however few records there are. No formal guarantee; parameters as for ``GADP``.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> released = pv.EGADP(["age"]).disguise(table, schema, seed=1).to_frame()
    >>> bool(np.isclose(np.mean(table["age"]), np.mean(released["age"])))
    True
    """

    method: ClassVar[str] = "egadp"
    said = (
        (
            "Confidential numbers are drawn anew round their regression on all else, with "
            "proximity {proximity}, so that means and covariances are exactly those of the "
            "originals; all other attributes are plain."
        ),
        REGRESSION_SAID,
    )

    def drawn(self, fit: Regression, source: Randomness) -> Floats:
        """Return new numbers: the noise is orthogonal to all that is there, and scaled to fit.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> released = pv.EGADP(["salary"]).disguise(table, schema).to_frame()
        >>> bool(np.isclose(np.var(table["salary"]), np.var(released["salary"])))
        True
        """
        rows, width = fit.mean.shape
        own, _ = basis(fit.residual)
        there = np.column_stack([fit.sides, own])
        if rows < there.shape[1] + width + 1:
            message = f"There are {rows:,} records; noise that is orthogonal to {there.shape[1]} "
            message += f"columns needs at least {there.shape[1] + width + 1:,}."
            raise DataError(message, hint="name fewer confidential attributes, or use GADP.")
        raw = np.column_stack([normals(source, place, rows) for place in range(width)])
        for _ in range(2):  # twice: the second takes out what rounding left
            raw -= there @ (there.T @ raw)
        free, _ = np.linalg.qr(raw)
        spread = root((1.0 - self.proximity**2) * fit.covariance)
        noise = np.sqrt(rows - 1) * free @ spread.T
        drawn: Floats = fit.mean + self.proximity * fit.residual + noise
        return drawn
