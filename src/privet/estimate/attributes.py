"""Which attributes share one table: those of a first tree, or fewer, or more.

In one table of all attributes that matter no single split has to be sure. But a table that holds an
attribute too many is fitted to more chance, or is too large; one that lacks an attribute sees
nothing of it. So trees from half of the records, with an attribute and without it, are judged by
the other half.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privet.estimate.believed import believed
from privet.estimate.coder import Coder
from privet.estimate.routed import WalkedEvidence
from privet.estimate.suspects import seems_to_divide

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.coding import Floats
    from privet.estimate.base import Evidence
    from privet.estimate.fitted import FittedEvidence
    from privet.tree import Tree

    Grown = Callable[[Evidence], Tree]

__all__ = ["in_one_table", "sure_attributes"]

# A first tree is grown to see which attributes ever split so surely: among many nodes and cuts
# chance reaches a few standard errors for any attribute.
ATTRIBUTE_Z = 4.5
# Of all records: where a node errs for fewer, an attribute that no other node was sure of is not
# looked for. It could bring no more than that.
MIXED = 0.005


def sure_attributes(tree: Tree, price: float, least: float) -> list[int]:
    """Return the attributes that a tree tests so surely that chance is no reason.

    Tests of one attribute count together: each brings its z² and costs ``price``², and together
    they must reach what a single test has to, a z of ``least``.
    """
    tests = tree.child >= 0
    brought = np.zeros(len(tree.codings))
    np.add.at(brought, tree.attribute[tests], np.maximum(tree.z[tests] ** 2 - price**2, 0.0))
    sure: list[int] = np.flatnonzero((brought > 0) & (brought >= least**2 - price**2)).tolist()
    return sure


def in_one_table(every: FittedEvidence, grown: Grown) -> FittedEvidence:
    """Return evidence of the attributes that matter, in one table if that can hold them."""
    closer = every.narrowed(grown)
    if closer is every or every.is_exact:
        return closer
    whole = every.together(closer.offered)
    if whole is not None:
        whole = whole.priced(grown)
        if closer.whole or not _overlooks(closer, grown(whole)):
            return _widened(every, whole, grown)
    paths = grown(closer)
    tested = np.flatnonzero(_worth(paths)).tolist()
    other = every.together(tested) if tested else None
    if other is None:
        return _fewer(every, closer, paths, grown)
    other = other.priced(grown)
    fewest = other if whole is None or other.errors < whole.errors else whole
    return _widened(every, fewest, grown)


def _fewer(
    every: FittedEvidence, closer: FittedEvidence, paths: Tree, grown: Grown
) -> FittedEvidence:
    """Return evidence in one table of as many attributes as fit, if its tree errs less.

    Those that matter least to ``paths``, a tree of all of them path by path, are left out.
    """
    worth = _worth(paths)
    places = sorted(np.flatnonzero(worth).tolist(), key=lambda place: -worth[place])
    whole = None
    while whole is None and len(places) > 2:
        places.pop()
        whole = every.together(places)
    if whole is None:
        return closer
    whole = whole.priced(grown)
    return whole if _errs_less(grown(whole), paths) else closer


def _widened(every: FittedEvidence, whole: FittedEvidence, grown: Grown) -> FittedEvidence:
    """Return evidence in one table of more attributes, as long as trees err less with another.

    Two attributes may say much together and next to nothing alone. So each is tried in a small
    table together with those of ``whole``, and the one that saves most there in one of all. What is
    no more than a standard error of the number of errors is not looked for. Where noise blurs all,
    halves are blurred alike, and an attribute has to save what a node is looked at for.
    """
    gain = MIXED * every.rows if every.is_blurred else math.sqrt(whole.errors)
    best = whole
    for place in sorted({*range(len(every.codings))} - {*whole.whole}):
        places = (*whole.whole, place)
        larger, small = every.together(places), every.in_small_table(places)
        if larger is not None and small is not None:
            saved = small.saved_by(place, grown, gain)
            best, gain = (larger, saved) if saved > gain else (best, gain)
    if best is whole:
        return whole
    best = best.priced(grown)
    return _widened(every, best, grown) if best.errors < whole.errors else whole


def _worth(tree: Tree) -> Floats:
    """Return by how much the tests of each attribute decrease the impurity of all records."""
    worth = np.zeros(len(tree.codings))
    tests = tree.child >= 0
    np.add.at(worth, tree.attribute[tests], (tree.gain * tree.counts.sum(1))[tests])
    return worth


def _errs_less(tree: Tree, other: Tree) -> bool:
    """Whether a tree errs for so many records less, by its own counts, that it is worth looking."""
    errors = [float(counts.sum() - counts.max(1).sum()) for counts in map(_leaves, (tree, other))]
    return errors[1] - errors[0] > MIXED * float(tree.counts[0].sum())


def _leaves(tree: Tree) -> Floats:
    return tree.counts[tree.leaves]


def _overlooks(closer: FittedEvidence, tree: Tree) -> bool:
    """Whether an attribute that was not chosen may divide a leaf that errs much."""
    wrong = tree.counts.sum(1) - tree.counts.max(1)
    leaves = [leaf for leaf in tree.leaves.tolist() if wrong[leaf] >= MIXED * closer.rows]
    others = [place for place in range(len(closer.codings)) if place not in closer.offered]
    coder = Coder(closer.codings, closer.target, len(closer.classes))
    released = WalkedEvidence(believed(closer.part), coder, closer.classes)
    return seems_to_divide(released, tree, leaves, others, ATTRIBUTE_Z)
