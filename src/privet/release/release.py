"""A release: signed parts of disguised records, what they mean, and what is promised of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import code_type
from privet.release.claim import DRAWN, Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from privet.channel import Channel
    from privet.coding import Coding
    from privet.release.anonymity import Anonymity
    from privet.release.people import People
    from privet.release.unbounded import UnboundedNoise
    from privet.release.universe import Universe
    from privet.schema import Schema
    from privet.signing import PublicKey, Signer
    from privet.table import Table

__all__ = ["IN_MEMORY", "TUNED", "Part", "Release"]

TUNED = (
    "The plan was chosen by trying it on the records themselves: the choice is a fact about them."
)
IN_MEMORY = 50_000_000  # rows of a release that are ready to be shuffled or dealt out


@dataclass(frozen=True)
class Part:
    """A table of released records with the channels they went through.

    Counts of a part are added with its ``sign``. An attribute without a channel is as it was.
    ``codings`` has the cells of attributes that are cut otherwise here than in the other parts.
    """

    table: Table
    channels: tuple[Channel, ...]
    sign: int = 1
    codings: Mapping[str, Coding] = field(default_factory=dict)

    def channel(self, name: str) -> Channel | None:
        """Return the channel of an attribute, or None."""
        return next((channel for channel in self.channels if name in channel.attributes), None)


@dataclass(frozen=True, eq=False)
class Release:
    """What an owner publishes: disguised records, and the card that explains them.

    ``schema`` has the attributes as released: a value class is a coarser domain, and what is
    withheld is not there. ``codings`` says for each column what its codes stand for (before the
    channel); None means that the column holds exact numbers. ``treatments`` names what was done to
    every attribute of the owner's schema.

    ``drawn`` says that which part a record is in was drawn at random, whatever its values; a part
    may then lack columns. ``people`` says how many records a person has, if anybody knows.
    ``tuned`` says that the plan was chosen by trying it on the records.

    With a ``universe`` the parts are to be taken away from it; their tables have a column more, how
    often each record is there. ``anonymity`` is the k that every group of records keeps to;
    ``unbounded`` tells of noise that promises nothing. ``signed_by`` is the key that signed what
    was read; what is made of a signed release is not signed.

    Examples
    --------
    >>> import tempfile, privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = release.write(f"{folder}/weather.release")
    ...     again = pv.Release.read(f"{folder}/weather.release")
    >>> again.rows, round(again.claim.epsilon, 2) == round(release.claim.epsilon, 2)
    (14, True)
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
    drawn: bool = False
    people: People | None = None
    tuned: bool = False
    signed_by: PublicKey | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        from privet.release.verify import check

        check(self)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns of every part's table, in order.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.column_names
        ['Outlook', 'Humidity', 'Wind', 'Play']
        """
        if self.universe is None:
            return self.schema.names
        return [*self.universe.columns, self.universe.count_column]

    def lacking(self, part: Part) -> list[str]:
        """Return the names of the columns that a part does not have.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.lacking(release.parts[0])
        []
        """
        return [name for name in self.column_names if name not in part.table.names]

    def codings_of(self, part: Part) -> dict[str, Coding | None]:
        """Return what the codes of a part's columns stand for, before the channels.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.codings_of(release.parts[0])["Wind"].values
        ('Strong', 'Weak')
        """
        return {**self.codings, **part.codings}

    @cached_property
    def rows(self) -> int:
        """The number of records in all parts; that of the originals if there is a universe."""
        if self.universe is None:
            return sum(part.table.rows for part in self.parts)
        first = self.parts[0].table
        return sum(int(self.universe.counts(batch).sum()) for batch in first.batches())

    @property
    def passes(self) -> int:
        """How often all records of a part were read by now, those of all parts together.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> before = release.passes
        >>> release.verify()
        >>> release.passes - before
        1
        """
        return sum(part.table.meter.passes for part in self.parts)

    @cached_property
    def claim(self) -> Claim:
        """What is promised, computed from the channels."""
        return Claim.of(
            self.treatments or treatments_of(self.schema, self.parts),
            [part.channels for part in self.parts],
            columns=self.schema.names,
            target=self.schema.goal,
            learned=self.schema.learned,
            seeded=self.seeded,
            formal=self.unbounded is None and all(part.sign > 0 for part in self.parts),
            notes=tuple(
                note
                for promise in (self.universe, self.anonymity, self.unbounded)
                if promise
                for note in promise.notes()
            )
            + ((DRAWN,) if self.drawn else ())
            + ((TUNED,) if self.tuned else ()),
            lacking=[self.lacking(part) for part in self.parts],
            people=self.people,
        )

    def __repr__(self) -> str:
        stamp = ", NOT PRIVATE: drawn from a seed" if self.seeded else ""
        return f"<Release of {self.rows:,} records, {len(self.schema.names)} columns{stamp}>"

    def _repr_html_(self) -> str:
        from privet.notebook import shown

        rows = [
            (
                ", ".join(promise.attributes),
                promise.treatment,
                "none" if promise.gamma is None else f"{promise.epsilon:.2f}",
            )
            for promise in self.claim.promises
        ]
        return shown(
            repr(self)[1:-1],
            heads=("attributes", "treatment", "ε"),
            rows=rows,
            sentences=self.claim.sentences(),
        )

    # Other ways to make a release

    @classmethod
    def of_disguised(
        cls,
        schema: Schema,
        channels: Sequence[Channel],
        rows: Any,
        *,
        treatments: Mapping[str, str] | None = None,
        shuffle: bool = True,
    ) -> Release:
        """Return the release of records that were disguised elsewhere, by those they are about say.

        Parameters
        ----------
        schema
            The attributes as they are released; numbers with a channel have its cells.
        channels
            What the records went through. An attribute without a channel is as it was.
        rows
            A frame, or a dictionary of columns: codes (places in the attribute's domain, or cells),
            and the numbers themselves where a numeric attribute has no channel. What lies outside
            its domain is an error.
        treatments
            What was done to each attribute, in the words of plans; by default "substitution" where
            there is a channel, else "exact".
        shuffle
            Whether to put the rows in random order.

        >>> from privet.channel import GammaDiagonal
        >>> from privet.schema import Attribute, Schema
        >>> schema = Schema([Attribute.categorical("smoker", ["yes", "no"])])
        >>> told = {"smoker": [0, 1, 1, 0]}
        >>> Release.of_disguised(schema, [GammaDiagonal("smoker", 2, 3)], told)
        <Release of 4 records, 1 columns>
        """
        from privet.release.gathered import of_disguised

        return of_disguised(schema, channels, rows, treatments, shuffle=shuffle)

    @classmethod
    def concat(cls, releases: Iterable[Release]) -> Release:
        """Return the records of several releases as one; all must have been made by one plan.

        Schemas, codings, channels and treatments must be the same. What was released from files
        stays there; what is in memory is put in random order.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> pv.Release.concat([release, release]).rows
        28
        """
        from privet.release.gathered import concat

        return concat(releases)

    def with_target(self, name: str) -> Release:
        """Return the same records with another class.

        Numbers that were released as cells become a class of cells; a missing value is a further
        class.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.with_target("Wind").schema.target
        'Wind'
        """
        from privet.release.gathered import with_target

        return with_target(self, name)

    # Folders

    def write(
        self, path: str | Path, *, overwrite: bool = False, sign: Signer | None = None
    ) -> None:
        """Write the release as a folder: all of it, or nothing.

        With ``sign``, a key or the path of its file, the card is signed.

        >>> import tempfile, privet as pv
        >>> release = pv.RandomSubstitution(gamma=3).disguise(
        ...     pv.datasets.load("weather"), pv.datasets.schema("weather")
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release.write(f"{folder}/weather.release")
        """
        from privet.release.folder import write_release
        from privet.signing import SigningKey

        key = None if sign is None else SigningKey.of(sign)
        write_release(self, path, overwrite=overwrite, key=key)

    @classmethod
    def read(
        cls, path: str | Path, *, spark: Any = None, by: PublicKey | str | Path | None = None
    ) -> Release:
        """Read a release from a folder, verifying all of it.

        The card, the checksum of every file, the claim and the range of every code are checked;
        the records stay on disk. With a ``spark`` session they are checked and counted at its
        workers, who must see the folder under the same path. With ``by``, a public key or the path
        of its file, a release that this key did not sign is refused, an unsigned release too.

        >>> import privet as pv
        >>> pv.Release.read("no-such.release")
        Traceback (most recent call last):
        privet.errors.ReleaseError: ...
        """
        from privet.release.folder import read_release

        return read_release(path, spark, by)

    def mark_signed(self, signer: PublicKey | None) -> None:
        """Note who signed the folder that the release was just read from.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.mark_signed(pv.SigningKey.new().public)
        >>> release.signed_by is None
        False
        """
        object.__setattr__(self, "signed_by", signer)

    def verify(self) -> None:
        """Check that every code and number lies in its domain; raise ``ReleaseError`` if not.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.verify()
        """
        from privet.release.verify import verify

        verify(self)

    # Records

    def split(self, fraction: float) -> tuple[Release, Release]:
        """Return two releases, the first with ``fraction`` of each part's records.

        Which records go where is random: by place where rows are shuffled, else drawn anew.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> [half.rows for half in release.split(0.5)]
        [7, 7]
        """
        from privet.release.folds import split

        return split(self, fraction)

    def folds(self, number: int, *, seed: int | None = None) -> Iterator[tuple[Release, Release]]:
        """Yield ``number`` pairs of releases, in memory: all records but a fold's, and the fold's.

        Every record is in one fold, drawn at random; a ``seed`` draws the same again.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> [(rest.rows, fold.rows) for rest, fold in release.folds(2)]
        [(7, 7), (7, 7)]
        """
        from privet.release.folds import folds

        return folds(self, number, seed)

    def to_frame(self, *, representative: str = "centre", seed: int | None = None) -> Any:
        """Return the records as released, decoded for people, as an Arrow table in memory.

        A cell of numbers is shown by its ``"centre"``, by its upper ``"endpoint"``, by a
        ``"random"`` point of it (DXZ §2.2), drawn anew for every record (a ``seed`` draws the same
        points again), or as a ``"range"`` in words. What a band releases is a range of cells, and
        is shown so by default. What a part of the release does not have is missing.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.to_frame().column_names
        ['Outlook', 'Humidity', 'Wind', 'Play']
        """
        from privet.release.ranges import to_frame

        return to_frame(self, representative, seed)

    def head(self, rows: int = 10) -> Any:
        """Return the first records as released, numbers as ranges; only these are read.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> pv.RandomSubstitution(gamma=3).disguise(table, schema).head(5).num_rows
        5
        """
        from privet.release.ranges import head

        return head(self, rows)

    def column_type(self, name: str, part: Part) -> np.dtype[Any]:
        """Return the type a column of a part is stored in: the narrowest that holds its codes.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
        >>> release.column_type("Wind", release.parts[0])
        dtype('uint8')
        """
        if self.universe is not None:
            if name == self.universe.count_column:
                return np.dtype(np.float64)
            return np.dtype(code_type(self.universe.stored[self.universe.columns.index(name)]))
        coding = self.codings_of(part)[name]
        if coding is None:
            return np.dtype(np.float64)
        return np.dtype(code_type(released_size(part, name, coding)))


def released_size(part: Part, name: str, coding: Coding) -> int:
    """Return how many codes a column of a part can hold after its channel."""
    channel = part.channel(name)
    return coding.size if channel is None else channel.outputs[channel.attributes.index(name)]


def treatments_of(schema: Schema, parts: tuple[Part, ...]) -> dict[str, str]:
    """Return what parts tell of what was done, where nothing else does."""
    covered = {name for part in parts for channel in part.channels for name in channel.attributes}
    return {name: "substitution" if name in covered else "exact" for name in schema.names}
