"""Errors that cover: what a release itself says of each node of a tree, whatever grew it.

A tree may be grown by any method; what its counts are worth is asked of the release again. Every
node is a box of cells, and the number of originals in a box is estimated without bias by inverse
weights, with a variance that is known (``estimate.weigher``). Where a threshold lies inside a cell
the originals of the node are at least those of the cells that lie in it whole, and at most those of
the cells it touches: the interval reaches from the lower end of the one to the upper end of the
other. A number stands with its error where half the interval is below the node's count, both the
method's and the measured one; elsewhere the method's own number stays, and its error is not known
from this release.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.coding import Box, Coding
from privet.compiled import single_products
from privet.errors import MethodError
from privet.estimate.distribution import project
from privet.estimate.flattered import SIDE, reach
from privet.estimate.merged import in_own_cells
from privet.estimate.weigher import Weigher
from privet.estimate.weighted import WeightedEvidence, WeightedFrontier
from privet.split.criterion import criterion
from privet.split.scored import roots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.release import Release
    from privet.split.criterion import Criterion
    from privet.table import Batch
    from privet.tree.tree import Tree

__all__ = ["Z", "at_thresholds", "cut_cells", "measured"]

Z = 1.959963984540054  # of a 95 % interval
# How far beyond "this test tells nothing" an interval reaches where chance may have chosen a test,
# in standard errors: what is true of a table's records is seldom just nothing. F1, `naive`, 200
# disguises: 14 of 67 numbers hold in less than 93 % of the intervals with 0.5, two with 0.75.
BEYOND = 0.75


class _Counts(NamedTuple):
    """Class counts of boxes without bias, and their covariances: boxes × classes (× classes)."""

    mean: Floats
    covariance: Floats

    def deviations(self, coefficients: Floats) -> Floats:
        """Return the standard error of each box's sum of counts with its coefficients."""
        variance = np.einsum("bc,bcd,bd->b", coefficients, self.covariance, coefficients)
        return roots(variance, self.mean.sum(1))


def measured(
    tree: Tree,
    release: Release,
    policy_criterion: str = "gini",
    *,
    grown_here: bool = True,
    least_z: float = 0.0,
) -> Tree:
    """Return a tree with its counts estimated again, and with errors that cover, where known.

    Errors are over the disguise, with the originals fixed. Where a group of attributes cannot be
    inverted, additive noise say, nothing is known of the nodes it leads to. Class probabilities and
    labels stay those that were learned. A tree that was ``grown_here``, on the same release, was
    chosen by the same noise: errors of classes and their shares are wider below tests that chance
    may have chosen (``_chosen``). ``least_z`` is how many standard errors the gain of a test had to
    be above zero, by the estimates that measure it; where it had to be, the best of several cuts is
    taken for as good as halves of the records would have it (``flattered``).

    >>> import numpy as np, privet as pv
    >>> schema = pv.datasets.schema("as-f1", bins=6)
    >>> table = pv.datasets.load("as-f1", rows=5_000, seed=1)
    >>> release = pv.RandomSubstitution(gamma=20, bins=6).disguise(table, schema, seed=2)
    >>> tree = measured(pv.TreeClassifier(method="naive", max_depth=1).fit(release).tree_, release)
    >>> bool((tree.size_errors[1:] > 0).all())
    True
    """
    if release.universe is not None or not _has_chance(release):
        return tree
    if release.unbounded is not None:
        return tree.unmeasured()
    own = at_thresholds(tree, release)
    try:
        parts, more = in_own_cells(release)
        weighers = [Weigher(part, own.codings, own.target, len(own.classes)) for part in parts]
    except MethodError:
        return tree.unmeasured()
    readable = frozenset.intersection(*(weigher.readable for weigher in weighers))
    purity = criterion(policy_criterion)
    measuring = _Measuring(own, weighers, readable, purity, more)
    filled = measuring.filled(tree, least_z if grown_here else None)
    if more == 1.0 or any(part.channel(tree.target) is not None for part in release.parts):
        return filled
    filled.counts[0], filled.errors[0] = _class_counts(release, tree), 0.0  # plain in all parts
    return filled


def _class_counts(release: Release, tree: Tree) -> Floats:
    """Return how many records of all parts are of each class, where the class is plain."""
    target, classes = tree.target, len(tree.classes)

    def work(batch: Batch) -> tuple[NDArray[np.int64], ...]:
        return (np.bincount(batch.columns[target], minlength=classes),)

    counted = [part.table.count(work)[0] for part in release.parts]
    total: Floats = np.sum(counted, axis=0, dtype=np.float64)
    return total


def _has_chance(release: Release) -> bool:
    if release.unbounded is not None:
        return True
    channels = [channel for part in release.parts for channel in part.channels]
    return any(channel.numbers or channel.entropy() > 0 for channel in channels)


class _Measuring:
    """The nodes of a tree, measured by the weighers of a release's parts."""

    def __init__(
        self,
        tree: Tree,
        weighers: Sequence[Weigher],
        readable: frozenset[str],
        purity: Criterion,
        more: float,
    ) -> None:
        self.tree = tree
        self.weighers = weighers
        self.purity = purity
        self.more = more
        inner, outer = _bounds(tree)
        self.seen = np.array([set(box.masks) <= readable for box in tree.boxes])
        self.nodes = np.flatnonzero(self.seen)
        self.centre = [tree.boxes[node] for node in self.nodes]
        place: dict[object, int] = {}
        boxes: list[Box] = []
        self.places = np.empty((3, len(self.nodes)), np.int64)
        for kind, every in enumerate((tree.boxes, inner, outer)):
            for at, node in enumerate(self.nodes.tolist()):
                key = every[node].key
                if key not in place:
                    place[key] = len(boxes)
                    boxes.append(every[node])
                self.places[kind, at] = place[key]
        self.counts = self._counts(boxes)

    def _counts(self, boxes: Sequence[Box]) -> _Counts:
        classes = len(self.tree.classes)
        mean = np.zeros((len(boxes), classes))
        self.weighed = np.zeros_like(mean)  # whichever way parts count
        covariance = np.zeros((len(boxes), classes, classes))
        for weigher in self.weighers:
            first, second = weigher.sums(boxes)
            labels = weigher.labels
            own = first @ labels.T
            mean += weigher.sign * own
            self.weighed += own
            covariance += np.einsum("co,bo,do->bcd", labels, second, labels)
            covariance -= own[:, :, None] * np.eye(classes)
        return _Counts(self.more * mean, self.more**2 * covariance + self._sampling(mean))

    def _sampling(self, mean: Floats) -> Floats | float:
        """Return the covariances of counts of a random sample, scaled up to all records."""
        if self.more == 1.0:
            return 0.0
        rows = sum(weigher.rows for weigher in self.weighers)
        shares = np.clip(mean / rows, 0.0, 1.0)
        spread = shares[:, :, None] * np.eye(shares.shape[1]) - shares[:, :, None] * shares[:, None]
        scaled: Floats = self.more * rows * (self.more - 1.0) * spread
        return scaled

    def _of(self, kind: int) -> _Counts:
        places = self.places[kind]
        return _Counts(self.counts.mean[places], self.counts.covariance[places])

    def filled(self, tree: Tree, least_z: float | None) -> Tree:
        """Return the tree with what was measured; ``least_z`` is None if it grew elsewhere."""
        rows = max(float(tree.counts[0].sum()), 1.0)
        size = np.full(tree.nodes, np.nan)  # half of an interval, over Z
        errors = np.full(tree.errors.shape, np.nan)
        share_errors = np.full(tree.nodes, np.nan)
        at, low, high = self._of(0), self._of(1), self._of(2)
        classes = len(tree.classes)
        each, every = np.eye(classes), np.ones((len(self.nodes), classes))
        size[self.nodes] = _half(at, low, high, every) / Z
        for code in range(classes):
            alone = np.broadcast_to(each[code], every.shape)
            errors[self.nodes, code] = _half(at, low, high, alone) / Z
        labels = tree.label[self.nodes]
        share_errors[self.nodes] = _share_half(at, low, high, each[labels]) / Z
        size[0] = 0.0
        learned = np.maximum(tree.counts, 0.0).sum(1)
        known = (Z * size < learned) & self.seen
        known[0] = True
        estimates = np.full(tree.counts.shape, np.nan)
        estimates[self.nodes] = at.mean
        counts = _between(tree, estimates, known)
        own = learned.copy()
        while (small := known & ~(Z * size < counts.sum(1)) & (np.arange(tree.nodes) > 0)).any():
            own[small] = (learned + counts.sum(1))[small] / 2  # the method said more than records
            known &= ~small
            counts = _between(tree, estimates, known)
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.where(own < learned, rows, 0.0)
            needed = np.ceil(np.maximum(rows * (Z * size / own) ** 2, least))
            needed = np.where(known, 0.0, needed)
        needed = np.where(np.isfinite(needed), needed, np.nan)
        more = np.ones(tree.nodes)
        if least_z is not None:
            more = _chosen(tree, self._contrasts(tree, known), least_z)
            if least_z > 0:
                more = np.maximum(more, self._flattered() / Z)
            errors *= more[:, None]
            share_errors *= more
        z, weight = self._tests(tree, known, more)
        hidden = ~known
        errors[hidden], size[hidden], share_errors[hidden] = np.nan, np.nan, np.nan
        return replace(
            tree,
            counts=counts,
            errors=errors,
            size_errors=size,
            z=z,
            chances=tree.shares,
            share_errors=share_errors,
            needed=needed,
            weight=weight,
        )

    def _tests(self, tree: Tree, known: NDArray[np.bool_], more: Floats) -> tuple[Floats, Floats]:
        """Return the z of tests, and importances of attributes with errors.

        ``more`` is by how much wider the errors of each node are because noise chose it: so is what
        the test above it adds to the errors of importances.
        """
        z = np.where(tree.child < 0, 0.0, np.nan)
        attributes = len(tree.codings)
        weight = np.full((attributes, 2), np.nan)
        tests = np.flatnonzero(tree.child >= 0)
        told = [node for node in tests.tolist() if known[[node, *tree.children(node)]].all()]
        if not told:
            return z, weight
        gains, slopes = self._gains(tree, told)
        total = gains.sum()
        sums = np.concatenate([slopes, np.zeros((attributes, *slopes.shape[1:]))])
        owner = tree.attribute[told]
        shares = np.bincount(owner, gains, attributes) / (total or 1.0)
        wide = slopes * more[tree.child[told], None, None]
        for place in range(attributes if total > 0 else 0):
            own = wide[owner == place].sum(0)
            sums[len(told) + place] = (own - shares[place] * wide.sum(0)) / total
        errors = self._deviations(sums)
        cut = self._cut_slack(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            z[told] = gains / (errors[: len(told)] + cut[: len(told)] / Z)
        z[np.isnan(z) & np.isin(np.arange(tree.nodes), told)] = 0.0
        if len(told) == len(tests) and total > 0:
            weight[:, 0] = shares
            weight[:, 1] = (errors + cut / Z)[len(told) :]
            weight[np.bincount(owner, minlength=attributes) == 0, 1] = 0.0
        return z, weight

    def _contrasts(self, tree: Tree, known: NDArray[np.bool_]) -> Floats:
        """Return by how many standard errors the classes of nodes differ from their parents'."""
        contrasts = np.full(tree.nodes, np.nan)
        compared = 1 + np.flatnonzero(known[1:] & known[tree.parent[1:]])
        if len(compared):
            apart, differences = self._differences(tree, compared)
            with np.errstate(divide="ignore", invalid="ignore"):
                contrasts[compared] = apart / self._deviations(differences)
        return contrasts

    def _differences(self, tree: Tree, compared: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return how many records of a class nodes hold beyond their share of the parent's.

        It is the class that differs most. The second are coefficients of each count of each box.
        Counts below zero are left as they are: cut off, they would hide what noise did.
        """
        place = np.full(tree.nodes, -1)
        place[self.nodes] = np.arange(len(self.nodes))
        node, parent = place[compared], place[tree.parent[compared]]
        mean, number = self._of(0).mean, np.arange(len(compared))
        size = mean[parent].sum(1, keepdims=True)
        portion = mean[node].sum(1, keepdims=True) / size
        apart = np.abs(mean[node] - portion * mean[parent])
        furthest = apart.argmax(1)
        member = np.eye(mean.shape[1])[furthest] - (mean[parent] / size)[number, furthest, None]
        coefficients = np.zeros((len(compared), *mean.shape))
        coefficients[number, node] = member
        coefficients[number, parent] = -portion * member
        return apart[number, furthest], coefficients

    def _gains(self, tree: Tree, told: Sequence[int]) -> tuple[Floats, Floats]:
        """Return what tests gain in all, and how that changes with each count of each box.

        Impurities of uncertain counts come out too low on average: by half the curvature times the
        covariance, which is put back.
        """
        at = self._of(0)
        place = np.full(tree.nodes, -1)
        place[self.nodes] = np.arange(len(self.nodes))
        impurity, slope = self.purity.impurity, self.purity.slope
        counts = np.maximum(at.mean, 0.0)
        values = impurity(counts)
        steep = slope(counts)
        step = np.maximum(counts.sum(1) * 1e-4, 1e-3)
        for code in range(counts.shape[1]):
            moved = counts.copy()
            moved[:, code] += step
            curve = (slope(moved) - steep) / step[:, None]
            values = values - 0.5 * np.einsum("bc,bc->b", curve, at.covariance[:, code])
        gains, slopes = np.zeros(len(told)), np.zeros((len(told), *at.mean.shape))
        for number, node in enumerate(told):
            gains[number] = values[place[node]]
            slopes[number, place[node]] += steep[place[node]]
            for kid in tree.children(node):
                gains[number] -= values[place[kid]]
                slopes[number, place[kid]] -= steep[place[kid]]
        return np.maximum(gains, 0.0), slopes

    def _flattered(self) -> Floats:
        """Return how far below its contrast the truth of each node may be, as its cut was the best.

        In standard errors. Whatever grew the tree took cuts by the same estimates that measure it.
        """
        tree = self.tree
        inner = np.flatnonzero(tree.child >= 0).tolist()
        cuts = [node for node in inner if tree.codings[tree.attribute[node]].ordered]
        parts = [weigher.part for weigher in self.weighers]
        evidence = WeightedEvidence(parts, tree.codings, tree.target, tree.classes)
        frontier = WeightedFrontier(evidence, [tree.boxes[node] for node in cuts])
        reached = np.full(tree.nodes, SIDE)
        with single_products():
            for place, node in enumerate(cuts):
                table = frontier.table(place, tree.codings[tree.attribute[node]].name)
                reached[list(tree.children(node))] = reach(table, self.purity)
        return reached

    def _deviations(self, sums: Floats) -> Floats:
        """Return the standard errors of sums over nodes and classes, sums × nodes × classes."""
        used = np.flatnonzero(sums.any((0, 2)))
        sums, boxes = sums[:, used], [self.centre[place] for place in used]
        variance = np.sum([weigher.squares(boxes, sums) for weigher in self.weighers], axis=0)
        # What all sums have in common where no other node is: of the records outside those below.
        within, rest = sums.copy(), self.weighed[self.places[0, used]]
        below: dict[int, int] = {}
        for place, node in enumerate(self.nodes[used].tolist()):
            up = int(self.tree.parent[node])
            while up >= 0 and up not in below:
                up = int(self.tree.parent[up])
            below[node] = place
            if up >= 0:
                within[:, place] += within[:, below[up]]
                rest[below[up]] -= self.weighed[self.places[0, used[place]]]
        variance = variance - np.einsum("kuc,uc->k", within**2, rest)
        deviations: Floats = self.more * np.sqrt(np.maximum(variance, 0.0))
        return deviations

    def _cut_slack(self, sums: Floats) -> Floats:
        """Return by how much cut cells can move sums over nodes and classes."""
        at, low, high = (np.maximum(self._of(kind).mean, 0.0) for kind in range(3))
        most = np.maximum(np.maximum(at - low, high - at), 0.0)
        slack: Floats = np.einsum("kbc,bc->k", np.abs(sums), most)
        return slack


def _chosen(tree: Tree, contrasts: Floats, least_z: float) -> Floats:
    """Return by how much wider the errors of each node are because noise chose the test above it.

    A node is in the tree because the contrast of its classes with its parent's, in standard errors,
    passed a bound: twice what was asked of the gain, which goes with the contrast's square, and the
    largest contrast of all other ways to divide, here the median of what chance alone makes of as
    many. The interval of a normal number that passed a bound reaches lower: to the mean from which
    5 % of those that pass are as large (Zhong and Prentice, 2008). Noise cannot have added more
    than all of the contrast: ``BEYOND`` that the interval ends.
    """
    from scipy.special import log_ndtr, ndtri

    ways = [float(c.size - 1 if c.ordered else 2 ** min(c.size - 1, 60) - 1) for c in tree.codings]
    with np.errstate(divide="ignore"):
        others = np.log(0.5) / (len(ways) * np.maximum(ways, 1.0) - 1.0)
    chance = -ndtri(-np.expm1(others) / 2)
    parent = tree.parent[1:]
    bound = np.maximum(2.0 * least_z, chance[tree.attribute[parent]])
    contrast = np.where(np.isnan(contrasts[1:]), bound, contrasts[1:])
    contrast = np.minimum(contrast, bound + 10.0)  # chance has no part in what is larger
    low, high = np.full(len(contrast), -BEYOND), contrast
    for _ in range(40):
        middle = (low + high) / 2
        rare = log_ndtr(middle - contrast) < log_ndtr(middle - bound) + np.log(0.05)
        low, high = np.where(rare, middle, low), np.where(rare, high, middle)
    more: Floats = np.append(1.0, np.maximum((contrast - low) / Z, 1.0))  # nothing chose the root
    return more


def _half(at: _Counts, low: _Counts, high: _Counts, coefficients: Floats) -> Floats:
    """Return half of the interval round each box's sum, wide enough for what cut cells hold."""
    value = (coefficients * at.mean).sum(1)
    least = (coefficients * low.mean).sum(1) - Z * low.deviations(coefficients)
    most = (coefficients * high.mean).sum(1) + Z * high.deviations(coefficients)
    own = Z * at.deviations(coefficients)
    half: Floats = np.maximum(own, np.maximum(value - least, most - value))
    return half


def _share_half(at: _Counts, low: _Counts, high: _Counts, member: Floats) -> Floats:
    """Return half of the interval round the share of one class in each box."""
    counts, least, most = (np.maximum(estimate.mean, 0.0) for estimate in (at, low, high))
    total = np.maximum(counts.sum(1), 1e-300)
    share = (counts * member).sum(1) / total
    half = Z * at.deviations((member - share[:, None]) / total[:, None])
    low_class, high_class = (least * member).sum(1), (most * member).sum(1)
    low_rest, high_rest = least.sum(1) - low_class, most.sum(1) - high_class
    with np.errstate(divide="ignore", invalid="ignore"):
        bottom = np.nan_to_num(low_class / (low_class + high_rest))
        top = np.nan_to_num(high_class / (high_class + low_rest))
    whole = half + np.maximum(np.maximum(share - bottom, top - share), 0.0)
    bounded: Floats = np.minimum(whole, Z)  # over Z it is one: nothing is known
    return bounded


def _between(tree: Tree, estimates: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return the counts to be printed: none below zero, and no node's above its parent's.

    What is not known of a node's children is what those that are known leave of it.
    """
    counts = np.maximum(tree.counts, 0.0)
    counts[0] = project(estimates[0], float(estimates[0].sum()))
    for node in np.flatnonzero(tree.child >= 0).tolist():
        kids = np.array(tree.children(node))
        most = float(counts[node].sum())
        for kid in kids[known[kids]].tolist():
            size = float(np.clip(estimates[kid].sum(), 0.0, most))
            counts[kid] = project(estimates[kid], size)
        others = kids[~known[kids]]
        left, learned = most - counts[kids[known[kids]]].sum(), counts[others].sum()
        if left > 0 and learned > 0:
            counts[others] *= left / learned
        elif learned > most:
            counts[others] *= most / learned
    return counts


def _bounds(tree: Tree) -> tuple[list[Box], list[Box]]:
    """Return the boxes of cells that lie in each node whole, and that it touches at all."""
    inner, outer = [Box()], [Box()]
    for node in range(1, tree.nodes):
        parent = int(tree.parent[node])
        coding = tree.codings[tree.attribute[parent]]
        taken = tree.routes[parent] == node - tree.child[parent]
        inside = cut_cells(coding, float(tree.threshold[parent]))
        inner.append(inner[parent].narrowed(coding.name, taken & ~inside))
        outer.append(outer[parent].narrowed(coding.name, taken | inside))
    return inner, outer


def cut_cells(coding: Coding, threshold: float) -> NDArray[np.bool_]:
    """Return which cells a threshold cuts in two."""
    inside = np.zeros(coding.size, np.bool_)
    if coding.lower is not None and coding.upper is not None and np.isfinite(threshold):
        cut = (np.asarray(coding.lower) < threshold) & (threshold < np.asarray(coding.upper))
        inside[: coding.known] = cut
    return inside


def at_thresholds(tree: Tree, release: Release, trees: Sequence[Tree] = ()) -> Tree:
    """Return the tree with exact numbers coded by its own thresholds, and by those of ``trees``.

    A number between two cells that the tree was grown on may be coded to the side that its
    threshold does not send it to; cells that end at the thresholds cannot.
    """
    codings, routes = list(tree.codings), list(tree.routes)
    for place, coding in enumerate(tree.codings):
        if release.codings[coding.name] is not None:
            continue
        nodes = np.flatnonzero(tree.attribute == place)
        tested = [grown.threshold[grown.attribute == place] for grown in (tree, *trees)]
        cuts = np.unique(np.concatenate(tested))
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
