"""Weighing: the records of one part of a release in any boxes, by inverse weights.

The number of originals in a box is estimated without bias by Σw, w being the product over groups of
what a released value weighs for the group's condition. A sum of such counts, over boxes and classes
with any coefficients, is the sum over records of one number each; its variance over the disguise,
with the originals fixed, is Σv² less the sum of squares of what v is expected to be.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.channel.base import Stated
from privet.coding import Box
from privet.errors import MethodError
from privet.estimate.base import unit
from privet.estimate.weighing_kernels import add_up

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Floats
    from privet.release import Part
    from privet.table import Batch, IntArrays

__all__ = ["Sums", "Weigher"]

BLOCK = 1 << 11  # records weighed at once: their weights fit into a cache


class Sums(NamedTuple):
    """Σw and Σw² of records, boxes × observed classes."""

    first: Floats
    second: Floats


class _Condition(NamedTuple):
    """What one group asks of a record: a weight for each code, or for each state of several."""

    names: tuple[str, ...]
    channel: Channel | None
    weights: Floats
    marks: tuple[NDArray[np.uint8], ...] = ()

    def values(self, columns: dict[str, NDArray[Any]]) -> Floats:
        """Return what each record weighs."""
        codes = columns[self.names[0]]
        if self.marks:
            codes = self.marks[0][codes]
            for name, mark in zip(self.names[1:], self.marks[1:], strict=True):
                codes = codes & mark[columns[name]]
        elif self.channel is not None:
            codes = self.channel.join(columns)
        values: Floats = self.weights[codes]
        return values


class Weigher:
    """Weighs one part's records; ``readable`` are the attributes whose channels allow it."""

    def __init__(self, part: Part, codings: Sequence[Coding], target: str, classes: int) -> None:
        self.part = part
        self._codings = {coding.name: coding for coding in codings}
        self._target = target
        channel = part.channel(target)
        if channel is not None and len(channel.attributes) > 1:
            message = f"The class {target!r} went through a channel together with an attribute."
            raise MethodError(message)
        self.labels = np.eye(classes) if channel is None else channel.inverse()
        self.readable = frozenset(name for name in self._codings if self._is_readable(name))
        self._conditions: dict[Hashable, _Condition] = {}

    @property
    def sign(self) -> int:
        """How the part counts."""
        return self.part.sign

    @property
    def rows(self) -> int:
        """How many records the part has."""
        return self.part.table.rows

    def _is_readable(self, name: str) -> bool:
        if name not in self.part.table.names:
            return False
        channel = self.part.channel(name)
        if channel is None:
            return True
        if channel.numbers or not set(channel.attributes) <= set(self._codings):
            return False
        if isinstance(channel, Stated):
            return True
        try:
            channel.inverse()
        except MethodError:
            return False
        return True

    def group(self, name: str) -> tuple[str, ...]:
        """Return the attributes that went through its channel, itself among them."""
        channel = self.part.channel(name)
        return (name,) if channel is None else channel.attributes

    def is_plain(self, name: str) -> bool:
        """Whether an attribute's values were released as they are."""
        return self.part.channel(name) is None

    def weights(self, boxes: Sequence[Box], columns: dict[str, NDArray[Any]], rows: int) -> Floats:
        """Return what each record weighs in each box, boxes × records."""
        return self._weights(self._program(boxes)[0], columns, np.empty((len(boxes), rows)))

    def target(self, batch: Batch, rows: slice) -> NDArray[Any]:
        """Return the observed classes of some records."""
        return batch.columns[self._target][rows]

    def count(self, work: Callable[[Batch], IntArrays], doing: str) -> IntArrays:
        """Add up over all records."""
        return self.part.table.count(work, doing)

    def _program(self, boxes: Sequence[Box]) -> tuple[list[list[Hashable]], Floats]:
        """Return the conditions of each box by their keys, and a bound on a record's weight."""
        program, bounds = [], np.ones(len(boxes))
        for place, box in enumerate(boxes):
            keys: list[Hashable] = []
            for name in box.masks:
                channel = self.part.channel(name)
                names = (name,) if channel is None else channel.attributes
                asked = tuple(name for name in names if name in box.masks)
                if asked[0] != name:
                    continue  # its group has been seen to
                key = tuple((name, box.masks[name].tobytes()) for name in asked)
                if key not in self._conditions:
                    own = Box({name: box.masks[name] for name in asked})
                    self._conditions[key] = self._condition(own, asked, channel)
                keys.append(key)
                bounds[place] *= max(1.0, float(np.abs(self._conditions[key].weights).max()))
            program.append(keys)
        return program, bounds

    def _condition(self, box: Box, asked: tuple[str, ...], channel: Channel | None) -> _Condition:
        if channel is None:
            return _Condition(asked, None, box.masks[asked[0]].astype(np.float64))
        if isinstance(channel, Stated):
            marks = tuple(channel.marks(name, box.masks[name]) for name in asked)
            return _Condition(asked, channel, channel.state_weights(box), marks)
        return _Condition(channel.attributes, channel, channel.weights(box))

    def columns(self, batch: Batch, rows: slice) -> dict[str, NDArray[Any]]:
        """Return the codes of some records, by attribute that can be weighed."""
        columns = {}
        for name, coding in self._codings.items():
            column = batch.columns.get(name)
            if column is not None and name in self.readable:
                piece = column[rows]
                columns[name] = piece if piece.dtype.kind == "u" else coding.encode(piece)
        return columns

    def _weights(
        self, program: Sequence[Sequence[Hashable]], columns: dict[str, NDArray[Any]], out: Floats
    ) -> Floats:
        """Write what each record weighs in each box, boxes × records."""
        values: dict[Hashable, Floats] = {}
        for weights, keys in zip(out, program, strict=True):
            weights[:] = 1.0
            for key in keys:
                if key not in values:
                    values[key] = self._conditions[key].values(columns)
                np.multiply(weights, values[key], out=weights)
        return out

    def _blocks(
        self, batch: Batch, program: Sequence[Sequence[Hashable]]
    ) -> Iterator[tuple[Any, Floats]]:
        """Yield the observed classes of some records, and their weights, boxes × records."""
        room = np.empty((len(program), min(BLOCK, len(batch))))
        for begin in range(0, len(batch), BLOCK):
            piece = slice(begin, min(begin + BLOCK, len(batch)))
            target = batch.columns[self._target][piece]
            out = room[:, : len(target)]
            yield target, self._weights(program, self.columns(batch, piece), out)

    def sums(self, boxes: Sequence[Box]) -> Sums:
        """Return Σw and Σw² in each box by observed class."""
        program, bounds = self._program(boxes)
        rows, observed = self.part.table.rows, self.labels.shape[1]
        units = np.array([(unit(rows, bound), unit(rows, bound * bound)) for bound in bounds])
        asked = {key: place for place, key in enumerate(dict.fromkeys(chain(*program)))}
        places = np.full((len(boxes), max(map(len, program), default=0)), -1)
        for own, keys in zip(places, program, strict=True):
            own[: len(keys)] = [asked[key] for key in keys]

        def work(batch: Batch) -> IntArrays:
            out = np.zeros((2, len(boxes), observed), np.int64)
            for begin in range(0, len(batch), BLOCK):
                piece = slice(begin, min(begin + BLOCK, len(batch)))
                target = batch.columns[self._target][piece]
                order = np.argsort(target, kind="stable")
                columns = {name: own[order] for name, own in self.columns(batch, piece).items()}
                values = np.empty((len(asked), len(order)))
                for weights, key in zip(values, asked, strict=True):
                    weights[:] = self._conditions[key].values(columns)
                ends = np.cumsum(np.bincount(target, minlength=observed))
                add_up(values, places, ends, units, out)
            return (out,)

        (sums,) = self.part.table.count(work, "measuring")
        return Sums(sums[0] / units[:, :1], sums[1] / units[:, 1:])

    def squares(self, boxes: Sequence[Box], coefficients: Floats) -> Floats:
        """Return Σv² of some sums, ``coefficients`` being sums × boxes × classes."""
        program, bounds = self._program(boxes)
        rows = self.part.table.rows
        asked = coefficients @ self.labels  # of observed classes
        highest = np.maximum(1.0, (np.abs(asked).max(2) * bounds).sum(1))
        units = np.array([unit(rows, bound * bound) for bound in highest])

        def work(batch: Batch) -> IntArrays:
            out = np.zeros(len(asked), np.int64)
            for target, weights in self._blocks(batch, program):
                summed = np.zeros((len(asked), len(target)))
                for place, weight in enumerate(weights):  # in one order, whatever the batch
                    for number in np.flatnonzero(asked[:, place].any(1)).tolist():
                        summed[number] += asked[number, place][target] * weight
                out += np.rint(summed * summed * units[:, None]).astype(np.int64).sum(1)
            return (out,)

        (sums,) = self.part.table.count(work, "measuring")
        squares: Floats = sums / units
        return squares
