"""The best splits of binary attributes, all open nodes at once.

A binary attribute has one division in two, so nothing is to be searched: the choice of
``ranked_splits``, worked out for a whole level in a few array operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.split.criterion import criterion
from privet.split.scored import TIE, Scored, roots
from privet.split.tables import Linear, sureness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Coding, Floats, Mask
    from privet.estimate.pairs import Pairs, SummedPairs
    from privet.split.policy import Policy

__all__ = ["best_pairs", "can_choose"]


def can_choose(policy: Policy) -> bool:
    """Whether the policy asks for nothing that is not looked at here."""
    return not policy.ratio and policy.cut_margin == 0


class _Best:
    """The chosen attribute of each node (-1: none) with all that a ``Scored`` says of it."""

    def __init__(self, nodes: int, classes: int) -> None:
        self.attribute = np.full(nodes, -1)
        self.turned = np.zeros(nodes, np.bool_)
        self.gain, self.z, self.score = np.zeros(nodes), np.zeros(nodes), np.full(nodes, -np.inf)
        self.counts = np.zeros((nodes, 2, classes))
        self.errors = np.zeros((nodes, 2, classes))
        self.size_errors = np.zeros((nodes, 2))
        self.leads = np.zeros((nodes, 2))


def best_pairs(
    pairs: Pairs | SummedPairs, nodes: int, codings: Sequence[Coding], policy: Policy
) -> list[Scored | None]:
    """Return the best split of each node; ``pairs`` has the tables of node after node."""
    best = _best(pairs, nodes, codings, policy)
    splits: list[Scored | None] = []
    for node, attribute in enumerate(best.attribute.tolist()):
        if attribute < 0:
            splits.append(None)
            continue
        branch = np.array([1, 0] if best.turned[node] else [0, 1], np.int16)
        gap = (0, 1) if codings[attribute].ordered else (-1, -1)
        numbers = float(best.gain[node]), float(best.z[node]), float(best.score[node])
        unsure = best.leads[node] < Linear.lead_z
        sums = best.counts[node], best.errors[node], best.size_errors[node], unsure
        splits.append(Scored(attribute, branch, *numbers, *sums, gap))
    return splits


def _best(
    pairs: Pairs | SummedPairs, nodes: int, codings: Sequence[Coding], policy: Policy
) -> _Best:
    mean = pairs.mean
    gain, z, score, allowed = _scores(pairs, policy)
    numbers = np.tile([coding.ordered for coding in codings], nodes)
    both = mean.any(-1).all(-1)  # a value that does not occur leaves nothing to divide
    allowed &= both | (~numbers & policy.multiway)
    score = np.where(allowed, score, -np.inf).reshape(nodes, -1)
    best = _Best(nodes, mean.shape[2])
    for attribute in range(len(codings)):  # in turn, because ties go to the first
        better = score[:, attribute] > best.score + TIE
        best.attribute[better] = attribute
        best.score[better] = score[better, attribute]
    cut = np.flatnonzero(best.attribute >= 0)
    if not len(cut):
        return best
    tables = cut * len(codings) + best.attribute[cut]
    best.gain[cut], best.z[cut] = gain[tables], z[tables]
    chosen = pairs.take(tables)
    turned = ~numbers[tables] & (not policy.multiway) & _second_first(chosen.mean)
    best.turned[cut] = turned
    best.counts[cut] = np.where(turned[:, None, None], chosen.mean[:, ::-1], chosen.mean)
    errors, sizes, leads = _errors(chosen)
    best.errors[cut] = np.where(turned[:, None, None], errors[:, ::-1], errors)
    best.size_errors[cut] = np.where(turned[:, None], sizes[:, ::-1], sizes)
    best.leads[cut] = np.where(turned[:, None], leads[:, ::-1], leads)
    return best


def _scores(pairs: Pairs | SummedPairs, policy: Policy) -> tuple[Floats, Floats, Floats, Mask]:
    """Return gain, z and score of every table, and whether its split is allowed."""
    mean = pairs.mean
    measure = criterion(policy.criterion)
    total = mean.sum(1)
    whole = np.maximum(total, 0.0).sum(-1)
    gains = measure.impurity(total) - measure.impurity(mean).sum(1)
    slopes = measure.slope(total)[:, None] - measure.slope(mean)
    sides = np.broadcast_to(np.eye(2)[:, :, None], (len(mean), 2, 2, mean.shape[2]))
    asked = np.concatenate([slopes[:, None], sides], axis=1)
    variances = pairs.variances(asked)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain, variance = gains / whole, variances[:, 0] / whole**2
    z, score = sureness(gain, variance, Linear.gain_z)
    noisy = variance != 0
    rows = mean.sum(-1)
    errors = np.where(noisy[:, None], np.sqrt(np.maximum(variances[:, 1:], 0.0)), 0.0)
    large = (
        (rows >= max(policy.min_samples_leaf, policy.min_weight_leaf))
        & (rows > 0)
        & (rows >= Linear.child_z * errors)
    )
    allowed = (gain >= -TIE) & (~noisy | (z >= Linear.gain_z)) & large.all(1)
    return gain, z, score, allowed


def _second_first(mean: Floats) -> Mask:
    """Say where the second value has the smaller share of the first class, and so goes first."""
    counts = np.maximum(mean, 0.0)
    rows = counts.sum(-1)
    share = np.divide(counts[..., 0], rows, out=np.full(rows.shape, 2.0), where=rows > 0)
    second: Mask = share[:, 1] < share[:, 0]
    return second


def _errors(pairs: Pairs | SummedPairs) -> tuple[Floats, Floats, Floats]:
    """Return the standard errors of counts and of sizes, and each side's lead in them."""
    mean = pairs.mean
    tables, _, classes = mean.shape
    each = np.vstack([np.eye(classes), np.ones(classes)])  # each class, and all together
    sums = np.einsum("bv,dc->bdvc", np.eye(2), each).reshape(-1, 2, classes)
    asked = np.broadcast_to(sums, (tables, *sums.shape))
    rows = mean.sum((1, 2))[:, None]
    both = roots(pairs.variances(asked), rows).reshape(tables, 2, classes + 1)
    errors, sizes = both[..., :-1], both[..., -1]
    leads = np.full((tables, 2), np.inf)
    if classes == 1:
        return errors, sizes, leads
    order = np.argsort(-mean, axis=2, kind="stable")
    ahead = np.zeros(mean.shape)
    np.put_along_axis(ahead, order[..., :1], 1.0, axis=2)
    np.put_along_axis(ahead, order[..., 1:2], -1.0, axis=2)
    variances = pairs.variances(np.eye(2)[None, :, :, None] * ahead[:, :, None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        lead = np.where(variances > 0, (mean * ahead).sum(2) / np.sqrt(variances), np.inf)
    known: Mask = np.asarray(errors.any((1, 2)))
    return errors, sizes, np.where(known[:, None], lead, leads)
