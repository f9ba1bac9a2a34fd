"""A release: signed parts of disguised records, what they mean, and what is promised of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.channel.noise import Noise
from privet.coding import code_type
from privet.errors import MethodError, ReleaseError
from privet.randomness import Randomness
from privet.release.claim import Claim

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from privet.channel import Channel
    from privet.coding import Coding
    from privet.release.anonymity import Anonymity
    from privet.release.unbounded import UnboundedNoise
    from privet.release.universe import Universe
    from privet.schema import Schema
    from privet.table import MemoryTable, Table

__all__ = ["Part", "Release"]

IN_MEMORY = 50_000_000  # rows of a release in order that `split` is ready to shuffle


@dataclass(frozen=True)
class Part:
    """A table of released records with the channels they went through.

    Counts of a part are added with its ``sign``. An attribute without a channel is as it was.
    """

    table: Table
    channels: tuple[Channel, ...]
    sign: int = 1

    def channel(self, name: str) -> Channel | None:
        """Return the channel of an attribute, or None."""
        return next((one for one in self.channels if name in one.attributes), None)


@dataclass(frozen=True, eq=False)
class Release:
    """What an owner gives away: disguised records, and the card that explains them.

    ``schema`` has the attributes as released: a value class is a coarser domain, and what is
    withheld is not there. ``codings`` says for each column what its codes stand for (before the
    channel); None means that the column holds exact numbers. ``treatments`` names what was done to
    every attribute of the owner's schema.

    With a ``universe`` the parts are to be taken away from it; their tables have a column more, how
    often each record is there. ``anonymity`` is the k that every group of records keeps to;
    ``unbounded`` tells of noise that promises nothing.
    """

    schema: Schema
    codings: dict[str, Coding | None]
    parts: tuple[Part, ...]
    treatments: dict[str, str] = field(default_factory=dict)
    seeded: bool = False
    shuffled: bool = True
    universe: Universe | None = None
    anonymity: Anonymity | None = None
    unbounded: UnboundedNoise | None = None

    def __post_init__(self) -> None:
        for part in self.parts:
            if set(part.table.names) != set(self.column_names):
                message = "The columns of a part are not those of the schema."
                raise ReleaseError(message)
            for channel in part.channels:
                _check_channel(channel, self.codings)
                if isinstance(channel, Noise):
                    _check_range(channel, self.schema)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns of every part's table, in order."""
        if self.universe is None:
            return self.schema.names
        return [*self.universe.columns, self.universe.count_column]

    @cached_property
    def rows(self) -> int:
        """The number of records in all parts; that of the originals if there is a universe."""
        if self.universe is None:
            return sum(part.table.rows for part in self.parts)
        first = self.parts[0].table
        return sum(int(self.universe.counts(batch).sum()) for batch in first.batches())

    @property
    def passes(self) -> int:
        """How often all records of a part were read by now, those of all parts together."""
        return sum(part.table.meter.passes for part in self.parts)

    @cached_property
    def claim(self) -> Claim:
        """What is promised, computed from the channels."""
        return Claim.of(
            self.treatments or _treatments(self.schema, self.parts),
            [part.channels for part in self.parts],
            target=self.schema.target,
            learned=self.schema.learned,
            seeded=self.seeded,
            formal=self.unbounded is None and all(part.sign > 0 for part in self.parts),
            notes=tuple(
                note
                for one in (self.universe, self.anonymity, self.unbounded)
                if one
                for note in one.notes()
            ),
        )

    def __repr__(self) -> str:
        stamp = ", NOT PRIVATE: drawn from a seed" if self.seeded else ""
        return f"<Release of {self.rows:,} records, {len(self.schema.names)} columns{stamp}>"

    # Folders

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the release as a folder: all of it, or nothing."""
        from privet.release.folder import write_release

        write_release(self, path, overwrite=overwrite)

    @classmethod
    def read(cls, path: str | Path, *, spark: Any = None) -> Release:
        """Read a release from a folder, verifying all of it.

        The card, the checksum of every file, the claim and the range of every code are checked;
        the records stay on disk. With a ``spark`` session they are checked and counted at its
        workers, who must see the folder under the same path.
        """
        from privet.release.folder import read_release

        return read_release(path, spark)

    def verify(self) -> None:
        """Check that every code and number lies in its domain; raise ``ReleaseError`` if not."""
        for number, part in enumerate(self.parts):
            if part.table.rows:
                _verify(number, part, self)
        for one in (self.universe, self.anonymity, self.unbounded):
            if one is not None:
                one.verify(self)

    # Records

    def split(self, fraction: float) -> tuple[Release, Release]:
        """Return two releases, the first with ``fraction`` of each part's records.

        Which records go where is random: by place where rows are shuffled, else drawn anew.
        """
        if not 0 < fraction < 1:
            message = "The fraction to split a release by must be above 0 and below 1."
            raise ReleaseError(message)
        if any(part.sign < 0 for part in self.parts):
            message = "A release with negative parts cannot be split: the parts belong together."
            raise ReleaseError(message)
        tables = [part.table if self.shuffled else _shuffled(part.table) for part in self.parts]
        cuts = [math.floor(table.rows * fraction + 0.5) for table in tables]
        if not all(0 < cut < table.rows for cut, table in zip(cuts, tables, strict=True)):
            message = "The release has too few records to split them so."
            raise ReleaseError(message)
        first = zip(self.parts, tables, cuts, strict=True)
        second = zip(self.parts, tables, cuts, strict=True)
        return (
            self._with(replace(part, table=table.slice(0, cut)) for part, table, cut in first),
            self._with(
                replace(part, table=table.slice(cut, table.rows)) for part, table, cut in second
            ),
        )

    def _with(self, parts: Any) -> Release:
        return replace(self, parts=tuple(parts), shuffled=True)

    def to_frame(self, *, representative: str = "centre", seed: int | None = None) -> Any:
        """Return the records as released, decoded for people, as an Arrow table in memory.

        A cell of numbers is shown by its ``"centre"`` or by a ``"random"`` point of it (DXZ §2.2),
        drawn anew for every record; a ``seed`` draws the same points again.
        """
        import pyarrow as pa

        if representative not in ("centre", "random"):
            message = f"There is no representative {representative!r} of a cell."
            raise MethodError(message, hint="'centre' or 'random'.")
        rng = np.random.default_rng(seed) if representative == "random" else None
        if len(self.parts) != 1 or self.parts[0].sign < 0:
            message = "Only a release of one part can be shown as a table."
            raise MethodError(message)
        part = self.parts[0]
        table = part.table.collect(IN_MEMORY)
        shown = {}
        for name, coding in self.codings.items():
            column = table.columns[name]
            channel = part.channel(name)
            if channel is not None and not channel.numbers and channel.outputs != channel.inputs:
                message = f"The released values of {name!r} have no names of their own to show."
                raise MethodError(message)
            values = column if coding is None else coding.decode(column)
            if rng is not None and coding is not None and coding.ordered:
                values = _random_points(coding, column, rng, whole=self.schema[name].integer)
            shown[name] = pa.array(values, from_pandas=True)
        return pa.table(shown)

    def column_type(self, name: str) -> np.dtype[Any]:
        """Return the type a column is stored in: the narrowest that holds its codes."""
        if self.universe is not None:
            if name == self.universe.count_column:
                return np.dtype(np.float64)
            return np.dtype(code_type(self.universe.stored[self.universe.columns.index(name)]))
        coding = self.codings[name]
        if coding is None:
            return np.dtype(np.float64)
        return np.dtype(code_type(max(released_size(part, name, coding) for part in self.parts)))


def _random_points(coding: Coding, codes: Any, rng: np.random.Generator, *, whole: bool) -> Any:
    """Return a point of each record's cell, all equally likely; a missing one stays missing."""
    sides = (np.asarray(side, np.float64) for side in (coding.lower, coding.upper))
    lower, upper = (np.append(side, np.nan) for side in sides)
    places = rng.random(len(codes))
    if whole:  # a cell holds its first and its last number
        return np.floor(lower[codes] + places * (upper[codes] - lower[codes] + 1))
    return lower[codes] + places * (upper[codes] - lower[codes])


def released_size(part: Part, name: str, coding: Coding) -> int:
    """Return how many codes a column of a part can hold after its channel."""
    channel = part.channel(name)
    return coding.size if channel is None else channel.outputs[channel.attributes.index(name)]


def _check_channel(channel: Channel, codings: Mapping[str, Coding | None]) -> None:
    for name, size in zip(channel.attributes, channel.inputs, strict=True):
        coding = codings.get(name)
        fits = coding is not None and coding.size == size
        if channel.numbers:
            fits = name in codings and coding is None
        if not fits:
            message = f"The channel of {name!r} does not fit the column's codes."
            raise ReleaseError(message)


def _check_range(noise: Noise, schema: Schema) -> None:
    if (noise.low, noise.high) != schema[noise.attribute].range:
        message = f"The noise of {noise.attribute!r} does not fit the attribute's range."
        raise ReleaseError(message)


def _treatments(schema: Schema, parts: tuple[Part, ...]) -> dict[str, str]:
    covered = {name for part in parts for one in part.channels for name in one.attributes}
    return {name: "substitution" if name in covered else "exact" for name in schema.names}


def _shuffled(table: Table) -> MemoryTable:
    held = table.collect(IN_MEMORY)
    with Randomness.system() as source:
        return held.take(source.permutation(0, held.rows).astype(np.int64))


def _verify(number: int, part: Part, release: Release) -> None:
    """Count the cells outside their domain, column by column, in one pass."""
    sizes = {
        name: None if coding is None else released_size(part, name, coding)
        for name, coding in release.codings.items()
    }
    if release.universe is not None:
        sizes = dict(zip(release.universe.columns, release.universe.stored, strict=True))

    def outside(batch: Any) -> tuple[Any, ...]:
        return (
            np.array(
                [
                    _outside(batch.columns[name], size, release.schema, name, part)
                    for name, size in sizes.items()
                ],
                np.int64,
            ),
        )

    (wrong,) = part.table.count(outside, "verifying")
    for name, count in zip(sizes, wrong, strict=True):
        if count:
            message = f"Part {number} of the release has {int(count):,} values of {name!r} outside "
            message += "its domain."
            raise ReleaseError(message, hint="ask the owner for the release again.")


def _outside(column: Any, size: int | None, schema: Schema, name: str, part: Part) -> int:
    if size is not None:
        return 0 if len(column) == 0 or int(column.max()) < size else int((column >= size).sum())
    channel = part.channel(name)
    if isinstance(channel, Noise):
        return channel.outside(column)
    attribute = schema[name]
    low, high = attribute.range
    inside = (column >= low) & (column <= high)
    if attribute.missing == "category":
        inside |= np.isnan(column)
    return int(len(column) - inside.sum())
