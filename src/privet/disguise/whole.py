"""Records as a whole: methods that look at all of them at once, in memory."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.base import Disguise
from privet.errors import DataError, PlanError
from privet.frames import columns
from privet.release import Claim
from privet.schema import Files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.disguise.base import Delivery
    from privet.frames import Column
    from privet.randomness import Randomness
    from privet.release import Release
    from privet.schema import Schema

__all__ = ["WholeTable", "taken", "whole"]


class WholeTable(Disguise):
    """A disguise that looks at all records at once, in memory: no plan tells what it does."""

    def claimed(
        self,
        schema: Schema,
        treatments: Mapping[str, str],
        notes: tuple[str, ...] = (),
        *,
        seeded: bool,
        formal: bool = False,
        tables: int = 1,
    ) -> Claim:
        """Return the claim of a release without channels, of all columns.

        >>> import privet as pv
        >>> schema = pv.datasets.schema("weather")
        >>> pv.KAnonymity(k=2).claimed(schema, {"Wind": "exact"}, seeded=False)
        <Claim: no formal guarantee>
        """
        return Claim.of(
            treatments,
            [()] * tables,
            columns=schema.names,
            target=schema.goal,
            learned=schema.learned,
            seeded=seeded,
            formal=formal,
            notes=notes,
        )

    @abstractmethod
    def made(self, records: Any, schema: Schema, source: Randomness, *, shuffle: bool) -> Release:
        """Return the release of records, in memory."""

    def disguised(self, records: Any, schema: Schema, delivery: Delivery) -> Release:
        """Return the release of records, all of them in memory, delivered.

        >>> import privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> pv.KAnonymity(k=2, quasi=["Wind"]).disguise(table, schema).anonymity.quasi
        ('Wind',)
        """
        if schema.unit is not None:
            message = f"The method {self.method!r} does not count records by person."
            raise PlanError(message, hint="leave unit out of the schema, or use a plan.")
        release = self.made(records, schema, delivery.source, shuffle=delivery.shuffle)
        return delivery.kept(release)


def whole(records: Any, schema: Schema) -> dict[str, Column]:
    """Return all raw columns of a frame, or of a path's files, in memory."""
    records = Files.of(records, schema.format)
    if not isinstance(records, Files):
        raw = columns(records, schema.names)
    else:
        import pyarrow as pa

        from privet.table.source import Source

        pieces = [batch.columns for batch in Source(records, schema.attributes).batches()]
        if not pieces:
            raise DataError(f"The table {records} has no rows.")
        raw = {}
        for name in schema.names:
            parts = [piece[name] for piece in pieces]
            plain = isinstance(parts[0], np.ndarray)
            raw[name] = np.concatenate(parts) if plain else pa.concat_arrays(parts)
    if not len(next(iter(raw.values()))):
        raise DataError("The table has no rows.")
    return raw


def taken(column: Column, rows: Any) -> Column:
    """Return the rows of a raw column that a mask marks."""
    return column[rows] if isinstance(column, np.ndarray) else column.filter(rows)
