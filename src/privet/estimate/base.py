"""What a grower asks: open nodes that know their splits, and evidence that moves on from them.

An evidence answers level by level. It starts at ``root``; a frontier, the open nodes of one depth,
gives the best split of each; ``split`` moves on to the children that stay open. Neither ever
changes, so a forest can branch from any frontier. Around the growing, evidence says what only it
can know: whether a first tree lets it look closer, which subtrees are not worth their splits, where
inside a cell a threshold lies, and how sure the counts are.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from privet.compiled import in_threads
from privet.split.candidates import best_split, every_candidate
from privet.split.counted import best_counted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from privet.coding import Box, Coding, Mask, Value
    from privet.split.candidates import Candidates
    from privet.split.counted import CountTables
    from privet.split.policy import Policy
    from privet.split.scored import Scored, Splits
    from privet.split.tables import Estimate, Total
    from privet.tree import Tree

__all__ = ["BoxFrontier", "CountedFrontier", "Evidence", "Frontier", "unit"]


class Frontier(ABC):
    """The open nodes of one depth."""

    codings: tuple[Coding, ...]
    nodes: int

    @abstractmethod
    def at(self, node: int) -> Sequence[Estimate]:
        """Return one node's tables, one per attribute."""

    def total(self) -> Total:
        """Return the class counts of the first node."""
        return self.at(0)[0].total()

    def candidates(self, node: int, policy: Policy) -> list[Candidates]:
        """Return all splits of a node, by attribute."""
        return every_candidate(self.at(node), self.codings, policy)

    def best(self, policy: Policy, wanted: Mask | None = None) -> list[Scored | None]:
        """Return the best split of each node, or None where there is none or none is wanted."""
        chosen: list[Scored | None] = [None] * self.nodes
        places = range(self.nodes) if wanted is None else np.flatnonzero(wanted).tolist()
        best = in_threads(lambda node: self.chosen(self.candidates(node, policy), policy), places)
        for place, split in zip(places, best, strict=True):
            chosen[place] = split
        return chosen

    def chosen(self, every: list[Candidates], policy: Policy) -> Scored | None:
        """Return the split to take of all candidates of a node."""
        return best_split(every, policy)

    def names(self) -> Sequence[Hashable] | None:
        """Name the nodes so that the same grows below nodes of one name; None if unknown."""
        return None


class CountedFrontier(Frontier):
    """Open nodes whose tables were counted; ``state`` is what the evidence needs to move on."""

    def __init__(self, codings: tuple[Coding, ...], tables: CountTables, state: Any = None) -> None:
        self.codings = codings
        self.tables = tables
        self.state = state
        self.nodes = tables.nodes

    def at(self, node: int) -> Sequence[Estimate]:
        """Return one node's tables, one per attribute."""
        return self.tables.at(node)

    def best(self, policy: Policy, wanted: Mask | None = None) -> list[Scored | None]:
        """Return the best split of each node by the compiled search."""
        if wanted is None:
            return best_counted(self.tables, self.codings, policy)
        places = np.flatnonzero(wanted)
        chosen: list[Scored | None] = [None] * self.nodes
        best = best_counted(self.tables.of(places), self.codings, policy)
        for place, split in zip(places.tolist(), best, strict=True):
            chosen[place] = split
        return chosen

    def names(self) -> Sequence[Hashable] | None:
        """Name nodes by the cells that occur in them: the same cells are the same records."""
        return self.tables.names() if self.tables.whole else None


class BoxFrontier(Frontier):
    """Open nodes of which only their boxes are known; those of one box are the same."""

    def __init__(self, codings: tuple[Coding, ...], boxes: list[Box]) -> None:
        self.codings = codings
        self.boxes = boxes
        self.nodes = len(boxes)

    def names(self) -> Sequence[Hashable] | None:
        """Name nodes by their boxes."""
        return [box.key for box in self.boxes]


class Evidence(ABC):
    """Answers a grower's questions about one set of records. It never changes."""

    codings: tuple[Coding, ...]  # of the attributes that may be tested
    classes: tuple[Value, ...]
    tests_splits: ClassVar[bool] = False  # whether chance alone is kept from making splits
    least_z: ClassVar[float] = 0.0  # standard errors by which the gain of a split must be above 0
    _least_leaf = 0.0

    @abstractmethod
    def root(self) -> Frontier:
        """Return the frontier that holds only the root."""

    @abstractmethod
    def split(self, frontier: Any, splits: Splits, keep: Mask) -> Frontier:
        """Return the frontier of those children, all laid end to end, that ``keep`` marks."""

    def with_leaves(self, least: float) -> Self:
        """Return the same evidence, whose leaves are to hold so many records."""
        other = copy(self)
        other._least_leaf = least  # noqa: SLF001 - a copy of itself
        return other

    @property
    def least_leaf(self) -> float:
        """How many records a leaf has to hold, whatever a policy allows."""
        return self._least_leaf

    def bounded(self, policy: Policy) -> Policy:
        """Return the policy with leaves that hold as many records as they have to."""
        return policy.but(min_samples_leaf=max(policy.min_samples_leaf, self.least_leaf))

    def narrowed(self, grown: Callable[[Evidence], Tree]) -> Evidence:
        """Return evidence that looks closer at what a first tree tests, or itself.

        ``grown`` grows the tree of some evidence, this one's or another's.
        """
        del grown
        return self

    def refined(self, grown: Callable[[Evidence], Tree]) -> Evidence:
        """Return evidence for a single tree, which may look closer still."""
        return self.narrowed(grown)

    def pruned(self, tree: Tree) -> Tree:
        """Return the tree without subtrees that are not sure enough to stay."""
        return tree

    def settled(self, tree: Tree, *, inside: bool = True) -> Tree:  # noqa: ARG002 - of cells
        """Return the tree with its thresholds where the evidence says they lie ``inside`` cells."""
        return tree


MOST_BITS = 62  # of a sum of weights: one less than an int64 holds, for the rounding


def unit(rows: int, bound: float) -> float:
    """Return how many units a weight of 1 has, so that no sum of ``rows`` weights overflows.

    No weight is above ``bound``. At most 2⁴⁰: a rounding error of 2⁻⁴¹ a record is below any
    count's own error.
    """
    return 2.0 ** min(40, math.floor(MOST_BITS - math.log2(max(1, rows)) - math.log2(bound)))
