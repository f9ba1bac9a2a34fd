"""A scored split, and what every search for one shares.

Ties go to the attribute named first, then to the lowest cut; gains within 1e-12 are ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.tree.criterion import impurity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Coding, Floats
    from privet.tree.policy import Policy

__all__ = ["TIE", "Scored", "informations", "kind_of", "placed", "ratios"]

TIE = 1e-12
EPSILON = 1e-3  # bits by which a gain may fall short of the average (Quinlan)


@dataclass(frozen=True)
class Scored:
    """A split with what it gains.

    ``branch[code]`` is the branch a code takes; ``counts`` the (estimated) class counts of each
    branch, ``errors`` their standard errors, and ``leads`` by how many standard errors each
    branch's leading class is ahead of the next (infinite where counts are exact). ``gap`` holds the
    codes on both sides of a cut between ordered ones that occur at the node.
    """

    attribute: int
    branch: NDArray[np.int16]
    gain: float
    z: float
    score: float
    counts: Floats
    errors: Floats
    leads: Floats
    gap: tuple[int, int] = (-1, -1)


def kind_of(coding: Coding, policy: Policy) -> int:
    """Return how codes are divided: 0 by a cut, 1 in two groups, 2 one branch each."""
    return 0 if coding.ordered else 2 if policy.multiway else 1


def ratios(scores: Floats, infos: Floats, policy: Policy, average: Floats | None = None) -> Floats:
    """Return gain ratios along the last axis, −∞ where one is too small or the gain below average.

    The average is over attributes that gain anything; ``average`` gives another one.
    """
    gains = scores > TIE
    held = np.where(gains, scores, 0.0)
    if average is None:
        average = held.sum(-1, keepdims=True) / np.maximum(gains.sum(-1, keepdims=True), 1)
    gains &= (held >= average - EPSILON) & (infos > EPSILON)
    ratio: Floats = np.divide(held, infos, out=np.full(held.shape, -np.inf), where=gains)
    ratio[ratio < policy.min_gain_ratio - TIE] = -np.inf
    return ratio


def informations(counts: Floats) -> Floats:
    """Return the entropy in bits of branch sizes; ``counts`` is … × branches × classes."""
    rows = np.maximum(counts.sum(-1), 0.0)
    bits: Floats = impurity(rows, "entropy") / np.maximum(rows.sum(-1), TIE)
    return bits


def placed(
    side: NDArray[np.int16], empty: NDArray[np.bool_], rows: Floats, coding: Coding
) -> tuple[NDArray[np.int16], tuple[int, int]]:
    """Give codes that do not occur at the node a branch: the nearer one, or the heavier one."""
    if coding.ordered:
        left = int(np.flatnonzero((side == 0) & ~empty)[-1])
        right = int(np.flatnonzero((side == 1) & ~empty)[0])
        last, _ = coding.cut(left, right)
        return (np.arange(len(side)) > last).astype(np.int16), (left, right)
    heavier = int(rows[side == 1].sum() > rows[side == 0].sum())
    return np.where(empty, heavier, side).astype(np.int16), (-1, -1)
