"""Recipes: a plan worked out for a schema; raw columns in, released columns out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import code_type
from privet.compiled import in_threads
from privet.errors import DataError
from privet.frames import cut
from privet.progress import track
from privet.release import Part, Release
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding
    from privet.disguise.treatment import Treatment
    from privet.frames import Column
    from privet.randomness import Randomness
    from privet.schema import Attribute, Schema

__all__ = ["ROWS", "Recipe", "Step"]

ROWS = 1 << 17  # worked on by one thread in one go; below what a channel itself hands to threads


@dataclass(frozen=True)
class Step:
    """The work for one attribute; ``place`` in the owner's schema is its stream of words."""

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


@dataclass(frozen=True)
class Recipe:
    """All steps of a plan for one schema, the schema of the release, and what was done to whom."""

    schema: Schema
    steps: tuple[Step, ...]
    treatments: dict[str, str]
    groups: tuple[Channel, ...] = ()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of single attributes, in order, then those of groups."""
        return (*(step.channel for step in self.steps if step.channel is not None), *self.groups)

    @property
    def types(self) -> dict[str, np.dtype[Any]]:
        """The types of the released columns."""
        return {step.name: step.type for step in self.steps}

    def release(self, parts: Iterable[Part], *, seeded: bool, shuffled: bool) -> Release:
        """Return the release of some parts made by this recipe."""
        codings = {step.name: step.coding for step in self.steps}
        return Release(
            self.schema, codings, tuple(parts), self.treatments, seeded=seeded, shuffled=shuffled
        )

    def apply(self, raw: Mapping[str, Column], rows: int, source: Randomness) -> MemoryTable:
        """Return the released table of raw columns in memory, made on all threads."""
        out = {name: np.empty(rows, kind) for name, kind in self.types.items()}

        def one(start: int) -> None:
            piece = {name: cut(column, start, start + ROWS) for name, column in raw.items()}
            for name, column in self.work(piece, source, start, start, "").items():
                out[name][start : start + ROWS] = column

        starts = range(0, rows, ROWS)
        for _ in track(in_threads(one, starts), "disguising", len(starts)):
            pass
        return MemoryTable(out)

    def work(
        self, raw: Mapping[str, Column], source: Randomness, start: int, row: int, where: str
    ) -> dict[str, NDArray[Any]]:
        """Return the released columns of one batch.

        ``start`` is the place of its first row in the table, ``row`` that in its file, named by
        ``where``: a complaint about a value tells the latter.
        """
        try:
            out = {step.name: step.apply(raw[step.name], source, start) for step in self.steps}
        except DataError as error:
            placed = DataError(_placed(str(error), row, where))
            placed.hint = error.hint
            raise placed from None
        for channel in self.groups:
            # The first attribute's stream: its own step takes no words from it.
            place = next(one.place for one in self.steps if one.name == channel.attributes[0])
            out.update(channel.part(channel.disguise(channel.join(out), source, place, start)))
        return out


def _placed(message: str, row: int, where: str) -> str:
    """Count rows from the beginning of the file, not of the batch."""
    return re.sub(
        r"first in row (\d+)", lambda found: f"first in row {int(found[1]) + row}{where}", message
    )
