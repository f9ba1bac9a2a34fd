"""What a disguise is: a method of an owner that turns records into a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from privet.disguise.kinds import known_in
from privet.errors import PlanError
from privet.randomness import Randomness

if TYPE_CHECKING:
    from pathlib import Path

    from privet.disguise.plan import Plan
    from privet.release import Claim, Release
    from privet.release.people import People
    from privet.schema import Schema
    from privet.signing import Signer, SigningKey

__all__ = ["METHODS", "Delivery", "Disguise", "Planned", "method", "told"]

METHODS: dict[str, type[Disguise]] = {}  # by the word for them in plan files
method = known_in(METHODS)


def _checked_key(sign: Signer | None, to: str | Path | None) -> SigningKey | None:
    """Return the key to sign with, if any; only what is written can be signed."""
    from privet.signing import SigningKey

    if sign is None:
        return None
    if to is None:
        message = "A release is signed when it is written."
        raise PlanError(message, hint="use to='folder', or sign in release.write.")
    return SigningKey.of(sign)


def told(release: Release, people: People | None) -> Release:
    """Return a release that was read back, with what only the owner knows of its people."""
    if people is None or not people.left_out:
        return release
    known = replace(release, people=people)
    object.__setattr__(known, "signed_by", release.signed_by)
    return known


@dataclass(frozen=True)
class Delivery:
    """How a release is made and where it goes: words to draw, a folder or none, a key or none."""

    source: Randomness
    to: str | Path | None
    overwrite: bool
    shuffle: bool
    key: SigningKey | None

    def folder(self, why: str) -> str | Path:
        """Return the folder to write to; records that are not in memory need a folder."""
        if self.to is None:
            raise PlanError(why, hint="give the folder to write the release to: to='folder'.")
        return self.to

    def kept(self, release: Release) -> Release:
        """Return the release: as it is, or read back from the folder it was to be written to."""
        if self.to is None:
            return release
        release.write(self.to, overwrite=self.overwrite, sign=self.key)
        return told(type(release).read(self.to), release.people)


class Disguise(ABC):
    """A method of disguising a whole table. It stores its arguments and checks them when used."""

    method: ClassVar[str]

    @abstractmethod
    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed."""

    def warnings(self, schema: Schema) -> list[str]:  # noqa: ARG002 - for methods that have some
        """Say what an owner may not expect of the method; no data are needed.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.RandomSubstitution(gamma=3)
        >>> method.warnings(schema)
        []
        """
        return []

    @abstractmethod
    def check(self, schema: Schema) -> None:
        """Validate the settings, also for this schema."""

    @abstractmethod
    def disguised(self, records: Any, schema: Schema, delivery: Delivery) -> Release:
        """Return the release of records, delivered; the settings fit the schema."""

    def disguise(
        self,
        records: Any,
        schema: Schema,
        *,
        to: str | Path | None = None,
        overwrite: bool = False,
        seed: int | str | bytes | None = None,
        shuffle: bool = True,
        sign: Signer | None = None,
    ) -> Release:
        """Disguise records and return the release.

        Parameters
        ----------
        records
            A pandas or Polars frame, an Arrow table, a dictionary of columns; or the path of a
            Parquet or CSV file, of a folder of them or a pattern for them, which is then worked
            on out of core; or a Spark frame or table, which is worked on at its workers. Columns
            that the schema does not name are left out.
        schema
            The public domains of the attributes.
        to
            A folder to write the release to; needed when ``records`` is not in memory.
        overwrite
            Whether a release in that folder may be replaced.
        seed
            For tests and experiments only: the release is then stamped as not private.
        shuffle
            Whether to put the rows in random order; if not, the card says so.
        sign
            The key to sign the folder with, or the path of its file.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> pv.RandomSubstitution(gamma=3).disguise(table, schema)
        <Release of 14 records, 4 columns>
        """
        self.check(schema)
        key = _checked_key(sign, to)
        if to is not None:
            from privet.release.folder import check_free

            check_free(to, overwrite=overwrite)
        with Randomness.of(seed) as source:
            return self.disguised(records, schema, Delivery(source, to, overwrite, shuffle, key))


class Planned(Disguise):
    """A disguise that treats each attribute by itself: a plan tells what it does."""

    @abstractmethod
    def plan(self, schema: Schema) -> Plan:
        """Return what the method does to each attribute of a schema."""

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.RandomSubstitution(gamma=3)
        >>> round(method.claim(schema)["Wind"].epsilon, 2)
        1.1
        """
        return self.plan(schema).claim(schema, seeded=seeded)

    def check(self, schema: Schema) -> None:
        """Validate the settings, also for this schema.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> method = pv.RandomSubstitution(gamma=3)
        >>> method.check(schema)
        """
        self.plan(schema).check(schema)

    def disguised(self, records: Any, schema: Schema, delivery: Delivery) -> Release:
        """Return the release of records by the plan, delivered.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> from privet.disguise.base import Delivery
        >>> from privet.randomness import Randomness
        >>> with Randomness.system() as source:
        ...     delivery = Delivery(source, to=None, overwrite=False, shuffle=True, key=None)
        ...     pv.RandomSubstitution(gamma=3).disguised(table, schema, delivery).rows
        14
        """
        return self.plan(schema).disguised(records, schema, delivery)
