"""What travels between a driver and its workers: pieces of a table out, small results back.

All of this runs at the workers, in tasks that may be run again elsewhere; none of it knows Spark.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import errors
from privet.errors import BugError, DataError, PrivetError
from privet.frames import as_arrow, columns
from privet.table.base import Batch
from privet.table.pieces import Piece, PiecedTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Ints
    from privet.table.base import IntArrays

__all__ = ["Arriving", "Rows", "Tasks", "guarded", "pack", "told", "unpack"]

ARRIVING_ROWS = 1 << 16  # small batches of Spark's are joined: a cipher has a price of its own
PLACE = "privet row"  # a column added to a frame whose rows have numbers
_MARK = re.compile(r"privet-told:([A-Za-z0-9+/=]+):")

Rows = "Iterator[tuple[int, int, bytes]]"  # a key, a place and data


# Errors


class _ToldError(Exception):
    """An error of ours on its way to the driver: nothing else of it may be shown."""


def guarded(work: Callable[[Iterator[Any]], Iterator[tuple[int, int, bytes]]]) -> Any:
    """Return work on Arrow batches as Spark wants it, whose errors carry no record's value."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        os.environ["PRIVET_THREADS"] = "1"  # a task has one core
        try:
            for key, place, data in work(batches):
                yield pa.record_batch({"key": [key], "place": [place], "data": [data]})
            for _ in batches:  # a process that leaves some behind is not used again
                pass
        except (Exception, MemoryError) as error:  # noqa: BLE001 - told in one way
            raise _ToldError(_mark(error)) from None

    return run


def _mark(error: BaseException) -> str:
    if isinstance(error, PrivetError):
        form: list[Any] = [type(error).__name__, error.message, error.hint, vars(error.where)]
    elif isinstance(error, OSError) and error.errno:
        form = ["OSError", error.errno, str(error.filename or ""), {}]
    elif isinstance(error, MemoryError):
        form = ["DataError", "A worker has not enough memory for this.", "give workers more.", {}]
    else:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = "?" if trace is None else Path(trace.tb_frame.f_code.co_filename).name
        line = 0 if trace is None else trace.tb_lineno
        form = ["BugError", f"{type(error).__name__} at {place}:{line} of a worker", "", {}]
    return f"privet-told:{base64.b64encode(json.dumps(form).encode()).decode()}:"


def told(text: str) -> Exception | None:
    """Return the error that a worker told of somewhere in a text, if it did."""
    mark = _MARK.search(text)
    if mark is None:
        return None
    kind, said, hint, where = json.loads(base64.b64decode(mark[1]))
    if kind == "OSError":
        return OSError(said, os.strerror(said), hint)
    if kind == "BugError":
        return BugError(said)
    made: PrivetError = getattr(errors, kind)(said, hint=hint, **where)
    return made


# Arrays


def pack(arrays: IntArrays) -> bytes:
    """Return arrays as bytes."""
    buffer = io.BytesIO()
    for array in arrays:
        np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def unpack(data: bytes) -> IntArrays:
    """Return the arrays of ``pack``.

    >>> unpack(pack((np.array([1, 2]), np.array([3]))))
    (array([1, 2]), array([3]))
    """
    buffer, arrays = io.BytesIO(data), []
    while buffer.tell() < len(data):
        arrays.append(np.load(buffer, allow_pickle=False))
    return tuple(arrays)


# Pieces


@dataclass(frozen=True)
class Tasks:
    """A table in files that every worker can read; ``groups[i]`` are the pieces of task ``i``."""

    table: PiecedTable
    groups: tuple[tuple[int, int], ...]

    def batches(self, arrived: Iterator[Any]) -> Iterator[tuple[int, Iterator[Batch]]]:
        """Yield the number and the batches of each task whose number arrives."""
        for numbers in arrived:
            for number in numbers.column(0).to_pylist():
                begin, end = self.groups[number]
                yield number, self._read(begin, end)

    def _read(self, begin: int, end: int) -> Iterator[Batch]:
        for piece in self.table.pieces[begin:end]:
            yield from self.table.read(piece)


class Arriving(PiecedTable):
    """A table whose rows Spark brings; a piece is a partition, and ``origin`` its number.

    ``types`` has the types of columns that hold codes. ``first`` is one row, for work to be tried
    on at the driver.
    """

    def __init__(
        self, lengths: Sequence[int], first: Any, types: Mapping[str, np.dtype[Any]]
    ) -> None:
        ends = np.cumsum([0, *lengths]).tolist()
        self.pieces = [
            Piece(number, ends[number], 0, rows) for number, rows in enumerate(lengths) if rows
        ]
        self.steps = ()
        self.rows = ends[-1]
        self.types = dict(types)
        self.first = first
        self.names = [name for name in first.schema.names if name != PLACE]

    def stored_columns(self, piece: Piece) -> Iterator[Mapping[str, Any]]:
        """Yield the one row that the driver has."""
        del piece
        yield self._columns(self.first)

    def arrived(self, number: int, batches: Iterator[Any]) -> Iterator[tuple[int, Iterator[Batch]]]:
        """Yield the number of a partition that arrives, and its batches."""
        piece = next((piece for piece in self.pieces if piece.origin == number), None)
        if piece is not None:
            yield number, self.worked(piece, self._whole(joined(batches)))

    def _whole(self, batches: Iterator[Any]) -> Iterator[Mapping[str, Any]]:
        last = None
        for batch in batches:
            if PLACE in batch.schema.names:
                last = _check_places(batch.column(PLACE), last)
            yield self._columns(batch)
        message = "The Spark frame gave fewer rows than when they were numbered."
        hint = "name a column that numbers its rows (row=...), or write the frame to files first."
        raise DataError(message, hint=hint)

    def _columns(self, batch: Any) -> dict[str, Any]:
        arrays = columns(batch, [name for name in batch.schema.names if name != PLACE])
        for name, kind in self.types.items():
            arrays[name] = _coded(name, arrays[name], kind)
        return arrays


def joined(arrived: Iterator[Any]) -> Iterator[Any]:
    """Yield the same rows in larger batches."""
    import pyarrow as pa

    batches: list[Any] = []
    rows = 0
    for batch in arrived:
        batches.append(batch)
        rows += batch.num_rows
        if rows >= ARRIVING_ROWS:
            yield pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
            batches, rows = [], 0
    if rows:
        yield pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _check_places(column: Any, last: int | None) -> int:
    places: Ints = column.to_numpy()
    before = places[:1] if last is None else np.array([last])
    step = np.diff(places, prepend=before - (last is None))
    if (step <= 0).any():
        message = "The column that numbers the rows of the Spark frame has a number twice."
        raise DataError(message, hint="name a column whose values are all different.")
    return int(places[-1])


def _coded(name: str, column: Any, kind: np.dtype[Any]) -> NDArray[Any]:
    if not isinstance(column, np.ndarray):
        raise DataError(f"Column {name!r} of the Spark frame holds no numbers.")
    coded = column.astype(kind)
    if not np.array_equal(coded, column):
        message = f"Column {name!r} of the Spark frame has values that are no codes of {kind}."
        raise DataError(message)
    return coded


def to_bytes(batch: Batch) -> bytes:
    """Return a batch's columns as an Arrow stream."""
    import pyarrow as pa

    record_batch = pa.record_batch(
        {name: as_arrow(column) for name, column in batch.columns.items()}
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, record_batch.schema) as writer:
        writer.write_batch(record_batch)
    made: bytes = sink.getvalue().to_pybytes()
    return made


def from_bytes(start: int, data: bytes) -> Batch:
    """Return the batch of ``to_bytes``."""
    import pyarrow as pa

    with pa.ipc.open_stream(data) as reader:
        (record_batch,) = reader
    return Batch(start, columns(record_batch))


def grouped(lengths: Iterable[int], least: int) -> tuple[tuple[int, int], ...]:
    """Return runs of neighbouring pieces, each with ``least`` rows or more, but the last.

    >>> grouped([3, 3, 3, 9, 1], 5)
    ((0, 2), (2, 4), (4, 5))
    """
    groups, begin, rows, end = [], 0, 0, 0
    for end, length in enumerate(lengths, 1):
        rows += length
        if rows >= least:
            groups.append((begin, end))
            begin, rows = end, 0
    if rows:
        groups.append((begin, end))
    return tuple(groups)
