"""Records as a whole: methods that look at all of them at once work in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.frames import columns

if TYPE_CHECKING:
    from privet.frames import Column
    from privet.schema import Schema

__all__ = ["taken", "whole"]


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
