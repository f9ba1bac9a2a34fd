"""Released records for people to look at, decoded.

What a band releases is no value but a range: the cells that the true value is likeliest to lie in.
"""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import MethodError
from privet.frames import DAYS
from privet.release.shown import RANGE, check_representative, shown_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Floats, Ints
    from privet.release.release import Part, Release
    from privet.table import MemoryTable

__all__ = ["as_date", "head", "near_cells", "range_words", "to_frame"]

_EPOCH = date(1970, 1, 1)
_EQUAL = 1e-6  # relative: what is left of 2**32 words after sharing them out goes to one value


def near_cells(channel: Channel) -> tuple[Ints, Ints]:
    """Return the first and the last code that each released code is likeliest to come from.

    >>> from privet.channel import Band
    >>> near_cells(Band("age", 4, 8, half=1))
    (array([0, 0, 0, 1, 2, 3]), array([0, 1, 2, 3, 3, 3]))
    """
    levels = channel.levels()
    if levels is not None:
        places = np.arange(channel.output_size)
        last = channel.input_size - 1
        return np.maximum(places - levels[2] + 1, 0), np.minimum(places, last)
    law = channel.matrix()
    near = law >= (1 - _EQUAL) * law.max(axis=1, keepdims=True)
    return near.argmax(axis=1), near.shape[1] - 1 - near[:, ::-1].argmax(axis=1)


def range_words(coding: Coding, channel: Channel | None, *, days: bool = False) -> NDArray[Any]:
    """Return the range of numbers that each released code stands for, in words.

    ``days`` says that they are days since 1970-01-01, and shows dates.

    >>> from privet.channel import Band
    >>> from privet.coding import Coding
    >>> range_words(Coding.cells("age", [0, 20, 40], [20, 40, 90]), Band("age", 3, 8, half=1))
    array(['0 to 20', '0 to 40', '0 to 90', '20 to 90', '40 to 90'], dtype=object)
    """
    if channel is None:
        first = last = np.arange(coding.size)
    else:
        first, last = near_cells(channel)
    lower, upper = _sides(coding)
    words = []
    for begin, end in zip(first.tolist(), last.tolist(), strict=True):
        if begin >= coding.known:
            words.append("missing")
            continue
        ends = (lower[begin], upper[min(end, coding.known - 1)])
        low, high = (as_date(day) if days else f"{day:.10g}" for day in ends)
        also = " or missing" if end >= coding.known else ""
        words.append((low if low == high else f"{low} to {high}") + also)
    return np.array(words, dtype=object)


def as_date(day: float) -> str:
    """Return the date of a day since 1970-01-01; the number if there is no such date.

    >>> as_date(19165)
    '2022-06-22'
    """
    try:
        return (_EPOCH + timedelta(days=math.floor(day))).isoformat()
    except OverflowError:
        return f"{day:.10g}"


def to_frame(release: Release, representative: str = "centre", seed: int | None = None) -> Any:
    """Return all records as an Arrow table; see ``Release.to_frame``."""
    from privet.release.release import IN_MEMORY

    _check(release, representative)
    pieces = [(part, part.table.collect(IN_MEMORY)) for part in release.parts]
    return _frame(release, pieces, representative, seed)


def head(release: Release, rows: int) -> Any:
    """Return the first records as an Arrow table, those of the first part first."""
    _check(release, "range")
    pieces = []
    for part in release.parts:
        taken = min(max(rows, 0), part.table.rows)
        if taken or part is release.parts[0]:  # a table without records has its columns still
            pieces.append((part, part.table.slice(0, taken).collect(taken)))
            rows -= taken
    return _frame(release, pieces, "range", None)


def _check(release: Release, representative: str) -> None:
    check_representative(representative, *RANGE)
    if release.universe is not None or any(part.sign < 0 for part in release.parts):
        message = "A complemented release has no records of its own to show as a table."
        raise MethodError(message)


def _frame(
    release: Release, pieces: list[tuple[Part, MemoryTable]], representative: str, seed: int | None
) -> Any:
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    shown = {}
    for name in release.schema.names:
        ranges = representative == "range" or (
            representative == "centre" and any(_is_range(part, name) for part in release.parts)
        )
        how = "range" if ranges else representative
        columns = [_column(release, part, table, name, how, rng) for part, table in pieces]
        kinds = [column.type for column in columns if not pa.types.is_null(column.type)]
        shown[name] = pa.chunked_array(
            [column.cast(kinds[0]) if kinds else column for column in columns]
        ).combine_chunks()
    return pa.table(shown)


def _is_range(part: Part, name: str) -> bool:
    """Whether what a part releases of an attribute is of another domain than the original."""
    channel = part.channel(name)
    return channel is not None and not channel.numbers and channel.outputs != channel.inputs


def _column(
    release: Release, part: Part, table: MemoryTable, name: str, how: str, rng: np.random.Generator
) -> Any:
    """Return one column of one part, decoded; what the part does not have is missing."""
    import pyarrow as pa

    if name not in table.names:
        return pa.nulls(table.rows)
    codes = table.columns[name]
    coding = release.codings_of(part)[name]
    if coding is None:
        return pa.array(codes, from_pandas=True)
    channel = part.channel(name)
    if coding.ordered and how == "range":
        days = release.schema[name].unit == DAYS
        words = range_words(coding, channel if _is_range(part, name) else None, days=days)[codes]
        return pa.array(np.where(words == "missing", None, words), pa.string())
    if not coding.ordered:
        how = "centre"
    if channel is not None and _is_range(part, name) and how == "random":
        first, last = (cells[codes] for cells in near_cells(channel))
        whole = release.schema[name].integer
        points = _random_points(coding, first, last, rng, whole=whole)
        return pa.array(points, from_pandas=True)
    if _is_range(part, name):
        message = f"The released values of {name!r} have no names of their own to show."
        raise MethodError(message, hint="representative='range' shows what they stand for.")
    values = shown_values(coding, codes, how, rng, whole=release.schema[name].integer)
    return pa.array(values, from_pandas=True)


def _random_points(
    coding: Coding, first: Any, last: Any, rng: np.random.Generator, *, whole: bool
) -> Any:
    """Return a point of each record's range, all equally likely; a missing one stays missing."""
    lower, upper = _sides(coding)
    begin = np.append(lower, np.nan)[first]
    known = np.minimum(last, coding.known - 1)
    end = np.append(upper, np.nan)[np.where(first < coding.known, known, coding.known)]
    places = rng.random(len(first))
    if whole:  # a cell holds its first and its last number
        return np.floor(begin + places * (end - begin + 1))
    return begin + places * (end - begin)


def _sides(coding: Coding) -> tuple[Floats, Floats]:
    lower, upper = (np.asarray(side, np.float64) for side in (coding.lower, coding.upper))
    return lower, upper
