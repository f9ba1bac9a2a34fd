"""Two tables side by side: the originals, and what was released of them, in one coding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.noised import coded
from privet.disguise.whole import whole
from privet.errors import DataError, InputError
from privet.frames import columns
from privet.release import Release
from privet.table import MemoryTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.schema import Attribute, Schema

__all__ = ["original_table", "ranges", "released_table"]

LIMIT = 50_000_000  # rows that are brought to memory


def original_table(records: Any, schema: Schema) -> MemoryTable:
    """Return the originals, checked against the schema: codes of categories, and numbers."""
    return records if isinstance(records, MemoryTable) else coded(whole(records, schema), schema)


def released_table(records: Any, schema: Schema) -> MemoryTable:
    """Return released records in the originals' coding.

    They are a release of one part, or any frame. Numbers may lie outside their range, as those of
    GADP do; cells of numbers are taken by their centres.
    """
    if isinstance(records, MemoryTable):
        return records
    if isinstance(records, Release):
        if len(records.parts) != 1 or records.parts[0].sign < 0:
            raise InputError("Only a release of one part can be compared with the originals.")
        absent = [name for name in schema.names if name not in records.schema]
        if absent:
            raise InputError(f"The release has no attribute {absent[0]!r} to compare.")
        records = records.to_frame()
    released = columns(records, schema.names)
    if not len(next(iter(released.values()))):
        raise DataError("The released table has no rows.")
    return MemoryTable(
        {attribute.name: _column(attribute, released[attribute.name]) for attribute in schema}
    )


def _column(attribute: Attribute, column: Any) -> NDArray[Any]:
    if attribute.is_categorical:
        return attribute.encode(column)
    if not isinstance(column, np.ndarray):
        raise DataError(f"The released column {attribute.name!r} does not hold numbers.")
    numbers: Floats = np.asarray(column, np.float64)
    if attribute.missing != "category" and np.isnan(numbers).any():
        raise DataError(f"The released column {attribute.name!r} has a missing value.")
    return numbers


def ranges(schema: Schema) -> tuple[Floats, Floats]:
    """Return the ends of every input's range; categories have 0 and 1, which nobody reads."""
    bounds = [
        (0.0, 1.0) if attribute.is_categorical else attribute.range for attribute in schema.inputs
    ]
    low, high = zip(*bounds, strict=True)
    return np.array(low), np.array(high)
