"""Sub-domains: what the leaves of one tree, or of several together, say about each attribute.

The leaves of several trees overlap; a record lies in one leaf of each, and so in their
intersection. There are as many intersections as leaves multiplied, but only those that hold
records are ever made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import TreeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats, Ints, Mask
    from privet.tree.tree import Tree

__all__ = ["Intersections", "Limits", "intersect", "limits_of"]


@dataclass(frozen=True, eq=False)
class Limits:
    """What paths say of attributes, rows × attributes: numbers in (``lower``, ``upper``].

    An end that no test closes is infinite. ``tested`` marks the attributes that are tested at
    all. The attributes are in the order of the tree's codings.
    """

    lower: Floats
    upper: Floats
    tested: Mask

    def at(self, rows: Ints) -> Limits:
        """Return the limits of some rows."""
        return Limits(self.lower[rows], self.upper[rows], self.tested[rows])

    def within(self, low: Floats, high: Floats) -> Limits:
        """Return the limits with ends closed by ranges, one an attribute.

        Where only a missing number can be, behind all others, both ends are the range's upper end.
        """
        return Limits(np.clip(self.lower, low, high), np.minimum(self.upper, high), self.tested)


def limits_of(tree: Tree) -> Limits:
    """Return the limits of every node of a tree."""
    shape = (tree.nodes, len(tree.codings))
    lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
    tested = np.zeros(shape, np.bool_)
    for node in range(1, tree.nodes):
        parent = int(tree.parent[node])
        place = int(tree.attribute[parent])
        lower[node], upper[node], tested[node] = lower[parent], upper[parent], tested[parent]
        tested[node, place] = True
        cut = tree.threshold[parent]
        if np.isnan(cut):
            continue
        if node == tree.child[parent]:
            upper[node, place] = min(upper[node, place], cut)
        else:
            lower[node, place] = max(lower[node, place], cut)
    return Limits(lower, upper, tested)


@dataclass(frozen=True, eq=False)
class Intersections:
    """The intersections that hold records: ``member`` is each record's.

    ``leaves`` are an intersection's leaves, one per tree; ``limits`` has a row per intersection.
    """

    member: Ints
    leaves: Ints
    limits: Limits

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.leaves)


def intersect(trees: Sequence[Tree], values: Floats) -> Intersections:
    """Drop records into all trees and return the intersections of their leaves.

    ``values`` are records × attributes as trees read them: numbers, and categories as codes.
    """
    if not trees:
        raise TreeError("There is no tree whose leaves could be intersected.")
    member = np.zeros(len(values), np.int64)
    leaves = np.zeros((1, 0), np.int64)
    for tree in trees:
        joint = member * tree.nodes + tree.apply(values)
        reached = np.zeros(len(leaves) * tree.nodes, np.bool_)
        reached[joint] = True
        kinds = np.flatnonzero(reached)
        member = (np.cumsum(reached) - 1)[joint]
        leaves = np.column_stack([leaves[kinds // tree.nodes], kinds % tree.nodes])
    whole = limits_of(trees[0]).at(leaves[:, 0])
    for place, tree in enumerate(trees[1:], 1):
        more = limits_of(tree).at(leaves[:, place])
        whole = Limits(
            np.maximum(whole.lower, more.lower),
            np.minimum(whole.upper, more.upper),
            whole.tested | more.tested,
        )
    return Intersections(member, leaves, whole)
