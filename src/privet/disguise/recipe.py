"""Recipes: a plan worked out for a schema; raw columns in, released columns out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import code_type, of_class
from privet.compiled import in_threads
from privet.errors import DataError
from privet.frames import columns as columns_of
from privet.frames import cut
from privet.progress import track
from privet.randomness import fresh_words
from privet.release import Part, Release
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Mask
    from privet.disguise.treatment import Treatment
    from privet.disguise.units import Kept
    from privet.frames import Column
    from privet.randomness import Randomness
    from privet.schema import Attribute, Schema
    from privet.table import Table

__all__ = ["ROWS", "Lot", "Recipe", "Step", "stream_of"]

_WORDS = 1 << 32
_LOTS = 1 << 20  # the stream, of those for shuffles, that says which lot a record is in
_STREAMS = 1 << 10  # for shuffles of a part
ROWS = 1 << 17  # worked on by one thread in one go; below what a channel itself hands to threads


def stream_of(part: int, stream: int) -> int:
    """Return the number of a stream for shuffles of a part."""
    return part * _STREAMS + stream


@dataclass(frozen=True)
class Lot:
    """The records whose word lies from ``begin`` up to ``end``: a random share, whatever they hold.

    >>> Lot.shares([0.25, 0.75])[1].share
    0.75
    """

    begin: int = 0
    end: int = _WORDS

    @classmethod
    def shares(cls, shares: Sequence[float]) -> list[Lot]:
        """Return lots that hold all records between them, each about its share."""
        heaped = np.cumsum(shares) / np.sum(shares)
        ends = [0, *(round(float(share) * _WORDS) for share in heaped[:-1]), _WORDS]
        return [cls(begin, end) for begin, end in pairwise(ends)]

    @property
    def share(self) -> float:
        """The share of all records that is expected in the lot."""
        return (self.end - self.begin) / _WORDS

    def chosen(self, source: Randomness, start: int, rows: int) -> Mask | None:
        """Say which of the rows from ``start`` on are in the lot; None if all are."""
        if self.begin == 0 and self.end == _WORDS:
            return None
        words = source.shuffle_words(_LOTS, start, rows)
        return np.asarray((words >= self.begin) & (words < self.end))


@dataclass(frozen=True)
class Step:
    """The work for an attribute; ``place`` in the owner's schema is its stream of words."""

    place: int
    attribute: Attribute
    treatment: Treatment
    released: Attribute
    coding: Coding | None
    channel: Channel | None

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.attribute.name

    @property
    def type(self) -> np.dtype[Any]:
        """The type of the released column."""
        if self.coding is None:
            return np.dtype(np.float64)
        size = self.coding.size if self.channel is None else self.channel.output_size
        return np.dtype(code_type(size))

    def apply(self, column: Column, source: Randomness, start: int) -> NDArray[Any]:
        """Return what is released for a raw column whose first row is ``start``."""
        codes = self.treatment.encode(self.attribute, self.coding, column)
        if self.channel is None:
            return codes
        return self.channel.disguise(codes, source, self.place, start)

    def code(self, answers: Mapping[str, Any]) -> NDArray[Any]:
        """Return the code of a record, as an array of a single element."""
        if self.name not in answers:
            raise DataError(f"The record has no {self.name!r}.", column=self.name)
        if self.coding is None or (self.channel is not None and self.channel.numbers):
            message = f"Attribute {self.name!r} is released as a number, which has no code."
            raise DataError(message, hint="use disguise for such plans.", column=self.name)
        value = answers[self.name]
        missing = value is None and not self.attribute.is_categorical
        column = np.array([math.nan]) if missing else columns_of({self.name: [value]})[self.name]
        return self.treatment.encode(self.attribute, self.coding, column)


@dataclass(frozen=True)
class Recipe:
    """All steps of a plan for a schema, the schema of the release, and what was done to whom."""

    schema: Schema
    steps: tuple[Step, ...]
    treatments: dict[str, str]
    groups: tuple[Channel, ...] = ()
    lot: Lot = field(default_factory=Lot)
    kept: Kept | None = None

    def chosen(self, source: Randomness, start: int, rows: int) -> Mask | None:
        """Say which of the rows from ``start`` on are released; None if all are."""
        chosen = self.lot.chosen(source, start, rows)
        if self.kept is None or self.kept.rows is None:
            return chosen
        kept = self.kept.rows[start : start + rows]
        return kept if chosen is None else chosen & kept

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of single attributes, in order, then those of groups."""
        return (*(step.channel for step in self.steps if step.channel is not None), *self.groups)

    @property
    def types(self) -> dict[str, np.dtype[Any]]:
        """The types of the released columns."""
        return {step.name: step.type for step in self.steps}

    def record(self, answers: Mapping[str, Any]) -> dict[str, int]:
        """Return what is released for a record, from fresh randomness: a code per attribute.

        For records disguised one at a time, where they arise; ``Release.of_disguised`` gathers
        them. All released columns must be coded.

        >>> from privet.disguise import Plan, Substitution
        >>> from privet.schema import Attribute, Schema
        >>> schema = Schema([Attribute.categorical("smoker", ["yes", "no"])])
        >>> recipe = Plan({"smoker": Substitution(gamma=3)}).recipe(schema)
        >>> recipe.record({"smoker": "yes"})["smoker"] in (0, 1)
        True
        """
        codes = {step.name: step.code(answers) for step in self.steps}
        words = fresh_words(sum(channel.words for channel in self.channels))
        for channel in self.channels:
            taken, words = words[: channel.words], words[channel.words :]
            drawn = channel.draw(channel.join(codes), taken)
            codes.update(channel.part(drawn))
        return {name: int(code[0]) for name, code in codes.items()}

    def part(self, table: Table, beside: Recipe | None = None) -> Part:
        """Return the part that a table is, ``beside`` the part of another recipe.

        Cells that are not those of the other part stand in this part.
        """
        theirs = {} if beside is None else {step.name: step.coding for step in beside.steps}
        own = {
            step.name: step.coding
            for step in self.steps
            if step.coding is not None
            and (coding := theirs.get(step.name)) is not None
            and coding.to_dict() != step.coding.to_dict()
        }
        return Part(table, self.channels, codings=own)

    def release(
        self, parts: Iterable[Part], *, seeded: bool, shuffled: bool, drawn: bool = False
    ) -> Release:
        """Return the release of some parts, the first of them made by this recipe."""
        codings = {step.name: step.coding for step in self.steps}
        return Release(
            self.schema,
            codings,
            tuple(parts),
            self.treatments,
            seeded=seeded,
            shuffled=shuffled,
            drawn=drawn,
            people=None if self.kept is None else self.kept.people,
        )

    def apply(self, raw: Mapping[str, Column], rows: int, source: Randomness) -> MemoryTable:
        """Return the released table of raw columns in memory, made on all threads."""

        def worked(start: int) -> dict[str, NDArray[Any]]:
            piece = {name: cut(column, start, start + ROWS) for name, column in raw.items()}
            return self.work(piece, source, start, start)

        starts = range(0, rows, ROWS)
        done = track(in_threads(worked, starts), "disguising", len(starts))
        if self.lot != Lot() or (self.kept is not None and self.kept.rows is not None):
            pieces = list(done)
            return MemoryTable(
                {name: np.concatenate([h[name] for h in pieces]) for name in self.types}
            )
        out = {name: np.empty(rows, kind) for name, kind in self.types.items()}
        for start, columns in zip(starts, done, strict=True):
            for name, column in columns.items():
                out[name][start : start + ROWS] = column
        return MemoryTable(out)

    def work(
        self,
        raw: Mapping[str, Column],
        source: Randomness,
        start: int,
        row: int,
        file: Path | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Return the released columns of a batch: of those rows that are in the lot.

        ``start`` is the place of its first row in the table, ``row`` that in its ``file``:
        a complaint about a value tells the latter.
        """
        try:
            out = {step.name: step.apply(raw[step.name], source, start) for step in self.steps}
        except DataError as error:
            raise of_class(error, self.schema.goal).placed(file, row=row) from None
        for channel in self.groups:
            # The first attribute's stream: its own step takes no words from it.
            place = next(step.place for step in self.steps if step.name == channel.attributes[0])
            out.update(channel.part(channel.disguise(channel.join(out), source, place, start)))
        chosen = self.chosen(source, start, len(next(iter(out.values()))))
        return out if chosen is None else {name: column[chosen] for name, column in out.items()}
