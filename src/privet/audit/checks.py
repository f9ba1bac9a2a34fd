"""Checks of what a release claims: its integers, its sums, and the counts of its records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc

from privet.audit.fidelity import single_channels
from privet.audit.notions import may_claim
from privet.channel.base import MAX_CELLS
from privet.errors import ReleaseError
from privet.estimate.distribution import observed_counts
from privet.estimate.merged import merged
from privet.release.anonymity import Anonymity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.audit.original import Original
    from privet.channel import Channel
    from privet.coding import Ints
    from privet.release import Release


__all__ = ["Check", "check_claims"]

_UNLIKELY = 1e-6  # how seldom a right release may fail the test of its counts


@dataclass(frozen=True)
class Check:
    """Something that should hold, and whether it does.

    A ``hard`` check that fails means that the release is not what it says it is.
    """

    what: str
    holds: bool
    detail: str = ""
    hard: bool = False


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
        (release.anonymity, "Every group of the quasi-identifier keeps what the card says"),
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
                promise.words if isinstance(promise, Anonymity) else f"{promise.copies:,} copies"
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
            # Of several parts the worst makes the claim; the others may promise more.
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
    the mean, by their own covariance, has a χ² law. Where records of people with many were left out
    nobody knows which of the originals were released: then nothing is tested.
    """
    people = release.people
    if people is not None and not people.counted and release.rows < original.rows:
        return []
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


def _chance(channel: Channel, truth: Ints, counts: NDArray[Any]) -> float:
    law = channel.matrix() / channel.scale
    away = counts - law @ truth
    spread = np.diag(law @ truth) - (law * truth) @ law.T
    kept = np.diag(spread)[:-1] > 1e-9  # the last count follows from the others
    away, spread = away[:-1][kept], spread[:-1, :-1][np.ix_(kept, kept)]
    if not len(away):
        return 1.0
    distance = float(away @ np.linalg.pinv(spread, hermitian=True) @ away)
    return float(chdtrc(len(away), distance))
