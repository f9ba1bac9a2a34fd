"""The one grower: level by level, all open nodes at once.

A level is one question to the frontier, the best split of each open node, and one answer back,
which children stay open. Children whose fate is known from their counts, pure or at the depth
limit, are never asked about. The grower does not know what kind of evidence it has.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.errors import DataError
from privet.grow.draft import Draft, Known
from privet.split.scored import TIE, Splits
from privet.tree.prune import prune_errors, prune_leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Coding, Floats, Mask
    from privet.estimate.base import Evidence, Frontier
    from privet.split.policy import Policy
    from privet.split.scored import Scored
    from privet.split.tables import Total
    from privet.tree import Tree

__all__ = ["Level", "grow", "grown", "next_level"]


class Level(NamedTuple):
    """The open nodes of one depth, and a split (or none) chosen for each."""

    frontier: Frontier
    chosen: Sequence[Scored | None] = ()


def grow(
    evidence: Evidence,
    policy: Policy,
    target: str = "class",
    levels: Sequence[Level] = (),
    known: Known | None = None,
) -> Tree:
    """Grow a tree from evidence by a policy.

    A forest's trees share ``levels``, the first ones with their splits, and what is ``known`` of
    the nodes below; their evidence was refined before. Their thresholds stay on the borders of
    cells: trees that agree where a border lies make few cases of votes.
    """
    if levels:
        tree = evidence.settled(grown(evidence, policy, target, levels, known), inside=False)
    else:
        trees = cache(lambda of: grown(of, policy, target))
        closer = evidence.refined(trees)
        tree = closer.settled(trees(closer))
    return tree if policy.confidence is None else prune_errors(tree, policy.confidence)


def grown(
    evidence: Evidence,
    policy: Policy,
    target: str,
    levels: Sequence[Level] = (),
    known: Known | None = None,
) -> Tree:
    """Grow a tree from evidence as it is, without what the evidence itself prunes."""
    codings, policy = evidence.codings, evidence.bounded(policy)
    frontier = levels[0].frontier if levels else evidence.root()
    total = frontier.total()
    if not total.counts.sum() > 0:
        message = "There are no records to learn from."
        raise DataError(message)
    known = Known() if known is None else known
    numbers = known.added(1)
    draft = Draft(known, numbers[0], total)
    # Which nodes of the frontier are yet to be split.
    fresh = _may_split(total.counts[None], np.array([total.rows]), 0, policy)
    depth = 0
    while fresh.any():
        given = depth < len(levels)
        best = levels[depth].chosen if given else frontier.best(policy, fresh)
        chosen = _worthwhile(best, total, policy)
        splits = [split for split in chosen if split is not None]
        if not splits:
            break
        depth += 1
        keep = _kept(splits, depth, policy)
        if keep.any() and depth < len(levels):
            frontier = levels[depth].frontier
            born, fresh = known.added(frontier.nodes), np.ones(frontier.nodes, np.bool_)
        elif keep.any():
            frontier = evidence.split(frontier, _splits(chosen, codings), keep)
            names = frontier.names() if known.shared else None
            born, fresh = known.numbered(frontier.nodes, names, policy.max_depth and depth)
        else:
            born, fresh = [], keep
        known.hang(numbers, chosen, keep, born)
        numbers = born
    tree = evidence.pruned(draft.finished(evidence, target))
    return tree if policy.max_leaf_nodes is None else prune_leaves(tree, policy.max_leaf_nodes)


def next_level(
    evidence: Evidence, level: Level, depth: int, policy: Policy
) -> tuple[Level | None, Mask]:
    """Return the level below a level (None if it is empty), and which children are on it."""
    keep = _kept([split for split in level.chosen if split is not None], depth + 1, policy)
    if not keep.any():
        return None, keep
    return Level(
        evidence.split(level.frontier, _splits(level.chosen, evidence.codings), keep)
    ), keep


def _worthwhile(
    chosen: Sequence[Scored | None], total: Total, policy: Policy
) -> Sequence[Scored | None]:
    """Drop the splits that decrease the impurity of all records too little."""
    least = policy.min_impurity_decrease * total.counts.sum()
    if least == 0:
        return chosen
    return [
        split if split and split.gain * split.counts.sum() >= least - TIE else None
        for split in chosen
    ]


def _kept(splits: Sequence[Scored], depth: int, policy: Policy) -> Mask:
    """Say which children of some nodes, laid end to end, stay open."""
    counts = np.concatenate([split.counts for split in splits])
    return _may_split(counts, np.concatenate([split.rows for split in splits]), depth, policy)


def _may_split(counts: Floats, rows: Floats, depth: int, policy: Policy) -> Mask:
    """Say which nodes of one depth are large, impure and shallow enough to look for a split."""
    if policy.max_depth is not None and depth >= policy.max_depth:
        return np.zeros(len(counts), np.bool_)
    purest = counts.max(1) / np.maximum(counts.sum(1), TIE)
    impure = ((counts > 0).sum(1) > 1) & (purest < policy.max_purity - TIE)
    least = max(policy.min_samples_split, 2 * policy.min_samples_leaf)
    may: Mask = impure & (rows >= least)
    return may


def _splits(chosen: Sequence[Scored | None], codings: Sequence[Coding]) -> Splits:
    width = max(coding.size for coding in codings)
    branch = np.zeros((len(chosen), width), np.int16)
    attribute = np.full(len(chosen), -1)
    branches = np.zeros(len(chosen), np.int64)
    for place, split in enumerate(chosen):
        if split is not None:
            attribute[place] = split.attribute
            branch[place, : len(split.branch)] = split.branch
            branches[place] = len(split.counts)
    return Splits(attribute, branch, branches)
