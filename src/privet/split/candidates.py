"""Candidates: all splits of an attribute at a node, with their gains; the best of them.

This works on any table, counted or estimated. Ties go to the attribute named first, then to the
lowest cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privet.split.criterion import criterion
from privet.split.scored import TIE, Scored, informations, kind_of, placed, ratios
from privet.split.tables import members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Mask
    from privet.split.policy import Policy
    from privet.split.tables import Estimate

__all__ = ["Candidates", "best_split", "candidates_of", "every_candidate", "ranked_splits"]

MOST_MARGIN = 25.0  # records either side of a cut must hold at most (Quinlan, 1996)


@dataclass(frozen=True, eq=False)
class Candidates:
    """All splits of an attribute at a node, with their numbers; what is forbidden scores −∞."""

    attribute: int
    estimate: Estimate
    coding: Coding
    branch: NDArray[np.int16]  # candidates × codes
    counts: Floats  # candidates × branches × classes
    gain: Floats
    z: Floats
    score: Floats

    @property
    def best(self) -> int:
        """The first of those that score most."""
        return int(np.flatnonzero(self.score > self.score.max() - TIE)[0])

    def gap(self, place: int) -> tuple[int, int]:
        """Return the codes that occur on both sides of a cut between ordered ones."""
        occurring = np.flatnonzero(self.estimate.mean.any(1))
        return int(occurring[place]), int(occurring[place + 1])

    def scored(self, place: int, policy: Policy) -> Scored | None:
        """Write one of them out, or None if it does not stand closer scrutiny."""
        mean, counts = self.estimate.mean, self.counts[place]
        side, gap = self.branch[place], (-1, -1)
        if kind_of(self.coding, policy) != 2:
            side, gap = placed(side, (mean == 0).all(1), mean.sum(1), self.coding)
        sure = self.estimate.written(side, counts, self.coding, float(self.z[place]))
        if sure is None:
            return None
        numbers = float(self.gain[place]), sure.z, float(self.score[place])
        rows = self.estimate.rows
        records = None if rows is None else members(side[None], len(counts))[0] @ rows
        _, errors, sizes, unsure = sure
        return Scored(self.attribute, side, *numbers, counts, errors, sizes, unsure, gap, records)


def candidates_of(
    attribute: int, estimate: Estimate, coding: Coding, policy: Policy
) -> Candidates | None:
    """Return all splits of an attribute, or None if none is allowed."""
    mean = estimate.mean
    left = _left_sides(mean, coding, policy)
    if left is None:
        branch = np.arange(len(mean), dtype=np.int16)[None, :]
        number = len(mean)
    else:
        branch = (~left).astype(np.int16)
        number = 2
    if not len(branch) or number < 2:
        return None
    if coding.ordered:
        # Sums up to each cut: a matrix of all cuts and all codes is slow where values are many.
        below = np.cumsum(mean, axis=0)[branch.argmax(axis=1) - 1]
        counts = np.stack([below, mean.sum(axis=0) - below], axis=1)
    else:
        counts = members(branch, number) @ mean  # candidates × branches × classes
    gain = _gain(counts, policy)
    z, score, large = estimate.screened(branch, counts, gain, policy)
    rows = counts.sum(-1)
    least = policy.min_samples_leaf
    if coding.ordered:
        least = max(least, min(policy.cut_margin * mean.sum() / mean.shape[1], MOST_MARGIN))
    sizes = rows if estimate.rows is None else members(branch, number) @ estimate.rows
    enough = (sizes >= least) & (rows >= policy.min_weight_leaf) & (rows > 0)
    cuts = int(enough.all(1).sum())
    large = large & enough
    allowed = (gain >= -TIE) & (score > -np.inf)
    allowed &= large.all(1) if left is not None else large.sum(1) > 1
    if not allowed.any():
        return None
    if policy.ratio and coding.ordered:
        score = score - np.log2(cuts) / mean.sum()
    score = np.where(allowed, score, -np.inf)
    return Candidates(attribute, estimate, coding, branch, counts, gain, z, score)


def _left_sides(mean: Floats, coding: Coding, policy: Policy) -> Mask | None:
    """Return the left sides of all divisions in two, or None for one branch per category.

    A cut between ordered codes is offered once, whatever the number of empty codes in between.
    Categories are sorted by the share of each class in turn, which for two classes
    contains the best division (Breiman and others, 1984).
    """
    kind = kind_of(coding, policy)
    if kind == 2:
        return None
    occurring = np.flatnonzero(mean.any(1))
    size = len(mean)
    if kind == 0:
        return np.arange(size) <= occurring[:-1, None]
    known = np.maximum(mean, 0.0)
    rows = known.sum(1)
    sides = []
    for label in range(1 if mean.shape[1] == 2 else mean.shape[1]):
        share = np.divide(known[:, label], rows, out=np.full(size, 2.0), where=rows > 0)
        order = np.argsort(share, kind="stable")
        order = order[np.isin(order, occurring)]
        side = np.zeros((max(len(order) - 1, 0), size), np.bool_)
        for length in range(1, len(order)):
            side[length - 1, order[:length]] = True
        sides.append(side)
    return np.concatenate(sides)


def _gain(counts: Floats, policy: Policy) -> Floats:
    """Return the gain per record of each candidate."""
    impurity = criterion(policy.criterion).impurity
    total = counts.sum(1)
    rows = np.maximum(total, 0.0).sum(-1)
    gain = impurity(total) - impurity(counts).sum(1)
    per_record: Floats = np.divide(gain, rows, out=np.zeros_like(gain), where=rows > 0)
    return per_record


def every_candidate(
    estimates: Sequence[Estimate], codings: Sequence[Coding], policy: Policy
) -> list[Candidates]:
    """Return the allowed candidates of each attribute that has any."""
    pairs = enumerate(zip(estimates, codings, strict=True))
    every = [candidates_of(place, table, coding, policy) for place, (table, coding) in pairs]
    return [candidates for candidates in every if candidates is not None]


def best_split(every: Sequence[Candidates], policy: Policy) -> Scored | None:
    """Return the first of ``ranked_splits``, writing out no more splits than it must."""
    if policy.ratio:  # the average asks for all of them
        ranked = ranked_splits(every, policy)
        return ranked[0] if ranked else None
    waiting = list(every)
    while waiting:
        best = _first_of([candidates.score.max() for candidates in waiting])
        split = waiting.pop(best)
        scored = split.scored(split.best, policy)
        if scored is not None:
            return scored
    return None


def ranked_splits(every: Sequence[Candidates], policy: Policy) -> list[Scored]:
    """Return the best allowed split of each attribute that has any, best first."""
    tops = [candidates.scored(candidates.best, policy) for candidates in every]
    waiting = [split for split in tops if split is not None]
    if policy.ratio and waiting:
        waiting = _by_ratio(waiting, policy)
    ranked = []
    while waiting:  # a selection sort, because ties are not transitive enough for a key
        ranked.append(waiting.pop(_first_of([split.score for split in waiting])))
    return ranked


def _first_of(scores: Sequence[float]) -> int:
    """Return the place of the first score that no later score beats by more than a tie."""
    best = 0
    for place, score in enumerate(scores):
        if score > scores[best] + TIE:
            best = place
    return best


def _by_ratio(splits: list[Scored], policy: Policy) -> list[Scored]:
    """Return the splits that gain enough, scored by their gain ratio."""
    infos = np.array([informations(split.counts) for split in splits])
    ratio = ratios(np.array([split.score for split in splits]), infos, policy)
    pairs = zip(splits, ratio.tolist(), strict=True)
    return [replace(split, score=score) for split, score in pairs if score > -np.inf]
