"""Cross-tables of two released attributes, with errors and a test that allows for the disguise.

The test asks how far the table without bias is from the product of its margins, in units of what
disguise and sampling would do to a table of independent attributes (a score test; for plain
attributes it is Pearson's χ²).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.errors import InputError
from privet.estimate.observed import cuts_of, groups_of, seen
from privet.estimate.shares import (
    Shares,
    combined,
    covariances,
    estimated,
    gathering,
    labels_of,
    likeliest,
    weights_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.coding import Floats
    from privet.estimate.observed import Seen
    from privet.release import Release

__all__ = ["Crosstab", "Independence", "crosstab", "inside_rows"]

_RANK = 1e-9  # of the largest eigenvalue: below it a contrast cannot vary


class Independence(NamedTuple):
    """A test of independence: χ², its degrees of freedom and how often chance alone gives more."""

    statistic: float
    freedom: int
    p_value: float


@dataclass(frozen=True, eq=False)
class Crosstab(Shares):
    """The joint distribution of two attributes' originals, and a test of their independence."""

    independence: Independence | None = None

    @property
    def row_shares(self) -> Floats:
        """The shares of columns inside each row (NaN in empty rows)."""
        return self.given_rows()[0]

    @property
    def row_errors(self) -> Floats:
        """The standard errors of ``row_shares``."""
        return self.given_rows()[1]

    def given_rows(self) -> tuple[Floats, Floats]:
        """Return the shares of columns inside each row, and their errors (NaN in empty rows)."""
        return inside_rows(self.shares, self.covariance)

    def to_dict(self) -> dict[str, Any]:
        """Return everything a program may want."""
        test = self.independence
        inside = {"row_shares": _told(self.row_shares), "row_errors": _told(self.row_errors)}
        tested = {"independence": None if test is None else test._asdict()}
        return super().to_dict() | inside | tested

    def __str__(self) -> str:
        inside, errors = self.given_rows()
        total = self.shares.sum(axis=1)
        cells = [
            [f"{100 * s:.1f} ± {100 * e:.1f}" if e == e else "–" for s, e in zip(*row, strict=True)]  # noqa: PLR0124 - NaN
            for row in zip(inside.tolist(), errors.tolist(), strict=True)
        ]
        heads = ["all", *self.labels[1]]
        body = [[f"{100 * t:.1f}", *row] for t, row in zip(total.tolist(), cells, strict=True)]
        widths = [max(map(len, column)) for column in zip(heads, *body, strict=True)]
        first = max(map(len, (self.names[0], *self.labels[0])))
        lines = [f"{self.names[0]} × {self.names[1]}: {self.of}; per cent of each row"]
        for label, row in zip((self.names[0], *self.labels[0]), (heads, *body), strict=True):
            line = "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            lines.append(f"  {label:{first}}  {line}")
        if self.independence is not None:
            test = self.independence
            degrees = "1 degree" if test.freedom == 1 else f"{test.freedom} degrees"
            lines.append(
                f"  χ² = {test.statistic:.1f}, {degrees} of freedom, "
                f"p = {test.p_value:.2g}, the disguise allowed for"
            )
        return "\n".join(lines + self.moved())


def _told(numbers: Floats) -> list[list[float | None]]:
    """Return numbers for a program, None for what is not known."""
    return [[None if number != number else number for number in row] for row in numbers.tolist()]  # noqa: PLR0124 - NaN


def inside_rows(table: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return the shares of columns inside each row of a table, and their errors (NaN if empty)."""
    rows, columns = table.shape
    sums = np.repeat(np.eye(rows), columns, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = table / table.sum(axis=1, keepdims=True)
        totals = (sums @ table.ravel())[np.repeat(np.arange(rows), columns)]
        # d(p_ij / p_i) = (dp_ij − share · dp_i) / p_i
        slope = np.eye(rows * columns) - inside.ravel()[:, None] * sums.repeat(columns, axis=0)
        slope /= totals[:, None]
        variances = np.einsum("ij,jk,ik->i", slope, covariance, slope)
        errors = np.sqrt(np.maximum(variances, 0.0)).reshape(rows, columns)
    return inside, np.where(np.isfinite(inside), errors, np.nan)


def crosstab(
    release: Release,
    first: str,
    second: str,
    *,
    edges: Mapping[str, Sequence[float]] | None = None,
    weights: str | None = None,
    population: bool = False,
) -> Crosstab:
    """Return how two released attributes go together in the originals, with errors and a test.

    ``edges`` has borders between ranges of numbers, by name. The test of independence is always
    about the population; the rest is as in ``shares``.

    >>> from privet.disguise import RandomSubstitution
    >>> from privet.schema import Attribute, Schema
    >>> names = ("smoker", "cough", "ill")
    >>> schema = Schema([Attribute.categorical(name, [0, 1]) for name in names], target="ill")
    >>> bits = np.random.default_rng(1).integers(0, 2, 20_000)
    >>> release = RandomSubstitution(8).disguise(dict.fromkeys(names, bits), schema)
    >>> crosstab(release, "smoker", "cough").independence.p_value < 1e-9
    True
    """
    for name in edges or ():
        if name not in (first, second):
            raise InputError(f"The edges are for {name!r}, which the table does not have.")
    if first == second:
        raise InputError(f"A cross-table is of two attributes; {first!r} is named twice.")
    asked = {} if edges is None else dict(edges)
    told = seen(release, (first, second), asked, weights)
    codings = [column.coding for column in told[0].columns]
    groups = [groups_of(column, asked.get(column.name)) for column in told[0].columns]
    gather = gathering(groups)
    tables = [estimated(seen_part, gather) for seen_part in told]
    fitted, unbiased, covariance, rows = combined(release, tables, population=population)
    labels = [labels_of(coding, group) for coding, group in zip(codings, groups, strict=True)]
    shape = (len(labels[0]), len(labels[1]))
    return Crosstab(
        (first, second),
        (labels[0], labels[1]),
        fitted.reshape(shape),
        unbiased.reshape(shape),
        covariance,
        rows,
        population,
        cuts=tuple(
            cut
            for column in told[0].columns
            for cut in cuts_of(release.schema[column.name], column.coding, asked.get(column.name))
        ),
        independence=_tested(told, gather, unbiased.reshape(shape)),
    )


def _tested(told: Sequence[Seen], gather: Floats, table: Floats) -> Independence | None:
    """Test independence: residuals from the margins' product, by their covariance without it."""
    from scipy.stats import chi2

    rows, columns = table.shape
    if min(rows, columns) < 2:
        return None
    total = sum(float(seen_part.counts.weights.sum()) for seen_part in told)
    covariance = np.zeros((table.size, table.size))
    for seen_part in told:
        weights, squares = _under_independence(seen_part, gather)
        mean = weights @ squares / squares.sum()
        covariance += covariances(weights, squares, mean)[1] / total**2
    row, column = table.sum(axis=1), table.sum(axis=0)
    slope = np.eye(table.size).reshape(rows, columns, rows, columns)
    for i in range(rows):
        slope[i, :, i, :] -= column[:, None]
    for j in range(columns):
        slope[:, j, :, j] -= row[:, None]
    contrasts = slope.reshape(table.size, table.size)
    residual = (table - np.outer(row, column)).ravel()
    variance = contrasts @ covariance @ contrasts.T
    values, vectors = np.linalg.eigh((variance + variance.T) / 2)
    freedom = (rows - 1) * (columns - 1)
    values, vectors = values[-freedom:], vectors[:, -freedom:]  # the rest are sums over a margin
    kept = values > _RANK * values[-1]
    if not kept.any() or values[-1] <= 0:
        return None
    statistic = float(((vectors[:, kept].T @ residual) ** 2 / values[kept]).sum())
    return Independence(statistic, int(kept.sum()), float(chi2.sf(statistic, int(kept.sum()))))


def _under_independence(seen_part: Seen, gather: Floats) -> tuple[Floats, Floats]:
    """Return W, and the squared weights of outputs, as they are expected of independent columns."""
    counts = seen_part.counts
    cells = tuple(column.coding.size for column in seen_part.columns)
    share = counts.squares.sum() / counts.weights.sum()
    if len(seen_part.factors) == 2:
        whole = counts.weights.sum()
        product = np.outer(counts.weights.sum(axis=1), counts.weights.sum(axis=0)) / whole
    else:
        fitted = likeliest(seen_part, counts.weights)[1].reshape(cells)
        joint = np.outer(fitted.sum(axis=1), fitted.sum(axis=0)).ravel() / fitted.sum()
        matrix = seen_part.factors[0]
        product = (joint if matrix is None else matrix @ joint).reshape(counts.weights.shape)
    return weights_of(gather, seen_part.factors, product), product.ravel() * share
