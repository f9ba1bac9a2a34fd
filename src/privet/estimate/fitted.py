"""Fitted evidence: joint tables of a node's attributes, estimated by EM.

A node's table of one attribute comes from the joint table of the attributes on its path, that
attribute and the class. Each such set of attributes is counted once and fitted once, whatever
the number of nodes that ask for it: trees use few attributes, so sets are few. It needs no
inverse, so it serves channels that have none (band, noise), and every record speaks in every table.

A set is capped: beyond ``MOST`` attributes only those already on the path are offered. Where one
table holds all attributes that earlier trees chose, every node looks at that one.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtri

from privet.channel import CoarseNoise
from privet.coding import Box
from privet.compiled import in_threads
from privet.errors import MethodError
from privet.estimate.base import BoxFrontier, Evidence
from privet.estimate.crossed import cost_of_a_split
from privet.estimate.em import Axis, em_up_to
from privet.estimate.joint import Joint
from privet.estimate.kernels import count_joint
from privet.estimate.settle import settled
from privet.estimate.view import LEAST_GROUPS, View, outputs_at, view
from privet.estimate.weighted import variances
from privet.split.candidates import best_split
from privet.split.tables import Linear, Screened, Written
from privet.tree.prune import cut, prune_needless, prune_unsure

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Value
    from privet.release import Part
    from privet.split.candidates import Candidates
    from privet.split.policy import Policy
    from privet.split.scored import Scored, Splits
    from privet.table import Batch, IntArrays
    from privet.tree import Tree

__all__ = ["Fitted", "FittedEvidence"]

MOST, MOST_CELLS = 3, 1 << 15  # attributes of a joint table, and cells of what is observed of them
MOST_CHOSEN, MOST_CHOSEN_CELLS = 5, 1 << 18  # where few attributes were chosen
STEPS, MOST_STEPS = 200, 400  # of plain EM at pace 1: as far as that chance is hardly fitted
WHOLE_CELLS, WHOLE_STEP = 1 << 21, 2  # of one table for all: cells by classes, codes of a group
CLEAR = 0.45  # of the fourth coarsest difference between codes, what a channel of pace 1 keeps
BLURRED = 0.3  # the pace below which noise leaves only what is smooth
# A split that brings z² / 2 of log-likelihood costs SPLIT_Z² / 2: the grower goes on past splits of
# half that z, and subtrees that do not pay are cut. The usual two standard errors.
SPLIT_Z = 2.0
# A first tree is grown to see which attributes ever split so surely: among many nodes and cuts
# chance reaches a few standard errors for any attribute.
ATTRIBUTE_Z = 4.5
# The risk of a tree of more than a leaf where the class hangs on nothing: well below the twentieth
# that is meant, because z² of a split of a fitted table is χ² only roughly.
CHANCE = 0.01
SURE = 3.0  # times ATTRIBUTE_Z, from which on nobody asks for a surer split
# Of all records: where a node errs for fewer, an attribute that no other node was sure of is not
# looked for. It could bring no more than that.
MIXED = 0.005
FAINT = 0.05  # of the surest split: what an attribute may seem sure of where noise blurs all


@dataclass(frozen=True, eq=False)
class Fitted(Linear):
    """A table of one attribute at one node, cut out of a fitted joint table.

    ``mean`` holds the fitted counts, values × classes; never negative. ``labels`` inverts the
    class's channel, None if there is none; ``masks`` is the node's box along the joint's axes.
    ``split_z`` is what a split has to bring, as ``SPLIT_Z``; 0 if none has to be sure. ``least_z``
    is how sure it has to be by itself.
    """

    mean: Floats
    labels: Floats | None = None
    joint: Joint | None = None
    masks: tuple[NDArray[np.bool_], ...] = ()
    own: int = 0
    split_z: float = SPLIT_Z
    least_z: float = 0.0

    def screened(
        self,
        branch: NDArray[np.int16],  # noqa: ARG002 - a split's likelihood is asked when it is chosen
        counts: Floats,
        gain: Floats,
        policy: Policy,  # noqa: ARG002 - the same
    ) -> Screened:
        """Let all candidates pass: ``written`` puts the chosen one to a sharper test."""
        return Screened(np.full(len(gain), np.inf), gain, np.ones(counts.shape[:2], np.bool_))

    def written(
        self, branch: NDArray[np.int16], counts: Floats, coding: Coding, z: float
    ) -> Written | None:
        """Ask how much likelier the split makes what was observed, less the price of its choices.

        A split costs ``split_z``² for two choices, where to divide and how the classes differ;
        every category beyond two, or every branch, is one choice more.
        """
        sure = np.zeros(len(counts), np.bool_)
        if self.split_z == 0:
            none = np.zeros_like(counts)
            return Written(z, none, none[:, 0], sure)
        z, errors, sizes = self.measured(branch, counts)
        if not coding.ordered:
            branches = len(counts)
            values = int(self.mean.any(1).sum()) if branches == 2 else branches
            z = math.sqrt(max(0.0, z**2 - (values - 2) * self.split_z**2 / 2))
        return None if z < max(self.split_z / 2, self.least_z) else Written(z, errors, sizes, sure)

    def measured(self, branch: NDArray[np.int16], counts: Floats) -> tuple[float, Floats, Floats]:
        """Return how likely a split is, as a z, and the errors of its counts and sizes."""
        return self.likelihood_z(branch), *self.leads(branch, counts)[:2]

    def variances(self, coefficients: Floats) -> Floats:
        """Return the variance of sums of cells in the linear estimate by left inverses.

        EM's is a bettered version of that one: an honest upper bound.
        """
        weights, squares = self._linear
        return variances(weights, self.labels, squares, self.mean, coefficients)

    @cached_property
    def _linear(self) -> tuple[Floats | None, Floats]:
        """The weights of the attribute's outputs, and what was observed by squared weights.

        Worked out when it is asked for: growing asks about chosen splits only.
        """
        if self.joint is None:
            return None, self.mean
        squares = self.joint.observed
        for axis in reversed(range(len(self.masks))):  # the last first, so that places stay right
            if axis != self.own:
                seen, mask = self.joint.views[axis], self.masks[axis]
                share = seen.inside(mask) if seen.inverse is None else mask @ seen.inverse
                squares = np.tensordot(share**2, squares, (0, axis))
        seen, inside = self.joint.views[self.own], self.masks[self.own][:, None]
        if seen.inverse is None:
            return None, squares * inside
        return seen.inverse * inside, squares

    def likelihood_z(self, branch: NDArray[np.int16]) -> float:
        """Return how much likelier what was observed is with a split than without, as a z."""
        return 0.0 if self.joint is None else self.joint.split_z(self.masks, self.own, branch)


class FittedEvidence(Evidence):
    """Evidence of a release of one part by joint tables fitted by EM.

    It is grown up to three times. ``refined`` keeps the attributes that a first tree tests surely
    and looks at them in larger tables. There no chosen attribute has to be sure. Another may matter
    only deep in the tree, where the tables of the first one did not reach: nodes that still err
    much look at it too, and it has to be as sure there as the chosen ones once were. Where one
    table holds all attributes of that second tree, cell by cell, every node looks at that one, and
    no split has to be sure: there the many small splits of a slanting border count. How many errors
    a split has to save is what half of the records say of trees from the other half.
    """

    tests_splits = True

    def __init__(
        self, part: Part, codings: Sequence[Coding], target: str, classes: Sequence[Value]
    ) -> None:
        self.codings = tuple(codings)
        self.classes = tuple(classes)
        self._part = part
        self._target = target
        self._axes = [_axis(part, coding) for coding in codings]
        self._places = {coding.name: place for place, coding in enumerate(codings)}
        self._class_axis = Axis.of(part.channel(target), len(classes))
        self._joints: dict[tuple[int, ...], Joint] = {}
        self._offered = frozenset(range(len(codings)))
        self._mixed: dict[Hashable, bool] = {}  # boxes that were asked about
        self.whole: tuple[int, ...] = ()  # attributes of the one table all nodes look at, if any
        self._cost: float | None = 1.0  # errors that a split in that table has to save; None: any
        self._most, self._most_cells = MOST, MOST_CELLS
        self.attribute_z, self.split_z = ATTRIBUTE_Z, SPLIT_Z

    def narrowed(self, grown: Callable[[Evidence], Tree]) -> FittedEvidence:
        """Return evidence of the attributes that a first tree tests surely, or itself."""
        first = grown(self)
        least = self.attribute_z
        if self.is_blurred and first.nodes > 1:  # what the tables miss of one shows at others
            least = math.hypot(least, FAINT * float(first.z.max()))
        sure = np.unique(first.attribute[first.z >= least])
        return self.limited(sure.tolist()) if len(sure) else self

    def refined(self, grown: Callable[[Evidence], Tree]) -> FittedEvidence:
        """Return evidence of the attributes that earlier trees test, in one table if it can be."""
        closer = self.narrowed(grown)
        if closer is self or closer.whole or self._is_exact:
            return closer
        second = grown(closer)
        tested = tuple(np.unique(second.attribute[second.child >= 0]).tolist())
        cells = WHOLE_CELLS // len(self.classes)
        if not tested or closer._step(tested, cells) != 1:  # noqa: SLF001
            return closer
        whole = self.limited(tested)._in_one_table(tested, cells)  # noqa: SLF001
        whole._cost = cost_of_a_split(whole.halves(), grown, self._part.table.rows)  # noqa: SLF001
        return whole

    def limited(self, places: Iterable[int]) -> FittedEvidence:
        """Return the same evidence of chosen attributes only, in larger tables."""
        other = copy(self)
        chosen = tuple(sorted(places))
        other._most, other._most_cells = MOST_CHOSEN, MOST_CHOSEN_CELLS  # noqa: SLF001
        alone = {axes: joint for axes, joint in self._joints.items() if len(axes) < 2}
        other._joints = alone  # noqa: SLF001
        other._offered, other._mixed = frozenset(chosen), {}  # noqa: SLF001
        other.attribute_z = 0.0
        cells = WHOLE_CELLS // len(self.classes)
        if self.is_blurred and other._step(chosen, cells) in range(1, WHOLE_STEP + 1):  # noqa: SLF001
            return other._in_one_table(chosen, cells)  # noqa: SLF001
        return other

    def _in_one_table(self, places: tuple[int, ...], cells: int) -> FittedEvidence:
        """Return the same evidence, all of whose nodes look at one table."""
        other = copy(self)
        other.whole, other._most_cells, other.split_z = places, cells, 0.0  # noqa: SLF001
        return other

    def halves(self) -> tuple[FittedEvidence, FittedEvidence]:
        """Return evidence of a random half of the records, and of the other, in their one table.

        All that is asked of records is how many there are in each cell of it, so dividing counts is
        dividing records. What is drawn is always the same, so that results are.
        """
        joint = self.joints([self.whole])[self.whole]
        counts = joint.observed.astype(np.int64)
        drawn = np.random.default_rng(0).binomial(counts, 0.5)
        first, second = copy(self), copy(self)
        for half, observed in ((first, drawn), (second, counts - drawn)):
            table = self._fitted(self.whole, joint.views, observed.astype(np.float64))
            half._joints = {**self._joints, self.whole: table}  # noqa: SLF001
            half._cost = None  # noqa: SLF001
        return first, second

    def counts(self, box: Box, places: tuple[int, ...]) -> Floats:
        """Return how many records of each class are in a box, by a table that was fitted."""
        joint = self._joints[places]
        masks = tuple(box.mask(self.codings[at].name, self.codings[at].size) for at in places)
        counts: Floats = joint.views[0].inside(masks[0]) @ joint.within(masks, 0)
        return counts

    def pruned(self, tree: Tree) -> Tree:
        """Cut subtrees that do not pay: in likelihood, or in errors where nothing has to be sure.

        Where no attribute is known to matter, a tree that chance may have grown is cut to a leaf.
        """
        if self.whole and self._cost is None:
            return tree
        if self.whole:
            return self._measured(prune_needless(tree, self._cost or 0.0))
        if self.attribute_z and self._is_chance(tree):
            return cut(tree, np.zeros(tree.nodes, np.bool_))
        return prune_unsure(tree, self.price)

    @property
    def price(self) -> float:
        """What a split must bring to stay, as a z; more where chance is fitted fast.

        z² of a split that means nothing is χ² with as many degrees of freedom as classes, less one;
        it must pass at the level that ``split_z`` is for two classes.
        """
        level = math.erfc(self.split_z / math.sqrt(2))
        by_chance = math.sqrt(chdtri(len(self.classes) - 1, level))
        return max(self.split_z * self.pace, by_chance)

    def _is_chance(self, tree: Tree) -> bool:
        """Whether chance alone may have brought the surest split.

        z² of a split that means nothing is χ² with as many degrees of freedom as classes, less one;
        the surest of all cuts of all nodes is so by Bonferroni's bound.
        """
        if self._is_exact:
            return False
        cuts = sum(coding.size - 1 for coding in self.codings)
        least = chdtri(len(self.classes) - 1, CHANCE / (cuts * tree.nodes))
        return bool(tree.z.max() ** 2 < least)

    @property
    def _is_exact(self) -> bool:
        """Whether nothing was disguised."""
        return all(axis.is_exact for axis in (*self._axes, self._class_axis))

    def _measured(self, tree: Tree) -> Tree:
        """Return the tree with what nobody asked as it grew: how sure splits and counts are."""
        z, errors, sizes = tree.z.copy(), tree.errors.copy(), tree.size_errors.copy()
        for node in np.flatnonzero(tree.child >= 0).tolist():
            route, kids = tree.routes[node], tree.children(node)
            if route is not None:
                estimate = self.estimate(tree.boxes[node], int(tree.attribute[node]))
                sure = estimate.measured(route, tree.counts[kids])
                z[node], errors[kids], sizes[kids] = sure
        return replace(tree, z=z, errors=errors, size_errors=sizes)

    def settled(self, tree: Tree) -> Tree:
        """Return the tree with thresholds of disguised numbers moved inside their cells."""
        return settled(tree, self)

    @cached_property
    def is_blurred(self) -> bool:
        """Whether numbers are disguised by noise alone, and by much of it.

        Nothing finer than noise is wide shows in a fitted table, neither chance nor truth.
        """
        disguised = [place for place in range(len(self.codings)) if self.is_disguised(place)]
        channels = [self._part.channel(self.codings[place].name) for place in disguised]
        noisy = bool(channels) and all(isinstance(channel, CoarseNoise) for channel in channels)
        return noisy and float(np.median(self._paces[disguised])) < BLURRED

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
        wanted = {
            axes
            for box in boxes
            for place in range(len(self.codings))
            if (axes := self._set(box, place)) is not None
        }
        self._fit(sorted({(place,) for axes in wanted for place in axes}))
        self._fit(sorted(wanted))
        return FittedFrontier(self, boxes)

    def _set(self, box: Box, place: int) -> tuple[int, ...] | None:
        """Return the attributes of an attribute's table at a node, or None if they are too many."""
        path = {self._places[name] for name in box.masks}
        if place not in self._offered and place not in path and not self._is_mixed(box):
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
            self._mixed[box.key] = bool(errors >= MIXED * self._part.table.rows)
        return self._mixed[box.key]

    def _step(self, places: tuple[int, ...], most_cells: int | None = None) -> int:
        """Return how many codes form a group in a set's table; 0 if it is too large however many.

        Numbers are grouped alike, as finely as the table's size allows; categories never are.
        """
        if len(places) > self._most:
            return 0
        if most_cells is None:
            most_cells = self._most_cells if self._offered.issuperset(places) else MOST_CELLS
        step = 1
        while True:
            cells = 1.0
            for place in places:
                cells *= outputs_at(self._axes[place], self._grouped(place, step))
            if cells <= most_cells:
                return step
            step += 1
            if all(self._grouped(place, step) < step for place in places):
                return 0

    def _grouped(self, place: int, step: int) -> int:
        """Return how many codes of an attribute form a group where ``step`` are wanted."""
        if not self.codings[place].ordered:
            return 1
        return max(1, min(step, self._axes[place].inputs // LEAST_GROUPS))

    def _view(self, place: int, step: int) -> View:
        step = self._grouped(place, step)
        if step == 1:
            return View(self._axes[place])
        return view(self._axes[place], step, self._joints[(place,)].table.sum(-1))

    def _fit(self, sets: list[tuple[int, ...]]) -> None:
        new = [places for places in sets if places not in self._joints]
        if not new:
            return
        steps = [self._step(places) or 1 for places in new]
        views = [
            tuple(self._view(place, step) for place in places)
            for places, step in zip(new, steps, strict=True)
        ]
        observed = self._count(new, views)

        def fit(number: int) -> Joint:
            return self._fitted(new[number], views[number], observed[number])

        for places, joint in zip(new, in_threads(fit, range(len(new))), strict=True):
            self._joints[places] = joint

    def _fitted(self, places: tuple[int, ...], views: tuple[View, ...], observed: Floats) -> Joint:
        """Return the fitted joint table of a set of attributes."""
        axes = (*(view.axis for view in views), self._class_axis)
        pace = self._paces[list(places)].min()
        most = int(np.clip(STEPS / max(pace, 1e-9), STEPS / 2, MOST_STEPS))
        if self.whole:  # the more attributes, the sooner chance is fitted
            most >>= max(len(places) - MOST, 0)
        return Joint(views, self._class_axis, observed, em_up_to(axes, observed, most))

    def _count(self, sets: list[tuple[int, ...]], views: list[tuple[View, ...]]) -> list[Floats]:
        """Count the joint tables of several sets in one pass over the records."""
        needed = sorted({place for places in sets for place in places})
        last = self._class_axis.outputs
        shapes = [(*(each.axis.outputs for each in views_of_set), last) for views_of_set in views]

        def work(batch: Batch) -> IntArrays:
            columns = {place: self._observed(batch, place) for place in needed}
            target = np.ascontiguousarray(batch.columns[self._target])
            tables = []
            for places, seen, shape in zip(sets, views, shapes, strict=True):
                codes = np.empty((len(target), len(places)), np.uint16)
                for column, (place, one) in enumerate(zip(places, seen, strict=True)):
                    np.floor_divide(columns[place], one.step, out=codes[:, column])
                out = np.zeros(int(np.prod(shape)), np.int64)
                count_joint(codes, target, np.array(shape), out)
                tables.append(out)
            return tuple(tables)

        counted = self._part.table.count(work, "counting")
        pairs = zip(counted, shapes, strict=True)
        return [table.reshape(shape).astype(np.float64) for table, shape in pairs]

    def _observed(self, batch: Batch, place: int) -> NDArray[np.uint16]:
        coding = self.codings[place]
        column = batch.columns[coding.name]
        codes = column if column.dtype.kind == "u" else coding.encode(column)
        return codes.astype(np.uint16)

    def is_disguised(self, place: int) -> bool:
        """Whether an attribute's codes are cells of numbers that went through a channel."""
        return self.codings[place].ordered and not self._axes[place].is_exact

    def joints(self, sets: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], Joint]:
        """Return the joint tables of some sets of attributes; none of a set that is too large."""
        able = sorted({places for places in sets if len(places) == 1 or self._step(places)})
        self._fit(sorted({(place,) for places in able for place in places}))
        self._fit(able)
        return {places: self._joints[places] for places in able}

    def estimate(self, box: Box, place: int) -> Fitted:
        """Return the table of one attribute at one node."""
        coding = self.codings[place]
        places = self._set(box, place)
        if places is None:
            return Fitted(np.zeros((coding.size, len(self.classes))), split_z=self.split_z)
        joint = self._joints[places]
        masks = tuple(box.mask(self.codings[each].name, self.codings[each].size) for each in places)
        own = places.index(place)
        if place not in self._offered and not box.masks:  # nothing but how many there are
            total = joint.observed.sum(0)
            mean = np.zeros((coding.size, len(self.classes)))
            mean[0] = total if self._labels is None else np.maximum(self._labels @ total, 0.0)
            return Fitted(mean, self._labels, joint, masks, own, self.split_z)
        table = joint.within(masks, own)
        mean = joint.views[own].fine(table) * masks[own][:, None]
        least = 0.0 if place in self._offered else ATTRIBUTE_Z
        return Fitted(mean, self._labels, joint, masks, own, self.split_z, least)

    @cached_property
    def _paces(self) -> Floats:
        """How fast EM fits each attribute: a difference kept to a share σ goes at a rate of σ²."""
        kept = [np.linalg.svd(axis.dense, compute_uv=False)[:4] for axis in self._axes]
        return np.array([(spectrum[-1] / spectrum[0] / CLEAR) ** 2 for spectrum in kept])

    @property
    def pace(self) -> float:
        """How fast EM fits cells of disguised numbers, and chance with them; 1 if none is fast.

        Categories do not count: of few values there is little that chance could bend.
        """
        disguised = [self.is_disguised(place) for place in range(len(self.codings))]
        paces = self._paces[disguised]
        return max(1.0, float(np.median(paces))) if len(paces) else 1.0

    @cached_property
    def _labels(self) -> Floats | None:
        return View(self._class_axis).inverse


class FittedFrontier(BoxFrontier):
    """Open nodes, whose tables are cut out of joint tables when they are asked for."""

    def __init__(self, owner: FittedEvidence, boxes: list[Box]) -> None:
        super().__init__(owner.codings, boxes)
        self._owner = owner

    def at(self, node: int) -> list[Fitted]:
        """Return one node's tables, one per attribute."""
        places = range(len(self.codings))
        return [self._owner.estimate(self.boxes[node], place) for place in places]

    def chosen(self, every: list[Candidates], policy: Policy) -> Scored | None:
        """Return the best split, or one that gains less and is surer to gain it.

        A fitted table of few records and many cells seems to gain much by chance. So where there
        are splits as sure as ``ATTRIBUTE_Z`` asks, each counts for less the nearer it is to that.
        """
        best, least = best_split(every, policy), self._owner.attribute_z
        if best is None or policy.ratio or best.z >= SURE * least:
            return best
        rivals = (
            candidates.scored(candidates.best, policy)
            for candidates in every
            if candidates.attribute != best.attribute
        )
        sure = [split for split in (best, *rivals) if split is not None and split.z >= least]
        return max(sure, key=lambda split: split.score * (1 - (least / split.z) ** 2), default=best)


def _axis(part: Part, coding: Coding) -> Axis:
    channel = part.channel(coding.name)
    if channel is not None and len(channel.attributes) > 1:
        names = ", ".join(channel.attributes)
        message = f"The method 'joint' fits attributes one by one; {names} were disguised together."
        raise MethodError(message, hint="use method='direct'.")
    return Axis.of(channel, coding.size)
