"""A table in memory without a schema: types by the looks of all its values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.frames import check_unique, text_as_arrow
from privet.progress import track
from privet.table.csv import DATES, sniffed, text_of
from privet.table.parquet import open_parquet, unreadable
from privet.table.source import files_of, is_parquet, keys_of

if TYPE_CHECKING:
    from pathlib import Path

    from privet.schema import Files, Format

__all__ = ["read_table"]

_DIGITS = 18  # of whole numbers that fit 64 bits
_WHOLE = rf"^-?(0|[1-9][0-9]{{0,{_DIGITS - 1}}})$"  # with a leading zero it is a code, not a number
_NUMBER = r"(?i)^-?((0|[1-9][0-9]*)([.][0-9]*)?|[.][0-9]+|inf)(e[+-]?[0-9]+)?$"
_TRUTH = r"(?i)^(true|false)$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_TIME = _MOMENT + "Z?$"
_ZONED = _MOMENT + r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"


def read_table(files: Files) -> Any:
    """Return raw files as one Arrow table in memory, types by the looks of all values.

    Only for tables that no schema describes yet. Numbers with leading zeros stay text, dates become
    dates, and what stands for a missing value is null.
    """
    import pyarrow as pa

    paths = files_of(files.path)
    tables: list[Any] = []
    for path in track(paths, "reading", len(paths)):
        table = _keyed(_read(path, files.format), path)
        if tables and table.column_names != tables[0].column_names:
            raise DataError(f"The file {path} has other columns than {paths[0]}.")
        tables.append(table)
    try:
        whole = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException:
        raise DataError(f"The files in {files.path} have columns of different types.") from None
    if whole.num_rows == 0:
        raise DataError(f"The table {files.path} has no rows.")
    return whole


def _read(path: Path, asked: Format) -> Any:
    import pyarrow as pa

    if is_parquet(path):
        with open_parquet(path) as reader:
            check_unique(reader.schema_arrow.names, f"The file {path}")
            try:
                table = reader.read()
                table.validate(full=True)  # Parquet's reader takes any bytes for text
            except (OSError, pa.ArrowException) as error:
                raise unreadable(path, error) from None
            return table
    written = sniffed(path, asked)
    table = text_of(path, written)
    check_unique(table.column_names, f"The file {path}")
    return pa.table({name: typed(table[name], written) for name in table.column_names})


def _keyed(table: Any, file: Path) -> Any:
    """Add the values that the names of a file's folders give, as numbers where they are whole."""
    import pyarrow as pa

    for name, value in keys_of(file).items():
        if name not in table.column_names:
            table = table.append_column(name, pa.repeat(pa.scalar(_key(value)), table.num_rows))
    return table


def _key(value: str | None) -> int | str | None:
    if value is None or not value.isdecimal() or len(value) > _DIGITS:
        return value
    return int(value)


def typed(text: Any, written: Format) -> Any:
    """Return a column of text as what all its values look like: numbers, truth, dates, or text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(text)
    missing = pc.is_in(bare, text_as_arrow([*(written.missing or ()), ""]))
    nothing = pa.nulls(len(text), pa.string())
    text, bare = pc.if_else(missing, nothing, text), pc.if_else(missing, nothing, bare)
    numbers = bare
    if written.decimal == "," and not pc.any(pc.match_substring(bare, ".")).as_py():
        numbers = pc.replace_substring(bare, ",", ".")
    if text.null_count == len(text):
        return text
    looks: dict[str, Any] = {
        _WHOLE: lambda: bare.cast(pa.int64()),
        _NUMBER: lambda: numbers.cast(pa.float64()),
        _TRUTH: lambda: pc.utf8_lower(bare).cast(pa.bool_()),
        _DATE: lambda: bare.cast(pa.date32()),
        _TIME: lambda: pc.replace_substring(bare, "Z", "").cast(pa.timestamp("us")),
    }
    # Each in its own zone: what is counted are moments.
    looks[_ZONED] = lambda: bare.cast(pa.timestamp("us", "UTC"))
    for pattern, form in DATES.items():
        looks[pattern] = partial(pc.strptime, bare, format=form, unit="us")
    for pattern, made in looks.items():
        column = numbers if pattern == _NUMBER else bare
        if pc.all(pc.match_substring_regex(column, pattern)).as_py():
            try:
                return made()
            except pa.ArrowException:  # the 32nd of a month: no date after all
                return text
    return text
