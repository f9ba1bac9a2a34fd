"""Nodes and splits on their way to a tree: what is known of them, and the tree they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.split.scored import TIE
from privet.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Ints, Mask
    from privet.estimate.base import Evidence
    from privet.split.scored import Scored
    from privet.split.tables import Total

__all__ = ["Draft", "Known"]


class Known:
    """Open nodes by number: their splits and what is below them.

    A forest's trees share it: a node of an earlier node's name, in whatever tree, gets its
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

    def numbered(
        self, nodes: int, names: Sequence[Hashable] | None, depth: int | None
    ) -> tuple[list[int], Mask]:
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
        self, nodes: Sequence[int], splits: Sequence[Scored | None], keep: Mask, born: Sequence[int]
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


class Draft:
    """A tree being written, level by level: what is below a known node, unfolded."""

    def __init__(self, known: Known, top: int, total: Total) -> None:
        self.known = known
        self.top = top
        self.total = total.counts[None]
        self.errors = total.errors[None]

    def finished(self, evidence: Evidence, target: str) -> Tree:
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
            filled = np.full(size, elsewhere)
            filled[nodes] = values
            return filled

        unsure = np.concatenate([[False], *(split.unsure for split in tests)])
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
            label=_labels(counts, unsure, parent),
            gain=at_tests([split.gain for split in tests], 0.0),
            z=at_tests([split.z for split in tests], 0.0),
            # How many records there are is known, whatever was done to them.
            size_errors=np.concatenate([[0.0], *(split.size_errors for split in tests)]),
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


def _labels(counts: Floats, unsure: Mask, parent: Ints) -> Ints:
    """Return the leading class of each node; an empty or unsure node takes its parent's.

    Of classes that lead together it is the first, whatever rounding says.
    """
    most = counts.max(1, keepdims=True)
    labels: Ints = (counts >= most - TIE * np.abs(most)).argmax(1)
    for node in np.flatnonzero((counts.sum(1) <= 0)[1:] | unsure[1:]) + 1:
        labels[node] = labels[parent[node]]
    return labels
