"""The one grower: level by level, all open nodes at once.

A level is one question to the evidence (tables of all open nodes), one choice a node, and one answer back
(which children stay open). Children whose fate is known from their counts, pure or at the depth
limit, are never asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.errors import DataError
from privet.estimate.base import Splits
from privet.tree.split import best_splits
from privet.tree.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats
    from privet.estimate.base import Evidence
    from privet.tree.policy import Policy
    from privet.tree.split import Scored

__all__ = ["grow"]


def grow(evidence: Evidence, policy: Policy, target: str = "class") -> Tree:
    """Grow a tree from evidence by a policy."""
    codings = evidence.codings
    frontier = evidence.root()
    tables = evidence.tables(frontier)
    whole = tables.at(0)[0]
    total = whole.mean.sum(0)
    if not total.sum() > 0:
        message = "There are no records to learn from."
        raise DataError(message)
    classes = len(total)
    single = np.einsum("dc,v->dvc", np.eye(classes), np.ones(len(whole.mean)))
    draft = _Draft(codings, total, np.sqrt(np.maximum(whole.variances(single), 0.0)))
    open_ = [0] if _may_split(total, 0, policy) else []
    while open_:
        chosen = best_splits(tables, codings, policy)
        keep = []
        born: list[int] = []
        for node, split in zip(open_, chosen, strict=True):
            if split is None:
                continue
            for kid, counts in draft.add(node, split):
                stays = _may_split(counts, draft.depth[kid], policy)
                keep.append(stays)
                if stays:
                    born.append(kid)
        if born:
            frontier = evidence.split(frontier, _splits(chosen, codings), np.array(keep))
            tables = evidence.tables(frontier)
        open_ = born
    return draft.finished(evidence, policy, target)


def _may_split(counts: Floats, depth: int, policy: Policy) -> bool:
    """Whether a node is large, impure and shallow enough to look for a split."""
    if policy.max_depth is not None and depth >= policy.max_depth:
        return False
    rows = counts.sum()
    pure = (counts > 0).sum() < 2 or counts.max() >= rows * (1 - 1e-12)
    return bool(
        not pure and rows >= policy.min_samples_split and rows >= 2 * policy.min_samples_leaf
    )


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
        self.depth = [0]
        self.child = [-1]
        self.counts = [total]
        self.errors = [errors]
        self.leads = [np.inf]
        self.splits: list[Scored | None] = [None]

    def add(self, node: int, split: Scored) -> list[tuple[int, Floats]]:
        """Hang a split's children under a node; return their numbers and counts."""
        first = len(self.parent)
        number = len(split.counts)
        self.splits[node] = split
        self.child[node] = first
        self.parent += [node] * number
        self.depth += [self.depth[node] + 1] * number
        self.child += [-1] * number
        self.counts += list(split.counts)
        self.errors += list(split.errors)
        self.leads += list(split.leads)
        self.splits += [None] * number
        return list(zip(range(first, first + number), split.counts, strict=True))

    def finished(self, evidence: Evidence, policy: Policy, target: str) -> Tree:
        """Give every node its label and close the arrays."""
        size = len(self.parent)
        counts = np.array(self.counts)
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
            errors=np.array(self.errors),
            label=self._labels(counts, policy),
            gain=np.array([0.0 if s is None else s.gain for s in self.splits]),
        )

    def _labels(self, counts: Floats, policy: Policy) -> NDArray[np.int64]:
        """Return the leading class of each node; an empty or uncertain one takes its parent's."""
        labels = counts.argmax(1)
        for node in range(1, len(labels)):
            if counts[node].sum() <= 0 or self.leads[node] < policy.min_leaf_z:
                labels[node] = labels[self.parent[node]]
        return labels
