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
    from privet.release import Release
    from privet.tree.tree import Tree

__all__ = ["Accuracy", "accuracy"]


class Accuracy(NamedTuple):
    """An estimated share of originals classified rightly, and its standard error.

    The error is that of the disguise, with the originals fixed; it is zero for plain records.
    """

    value: float
    error: float

    def interval(self, z: float = 1.959963984540054) -> tuple[float, float]:
        """Return the 95 % interval, or another by its normal quantile."""
        return self.value - z * self.error, self.value + z * self.error


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
    return Accuracy(right / evidence.rows, math.sqrt(max(0.0, variance)) / evidence.rows)


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
