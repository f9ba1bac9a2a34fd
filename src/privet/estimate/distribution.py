"""How often each original value occurred: counts of one attribute, or of one joint group (DXZ §3).

Observed counts are y = Kx on average. Inverting gives an estimate without bias that may be
negative; the paper's repair puts zero there, and what the repair adds can be taken off again by
rescaling, by the nearest point of the simplex, or avoided by EM. All of them are here beside each
other, with the covariance of the inverted counts and the channel's condition number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import DataError, MethodError
from privet.estimate.em import Axis, em

if TYPE_CHECKING:
    from privet.channel import Channel
    from privet.coding import Floats
    from privet.release import Part, Release
    from privet.table import Batch, IntArrays

__all__ = ["REPAIRS", "Distribution", "estimation_error", "invert", "project", "repair", "rescale"]

REPAIRS = ("none", "paper", "rescale", "simplex", "em")
_GAIN, _STEPS = 1e-5, 5_000  # of the log-likelihood, at which EM stops
_RANK = 1e-10  # the smallest singular value, beside the largest, of a matrix with a left inverse


def invert(channel: Channel, observed: Floats) -> Floats:
    """Return the counts without bias, K⁻¹y; they may be negative (DXZ §3.1).

    >>> from privet.channel import GammaDiagonal
    >>> invert(GammaDiagonal("outlook", 3, 3), np.array([3.0, 6.0, 5.0])).round(6)
    array([0.5, 8. , 5.5])
    """
    levels = channel.levels()
    if levels is not None and levels[2] == 1:  # y = far·n + (near − far)·x: no matrix needed
        far, near, _ = levels
        counts: Floats = (observed - far * observed.sum()) / (near - far)
        return counts
    return left_inverse(channel) @ observed


def left_inverse(channel: Channel) -> Floats:
    """Return W with WK = I: the inverse, or that of least squares where there are more outputs."""
    if channel.output_size == channel.input_size:
        return channel.inverse()
    matrix = channel.matrix() / channel.scale
    values = np.linalg.svd(matrix, compute_uv=False)
    if channel.output_size < channel.input_size or values[-1] < _RANK * values[0]:
        names = ", ".join(repr(name) for name in channel.attributes)
        message = f"The channel of {names} cannot be inverted: some values look alike."
        raise MethodError(message, hint="estimate by EM.")
    return np.asarray(np.linalg.pinv(matrix), np.float64)


def repair(counts: Floats) -> Floats:
    """Put zero in the place of negative counts (DXZ §3.3): the error in L1 can only fall."""
    return np.maximum(counts, 0.0)


def rescale(counts: Floats, total: float) -> Floats:
    """Return counts without negatives whose sum is ``total``.

    >>> rescale(np.array([-1.0, 4.0, 4.0]), 7.0)
    array([0. , 3.5, 3.5])
    """
    repaired = repair(counts)
    whole = repaired.sum()
    return repaired / whole * total if whole > 0 else np.full(len(repaired), total / len(repaired))


def project(counts: Floats, total: float) -> Floats:
    """Return the nearest counts (in L2) without negatives whose sum is ``total``.

    They are max(counts − t, 0) for the t that makes the sum right; t is computed exactly from
    the sorted counts.

    >>> project(np.array([-1.0, 4.0, 4.0]), 7.0)
    array([0. , 3.5, 3.5])
    """
    ordered = np.sort(counts)[::-1]
    shift = (np.cumsum(ordered) - total) / np.arange(1, len(counts) + 1)
    kept = np.flatnonzero(ordered > shift)
    level = shift[kept[-1]] if len(kept) else shift[0]
    projected: Floats = np.maximum(counts - level, 0.0)
    return projected


def estimation_error(estimated: Floats, originals: Floats) -> float:
    """Return E = Σ|X̂ − X| / ΣX (DXZ §5.1).

    >>> estimation_error(np.array([1.0, 9.0]), np.array([2.0, 8.0]))
    0.2
    """
    return float(np.abs(np.asarray(estimated) - originals).sum() / np.sum(originals))


@dataclass(frozen=True, eq=False)
class Distribution:
    """Counts of the originals of one channel's values, estimated from what was observed.

    ``observed`` has one count a (joint) output code; ``channel`` is None for values released
    exactly, whose counts are simply those.

    >>> from privet.channel import GammaDiagonal
    >>> estimate = Distribution(np.array([1.0, 6.0, 7.0]), GammaDiagonal("outlook", 3, 3))
    >>> estimate.counts("paper").round(2), estimate.counts("simplex").round(2)
    (array([ 0. ,  8. , 10.5]), array([0.  , 5.75, 8.25]))
    """

    observed: Floats
    channel: Channel | None

    def __post_init__(self) -> None:
        if self.channel is not None and len(self.observed) != self.channel.output_size:
            message = f"There are {len(self.observed)} observed counts for a channel with "
            message += f"{self.channel.output_size} outputs."
            raise DataError(message)

    @classmethod
    def of(cls, release: Release, name: str) -> Distribution:
        """Return the distribution of a released attribute, or of the whole group it is in.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=8).disguise(table, schema)
        >>> pv.Distribution.of(release, "Outlook").rows
        14.0
        """
        if len(release.parts) != 1 or release.parts[0].sign < 0:
            message = "The distribution of an attribute is estimated from a release of one part."
            raise MethodError(message, hint=f"privet.shares(release, {name!r}) takes several.")
        if name not in release.codings:
            message = f"The release has no attribute {name!r}; it has {', '.join(release.codings)}."
            raise DataError(message)
        coding = release.codings[name]
        channel = release.parts[0].channel(name)
        if channel is not None and channel.numbers:
            message = f"Attribute {name!r} was released with noise added."
            raise MethodError(message, hint=f"privet.reconstruct(release, {name!r}).")
        if coding is None:
            message = (
                f"Attribute {name!r} was released as exact numbers: there is nothing to estimate."
            )
            raise MethodError(message)
        part = release.parts[0]
        return cls(observed_counts(part, name, coding.size), part.channel(name))

    @property
    def rows(self) -> float:
        """The number of records."""
        return float(self.observed.sum())

    def counts(self, how: str = "em") -> Floats:
        """Return the estimated counts.

        ``none`` inverts and leaves negatives; ``paper`` puts zero there, which makes the sum too
        large; ``rescale`` and ``simplex`` give it back its sum; ``em`` maximises the likelihood.

        >>> from privet.channel import GammaDiagonal
        >>> seen = Distribution(np.array([60.0, 30.0, 10.0]), GammaDiagonal("x", 3, 3))
        >>> [seen.counts(how).round(1).tolist() for how in ("none", "em")]
        [[100.0, 25.0, -25.0], [83.3, 16.7, 0.0]]
        """
        if how not in REPAIRS:
            message = f"There is no estimate {how!r}; there are {', '.join(map(repr, REPAIRS))}."
            raise MethodError(message)
        if self.channel is None:
            return np.asarray(self.observed, np.float64)
        if how == "em":
            axis = Axis.of(self.channel, self.channel.input_size)
            return em([axis], self.observed, least_gain=_GAIN, most=_STEPS).table
        if how == "none":
            return self.inverted
        if how == "paper":
            return repair(self.inverted)
        return (rescale if how == "rescale" else project)(self.inverted, self.rows)

    @cached_property
    def inverted(self) -> Floats:
        """The counts without bias."""
        counts = np.asarray(self.observed, np.float64)
        return counts if self.channel is None else invert(self.channel, counts)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the inverted counts, over the disguise with the originals fixed.

        W diag(y) Wᵀ − diag(X̂), W the left inverse: an estimate of it without bias.
        """
        if self.channel is None:
            return np.zeros((len(self.observed), len(self.observed)))
        weights = left_inverse(self.channel)
        return (weights * self.observed) @ weights.T - np.diag(self.inverted)

    @property
    def errors(self) -> Floats:
        """The standard error of each inverted count."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def norm(self) -> float:
        """‖X̂‖₁, the sum of the inverted counts without their signs (DXZ §3.3).

        It is at least the number of records (lemma 1), and the same where nothing is negative.
        """
        return float(np.abs(self.inverted).sum())

    @property
    def detected(self) -> float:
        """The error E that ‖X̂‖₁ proves, without the originals: E is at least ‖X̂‖₁/n − 1.

        By the triangle inequality, ‖X̂ − X‖₁ ≥ ‖X̂‖₁ − n. Zero proves nothing.

        >>> from privet.channel import GammaDiagonal
        >>> estimate = Distribution(np.array([1.0, 6.0, 7.0]), GammaDiagonal("outlook", 3, 3))
        >>> round(estimate.norm, 2), round(estimate.detected, 2)  # X̂ = −4.5, 8, 10.5 of 14 records
        (23.0, 0.64)
        """
        return max(0.0, self.norm / self.rows - 1) if self.rows else 0.0

    @property
    def condition(self) -> float:
        """The channel's condition number: how much inverting multiplies relative errors."""
        return 1.0 if self.channel is None else self.channel.condition()


def observed_counts(part: Part, name: str, size: int) -> Floats:
    """Return how often each output code of an attribute, or of its whole group, was released."""
    channel = part.channel(name)
    outputs = size if channel is None else channel.output_size

    def count(batch: Batch) -> IntArrays:
        codes = batch.columns[name] if channel is None else channel.join(batch.columns)
        return (np.bincount(codes, minlength=outputs).astype(np.int64),)

    (counts,) = part.table.count(count)
    return counts.astype(np.float64)
