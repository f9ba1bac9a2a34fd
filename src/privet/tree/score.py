"""A tree's accuracy about the originals, measured on disguised records it did not grow on."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.coding import Coding
from privet.errors import DataError, MethodError, TreeError
from privet.estimate.complemented import ComplementedEvidence
from privet.estimate.weighted import WeightedEvidence

if TYPE_CHECKING:
    from privet.coding import Box
    from privet.release import Release
    from privet.tree.tree import Tree

__all__ = ["Accuracy", "accuracy"]


class Accuracy(NamedTuple):
    """An estimated share of originals classified rightly, and its standard error.

    The error is that of the disguise, with the originals fixed; it is zero for plain records.
    It is the accuracy of the tree that takes every cell whole, on the side of its centre: cells do
    not tell on which side of a threshold inside them a record lies. ``cut`` is the share of
    originals in cells that a threshold cuts. The tree itself, which plain records go through by
    its thresholds, is at most so far off.
    """

    value: float
    error: float
    cut: float = 0.0

    def interval(self, z: float = 1.959963984540054) -> tuple[float, float]:
        """Return the 95 % interval, or another by its normal quantile."""
        return self.value - z * self.error, self.value + z * self.error

    def doubt(self) -> str:
        """Say what cut cells leave open; nothing if there are none."""
        if not self.cut:
            return ""
        share = f"{100 * self.cut:.1f} %"
        return f"Cells that thresholds cut are taken whole; {share} of the originals lie in them."


def accuracy(tree: Tree, release: Release) -> Accuracy:
    """Estimate a tree's accuracy on the originals of a release.

    The release must not be the one the tree was grown from: split it first.
    """
    if not release.rows:
        message = "The release has no records."
        raise DataError(message)
    if tuple(release.schema.classes) != tree.classes or release.schema.target != tree.target:
        message = f"The release's class is not the tree's ({tree.target!r})."
        raise TreeError(message, hint="score the tree on a release of the same schema.")
    if any(channel.numbers for part in release.parts for channel in part.channels):
        message = "Accuracy is measured by inverting channels, and added noise cannot be inverted."
        raise MethodError(message, hint="score the tree on plain records.")
    for coding in tree.codings:
        _check(coding, release)
    tree = _at_thresholds(tree, release)
    evidence = (
        WeightedEvidence(release.parts, tree.codings, tree.target, tree.classes)
        if release.universe is None
        else ComplementedEvidence(release, tree.codings)
    )
    leaves = tree.leaves
    boxes = tree.boxes
    right, variance = evidence.correct([boxes[leaf] for leaf in leaves], tree.label[leaves])
    error = math.sqrt(max(0.0, variance)) / evidence.rows
    cut = _cut(tree)
    if not cut:
        return Accuracy(right / evidence.rows, error)
    classes = np.tile(np.arange(len(tree.classes)), len(cut))
    inside, _ = evidence.correct([box for box in cut for _ in tree.classes], classes)
    return Accuracy(right / evidence.rows, error, min(1.0, max(0.0, inside / evidence.rows)))


def _cut(tree: Tree) -> list[Box]:
    """Return the cells that thresholds cut, each inside the box of its node."""
    boxes = []
    for node in np.flatnonzero(np.isfinite(tree.threshold)).tolist():
        coding, threshold = tree.codings[tree.attribute[node]], tree.threshold[node]
        if coding.lower is not None and coding.upper is not None:
            inside = (coding.lower < threshold) & (threshold < coding.upper)
            if inside.any():
                mask = np.concatenate([inside, np.zeros(int(coding.missing), np.bool_)])
                boxes.append(tree.boxes[node].narrowed(coding.name, mask))
    return boxes


def _at_thresholds(tree: Tree, release: Release) -> Tree:
    """Return the tree with exact numbers coded by its own thresholds.

    A number between two cells that the tree was grown on may be coded to the side that its
    threshold does not send it to; cells that end at the thresholds cannot.
    """
    codings, routes = list(tree.codings), list(tree.routes)
    for place, coding in enumerate(tree.codings):
        if release.codings[coding.name] is not None:
            continue
        nodes = np.flatnonzero(tree.attribute == place)
        cuts = np.unique(tree.threshold[nodes])
        cuts = cuts[np.isfinite(cuts)]
        missing = release.schema[coding.name].missing == "category"
        cells = Coding.cells(
            coding.name, [-np.inf, *cuts], [*cuts, np.inf], missing=missing or coding.missing
        )
        codings[place] = cells
        for node in nodes:
            last = np.searchsorted(cuts, tree.threshold[node])
            routes[node] = (np.arange(cells.size) > last).astype(np.int16)
    return replace(tree, codings=tuple(codings), routes=tuple(routes))


def _check(coding: Coding, release: Release) -> None:
    if coding.name not in release.schema:
        message = f"The tree tests {coding.name!r}, which is not in the release."
        raise TreeError(message)
    held = release.codings[coding.name]
    if held is None:
        if not coding.ordered:
            message = f"The tree takes {coding.name!r} for categories, the release for numbers."
            raise TreeError(message)
        return
    same = held.values == coding.values and held.size == coding.size
    if same and held.ordered and coding.ordered:
        same = np.array_equal(held.edges, coding.edges)
    if not same:
        message = f"The release codes {coding.name!r} otherwise than the tree."
        raise TreeError(
            message, hint="disguise the test records with the plan of the training ones."
        )
