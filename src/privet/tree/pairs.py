"""The best splits of binary attributes, all open nodes at once.

A binary attribute has one division in two, so nothing is to be searched: the choice of
``ranked_splits``, worked out for a whole level in a few array operations.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from privet.tree.criterion import impurity, slope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats
    from privet.estimate.pairs import Pairs, SummedPairs
    from privet.tree.policy import Policy

__all__ = ["BestPairs", "best_pairs", "can_choose"]

TIE = 1e-12
_KNOWN = {
    "criterion",
    "multiway",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_gain",
    "min_z",
    "min_child_z",
    "min_leaf_z",
}


def can_choose(policy: Policy) -> bool:
    """Whether the policy asks for nothing that is not looked at here."""
    other = [one for one in fields(policy) if one.name not in _KNOWN]
    plain = all(getattr(policy, one.name) == one.default for one in other)
    return plain and policy.criterion in ("gini", "entropy")


class BestPairs:
    """The chosen attribute of each node (-1: none) with all that a ``Scored`` says of it."""

    def __init__(self, nodes: int, classes: int) -> None:
        self.attribute = np.full(nodes, -1)
        self.turned = np.zeros(nodes, np.bool_)
        self.gain, self.z, self.score = np.zeros(nodes), np.zeros(nodes), np.full(nodes, -np.inf)
        self.counts = np.zeros((nodes, 2, classes))
        self.errors = np.zeros((nodes, 2, classes))
        self.leads = np.zeros((nodes, 2))


def best_pairs(
    pairs: Pairs | SummedPairs, nodes: int, codings: Sequence[Coding], policy: Policy
) -> BestPairs:
    """Return the best split of each node; ``pairs`` has the tables of node after node."""
    mean = pairs.mean
    gain, z, score, allowed = _scores(pairs, policy)
    numbers = np.tile([coding.ordered for coding in codings], nodes)
    both = mean.any(-1).all(-1)  # a value that does not occur leaves nothing to divide
    allowed &= both | (~numbers & policy.multiway)
    score = np.where(allowed, score, -np.inf).reshape(nodes, -1)
    best = BestPairs(nodes, mean.shape[2])
    for attribute in range(len(codings)):  # in turn, because ties go to the first
        better = score[:, attribute] > best.score + TIE
        best.attribute[better] = attribute
        best.score[better] = score[better, attribute]
    found = np.flatnonzero(best.attribute >= 0)
    if not len(found):
        return best
    tables = found * len(codings) + best.attribute[found]
    best.gain[found], best.z[found] = gain[tables], z[tables]
    chosen = pairs.take(tables)
    turned = ~numbers[tables] & (not policy.multiway) & _second_first(chosen.mean)
    best.turned[found] = turned
    best.counts[found] = np.where(turned[:, None, None], chosen.mean[:, ::-1], chosen.mean)
    errors, leads = _errors(chosen)
    best.errors[found] = np.where(turned[:, None, None], errors[:, ::-1], errors)
    best.leads[found] = np.where(turned[:, None], leads[:, ::-1], leads)
    return best


def _scores(
    pairs: Pairs | SummedPairs, policy: Policy
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return gain, z and score of every table, and whether its split is allowed."""
    mean = pairs.mean
    total = mean.sum(1)
    whole = np.maximum(total, 0.0).sum(-1)
    gains = impurity(total, policy.criterion) - impurity(mean, policy.criterion).sum(1)
    slopes = slope(total, policy.criterion)[:, None] - slope(mean, policy.criterion)
    sides = np.broadcast_to(np.eye(2)[:, :, None], (len(mean), 2, 2, mean.shape[2]))
    asked = np.concatenate([slopes[:, None], sides], axis=1)
    variances = pairs.variances(asked)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain, variance = gains / whole, variances[:, 0] / whole**2
        error = np.sqrt(np.maximum(variance, 0.0))
        z = np.where(variance > 0, gain / error, np.where(variance < 0, 0.0, np.inf))
        score = np.where(z > 0, gain * (1.0 - (policy.min_z / z) ** 2), -1.0)
    score = np.where(np.isinf(z), gain, score)
    noisy = variance != 0
    rows = mean.sum(-1)
    errors = np.where(noisy[:, None], np.sqrt(np.maximum(variances[:, 1:], 0.0)), 0.0)
    large = (rows >= policy.min_samples_leaf) & (rows > 0) & (rows >= policy.min_child_z * errors)
    allowed = (gain >= policy.min_gain - TIE) & (~noisy | (z >= policy.min_z)) & large.all(1)
    return gain, z, score, allowed


def _second_first(mean: Floats) -> NDArray[np.bool_]:
    """Say where the second value has the smaller share of the first class, and so goes first."""
    held = np.maximum(mean, 0.0)
    rows = held.sum(-1)
    share = np.divide(held[..., 0], rows, out=np.full(rows.shape, 2.0), where=rows > 0)
    second: NDArray[np.bool_] = share[:, 1] < share[:, 0]
    return second


def _errors(pairs: Pairs | SummedPairs) -> tuple[Floats, Floats]:
    """Return the standard error of each count, and each side's lead in standard errors."""
    mean = pairs.mean
    tables, _, classes = mean.shape
    single = np.einsum("bv,dc->bdvc", np.eye(2), np.eye(classes)).reshape(-1, 2, classes)
    asked = np.broadcast_to(single, (tables, *single.shape))
    errors = np.sqrt(np.maximum(pairs.variances(asked), 0.0)).reshape(tables, 2, classes)
    leads = np.full((tables, 2), np.inf)
    if classes == 1:
        return errors, leads
    order = np.argsort(-mean, axis=2, kind="stable")
    ahead = np.zeros(mean.shape)
    np.put_along_axis(ahead, order[..., :1], 1.0, axis=2)
    np.put_along_axis(ahead, order[..., 1:2], -1.0, axis=2)
    variances = pairs.variances(np.eye(2)[None, :, :, None] * ahead[:, :, None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        lead = np.where(variances > 0, (mean * ahead).sum(2) / np.sqrt(variances), np.inf)
    known: NDArray[np.bool_] = np.asarray(errors.any((1, 2)))
    return errors, np.where(known[:, None], lead, leads)
