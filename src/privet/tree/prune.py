"""Pruning: taking back splits that are not worth it.

Growing looks one split ahead, but some first splits gain nothing until a second one is made. So
where splits are uncertain the grower goes on past them, and what did not pay is cut here.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.tree.tree import Tree

__all__ = ["cut", "more_errors", "prune_errors", "prune_unsure"]


def cut(tree: Tree, stays: NDArray[np.bool_]) -> Tree:
    """Return the tree in which only tests marked by ``stays`` remain; others become leaves."""
    kept, old = [], [0]
    child = np.full(tree.nodes, -1)
    while old:  # level by level, so that children stay neighbours
        kept += old
        below: list[int] = []
        for node in old:
            if tree.child[node] >= 0 and stays[node]:
                child[node] = len(kept) + len(below)
                below += tree.children(node)
        old = below
    nodes = np.array(kept)
    number = np.full(tree.nodes, -1)
    number[nodes] = np.arange(len(nodes))
    parent = tree.parent[nodes]
    tests = child[nodes] >= 0
    return replace(
        tree,
        parent=np.where(parent >= 0, number[parent], -1),
        attribute=np.where(tests, tree.attribute[nodes], -1),
        child=child[nodes],
        branches=np.where(tests, tree.branches[nodes], 0),
        threshold=np.where(tests, tree.threshold[nodes], np.nan),
        around=np.where(tests[:, None], tree.around[nodes], np.nan),
        routes=tuple(tree.routes[node] if child[node] >= 0 else None for node in kept),
        counts=tree.counts[nodes],
        errors=tree.errors[nodes],
        label=tree.label[nodes],
        gain=np.where(tests, tree.gain[nodes], 0.0),
        z=np.where(tests, tree.z[nodes], 0.0),
    )


def prune_unsure(tree: Tree, least: float) -> Tree:
    """Cut each subtree whose splits together are not sure enough.

    A split brings z² / 2 of log-likelihood and costs ``least``² / 2; a subtree stays if what it
    brings is more than what it costs. Splits of exact counts (z infinite) always stay.
    """
    worth = np.zeros(tree.nodes)
    for node in range(tree.nodes - 1, -1, -1):
        if tree.child[node] >= 0:
            below = sum(worth[kid] for kid in tree.children(node))
            worth[node] = max(0.0, tree.z[node] ** 2 - least**2 + below)
    return tree if (worth[tree.child >= 0] > 0).all() else cut(tree, worth > 0)


def more_errors(rows: float, errors: float, confidence: float) -> float:
    """Return how many errors more than were seen a leaf may make (Quinlan, 1993).

    The upper bound of a binomial share at ``confidence``, less the share seen, times ``rows``;
    exact for no errors, by the normal approximation from one error on, linear in between.

    >>> [round(more_errors(n, 0, 0.25) / n, 3) for n in (6, 9, 1)]
    [0.206, 0.143, 0.75]
    """
    if rows <= 0:
        return 0.0
    if errors < 1:
        none: float = rows * (1.0 - math.exp(math.log(confidence) / rows))
        return none + (errors * (more_errors(rows, 1.0, confidence) - none) if errors > 0 else 0.0)
    if errors + 0.5 >= rows:
        return max(rows - errors, 0.0)
    z = NormalDist().inv_cdf(1.0 - confidence)
    share = (errors + 0.5) / rows
    spread = z * math.sqrt(share * (1.0 - share) / rows + z * z / (4 * rows * rows))
    bound = (share + z * z / (2 * rows) + spread) / (1.0 + z * z / rows)
    return rows * bound - errors


def prune_errors(tree: Tree, confidence: float) -> Tree:
    """Cut each subtree that is not expected to make fewer errors than a leaf in its place.

    First those that make no fewer on the records they were grown from, then, from below, those
    whose leaves' bounds (``more_errors``) together are not a tenth of a record below the leaf's.
    Subtrees are not raised: the tree is all that is looked at, and records are not moved again.
    """
    held = np.maximum(tree.counts, 0.0)
    rows = held.sum(1)
    wrong = rows - held[np.arange(tree.nodes), tree.label]
    seen, bound = wrong.copy(), wrong.copy()
    stays = tree.child >= 0
    for node in range(tree.nodes - 1, -1, -1):
        kids = tree.children(node)
        bound[node] += more_errors(float(rows[node]), float(wrong[node]), confidence)
        if not kids:
            continue
        below, hoped = sum(seen[kid] for kid in kids), sum(bound[kid] for kid in kids)
        stays[node] = below < wrong[node] - 1e-3 and hoped < bound[node] - 0.1
        if stays[node]:
            bound[node] = hoped
        seen[node] = min(below, wrong[node])
    return tree if stays[tree.child >= 0].all() else cut(tree, stays)
