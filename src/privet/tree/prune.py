"""Pruning: taking back splits that are not worth it.

Growing looks one split ahead, but some first splits gain nothing until a second is made. So
where splits are uncertain the grower goes on past them, and what did not pay is cut here.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from privet.coding import Floats, Mask
    from privet.tree.tree import Tree

__all__ = [
    "by_chance",
    "cut",
    "is_chance",
    "is_worth_telling",
    "more_errors",
    "prune_errors",
    "prune_leaves",
    "prune_unsure",
    "worth_their_cost",
]

# The risk of a tree of more than a leaf where the class hangs on nothing: below the twentieth that
# is meant, because counts of a fitted table look surer than they are. 896 of 900 tables of pure
# chance gave a single leaf (coverage --grown --chance 100 --seed 5512).
CHANCE = 0.02


def cut(tree: Tree, stays: Mask) -> Tree:
    """Return the tree in which only tests marked by ``stays`` remain; others become leaves."""
    kept, level = [], [0]
    while level:  # level by level, so that children stay neighbours
        kept += level
        level = [kid for node in level if stays[node] for kid in tree.children(node)]
    return tree.take(kept)


def prune_unsure(tree: Tree, least: float) -> Tree:
    """Cut each subtree whose splits together are not sure enough.

    A split brings z² / 2 of log-likelihood and costs ``least``² / 2; a subtree stays if what it
    brings is more than what it costs. Splits of exact counts (z infinite) always stay.
    """
    if (tree.z[tree.child >= 0] > least).all():
        return tree
    worth = np.zeros(tree.nodes)
    for node in range(tree.nodes - 1, -1, -1):
        if tree.child[node] >= 0:
            below = sum(worth[kid] for kid in tree.children(node))
            worth[node] = max(0.0, tree.z[node] ** 2 - least**2 + below)
    return tree if (worth[tree.child >= 0] > 0).all() else cut(tree, worth > 0)


def by_chance(tree: Tree, risk: float = CHANCE) -> float:
    """Return the z² that chance gives the surest test of a tree with this risk.

    z² of a test that means nothing is χ² with as many degrees of freedom as classes, less one; the
    surest of all cuts of all nodes is so by Bonferroni's bound.
    """
    from scipy.special import chdtri

    cuts = sum(coding.size - 1 for coding in tree.codings)
    return float(chdtri(len(tree.classes) - 1, risk / (cuts * tree.nodes)))


def is_chance(tree: Tree, risk: float = CHANCE) -> bool:
    """Whether chance alone may have brought all tests, of disguise and of sampling together.

    ``tree`` has its z over the disguise (``privet.estimate.measured``). A gain goes with the square
    of what tells branches apart, so that z errors of it are z + √(z² + 1) errors of that; counts
    tell what sampling adds, by Pearson's χ².
    """
    surest = 0.0
    for node in np.flatnonzero((tree.child >= 0) & np.isfinite(tree.z)).tolist():
        counts = np.maximum(tree.counts[list(tree.children(node))], 0.0)
        even = counts.sum(1, keepdims=True) * counts.sum(0) / max(counts.sum(), 1e-300)
        sampled = ((counts - even) ** 2 / np.maximum(even, 1e-300)).sum()
        disguised = (tree.z[node] + np.hypot(tree.z[node], 1.0)) ** 2
        surest = max(surest, 1.0 / (1.0 / disguised + 1.0 / max(sampled, 1e-300)))
    return 0.0 < surest < by_chance(tree, risk)


def prune_leaves(tree: Tree, most: int) -> Tree:
    """Keep the splits that gain most, each after the split above it, up to so many leaves.

    Growing best-first until there are enough leaves gives the same tree: what a node's split gains
    does not depend on the others.
    """
    worth = tree.gain * np.maximum(tree.counts, 0.0).sum(1)
    stays = np.zeros(tree.nodes, np.bool_)
    waiting, leaves = [0], 1
    while waiting:
        node = max(waiting, key=lambda node: (worth[node], -node))
        waiting.remove(node)
        more = int(tree.branches[node]) - 1
        if tree.child[node] >= 0 and leaves + more <= most:
            stays[node] = True
            leaves += more
            waiting += tree.children(node)
    return tree if stays[tree.child >= 0].all() else cut(tree, stays)


def worth_their_cost(tree: Tree, cost: ArrayLike) -> Mask:
    """Say which nodes stay divided where a leaf costs as much as ``cost`` errors.

    Of several costs: nodes × costs.
    """
    counts = np.maximum(tree.counts, 0.0)
    wrong = counts.sum(1) - counts[np.arange(tree.nodes), tree.label]
    least = np.add.outer(wrong, np.asarray(cost))
    stays = np.zeros(least.shape, np.bool_)
    for node in np.flatnonzero(tree.child >= 0)[::-1].tolist():
        below = least[tree.children(node)].sum(0)
        stays[node] = below < least[node]
        least[node] = np.minimum(below, least[node])
    return stays


def more_errors(rows: ArrayLike, errors: ArrayLike, confidence: float) -> Floats:
    """Return how many errors more than were seen leaves may make (Quinlan, 1993).

    The upper bound of a binomial share at ``confidence``, less the share seen, times ``rows``;
    exact for no errors, by the normal approximation from one error on, linear in between.

    >>> [round(float(more_errors(n, 0, 0.25)) / n, 3) for n in (6, 9, 1)]
    [0.206, 0.143, 0.75]
    """
    n, seen = np.broadcast_arrays(np.asarray(rows, np.float64), np.asarray(errors, np.float64))
    z = NormalDist().inv_cdf(1.0 - confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        none = n * (1.0 - confidence ** (1.0 / n))
        wrong = np.maximum(seen, 1.0)
        share = (wrong + 0.5) / n
        spread = z * np.sqrt(share * (1.0 - share) / n + z * z / (4 * n * n))
        bound = n * (share + z * z / (2 * n) + spread) / (1.0 + z * z / n) - wrong
        bound = np.where(wrong + 0.5 >= n, np.maximum(n - wrong, 0.0), bound)
        more = np.where(seen < 1, none + np.maximum(seen, 0.0) * (bound - none), bound)
    return np.where(n > 0, more, 0.0)


def prune_errors(tree: Tree, confidence: float) -> Tree:
    """Cut each subtree that is not expected to make fewer errors than a leaf in its place.

    First those that make no fewer on the records they were grown from, then, from below, those
    whose leaves' bounds (``more_errors``) together are not a tenth of a record below the leaf's.
    Subtrees are not raised: the tree is all that is looked at, and records are not moved again.
    """
    counts = np.maximum(tree.counts, 0.0)
    rows = counts.sum(1)
    errors = rows - counts[np.arange(tree.nodes), tree.label]
    bound = errors + more_errors(rows, errors, confidence)
    stays = tree.child >= 0
    above = tree.parent[1:][~stays[1:]]  # of leaves
    below = np.bincount(above, errors[1:][~stays[1:]], tree.nodes).tolist()
    hoped = np.bincount(above, bound[1:][~stays[1:]], tree.nodes).tolist()
    tests = np.flatnonzero(stays)[::-1]
    parts = (tests, tree.parent[tests], errors[tests], bound[tests])
    for node, parent, seen, best in zip(*(part.tolist() for part in parts), strict=True):
        worth = below[node] < seen - 1e-3 and hoped[node] < best - 0.1
        stays[node] = worth
        if node:
            below[parent] += min(below[node], seen)
            hoped[parent] += hoped[node] if worth else best
    return tree if stays[tests].all() else cut(tree, stays)


def is_worth_telling(tree: Tree) -> bool:
    """Whether a tree, or the best part of it, and the classes by it are told in fewer bits.

    The principle of minimum description length: the classes of a leaf are told by the code of
    Krichevsky and Trofimov (1981), a test by its attribute and which of its cuts. A tree that was
    grown from chance is longer than the plain list of classes.
    """
    from scipy.special import gammaln

    counts = np.maximum(tree.counts, 0.0)
    classes = counts.shape[1]
    code = gammaln(counts.sum(1) + classes / 2) - gammaln(classes / 2)
    code -= (gammaln(counts + 0.5) - gammaln(0.5)).sum(1) - np.log(2)  # a leaf, not a test
    alone = code[0]
    for node in np.flatnonzero(tree.child >= 0)[::-1].tolist():
        coding = tree.codings[tree.attribute[node]]
        cuts = np.log(max(1, coding.size - 1))
        if not coding.ordered:  # any part of the categories may go either way
            cuts = (coding.size - 1) * np.log(2) if tree.branches[node] == 2 else 0.0
        told = float(code[tree.children(node)].sum()) + np.log(2 * len(tree.codings)) + cuts
        code[node] = min(code[node], told)
    return bool(code[0] < alone)
