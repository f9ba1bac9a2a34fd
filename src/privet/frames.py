"""Frames of any kind, in and out: pandas, Polars, Arrow, dictionaries of columns.

The one door to narwhals. Inside privet a raw column is a NumPy array if it holds numbers and an
Arrow array otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["Column", "columns", "cut", "distinct", "is_frame"]

Column: TypeAlias = Any  # NDArray of numbers, or pyarrow.Array


def is_frame(table: object) -> bool:
    """Whether ``columns`` can take the object by names of its own."""
    if type(table) is dict or _is_arrow(table):
        return True
    if isinstance(table, np.ndarray | list | tuple | str):
        return False
    import narwhals as nw

    try:
        held = nw.from_native(table, eager_only=True, pass_through=True)
    except nw.exceptions.NarwhalsError:  # a frame with a fault, of which `columns` will tell
        return True
    return isinstance(held, nw.DataFrame)


def columns(frame: Any, names: Sequence[str] | None = None) -> dict[str, Column]:
    """Return a frame's columns by name; ``names`` picks some, which must be there.

    >>> columns({"age": [31, 40]})
    {'age': array([31, 40])}
    """
    held = _mapping(frame)
    if names is None:
        return {name: _column(name, column) for name, column in held.items()}
    absent = [name for name in names if name not in held]
    if absent:
        message = f"The table has no column {absent[0]!r}; it has {', '.join(map(str, held))}."
        raise DataError(message, hint="rename the column, or correct the schema.")
    return {name: _column(name, held[name]) for name in names}


def cut(column: Column, start: int, stop: int) -> Column:
    """Return some rows of a raw column, not copied."""
    if isinstance(column, np.ndarray):
        return column[start:stop]
    return column.slice(start, stop - start)


def _mapping(frame: Any) -> Mapping[str, Any]:
    if type(frame) is dict:
        try:
            lengths = {len(column) for column in frame.values()}
        except TypeError:
            message = "The table's columns must be arrays or lists of values."
            raise DataError(message) from None
        if len(lengths) > 1:
            message = "The table's columns differ in length."
            raise DataError(message)
        return frame
    if _is_arrow(frame):
        if len(set(frame.column_names)) < len(frame.column_names):
            raise _duplicate(frame.column_names)
        return dict(zip(frame.column_names, frame.columns, strict=True))
    import narwhals as nw

    held = getattr(frame, "columns", None)
    if held is not None and len(set(held)) < len(held):
        raise _duplicate(list(held))
    if type(frame).__module__.startswith(("pyspark.", "privet.table.spark")):
        message = "This method looks at all records at once: it works in memory, not on a cluster."
        raise DataError(message, hint="give a file, or a frame in memory.")
    table = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        message = f"A table is expected, not {type(frame).__name__}."
        hint = "give a pandas or Polars frame, an Arrow table or a dictionary of columns."
        raise DataError(message, hint=hint)
    return {str(series.name): series for series in table.iter_columns()}


def _duplicate(names: Sequence[str]) -> DataError:
    twice = next(name for name in names if list(names).count(name) > 1)
    message = f"The table has two columns named {str(twice)!r}."
    return DataError(message, hint="rename or drop one of them.")


def _is_arrow(table: object) -> bool:
    if not type(table).__module__.startswith("pyarrow"):
        return False
    import pyarrow as pa

    return isinstance(table, pa.Table | pa.RecordBatch)


def _column(name: str, column: Any) -> Column:
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iuf":
        return column
    import pyarrow as pa

    try:
        if hasattr(column, "to_arrow") and not isinstance(column, np.ndarray):
            array = column.to_arrow()
        elif isinstance(column, pa.Array | pa.ChunkedArray):
            array = column
        else:
            array = pa.array(column, from_pandas=True)
        if isinstance(array, pa.ChunkedArray):
            array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
        return _numbers(array)
    except (pa.ArrowException, TypeError, ValueError):
        message = f"Column {name!r} mixes types, or holds values that are neither text nor numbers."
        raise DataError(message, hint="convert it to one type, text for example.") from None


def _numbers(array: Any) -> Column:
    """Return an Arrow array of numbers as NumPy, a missing one as NaN; others as they are."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_nested(kind):
        raise TypeError
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return array
    if array.null_count:
        array = array.cast(pa.float64())
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def distinct(column: Column) -> list[Any]:
    """Return the distinct values of a column in order of appearance; None for missing."""
    import pyarrow as pa

    array = pa.array(column, from_pandas=True) if isinstance(column, np.ndarray) else column
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    values: list[Any] = array.unique().to_pylist()
    return values
