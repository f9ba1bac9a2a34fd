"""Frames of any kind, in and out: pandas, Polars, Arrow, dictionaries of columns.

The one door to narwhals. Inside privet a raw column is a NumPy array if it holds numbers and an
Arrow array otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = [
    "DAYS",
    "Column",
    "Days",
    "as_arrow",
    "as_numpy",
    "check_names",
    "check_unique",
    "columns",
    "counted",
    "cut",
    "distinct",
    "holds_dates",
    "is_date",
    "is_frame",
    "readable",
    "text_as_arrow",
]

_LISTED = 8  # absent columns that are named
DAYS = "days since 1970-01-01"  # what dates and times are counted in

Column: TypeAlias = Any  # NDArray of numbers, or pyarrow.Array

_DATED = re.compile(r"\s*(\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-]\d{4})\b")


class Days(np.ndarray):
    """Numbers that were dates or times: days since 1970. It is an array as any other."""


def holds_dates(column: Column) -> bool:
    """Whether a raw column was one of dates, or holds text that looks like them.

    >>> holds_dates(columns({"born": ["2016-01-31"]})["born"])
    True
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return isinstance(column, Days)
    values = (value.as_py() if hasattr(value, "as_py") else value for value in column)
    text = next((value for value in values if value is not None), None)
    return isinstance(text, str) and _DATED.match(text) is not None


def is_frame(table: object) -> bool:
    """Whether ``columns`` can take the object by names of its own."""
    if type(table) is dict or _is_arrow(table):
        return True
    if isinstance(table, np.ndarray | list | tuple | str):
        return False
    if _is_lazy(table):  # of which `columns` will tell
        return True
    import narwhals as nw

    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
    except nw.exceptions.NarwhalsError:  # a frame with a fault, of which `columns` will tell
        return True
    return isinstance(frame, nw.DataFrame)


def columns(
    frame: Any, names: Sequence[str] | None = None, *, hint: str | None = None
) -> dict[str, Column]:
    """Return a frame's columns by name; ``names`` picks some, which must be there.

    ``hint`` says what to do if they are not.

    >>> columns({"age": [31, 40]})
    {'age': array([31, 40])}
    """
    raw = _mapping(frame)
    if names is None:
        return {name: _column(name, column) for name, column in raw.items()}
    check_names(list(raw), names, "The table", hint)
    return {name: _column(name, raw[name]) for name in names}


def readable(frame: Any) -> tuple[dict[str, Column], list[str]]:
    """Return those of a frame's columns that can be read, and the names of the others.

    >>> readable({"age": [31, 40], "visits": [[1, 2], [3]]})
    ({'age': array([31, 40])}, ['visits'])
    """
    read: dict[str, Column] = {}
    others = []
    for name, column in _mapping(frame).items():
        try:
            read[name] = _column(name, column)
        except DataError:
            others.append(name)
    return read, others


def check_names(
    present: Sequence[Any], names: Sequence[str], what: str, hint: str | None = None
) -> None:
    """Complain of columns that are not there.

    Other columns are not named: without a header they would be the values of a record.
    """
    absent = [name for name in names if name not in present]
    if not absent:
        return
    count = f"it has {len(present)} column{'s' * (len(present) != 1)}"
    listed = ", ".join(map(repr, absent[:_LISTED])) + ", …" * (len(absent) > _LISTED)
    lacking = f"{what} has no column{'s' * (len(absent) > 1)} {listed}; {count}."
    columns = "columns" if len(absent) > 1 else "column"
    if hint is None:
        hint = f"rename the {columns}, or correct the schema; "
        hint += "a CSV file needs a header in its first line."
    if any(_letters(name) == _letters(absent[0]) for name in present):
        hint = "rename the column: its name there differs in capitals, spaces or signs."
    raise DataError(lacking, hint=hint, column=absent[0])


def _letters(name: object) -> str:
    return "".join(sign for sign in str(name).casefold() if sign.isalnum())


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
        check_unique(frame.column_names, "The table")
        return dict(zip(frame.column_names, frame.columns, strict=True))
    import narwhals as nw

    if _is_lazy(frame):
        raise DataError("A table is expected, not LazyFrame.", hint="call .collect() on it.")
    names = getattr(frame, "columns", None)
    if names is not None:
        check_unique(list(names), "The table")
    if type(frame).__module__.startswith(("pyspark.", "privet.table.spark")):
        message = "This method looks at all records at once: it works in memory, not on a cluster."
        raise DataError(message, hint="give a file, or a frame in memory.")
    table = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        message = f"A table is expected, not {type(frame).__name__}."
        hint = "give a pandas or Polars frame, an Arrow table or a dictionary of columns."
        raise DataError(message, hint=hint)
    return {str(series.name): series for series in table.iter_columns()}


def check_unique(names: Sequence[Any], what: str) -> None:
    """Complain of two columns of one name, which may be a record's value: told by their places."""
    first: dict[Any, int] = {}
    for place, name in enumerate(names, 1):
        if name in first:
            message = f"{what} has two columns of the same name: columns {first[name]} and {place}."
            raise DataError(message, hint="rename or drop one of them.")
        first[name] = place


def _is_arrow(table: object) -> bool:
    if not type(table).__module__.startswith("pyarrow"):
        return False
    import pyarrow as pa

    return isinstance(table, pa.Table | pa.RecordBatch)


def _is_lazy(table: object) -> bool:
    return type(table).__module__.startswith("polars") and type(table).__name__ == "LazyFrame"


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
    """Return an Arrow array of numbers as NumPy, missing ones as NaN; others as they are."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_nested(kind):
        raise TypeError
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif pa.types.is_temporal(kind):
        return _filled(_days(array)).view(Days)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return array
    return _filled(array)


def _filled(array: Any) -> NDArray[Any]:
    """Return an Arrow array of numbers as NumPy, missing ones as NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if array.null_count:
        array = pc.fill_null(array.cast(pa.float64()), np.nan)
    return as_numpy(array)


def as_numpy(array: Any) -> NDArray[Any]:
    """Return an Arrow array of numbers without gaps as NumPy, not copied and not to be written to.

    Arrow's own ``to_numpy`` imports pandas where it is installed, which takes a second.
    """
    numbers: NDArray[Any] = np.from_dlpack(array)
    return numbers


def _days(array: Any) -> Any:
    """Return dates and times as days since 1970, and lengths of time as days."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_date32(array.type):
        return array.cast(pa.int32()).cast(pa.int64())
    kind = array.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        array = array.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
    elif pa.types.is_duration(kind):
        array = array.cast(pa.duration("us"), safe=False)
    else:
        array = array.cast(pa.time64("us"), safe=False)
    return pc.divide(array.cast(pa.int64()).cast(pa.float64()), 86_400e6)


def is_date(frame: Any, name: str) -> bool:
    """Whether a column of a frame holds dates, which ``columns`` returns as numbers of days."""
    import pyarrow as pa

    column = _mapping(frame)[name]
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "mM"
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()
    elif not hasattr(column, "type"):
        column = pa.array(column[:1], from_pandas=True)
    return bool(pa.types.is_temporal(column.type))


def as_arrow(column: Column, *, nan_is_null: bool = False) -> Any:
    """Return a column as an Arrow array, numbers and text not by way of pandas."""
    import pyarrow as pa

    if not isinstance(column, np.ndarray):
        return column
    if column.dtype.kind == "U":
        return text_as_arrow(column.tolist())
    if column.dtype.kind not in "iuf":
        return pa.array(column, from_pandas=nan_is_null)
    contiguous = np.ascontiguousarray(column)
    kind, buffers = pa.from_numpy_dtype(contiguous.dtype), [None, pa.py_buffer(contiguous)]
    numbers = pa.Array.from_buffers(kind, len(contiguous), buffers)
    if not nan_is_null or contiguous.dtype.kind != "f":
        return numbers
    import pyarrow.compute as pc

    return pc.if_else(pc.is_nan(numbers), pa.nulls(len(numbers), kind), numbers)


def text_as_arrow(words: Sequence[str]) -> Any:
    """Return texts as an Arrow array, not by way of pandas."""
    import pyarrow as pa

    encoded = [word.encode() for word in words]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))
    return pa.StringArray.from_buffers(len(words), *buffers)


def distinct(column: Column) -> list[Any]:
    """Return the distinct values of a column in order of appearance; None for missing."""
    return list(counted(column))


def counted(column: Column) -> dict[Any, int]:
    """Return how often each value of a column occurs, in order of appearance; None for missing."""
    import pyarrow as pa

    array = as_arrow(column, nan_is_null=True)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    pairs = array.value_counts()
    return dict(zip(pairs.field(0).to_pylist(), pairs.field(1).to_pylist(), strict=True))
