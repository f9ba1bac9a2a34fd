"""Splits, ranked: count, estimate, then choose.

``ranked_splits`` works on any tables, exact or estimated; ``best_splits`` is the grower's question,
the best split of every open node, answered by a compiled search where tables were counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import in_threads
from privet.estimate.base import Counted, CountTables
from privet.estimate.fitted import Fitted
from privet.tree.counted import best_counted
from privet.tree.criterion import impurity, slope
from privet.tree.pairs import best_pairs, can_choose
from privet.tree.scored import TIE, Scored, informations, kind_of, placed, ratios

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats
    from privet.estimate.base import Estimate, Tables
    from privet.estimate.pairs import Pairs, SummedPairs
    from privet.tree.policy import Policy

__all__ = ["Candidates", "best_splits", "candidates_of", "measured", "ranked_splits"]

SURE = 3.0  # times the least z of a sure split, from which on nobody asks for a surer one


def best_splits(
    tables: Tables,
    codings: Sequence[Coding],
    policy: Policy,
    wanted: NDArray[np.bool_] | None = None,
) -> list[Scored | None]:
    """Return the best split of each node, or None where there is none, or none is ``wanted``."""
    places = np.arange(tables.nodes) if wanted is None else np.flatnonzero(wanted)
    best: Iterable[Scored | None]
    if isinstance(tables, CountTables):
        best = best_counted(tables.of(places), codings, policy)
    elif hasattr(tables, "pairs") and can_choose(policy) and (pairs := tables.pairs()) is not None:
        every = _best_paired(pairs, tables.nodes, codings, policy)
        best = [every[place] for place in places]
    else:
        best = in_threads(
            lambda node: _best_split(tables.at(node), codings, policy), places.tolist()
        )
    found: list[Scored | None] = [None] * tables.nodes
    for place, split in zip(places.tolist(), best, strict=True):
        found[place] = split
    return found


def _best_paired(
    pairs: Pairs | SummedPairs, nodes: int, codings: Sequence[Coding], policy: Policy
) -> list[Scored | None]:
    best = best_pairs(pairs, nodes, codings, policy)
    found: list[Scored | None] = []
    for node, attribute in enumerate(best.attribute.tolist()):
        if attribute < 0:
            found.append(None)
            continue
        branch = np.array([1, 0] if best.turned[node] else [0, 1], np.int16)
        gap = (0, 1) if codings[attribute].ordered else (-1, -1)
        numbers = float(best.gain[node]), float(best.z[node]), float(best.score[node])
        sums = best.counts[node], best.errors[node], best.leads[node]
        found.append(Scored(attribute, branch, *numbers, *sums, gap))
    return found


def _best_split(
    estimates: Sequence[Estimate], codings: Sequence[Coding], policy: Policy
) -> Scored | None:
    """Return the first of ``ranked_splits``, writing out no more splits than it must."""
    if policy.ratio:  # the average asks for all of them
        ranked = ranked_splits(estimates, codings, policy)
        return ranked[0] if ranked else None
    every = [
        candidates_of(attribute, estimate, coding, policy)
        for attribute, (estimate, coding) in enumerate(zip(estimates, codings, strict=True))
    ]
    held = [one for one in every if one is not None]
    while held:
        best = held[0]
        for other in held[1:]:
            if other.score.max() > best.score.max() + TIE:
                best = other
        scored = best.scored(best.best, policy)
        held.remove(best)
        if scored is not None:
            return _surer(scored, held, policy)
    return None


def _surer(scored: Scored, others: Sequence[Candidates], policy: Policy) -> Scored:
    """Return the split, or one that gains less and is surer to gain it.

    A fitted table of few records and many cells seems to gain much by chance. So where there are
    splits as sure as ``min_attribute_z`` asks, each counts for less the nearer it is to that.
    """
    least = policy.min_attribute_z
    if scored.z >= SURE * least:
        return scored
    fitted = [one for one in others if isinstance(one.estimate, Fitted)]
    rivals = [scored, *(one.scored(one.best, policy) for one in fitted)]
    sure = [one for one in rivals if one is not None and one.z >= least]
    return max(sure, key=lambda one: one.score * (1.0 - (least / one.z) ** 2), default=scored)


def ranked_splits(
    estimates: Sequence[Estimate], codings: Sequence[Coding], policy: Policy
) -> list[Scored]:
    """Return the best split of each attribute that has an allowed one, best first."""
    found = []
    for attribute, (estimate, coding) in enumerate(zip(estimates, codings, strict=True)):
        held = candidates_of(attribute, estimate, coding, policy)
        scored = None if held is None else held.scored(held.best, policy)
        if scored is not None:
            found.append(scored)
    if policy.ratio and found:
        found = _by_ratio(found, policy)
    ranked: list[Scored] = []
    while found:  # a selection sort, because ties are not transitive enough for a key
        best = found[0]
        for other in found[1:]:
            if other.score > best.score + TIE:
                best = other
        ranked.append(best)
        found.remove(best)
    return ranked


def _by_ratio(found: list[Scored], policy: Policy) -> list[Scored]:
    """Return the splits that gain enough, scored by their gain ratio."""
    infos = np.array([informations(one.counts) for one in found])
    ratio = ratios(np.array([one.score for one in found]), infos, policy)
    pairs = zip(found, ratio.tolist(), strict=True)
    return [replace(one, score=score) for one, score in pairs if score > -np.inf]


def candidates(mean: Floats, coding: Coding, policy: Policy) -> NDArray[np.bool_] | None:
    """Return the left sides of all divisions in two, or None for one branch a category.

    A cut between ordered codes is offered once, whatever the number of empty codes in between.
    Categories are sorted by the share of each class in turn, which for two classes
    contains the best division (Breiman and others, 1984).
    """
    held = np.maximum(mean, 0.0)
    rows = held.sum(1)
    full = np.flatnonzero(mean.any(1))
    kind = kind_of(coding, policy)
    if kind == 2:
        return None
    size = len(mean)
    if kind == 0:
        return np.arange(size) <= full[:-1, None]
    sides = []
    for label in range(1 if mean.shape[1] == 2 else mean.shape[1]):
        share = np.divide(held[:, label], rows, out=np.full(size, 2.0), where=rows > 0)
        order = np.argsort(share, kind="stable")
        order = order[np.isin(order, full)]
        side = np.zeros((max(len(order) - 1, 0), size), np.bool_)
        for length in range(1, len(order)):
            side[length - 1, order[:length]] = True
        sides.append(side)
    return np.concatenate(sides)


@dataclass(frozen=True, eq=False)
class Candidates:
    """All splits of one attribute at one node, with their numbers; what is forbidden scores −∞."""

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
        full = np.flatnonzero(self.estimate.mean.any(1))
        return int(full[place]), int(full[place + 1])

    def by_choice(self, branches: int, policy: Policy) -> float:
        """Return the part of z² that is the price of choosing a side for each category.

        A split costs ``min_fit_z``² for two choices, where to divide and how the classes differ;
        every category beyond two, or every branch, is one choice more.
        """
        if self.coding.ordered:
            return 0.0
        values = int(self.estimate.mean.any(1).sum()) if branches == 2 else branches
        return (values - 2) * policy.min_fit_z**2 / 2

    def scored(self, place: int, policy: Policy) -> Scored | None:
        """Write one of them out, or None if it does not stand the test of fitted tables."""
        mean = self.estimate.mean
        side, gap = self.branch[place], (-1, -1)
        if kind_of(self.coding, policy) != 2:
            side, gap = placed(side, (mean == 0).all(1), mean.sum(1), self.coding)
        sure = float(self.z[place])
        counts = self.counts[place]
        errors, leads = np.zeros_like(counts), np.full(len(counts), np.inf)
        if not isinstance(self.estimate, Fitted):
            errors, leads = _child_errors(self.estimate, self.branch[place], counts)
        elif policy.min_fit_z > 0:
            sure, errors = measured(self.estimate, side, counts)
            sure = math.sqrt(max(0.0, sure**2 - self.by_choice(len(counts), policy)))
            if sure < policy.min_fit_z / 2:
                return None
        numbers = float(self.gain[place]), sure, float(self.score[place])
        return Scored(self.attribute, side, *numbers, counts, errors, leads, gap)


def candidates_of(
    attribute: int, estimate: Estimate, coding: Coding, policy: Policy
) -> Candidates | None:
    """Return all splits of an attribute, or None if none is allowed."""
    mean = estimate.mean
    left = candidates(mean, coding, policy)
    if left is None:
        branch = np.arange(len(mean), dtype=np.int16)[None, :]
        number = len(mean)
    else:
        branch = (~left).astype(np.int16)
        number = 2
    if not len(branch) or number < 2:
        return None
    if isinstance(estimate, Counted) and coding.ordered:
        # Sums up to each cut: a matrix of all cuts and all codes is slow where values are many.
        below = np.cumsum(mean, axis=0)[branch.argmax(axis=1) - 1]
        member = np.empty((0, number, 0))  # nothing is uncertain, so nobody asks for it
        counts = np.stack([below, mean.sum(axis=0) - below], axis=1)
    else:
        member = _members(branch, number)
        counts = member @ mean  # candidates × branches × classes
    gain, variance = _gain(estimate, member, counts, policy)
    rows = counts.sum(-1)
    allowed = gain >= policy.min_gain - TIE
    with np.errstate(divide="ignore", invalid="ignore"):
        # An estimated variance may come out negative: then nothing is known of the error.
        error = np.sqrt(np.maximum(variance, 0.0))
        z = np.where(variance > 0, gain / error, np.where(variance < 0, 0.0, np.inf))
        score = np.where(z > 0, gain * (1.0 - (policy.min_z / z) ** 2), -1.0)
    score = np.where(np.isinf(z), gain, score)
    noisy = variance != 0
    allowed &= ~noisy | (z >= policy.min_z)
    errors = _row_errors(estimate, member) if noisy.any() else np.zeros_like(rows)
    least = policy.min_samples_leaf
    if coding.ordered:
        least = max(least, min(policy.cut_margin * mean.sum() / mean.shape[1], 25.0))
    large = (rows >= least) & (rows > 0)
    cuts = int(large.all(1).sum())
    large &= rows >= policy.min_child_z * errors
    allowed &= large.all(1) if left is not None else large.sum(1) > 1
    if not allowed.any():
        return None
    if policy.ratio and coding.ordered:
        score = score - np.log2(cuts) / mean.sum()
    score = np.where(allowed, score, -np.inf)
    return Candidates(attribute, estimate, coding, branch, counts, gain, z, score)


def _members(branch: NDArray[np.int16], number: int) -> Floats:
    """Return which codes are in each branch of candidates: candidates × branches × codes."""
    inside: Floats = (branch[:, None, :] == np.arange(number)[:, None]).astype(np.float64)
    return inside


def _gain(
    estimate: Estimate, member: Floats, counts: Floats, policy: Policy
) -> tuple[Floats, Floats]:
    """Return the gain a record of each candidate and its linearised variance.

    The gain's slope by a cell is the parent's less that of the branch the cell is in. Splits of
    fitted tables are put to a sharper test when they are written out.
    """
    total = counts.sum(1)
    rows = np.maximum(total, 0.0).sum(-1)
    gain = impurity(total, policy.criterion) - impurity(counts, policy.criterion).sum(1)
    if isinstance(estimate, Counted | Fitted):  # nothing is uncertain, or it is asked otherwise
        return np.divide(gain, rows, out=np.zeros_like(gain), where=rows > 0), np.zeros_like(gain)
    slopes = slope(total, policy.criterion)[:, None, :] - slope(counts, policy.criterion)
    coefficients = np.einsum("kbv,kbc->kvc", member, slopes)
    with np.errstate(divide="ignore", invalid="ignore"):
        return gain / rows, estimate.variances(coefficients) / rows**2


def _row_errors(estimate: Estimate, member: Floats) -> Floats:
    number, branches, size = member.shape
    flat = member.reshape(-1, size)[:, :, None] * np.ones(estimate.mean.shape[1])
    return np.sqrt(np.maximum(estimate.variances(flat), 0.0)).reshape(number, branches)


def measured(estimate: Fitted, branch: NDArray[np.int16], counts: Floats) -> tuple[float, Floats]:
    """Return how likely a split of a fitted table is, as a z, and its counts' standard errors."""
    return estimate.likelihood_z(branch), _child_errors(estimate, branch, counts)[0]


def _child_errors(
    estimate: Estimate, branch: NDArray[np.int16], counts: Floats
) -> tuple[Floats, Floats]:
    """Return the standard error of each count, and each branch's lead in standard errors."""
    branches, classes = counts.shape
    if isinstance(estimate, Counted):
        return np.zeros_like(counts), np.full(branches, np.inf)
    member = _members(branch[None], branches)[0]
    single = np.einsum("bv,dc->bdvc", member, np.eye(classes)).reshape(-1, member.shape[1], classes)
    errors = np.sqrt(np.maximum(estimate.variances(single), 0.0)).reshape(branches, classes)
    if classes == 1 or not errors.any():
        return errors, np.full(branches, np.inf)
    order = np.argsort(-counts, axis=1, kind="stable")
    ahead = np.zeros((branches, classes))
    np.put_along_axis(ahead, order[:, :1], 1.0, axis=1)
    np.put_along_axis(ahead, order[:, 1:2], -1.0, axis=1)
    variances = estimate.variances(np.einsum("bv,bc->bvc", member, ahead))
    lead = (counts * ahead).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return errors, np.where(variances > 0, lead / np.sqrt(variances), np.inf)
