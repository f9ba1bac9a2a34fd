"""Means of released numbers, with errors: of cells, or of numbers that were released as such."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.channel import Noise

if TYPE_CHECKING:
    from privet.coding import Coding, Floats
    from privet.release import Part, Release
    from privet.table import Batch, IntArrays

__all__ = ["Mean", "expected_in_cells", "mean_of_cells", "mean_of_numbers", "plain_digits"]

Z = 1.959963984540054  # of a 95 % interval
_STEPS = 1 << 30, 1 << 15  # of a range, for sums of numbers and of their squares: no sum overflows


class Mean(NamedTuple):
    """A mean of the originals, its standard error, and how far ``cells`` may shift it.

    Cells do not tell where inside them numbers lie; ``interval`` allows for all of it.
    """

    value: float
    error: float
    cells: float

    def interval(self, z: float = Z) -> tuple[float, float]:
        """Return the 95 % interval, or another by its normal quantile.

        >>> Mean(38.0, 0.5, 1.0).interval(2.0)
        (36.0, 40.0)
        """
        half = z * self.error + self.cells
        return self.value - half, self.value + half

    def __str__(self) -> str:
        low, high = self.interval()
        if low == high:
            return plain_digits(self.value)
        finest = (high - low) / 2
        told = f"95 % interval {plain_digits(low, finest)} to {plain_digits(high, finest)}"
        parts = [f"standard error {plain_digits(self.error, self.error)}"] * (self.error > 0)
        if self.cells > 0:
            parts.append(f"cells may shift it by up to {plain_digits(self.cells, self.cells)}")
        return f"{plain_digits(self.value, finest)} ({told}; {', '.join(parts)})"


def plain_digits(number: float, unit: float = 0.0) -> str:
    """Return a number with two digits of a unit, or six of its own; never as a power of ten.

    >>> plain_digits(82_917.4, 1_340.0), plain_digits(38.393, 0.89), plain_digits(46_000)
    ('82,917', '38.39', '46,000')
    """
    size = unit / 10 if unit > 0 else abs(number) / 1e5
    digits = max(0, -math.floor(math.log10(size))) if 0 < size < math.inf else 0
    text = f"{number:,.{min(digits, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text and not unit > 0 else text


def mean_of_cells(
    coding: Coding, fitted: Floats, unbiased: Floats, covariance: Floats
) -> Mean | None:
    """Return the mean of known numbers, by where inside its cell a number is expected.

    The mean is off by no more than if all numbers lay at the same ends of their cells.
    """
    lower, upper = (np.asarray(side, np.float64) for side in (coding.lower, coding.upper))
    known = fitted[: coding.known]
    if known.sum() <= 0:
        return None
    centres = expected_in_cells(coding, known)
    weights = np.append(centres, [0.0] * coding.missing)
    ones = np.append(np.ones(len(centres)), [0.0] * coding.missing)
    value = float(weights @ unbiased / (ones @ unbiased))
    slope = (weights - value * ones) / (ones @ unbiased)
    error = math.sqrt(max(float(slope @ covariance @ slope), 0.0))
    shift = max(float(known @ (centres - lower)), float(known @ (upper - centres)))
    return Mean(value, error, shift / float(known.sum()))


def expected_in_cells(coding: Coding, counts: Floats) -> Floats:
    """Return where inside each cell a number is expected, by how many there are in each.

    That is where a smooth curve (monotone cubic) through the shares below each border puts it; the
    centre of a cell that has none.

    >>> from privet.coding import Coding
    >>> debt = Coding.cells("debt", [0, 10, 20], [10, 20, 90])
    >>> expected_in_cells(debt, np.array([9, 4, 2])).round(1)
    array([ 4.4, 14. , 41.1])
    """
    lower, upper = (np.asarray(side, np.float64) for side in (coding.lower, coding.upper))
    centres: Floats = (lower + upper) / 2
    wide, total = upper > lower, float(counts.sum())
    if not wide.any() or len(lower) < 2 or total <= 0:
        return centres
    ends = np.concatenate([[lower[0]], upper])
    places = np.concatenate([[0.0], np.cumsum(counts) / total])
    steps = np.concatenate([[True], np.diff(ends) > 0])
    # ∫ x dF over a cell is the upper end's share of it less the area under F.
    with np.errstate(divide="ignore", invalid="ignore"):
        mass = np.diff(places)
        area = _areas(ends[steps], places[steps], lower, upper)
        expected = (upper * places[1:] - lower * places[:-1] - area) / mass
    fine = wide & (mass > 1e-9) & (expected >= lower) & (expected <= upper)
    return np.where(fine, expected, centres)


def _areas(ends: Floats, heights: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return the areas from ``lower`` to ``upper`` under a monotone cubic through rising points.

    Both sides of an area lie between the same two ends. Slopes are those of Fritsch and Butland
    (1984), as in SciPy's ``PchipInterpolator``, whose import takes longer than all other work here.
    """
    width = np.diff(ends)
    rise = np.diff(heights) / width
    slope = np.resize(rise, len(ends))
    if len(width) > 1:
        before, after = 2 * width[1:] + width[:-1], width[1:] + 2 * width[:-1]
        slope[1:-1] = (before + after) / (before / rise[:-1] + after / rise[1:])
        for end, near, far in ((0, 0, 1), (-1, -1, -2)):
            pull = width[near] * (rise[near] - rise[far]) / (width[near] + width[far])
            slope[end] = max(0.0, rise[near] + pull)
    bend = (3 * rise - 2 * slope[:-1] - slope[1:]) / width
    twist = (slope[:-1] + slope[1:] - 2 * rise) / width**2
    at = np.maximum(np.searchsorted(ends, upper) - 1, 0)

    def below(points: Floats) -> Floats:
        past = points - ends[at]
        curved: Floats = slope[at] / 2 + past * (bend[at] / 3 + past * twist[at] / 4)
        return past * (heights[at] + past * curved)

    return below(upper) - below(lower)


def mean_of_numbers(release: Release, name: str, *, population: bool) -> Mean | None:
    """Return the mean of an attribute that was released as numbers, exact or with noise added.

    Noise has a known mean, so the average of what was released needs no cells. None where an
    attribute was released otherwise.
    """
    if release.universe is not None:
        return None
    parts = [part for part in release.parts if part.table.rows and name in part.table.names]
    if not parts or any(release.codings_of(part)[name] is not None for part in parts):
        return None
    sums = np.array([_sums(release, part, name) for part in parts])
    count, total, squares, noise = sums.sum(axis=0).tolist()
    if count <= 0:
        return None
    value = total / count
    sampled = population or sum(part.table.rows for part in parts) < release.rows
    spread = squares / count - value**2 if sampled else noise / count
    steps = [channel.step for part in parts if isinstance(channel := part.channel(name), Noise)]
    whole = release.schema[name].integer and all(step == int(step) for step in steps)
    cells = 0.0 if whole else max(steps, default=0.0) / 2  # noise is added on a grid
    return Mean(value, math.sqrt(max(0.0, spread) / count), cells)


def _sums(release: Release, part: Part, name: str) -> tuple[float, float, float, float]:
    """Return a part's records, the sums of their numbers and squares, and the noise's variance."""
    channel = part.channel(name)
    low, high = release.schema[name].range
    shift = variance = 0.0
    if isinstance(channel, Noise):
        reach = channel.reach * channel.step
        low, high = low - reach, high + reach
        steps = np.arange(-channel.reach, channel.reach + 1) * channel.step
        shift = float(channel.weights_of_steps @ steps) / channel.scale
        variance = channel.deviation**2 - shift**2
    width = (high - low) or 1.0

    def counted(batch: Batch) -> IntArrays:
        numbers = np.asarray(batch.columns[name], np.float64)
        places = (numbers[~np.isnan(numbers)] - low) / width
        fine, coarse = (np.floor(places * steps) for steps in _STEPS)
        rest = np.rint((places * _STEPS[0] - fine) * _STEPS[0])  # what the fine steps leave over
        sums = [column.astype(np.int64).sum() for column in (fine, rest, coarse * coarse)]
        return (np.array([len(places), *sums], np.int64),)

    (totals,) = part.table.count(counted)
    count, first, more, second = totals.astype(np.float64).tolist()
    start = low - shift
    mean = width * (first + more / _STEPS[0]) / _STEPS[0]
    squares = width**2 * second / _STEPS[1] ** 2
    total = count * start + mean
    return count, total, squares + 2 * start * mean + count * start**2, count * variance
