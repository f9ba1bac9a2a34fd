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
            return _balanced(every, whole, grown)
    second = grown(closer)
    tested = np.flatnonzero(_worth(second)).tolist()
    whole = every.together(tested) if tested else None
    if whole is None:
        return _fewer(every, closer, grown)
    return _balanced(every, whole.priced(grown), grown)


def _balanced(every: FittedEvidence, whole: FittedEvidence, grown: Grown) -> FittedEvidence:
    """Return evidence in one table without attributes that do not pay, or with others that do."""
    lighter = _lightened(every, whole, grown)
    return _widened(every, whole, grown) if lighter is whole else lighter


def _lightened(every: FittedEvidence, whole: FittedEvidence, grown: Grown) -> FittedEvidence:
    """Return evidence in one table without the attribute that matters least, while that pays.

    It has to pay by what halves of the records say of each other's trees, which are from fewer
    records than there are, and by what trees from all records say of themselves.
    """
    if len(whole.whole) < 2:
        return whole
    worth = _worth(grown(whole))
    least = min(whole.whole, key=lambda place: worth[place])
    fewer = every.together([place for place in whole.whole if place != least])
    if fewer is None:
        return whole
    fewer = fewer.priced(grown)
    pays = whole.errors - fewer.errors > _worth_looking_for(every.rows)
    pays = pays and _errs_less(grown(fewer), grown(whole))
    return _lightened(every, fewer, grown) if pays else whole


def _fewer(every: FittedEvidence, closer: FittedEvidence, grown: Grown) -> FittedEvidence:
    """Return evidence in one table of as many attributes as fit, if its tree errs less.

    Those that matter least to a tree of all of them, path by path, are left out.
    """
    paths = grown(closer)
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
    """Return evidence in one table of more attributes, as long as another one pays.

    Two attributes may say much together and next to nothing alone. So each is tried in a small
    table together with those of ``whole``.
    """
    best, gain = whole, _worth_looking_for(every.rows)
    least = gain / 8  # errors among half of the records: a quarter of what has to be saved
    for place in sorted({*range(len(every.codings))} - {*whole.whole}):
        places = (*whole.whole, place)
        larger, small = every.together(places), every.in_small_table(places, least)
        if larger is not None and small is not None:
            saved = small.saved_by(place, grown, gain)
            best, gain = (larger, saved) if saved > gain else (best, gain)
    return whole if best is whole else _widened(every, best.priced(grown), grown)


def _worth_looking_for(rows: int) -> float:
    """Return how many errors an attribute has to save, or cost, by the other half of the records.

    More than are worth looking for, and more than two standard errors of a count of all records.
    """
    return max(MIXED * rows, 2 * math.sqrt(rows))


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
