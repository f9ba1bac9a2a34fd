"""Pruning: taking back splits that are not worth it.

Growing looks one split ahead, but some first splits gain nothing until a second one is made. So
where splits are uncertain the grower goes on past them, and what did not pay is cut here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.tree.tree import Tree

__all__ = ["cut", "prune_unsure"]


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
