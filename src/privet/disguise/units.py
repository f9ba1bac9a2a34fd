"""People of several records: how many a person has, and which of them are kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.frames import columns
from privet.release.people import People
from privet.schema import Attribute, Files

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Mask
    from privet.randomness import Randomness
    from privet.schema import Schema

__all__ = ["Kept", "counted", "kept_rows"]

_STREAM = (1 << 20) + 1  # of the streams for shuffles: which of a person's records are kept


@dataclass(frozen=True)
class Kept:
    """Which rows are kept, all if ``rows`` is None, and what is known of people."""

    people: People | None = None
    rows: Mask | None = None

    def of(self, rows: int) -> int:
        """Return how many of so many rows are kept: what cells and waves go by."""
        return rows if self.rows is None else int(self.rows.sum())


def kept_rows(records: Any, schema: Schema, source: Randomness) -> Kept:
    """Return which records of a frame or of files are kept, by the schema's unit.

    With ``rows_per_unit`` at most so many of a person's are, drawn at random; without it all are,
    and the most that a person has are counted. The ids are kept in memory, eight bytes for each.
    """
    most = schema.rows_per_unit
    if schema.unit is None:
        return Kept(None if most is None else People(most))
    if most is None:
        return Kept(counted(records, schema.unit))
    ids = _ids(records, schema.unit)
    words = source.shuffle_words(_STREAM, 0, len(ids))
    order = np.lexsort((words, ids))
    places = np.arange(len(ids))
    first = np.flatnonzero(np.diff(ids[order], prepend=0) != 0) if len(ids) else places
    first = np.union1d(first, places[:1])
    rank = places - np.repeat(first, np.diff(np.append(first, len(ids))))
    rows = np.empty(len(ids), np.bool_)
    rows[order] = rank < most
    return Kept(People(most, left_out=int((~rows).sum())), rows)


def counted(records: Any, unit: str) -> People:
    """Return the most records that a person has, counted by the column that tells people apart.

    >>> counted({"patient": ["a", "b", "a"]}, "patient").rows
    2
    """
    times = np.unique(_ids(records, unit), return_counts=True)[1]
    return People(int(times.max(initial=1)), counted=True)


def _ids(records: Any, unit: str) -> NDArray[np.uint64]:
    """Return a number for the person of each record of a frame or of files."""
    if isinstance(records, Files):
        from privet.table.source import Source

        # Its values are not declared anywhere, nor released: any text is a unit.
        named = Attribute.categorical(unit, ["id"])
        pieces = [batch.columns[unit] for batch in Source(records, [named]).batches()]
    else:
        pieces = [columns(records, [unit])[unit]]
    none = np.empty(0, np.uint64)
    return np.concatenate([none, *(_numbers(piece, unit) for piece in pieces)])


def _numbers(column: Any, name: str) -> NDArray[np.uint64]:
    """Return a number for each id, the same for the same."""
    import pyarrow as pa

    units = pa.array(column, from_pandas=True)
    if units.null_count:
        message = f"Column {name!r}, which tells people apart, has a missing value."
        raise DataError(message, hint="give every record the id of its person.", column=name)
    coded = units if pa.types.is_dictionary(units.type) else units.dictionary_encode()
    digests = [
        int.from_bytes(hashlib.blake2b(str(value).encode(), digest_size=8).digest(), "little")
        for value in coded.dictionary.to_pylist()
    ]
    places = coded.indices.to_numpy(zero_copy_only=False)
    return np.asarray(np.array(digests, np.uint64)[places], np.uint64)
