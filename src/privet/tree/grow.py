"""The one grower: level by level, all open nodes at once.

A level is one question to the evidence (tables of all open nodes), one choice a node, and one
answer back (which children stay open). Children whose fate is known from their counts, pure or at
the depth limit, are never asked about.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.coding import Box
from privet.errors import DataError
from privet.estimate.base import CountTables, Splits
from privet.estimate.fitted import FittedEvidence
from privet.tree.prune import prune_errors, prune_needless, prune_unsure
from privet.tree.settle import settled
from privet.tree.split import best_splits, measured
from privet.tree.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats
    from privet.estimate.base import Estimate, Evidence, Frontier, Tables
    from privet.tree.policy import Policy
    from privet.tree.scored import Scored

__all__ = ["Known", "Level", "grow", "grown", "narrowed", "next_level", "root_level"]

FAINT = 0.05  # of the surest split: what an attribute may seem sure of where noise blurs all


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
    evidence: Evidence,
    policy: Policy,
    target: str = "class",
    levels: Sequence[Level] = (),
    known: Known | None = None,
) -> Tree:
    """Grow a tree from evidence by a policy.

    A forest's trees share ``levels``, the first ones with their splits, and what is ``known`` of
    the nodes below.
    """
    tree = grown(evidence, policy, target, levels, known)
    if not levels:
        chosen, other = narrowed(evidence, tree, policy)
        tree = tree if chosen is evidence else grown(chosen, other, target)
        evidence = chosen
    if isinstance(evidence, FittedEvidence):
        tree = settled(tree, evidence)
    return tree if policy.confidence is None else prune_errors(tree, policy.confidence)


def narrowed(evidence: Evidence, tree: Tree, policy: Policy) -> tuple[Evidence, Policy]:
    """Return fitted evidence of the attributes that a first tree tests surely; other as it is.

    The policy that goes with it asks of no attribute to be sure: all that are left are. Nor of a
    split, where noise has blurred what chance does in one table of all of them: there the many
    small splits of a slanting border count, of which none is sure by itself.
    """
    if not isinstance(evidence, FittedEvidence):
        return evidence, policy
    least = policy.min_attribute_z
    if evidence.is_blurred and tree.nodes > 1:  # what the tables miss of one shows at others
        least = math.hypot(least, FAINT * float(tree.z.max()))
    sure = np.unique(tree.attribute[tree.z >= least])
    if not len(sure):
        return evidence, policy
    chosen = evidence.limited(sure.tolist())
    least_z = 0.0 if chosen.whole else policy.min_fit_z
    return chosen, policy.but(min_attribute_z=0.0, min_fit_z=least_z)


def grown(
    evidence: Evidence,
    policy: Policy,
    target: str,
    levels: Sequence[Level] = (),
    known: Known | None = None,
) -> Tree:
    """Grow a tree from evidence as it is, pruning only what is unsure."""
    codings = evidence.codings
    frontier, tables, _ = levels[0] if levels else root_level(evidence)
    whole = tables.at(0)[0]
    total = whole.mean.sum(0)
    if not total.sum() > 0:
        message = "There are no records to learn from."
        raise DataError(message)
    known = Known() if known is None else known
    numbers = known.added(1)
    draft = _Draft(known, numbers[0], total, whole)
    fresh = _may_split(total[None], 0, policy)  # which nodes of the frontier are yet to be split
    depth = 0
    while fresh.any():
        given = depth < len(levels)
        chosen = levels[depth].chosen if given else best_splits(tables, codings, policy, fresh)
        splits = [split for split in chosen if split is not None]
        if not splits:
            break
        depth += 1
        keep = _may_split(np.concatenate([split.counts for split in splits]), depth, policy)
        if keep.any() and depth < len(levels):
            frontier, tables, _ = levels[depth]
            born, fresh = known.added(tables.nodes), np.ones(tables.nodes, np.bool_)
        elif keep.any():
            frontier = evidence.split(frontier, _splits(chosen, codings), keep)
            tables = evidence.tables(frontier)
            names = _names(frontier, tables) if known.shared else None
            born, fresh = known.found(tables.nodes, names, policy.max_depth and depth)
        else:
            born, fresh = [], keep
        known.hang(numbers, chosen, keep, born)
        numbers = born
    tree = draft.finished(evidence, policy, target)
    if isinstance(evidence, FittedEvidence) and policy.min_fit_z == 0:
        return _measured(prune_needless(tree), evidence)
    return prune_unsure(tree, _price(evidence, policy))


def _measured(tree: Tree, evidence: FittedEvidence) -> Tree:
    """Return the tree with what nobody asked for as it grew: how sure its splits and counts are."""
    z, errors = tree.z.copy(), tree.errors.copy()
    for node in np.flatnonzero(tree.child >= 0).tolist():
        route, kids = tree.routes[node], tree.children(node)
        if route is not None:
            estimate = evidence.estimate(tree.boxes[node], int(tree.attribute[node]))
            z[node], errors[kids] = measured(estimate, route, tree.counts[kids])
    return replace(tree, z=z, errors=errors)


def _price(evidence: Evidence, policy: Policy) -> float:
    """Return the z that a split must pay: more where chance is fitted fast, or classes are many.

    A split has as many shares to choose as there are classes, less one.
    """
    if not isinstance(evidence, FittedEvidence):
        return policy.min_fit_z
    return policy.min_fit_z * max(evidence.pace, math.sqrt(len(evidence.classes) - 1))


def _names(frontier: Frontier, tables: Tables) -> Sequence[Hashable] | None:
    """Name open nodes so that what grows below those of one name is the same; None: who knows.

    Where records are counted, nodes of the same records grow alike; where all that is known of a
    node is its box, nodes of the same box.
    """
    if isinstance(tables, CountTables):
        return tables.names() if tables.whole else None
    if isinstance(frontier, list) and all(isinstance(one, Box) for one in frontier):
        return [box.key for box in frontier]
    return None


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


class Known:
    """Open nodes by number: their splits and what is below them.

    A forest's trees share it: a node of the same name as an earlier one, in whatever tree, gets its
    number and is not split again.
    """

    def __init__(self, *, shared: bool = False) -> None:
        self.splits: list[Scored | None] = []
        self.below: list[list[tuple[int, int]]] = []  # branches that were open, and their numbers
        self.shared = shared
        self._numbers: dict[tuple[int | None, Hashable], int] = {}
        self._cuts: dict[tuple[int, int, int], tuple[float, float, float]] = {}

    def added(self, nodes: int) -> list[int]:
        """Return numbers of new nodes."""
        begin = len(self.splits)
        self.splits += [None] * nodes
        self.below += [[] for _ in range(nodes)]
        return list(range(begin, begin + nodes))

    def found(
        self, nodes: int, names: Sequence[Hashable] | None, depth: int | None
    ) -> tuple[list[int], NDArray[np.bool_]]:
        """Return the numbers of nodes, and which of them are new.

        Nodes of one name have one number if their ``depth``, where there is a limit, agrees too.
        """
        if names is None:
            return self.added(nodes), np.ones(nodes, np.bool_)
        numbers = []
        begin = len(self.splits)
        for name in names:
            if (depth, name) not in self._numbers:
                (self._numbers[depth, name],) = self.added(1)
            numbers.append(self._numbers[depth, name])
        return numbers, np.array(numbers) >= begin

    def hang(
        self,
        nodes: Sequence[int],
        splits: Sequence[Scored | None],
        keep: NDArray[np.bool_],
        born: Sequence[int],
    ) -> None:
        """Hang children under split nodes; those that ``keep`` marks, end to end, are ``born``."""
        numbers = np.full(len(keep), -1)
        numbers[keep] = born
        place = 0
        for node, split in zip(nodes, splits, strict=True):
            if split is not None:
                kids = numbers[place : place + len(split.counts)].tolist()
                self.splits[node] = split
                self.below[node] = [(branch, kid) for branch, kid in enumerate(kids) if kid >= 0]
                place += len(kids)

    def cut(self, split: Scored, coding: Coding) -> tuple[float, float, float]:
        """Return the threshold of a split of numbers and the two values round it."""
        key = (split.attribute, *split.gap)
        if key not in self._cuts:
            self._cuts[key] = (coding.cut(*split.gap)[1], *coding.around(*split.gap))
        return self._cuts[key]


class _Draft:
    """A tree being written, level by level: what is below a known node, unfolded."""

    def __init__(self, known: Known, top: int, total: Floats, whole: Estimate) -> None:
        self.known = known
        self.top = top
        classes = len(total)
        single = np.einsum("dc,v->dvc", np.eye(classes), np.ones(len(whole.mean)))
        self.total = total[None]
        self.errors = np.sqrt(np.maximum(whole.variances(single), 0.0))[None]

    def finished(self, evidence: Evidence, policy: Policy, target: str) -> Tree:
        """Write the nodes, give each its label and close the arrays."""
        codings = evidence.codings
        nodes, tests = self._unfolded()
        branches = [len(split.counts) for split in tests]
        counts = np.concatenate([self.total, *(split.counts for split in tests)])
        size = len(counts)
        parent = np.append(-1, np.repeat(np.array(nodes, np.int64), branches))
        child = np.full(size, -1)
        child[nodes] = 1 + np.cumsum(branches) - branches
        cuts = np.full((size, 3), np.nan)
        routes: list[NDArray[np.int16] | None] = [None] * size
        for node, split in zip(nodes, tests, strict=True):
            coding = codings[split.attribute]
            routes[node] = split.branch
            if coding.ordered:
                cuts[node] = self.known.cut(split, coding)

        def at_tests(values: list[Any], elsewhere: float) -> NDArray[Any]:
            held = np.full(size, elsewhere)
            held[nodes] = values
            return held

        leads = np.concatenate([[np.inf], *(split.leads for split in tests)])
        return Tree(
            codings=codings,
            classes=evidence.classes,
            target=target,
            parent=parent,
            attribute=at_tests([split.attribute for split in tests], -1),
            child=child,
            branches=at_tests(branches, 0),
            threshold=cuts[:, 0].copy(),
            around=cuts[:, 1:].copy(),
            routes=tuple(routes),
            counts=counts,
            errors=np.concatenate([self.errors, *(split.errors for split in tests)]),
            label=_labels(counts, leads, parent, policy),
            gain=at_tests([split.gain for split in tests], 0.0),
            z=at_tests([split.z for split in tests], 0.0),
        )

    def _unfolded(self) -> tuple[list[int], list[Scored]]:
        """Return all tests of the tree, by number of their node, level by level."""
        nodes, tests = [], []
        size = 1
        level = [(0, self.top)]
        while level:
            below: list[tuple[int, int]] = []
            for node, number in level:
                split = self.known.splits[number]
                if split is not None:
                    nodes.append(node)
                    tests.append(split)
                    below += [(size + branch, kid) for branch, kid in self.known.below[number]]
                    size += len(split.counts)
            level = below
        return nodes, tests


def _labels(
    counts: Floats, leads: Floats, parent: NDArray[np.int64], policy: Policy
) -> NDArray[np.int64]:
    """Return the leading class of each node; an empty or uncertain one takes its parent's."""
    labels: NDArray[np.int64] = counts.argmax(1)
    unsure = (counts.sum(1) <= 0) | (leads < policy.min_leaf_z)
    for node in np.flatnonzero(unsure[1:]) + 1:
        labels[node] = labels[parent[node]]
    return labels
