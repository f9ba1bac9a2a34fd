"""Which rows of an owner's file do not fit her schema, as a spreadsheet counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.errors import Where
from privet.table.source import Source, is_parquet

if TYPE_CHECKING:
    from pathlib import Path

    from privet.errors import DataError
    from privet.schema import Files, Schema

__all__ = ["with_rows"]

_NAMED = 8  # rows that are named, the first
_HEADING = 2  # the first record of a CSV file stands in its second row


def with_rows(error: DataError, files: Files, schema: Schema) -> DataError:
    """Return a mistake about a column's values with the rows of all that do not fit."""
    name = error.where.column
    if name is None or error.where.row is None or name not in schema:
        return error
    rows, path = _misfits(files, schema, name)
    if path is None:
        return error
    first = 0 if is_parquet(path) else _HEADING
    listed = ", ".join(f"{row + first:,}" for row in rows[:_NAMED])
    more = f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else ""
    counted = "counted from 0" if is_parquet(path) else "row 1 has the names"
    where = f"{'Rows' if len(rows) > 1 else 'Row'} {listed}{more} of {path.name} ({counted})."
    hint = "correct them in the file, save it and open it again; or allow the values under Columns."
    return error.retold(f"{error.message} {where}", hint=hint, where=Where(column=name))


def _misfits(files: Files, schema: Schema, name: str) -> tuple[list[int], Path | None]:
    """Return the rows of the first file that has such values, and that file."""
    rows: list[int] = []
    first: Path | None = None
    for batch in Source(files, [schema[name]]).batches():
        wrong = np.flatnonzero(schema[name].misfits(batch.columns[name]))
        if len(wrong) and first is None:
            first = batch.path
        if batch.path == first:
            rows += (wrong + batch.row).tolist()
    return rows, first
