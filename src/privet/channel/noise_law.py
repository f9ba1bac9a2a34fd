"""Laws of additive noise on a grid, in whole numbers that sum to 2**bits.

A law is an array of weights of the steps −r … r, symmetric up to one word. Every weight up to the
ends is above zero: no output is possible for one value and impossible for its neighbour but at the
edge of the support. Nothing is computed in floating point: every machine gets the same integers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["LAWS", "MOST_STEPS", "gaussian_weights", "uniform_weights"]

LAWS = ("uniform", "gaussian")
MOST_STEPS = 1 << 20  # of a law, from end to end
_PLACES = 160  # binary places of the Gaussian's shares
_NOTHING = 60  # e**-60 is below any weight

Weights = NDArray[np.int64]


@lru_cache(maxsize=64)
def uniform_weights(half: int, bits: int) -> Weights:
    """Return the weights of 2·half + 1 steps that are equally likely, up to one word.

    >>> uniform_weights(1, 4)
    array([6, 5, 5])
    """
    count = 2 * half + 1
    ends = -(-(np.arange(1, count + 1).astype(object) << bits) // count)
    weights = np.diff(ends, prepend=0).astype(np.int64)
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=64)
def gaussian_weights(deviation: float, bits: int) -> Weights:
    """Return the weights of a Gaussian on whole steps, proportional to exp(−k²/2s²).

    ``deviation`` is s, in steps. The far tail, where a step would get less than one word of
    2**bits, is cut off (with 32 bits beyond 5 s or so) and its mass shared among the rest.

    >>> gaussian_weights(0.5, 8)
    array([ 27, 202,  27])
    """
    shares = _shares(1 / (2 * Fraction(deviation) ** 2), bits)
    whole = 1 << bits
    # Sums from the middle outward are rounded, not the weights: the total is then exact.
    total = shares[0] + 2 * sum(shares[1:])
    while len(shares) > 1 and shares[-1] * whole < total:
        total -= 2 * shares.pop()
    ends = []
    before = 0
    for place, share in enumerate(shares):
        before += share if place == 0 else 2 * share
        ends.append((before * (whole // 2) + total // 2) // total)
    ends[-1] = whole // 2
    right = np.diff(np.array(ends, np.int64))
    weights = np.concatenate([right[::-1], [2 * ends[0]], right])
    weights.setflags(write=False)
    return weights


def _shares(rate: Fraction, bits: int) -> list[int]:
    """Return exp(−k²·rate) for k = 0, 1, … in fixed point, while above 2**-bits/8."""
    unit = 1 << _PLACES
    shares = [unit]
    if rate > _NOTHING:
        return shares
    factor = _exponential(rate)
    square = factor * factor >> _PLACES
    least = unit >> (bits + 3)
    while shares[-1] > least and 2 * len(shares) < MOST_STEPS:
        shares.append(shares[-1] * factor >> _PLACES)
        factor = factor * square >> _PLACES
    return shares


def _exponential(rate: Fraction) -> int:
    """Return exp(−rate) in fixed point, as one over a series without cancellation."""
    unit = 1 << _PLACES
    term, total, place = unit, unit, 0
    while term:
        place += 1
        term = term * rate.numerator // (rate.denominator * place)
        total += term
    return (unit << _PLACES) // total
