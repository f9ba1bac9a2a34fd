"""Records as a whole: methods that look at all of them at once, in memory."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from privet.disguise.base import Disguise, kept
from privet.errors import DataError, PlanError
from privet.frames import columns
from privet.randomness import Randomness

if TYPE_CHECKING:
    from privet.frames import Column
    from privet.release import Release
    from privet.schema import Schema

__all__ = ["WholeTable", "taken", "whole"]


class WholeTable(Disguise):
    """A disguise that looks at all records at once: in memory, and no plan tells what it does."""

    def plan(self, schema: Schema) -> NoReturn:
        """Refuse: what happens to an attribute depends on all the records."""
        del schema
        raise PlanError(f"What {self.method!r} does to an attribute depends on the records.")

    @abstractmethod
    def check(self, schema: Schema) -> None:
        """Refuse settings that cannot be, or not for this schema."""

    @abstractmethod
    def made(self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool) -> Release:
        """Return the release of records, in memory."""

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
        """Disguise records in memory and return the release; see ``Disguise.disguise``."""
        self.check(schema)
        if to is not None:
            from privet.release.folder import check_free

            check_free(to, overwrite=overwrite)
        with Randomness.of(seed) as source:
            release = self.made(records, schema, source, shuffle=shuffle)
        return kept(release, to, overwrite=overwrite)


def whole(records: Any, schema: Schema) -> dict[str, Column]:
    """Return all raw columns of a frame, or of a path's files, in memory."""
    if not isinstance(records, str | Path):
        held = columns(records, schema.names)
    else:
        import pyarrow as pa

        from privet.table.source import Source

        pieces = [batch.columns for batch in Source(records, schema.attributes).batches()]
        if not pieces:
            raise DataError(f"The table {records} has no rows.")
        held = {}
        for name in schema.names:
            parts = [piece[name] for piece in pieces]
            plain = isinstance(parts[0], np.ndarray)
            held[name] = np.concatenate(parts) if plain else pa.concat_arrays(parts)
    if not len(next(iter(held.values()))):
        raise DataError("The table has no rows.")
    return held


def taken(column: Column, rows: Any) -> Column:
    """Return the rows of a raw column that a mask marks."""
    return column[rows] if isinstance(column, np.ndarray) else column.filter(rows)
