"""Every notion of privacy side by side, computed from the card's integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.homogeneity import ROWS, plain_names
from privet.audit.entropy import entropy_privacy, noise_privacy
from privet.audit.notions import ONE_VALUE, constant, may_claim, words
from privet.audit.world import worst_part
from privet.channel import Noise
from privet.channel.base import MAX_CELLS
from privet.release.anonymity import groups_of
from privet.release.claim import PRIORS, posterior

if TYPE_CHECKING:
    from fractions import Fraction

    from privet.channel import Channel
    from privet.coding import Coding, Floats
    from privet.release import Part, Promise, Release

__all__ = ["CONFIDENCES", "Measure", "measures", "widths"]

CONFIDENCES = (0.5, 0.95)


@dataclass(frozen=True)
class Measure:
    """What an attribute, or a group, is promised in every notion; None where there is none.

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
    alike = [each for each in release.parts if {*names} <= {*plain_names(release, each)}]
    released = [each.table.slice(0, ROWS).collect(ROWS).columns for each in alike]
    columns = [np.concatenate([rows[name] for rows in released]) for name in names]
    return int(groups_of(columns).sizes.min())


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


def widths(coding: Coding, law: Floats, *, integer: bool = False) -> tuple[float, ...]:
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
