"""The tables of a survey's answers: one row of facts, the answers, and the tokens they spend."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Integer, LargeBinary, MetaData, String, Table, Text

from privet.store.columns import NUMBER, key, required

__all__ = ["FORMAT", "answers", "facts", "metadata", "tokens"]

FORMAT = 1  # of the layout

metadata = MetaData()
# Without row numbers SQLite keeps rows by their contents: their order tells nothing.
_by_content: Any = {"sqlite_with_rowid": False}

facts = Table(
    "privet_survey",
    metadata,
    key("id", Integer),
    *required(format=Integer, digest=String(64), form=Text, invited=Boolean, closed=Boolean),
    *required(counted=NUMBER, fresh=NUMBER),
)
answers = Table(
    "privet_answers",
    metadata,
    Column("answer", LargeBinary, primary_key=True),
    *required(counted=NUMBER),
    Column("fresh", NUMBER, nullable=False, index=True),
    **_by_content,
)
tokens = Table(
    "privet_tokens",
    metadata,
    Column("hash", LargeBinary(32), primary_key=True),
    Column("state", Integer, nullable=False, index=True),
    **_by_content,
)
