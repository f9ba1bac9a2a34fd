"""Shares and cross-tables of the originals, with errors: statistics of any released column.

The released counts y are Kx on average. W with WK = I, of least variance where K has more outputs
than cells (generalised least squares), gives shares without bias, and their covariance is that of
sums over independent records. Shares without bias may be negative: what is shown is the likeliest
table (EM), its error that of the unbiased estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.errors import DataError
from privet.estimate.em import Axis, em, expected
from privet.estimate.linear import GAIN, STEPS, left_inverse
from privet.estimate.means import Mean, mean_of_cells, mean_of_numbers, plain_digits
from privet.estimate.observed import Cut, cuts_of, groups_of, seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Coding, Floats, Ints
    from privet.estimate.observed import Seen
    from privet.release import Release

__all__ = ["Cut", "Mean", "Shares", "Table", "estimated", "shares"]


class Table(NamedTuple):
    """What one part tells: the likeliest counts, those without bias, and their covariances."""

    fitted: Floats
    unbiased: Floats
    disguise: Floats
    sampling: Floats
    total: float
    rows: int


def weights_of(gather: Floats, factors: Sequence[Floats | None], counts: Floats) -> Floats:
    """Return W for the flattened table of all columns, its cells gathered to ranges.

    W is a product of one factor per axis, applied axis by axis: it would be as large as the square
    of the table.
    """
    sizes = zip(factors, counts.shape, strict=False)
    inputs = [size if matrix is None else matrix.shape[1] for matrix, size in sizes]
    whole = gather.reshape(len(gather), *inputs) if len(factors) > 1 else gather
    for axis, matrix in enumerate(factors):
        if matrix is not None:
            others = tuple(other for other in range(counts.ndim) if other != axis)
            margin = counts.sum(axis=others) if len(factors) > 1 else counts.ravel()
            turned = np.tensordot(whole, left_inverse(matrix, margin), (axis + 1, 0))
            whole = np.moveaxis(turned, -1, axis + 1)
    return np.ascontiguousarray(whole).reshape(len(gather), -1)


def estimated(seen: Seen, gather: Floats) -> Table:
    """Return the estimate of one part, its cells gathered to ranges."""
    counts = seen.counts
    weights = weights_of(gather, seen.factors, counts.weights)
    total = float(counts.weights.sum())
    if total <= 0:
        raise DataError("No record has a weight above 0.")
    unbiased = weights @ counts.weights.ravel() / total
    axes, table = likeliest(seen, counts.weights)
    fitted = gather @ table.ravel() / total
    # Squares as the likeliest table leads to them: no variance is then below zero.
    same = counts.squares is counts.weights
    squares = expected(axes, table if same else likeliest(seen, counts.squares)[1]).ravel()
    disguise, sampling = covariances(weights, squares, fitted)
    return Table(fitted, unbiased, disguise / total**2, sampling / total**2, total, counts.rows)


def covariances(weights: Floats, squares: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Return the covariances of sums of w·W[:, z]: round the records' cells, and round a mean."""
    second = (weights * squares) @ weights.T
    first = weights @ squares
    both = np.outer(first, mean)
    sampling = second - both - both.T + squares.sum() * np.outer(mean, mean)
    return second - np.diag(first), sampling


def likeliest(seen: Seen, counts: Floats) -> tuple[list[Axis], Floats]:
    """Return the factors of K as axes, and the likeliest counts of cells, none of them negative."""
    axes = [
        Axis(size, size) if matrix is None else Axis(matrix.shape[1], matrix.shape[0], None, matrix)
        for matrix, size in zip(seen.factors, counts.shape, strict=False)
    ]
    if all(axis.is_exact for axis in axes):
        return axes, counts
    observed = counts if len(axes) == counts.ndim else counts.ravel()
    return axes, em(axes, observed, least_gain=GAIN, most=STEPS).table


def gathering(groups: Sequence[Ints]) -> Floats:
    """Return the matrix that sums a flattened table of cells to ranges."""
    whole = np.ones((1, 1))
    for group in groups:
        gather = (np.arange(group.max() + 1)[:, None] == group).astype(np.float64)
        whole = np.kron(whole, gather)
    return whole


@dataclass(frozen=True, eq=False)
class Shares:
    """How the originals of one released attribute were distributed, or of two together.

    ``shares`` are not negative and sum to 1; ``unbiased`` may be a little below zero, and
    ``errors`` are its standard errors: of the disguise alone for the records that were released,
    or of the disguise and the sampling for the ``population`` they were drawn from. ``cuts`` are
    the edges asked for, each with the border of a cell that it moved to.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    shares: Floats
    unbiased: Floats
    covariance: Floats
    rows: int
    population: bool
    mean: Mean | None = None
    cuts: tuple[Cut, ...] = ()

    @property
    def errors(self) -> Floats:
        """The standard error of each share."""
        deviations = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return np.asarray(deviations.reshape(self.shares.shape), np.float64)

    @cached_property
    def of(self) -> str:
        """What the shares are of, in words."""
        whose = "the population" if self.population else "the records"
        return f"{self.rows:,} records, errors about {whose}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything a program may want."""
        form: dict[str, Any] = {
            "attributes": list(self.names),
            "values": [list(labels) for labels in self.labels],
            "shares": self.shares.tolist(),
            "unbiased": self.unbiased.tolist(),
            "errors": self.errors.tolist(),
            "records": self.rows,
            "about": "population" if self.population else "records",
        }
        if self.mean is not None:
            form["mean"] = self.mean._asdict() | {"interval": list(self.mean.interval())}
        if self.cuts:
            form["cuts"] = [cut._asdict() for cut in self.cuts]
        return form

    def moved(self) -> list[str]:
        """Say which edges are not where they were asked for."""
        return [
            f"  {cut.name} is cut at {plain_digits(cut.border)}, "
            f"the nearest border to {plain_digits(cut.asked)}"
            for cut in self.cuts
            if cut.moved
        ]

    def __str__(self) -> str:
        width = max(map(len, self.labels[0]))
        lines = [f"{self.names[0]}: {self.of}"]
        rows = zip(self.labels[0], self.shares.tolist(), self.errors.tolist(), strict=True)
        lines += [f"  {label:{width}}  {_percent(share, error)}" for label, share, error in rows]
        if self.mean is not None:
            lines.append(f"  mean {self.mean}")
        return "\n".join(lines + self.moved())


def _percent(share: float, error: float) -> str:
    return f"{100 * share:5.1f} %" + (f" ± {100 * error:.1f}" if error else "")


def shares(
    release: Release,
    name: str,
    *,
    edges: Sequence[float] | None = None,
    weights: str | None = None,
    population: bool = False,
) -> Shares:
    """Return how the originals of a released attribute were distributed, with errors.

    Parameters
    ----------
    release
        A release of any channels, in one part or several.
    name
        The attribute; numbers are shown in at most ten ranges.
    edges
        Borders between the ranges of numbers, inside their range; each moves to the nearest border
        of a cell, and ``cuts`` of what is returned says where to.
    weights
        The name of an attribute that was released exactly: sampling weights.
    population
        Whether errors are about the population the records were drawn from at random; by
        default they are about the records themselves.

    >>> from privet.disguise import RandomSubstitution
    >>> from privet.schema import Attribute, Schema
    >>> sky = Attribute.categorical("sky", ["Sunny", "Rain"])
    >>> schema = Schema([sky, Attribute.categorical("play", ["Yes", "No"])], target="play")
    >>> days = {"sky": ["Sunny"] * 9000 + ["Rain"] * 1000, "play": ["Yes", "No"] * 5000}
    >>> estimate = shares(RandomSubstitution(8).disguise(days, schema), "sky")
    >>> bool(abs(estimate.shares[0] - 0.9) < 6 * estimate.errors[0])
    True
    """
    told = seen(release, (name,), {} if edges is None else {name: edges}, weights)
    coding = told[0].columns[0].coding
    group = groups_of(told[0].columns[0], edges)
    tables = [estimated(seen_part, np.eye(coding.size)) for seen_part in told]
    fitted, unbiased, covariance, rows = combined(release, tables, population=population)
    gather = gathering([group])
    mean = None
    if coding.ordered:
        mean = mean_of_numbers(release, name, population=population) if weights is None else None
        mean = mean or mean_of_cells(coding, fitted, unbiased, covariance)
    return Shares(
        (name,),
        (labels_of(coding, group),),
        gather @ fitted,
        gather @ unbiased,
        gather @ covariance @ gather.T,
        rows,
        population,
        mean,
        cuts_of(release.schema[name], coding, edges),
    )


def combined(
    release: Release, tables: Sequence[Table], *, population: bool
) -> tuple[Floats, Floats, Floats, int]:
    """Return the shares of all parts together: likeliest, unbiased, covariance and records."""
    total = sum(table.total for table in tables)
    rows = sum(table.rows for table in tables)
    fitted = sum(table.total * table.fitted for table in tables) / total
    unbiased = sum(table.total * table.unbiased for table in tables) / total
    # Parts that do not tell are estimated by those that do: records are then a sample too.
    sampled = population or rows < release.rows
    covariance = sum(
        (table.total / total) ** 2 * (table.sampling if sampled else table.disguise)
        for table in tables
    )
    return np.asarray(fitted), np.asarray(unbiased), np.asarray(covariance), rows


def labels_of(coding: Coding, group: Ints) -> tuple[str, ...]:
    """Return what each range is called."""
    labels = []
    for number in range(int(group.max()) + 1):
        cells = np.flatnonzero(group == number)
        first, last = int(cells[0]), int(cells[-1])
        if first == last or not coding.ordered or coding.lower is None or coding.upper is None:
            labels.append(coding.label(first))
        else:
            labels.append(f"{_written(coding.lower[first])} to {_written(coding.upper[last])}")
    return tuple(labels)


def _written(number: float) -> str:
    """Return a number with six digits, or with all before the point."""
    return f"{number:g}" if abs(number) < 1e6 else f"{number:.0f}"
