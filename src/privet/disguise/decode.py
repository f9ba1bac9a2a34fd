"""Turning a tree of monotone-disguised records back into one of original values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.coding import Coding
from privet.errors import TreeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats, Mask
    from privet.disguise.monotone_key import AttributeKey, Key
    from privet.tree import Tree

__all__ = ["decode_tree"]


def decode_tree(tree: Tree, key: Key) -> Tree:
    """Return the tree with its thresholds in original values: the same partition of the records.

    The two values that a threshold lies between are decoded, and the new threshold is their
    middle: turning back the threshold itself fails where it lies between two pieces. Where an
    attribute was reversed, the two children change places.

    Examples
    --------
    >>> import tempfile, privet as pv
    >>> from privet.disguise.monotone_key import Key
    >>> table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    >>> schema = schema.with_attributes([schema["age"], schema["salary"], schema["group"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = pv.Monotone(key=f"{folder}/key").disguise(table, schema, seed=1)
    ...     key = Key.read(f"{folder}/key")
    >>> model = pv.TreeClassifier(max_depth=2).fit(release)
    >>> pv.decode_tree(model.tree_, key).codings[0].name
    'age'
    """
    for coding in tree.codings:
        if coding.name not in key:
            message = f"The key has no function for {coding.name!r}, which the tree reads."
            raise TreeError(message, hint="take the key that was written with the release.")
    around = tree.around.copy()
    threshold = tree.threshold.copy()
    swapped = np.zeros(tree.nodes, np.bool_)
    for node in np.flatnonzero(tree.attribute >= 0):
        law = key[tree.codings[tree.attribute[node]].name]
        if not np.isfinite(tree.threshold[node]):
            continue  # missing or not: no number is compared
        around[node] = _pair(law, tree.around[node])
        threshold[node] = around[node, 0] / 2 + around[node, 1] / 2
        swapped[node] = law.reversed
    codings, routes = _coded(tree, key, threshold)
    return _renumbered(
        replace(tree, threshold=threshold, around=around, codings=codings, routes=routes), swapped
    )


def _pair(law: AttributeKey, around: Floats) -> Floats:
    """Return the two original values, smaller first, that a threshold lies between."""
    pieces = law.places(around)
    below, above = (0, 1) if not law.reversed else (1, 0)
    if pieces[0] == pieces[1] and not law.keeps_order(int(pieces[0])):
        message = f"A threshold of {law.name!r} lies inside a piece that was reversed or permuted."
        hint = "mine with min_impurity_decrease above 0 and no least leaf size, "
        hint += "or disguise with anti=False."
        raise TreeError(message, hint=hint)
    values = law.decode(around)
    pair = np.array([values[below], values[above]])
    low, high = int(pieces[below]), int(pieces[above])
    if low != high and not law.keeps_order(low):
        pair[0] = law.pieces[low].most
    if low != high and not law.keeps_order(high):
        pair[1] = law.pieces[high].least
    return pair


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


def _renumbered(tree: Tree, swapped: Mask) -> Tree:
    """Return the tree with the children of some nodes in the other order."""
    order = [0]
    for node in order:  # grows while it is walked: breadth first
        kids = tree.children(node)
        order += reversed(kids) if swapped[node] else kids
    return tree.take(order)
