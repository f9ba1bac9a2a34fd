"""Fitted evidence: joint tables of a node's attributes, estimated by EM.

A node's table of one attribute comes from the joint table of the attributes on its path, that
attribute and the class. Each such set of attributes is counted once and fitted once, whatever
the number of nodes that ask for it: trees use few attributes, so sets are few. It needs no
inverse, so it serves channels that have none (band, noise), and every record speaks in every table.

A set is capped: beyond ``MOST`` attributes only those already on the path are offered. Where noise
blurs all chosen attributes, and one table holds them, every node looks at that one.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.channel import CoarseNoise
from privet.coding import Box
from privet.compiled import in_threads
from privet.errors import MethodError
from privet.estimate.em import Axis, em
from privet.estimate.joint import Joint
from privet.estimate.view import LEAST_GROUPS, View, outputs_at, view
from privet.estimate.weighted import variances
from privet.table.kernels import count_joint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Value
    from privet.estimate.base import Splits
    from privet.release import Part
    from privet.table import Batch, IntArrays

__all__ = ["Fitted", "FittedEvidence"]

MOST, MOST_CELLS = 3, 1 << 15  # attributes of a joint table, and cells of what is observed of them
MOST_CHOSEN, MOST_CHOSEN_CELLS = 5, 1 << 18  # where few attributes were chosen
STEPS, MOST_STEPS = 200, 400  # of EM at pace 1: stopping early keeps chance from being fitted
WHOLE_CELLS, WHOLE_STEP = 1 << 21, 2  # of one table for all: cells by classes, codes of a group
CLEAR = 0.45  # of the fourth coarsest difference between codes, what a channel of pace 1 keeps
BLURRED = 0.3  # the pace below which noise leaves only what is smooth


@dataclass(frozen=True)
class Fitted:
    """A table of one attribute at one node, cut out of a fitted joint table.

    ``mean`` holds the fitted counts, values × classes; never negative. ``labels`` inverts the
    class's channel, None if there is none; ``masks`` is the node's box along the joint's axes.
    """

    mean: Floats
    labels: Floats | None = None
    joint: Joint | None = None
    masks: tuple[NDArray[np.bool_], ...] = ()
    own: int = 0

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


class FittedEvidence:
    """Evidence of a release of one part by joint tables fitted by EM."""

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
        self.whole: tuple[int, ...] = ()  # attributes of the one table all nodes look at, if any
        self._most, self._most_cells = MOST, MOST_CELLS

    def limited(self, places: Iterable[int]) -> FittedEvidence:
        """Return the same evidence of chosen attributes only, in larger tables; forget others."""
        other = copy(self)
        chosen = tuple(sorted(places))
        other._most, other._most_cells = MOST_CHOSEN, MOST_CHOSEN_CELLS  # noqa: SLF001
        self._joints = {held: one for held, one in self._joints.items() if len(held) == 1}
        other._joints = dict(self._joints)  # noqa: SLF001
        other._offered = frozenset(chosen)  # noqa: SLF001
        cells = WHOLE_CELLS // len(self.classes)
        if self.is_blurred and other._step(chosen, cells) in range(1, WHOLE_STEP + 1):  # noqa: SLF001
            other.whole, other._most_cells = chosen, cells  # noqa: SLF001
        return other

    @cached_property
    def is_blurred(self) -> bool:
        """Whether numbers are disguised by noise alone, and by much of it.

        Nothing finer than noise is wide shows in a fitted table, neither chance nor truth.
        """
        disguised = [place for place in range(len(self.codings)) if self.is_disguised(place)]
        channels = [self._part.channel(self.codings[place].name) for place in disguised]
        noisy = bool(channels) and all(isinstance(one, CoarseNoise) for one in channels)
        return noisy and float(np.median(self._paces[disguised])) < BLURRED

    def root(self) -> list[Box]:
        """Return the frontier of the root, whose box is everything."""
        return [Box()]

    def split(self, frontier: list[Box], splits: Splits, keep: NDArray[np.bool_]) -> list[Box]:
        """Return the boxes of kept children."""
        return splits.boxes(frontier, self.codings, keep)

    def tables(self, frontier: list[Box]) -> FittedTables:
        """Count and fit the sets of attributes that open nodes need and nobody needed before."""
        wanted = {
            held
            for box in frontier
            for place in range(len(self.codings))
            if (held := self._set(box, place)) is not None
        }
        self._fit(sorted({(place,) for held in wanted for place in held}))
        self._fit(sorted(wanted))
        return FittedTables(self, frontier)

    def _set(self, box: Box, place: int) -> tuple[int, ...] | None:
        """Return the attributes of an attribute's table at a node, or None if they are too many."""
        path = {self._places[name] for name in box.masks}
        if place not in self._offered and place not in path:
            return None if path else (place,)
        held = tuple(sorted({*path, place, *self.whole}))
        return held if len(held) == 1 or place in path or self._step(held) else None

    def _step(self, held: tuple[int, ...], most_cells: int | None = None) -> int:
        """Return how many codes form a group in a set's table; 0 if it is too large however many.

        Numbers are grouped alike, as finely as the table's size allows; categories never are.
        """
        if len(held) > self._most:
            return 0
        most_cells = most_cells or self._most_cells
        step = 1
        while True:
            cells = 1.0
            for place in held:
                cells *= outputs_at(self._axes[place], self._grouped(place, step))
            if cells <= most_cells:
                return step
            step += 1
            if all(self._grouped(place, step) < step for place in held):
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
        new = [held for held in sets if held not in self._joints]
        if not new:
            return
        steps = [self._step(held) or 1 for held in new]
        views = [
            tuple(self._view(place, step) for place in held)
            for held, step in zip(new, steps, strict=True)
        ]
        observed = self._count(new, views)

        def fit(number: int) -> Joint:
            axes = (*(one.axis for one in views[number]), self._class_axis)
            pace = self._paces[list(new[number])].min()
            most = int(np.clip(STEPS / max(pace, 1e-9), STEPS / 2, MOST_STEPS))
            if self.whole:  # the more attributes, the sooner chance is fitted
                most >>= max(len(new[number]) - MOST, 0)
            table = em(axes, observed[number], most=most).table
            return Joint(views[number], self._class_axis, observed[number], table)

        for held, joint in zip(new, in_threads(fit, range(len(new))), strict=True):
            self._joints[held] = joint

    def _count(self, sets: list[tuple[int, ...]], views: list[tuple[View, ...]]) -> list[Floats]:
        """Count the joint tables of several sets in one pass over the records."""
        needed = sorted({place for held in sets for place in held})
        last = self._class_axis.outputs
        shapes = [(*(one.axis.outputs for one in held), last) for held in views]

        def work(batch: Batch) -> IntArrays:
            columns = {place: self._observed(batch, place) for place in needed}
            target = np.ascontiguousarray(batch.columns[self._target])
            found = []
            for held, seen, shape in zip(sets, views, shapes, strict=True):
                codes = np.empty((len(target), len(held)), np.uint16)
                for column, (place, one) in enumerate(zip(held, seen, strict=True)):
                    np.floor_divide(columns[place], one.step, out=codes[:, column])
                out = np.zeros(int(np.prod(shape)), np.int64)
                count_joint(codes, target, np.array(shape), out)
                found.append(out)
            return tuple(found)

        counted = self._part.table.count(work, "counting")
        pairs = zip(counted, shapes, strict=True)
        return [held.reshape(shape).astype(np.float64) for held, shape in pairs]

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
        held = sorted({one for one in sets if len(one) == 1 or self._step(one)})
        self._fit(sorted({(place,) for one in held for place in one}))
        self._fit(held)
        return {one: self._joints[one] for one in held}

    def estimate(self, box: Box, place: int) -> Fitted:
        """Return the table of one attribute at one node."""
        coding = self.codings[place]
        held = self._set(box, place)
        if held is None:
            return Fitted(np.zeros((coding.size, len(self.classes))))
        joint = self._joints[held]
        masks = tuple(box.mask(self.codings[one].name, self.codings[one].size) for one in held)
        own = held.index(place)
        if place not in self._offered and not box.masks:  # nothing but how many there are
            total = joint.observed.sum(0)
            mean = np.zeros((coding.size, len(self.classes)))
            mean[0] = total if self._labels is None else np.maximum(self._labels @ total, 0.0)
            return Fitted(mean, self._labels, joint, masks, own)
        table = joint.within(masks, own)
        mean = joint.views[own].fine(table) * masks[own][:, None]
        return Fitted(mean, self._labels, joint, masks, own)

    @cached_property
    def _paces(self) -> Floats:
        """How fast EM fits each attribute: a difference kept to a share σ goes at a rate of σ²."""
        kept = [np.linalg.svd(axis.dense, compute_uv=False)[:4] for axis in self._axes]
        return np.array([(held[-1] / held[0] / CLEAR) ** 2 for held in kept])

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


class FittedTables:
    """Tables of a frontier, cut out of joint tables when they are asked for."""

    def __init__(self, owner: FittedEvidence, boxes: list[Box]) -> None:
        self.nodes = len(boxes)
        self._owner = owner
        self._boxes = boxes

    def at(self, node: int) -> list[Fitted]:
        """Return one node's tables, one an attribute."""
        places = range(len(self._owner.codings))
        return [self._owner.estimate(self._boxes[node], place) for place in places]


def _axis(part: Part, coding: Coding) -> Axis:
    channel = part.channel(coding.name)
    if channel is not None and len(channel.attributes) > 1:
        names = ", ".join(channel.attributes)
        message = f"The method 'joint' fits attributes one by one; {names} were disguised together."
        raise MethodError(message, hint="use method='direct'.")
    return Axis.of(channel, coding.size)
