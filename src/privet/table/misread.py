"""What is wrong with a column of a CSV file that is not of its declared type: how often, and where.

Arrow's own message quotes the value and often names no row; ours names column and rows, no value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.files.format import THOUSANDS, WITHOUT_SIGNS, WITHOUT_THOUSANDS, without_sign

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["failing_column", "unlike"]

_DIGITS = r"(?:[0-9]+(?:{0}[0-9]*)?|{0}[0-9]+)(?:e[+-]?[0-9]+)?"
_NUMBER = rf"(?i)^\s*[+-]?(?:{_DIGITS}|inf(?:inity)?|nan)\s*$"
_WHOLE = r"^\s*-?[0-9]+\s*$"


def failing_column(text: str) -> int | None:
    """Return the place of the column that Arrow's message is about, if it says so.

    >>> failing_column("In CSV column #2: CSV conversion error to double: invalid value 'z'")
    2
    """
    place = re.search(r"CSV column #(\d+)", text)
    return None if place is None else int(place[1])


def unlike(
    path: Path,
    text: str,
    column: str | None = None,
    pieces: Iterable[Any] = (),
    kind: Any = None,
    decimal: str = ".",
) -> DataError:
    """Say that values are not of their column's type, and why if that is known; never the values.

    ``text`` is Arrow's message, which quotes the first of them; ``pieces`` is the column as it is
    written, ``kind`` the type that it was to have.
    """
    rows = _misfits(pieces, kind, decimal)
    value = re.search(r"invalid value '(.*)'", text)  # looked at, never shown
    why, hint = _why(value[1] if value else "")
    about = "a column" if column is None else f"column {column!r}"
    if not rows:
        message = f"The file {path} has a value in {about} that is not of its declared type{why}."
        return DataError(message, hint=hint, column=column)
    many = "1 value that is" if len(rows) == 1 else f"{len(rows):,} values that are"
    message = f"The column {column!r} has {many} not of its declared type, a number{why}."
    return DataError(message, hint=hint, column=column, row=rows[0], file=path)


def _why(value: str) -> tuple[str, str]:
    """Return why a value is no number, if that is known, and what to do."""
    signs = re.findall(r"[^\d\s+-]|(?<=\d)\s(?=\d)", value)
    # A single sign may be the decimal one of another country.
    if len(signs) > 1 and THOUSANDS.fullmatch(value):
        return ": thousands separators are not read", f"{WITHOUT_THOUSANDS}."
    if without_sign(value) != value.strip():
        return ": currency signs and % are not read", f"{WITHOUT_SIGNS}."
    return "", "correct these values; if they have another decimal sign, use decimal=','."


def _misfits(pieces: Iterable[Any], kind: Any, decimal: str) -> list[int]:
    """Return the rows of text that cannot be read as numbers; none for other types."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind is None or not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        return []
    pattern = _WHOLE if pa.types.is_integer(kind) else _NUMBER.format(re.escape(decimal))
    rows: list[int] = []
    start = 0
    for piece in pieces:
        fits = pc.fill_null(pc.match_substring_regex(piece, pattern), fill_value=True)
        wrong = pc.indices_nonzero(pc.invert(fits))
        rows += [start + place for place in wrong.to_pylist()]
        start += len(piece)
    return rows
