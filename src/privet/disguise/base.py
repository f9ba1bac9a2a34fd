"""What a disguise is: a method of an owner that turns records into a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from privet.disguise.plan import Plan
    from privet.release import Claim, Release
    from privet.schema import Schema

__all__ = ["METHODS", "Disguise", "kept", "method"]

METHODS: dict[str, type[Disguise]] = {}  # by the word for them in plan files
Method = TypeVar("Method", bound="type[Disguise]")


def method(kind: Method) -> Method:
    """Make a whole-table method known to plan files."""
    METHODS[kind.method] = kind
    return kind


def kept(release: Release, to: str | Path | None, *, overwrite: bool) -> Release:
    """Return the release: as it is, or read back from the folder it was to be written to."""
    if to is None:
        return release
    release.write(to, overwrite=overwrite)
    return type(release).read(to)


class Disguise(ABC):
    """A method of disguising a whole table. It stores its arguments and checks them when used."""

    method: ClassVar[str]

    @abstractmethod
    def plan(self, schema: Schema) -> Plan:
        """Return what the method does to each attribute of a schema."""

    def claim(self, schema: Schema, *, seeded: bool = False) -> Claim:
        """Return what a release made so would promise; no data are needed."""
        return self.plan(schema).claim(schema, seeded=seeded)

    def disguise(
        self,
        records: Any,
        schema: Schema,
        *,
        to: str | Path | None = None,
        overwrite: bool = False,
        seed: int | str | bytes | None = None,
        shuffle: bool = True,
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
        """
        return self.plan(schema).disguise(
            records, schema, to=to, overwrite=overwrite, seed=seed, shuffle=shuffle
        )
