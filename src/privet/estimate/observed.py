"""Released columns as a statistician sees them: cells of the originals, and K from them to codes.

A column of any kind is coded on the way: plain categories and numbers as they are, numbers with
noise by intervals, the columns of a group by the group's marginal channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.channel import CoarseNoise, Noise
from privet.errors import BugError, DataError, MethodError
from privet.estimate.linear import left_inverse
from privet.release.treatments import meaning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Ints
    from privet.release import Part, Release
    from privet.release.universe import Universe
    from privet.schema import Attribute
    from privet.table import Batch, IntArrays

__all__ = ["RANGES", "Column", "Counts", "Cut", "Seen", "cuts_of", "groups_of", "seen"]

RANGES = 10  # of a number's cells that shares are given for, unless borders are
_FINE = (
    256  # cells that plain numbers are cut to: their mean is off by a five-hundredth of the range
)
_NOISY_RANGES = (10, 5, 4, 3, 2)
_NOISY_ERROR = 0.05  # of a range's share: with a larger error there are fewer and wider ranges
_UNIT = 1 << 16  # of the largest weight: squares of two billion records fit in 64 bits


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of one part: ``matrix`` (outputs × cells) is None where it is plain."""

    name: str
    coding: Coding
    outputs: int
    matrix: Floats | None
    observe: Callable[[Batch], NDArray[Any]]
    group: tuple[str, ...] = ()
    ranges: int = RANGES


def _column(release: Release, part: Part, name: str, edges: Sequence[float] | None) -> Column:
    """Return how an attribute of a part is seen."""
    treatment = release.treatments.get(name, "exact")
    if release.universe is None and not meaning(treatment).readable:
        message = f"Attribute {name!r} was released by {treatment!r}: no law leads back from it."
        raise MethodError(message, hint="its released values can be counted in to_frame().")
    channel = part.channel(name)
    coding = release.codings_of(part)[name]
    if isinstance(channel, Noise):
        return _noisy(part, channel, release.schema[name], edges)
    if coding is None:
        cells = _cells(release.schema[name], _FINE, edges)

        def numbers(batch: Batch) -> NDArray[Any]:
            return cells.encode(batch.columns[name])

        return Column(name, cells, cells.size, None, numbers)

    def codes(batch: Batch) -> NDArray[Any]:
        return batch.columns[name]

    if channel is None:
        return Column(name, coding, coding.size, None, codes)
    matrix = channel.marginal((name,))
    return Column(name, coding, matrix.shape[0], matrix, codes, channel.attributes)


def _cells(attribute: Attribute, bins: int, edges: Sequence[float] | None) -> Coding:
    """Return cells of equal width, cut at the borders asked for as well."""
    even = attribute.coding(bins)
    if edges is None:
        return even
    low, high = attribute.range
    borders = np.unique(np.concatenate([even.edges[np.isfinite(even.edges)], edges]))
    inside = borders[(borders >= low) & (borders < high)]
    if attribute.integer:
        inside = np.unique(np.floor(inside))
    return attribute.with_cells(edges=tuple(inside.tolist())).coding()


def _noisy(part: Part, noise: Noise, attribute: Attribute, edges: Sequence[float] | None) -> Column:
    """Return a noisy number over cells that are half as wide as the ranges shown.

    Inside a cell numbers are taken to lie evenly. There are as many ranges as can be told with
    a small error, for numbers that lie evenly over all of them.
    """
    name = noise.attribute
    for ranges in _NOISY_RANGES:
        coarse = CoarseNoise.of(noise, attribute.coding(2 * ranges), fine=2.0)
        if _told(coarse, part.table.rows):
            break
    if edges is not None:
        coarse = CoarseNoise.of(noise, _cells(attribute, 2 * ranges, edges), fine=2.0)

    def observe(batch: Batch) -> NDArray[Any]:
        return coarse.observed(batch.columns[name])

    kernel = coarse.kernel
    return Column(name, coarse.coding, len(kernel), kernel, observe, ranges=ranges)


def _told(coarse: CoarseNoise, rows: int) -> bool:
    """Whether the shares of pairs of cells can be told from so many records, were they even."""
    cells = coarse.coding.known
    outputs = coarse.kernel @ np.full(cells, rows / cells)
    try:
        weights = left_inverse(coarse.kernel, outputs)
    except MethodError:
        return False
    sums = np.add.reduceat(weights, np.arange(0, cells, 2), axis=0)
    return bool(np.sqrt(sums**2 @ outputs).max() <= _NOISY_ERROR * rows)


@dataclass(frozen=True)
class Counts:
    """What was observed: the weights of each (joint) output, their squares, and the records."""

    weights: Floats
    squares: Floats
    rows: int


@dataclass(frozen=True, eq=False)
class Seen:
    """One part's columns with their counts, and the factors of K: one per column, or one for both.

    The factor of plain columns is None.
    """

    columns: tuple[Column, ...]
    counts: Counts
    factors: tuple[Floats | None, ...]


def seen(
    release: Release,
    names: tuple[str, ...],
    edges: Mapping[str, Sequence[float]],
    weights: str | None = None,
) -> list[Seen]:
    """Return what each part tells of the attributes asked for, one pass each.

    Parts whose cells are other ones than those of the largest part are left out: which part a
    record is in was drawn at random, so that the others stand for them.
    """
    for name in names:
        if name not in release.schema:
            message = f"The release has no attribute {name!r}; it has "
            raise DataError(f"{message}{', '.join(release.schema.names)}.")
        if name in edges:
            _check_edges(release.schema[name], edges[name])
    if release.universe is not None:
        return [_collected(release, release.universe, names, weights)]
    if any(part.sign < 0 for part in release.parts):
        raise MethodError("Shares are estimated from parts that are added, not taken away.")
    parts = [part for part in release.parts if part.table.rows and {*names} <= {*part.table.names}]
    if not parts:
        lacking = "rows" if not release.rows else f"record that tells of {' and '.join(names)}"
        raise DataError(f"The release has no {lacking}.")
    told = [(p, tuple(_column(release, p, n, edges.get(n)) for n in names)) for p in parts]
    _, best = max(told, key=lambda pair: pair[0].table.rows)
    same = [column.coding.to_dict() for column in best]
    return [
        Seen(columns, _count(release, part, columns, weights), _factors(part, columns))
        for part, columns in told
        if [column.coding.to_dict() for column in columns] == same
    ]


def _factors(part: Part, columns: Sequence[Column]) -> tuple[Floats | None, ...]:
    if len(columns) == 2 and columns[0].group and columns[0].group == columns[1].group:
        channel = part.channel(columns[0].name)
        if channel is not None:
            return (channel.marginal([column.name for column in columns]),)
    return tuple(column.matrix for column in columns)


def _collected(
    release: Release, universe: Universe, names: tuple[str, ...], weights: str | None
) -> Seen:
    """Return the counts that complementation keeps, exactly."""
    if weights is not None:
        raise MethodError("Records of a complemented release have no weights.")
    whole = universe.collected(release.parts).reshape(universe.stored)
    axes = [universe.columns.index(name) for name in names]
    others = tuple(axis for axis in range(whole.ndim) if axis not in axes)
    table = whole.sum(axis=others).astype(np.float64)
    table = table if axes == sorted(axes) else table.T
    columns = []
    for axis, name in enumerate(names):
        coding = release.codings[name]
        if coding is None:
            raise BugError("a complemented release has a column without codes")
        table = np.take(table, np.arange(coding.size), axis)  # behind them are dummies
        columns.append(Column(name, coding, coding.size, None, lambda batch: batch.columns[name]))  # noqa: B023 - never asked
    counts = Counts(table, table, int(table.sum()))
    return Seen(tuple(columns), counts, (None,) * len(names))


def _count(release: Release, part: Part, columns: Sequence[Column], weights: str | None) -> Counts:
    """Count the joint outputs of some columns, in one pass; each record once, or by a weight."""
    shape = tuple(column.outputs for column in columns)
    size = int(np.prod(shape))
    unit = 1.0 if weights is None else _largest(release, part, weights) / _UNIT

    def counted(batch: Batch) -> IntArrays:
        places = np.zeros(len(batch), np.int64)
        for column in columns:
            places = places * column.outputs + column.observe(batch)
        if weights is None:
            return (np.bincount(places, minlength=size).astype(np.int64),)
        weight = np.rint(batch.columns[weights] / unit).astype(np.int64)
        both = (np.zeros(size, np.int64), np.zeros(size, np.int64))
        np.add.at(both[0], places, weight)
        np.add.at(both[1], places, weight * weight)
        return both

    sums = [array.reshape(shape).astype(np.float64) for array in part.table.count(counted)]
    if weights is None:
        return Counts(sums[0], sums[0], part.table.rows)
    return Counts(sums[0] * unit, sums[1] * unit**2, part.table.rows)


def _largest(release: Release, part: Part, weights: str) -> float:
    """Return the largest weight there can be; weights must be plain numbers from zero."""
    where = f"The weights {weights!r}"
    if weights not in release.schema:
        raise DataError(f"{where} are no attribute of the release.")
    plain = release.codings[weights] is None and part.channel(weights) is None
    if not plain or release.schema[weights].range[0] < 0 or release.schema[weights].range[1] <= 0:
        message = f"{where} must be released as exact numbers from 0."
        raise MethodError(message, hint="weights that were disguised say nothing of a record.")
    return release.schema[weights].range[1]


def groups_of(column: Column, edges: Sequence[float] | None) -> Ints:
    """Return the range that each cell is shown in: at most ten of them, or as borders ask.

    A border that lies inside a cell moves to the nearer end of it.
    """
    coding = column.coding
    if not coding.ordered:
        return np.arange(coding.size)
    borders = coding.edges[np.isfinite(coding.edges)]
    if edges is None:
        cells = np.array_split(np.arange(coding.known), min(coding.known, column.ranges))
        known = np.concatenate([np.full(len(codes), place) for place, codes in enumerate(cells)])
    else:
        nearest = {int(np.abs(borders - edge).argmin()) for edge in edges} if len(borders) else ()
        marks = np.zeros(coding.known, np.int64)
        marks[[place + 1 for place in sorted(nearest)]] = 1
        known = np.cumsum(marks)
    return np.append(known, known[-1] + 1) if coding.missing else known


class Cut(NamedTuple):
    """Where numbers were cut: at the border of a cell that is nearest to the edge asked for."""

    name: str
    asked: float
    border: float

    @property
    def moved(self) -> bool:
        """Whether the border is another than was asked for."""
        return self.border != self.asked


def cuts_of(attribute: Attribute, coding: Coding, edges: Sequence[float] | None) -> tuple[Cut, ...]:
    """Return the borders that edges moved to; between two whole numbers all borders are one."""
    borders = coding.edges[np.isfinite(coding.edges)] if edges is not None else np.empty(0)
    if edges is None or not len(borders):
        return ()
    cuts = []
    for edge in map(float, edges):
        border = float(borders[np.abs(borders - edge).argmin()])
        same = np.isclose(border, edge, rtol=1e-12, atol=0.0)
        if attribute.integer:
            border = float(np.floor(border))
            same = border == np.floor(edge)
        cuts.append(Cut(attribute.name, edge, edge if same else border))
    return tuple(cuts)


def _check_edges(attribute: Attribute, edges: Sequence[float]) -> None:
    """Refuse edges of categories, and those that do not rise or do not lie inside the range."""
    if attribute.is_categorical:
        raise DataError(f"Attribute {attribute.name!r} is categorical: it has no edges.")
    try:
        asked = np.asarray(edges, np.float64)
    except (TypeError, ValueError):
        asked = np.empty((0, 0))
    if asked.ndim != 1 or not np.isfinite(asked).all() or (np.diff(asked) <= 0).any():
        raise DataError(f"The edges for {attribute.name!r} must be numbers that rise.")
    low, high = attribute.range
    if ((asked < low) | (asked >= high)).any():
        message = f"An edge for {attribute.name!r} lies outside its range, {low:g} to {high:g}."
        raise DataError(message, hint="edges lie between the ends of the range.")
