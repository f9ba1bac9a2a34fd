"""Reconstruction: how originals were spread, from noisy numbers and the noise.

Agrawal and Srikant (2000) gave the method. The paper's way takes the noise's density between
midpoints of intervals and stops early, by a χ² rule. The exact way takes the noise integrated over
cells and climbs to the likeliest counts, which are spiky where noise is large; smoothing, or
stopping where held-out records say so, mends that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.channel import CoarseNoise, Noise
from privet.coding import Coding
from privet.errors import DataError, InputError
from privet.estimate.deconvolve import Banded, climb, count_slots
from privet.estimate.em import Axis, em, expected
from privet.estimate.kernels import count_joint
from privet.release import Release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats

__all__ = ["HOWS", "STOPS", "Reconstruction", "deconvolved", "intervals_for", "reconstruct"]

HOWS = ("exact", "paper")
STOPS = ("converged", "paper", "held-out")
MOST_STEPS = 20_000
LEAST_GAIN = 1e-4  # of the log-likelihood: a smaller step is the last
REST = 1e-6  # of n·Σ(P′ − P)²/P: smoothed steps that move less have come to rest
SHARE = 0.01  # of χ²'s 95 % point, at which the paper stops
DRAWS = 25  # of the observed counts, for error bars
HELD_OUT = 0.2  # of the records, where they say when to stop
PATIENCE = 10  # looks at the held-out records without an improvement
SLACK = 0.5  # of their log-likelihood that is given up for fewer steps
MOST_JOINT, JOINT = 4, 20  # attributes that are reconstructed together; cells of each
_SEED = 20000  # of what is drawn from counts for error bars and stopping; nothing secret


def intervals_for(rows: int) -> int:
    """Return the paper's number of intervals: n/100, at least 10 and at most 100.

    >>> intervals_for(500), intervals_for(5_000), intervals_for(100_000)
    (10, 50, 100)
    """
    return int(np.clip(rows // 100, 10, 100))


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Counts of originals by cells, estimated from noisy numbers: one axis per attribute.

    ``steps`` is how many steps were taken, ``likelihood`` the log-likelihood before the last.
    """

    channels: tuple[CoarseNoise, ...]
    observed: Floats
    counts: Floats
    steps: int
    likelihood: float
    settings: tuple[str, str, bool]

    @property
    def codings(self) -> tuple[Coding, ...]:
        """The cells of each attribute."""
        return tuple(channel.coding for channel in self.channels)

    @property
    def shares(self) -> Floats:
        """The counts over their sum."""
        return np.asarray(self.counts / max(self.counts.sum(), 1e-300), np.float64)

    @property
    def edges(self) -> Floats:
        """The borders of the cells of a single attribute, the range's ends among them."""
        coding = self.codings[0]
        noise = self.channels[0].noise
        return np.concatenate([[noise.low], coding.edges, [noise.high]])

    @cached_property
    def errors(self) -> Floats:
        """The standard error of each count: of 25 refits to observed counts drawn anew."""
        rng = np.random.default_rng(_SEED)
        again = [
            _fitted(self.channels, rng.poisson(self.observed).astype(np.float64), *self.settings)[0]
            for _ in range(DRAWS)
        ]
        spread: Floats = np.std(again, axis=0, ddof=1)
        return spread


def reconstruct(
    values: Any,
    noise: Any = None,
    *,
    intervals: int | None = None,
    how: str = "exact",
    stop: str | None = None,
    smooth: bool = False,
) -> Reconstruction:
    """Return how the originals behind noisy numbers were spread.

    Parameters
    ----------
    values
        Noisy numbers; a list of several columns for a joint reconstruction; or a release.
    noise
        The ``Noise`` that was added, or a list of them; with a release the name of an
        attribute, or a list of two to four names.
    intervals
        Cells of the range; by default the paper's rule, n/100 from 10 to 100, and for several
        attributes together 20 each.
    how
        ``"exact"`` integrates the noise over cells, ``"paper"`` takes it between midpoints.
    stop
        ``"converged"``, by default with the exact way; ``"paper"``, its χ² rule, by default with
        the paper's; or ``"held-out"``, where a fifth of the records, kept apart, are likeliest.
    smooth
        Whether each step is followed by a mean over neighbouring cells.

    >>> rng = np.random.default_rng(1)
    >>> noise = Noise.uniform("x", low=0, high=1, alpha=0.5)
    >>> noisy = rng.beta(8, 8, 20_000) + rng.uniform(-0.5, 0.5, 20_000)
    >>> fit = reconstruct(noisy, noise, intervals=5, stop="held-out")
    >>> int(fit.shares.argmax()), bool(fit.errors.max() < 1_000)
    (2, True)
    """
    if how not in HOWS:
        raise InputError(f"how must be one of {', '.join(map(repr, HOWS))}.")
    stop = stop or {"exact": "converged", "paper": "paper"}[how]
    if stop not in STOPS:
        raise InputError(f"stop must be one of {', '.join(map(repr, STOPS))}.")
    if isinstance(values, Release):
        columns, noises = _of_release(values, noise)
    else:
        several = isinstance(noise, list | tuple)
        columns = [_numbers(column) for column in (values if several else [values])]
        noises = list(noise) if several else [noise]
    if not all(isinstance(law, Noise) for law in noises) or len(noises) != len(columns):
        hint = "reconstruct(numbers, Noise.uniform('x', low=0, high=1, alpha=0.5))."
        raise InputError("A noise is expected for each column of noisy numbers.", hint=hint)
    if not 1 <= len(noises) <= MOST_JOINT:
        raise InputError(f"At most {MOST_JOINT} attributes are reconstructed together.")
    rows = len(columns[0])
    if not rows or any(len(column) != rows for column in columns):
        raise DataError("There are no noisy numbers, or columns of unequal length.")
    if len(noises) > 1 and (how == "paper" or smooth):
        raise InputError("The paper's way and smoothing are for one attribute at a time.")
    codings = [_cells(noise, intervals, rows, together=len(noises) > 1) for noise in noises]
    channels = tuple(  # the paper's intervals are as wide as its cells, also where few records are
        CoarseNoise.of(*pair, tails=how == "exact") for pair in zip(noises, codings, strict=True)
    )
    return deconvolved(channels, _counted(channels, columns), how, stop, smooth=smooth)


def deconvolved(
    channels: tuple[CoarseNoise, ...],
    observed: Floats,
    how: str = "exact",
    stop: str = "converged",
    *,
    smooth: bool = False,
) -> Reconstruction:
    """Return the reconstruction of observed counts, one axis per channel."""
    counts, steps, likelihood = _fitted(channels, observed, how, stop, smooth)
    return Reconstruction(channels, observed, counts, steps, likelihood, (how, stop, smooth))


def _of_release(release: Release, names: Any) -> tuple[list[Floats], list[Any]]:
    if len(release.parts) != 1 or release.parts[0].sign < 0:
        raise DataError("Distributions are reconstructed from a release of one part.")
    part = release.parts[0]
    asked = [names] if isinstance(names, str) else list(names or ())
    noises = []
    for name in asked:
        noise = part.channel(name)
        if not isinstance(noise, Noise):
            noisy = [
                channel.attributes[0] for channel in part.channels if isinstance(channel, Noise)
            ]
            message = f"The release has no noisy attribute {name!r}; it has "
            raise DataError(message + f"{', '.join(noisy) or 'none'}.")
        noises.append(noise)
    batches = list(part.table.batches())
    return [np.concatenate([b.columns[name] for b in batches]) for name in asked], noises


def _numbers(values: Any) -> Floats:
    try:
        numbers = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError):
        raise DataError("Noisy values must be numbers.") from None
    if numbers.ndim != 1:
        raise DataError("Noisy values must be one column of numbers.")
    return numbers


def _cells(noise: Noise, intervals: int | None, rows: int, *, together: bool) -> Coding:
    wanted = (JOINT if together else intervals_for(rows)) if intervals is None else intervals
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        raise InputError("intervals must be a whole number of at least 1.")
    return cells_of(noise, wanted)


def cells_of(noise: Noise, wanted: int) -> Coding:
    """Return so many cells of equal width over a noise's range, at most one per grid point."""
    count = min(wanted, noise.input_size)
    if count < noise.input_size:
        borders = np.linspace(noise.low, noise.high, count + 1)
        return Coding.cells(noise.attribute, borders[:-1], borders[1:])
    points = noise.released(np.arange(count) + noise.reach)
    return Coding.cells(noise.attribute, points, points)


def _counted(channels: Sequence[CoarseNoise], columns: Sequence[Floats]) -> Floats:
    if not all(np.isfinite(column).all() for column in columns):
        raise DataError("Noisy values must be finite numbers; some are missing or infinite.")
    if len(channels) == 1:
        return count_slots(channels[0], columns[0])[0].astype(np.float64)
    shape = tuple(channel.output_size for channel in channels)
    pairs = zip(channels, columns, strict=True)
    codes = np.stack([channel.observed(column) for channel, column in pairs], axis=1)
    out = np.zeros(int(np.prod(shape)), np.int64)
    none = np.zeros(len(codes), np.uint8)
    count_joint(codes.astype(np.uint16), none, np.array([*shape, 1]), out)
    return out.reshape(shape).astype(np.float64)


def _fitted(
    channels: tuple[CoarseNoise, ...],
    observed: Floats,
    how: str,
    stop: str,
    smooth: bool,  # noqa: FBT001
) -> tuple[Floats, int, float]:
    if len(channels) > 1:
        return _fitted_jointly(channels, observed, stop)
    channel = channels[0]
    band = Banded.of(channel.kernel if how == "exact" else channel.midpoints)
    most = MOST_STEPS
    if stop == "held-out":
        most = _held_out(band, observed, channel.input_size, smooth=smooth)
    counts = np.full(channel.input_size, observed.sum() / channel.input_size)
    gain = LEAST_GAIN if stop == "converged" and not smooth else -np.inf
    move = _least_move(channel.input_size) if stop == "paper" else 0.0
    if smooth and stop == "converged":
        move = REST  # smoothed steps need not gain likelihood: they end where they rest
    steps, likelihood = climb(observed, *band, counts, most, gain, move, smooth)
    return counts, steps, likelihood


def _least_move(cells: int) -> float:
    """Return the paper's bound: 1 % of the 95 % point of χ² with one degree less than cells."""
    from scipy.stats import chi2

    return SHARE * float(chi2.ppf(0.95, max(1, cells - 1)))


def _thinned(observed: Floats) -> tuple[Floats, Floats]:
    """Keep a fifth of the records apart, drawn from the counts by a fixed seed."""
    rng = np.random.default_rng(_SEED)
    apart = rng.binomial(observed.astype(np.int64), HELD_OUT).astype(np.float64)
    return observed - apart, apart


def _held_out(band: Banded, observed: Floats, cells: int, *, smooth: bool) -> int:
    """Return the number of steps after which records kept apart are likeliest."""
    kept, apart = _thinned(observed)
    counts = np.full(cells, kept.sum() / cells)
    matrix = np.zeros((len(observed), cells))
    places = band.first[:, None] + np.arange(band.rows.shape[1])
    matrix[places, np.arange(cells)[:, None]] = band.rows
    seen: list[tuple[int, float]] = []
    done = 0
    while done < MOST_STEPS and (
        len(seen) < PATIENCE or max(now for _, now in seen[-PATIENCE:]) > seen[-PATIENCE][1]
    ):
        more = max(1, done // 8)
        climb(kept, *band, counts, more, -np.inf, 0.0, smooth)
        done += more
        seen.append((done, float(apart @ np.log(np.maximum(matrix @ counts, 1e-300)))))
    # The fewest steps that are not clearly worse than the best: more of them fit noise.
    enough = max(now for _, now in seen) - SLACK
    return next(steps for steps, now in seen if now >= enough)


def _fitted_jointly(
    channels: tuple[CoarseNoise, ...], observed: Floats, stop: str
) -> tuple[Floats, int, float]:
    axes = [Axis.of(channel, channel.input_size) for channel in channels]
    most = 1_000
    if stop == "held-out":
        most = _held_out_jointly(axes, observed)
    gain = 1e-2 if stop == "converged" else -np.inf
    if stop == "paper":
        gain = _least_move(int(np.prod([axis.inputs for axis in axes]))) / 2
    fit = em(axes, observed, most=most, least_gain=gain)
    return fit.table, fit.steps, fit.likelihood


def _held_out_jointly(axes: Sequence[Axis], observed: Floats) -> int:
    """Return the best of a few numbers of steps, by records kept apart."""
    kept, apart = _thinned(observed)
    best, steps = -np.inf, 1
    for most in (5, 10, 20, 40, 80, 160, 320):
        table = expected(axes, em(axes, kept, most=most).table)
        now = float((apart * np.log(np.maximum(table, 1e-300))).sum())
        if now <= best:
            break
        best, steps = now, most
    return steps
