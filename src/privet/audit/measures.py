"""Claims, checked: every notion of privacy side by side, computed from the card's integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc

from privet.audit.attacks.homogeneity import ROWS, plain_names
from privet.audit.entropy import entropy_privacy, noise_privacy
from privet.audit.fidelity import single_channels
from privet.audit.notions import ONE_VALUE, constant, may_claim, words
from privet.audit.world import worst_part
from privet.channel import Noise
from privet.channel.base import MAX_CELLS
from privet.errors import ReleaseError
from privet.estimate.distribution import observed_counts
from privet.estimate.merged import merged
from privet.release.anonymity import Anonymity, groups_of
from privet.release.claim import PRIORS, posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.audit.original import Original
    from privet.channel import Channel
    from privet.coding import Coding
    from privet.release import Part, Promise, Release

__all__ = ["CONFIDENCES", "Check", "Measure", "check_claims", "measures", "widths"]

CONFIDENCES = (0.5, 0.95)
_UNLIKELY = 1e-6  # how seldom a right release may fail the test of its counts


@dataclass(frozen=True)
class Measure:
    """What one attribute, or one group, is promised in every notion; None where there is none.

    ``posteriors`` are the highest chance a release can lift each of ``PRIORS`` to;
    ``intervals`` the share of the range that holds the true number at each of ``CONFIDENCES``;
    ``k`` how many rows at least are alike in all that is plain.
    """

    about: str
    treatment: str
    values: int | None
    epsilon: float | None
    gamma: Fraction | None
    posteriors: tuple[float, ...] | None
    entropy: float | None
    most_entropy: float | None
    intervals: tuple[float, ...] | None
    k: int | None
    said: str


@dataclass(frozen=True)
class Check:
    """Something that should hold, and whether it does.

    A ``hard`` one that fails means that the release is not what it says it is.
    """

    what: str
    holds: bool
    detail: str = ""
    hard: bool = False


def measures(release: Release) -> list[Measure]:
    """Return the measures of every attribute of the owner's schema, in order."""
    part = worst_part(release)
    smallest = _smallest(release, part)
    return [_measure(release, part, promise, smallest) for promise in release.claim.promises]


def _measure(release: Release, part: Part, promise: Promise, smallest: int | None) -> Measure:
    allowed = may_claim(promise.treatment)
    channel = part.channel(promise.attributes[0])
    coding = release.codings.get(promise.attributes[0])
    gamma = promise.gamma if "gamma" in allowed else None
    bounded = gamma is not None
    entropy = channel is not None and "entropy" in allowed
    said = words(promise.treatment)
    if gamma is None and constant(release).issuperset(promise.attributes):
        said = ONE_VALUE
    if isinstance(channel, Noise):
        kept = entropy_privacy(channel)
        said = (
            f"No finite ε. As unsure as an interval of {noise_privacy(channel):.4g} by entropy; to "
            f"someone who takes originals for spread evenly, of {kept.after:.4g}."
        )
    if bounded and channel is not None:
        said = f"Protected by ε = {promise.epsilon:.2f}, whatever else is known."
    return Measure(
        " × ".join(promise.attributes),
        promise.treatment,
        channel.input_size if channel else (coding.size if coding is not None else None),
        promise.epsilon if bounded and "epsilon" in allowed else None,
        gamma,
        tuple(float(posterior(prior, gamma)) for prior in PRIORS)
        if bounded and "posterior" in allowed
        else None,
        promise.entropy if entropy else None,
        math.log2(channel.output_size) if entropy and channel is not None else None,
        _intervals(release, promise, channel, coding) if "interval" in allowed else None,
        smallest if "k" in allowed and channel is None else None,
        said,
    )


def _smallest(release: Release, part: Part) -> int | None:
    """Return k: the smallest number of rows alike in all plain attributes but the class."""
    names = [name for name in plain_names(release, part) if name != release.schema.target]
    if not names or not release.rows or any(each.sign < 0 for each in release.parts):
        return None
    released = part.table.slice(0, ROWS).collect(ROWS).columns
    return int(groups_of([released[name] for name in names]).sizes.min())


def _intervals(
    release: Release, promise: Promise, channel: Channel | None, coding: Coding | None
) -> tuple[float, ...] | None:
    if isinstance(channel, Noise):
        low, high = release.schema[channel.attribute].range
        return tuple(channel.width(confidence) / (high - low) for confidence in CONFIDENCES)
    if coding is None or not coding.ordered or len(promise.attributes) > 1:
        return None
    if channel is not None and channel.input_size * channel.output_size > MAX_CELLS:
        return None
    law = np.eye(coding.size) if channel is None else channel.matrix() / channel.scale
    whole = release.schema[promise.attributes[0]].integer
    return widths(coding, law, integer=whole)


def widths(coding: Coding, law: NDArray[np.float64], *, integer: bool = False) -> tuple[float, ...]:
    """Return AS's privacy level: the share of the range that holds the number at each confidence.

    For the output that tells most, and numbers equally likely over the range, the shortest
    interval that holds the original with probability c. With the density constant in a cell, one
    end of the shortest interval lies on a border of a cell. A value class of width W: c·W.
    """
    lower, upper = np.asarray(coding.lower), np.asarray(coding.upper)
    width = upper - lower + (1.0 if integer else 0.0)
    total = width.sum()
    if total <= 0:
        return tuple(0.0 for _ in CONFIDENCES)
    borders = np.concatenate([[0.0], np.cumsum(width / total)])
    known = coding.known
    shortests = []
    for confidence in CONFIDENCES:
        shortest = 1.0
        for row in law[:, :known]:
            mass = row * width
            if mass.sum() <= 0:
                continue
            heaped = np.concatenate([[0.0], np.cumsum(mass / mass.sum())])
            right = np.interp(heaped + confidence, heaped, borders) - borders
            left = borders - np.interp(heaped - confidence, heaped, borders)
            fits = np.concatenate(
                [right[heaped <= 1 - confidence + 1e-12], left[heaped >= confidence - 1e-12]]
            )
            shortest = min(shortest, float(fits.min()))
        shortests.append(shortest)
    return tuple(shortests)


def check_claims(release: Release, original: Original | None = None) -> list[Check]:
    """Check what a release claims: integers against promises, and the counts against integers."""
    checks = []
    exact = [_exact(channel) for part in release.parts for channel in part.channels]
    sums = [pair for pair in exact if pair is not None]
    if exact:
        written = f"{len(sums)} of {len(exact)} matrices written out"
        holds = all(fine for fine, _ in sums)
        checks.append(
            Check("Every column of every matrix sums to its scale", holds, written, hard=True)
        )
        checks.append(_claimed(release))
        checks.append(_summed(release))
    over = [
        " × ".join(promise.attributes)
        for promise in release.claim.promises
        if promise.gamma is not None and "gamma" not in may_claim(promise.treatment)
    ]
    checks.append(
        Check(
            "No treatment claims what it may not",
            not over,
            f"{', '.join(over)}: no ε may be claimed" if over else "",
            hard=True,
        )
    )
    checks.append(Check("The random words came from the operating system", not release.seeded))
    checks.append(Check("The rows are shuffled", release.shuffled))
    checks.append(
        Check("The schema was declared, not learned from the data", not release.schema.learned)
    )
    checks += _kept(release, original)
    if original is not None:
        checks += _counts_fit(release, original)
    return checks


def _kept(release: Release, original: Original | None) -> list[Check]:
    """Check what whole-table methods say of their records: k, or that tables complete them."""
    checks = []
    for promise, what in (
        (release.anonymity, "Every group of the quasi-identifier has k records or more"),
        (release.universe, "The two tables complete some records to the universe"),
    ):
        if promise is None:
            continue
        try:
            promise.verify(release)
        except ReleaseError as error:
            checks.append(Check(what, holds=False, detail=str(error), hard=True))
        else:
            detail = (
                f"k = {promise.k}"
                if isinstance(promise, Anonymity)
                else f"{promise.copies:,} copies"
            )
            checks.append(Check(what, holds=True, detail=detail, hard=True))
    if release.universe is not None and original is not None and original.collected is not None:
        same = np.array_equal(release.universe.collected(release.parts), original.collected)
        what = "What the two tables give back are the originals"
        detail = f"{original.rows:,} records, each as often" if same else "not these"
        checks.append(Check(what, same, detail, hard=True))
    return checks


def _exact(channel: Channel) -> tuple[bool, Fraction | None] | None:
    """Return whether the columns sum up, and the largest ratio of a row, by whole numbers only."""
    if channel.input_size * channel.output_size > MAX_CELLS:
        return None
    matrix = channel.matrix()
    worst: Fraction | None = Fraction(1)
    for row in matrix:
        high, low = int(row.max()), int(row.min())
        if high and not low:
            worst = None
        elif high and worst is not None:
            worst = max(worst, Fraction(high, low))
    fine = bool((matrix.sum(axis=0) == channel.scale).all()) and bool((matrix >= 0).all())
    return fine, worst


def _claimed(release: Release) -> Check:
    wrong = []
    for part in release.parts:
        for channel in part.channels:
            exact = _exact(channel)
            claimed = release.claim[channel.attributes[0]].gamma
            if exact is None or claimed is None:
                continue
            # Of several parts the worst one makes the claim; the others may promise more.
            alone = len(release.parts) == 1
            if exact[1] is None or exact[1] > claimed or (alone and exact[1] != claimed):
                wrong.append(" × ".join(channel.attributes))
    detail = f"not for {', '.join(wrong)}" if wrong else "as fractions of whole numbers"
    return Check("Every claimed γ is the largest ratio in its matrix", not wrong, detail, hard=True)


def _summed(release: Release) -> Check:
    names = {name for promise in release.claim.disguised for name in promise.attributes}
    sums = [
        sum(channel.epsilon() for channel in part.channels if names.issuperset(channel.attributes))
        for part in release.parts
    ]
    claimed = release.claim.disguised_epsilon
    holds = math.isclose(claimed, max(sums, default=0.0), rel_tol=1e-9, abs_tol=1e-12)
    detail = f"ε = {claimed:.4g} in all"
    what = "The ε of a record is the sum over its disguised attributes"
    if len(release.parts) > 1:
        what = "The ε of a record is the largest sum over disguised attributes of a part"
    return Check(what, holds, detail, hard=True)


def _counts_fit(release: Release, original: Original) -> list[Check]:
    """Test the released counts against what the channels make of the original ones.

    With the originals fixed, counts are a sum of multinomials; their squared distance from
    the mean, by their own covariance, has a χ² law.
    """
    release = merged(release) if release.drawn else release
    if len(release.parts) != 1 or release.parts[0].sign < 0:
        return []
    part = release.parts[0]
    channels = [
        channel for channel in single_channels(part, original) if channel.output_size <= 256
    ]
    if not channels:
        return []
    odd = []
    for channel in channels:
        name = channel.attributes[0]
        counts = observed_counts(part, name, channel.input_size)
        if _chance(channel, original.counts[name], counts) < _UNLIKELY / len(channels):
            odd.append(name)
    detail = f"not those of {', '.join(odd)}" if odd else f"{len(channels)} channels tested"
    what = "The released counts are what the channels make of the originals"
    return [Check(what, not odd, detail, hard=True)]


def _chance(channel: Channel, truth: NDArray[np.int64], counts: NDArray[Any]) -> float:
    law = channel.matrix() / channel.scale
    away = counts - law @ truth
    spread = np.diag(law @ truth) - (law * truth) @ law.T
    kept = np.diag(spread)[:-1] > 1e-9  # the last count follows from the others
    away, spread = away[:-1][kept], spread[:-1, :-1][np.ix_(kept, kept)]
    if not len(away):
        return 1.0
    distance = float(away @ np.linalg.pinv(spread, hermitian=True) @ away)
    return float(chdtrc(len(away), distance))
