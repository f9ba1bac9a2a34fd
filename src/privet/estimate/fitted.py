"""Fitted evidence: joint tables of a node's attributes, estimated by EM.

A node's table of one attribute comes from the joint table of the attributes on its path, that
attribute and the class. Each such set of attributes is counted once and fitted once, whatever
the number of nodes that ask for it: trees use few attributes, so sets are few. It needs no
inverse, so it serves channels that have none (band, noise), and every record speaks in every table.

A set is capped: beyond ``MOST`` attributes only those already on the path are offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.coding import Box
from privet.compiled import in_threads
from privet.errors import MethodError
from privet.estimate.em import Axis, em
from privet.estimate.weighted import Inverted
from privet.table.kernels import count_joint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Value
    from privet.estimate.base import Splits
    from privet.release import Part
    from privet.table import Batch, IntArrays

__all__ = ["Fitted", "FittedEvidence"]

MOST = 4  # attributes of a joint table
MOST_CELLS = 1 << 16  # of what is observed of them, classes apart
STEPS = 400


@dataclass(frozen=True)
class _Joint:
    """The joint table of some attributes and the class: what was observed, and what was fitted."""

    axes: tuple[Axis, ...]
    observed: Floats
    table: Floats


@dataclass(frozen=True)
class Fitted(Inverted):
    """A table of one attribute at one node, cut out of a fitted joint table.

    Its variance is that of the linear estimate by left inverses, of which EM's is a bettered
    version: an honest upper bound.
    """

    fitted: Floats
    joint: _Joint | None = None
    masks: tuple[NDArray[np.bool_], ...] = ()
    own: int = 0

    @property
    def mean(self) -> Floats:
        """The fitted counts, values × classes; never negative."""
        return self.fitted

    def likelihood_z(self, branch: NDArray[np.int16]) -> float:
        """Return how much likelier what was observed is with a split than without, as a z.

        Outside the node's box the fitted table stays as it is; inside, class shares are those of
        the box, or those of each branch. Twice the gain in log-likelihood is about z².
        """
        if self.joint is None:
            return 0.0
        table, axes = self.joint.table, self.joint.axes
        inside: NDArray[np.bool_] = np.ones(table.shape[:-1], np.bool_)
        for place, mask in enumerate(self.masks):
            inside &= mask.reshape([-1 if one == place else 1 for one in range(inside.ndim)])
        rows = table.sum(-1)
        along = [1] * len(self.masks)
        along[self.own] = len(branch)
        taken = np.broadcast_to(branch.reshape(along), inside.shape)
        whole, divided = table.copy(), table.copy()
        for number in range(-1, int(branch.max()) + 1):
            part = inside if number < 0 else inside & (taken == number)
            held = table[part].sum(0)
            shares = held / max(held.sum(), 1e-300)
            (whole if number < 0 else divided)[part] = rows[part][:, None] * shares
        for place, axis in enumerate(axes):
            whole, divided = axis.forward(whole, place), axis.forward(divided, place)
        seen = self.joint.observed > 0
        ratio = np.log(np.maximum(divided[seen], 1e-300) / np.maximum(whole[seen], 1e-300))
        return float(np.sqrt(max(0.0, 2.0 * (self.joint.observed[seen] * ratio).sum())))


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
        self._joints: dict[tuple[int, ...], _Joint] = {}

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
            if (held := self._set(box, place)) is not None and held not in self._joints
        }
        if wanted:
            self._fit(sorted(wanted))
        return FittedTables(self, frontier)

    def _set(self, box: Box, place: int) -> tuple[int, ...] | None:
        """Return the attributes of an attribute's table at a node, or None if they are too many."""
        path = {self._places[name] for name in box.masks}
        held = tuple(sorted({*path, place}))
        cells = np.prod([float(self._axes[one].outputs) for one in held])
        if place in path or (len(held) <= MOST and cells <= MOST_CELLS):
            return held
        return None

    def _fit(self, sets: list[tuple[int, ...]]) -> None:
        observed = self._count(sets)

        def fit(place: int) -> _Joint:
            axes = (*(self._axes[one] for one in sets[place]), self._class_axis)
            return _Joint(axes, observed[place], em(axes, observed[place], most=STEPS).table)

        for held, joint in zip(sets, in_threads(fit, range(len(sets))), strict=True):
            self._joints[held] = joint

    def _count(self, sets: list[tuple[int, ...]]) -> list[Floats]:
        """Count the joint tables of several sets in one pass over the records."""
        needed = sorted({place for held in sets for place in held})
        last = self._class_axis.outputs
        shapes = [(*(self._axes[place].outputs for place in held), last) for held in sets]

        def work(batch: Batch) -> IntArrays:
            columns = {place: self._observed(batch, place) for place in needed}
            target = np.ascontiguousarray(batch.columns[self._target])
            found = []
            for held, shape in zip(sets, shapes, strict=True):
                codes = np.stack([columns[place] for place in held], axis=1)
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

    def estimate(self, box: Box, place: int) -> Fitted:
        """Return the table of one attribute at one node."""
        coding = self.codings[place]
        held = self._set(box, place)
        if held is None:
            none = np.zeros((coding.size, len(self.classes)))
            return Fitted(None, None, none, none, none)
        joint = self._joints[held]
        table, squares = joint.table, joint.observed
        for axis in reversed(range(len(held))):  # the last first, so that places stay right
            one = held[axis]
            if one != place:
                inside = box.mask(self.codings[one].name, self.codings[one].size)
                table = np.tensordot(inside.astype(np.float64), table, (0, axis))
                squares = np.tensordot(self._weights(one, inside) ** 2, squares, (0, axis))
        inside = box.mask(coding.name, coding.size)
        inverse = self._inverses[place]
        weights = None if inverse is None else inverse * inside[:, None]
        if weights is None:
            squares = squares * inside[:, None]
        masks = tuple(box.mask(self.codings[one].name, self.codings[one].size) for one in held)
        table = table * inside[:, None]
        own = held.index(place)
        return Fitted(weights, self._labels, squares, squares, table, joint, masks, own)

    def _weights(self, place: int, inside: NDArray[np.bool_]) -> Floats:
        """Return the weight of each output for a condition on one attribute."""
        inverse = self._inverses[place]
        held: Floats = inside.astype(np.float64)
        return held if inverse is None else held @ inverse

    @cached_property
    def _inverses(self) -> list[Floats | None]:
        return [_left_inverse(axis) for axis in self._axes]

    @cached_property
    def _labels(self) -> Floats | None:
        return _left_inverse(self._class_axis)


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


def _left_inverse(axis: Axis) -> Floats | None:
    if axis.levels is None and axis.matrix is None:
        return None
    inverse: Floats = np.linalg.pinv(axis.dense).astype(np.float64)
    return inverse
