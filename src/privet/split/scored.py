"""A scored split, and what every search for splits shares.

Ties go to the attribute named first, then to the lowest cut; gains within 1e-12 are ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.split.criterion import criterion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Box, Coding, Floats, Ints, Mask
    from privet.split.policy import Policy

__all__ = ["TIE", "Scored", "Splits", "informations", "kind_of", "placed", "ratios", "roots"]

TIE = 1e-12
ROUNDING = 1e-9  # of a record's own variance: below that, sums of known weights differ by rounding
EPSILON = 1e-3  # bits by which a gain may fall short of the average (Quinlan)


@dataclass(frozen=True)
class Scored:
    """A split with what it gains.

    ``branch[code]`` is the branch a code takes; ``counts`` the (estimated) class counts of each
    branch, ``errors`` their standard errors, ``size_errors`` that of each branch's size, and
    ``unsure`` which branches' leading class is too little ahead to be believed. ``gap`` holds the
    codes on both sides of a cut between ordered ones that occur at the node. ``records`` says how
    many records each branch has where ``counts`` adds up weights.
    """

    attribute: int
    branch: NDArray[np.int16]
    gain: float
    z: float
    score: float
    counts: Floats
    errors: Floats
    size_errors: Floats
    unsure: Mask
    gap: tuple[int, int] = (-1, -1)
    records: Floats | None = None

    @property
    def rows(self) -> Floats:
        """How many records each branch has."""
        summed: Floats = self.counts.sum(1)
        return summed if self.records is None else self.records


@dataclass(frozen=True)
class Splits:
    """One split, or none, for each open node.

    ``attribute[i]`` is the attribute tested at node ``i``, or -1; ``branch[i, code]`` the branch a
    code takes, and ``branches[i]`` how many there are (0 where there is no split).
    """

    attribute: Ints
    branch: NDArray[np.int16]
    branches: Ints

    @property
    def first(self) -> Ints:
        """The place of each node's first child, all children laid end to end."""
        return np.cumsum(self.branches) - self.branches

    def boxes(self, parents: Sequence[Box], codings: Sequence[Coding], keep: Mask) -> list[Box]:
        """Return the boxes of those children, all laid end to end, that ``keep`` marks."""
        kept = []
        place = 0
        for node, box in enumerate(parents):
            coding = codings[self.attribute[node]]
            for branch in range(self.branches[node]):
                if keep[place]:
                    mask = self.branch[node, : coding.size] == branch
                    kept.append(box.narrowed(coding.name, mask))
                place += 1
        return kept


def kind_of(coding: Coding, policy: Policy) -> int:
    """Return how codes are divided: 0 by a cut, 1 in two groups, 2 one branch each."""
    return 0 if coding.ordered else 2 if policy.multiway else 1


def ratios(scores: Floats, infos: Floats, policy: Policy, average: Floats | None = None) -> Floats:
    """Return gain ratios along the last axis, −∞ if it is too small or the gain below average.

    The average is over attributes that gain anything; ``average`` gives another.
    """
    gains = scores > TIE
    gained = np.where(gains, scores, 0.0)
    if average is None:
        average = gained.sum(-1, keepdims=True) / np.maximum(gains.sum(-1, keepdims=True), 1)
    gains &= (gained >= average - EPSILON) & (infos > EPSILON)
    ratio: Floats = np.divide(gained, infos, out=np.full(gained.shape, -np.inf), where=gains)
    ratio[ratio < policy.min_gain_ratio - TIE] = -np.inf
    return ratio


def roots(variances: Floats, rows: Floats | float) -> Floats:
    """Return standard errors: zero where an estimated variance is below zero, or is rounding.

    ``rows`` is about how many records were added up.
    """
    errors: Floats = np.sqrt(np.where(variances > ROUNDING * (1.0 + np.abs(rows)), variances, 0.0))
    return errors


def informations(counts: Floats) -> Floats:
    """Return the entropy in bits of branch sizes; ``counts`` is … × branches × classes."""
    rows = np.maximum(counts.sum(-1), 0.0)
    bits: Floats = criterion("entropy").impurity(rows) / np.maximum(rows.sum(-1), TIE)
    return bits


def placed(
    side: NDArray[np.int16], empty: Mask, rows: Floats, coding: Coding
) -> tuple[NDArray[np.int16], tuple[int, int]]:
    """Give codes that do not occur at the node a branch: the nearer, or the heavier."""
    if coding.ordered:
        left = int(np.flatnonzero((side == 0) & ~empty)[-1])
        right = int(np.flatnonzero((side == 1) & ~empty)[0])
        last, _ = coding.cut(left, right)
        return (np.arange(len(side)) > last).astype(np.int16), (left, right)
    heavier = int(rows[side == 1].sum() > rows[side == 0].sum())
    return np.where(empty, heavier, side).astype(np.int16), (-1, -1)
