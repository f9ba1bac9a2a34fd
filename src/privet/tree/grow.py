"""The one grower: level by level, all open nodes at once.

A level is one question to the evidence (tables of all open nodes), one choice a node, and one
answer back (which children stay open). Children whose fate is known from their counts, pure or at
the depth limit, are never asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.errors import DataError
from privet.estimate.base import Splits
from privet.estimate.fitted import FittedEvidence
from privet.tree.prune import prune_errors, prune_unsure
from privet.tree.split import best_splits
from privet.tree.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats
    from privet.estimate.base import Evidence, Frontier, Tables
    from privet.tree.policy import Policy
    from privet.tree.split import Scored

__all__ = ["Level", "grow", "narrowed", "next_level", "root_level"]


class Level(NamedTuple):
    """The open nodes of one depth, their tables, and a split (or none) chosen for each."""

    frontier: Frontier
    tables: Tables
    chosen: Sequence[Scored | None] = ()


def root_level(evidence: Evidence) -> Level:
    """Return the level that holds only the root, with nothing chosen."""
    frontier = evidence.root()
    return Level(frontier, evidence.tables(frontier))


def grow(
    evidence: Evidence, policy: Policy, target: str = "class", levels: Sequence[Level] = ()
) -> Tree:
    """Grow a tree from evidence by a policy.

    ``levels`` are the first ones, with their splits, if they are known already: a forest's trees
    share them.
    """
    tree = _grown(evidence, policy, target, levels)
    if not levels:
        chosen = narrowed(evidence, tree, policy)
        tree = tree if chosen is evidence else _grown(chosen, policy, target)
    return tree if policy.confidence is None else prune_errors(tree, policy.confidence)


def narrowed(evidence: Evidence, tree: Tree, policy: Policy) -> Evidence:
    """Return fitted evidence of the attributes that a first tree tests surely; other as it is."""
    sure = np.unique(tree.attribute[tree.z >= policy.min_attribute_z])
    if isinstance(evidence, FittedEvidence) and len(sure):
        return evidence.limited(sure.tolist())
    return evidence


def _grown(evidence: Evidence, policy: Policy, target: str, levels: Sequence[Level] = ()) -> Tree:
    codings = evidence.codings
    frontier, tables, _ = levels[0] if levels else root_level(evidence)
    whole = tables.at(0)[0]
    total = whole.mean.sum(0)
    if not total.sum() > 0:
        message = "There are no records to learn from."
        raise DataError(message)
    classes = len(total)
    single = np.einsum("dc,v->dvc", np.eye(classes), np.ones(len(whole.mean)))
    draft = _Draft(codings, total, np.sqrt(np.maximum(whole.variances(single), 0.0)))
    open_ = [0] if _may_split(total[None], 0, policy)[0] else []
    depth = 0
    while open_:
        depth += 1
        known = depth <= len(levels)
        chosen = levels[depth - 1].chosen if known else best_splits(tables, codings, policy)
        splits = [split for split in chosen if split is not None]
        if not splits:
            break
        born = np.array(draft.add(open_, chosen))
        keep = _may_split(np.concatenate([split.counts for split in splits]), depth, policy)
        open_ = born[keep].tolist()
        if open_ and depth < len(levels):
            frontier, tables, _ = levels[depth]
        elif open_:
            frontier = evidence.split(frontier, _splits(chosen, codings), keep)
            tables = evidence.tables(frontier)
    return prune_unsure(draft.finished(evidence, policy, target), policy.min_fit_z)


def next_level(
    evidence: Evidence, level: Level, depth: int, policy: Policy
) -> tuple[Level | None, NDArray[np.bool_]]:
    """Return the level below one of a depth (None if it is empty), and which children are on it."""
    counts = [split.counts for split in level.chosen if split is not None]
    keep = _may_split(np.concatenate(counts), depth + 1, policy)
    if not keep.any():
        return None, keep
    frontier = evidence.split(level.frontier, _splits(level.chosen, evidence.codings), keep)
    return Level(frontier, evidence.tables(frontier)), keep


def _may_split(counts: Floats, depth: int, policy: Policy) -> NDArray[np.bool_]:
    """Say which nodes of one depth are large, impure and shallow enough to look for a split."""
    if policy.max_depth is not None and depth >= policy.max_depth:
        return np.zeros(len(counts), np.bool_)
    rows = counts.sum(1)
    impure = ((counts > 0).sum(1) > 1) & (counts.max(1) < rows * (1 - 1e-12))
    least = max(policy.min_samples_split, 2 * policy.min_samples_leaf)
    may: NDArray[np.bool_] = impure & (rows >= least)
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


class _Draft:
    """A tree being written: lists that become the tree's arrays."""

    def __init__(self, codings: tuple[Coding, ...], total: Floats, errors: Floats) -> None:
        self.codings = codings
        self.parent = [-1]
        self.child = [-1]
        self.counts = [total[None]]
        self.errors = [errors[None]]
        self.leads = [np.inf]
        self.splits: list[Scored | None] = [None]

    def add(self, nodes: Sequence[int], splits: Sequence[Scored | None]) -> list[int]:
        """Hang the children of splits under their nodes; return the children's numbers."""
        begin = len(self.parent)
        for node, split in zip(nodes, splits, strict=True):
            if split is None:
                continue
            number = len(split.counts)
            self.splits[node] = split
            self.child[node] = len(self.parent)
            self.parent += [node] * number
            self.counts.append(split.counts)
            self.errors.append(split.errors)
            self.leads += split.leads.tolist()
            self.child += [-1] * number
            self.splits += [None] * number
        return list(range(begin, len(self.parent)))

    def finished(self, evidence: Evidence, policy: Policy, target: str) -> Tree:
        """Give every node its label and close the arrays."""
        size = len(self.parent)
        counts = np.concatenate(self.counts)
        threshold = np.full(size, np.nan)
        around = np.full((size, 2), np.nan)
        for node, split in enumerate(self.splits):
            if split is not None and self.codings[split.attribute].ordered:
                coding = self.codings[split.attribute]
                threshold[node] = coding.cut(*split.gap)[1]
                around[node] = coding.around(*split.gap)
        return Tree(
            codings=self.codings,
            classes=evidence.classes,
            target=target,
            parent=np.array(self.parent),
            attribute=np.array([-1 if s is None else s.attribute for s in self.splits]),
            child=np.array(self.child),
            branches=np.array([0 if s is None else len(s.counts) for s in self.splits]),
            threshold=threshold,
            around=around,
            routes=tuple(None if s is None else s.branch for s in self.splits),
            counts=counts,
            errors=np.concatenate(self.errors),
            label=self._labels(counts, policy),
            gain=np.array([0.0 if s is None else s.gain for s in self.splits]),
            z=np.array([0.0 if s is None else s.z for s in self.splits]),
        )

    def _labels(self, counts: Floats, policy: Policy) -> NDArray[np.int64]:
        """Return the leading class of each node; an empty or uncertain one takes its parent's."""
        labels: NDArray[np.int64] = counts.argmax(1)
        unsure = (counts.sum(1) <= 0) | (np.array(self.leads) < policy.min_leaf_z)
        for node in np.flatnonzero(unsure[1:]) + 1:
            labels[node] = labels[self.parent[node]]
        return labels
