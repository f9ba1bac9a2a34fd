"""What draws can tell: exact binomial intervals, and a lower confidence bound of ε."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betainccinv, betaincinv

from privet.errors import InputError

if TYPE_CHECKING:
    from privet.channel import Channel
    from privet.coding import Floats, Ints
    from privet.randomness import Randomness

__all__ = ["EpsilonBound", "binomial_interval", "epsilon_bound", "epsilon_from_counts"]

LEVEL = 0.95  # of the intervals in a report


def binomial_interval(hits: int, trials: int, error: float = 1 - LEVEL) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a share, which misses it at most ``error`` often.

    >>> low, high = binomial_interval(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4439, 0.9748)
    """
    return (
        float(_lowest(np.array(hits), np.array(trials), error / 2)),
        float(_highest(np.array(hits), np.array(trials), error / 2)),
    )


def _lowest(hits: Ints, trials: Ints, error: float) -> Floats:
    bound = betaincinv(np.maximum(hits, 1), trials - hits + 1, error)
    return np.where(hits > 0, bound, 0.0)


def _highest(hits: Ints, trials: Ints, error: float) -> Floats:
    bound = betainccinv(hits + 1, np.maximum(trials - hits, 1), error)
    return np.where(hits < trials, bound, 1.0)


class EpsilonBound(NamedTuple):
    """ε is at least ``value``, but for a chance of ``error``; ``draws`` were made of each value."""

    value: float
    draws: int
    error: float


def epsilon_bound(
    channel: Channel,
    source: Randomness,
    *,
    draws: int = 10_000,
    error: float = 1e-6,
    column: int = 0,
) -> EpsilonBound:
    """Draw from a channel and return a lower confidence bound of its ε.

    The channel's own words for its strength are not used, only what it draws: a bound above the
    claim shows a claim that is false. It comes near the truth where γ is at least 5 and there are
    at most 20 values.

    >>> from privet.channel import GammaDiagonal
    >>> from privet.randomness import Randomness
    >>> channel = GammaDiagonal("age", 4, 8)
    >>> with Randomness.seeded(1) as source:
    ...     bound = epsilon_bound(channel, source, draws=2000)
    >>> 1 < bound.value < channel.epsilon()
    True
    """
    if draws < 1 or not 0 < error < 1:
        raise InputError("draws must be at least 1, and error above 0 and below 1.")
    counts = np.zeros((channel.output_size, channel.input_size), np.int64)
    for code in range(channel.input_size):
        codes = np.full(draws, code, np.int64)
        drawn = channel.disguise(codes, source, column, code * draws)
        counts[:, code] = np.bincount(drawn, minlength=channel.output_size)
    return EpsilonBound(epsilon_from_counts(counts, _favoured(channel), error), draws, error)


def epsilon_from_counts(counts: Ints, favoured: Ints, error: float) -> float:
    """Return a lower confidence bound of ε from counts, outputs × inputs.

    Half of the error is for the worst pair of cells of a row. The other half is for all inputs
    together: let a be the mean chance that an output favours its own input x, P(E_x | x), for
    disjoint events E_x. Over all pairs of inputs, (N − 1)·Σ P(E_x | x) ≤ e^ε · Σ (1 − P(E_x | x)),
    so ε ≥ ln((N − 1)·a / (1 − a)), and a is known well. ``favoured`` names each output's input.
    """
    outputs, inputs = counts.shape
    trials = np.broadcast_to(counts.sum(axis=0), counts.shape)
    tail = error / 2 / (2 * outputs * inputs)
    low, high = _lowest(counts, trials, tail), _highest(counts, trials, tail)
    ratio = float((low.max(axis=1) / high.min(axis=1)).max())
    hits = counts[np.arange(outputs), favoured].sum()
    share = float(_lowest(hits, counts.sum(), error / 2))
    odds = (inputs - 1) * share / (1 - share) if share < 1 else math.inf
    return max(0.0, math.log(max(ratio, odds, 1.0)))


def _favoured(channel: Channel) -> Ints:
    """Return for each output the input it speaks for most."""
    best: Ints = np.argmax(channel.matrix(), axis=1)
    return best
