"""A tree's accuracy about the originals, measured on disguised records it did not grow on."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.coding import Box
from privet.errors import DataError, MethodError, TreeError
from privet.estimate.complemented import ComplementedEvidence
from privet.estimate.measured import at_thresholds, cut_cells
from privet.estimate.merged import in_own_cells
from privet.estimate.voted import Right, right
from privet.estimate.weigher import Weigher
from privet.estimate.weighted import WeightedEvidence
from privet.tree.diagram import Voters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Coding, Floats
    from privet.release import Release
    from privet.tree.tree import Tree

__all__ = ["Accuracy", "accuracy", "check_measurable", "vote_accuracy"]

MOST_REGIONS = 2_000  # of cells that several leaves may get; beyond, subtrees are not told apart


class Accuracy(NamedTuple):
    """An estimated share of originals classified rightly, and its standard error.

    The error is that of the disguise, with the originals fixed; it is zero for plain records.
    Cells do not tell on which side of a threshold inside them a record lies: there it counts as
    right by the odds that the tree itself gives a record of its class. ``cut`` is how far off that
    can be: the share of originals for which the sides of a cut cell decide between right and wrong.
    The interval is wide enough for that.

    The value has no bias, and so may lie past 0 or 1 where the error is large; ``words`` and the
    interval stop there. ``told`` says whether the interval leaves out anything at all.
    """

    value: float
    error: float
    cut: float = 0.0

    def interval(self, z: float = 1.959963984540054) -> tuple[float, float]:
        """Return the 95 % interval, or another by its normal quantile."""
        half = z * self.error + self.cut
        low, high = (min(max(self.value + side, 0.0), 1.0) for side in (-half, half))
        return low, high

    @property
    def told(self) -> bool:
        """Whether the records tell anything of the accuracy: the interval is not all of 0 to 1.

        >>> Accuracy(-6.54, 6.73).told, Accuracy(0.86, 0.05).told
        (False, True)
        """
        return self.interval() != (0.0, 1.0)

    def words(self, digits: int = 1) -> str:
        """Say the value, its error and its interval in per cent.

        >>> Accuracy(1.091, 0.161).words()
        '100.0 ± 16.1 % (95 % interval 77.5 to 100.0 %)'
        >>> Accuracy(0.859, 0.0).words()
        '85.9 %'
        """
        low, high = self.interval()
        value = 100 * min(max(self.value, 0.0), 1.0)
        error = f" ± {100 * self.error:.{digits}f}" if self.error else ""
        reach = f" (95 % interval {100 * low:.1f} to {100 * high:.1f} %)" if high > low else ""
        return f"{value:.{digits}f}{error} %{reach}"

    def doubt(self) -> str:
        """Say what the interval does not: that it is all there is, or what cut cells leave open."""
        if not self.told:
            text = "The release cannot tell this accuracy."
            return text + " Grow a shallower tree, or keep more records back to test on."
        if self.cut < 0.0005:  # less than the last digit that is printed
            return ""
        share = f"{100 * self.cut:.1f} %"
        text = "Cells do not tell on which side of a threshold inside them a record lies. That "
        text += f"decides between right and wrong for up to {share} of the originals; "
        return text + "the interval allows for it."


def accuracy(tree: Tree, release: Release) -> Accuracy:
    """Estimate a tree's accuracy on the originals of a release.

    The release must not be the one the tree was grown from: split it first.
    """
    _check_fits(tree, release)
    tree = at_thresholds(_fitting(tree, release), release)
    parts, _ = in_own_cells(release)
    evidence = (
        WeightedEvidence(parts, tree.codings, tree.target, tree.classes)
        if release.universe is None
        else ComplementedEvidence(release, tree.codings)
    )
    regions = _regions(tree)
    boxes = [region.box for region in regions]
    right = np.stack([region.right(tree) for region in regions])
    mean, variance = evidence.correct(boxes, right)
    counted, least, most = mean.tolist()
    return _shared(Right(counted, float(variance[0]), least, most), evidence.rows, release)


def vote_accuracy(trees: Sequence[Tree], votes: Sequence[Floats], release: Release) -> Accuracy:
    """Estimate the accuracy of what trees elect on the originals of a release.

    ``votes`` gives, for each tree, what each of its nodes gives to each class.
    """
    _check_fits(trees[0], release)
    fitting = [_fitting(tree, release) for tree in trees]
    fitting = [at_thresholds(tree, release, fitting) for tree in fitting]
    parts, _ = in_own_cells(release)
    tree = fitting[0]
    weighers = [Weigher(part, tree.codings, tree.target, len(tree.classes)) for part in parts]
    rows = sum(weigher.sign * weigher.rows for weigher in weighers)
    told = right(Voters(fitting, votes), weighers)
    return _shared(told, rows, release)


def _shared(told: Right, rows: int, release: Release) -> Accuracy:
    """Return estimated numbers of originals as shares of all."""
    value = told.counted / rows
    # A first wave's records are not looked at: the others are a sample of all.
    sampled = max(0.0, value * (1.0 - value)) * (1.0 / rows - 1.0 / release.rows)
    error = math.sqrt(max(0.0, told.variance) / rows**2 + max(0.0, sampled))
    cut = max(0.0, value - told.least / rows, told.most / rows - value)
    return Accuracy(value, error, min(1.0, cut))


def _check_fits(tree: Tree, release: Release) -> None:
    """Refuse a release that has no records, has another class or cannot be measured on."""
    if not release.rows:
        message = "The release has no records."
        raise DataError(message)
    if tuple(release.schema.classes) != tree.classes or release.schema.target != tree.target:
        message = f"The release's class is not the tree's ({tree.target!r})."
        raise TreeError(message, hint="score the tree on a release of the same schema.")
    check_measurable(release)


def check_measurable(release: Release) -> None:
    """Refuse a release whose records cannot tell how accurate a tree is, whatever the tree."""
    if any(channel.numbers for part in release.parts for channel in part.channels):
        message = "Accuracy is measured by inverting channels, and added noise cannot be inverted."
        raise MethodError(message, hint="score the tree on plain records.")
    if any(release.lacking(part) for part in release.parts):
        message = "Accuracy is measured by counting records by all tests of a path, and parts of "
        message += "this release lack attributes."
        raise MethodError(message, hint="score the tree on plain records.")


Span = dict[str, tuple[float, float]]  # what a path leaves of cut cells, by attribute


class _Region(NamedTuple):
    """Cells that go the same way, and the nodes that parts of them may go to.

    A cell that a threshold cuts belongs to both branches: each gets its share of the cell's width.
    """

    box: Box
    nodes: tuple[tuple[int, float, Span], ...]

    def right(self, tree: Tree) -> Floats:
        """Return by class how likely a record is right, whether it surely is, and may be."""
        classes = len(tree.classes)
        right, every = np.zeros(classes), np.zeros(classes)
        labels: set[int] = set()
        for node, width, _ in self.nodes:
            leaves = _leaves(tree, node)
            sizes = np.maximum(tree.counts[leaves].sum(1), 0.0) + 1e-9
            weights = width * (sizes / sizes.sum())[:, None] * (tree.shares[leaves] + 1e-9)
            every += weights.sum(0)
            np.add.at(right, tree.label[leaves], weights[range(len(leaves)), tree.label[leaves]])
            labels |= set(tree.label[leaves].tolist())
        maybe = np.isin(range(classes), list(labels)).astype(np.float64)
        sure = maybe * (len(labels) == 1)
        return np.stack([sure if len(labels) == 1 else right / every, sure, maybe], axis=1)


def _regions(tree: Tree) -> list[_Region]:
    """Return disjoint regions that cover all cells, each with the leaves it may belong to.

    Where they become too many, cut cells are not told apart any further: they belong to subtrees.
    """
    done: list[_Region] = []
    waiting = [_Region(Box(), ((0, 1.0, {}),))]
    while waiting:
        box, nodes = region = waiting.pop()
        tested = [at for at, (node, _, _) in enumerate(nodes) if tree.child[node] >= 0]
        crowded = len(nodes) > 1 and len(waiting) + len(done) > MOST_REGIONS
        if not tested or crowded:
            done.append(region)
            continue
        at = tested[0]
        test, width, span = nodes[at]
        others = (*nodes[:at], *nodes[at + 1 :])
        coding, threshold = tree.codings[tree.attribute[test]], float(tree.threshold[test])
        inside = cut_cells(coding, threshold)
        allowed = box.mask(coding.name, coding.size)
        for kid in tree.children(test):
            taken = (tree.routes[test] == kid - tree.child[test]) & ~inside
            if (taken & allowed).any():
                narrowed = box.narrowed(coding.name, taken)
                waiting.append(_Region(narrowed, (*others, (kid, width, span))))
        for cell in np.flatnonzero(inside & allowed).tolist():
            narrowed = box.narrowed(coding.name, np.arange(coding.size) == cell)
            sides = _sides(coding, cell, threshold, span)
            cut = tuple(
                (kid, width * share, {**span, coding.name: side})
                for kid, (share, side) in zip(tree.children(test), sides, strict=True)
                if share > 0
            )
            waiting.append(_Region(narrowed, (*others, *cut)))
    return done


def _sides(
    coding: Coding, cell: int, threshold: float, span: Span
) -> list[tuple[float, tuple[float, float]]]:
    """Return the shares of a cell below and above a threshold, and what they are left with.

    A cell without an end is halved.
    """
    edges = (float(np.asarray(coding.lower)[cell]), float(np.asarray(coding.upper)[cell]))
    low, high = span.get(coding.name, edges)
    at = min(max(threshold, low), high)
    below = (at - low) / (high - low) if np.isfinite(high - low) else 0.5
    return [(below, (low, at)), (1.0 - below, (at, high))]


def _leaves(tree: Tree, node: int) -> list[int]:
    """Return the leaves below a node, or the node itself."""
    leaves, waiting = [], [node]
    while waiting:
        below = waiting.pop()
        kids = tree.children(below)
        waiting += kids
        leaves += [] if kids else [below]
    return leaves


def _fitting(tree: Tree, release: Release) -> Tree:
    """Return the tree over the codings of a release, if it can be.

    Merged categories may differ, and so may cells, as they do between releases in two waves: a
    threshold inside a cell then sends it to the side of its centre.
    """
    codings = list(tree.codings)
    cut = []
    for place, coding in enumerate(tree.codings):
        if coding.name not in release.schema:
            message = f"The tree tests {coding.name!r}, which is not in the release."
            raise TreeError(message)
        other = release.codings[coding.name]
        if (other is None or other.ordered) != coding.ordered:
            words = ("numbers", "categories") if coding.ordered else ("categories", "numbers")
            message = f"The tree takes {coding.name!r} for {words[0]}, the release for {words[1]}."
            raise TreeError(message)
        if other is None:
            continue
        if other.ordered:
            same = other.size == coding.size and np.array_equal(other.edges, coding.edges)
            tested = tree.threshold[tree.attribute == place]
            if not same and other.missing == coding.missing and np.isfinite(tested).all():
                cut.append((place, other))
                continue
        else:
            same = coding.codes_of(other) is not None
            codings[place] = other
        if not same:
            message = f"The release codes {coding.name!r} otherwise than the tree."
            hint = "disguise the test records with the plan of the training ones."
            raise TreeError(message, hint=hint)
    fitting = tree.recoded(codings)
    for place, other in cut:
        fitting = _with_cells(fitting, place, other)
    return fitting


def _with_cells(tree: Tree, place: int, cells: Coding) -> Tree:
    """Return the tree with other cells of an attribute, each on the side of its centre."""
    codings, routes = list(tree.codings), list(tree.routes)
    codings[place] = cells
    centres = (np.asarray(cells.lower) + np.asarray(cells.upper)) / 2
    for node in np.flatnonzero(tree.attribute == place):
        above = (centres > tree.threshold[node]).astype(np.int16)
        route = tree.routes[node]
        missing = route[-1:] if cells.missing and route is not None else above[:0]
        routes[node] = np.append(above, missing).astype(np.int16)
    return replace(tree, codings=tuple(codings), routes=tuple(routes))
