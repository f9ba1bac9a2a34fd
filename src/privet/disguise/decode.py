"""Turning a tree of monotone-disguised records back into one of original values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.coding import Coding
from privet.errors import TreeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.disguise.monotone_key import AttributeKey, Key
    from privet.tree import Tree

__all__ = ["decode_tree"]


def decode_tree(tree: Tree, key: Key) -> Tree:
    """Return the tree with its thresholds in original values: the same partition of the records.

    The two values that a threshold lies between are decoded, and the new threshold is their
    middle: turning back the threshold itself fails where it lies between two pieces. Where an
    attribute was turned round, the two children change places.
    """
    for coding in tree.codings:
        if coding.name not in key:
            message = f"The key has no function for {coding.name!r}, which the tree reads."
            raise TreeError(message, hint="take the key that was written with the release.")
    around = tree.around.copy()
    threshold = tree.threshold.copy()
    swapped = np.zeros(tree.nodes, np.bool_)
    for node in np.flatnonzero(tree.attribute >= 0):
        held = key[tree.codings[tree.attribute[node]].name]
        if not np.isfinite(tree.threshold[node]):
            continue  # missing or not: no number is compared
        around[node] = _pair(held, tree.around[node])
        threshold[node] = around[node, 0] / 2 + around[node, 1] / 2
        swapped[node] = held.reversed
    codings, routes = _coded(tree, key, threshold)
    return _renumbered(
        replace(tree, threshold=threshold, around=around, codings=codings, routes=routes), swapped
    )


def _pair(held: AttributeKey, around: Floats) -> Floats:
    """Return the two original values, smaller first, that a threshold lies between."""
    pieces = held.places(around)
    below, above = (0, 1) if not held.reversed else (1, 0)
    if pieces[0] == pieces[1] and not held.keeps_order(int(pieces[0])):
        message = (
            f"A threshold of {held.name!r} lies inside a piece that was turned round or permuted."
        )
        hint = "mine with min_gain above 0 and no least leaf size, or disguise with anti=False."
        raise TreeError(message, hint=hint)
    values = held.decode(around)
    found = np.array([values[below], values[above]])
    low, high = int(pieces[below]), int(pieces[above])
    if low != high and not held.keeps_order(low):
        found[0] = held.pieces[low].most
    if low != high and not held.keeps_order(high):
        found[1] = held.pieces[high].least
    return found


def _coded(
    tree: Tree, key: Key, threshold: Floats
) -> tuple[tuple[Coding, ...], tuple[NDArray[np.int16] | None, ...]]:
    """Return codings whose cells end at the new thresholds, and the branches of their cells."""
    codings, routes = [], list(tree.routes)
    for place, coding in enumerate(tree.codings):
        nodes = np.flatnonzero(tree.attribute == place)
        cuts = np.unique(threshold[nodes])
        cuts = cuts[np.isfinite(cuts)]
        pieces = key[coding.name].pieces
        low, high = pieces[0].low, pieces[-1].high
        cells = Coding.cells(coding.name, [low, *cuts], [*cuts, high], missing=coding.missing)
        codings.append(cells)
        for node in nodes:
            last = (
                len(cuts)
                if not np.isfinite(threshold[node])
                else np.searchsorted(cuts, threshold[node])
            )
            routes[node] = (np.arange(cells.size) > last).astype(np.int16)
    return tuple(codings), tuple(routes)


def _renumbered(tree: Tree, swapped: NDArray[np.bool_]) -> Tree:
    """Return the tree with the children of some nodes in the other order."""
    order = [0]
    parent, child = [-1], []
    for new, old in enumerate(order):  # grows while it is walked: breadth first
        kids = list(tree.children(old))
        child.append(len(order) if kids else -1)
        order += reversed(kids) if swapped[old] else kids
        parent += [new] * len(kids)
    return replace(
        tree,
        parent=np.array(parent),
        attribute=tree.attribute[order],
        child=np.array(child),
        branches=tree.branches[order],
        threshold=tree.threshold[order],
        around=tree.around[order],
        routes=tuple(tree.routes[old] for old in order),
        counts=tree.counts[order],
        errors=tree.errors[order],
        label=tree.label[order],
        gain=tree.gain[order],
    )
