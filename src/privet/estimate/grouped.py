"""Weighing the parts whose groups have states, and those whose records can be collapsed.

A record's weight at a node is the product over groups of attributes that went through one channel
together (Zhan and others, 2004). For a group with states the weight of its whole event, path and
candidate included, depends only on the state, so a group of fourteen attributes costs no more than
fourteen: its joint codes are never listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from privet.channel import Flip, Stated
from privet.coding import Box, code_type
from privet.compiled import in_threads, threads
from privet.estimate.base import unit
from privet.estimate.collapse import TIMES, collapse, may_collapse
from privet.estimate.weighing_kernels import weigh_boxes, weigh_states
from privet.release.release import released_size
from privet.table import Batch, MemoryTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Floats, Ints
    from privet.release import Part
    from privet.table import IntArrays, Table

__all__ = ["Counter", "Layout", "TableCounter", "fits"]

WORTH = 1 << 16  # records from which on collapsing pays for itself


def fits(part: Part, codings: Sequence[Coding], target: str, classes: int) -> bool:
    """Whether a part is to be weighed so: its groups have states, or it can be collapsed."""
    large = [
        channel
        for channel in part.channels
        if isinstance(channel, Stated) or len(channel.attributes) > 1
    ]
    if large:
        return all(
            isinstance(channel, Stated) and target not in channel.attributes for channel in large
        )
    sizes = [released_size(part, coding.name, coding) for coding in codings]
    return part.table.rows > WORTH and may_collapse(part.table.rows, [*sizes, classes])


@dataclass(frozen=True)
class Program:
    """Boxes as the kernels read them: tested attributes, marks, factors, weights of states."""

    path: Ints
    marks: NDArray[np.uint8]
    factors: Floats
    weights: Floats
    bounds: Floats

    def __len__(self) -> int:
        return len(self.path)

    def arrays(self, boxes: slice = slice(None)) -> tuple[Any, ...]:
        """Return what a kernel takes for some of the boxes."""
        return self.path[boxes], self.marks[boxes], self.factors[boxes], self.weights[boxes]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the cells of each attribute lie, and what a box means for each group.

    It is made from the card alone: whoever knows the channels and the number of records can read
    sums that somebody else added up.
    """

    codings: tuple[Coding, ...]
    channels: tuple[Channel, ...]
    target: str
    classes: int
    rows: int

    @cached_property
    def groups(self) -> list[tuple[Channel | None, tuple[int, ...]]]:
        """Each group's channel, and the places of its attributes."""
        places = {coding.name: place for place, coding in enumerate(self.codings)}
        channels = {name: channel for channel in self.channels for name in channel.attributes}
        pairs: list[tuple[Channel | None, tuple[int, ...]]] = []
        covered: set[str] = set()
        for name, place in places.items():
            if name in covered:
                continue
            channel = channels.get(name)
            names = (name,) if channel is None else channel.attributes
            pairs.append((channel, tuple(places[each] for each in names) if channel else (place,)))
            covered.update(names)
        return pairs

    @cached_property
    def group(self) -> Ints:
        """The group of each attribute."""
        group = np.empty(len(self.codings), np.int64)
        for number, (_, places) in enumerate(self.groups):
            group[list(places)] = number
        return group

    @cached_property
    def states(self) -> Ints:
        """How many states each group has; 0 if its weight goes by its attribute's code."""
        return np.array(
            [channel.states if isinstance(channel, Stated) else 0 for channel, _ in self.groups],
            np.int64,
        )

    @cached_property
    def sizes(self) -> Ints:
        """How many observed codes each attribute has."""
        sizes = np.array([coding.size for coding in self.codings], np.int64)
        for channel, places in self.groups:
            if channel is not None:
                sizes[list(places)] = channel.outputs
        return sizes

    @cached_property
    def offsets(self) -> Ints:
        """Where each attribute's cells start, and the end."""
        cells = np.maximum(self.states[self.group], 1) * self.sizes
        return np.cumsum([0, *cells]).astype(np.int64)

    @cached_property
    def fixed(self) -> tuple[Any, ...]:
        """What kernels take for all boxes: groups, all bits of their states, whether they kill."""
        full = np.maximum(self.states - 1, 0).astype(np.uint8)
        kills = [channel is None or isinstance(channel, Flip) for channel, _ in self.groups]
        return self.group, full, np.array(kills)

    @cached_property
    def labels(self) -> Floats | None:
        """The inverse of the class's channel, or None."""
        channel = next(
            (channel for channel in self.channels if self.target in channel.attributes), None
        )
        return None if channel is None else channel.inverse()

    @property
    def observed_classes(self) -> int:
        """How many classes can be observed."""
        return self.classes if self.labels is None else self.labels.shape[1]

    def program(self, boxes: Sequence[Box]) -> Program:
        """Work the boxes out for the kernels, with a bound on a record's weight in each."""
        order = [a for _, places in self.groups for a in places]  # group by group
        names = [coding.name for coding in self.codings]
        tested = [[a for a in order if names[a] in box.masks] for box in boxes]
        longest = max([1, *map(len, tested)])
        widest = int(self.sizes.max())
        path = np.full((len(boxes), longest), -1)
        marks = np.zeros((len(boxes), longest, widest), np.uint8)
        factors = np.zeros((len(boxes), longest, widest))
        weights = np.ones((len(boxes), len(self.groups), max(1, int(self.states.max()))))
        bounds = np.ones(len(boxes))
        for i, (box, attributes) in enumerate(zip(boxes, tested, strict=True)):
            path[i, : len(attributes)] = attributes
            for k, a in enumerate(attributes):
                channel, size = self.groups[self.group[a]][0], int(self.sizes[a])
                mask = box.masks[self.codings[a].name]
                if isinstance(channel, Stated):
                    marks[i, k, :size] = channel.marks(self.codings[a].name, mask)
                else:
                    factors[i, k, :size] = mask if channel is None else channel.weights(box)
                    bounds[i] *= max(1.0, float(np.abs(factors[i, k]).max()))
            for g in set(self.group[attributes].tolist()):
                channel = self.groups[g][0]
                if isinstance(channel, Stated):
                    states = channel.state_weights(box)
                    weights[i, g, : len(states)] = states
                    bounds[i] *= max(1.0, float(np.abs(states).max()))
        return Program(path, marks, factors, weights, bounds)

    def units(self, program: Program) -> Floats:
        """Return the units of first and second sums for every box."""
        rows = self.rows
        return np.array([(unit(rows, bound), unit(rows, bound**2)) for bound in program.bounds])

    def table(
        self, name: str, box: Box, first: Floats, second: Floats
    ) -> tuple[Floats | None, Floats, Floats]:
        """Return one attribute's weights at a node (None: none needed), and its two sums."""
        place = next(a for a, coding in enumerate(self.codings) if coding.name == name)
        cells = slice(self.offsets[place], self.offsets[place + 1])
        sums, squares = first[cells], second[cells]
        channel = self.groups[self.group[place]][0]
        mask = box.mask(name, self.codings[place].size)
        if channel is None:
            return None, sums * mask[:, None], squares * mask[:, None]
        if not isinstance(channel, Stated):
            return channel.inverse() * mask[:, None], sums, squares
        weights = channel.value_weights(box, name).reshape(len(mask), -1)
        if self.certain[self.group[place]]:  # a count like any other
            return None, weights @ sums, weights @ squares
        return weights, sums, squares

    @cached_property
    def certain(self) -> list[bool]:
        """Whether nothing in a group is left to chance."""
        return [channel is None or channel.entropy() == 0 for channel, _ in self.groups]

    def values(self, name: str, boxes: Sequence[Box]) -> Floats:
        """Return boxes × values × outputs: the weights of an attribute at some nodes."""
        place = next(a for a, coding in enumerate(self.codings) if coding.name == name)
        channel, size = self.groups[self.group[place]][0], self.codings[place].size
        if isinstance(channel, Stated) and not isinstance(channel, Flip):
            return np.stack([channel.value_weights(box, name).reshape(size, -1) for box in boxes])
        if channel is None:
            whole = np.eye(size)
        elif isinstance(channel, Stated):
            whole = channel.value_weights(Box(), name).reshape(size, -1)
        else:
            whole = channel.inverse()
        masks = np.array([box.mask(name, size) for box in boxes])
        weights: Floats = whole * masks[:, :, None]
        return weights


class Counter(Protocol):
    """Adds up the weights of records; it may sit with another party."""

    def count(self, boxes: Sequence[Box]) -> IntArrays:
        """Return first and second sums in whole units, boxes × cells × observed classes."""
        ...

    def correct(self, boxes: Sequence[Box], right: Floats) -> tuple[Floats, Floats]:
        """Return Σa and Σa² of some sums, a being what a record weighs as right.

        ``right`` is boxes × classes × sums.
        """
        ...


class TableCounter:
    """Adds up the weights of a table's records, each distinct record once where there are few."""

    def __init__(self, layout: Layout, table: Table) -> None:
        self.layout = layout
        self._table = table
        self._collapsed: MemoryTable | None = None
        self._tried = False

    @property
    def table(self) -> Table:
        """The records that are counted; collapsed when first asked for, if that is possible."""
        if not self._tried:
            sizes = dict(zip(self._names, self.layout.sizes.tolist(), strict=True))
            whole = {**sizes, self.layout.target: self.layout.observed_classes}
            target = self.layout.target

            def codes(batch: Batch) -> list[NDArray[Any]]:
                return [*self._codes(batch), batch.columns[target]]

            self._collapsed = collapse(self._table, whole, codes)
            self._tried = True
        return self._table if self._collapsed is None else self._collapsed

    @property
    def _names(self) -> list[str]:
        return [coding.name for coding in self.layout.codings]

    def _codes(self, batch: Batch) -> list[NDArray[Any]]:
        pairs = [(coding, batch.columns[coding.name]) for coding in self.layout.codings]
        return [
            column if column.dtype.kind == "u" else coding.encode(column)
            for coding, column in pairs
        ]

    def _matrix(self, batch: Batch) -> tuple[NDArray[Any], NDArray[Any], Ints]:
        kind = code_type(int(self.layout.sizes.max()))
        matrix = np.empty((len(batch), len(self.layout.codings)), kind)
        for place, column in enumerate(self._codes(batch)):
            matrix[:, place] = column
        times = batch.columns.get(TIMES) if self._collapsed is not None else None
        if times is None:
            times = np.ones(len(batch), np.int64)
        return matrix, np.ascontiguousarray(batch.columns[self.layout.target]), times

    def count(self, boxes: Sequence[Box]) -> IntArrays:
        """Return first and second sums in whole units, boxes × cells × observed classes."""
        layout = self.layout
        program = layout.program(boxes)
        units = layout.units(program)
        cells, classes = int(layout.offsets[-1]), layout.observed_classes
        table = self.table

        def some(chosen: slice, batch: Batch) -> IntArrays:
            shape = (len(program.path[chosen]), cells, classes)
            sums = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
            records = self._matrix(batch)
            fixed = (layout.offsets, layout.sizes, *layout.fixed)
            asked: tuple[Any, ...] = (
                *records,
                *fixed,
                *program.arrays(chosen),
                units[chosen],
                *sums,
            )
            weigh_states(*asked)
            return sums

        if self._collapsed is None or table.rows == 0:
            return table.count(lambda batch: some(slice(None), batch), "weighing")
        # Few records and many boxes: the threads share the boxes.
        step = max(1, -(-len(boxes) // (4 * threads())))
        pieces = [slice(at, at + step) for at in range(0, len(boxes), step)]
        batch = Batch(0, self._collapsed.columns)
        done = list(in_threads(lambda piece: some(piece, batch), pieces))
        return tuple(np.concatenate(sums) for sums in zip(*done, strict=True))

    def correct(self, boxes: Sequence[Box], right: Floats) -> tuple[Floats, Floats]:
        """Return Σa and Σa² of some sums, a being what a record weighs as right.

        ``right`` is boxes × classes × sums.
        """
        layout = self.layout
        program = layout.program(boxes)
        rows, bounds = observed_right(right, layout.labels, program.bounds)
        units = np.array([[unit(layout.rows, b) for b in bounds**power] for power in (1, 2)])

        def work(batch: Batch) -> IntArrays:
            out = np.zeros(units.shape, np.int64)
            given = (*self._matrix(batch), *layout.fixed, *program.arrays())
            asked: tuple[Any, ...] = (*given, rows, units, out)
            weigh_boxes(*asked)
            return (out,)

        (sums,) = self.table.count(work, "scoring")
        return sums[0] / units[0], sums[1] / units[1]


def observed_right(right: Floats, labels: Floats | None, bounds: Floats) -> tuple[Floats, Floats]:
    """Return what observed classes weigh as right, boxes × classes × sums, and a record at most.

    ``labels`` inverts the class's channel; ``bounds`` says what a record weighs in a box at most.
    """
    rows = right if labels is None else np.einsum("bcn,co->bon", right, labels)
    most: Floats = np.maximum(1.0, (bounds[:, None] * np.abs(rows).max(1)).sum(0))
    return np.ascontiguousarray(rows), most
