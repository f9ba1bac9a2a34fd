"""One tree that says what several say together: each is grafted on the leaves of the one before.

A case is followed only until the vote is decided: trees that are left cannot turn it any more. Most
trees of a forest agree nearly everywhere, so that few cases need all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import MethodError
from privet.tree.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints, Mask

__all__ = ["grafted"]

MOST_NODES = 50_000  # a record is weighed in each leaf: more would take longer than learning did
MOST_MARKS = 100_000_000  # of leaves by codes, a byte each; beyond, cases go through all trees
LEAD = 1e-9  # of votes that decides: shares are rounded to 12 digits before they are compared

Allowed = dict[int, "Mask"]  # by attribute: the codes that come so far


@dataclass(frozen=True)
class _Place:
    """A node of one of the trees, reached by codes that ``allowed`` marks; ``votes`` so far.

    ``reached`` marks the leaves, of all trees, that such codes can come to. At a ``decided`` place
    nothing is tested any more.
    """

    tree: int
    node: int
    votes: Floats
    reached: Mask
    allowed: Allowed = field(default_factory=dict)
    decided: bool = False


@dataclass(frozen=True)
class _Voters:
    """Trees with the same codings, and what each node of each gives to each class."""

    trees: Sequence[Tree]
    votes: Sequence[Floats]

    @cached_property
    def starts(self) -> Ints:
        """Where each tree's leaves begin among those of all."""
        return np.cumsum([0, *(len(tree.leaves) for tree in self.trees)])[:-1]

    @cached_property
    def is_small(self) -> bool:
        """Whether there is room to mark which codes every leaf takes."""
        codes = sum(coding.size for coding in self.trees[0].codings)
        return len(self.given) * codes <= MOST_MARKS

    @cached_property
    def given(self) -> Floats:
        """The votes of all leaves, leaves × classes."""
        pairs = zip(self.trees, self.votes, strict=True)
        return np.concatenate([votes[tree.leaves] for tree, votes in pairs])

    @cached_property
    def taking(self) -> list[Mask]:
        """For each attribute, which codes each leaf of all trees can take, leaves × codes."""
        boxes = [box for tree in self.trees for box in _leaf_boxes(tree)]
        return [
            np.array([box.get(place, np.ones(coding.size, np.bool_)) for box in boxes])
            for place, coding in enumerate(self.trees[0].codings)
        ]

    def root(self) -> _Place:
        """Return where all records start."""
        reached = np.ones(len(self.given), np.bool_)
        return self.settled(_Place(0, 0, np.zeros(len(self.trees[0].classes)), reached))

    def settled(self, place: _Place) -> _Place:
        """Go on from leaves to the next tree, and past tests that only one branch can follow."""
        while True:
            tree = self.trees[place.tree]
            if tree.child[place.node] < 0:
                votes = place.votes + self.votes[place.tree][place.node]
                if place.tree + 1 == len(self.trees):
                    return replace(place, votes=votes, decided=True)
                place = replace(place, tree=place.tree + 1, node=0, votes=votes)
                continue
            total = self.decided(place)
            if total is not None:
                return replace(place, votes=total, decided=True)
            open_to = _open(tree, place.node, place.allowed)
            if len(open_to) > 1:
                return place
            ((kid, _),) = open_to
            place = replace(place, node=kid)

    def decided(self, place: _Place) -> Floats | None:
        """Return the votes of a case of this place if all its cases elect the same class."""
        if not self.is_small:
            return None
        begin = self.starts[place.tree]
        starts = self.starts[place.tree :] - begin
        reached, given = place.reached[begin:], self.given[begin:]
        sizes = np.diff([*starts, len(given)])
        first = [
            start + int(reached[start : start + size].argmax())
            for start, size in zip(starts, sizes, strict=True)
        ]
        total: Floats = place.votes + given[first].sum(0)
        winner = int(total.argmax())
        leads = np.where(reached[:, None], given[:, [winner]] - given, np.inf)
        least = place.votes[winner] - place.votes + np.minimum.reduceat(leads, starts).sum(0)
        least[winner] = np.inf
        return total if least.min() > LEAD else None

    def kids(self, place: _Place) -> list[_Place]:
        """Return the places below a test; a branch that is closed keeps its place, as a leaf."""
        if place.decided:
            return []
        tree = self.trees[place.tree]
        attribute = int(tree.attribute[place.node])
        open_to = dict(_open(tree, place.node, place.allowed))
        kids = []
        for kid in tree.children(place.node):
            below = replace(place, node=kid)
            if kid in open_to:
                allowed = open_to[kid]
                below = replace(below, allowed=allowed)
                if self.is_small:
                    meeting = (self.taking[attribute] & allowed[attribute]).any(1)
                    below = replace(below, reached=place.reached & meeting)
            kids.append(self.settled(below))
        return kids


def grafted(trees: Sequence[Tree], votes: Sequence[Floats]) -> Tree:
    """Return a tree that predicts what the trees elect.

    ``votes`` gives, for each tree, what each of its nodes gives to each class; a leaf's label is
    the class with most votes, the first of several. Its counts are the votes of one of its cases:
    all elect the same class. Branches that no code can take are left out: numbers between two
    neighbouring codes may be read otherwise than by trees whose borders differ there. All trees
    must have the same codings.
    """
    first = trees[0]
    voters = _Voters(trees, votes)
    places = [voters.root()]
    parent, child = [-1], []
    at = 0
    while at < len(places):
        kids = voters.kids(places[at])
        child.append(len(places) if kids else -1)
        places += kids
        parent += [at] * len(kids)
        at += 1
        if len(places) > MOST_NODES:
            message = f"The forest has too many trees and leaves: together more than {MOST_NODES:,}"
            hint = (
                "score it on plain records, or learn fewer or smaller trees, with n_estimators=5 "
            )
            hint += "or max_depth=4; each of its trees can be measured too, from estimators_."
            raise MethodError(f"{message} cases.", hint=hint)
    inner = [at for at in range(len(places)) if child[at] >= 0]
    nodes = len(places)
    attribute, branches = np.full(nodes, -1), np.zeros(nodes, np.int64)
    threshold, around = np.full(nodes, np.nan), np.full((nodes, 2), np.nan)
    routes: list[NDArray[np.int16] | None] = [None] * nodes
    for at in inner:
        tree, node = trees[places[at].tree], places[at].node
        attribute[at], branches[at] = tree.attribute[node], tree.branches[node]
        threshold[at], around[at] = tree.threshold[node], tree.around[node]
        routes[at] = tree.routes[node]
    said = np.array([place.votes for place in places])
    said[inner] = 0.0  # of a test, what its cases give together
    for at in range(nodes - 1, 0, -1):
        said[parent[at]] += said[at] if child[parent[at]] >= 0 else 0.0
    blank = np.full(said.shape, np.nan)
    return Tree(
        codings=first.codings,
        classes=first.classes,
        target=first.target,
        parent=np.array(parent),
        attribute=attribute,
        child=np.array(child),
        branches=branches,
        threshold=threshold,
        around=around,
        routes=tuple(routes),
        counts=said,
        errors=blank,
        label=np.round(said, 12).argmax(1),
        gain=np.zeros(nodes),
        z=np.where(np.array(child) >= 0, np.nan, 0.0),
        size_errors=blank[:, 0],
    )


def _leaf_boxes(tree: Tree) -> list[Allowed]:
    """Return, for each leaf in their order, the codes of each attribute tested that can come."""
    boxes: dict[int, Allowed] = {}
    waiting: list[tuple[int, Allowed]] = [(0, {})]
    while waiting:
        node, allowed = waiting.pop()
        if tree.child[node] < 0:
            boxes[node] = allowed
            continue
        attribute = int(tree.attribute[node])
        nothing = {**allowed, attribute: np.zeros(tree.codings[attribute].size, np.bool_)}
        open_to = dict(_open(tree, node, allowed))
        waiting += [(kid, open_to.get(kid, nothing)) for kid in tree.children(node)]
    return [boxes[int(leaf)] for leaf in tree.leaves]


def _open(tree: Tree, node: int, allowed: Allowed) -> list[tuple[int, Allowed]]:
    """Return the branches of a test that some allowed code can take, and the codes then allowed.

    A code whose cell the threshold cuts can take either.
    """
    attribute = int(tree.attribute[node])
    coding, route = tree.codings[attribute], tree.routes[node]
    coming = allowed.get(attribute, np.ones(coding.size, np.bool_))
    inside = np.zeros(coding.size, np.bool_)
    if coding.lower is not None and coding.upper is not None:
        threshold = tree.threshold[node]
        cut = (np.asarray(coding.lower) < threshold) & (threshold < np.asarray(coding.upper))
        inside[: coding.known] = cut
    opened = []
    for kid in tree.children(node):
        taken = coming & ((route == kid - tree.child[node]) | inside)
        if taken.any():
            opened.append((kid, {**allowed, attribute: taken}))
    return opened
