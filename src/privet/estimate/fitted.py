"""Fitted evidence: joint tables of a node's attributes, estimated by EM.

A node's table of one attribute comes from the joint table of the attributes on its path, that
attribute and the class. Each such set of attributes is counted once and fitted once, whatever
the number of nodes that ask for it: trees use few attributes, so sets are few. It needs no
inverse, so it serves channels that have none (band, noise), and every record speaks in every table.

A set is capped: beyond ``MOST`` attributes only those already on the path are offered. Where one
table holds all attributes that an earlier tree chose, every node looks at that one.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.channel import CoarseNoise
from privet.coding import Box
from privet.compiled import in_threads
from privet.estimate.attributes import ATTRIBUTE_Z, MIXED, in_one_table, sure_attributes
from privet.estimate.base import Evidence, unit
from privet.estimate.crossed import errors_by_cost
from privet.estimate.fitted_frontier import FittedFrontier, TableFrontier
from privet.estimate.fitted_table import SPLIT_Z, Fitted
from privet.estimate.joints import MOST_CELLS, JointTables
from privet.estimate.parted import halved
from privet.estimate.settle import settled
from privet.split.counted import CountTables, offsets_of
from privet.tree.prune import by_chance, cut, prune_unsure, worth_their_cost

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Mask, Value
    from privet.estimate.joint import Joint
    from privet.release import Part
    from privet.split.scored import Splits
    from privet.tree import Tree

__all__ = ["FittedEvidence"]

MOST_CHOSEN, MOST_CHOSEN_CELLS = 5, 1 << 18  # where few attributes were chosen
WHOLE_CELLS, WHOLE_STEP = 1 << 21, 2  # of one table for all: cells by classes, codes of a group
SETTLED_CELLS = 1 << 19  # of one table of all attributes that a tree tests, for its thresholds
BLURRED = 0.3  # the pace below which noise leaves only what is smooth
BOXES = 16  # nodes that a thread looks at in one go
SMALLER = 0.1  # leaves along a slanting border: yet smaller ones take time, for 0.2 points at most
FAINT = 0.05  # of the surest split: what an attribute may seem sure of where noise blurs all


class FittedEvidence(JointTables, Evidence):
    """Evidence of a release of one part by joint tables fitted by EM.

    ``refined`` keeps the attributes that a first tree tests surely. Where one table holds all of
    them, code by code, every node looks at that one and no split has to be sure: there the many
    small splits of a slanting border count. How many errors a split has to save is what half of the
    records say of trees from the other half; so is whether another attribute pays.

    Another attribute may matter only deep in the tree, where the tables of the first one did not
    reach. Where one seems to, or one table cannot hold the chosen ones, a second tree looks at them
    in larger tables, path by path: no chosen attribute has to be sure there, and nodes that still
    err much look at the others too, which have to be as sure as the chosen ones once were. One
    table of fewer attributes takes its place if its tree errs less (``attributes``).
    """

    tests_splits = True

    def __init__(
        self, part: Part, codings: Sequence[Coding], target: str, classes: Sequence[Value]
    ) -> None:
        super().__init__(part, codings, target, classes)
        self._places = {coding.name: place for place, coding in enumerate(codings)}
        self._mixed: dict[Hashable, bool] = {}  # boxes that were asked about
        # Errors that a split in one table for all has to save; None: splits are judged later.
        self._cost: float | None = 1.0
        self.errors = math.inf  # of trees from one table for all, by halves; until they are asked
        self._left_out = -1  # an attribute of the one table for all that is not tested; -1: none
        self.attribute_z, self.split_z = ATTRIBUTE_Z, SPLIT_Z

    def narrowed(self, grown: Callable[[Evidence], Tree]) -> FittedEvidence:
        """Return evidence of the attributes that a first tree tests surely, or itself."""
        first = grown(self)
        least = self.attribute_z
        if self.is_blurred and first.nodes > 1:  # what the tables miss of one shows at others
            least = math.hypot(least, FAINT * float(first.z.max()))
        sure = sure_attributes(first, self.price, least)
        return self.limited(sure) if sure else self

    def refined(self, grown: Callable[[Evidence], Tree]) -> FittedEvidence:
        """Return evidence of the attributes that earlier trees test, in one table if it can be."""
        return in_one_table(self, grown)

    def together(self, places: Iterable[int]) -> FittedEvidence | None:
        """Return evidence of some attributes in one table; None if that is too large."""
        places = tuple(sorted(places))
        return self.limited(places)._in_one_table(places)  # noqa: SLF001

    def in_small_table(self, places: Iterable[int]) -> FittedEvidence | None:
        """Return evidence in one small table, as coarse as it has to be; None if there is none."""
        places = tuple(sorted(places))
        other = self.limited(places)
        other._most, other._most_cells = len(places), MOST_CELLS  # noqa: SLF001
        other.whole, other.split_z = places, 0.0
        return other if other._step(places) else None  # noqa: SLF001

    def saved_by(self, place: int, grown: Callable[[Evidence], Tree], least: float = 0.0) -> float:
        """Return how many errors an attribute of the one table saves, by halves of the records.

        Whoever tells all cells apart errs least; where even that could not save more than
        ``least``, nothing is tried and 0 returned.
        """
        halves = self.halves()
        without = tuple(map(copy, halves))
        for half in without:
            half._left_out = place  # noqa: SLF001
        errors = self._fewest_errors(without, grown)
        tables = [half._joints[self.whole].table for half in halves]  # noqa: SLF001
        fewest = sum(float(table.sum() - table.max(-1).sum()) for table in tables)
        return 0.0 if errors - fewest <= least else errors - self._fewest_errors(halves, grown)

    def _fewest_errors(
        self, halves: tuple[FittedEvidence, ...], grown: Callable[[Evidence], Tree]
    ) -> float:
        first, second = halves
        return min(errors_by_cost((first, second), grown, self.rows).values())

    def priced(self, grown: Callable[[Evidence], Tree]) -> FittedEvidence:
        """Return the same evidence with the errors that a split has to save.

        ``errors`` is how many are left then, by halves of the records.
        """
        other = copy(self)
        errors = errors_by_cost(self.halves(), grown, self.rows)
        other._cost = min(errors, key=lambda cost: errors[cost])  # noqa: SLF001
        other.errors = errors[other._cost]  # noqa: SLF001
        return other

    def limited(self, places: Iterable[int]) -> FittedEvidence:
        """Return the same evidence of chosen attributes only, in larger tables."""
        other = copy(self)
        chosen = tuple(sorted(places))
        other._most, other._most_cells = MOST_CHOSEN, MOST_CHOSEN_CELLS  # noqa: SLF001
        other._joints = self._alone()  # noqa: SLF001
        other.offered, other._mixed = frozenset(chosen), {}  # noqa: SLF001
        other.attribute_z = 0.0
        return (self.is_blurred and other._in_one_table(chosen)) or other  # noqa: SLF001

    def _in_one_table(self, places: Iterable[int]) -> FittedEvidence | None:
        """Return the same evidence, all of whose nodes look at one table; None if it is too large.

        It shows every code; where noise blurs all, pairs of them do.
        """
        whole, cells = tuple(sorted(places)), WHOLE_CELLS // len(self.classes)
        if self._step(whole, cells) not in range(1, (WHOLE_STEP if self.is_blurred else 1) + 1):
            return None
        other = copy(self)
        other.whole, other._most_cells, other.split_z = whole, cells, 0.0  # noqa: SLF001
        other._slanting = whole  # noqa: SLF001
        other._joints = self._alone()  # noqa: SLF001
        if not self.is_blurred:  # noise blurs borders, and halves see no more of them than the blur
            other._joints.pop(whole, None)  # noqa: SLF001
        return other

    def _alone(self) -> dict[tuple[int, ...], Joint]:
        """Return the tables of one attribute each."""
        return {axes: joint for axes, joint in self._joints.items() if len(axes) < 2}

    def halves(self) -> tuple[FittedEvidence, FittedEvidence]:
        """Return evidence of a random half of the records, and of the other, in their one table.

        All that is asked of records is how many there are in each cell of it, so dividing counts is
        dividing records. Both are fitted as far as the table of all records, so that chance shows
        in them as it does there; where outputs are seen in pairs, so are cells.
        """
        joint = self.joints([self.whole])[self.whole]
        pairs = zip(self.whole, joint.views, strict=True)
        views = tuple(self._view(place, seen.step) for place, seen in pairs)
        start = self._start(self.whole, views, joint.observed)
        first, second = copy(self), copy(self)
        for half, observed in zip((first, second), halved(joint.observed), strict=True):
            table = self._fitted(self.whole, views, observed, joint.steps, start)
            half._joints = {**self._joints, self.whole: table}  # noqa: SLF001
            half._cost = None  # noqa: SLF001
        return first, second

    def table_of(self, places: tuple[int, ...]) -> Joint | None:
        """Return the joint table of some attributes, as finely as a table shows so many."""
        other = copy(self)
        other._most = max(other._most, len(places))  # noqa: SLF001
        other._most_cells = max(other._most_cells, SETTLED_CELLS)  # noqa: SLF001
        other.offered = other.offered.union(places)
        return other.joints([places]).get(places)

    def counts(self, box: Box, places: tuple[int, ...]) -> Floats:
        """Return how many records of each class are in a box, by a table that was fitted."""
        joint = self._joints[places]
        masks = tuple(box.mask(self.codings[at].name, self.codings[at].size) for at in places)
        counts: Floats = joint.views[0].inside(masks[0]) @ joint.within(masks, 0)
        return counts

    def pruned(self, tree: Tree) -> Tree:
        """Cut subtrees that do not pay: in likelihood, or in errors where nothing has to be sure.

        Where no attribute is known to matter, a tree that chance may have grown is cut to a leaf. A
        first split that is sure stays, though it may save no errors: both sides may lean the same
        way by different shares.
        """
        if self.whole and self._cost is None:
            return tree
        if self.whole:
            stays = worth_their_cost(tree, self._cost or 0.0)
            stays[0] |= self._is_sure(tree)
            return cut(tree, stays)
        if self.attribute_z and self._is_chance(tree):
            return cut(tree, np.zeros(tree.nodes, np.bool_))
        return prune_unsure(tree, self.price)

    @property
    def price(self) -> float:
        """What a split must bring to stay, as a z; more where chance is fitted fast.

        z² of a split that means nothing is χ² with as many degrees of freedom as classes, less one;
        it must pass at the level that ``split_z`` is for two classes.
        """
        from scipy.special import chdtri

        level = math.erfc(self.split_z / math.sqrt(2))
        usual = math.sqrt(chdtri(len(self.classes) - 1, level))
        return max(self.split_z * self.pace, usual)

    def _is_sure(self, tree: Tree) -> bool:
        """Whether the first split is as sure as those that choose attributes."""
        route = tree.routes[0]
        if route is None:
            return False
        estimate = self.estimate(Box(), int(tree.attribute[0]))
        return estimate.likelihood_z(route) >= ATTRIBUTE_Z

    def _is_chance(self, tree: Tree) -> bool:
        """Whether chance alone may have brought the surest split."""
        return not self.is_exact and float(tree.z.max()) ** 2 < by_chance(tree)

    def _measured(self, tree: Tree) -> Tree:
        """Return the tree with what nobody asked as it grew: how sure splits and counts are."""
        z, errors, sizes = tree.z.copy(), tree.errors.copy(), tree.size_errors.copy()
        for node in np.flatnonzero(tree.child >= 0).tolist():
            route, kids = tree.routes[node], tree.children(node)
            if route is not None:
                estimate = self.estimate(tree.boxes[node], int(tree.attribute[node]))
                errors[kids], sizes[kids], _ = estimate.leads(route, tree.counts[kids])
                z[node] = estimate.likelihood_z(route) if self.whole else z[node]
        return replace(tree, z=z, errors=errors, size_errors=sizes)

    def settled(self, tree: Tree, *, inside: bool = True) -> Tree:
        """Return the tree with thresholds of disguised numbers inside cells, or else its errors.

        A single tree is measured on its release later.
        """
        return settled(tree, self) if inside else self._measured(tree)

    @cached_property
    def is_blurred(self) -> bool:
        """Whether numbers are disguised by noise alone, and by much of it.

        Nothing finer than noise is wide shows in a fitted table, neither chance nor truth.
        """
        disguised = [place for place in range(len(self.codings)) if self.is_disguised(place)]
        channels = [self.part.channel(self.codings[place].name) for place in disguised]
        noisy = bool(channels) and all(isinstance(channel, CoarseNoise) for channel in channels)
        return noisy and float(np.median(self._paces[disguised])) < BLURRED

    @property
    def least_leaf(self) -> float:
        """How many records a leaf has to hold, so that none stands for what chance did to a cell.

        Few numbers say where a slanting border runs: chance does nothing to single cells there.
        """
        steps = self.joints([self.whole])[self.whole].steps if self.whole else None
        return self._least_leaf * (SMALLER if steps is not None and steps.slants else 1.0)

    def root(self) -> FittedFrontier:
        """Return the frontier of the root, whose box is everything."""
        return self.at([Box()])

    def split(
        self, frontier: FittedFrontier, splits: Splits, keep: NDArray[np.bool_]
    ) -> FittedFrontier:
        """Return the boxes of kept children."""
        return self.at(splits.boxes(frontier.boxes, self.codings, keep))

    def at(self, boxes: list[Box]) -> FittedFrontier:
        """Count and fit the sets of attributes that boxes need and nobody needed before."""
        alone = ((place,) in self._joints for place in range(len(self.codings)))
        if self.whole in self._joints and all(alone):  # all there is to ask for
            return TableFrontier(self, boxes)
        wanted = {
            axes
            for box in boxes
            for place in range(len(self.codings))
            if (axes := self._set(box, place)) is not None
        }
        self._fit(sorted({(place,) for axes in wanted for place in axes}))
        self._fit(sorted(wanted))
        return (TableFrontier if self.whole else FittedFrontier)(self, boxes)

    @property
    def tested(self) -> tuple[int, ...]:
        """The attributes of the one table for all that may be tested."""
        return tuple(place for place in self.whole if place != self._left_out)

    def tables(self, boxes: Sequence[Box]) -> CountTables:
        """Return what the one table for all says at some nodes of attributes that may be tested."""
        every = [self.codings[place] for place in self.whole]
        codings = [self.codings[place] for place in self.tested]
        joint = self._joints[self.whole]

        def inside(some: Sequence[Box]) -> Floats:
            masks = [np.array([box.mask(c.name, c.size) for box in some]) for c in every]
            pairs = zip(self.whole, joint.margins(masks), strict=True)
            return np.concatenate([margin for at, margin in pairs if at != self._left_out], axis=1)

        batches = [boxes[at : at + BOXES] for at in range(0, len(boxes), BOXES)]
        none = np.zeros((0, sum(coding.size for coding in codings), len(self.classes)))
        fitted = np.concatenate([none, *in_threads(inside, batches)])
        units = unit(self.rows, 1.0)
        counts = np.rint(fitted * units).astype(np.int64)
        return CountTables(counts, offsets_of(codings), 1.0 / units)

    def _set(self, box: Box, place: int) -> tuple[int, ...] | None:
        """Return the attributes of an attribute's table at a node, or None if they are too many."""
        path = {self._places[name] for name in box.masks}
        if place not in self.offered and place not in path and not self._is_mixed(box):
            return None if path else (place,)
        places = tuple(sorted({*path, place, *self.whole}))
        return places if len(places) == 1 or place in path or self._step(places) else None

    def _is_mixed(self, box: Box) -> bool:
        """Whether a node errs for so many records that attributes not chosen are looked at too."""
        path = tuple(sorted(self._places[name] for name in box.masks))
        if self.whole or path not in self._joints:
            return False
        if box.key not in self._mixed:
            counts = self.counts(box, path)
            errors = counts.sum() - counts.max()
            self._mixed[box.key] = bool(errors >= MIXED * self.rows)
        return self._mixed[box.key]

    def offers(self, box: Box, place: int) -> bool:
        """Whether there is a table of an attribute at a node."""
        return self._set(box, place) is not None

    def can_pay(self, counts: Floats) -> Mask:
        """Whether nodes with such counts err for as many records as a split has to save.

        A first tree is grown for what is worth a table of its own.
        """
        least = 0.0
        if self.whole:
            least = 1.0 if self._cost is None else self._cost
        elif self.attribute_z:
            least = MIXED * self.rows
        pays: Mask = counts.sum(-1) - counts.max(-1) >= least
        return pays

    def estimate(self, box: Box, place: int) -> Fitted:
        """Return the table of one attribute at one node."""
        coding = self.codings[place]
        places = self._set(box, place)
        if places is None:
            return Fitted(np.zeros((coding.size, len(self.classes))), split_z=self.split_z)
        joint = self._joints[places]
        masks = tuple(box.mask(self.codings[each].name, self.codings[each].size) for each in places)
        own = places.index(place)
        if place not in self.offered and not box.masks:  # nothing but how many there are
            total = joint.observed.sum(0)
            mean = np.zeros((coding.size, len(self.classes)))
            mean[0] = total if self._labels is None else np.maximum(self._labels @ total, 0.0)
            return Fitted(mean, self._labels, joint, masks, own, self.split_z)
        table = joint.within(masks, own)
        mean = joint.views[own].fine(table) * masks[own][:, None]
        least = 0.0 if place in self.offered else ATTRIBUTE_Z
        return Fitted(mean, self._labels, joint, masks, own, self.split_z, least)
