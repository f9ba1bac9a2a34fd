"""What is left of the table: estimated counts of each attribute, and associations of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.channel import Noise
from privet.channel.base import MAX_CELLS
from privet.errors import MethodError
from privet.estimate.distribution import (
    Distribution,
    estimation_error,
    left_inverse,
    observed_counts,
)
from privet.estimate.reconstruction import reconstruct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.audit.original import Original
    from privet.channel import Channel
    from privet.coding import Floats, Ints
    from privet.release import Part, Release
    from privet.table import Batch, IntArrays


__all__ = [
    "Associations",
    "CountError",
    "DetectedError",
    "association",
    "associations",
    "count_errors",
    "detected_errors",
    "estimated_shares",
    "single_channels",
]

MAX_PAIRED = 16  # attributes whose pairs are compared
MAX_SIZE = 64  # values of an attribute in a pair
CLEAR = 0.25  # an association that must stand out of the disguise's noise by its standard error


@dataclass(frozen=True)
class CountError:
    """How far the estimated counts of an attribute are from the true ones.

    ``error`` is DXZ's E = Σ|X̂ − X| / ΣX of counts estimated by EM; ``naive`` the same for counts
    as released, if they are of the same values; ``predicted`` the mean error that inverting
    would have.
    """

    about: str
    error: float
    naive: float | None
    predicted: float | None


@dataclass(frozen=True)
class DetectedError:
    """The error that a release itself proves inverted counts to have (DXZ §3.3, lemma 1).

    ``norm`` is ‖X̂‖₁ beside the number of records; E is at least ``norm`` − 1. No originals are
    needed to see it.
    """

    about: str
    norm: float


@dataclass(frozen=True)
class Associations:
    """How pairs of attributes go together: originals against the release.

    ``pairs`` of them were compared; ``kept`` is the mean distance with corrected counts and
    ``naive`` that with counts as released; ``mean`` is the mean association of the originals.
    ``points`` are (original, corrected, as released) of each pair, without names. ``hidden`` are
    further pairs whose corrected association would be noise: attributes that hardly vary, or of
    many values, beside few records.
    """

    pairs: int
    hidden: int
    mean: float
    kept: float
    naive: float
    points: tuple[tuple[float, float, float], ...]


def single_channels(part: Part, original: Original) -> list[Channel]:
    """Return the channels of one attribute each whose true counts are known."""
    return [
        channel
        for channel in part.channels
        if channel.input_size * channel.output_size <= MAX_CELLS
        and len(channel.attributes) == 1
        and channel.attributes[0] in original.counts
    ]


def estimated_shares(part: Part, channel: Channel) -> Floats:
    """Return the shares of a channel's inputs as a miner would estimate them."""
    if isinstance(channel, Noise):
        return _noisy_shares(part, channel)
    observed = observed_counts(part, channel.attributes[0], channel.input_size)
    counts = Distribution(observed, channel).counts("em")
    shares: Floats = counts / counts.sum()
    return shares


def _noisy_shares(part: Part, noise: Noise) -> Floats:
    """Return the shares of a grid's points, those of a reconstructed cell all alike."""
    name = noise.attribute
    column = np.concatenate([batch.columns[name] for batch in part.table.batches()])
    fit = reconstruct(column, noise, stop="held-out")
    first = fit.channels[0].cells
    sizes = np.diff(np.append(first, noise.input_size))
    shares = np.repeat(fit.shares / sizes, sizes)
    return np.asarray(shares / shares.sum(), np.float64)


def count_errors(part: Part, original: Original) -> list[CountError]:
    """Compare estimated and true counts of every attribute with a channel of its own."""
    errors = []
    for channel in single_channels(part, original):
        name = channel.attributes[0]
        truth = original.counts[name].astype(np.float64)
        seen = Distribution(observed_counts(part, name, channel.input_size), channel)
        same = channel.inputs == channel.outputs
        errors.append(
            CountError(
                name,
                estimation_error(seen.counts("em"), truth),
                estimation_error(seen.observed, truth) if same else None,
                _predicted(seen),
            )
        )
    return errors


def detected_errors(part: Part) -> list[DetectedError]:
    """Return ‖X̂‖₁ over n of every attribute, or group, whose counts can be inverted."""
    errors = []
    for channel in part.channels:
        if channel.numbers or channel.input_size * channel.output_size > MAX_CELLS:
            continue
        observed = observed_counts(part, channel.attributes[0], channel.input_size)
        seen = Distribution(observed, channel)
        try:
            errors.append(DetectedError(" × ".join(channel.attributes), seen.norm / seen.rows))
        except MethodError:
            continue
    return errors


def _predicted(seen: Distribution) -> float | None:
    """Return the mean of E without repair: √(2/π) standard errors a value."""
    try:
        return float(np.sqrt(2 / np.pi) * seen.errors.sum() / seen.rows)
    except MethodError:
        return None


def associations(release: Release, part: Part, original: Original) -> Associations | None:
    """Compare the associations of all pairs of coded attributes of moderate size."""
    target = release.schema.target
    sizes = {
        name: len(counts)
        for name, counts in original.counts.items()
        if len(counts) <= MAX_SIZE and _alone(part, name)
    }
    names = [name for name in sizes if name != target][: MAX_PAIRED - 1]
    pairs = list(combinations([*names, *([target] if target in sizes else [])], 2))
    if not pairs:
        return None
    try:
        weights = {name: _weights(part, name, sizes[name]) for pair in pairs for name in pair}
    except MethodError:
        return None
    points: list[tuple[float, float, float]] = []
    for (first, second), table in zip(pairs, _pair_counts(part, pairs, weights), strict=True):
        cells = original.sample[first].astype(np.int64) * sizes[second] + original.sample[second]
        true = np.bincount(cells, minlength=sizes[first] * sizes[second]).reshape(sizes[first], -1)
        left, right = weights[first], weights[second].T
        mended = left @ table @ right
        noise = left**2 @ table @ right**2 - mended
        if _squared_error(mended, noise) > CLEAR**2:
            continue
        same = table.shape == true.shape
        points.append(
            (association(true), association(mended, noise), association(table) if same else 0.0)
        )
    truths, kept, naive = np.array(points).reshape(-1, 3).T
    count = max(1, len(points))
    return Associations(
        len(points),
        len(pairs) - len(points),
        float(truths.sum() / count),
        float(np.abs(kept - truths).sum() / count),
        float(np.abs(naive - truths).sum() / count),
        tuple(points),
    )


def _alone(part: Part, name: str) -> bool:
    channel = part.channel(name)
    return channel is None or len(channel.attributes) == 1


def _weights(part: Part, name: str, size: int) -> Floats:
    channel = part.channel(name)
    return np.eye(size) if channel is None else left_inverse(channel)


def _pair_counts(
    part: Part, pairs: Sequence[tuple[str, str]], weights: dict[str, Floats]
) -> list[Ints]:
    """Return the released counts of all pairs, in one pass."""
    tops = {name: weight.shape[1] for name, weight in weights.items()}

    def work(batch: Batch) -> IntArrays:
        wide = {name: batch.columns[name].astype(np.int64) for name in tops}
        return tuple(
            np.bincount(
                wide[first] * tops[second] + wide[second], minlength=tops[first] * tops[second]
            ).reshape(tops[first], tops[second])
            for first, second in pairs
        )

    return list(part.table.count(work, "pairing"))


def association(table: NDArray[Any], noise: Floats | None = None) -> float:
    """Return how two attributes go together, 0 to 1, from a table of counts.

    It is the correlation of their indicator vectors: √(D(A,B) / √(D(A,A)·D(B,B))) with D the sum of
    squares of p_ij − p_i·p_j; for two bits, |φ|. Rare values do not rule it, as they do in
    Cramér's V. ``noise`` is the variance of the cells, which must not count as signal.

    >>> association(np.array([[10, 0], [0, 10]])), association(np.array([[5, 5], [5, 5]]))
    (1.0, 0.0)
    """
    departure = _departure(table)
    if departure is None:
        return 0.0
    apart, most = departure
    squares = float((apart**2).sum())
    if noise is not None:
        squares -= float(noise.sum()) / table.sum() ** 2
    return float(min(1.0, max(0.0, squares) / most) ** 0.5)


def _squared_error(table: Floats, noise: Floats) -> float:
    """Return the standard error of a squared association whose cells have variances ``noise``.

    Of a square z² with z of variance v it is √(4z²v + 2v²).
    """
    departure = _departure(table)
    if departure is None:
        return np.inf
    apart, most = departure
    spread = np.maximum(noise, 0.0) / table.sum() ** 2
    return float(np.sqrt((4 * apart**2 * spread + 2 * spread**2).sum()) / most)


def _departure(table: NDArray[Any]) -> tuple[Floats, float] | None:
    """Return p_ij − p_i·p_j and the most that its sum of squares can be; None if that is zero."""
    total = table.sum()
    if total <= 0:
        return None
    shares = table / total
    rows, columns = np.maximum(shares.sum(axis=1), 0.0), np.maximum(shares.sum(axis=0), 0.0)
    own = [_own(rows), _own(columns)]
    if min(own) <= 0:
        return None
    return shares - np.outer(rows, columns), float(np.sqrt(own[0] * own[1]))


def _own(shares: Floats) -> float:
    """Return D(A, A) of an attribute's shares."""
    squares = (shares**2).sum()
    return float(squares - 2 * (shares**3).sum() + squares**2)
