"""How densely records lie where attributes hang together, by pairs of them.

A table of several attributes has thousands of cells, and a free fit of them finds more chance than
truth. But how a pair of attributes hangs together mostly shows in few numbers: whether one goes up
with the other, or which values of one go with which of the other. They are estimated through the
channels by what a disguised record tells on average of its scores, and count for less the nearer
they are to what chance brings. From there each pair's own table, which has far fewer cells than
that of all, is fitted as far as halves of the records say: one attribute may be nothing but where
another is large. Of all tables with such pairs the one with the fewest ties besides is taken.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.estimate.em import summed_to
from privet.estimate.parted import as_far_as_told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Coding, Floats
    from privet.estimate.em import Axis
    from privet.estimate.view import View

    Sums = dict[tuple[int, ...], Floats]
    Pairs = dict[tuple[int, ...], Floats | None]

__all__ = ["raked", "scores_of", "tied"]

MOST_TIED = 0.8  # the largest correlation that is believed: chance can make it any
SWEEPS, NEAR = 10, 0.01  # through all pairs, until so few of the records are elsewhere
FAR = 30.0  # logarithms of odds: rare values have large scores
FAINT = 1e-12  # of a score's variance: the least that a channel is taken to keep
NONE = 1e-300


def scores_of(coding: Coding, view: View, counts: Floats) -> Floats:
    """Return what pairs of attributes may hang together by: groups × scores.

    Of numbers that is their rank, as a normal number, and whether one is missing; of categories,
    which one it is. Scores are independent of each other, of mean 0 and variance 1.
    """
    from scipy.special import ndtri

    shares = counts / max(float(counts.sum()), NONE)
    if coding.ordered:
        known = view.means((np.arange(coding.size) < coding.known).astype(np.float64))
        lying = shares * known
        ranks = (np.cumsum(lying) - lying / 2) / max(float(lying.sum()), NONE)
        normal = known * ndtri(np.clip(ranks, 1e-6, 1 - 1e-6))
        raw = np.stack([normal, 1 - known][: 1 + coding.missing], axis=1)
    else:
        raw = view.means(np.eye(coding.size))
    return _whitened(raw, shares)


def _whitened(raw: Floats, shares: Floats) -> Floats:
    """Return scores of mean 0 whose covariance is the identity, as many as there are."""
    centred = raw - shares @ raw
    values, vectors = np.linalg.eigh(centred.T @ (shares[:, None] * centred))
    large = values > 1e-9 * max(float(values.max()), NONE)
    scores: Floats = centred @ (vectors[:, large] / np.sqrt(values[large]))
    return scores


def tied(
    axes: Sequence[Axis],
    observed: Floats,
    margins: Sequence[Floats],
    scores: Sequence[Floats],
    known: Pairs | None = None,
) -> Floats:
    """Return the share of the records in each cell, by margins and what ties pairs of attributes.

    ``margins`` say how often each attribute has which value, ``observed`` how many records were
    observed where. Pairs that are ``known`` are not looked at again; the others are added.
    """
    shares = [margin / margin.sum() for margin in margins]
    product = np.ones(())
    for own in shares:
        product = product[..., None] * own
    told = [_told(*each) for each in zip(axes, shares, scores, strict=True)]
    pairs: Pairs = {} if known is None else known
    for one, two in combinations(range(len(axes)), 2):
        if (one, two) not in pairs:
            counted = summed_to(observed, (one, two))
            odds = scores[one] @ _tie(counted, told[one], told[two]) @ scores[two].T
            own = shares[one], shares[two]
            pairs[one, two] = _pair((axes[one], axes[two]), counted, own, odds)
    return raked(product, {pair: lying for pair, lying in pairs.items() if lying is not None})


def _pair(
    axes: Sequence[Axis], counted: Floats, shares: tuple[Floats, Floats], odds: Floats
) -> Floats | None:
    """Return the shares of a pair's values, or None if nothing ties them.

    The search begins where they have such ``odds``, in logarithms.
    """
    records = max(float(counted.sum()), 1.0)
    begin = untied = records * np.outer(*shares)
    if odds.any():
        odds = np.exp(np.clip(odds, -FAR, FAR))
        begin = records * raked(untied * odds, {(0,): shares[0], (1,): shares[1]})
    lying = as_far_as_told(axes, counted, begin)
    return None if np.array_equal(lying, untied) else lying / records


class _Told(NamedTuple):
    """The scores that each output means on average, turned so that each varies for itself.

    ``kept`` is how much they vary, where the scores themselves vary by 1; ``turn`` turns back.
    """

    means: Floats
    kept: Floats
    turn: Floats


def _told(axis: Axis, shares: Floats, scores: Floats) -> _Told:
    seen = axis.dense * shares
    outputs = seen.sum(1)
    means = seen @ scores / np.maximum(outputs, NONE)[:, None]
    kept, turn = np.linalg.eigh(means.T @ (outputs[:, None] * means))
    return _Told(means @ turn, np.maximum(kept, FAINT), turn)


def _tie(counted: Floats, one: _Told, other: _Told) -> Floats:
    """Return by what a pair's scores hang together: 0 if chance may have brought it."""
    records = max(float(counted.sum()), 1.0)
    shares = counted / records
    # Margins may be short of what was observed; that is no tie.
    first = one.means - shares.sum(1) @ one.means
    second = other.means - shares.sum(0) @ other.means
    kept = np.outer(one.kept, other.kept)
    moments, noise = first.T @ shares @ second / kept, 1 / (records * kept)
    true = _variance(moments, noise)
    moments = one.turn @ (moments * (true / (true + noise))) @ other.turn.T
    before, strength, after = np.linalg.svd(moments, full_matrices=False)
    strength = np.minimum(strength, MOST_TIED)
    # So much that two normal numbers of that correlation hang together by.
    tie: Floats = before * (strength / (1 - strength**2)) @ after
    return tie


def _variance(values: Floats, noise: Floats) -> float:
    """Return how much values vary around 0 beyond their noise, and two standard errors of it."""
    variance = 0.0
    for _ in range(SWEEPS if values.size else 0):
        weights = 1 / (noise + variance) ** 2
        chance = float((weights * noise).sum() + 2 * np.sqrt(2 * ((weights * noise) ** 2).sum()))
        variance = max(0.0, (float((weights * values**2).sum()) - chance) / float(weights.sum()))
    return variance


def raked(table: Floats, sums: Sums) -> Floats:
    """Return shares that add up to the given ones along some axes, with the odds of a table."""
    table = table / max(float(table.sum()), NONE)
    for _ in range(SWEEPS):
        wrong = 0.0
        for axes, shares in sums.items():
            found = summed_to(table, axes)
            wrong += float(np.abs(found - shares).sum())
            shape = [table.shape[axis] if axis in axes else 1 for axis in range(table.ndim)]
            more = np.divide(shares, found, out=np.zeros_like(found), where=found > NONE)
            table = table * more.reshape(shape)
        if wrong < NEAR:
            break
    return table
