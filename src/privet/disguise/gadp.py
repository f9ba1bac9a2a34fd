"""GADP: confidential numbers drawn anew round their regression on all else (Muralidhar and others).

U = m + a(X − m) + e, with m the regression of X on S and e normal with covariance
(1 − a²)(Σ_XX − Σ_XS Σ_SS⁻¹ Σ_SX): whatever the proximity a, Σ_XX and Σ_XS are kept.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.disguise.base import method
from privet.disguise.noised import Noised, normals
from privet.disguise.regression import Regression, regress, root, side_columns
from privet.disguise.rules import BELOW_ONE, check_share
from privet.errors import DataError, PlanError, PrivetWarning
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats
    from privet.randomness import Randomness
    from privet.schema import Attribute, Schema

__all__ = ["GADP", "REGRESSION_SAID", "SLACK"]

REGRESSION_SAID = (
    "Whoever knows a person's plain attributes can find the row, and predict the numbers as well "
    "as a regression on them does."
)
SLACK = 4.0  # widths of the range by which numbers drawn anew may lie outside it, to either side


@method
@dataclass(frozen=True)
class GADP(Noised):
    """Confidential numbers drawn anew so that means, variances and correlations stay, on average.

    No formal guarantee: all other attributes are plain, and predict the confidential ones as well
    as a regression does; with a proximity above 0 the released number tells more.

    Parameters
    ----------
    confidential
        The numeric attributes to draw anew; by default all that are never missing.
    proximity
        How near to the true number the new number is, from 0 (only the regression counts) up to,
        but not, 1 (the number itself).
    keep_domain
        Whether to put numbers back into the declared range, and to round whole ones. Moments are
        then no longer kept. Otherwise the release declares real numbers in a range that is wider
        by four widths on either side.

    Examples
    --------
    >>> import privet as pv
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> release = pv.GADP(["salary", "age"], proximity=0.3).disguise(table, schema, seed=1)
    >>> release.rows
    300
    """

    method: ClassVar[str] = "gadp"
    said = (
        (
            "Confidential numbers are drawn anew round their regression on all else, with "
            "proximity {proximity}; all other attributes are plain."
        ),
        REGRESSION_SAID,
    )

    confidential: Sequence[str] | None = None
    proximity: float = 0.0
    keep_domain: bool = False

    @property
    def _who(self) -> str:
        return type(self).__name__

    def changed(self, schema: Schema) -> list[str]:
        """Return the confidential attributes.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.GADP(["salary"]).changed(schema)
        ['salary']
        """
        if self.confidential is None:
            numeric = [attribute for attribute in schema.inputs if not attribute.is_categorical]
            return [attribute.name for attribute in numeric if attribute.missing == "error"]
        asked = [self.confidential] if isinstance(self.confidential, str) else self.confidential
        return [name for name in schema.names if name in set(asked)]

    def check(self, schema: Schema) -> None:
        """Validate settings, and refuse attributes that are not numbers.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("as-f1")
        >>> pv.GADP(["salary"]).check(schema)
        """
        asked = self.changed(schema) if self.confidential is None else list(self.confidential)
        if isinstance(self.confidential, str):
            raise PlanError(f"{self._who}: confidential must be a list of names.")
        for name in asked:
            if name not in schema:
                message = f"{self._who} names {name!r}, which the schema does not have; "
                raise PlanError(message + f"it has {', '.join(schema.names)}.")
            if schema[name].is_categorical:
                message = f"{self._who}: {name!r} is categorical; only numbers can be drawn anew."
                raise PlanError(message, hint="substitute categories at random, or withhold them.")
            if schema[name].missing == "category":
                message = f"{self._who}: {name!r} may be missing; a missing number has no place in "
                hint = "fill missing values, and delete `missing` from the schema."
                raise PlanError(message + "a covariance.", hint=hint)
        if not asked or len(set(asked)) < len(asked):
            message = f"{self._who}: confidential must name numeric attributes, each once."
            raise PlanError(message, hint="there must be one at least.")
        check_share(self._who, "proximity", self.proximity, BELOW_ONE)
        if not isinstance(self.keep_domain, bool):
            raise PlanError(f"{self._who}: keep_domain must be true or false.")

    def released(self, attribute: Attribute) -> Attribute:
        """Return a wider range of real numbers, or the declared range with ``keep_domain``.

        >>> import privet as pv
        >>> pv.GADP().released(pv.Attribute.numeric("age", low=20, high=80)).range
        (-220.0, 320.0)
        """
        if self.keep_domain:
            return attribute
        low, high = attribute.range
        slack = SLACK * (high - low)
        wider = replace(attribute, bins=None, edges=None, scale=None, prior=None)
        return replace(wider, low=low - slack, high=high + slack, integer=False)

    def perturb(self, table: MemoryTable, schema: Schema, source: Randomness) -> MemoryTable:
        """Return the records with confidential numbers drawn anew.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
        >>> from privet.disguise.noised import coded
        >>> from privet.frames import columns
        >>> from privet.randomness import Randomness
        >>> plain = coded(columns(table, schema.names), schema)
        >>> with Randomness.system() as source:
        ...     noisy = pv.GADP(["age"]).perturb(plain, schema, source)
        >>> noisy.columns["salary"] is plain.columns["salary"]
        True
        """
        names = self.changed(schema)
        true = confidential_columns(self._who, table, names)
        fit = regress(true, side_columns(table, schema, names))
        drawn = self.drawn(fit, source)
        return self._put(table, schema, names, drawn)

    def drawn(self, fit: Regression, source: Randomness) -> Floats:
        """Return new numbers, records × confidential attributes.

        >>> import numpy as np, privet as pv
        >>> from privet.disguise.regression import regress
        >>> from privet.randomness import Randomness
        >>> true, sides = np.arange(20.0)[:, None] % 7, np.arange(20.0)[:, None]
        >>> with Randomness.system() as source:
        ...     drawn = pv.GADP().drawn(regress(true, sides), source)
        >>> drawn.shape
        (20, 1)
        """
        spread = root((1.0 - self.proximity**2) * fit.covariance)
        noise = _matrix_of_normals(fit, source) @ spread.T
        drawn: Floats = fit.mean + self.proximity * fit.residual + noise
        return drawn

    def _put(
        self, table: MemoryTable, schema: Schema, names: Sequence[str], drawn: Floats
    ) -> MemoryTable:
        """Return the table with drawn columns in their places, inside their released ranges."""
        columns: dict[str, Any] = dict(table.columns)
        for place, name in enumerate(names):
            attribute = schema[name]
            low, high = self.released(attribute).range
            inside = np.clip(drawn[:, place], low, high)
            if not self.keep_domain and not np.array_equal(inside, drawn[:, place]):
                message = f"Numbers of {name!r} were drawn so far outside their range that they "
                message += "were cut off: moments are not kept."
                warnings.warn(message, PrivetWarning, stacklevel=2)
            whole = self.keep_domain and attribute.integer
            columns[name] = np.rint(inside) if whole else inside
        return MemoryTable(columns)


def confidential_columns(who: str, table: MemoryTable, names: Sequence[str]) -> Floats:
    """Return the confidential numbers, records × attributes; a constant column is refused."""
    true = np.column_stack([table.columns[name] for name in names])
    for name, least, most in zip(names, true.min(axis=0), true.max(axis=0), strict=True):
        if least == most:
            message = f"{who}: the column {name!r} is constant: numbers drawn anew would be the "
            raise DataError(message + "same number.", hint="leave it out of confidential.")
    return true


def _matrix_of_normals(fit: Regression, source: Randomness) -> Floats:
    rows, width = fit.mean.shape
    return np.column_stack([normals(source, place, rows) for place in range(width)])
