"""The tables of a store: one row of facts, T′, T^P, and the calls of late.

T^P is kept as what was *taken* from its cells: a cell's count is the number of copies of the
universe less that, so that a further copy is one number more, not a change of every row.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Integer, MetaData, String, Table, Text

__all__ = ["APPLICATION", "FORMAT", "calls", "facts", "metadata", "perturbing", "unreal"]

FORMAT = 1  # of the layout
APPLICATION = 0x70727674  # how an SQLite file of ours is marked: "prvt"

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")

facts = Table(
    "privet_store",
    metadata,
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
)
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
