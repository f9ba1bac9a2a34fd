"""The tables of a store: one row of facts, T′, T^P, and the calls of late.

T^P is kept as what was *taken* from its cells: a cell's count is the number of copies of the
universe less that, so that a further copy is one number more, not a change of every row.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Column, Float, Integer, MetaData, String, Table, Text

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
_Number = BigInteger().with_variant(Integer, "sqlite")


def _facts() -> list[Column[Any]]:
    return [
        Column("id", Integer, primary_key=True, autoincrement=False),
        Column("format", Integer, nullable=False),
        Column("schema", Text, nullable=False),
        Column("pick", String(20), nullable=False),
        Column("dummy", Text, nullable=False),
        Column("token_seconds", Float, nullable=False),
        Column("copies", _Number, nullable=False),
        Column("samples", _Number, nullable=False),
        Column("remaining", _Number, nullable=False),  # records of T^P
        Column("oldest", _Number, nullable=False),  # copy that the next unreal record comes from
        Column("place", _Number, nullable=False),  # and where in it to look
    ]


old_facts = Table("privet_store", MetaData(), *_facts())
facts = Table("privet_store", metadata, *_facts(), Column("check", String(64), nullable=False))


def check_of(row: Mapping[str, Any]) -> str:
    """Return the checksum of a row of facts: a single wrong bit in it shows."""
    values = [row[column.name] for column in old_facts.columns]
    return hashlib.sha256(repr(values).encode(errors="backslashreplace")).hexdigest()


unreal = Table(
    "privet_unreal",
    metadata,
    Column("cell", _Number, primary_key=True, autoincrement=False),
    Column("count", _Number, nullable=False),
)
perturbing = Table(
    "privet_perturbing",
    metadata,
    Column("cell", _Number, primary_key=True, autoincrement=False),
    Column("place", _Number, unique=True),  # in the order of moving to T′; none if it never does
    Column("taken", _Number, nullable=False),
)
calls = Table(
    "privet_calls",
    metadata,
    Column("token", String(200), primary_key=True),
    Column("samples", _Number, nullable=False),
    Column("made", Float, nullable=False, index=True),  # seconds since 1970
)
