"""Joint tables of a part's attributes: which may be had, counted once and fitted once.

A set of attributes is capped: beyond ``MOST`` there is no table of it. Numbers are seen in groups
of codes where a table of all of them would be too large. A table of several attributes is fitted in
two parts (``parted``), and so is the one table for all, if only one attribute matters.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import in_threads
from privet.errors import MethodError
from privet.estimate.em import Axis, em_up_to, rows_of, summed_to
from privet.estimate.joint import Joint
from privet.estimate.kernels import count_joint
from privet.estimate.parted import Start, fit_parted, margin_of, steps_by_halves
from privet.estimate.slanted import features_of
from privet.estimate.tied import scores_of, tied
from privet.estimate.view import LEAST_GROUPS, View, coarser, outputs_at, paired, view

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Floats, Value
    from privet.estimate.parted import Steps
    from privet.estimate.tied import Pairs
    from privet.release import Part
    from privet.table import Batch, IntArrays

__all__ = ["JointTables"]

MOST, MOST_CELLS = 3, 1 << 15  # attributes of a joint table, and cells of what is observed of them
# Of plain EM at pace 1, for a single attribute: as far as that chance is hardly fitted.
STEPS, MOST_STEPS = 200, 400
CLEAR = 0.45  # of the fourth coarsest difference between codes, what a channel of pace 1 keeps


class JointTables:
    """The joint tables of some attributes of a part and the class, fitted when they are needed.

    ``whole`` is the table that serves all, if there is such a table.
    """

    def __init__(
        self, part: Part, codings: Sequence[Coding], target: str, classes: Sequence[Value]
    ) -> None:
        self.codings = tuple(codings)
        self.classes = tuple(classes)
        self.part = part
        self.target = target
        self._axes = [_axis(part, coding) for coding in codings]
        self._class_axis = Axis.of(part.channel(target), len(classes))
        self._joints: dict[tuple[int, ...], Joint] = {}
        # All that were ever fitted, by how finely they show their numbers and whether they serve
        # all, and how often codes are: copies share them.
        self._known: dict[tuple[tuple[int, ...], int, bool], Joint] = {}
        self._margins: dict[int, Floats] = {}
        # Where pairs lie, by their attributes and how finely these are seen.
        self._pairs: dict[Hashable, Floats | None] = {}
        self.offered = frozenset(range(len(codings)))
        self.whole: tuple[int, ...] = ()  # attributes of the one table all nodes look at, if any
        self._slanting: tuple[int, ...] = ()  # of the table whose classes may start from a slant
        self._most, self._most_cells = MOST, MOST_CELLS

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self.part.table.rows

    def joints(self, sets: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], Joint]:
        """Return the joint tables of some sets of attributes; none of a set that is too large."""
        able = sorted({places for places in sets if len(places) == 1 or self._step(places)})
        self._fit(sorted({(place,) for places in able for place in places}))
        self._fit(able)
        return {places: self._joints[places] for places in able}

    def _fit(self, sets: list[tuple[int, ...]]) -> None:
        wanted = {
            places: (places, self._step(places) or 1, places == self._slanting)
            for places in sets
            if places not in self._joints
        }
        new = [key for key in wanted.values() if key not in self._known]
        if new:
            views = [self._views(places, step) for places, step, _ in new]
            observed = self._count([places for places, *_ in new], views)

            def fit(number: int) -> Joint:
                return self._fitted(new[number][0], views[number], observed[number])

            self._known.update(zip(new, in_threads(fit, range(len(new))), strict=True))
        self._joints.update({places: self._known[key] for places, key in wanted.items()})

    def _fitted(
        self,
        places: tuple[int, ...],
        views: tuple[View, ...],
        observed: Floats,
        steps: Steps | None = None,
        start: Start | None = None,
    ) -> Joint:
        """Return the fitted table of a set of attributes; of several, or for all, in two parts.

        ``steps`` says how far the two parts go, ``start`` where from; None asks these records.
        """
        axes = (*(view.axis for view in views), self._class_axis)
        if len(places) == 1 and places != self._slanting:
            pace = self._paces[places[0]]
            most = int(np.clip(STEPS / max(pace, 1e-9), STEPS / 2, MOST_STEPS))
            return Joint(views, self._class_axis, observed, em_up_to(axes, observed, most))
        start = start or self._start(places, views, observed)
        coarse = self._coarse(places, axes, observed, start)
        if steps is None:
            steps = steps_by_halves(*coarse).for_twice()
        table = fit_parted(axes, observed, start, steps, coarse)
        return Joint(views, self._class_axis, observed, table, steps)

    def _coarse(
        self, places: tuple[int, ...], axes: Sequence[Axis], observed: Floats, start: Start
    ) -> tuple[Sequence[Axis], Floats, Start]:
        """Return the same seen in pairs of cells if it is large, to look for what few numbers say.

        How many steps foretell best hardly depends on how finely numbers are seen: on AS's F2-F5
        pairs of cells change them by a tenth.
        """
        seen, cells, features = [*axes], start.cells, [*start.features]
        large = max(observed.size, math.prod(axis.inputs for axis in axes)) > MOST_CELLS
        for axis, place in enumerate(places):
            wide = self.codings[place].ordered and axes[axis].inputs >= 2 * LEAST_GROUPS
            if large and wide and self._axes[place].matrix is None:  # noise is fitted as it is
                viewed = coarser(axes[axis], summed_to(cells, [axis]))
                starts = np.arange(0, axes[axis].outputs, viewed.step)
                observed = np.add.reduceat(observed, starts, axis=axis)
                cells = np.moveaxis(viewed.groups(np.moveaxis(cells, axis, -1)), -1, axis)
                seen[axis] = viewed.axis
                if features:
                    features[axis] = viewed.means(features[axis])
        return seen, observed, Start(cells, start.classes, features)

    def _start(self, places: tuple[int, ...], views: Sequence[View], observed: Floats) -> Start:
        """Return where records lie by single attributes and pairs, and how many have which class.

        Classes of the one table for all may start from a slanting border.
        """
        codings = [self.codings[place] for place in places]
        alone = [self._joints[at,].observed for at in places] if len(places) > 1 else [observed]
        counts = map(self._margin, places, alone)
        margins = [seen.groups(own) for seen, own in zip(views, counts, strict=True)]
        scores = list(map(scores_of, codings, views, margins))
        seen_as = [
            (at, seen.axis.inputs, seen.step) for at, seen in zip(places, views, strict=True)
        ]
        both = combinations(range(len(places)), 2), combinations(seen_as, 2)
        names = dict(zip(*both, strict=True))
        pairs: Pairs = {
            pair: self._pairs[name] for pair, name in names.items() if name in self._pairs
        }
        axes = [seen.axis for seen in views]
        cells = tied(axes, rows_of(observed), margins, scores, pairs)
        self._pairs.update({name: pairs[pair] for pair, name in names.items()})
        slants = places == self._slanting
        features = list(map(features_of, codings, views, margins)) if slants else []
        classes = margin_of(self._class_axis, summed_to(observed, [len(places)]))
        return Start(cells, classes, features)

    def _margin(self, place: int, observed: Floats) -> Floats:
        """Return how many records have each code of an attribute, by what was observed of it."""
        if place not in self._margins:
            self._margins[place] = margin_of(self._axes[place], rows_of(observed))
        return self._margins[place]

    def _count(self, sets: list[tuple[int, ...]], views: list[tuple[View, ...]]) -> list[Floats]:
        """Count the joint tables of several sets in one pass over the records."""
        needed = sorted({place for places in sets for place in places})
        last = self._class_axis.outputs
        shapes = [(*(each.axis.outputs for each in views_of_set), last) for views_of_set in views]

        def work(batch: Batch) -> IntArrays:
            columns = {place: self._observed(batch, place) for place in needed}
            target = np.ascontiguousarray(batch.columns[self.target])
            tables = []
            for places, seen, shape in zip(sets, views, shapes, strict=True):
                codes = np.empty((len(target), len(places)), np.uint16)
                for column, (place, viewed) in enumerate(zip(places, seen, strict=True)):
                    np.floor_divide(columns[place], viewed.step, out=codes[:, column])
                out = np.zeros(int(np.prod(shape)), np.int64)
                count_joint(codes, target, np.array(shape), out)
                tables.append(out)
            return tuple(tables)

        counted = self.part.table.count(work, "counting")
        pairs = zip(counted, shapes, strict=True)
        return [table.reshape(shape).astype(np.float64) for table, shape in pairs]

    def _observed(self, batch: Batch, place: int) -> NDArray[np.uint16]:
        coding = self.codings[place]
        column = batch.columns[coding.name]
        codes = column if column.dtype.kind == "u" else coding.encode(column)
        return codes.astype(np.uint16)

    def _step(self, places: tuple[int, ...], most_cells: int | None = None) -> int:
        """Return how many codes form a group in a set's table; 0 if it is too large however many.

        Numbers are grouped alike, as finely as the table's size allows; categories never are.
        """
        if len(places) > self._most:
            return 0
        if most_cells is None:
            most_cells = self._most_cells if self.offered.issuperset(places) else MOST_CELLS
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

    def _views(self, places: tuple[int, ...], step: int) -> tuple[View, ...]:
        """Return the axes of a set's table; those of a large one are seen by pairs of outputs."""
        views = tuple(self._view(place, step) for place in places)
        if math.prod(seen.axis.outputs for seen in views) <= MOST_CELLS:
            return views
        pairs = zip(places, views, strict=True)
        return tuple(paired(seen) if self._can_pair(place, step) else seen for place, seen in pairs)

    def _can_pair(self, place: int, step: int) -> bool:
        """Whether an attribute has a band, whose neighbouring outputs mean neighbouring numbers.

        Pairs of what additive noise leads to hide the ends of the noise, which tell of borders: F2
        and F3 under uniform noise of 100 % lost one to two points.
        """
        banded = self._axes[place].levels is not None and self.is_disguised(place)
        pairs = self._grouped(place, 2 * step) == 2 * step
        return banded and pairs and not self.codings[place].missing

    def _view(self, place: int, step: int) -> View:
        step = self._grouped(place, step)
        if step == 1:
            return View(self._axes[place])
        return view(self._axes[place], step, self._joints[(place,)].table.sum(-1))

    def is_disguised(self, place: int) -> bool:
        """Whether an attribute's codes are cells of numbers that went through a channel."""
        return self.codings[place].ordered and not self._axes[place].is_exact

    @property
    def is_exact(self) -> bool:
        """Whether nothing was disguised."""
        return all(axis.is_exact for axis in (*self._axes, self._class_axis))

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


def _axis(part: Part, coding: Coding) -> Axis:
    channel = part.channel(coding.name)
    if channel is not None and len(channel.attributes) > 1:
        names = ", ".join(channel.attributes)
        message = f"The method 'joint' fits attributes one by one; {names} were disguised together."
        raise MethodError(message, hint="use method='direct'.")
    return Axis.of(channel, coding.size)
