"""The tables of a store: one row of facts, T′, T^P, and the calls of late.

T^P is kept as what was *taken* from its cells: a cell's count is the number of copies of the
universe less that, so that a further copy is one number more, not a change of every row.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Float, Integer, MetaData, String, Table, Text

from privet.store.columns import NUMBER, key, required

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "APPLICATION",
    "FORMAT",
    "PURGED",
    "calls",
    "check_of",
    "facts",
    "metadata",
    "old_facts",
    "perturbing",
    "unreal",
]

FORMAT = 2  # of the layout; in 1 facts had no check, and T′ no rows for cells without records
APPLICATION = 0x70727674  # how an SQLite file of ours is marked: "prvt"
PURGED = "\npurged"  # no token of a call: the row tells up to when tokens were forgotten

metadata = MetaData()
_COUNTS = ("copies", "samples", "remaining", "oldest", "place")


def _facts() -> list[Column[Any]]:
    """Return the columns of the facts.

    ``remaining`` are the records of T^P; ``oldest`` is the copy that the next unreal record comes
    from, and ``place`` where in it to look.
    """
    about = required(format=Integer, schema=Text, pick=String(20), dummy=Text, token_seconds=Float)
    return [key("id", Integer), *about, *required(**dict.fromkeys(_COUNTS, NUMBER))]


old_facts = Table("privet_store", MetaData(), *_facts())
facts = Table("privet_store", metadata, *_facts(), *required(check=String(64)))


def check_of(row: Mapping[str, Any]) -> str:
    """Return the checksum of a row of facts: a single wrong bit in it shows."""
    values = [row[column.name] for column in old_facts.columns]
    return hashlib.sha256(repr(values).encode(errors="backslashreplace")).hexdigest()


unreal = Table("privet_unreal", metadata, key("cell"), *required(count=NUMBER))
perturbing = Table(
    "privet_perturbing",
    metadata,
    key("cell"),
    Column("place", NUMBER, unique=True),  # in the order of moving to T′; none if it never does
    *required(taken=NUMBER),
)
calls = Table(
    "privet_calls",
    metadata,
    Column("token", String(200), primary_key=True),
    *required(samples=NUMBER),
    Column("made", Float, nullable=False, index=True),  # seconds since 1970
)
