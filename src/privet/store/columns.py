"""Columns as the tables of all stores have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Column, Integer

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine

__all__ = ["NUMBER", "key", "required"]

NUMBER = BigInteger().with_variant(Integer, "sqlite")


def key(name: str, kind: Any = NUMBER) -> Column[Any]:
    """Return the column that tells rows apart; the database never numbers them itself."""
    return Column(name, kind, primary_key=True, autoincrement=False)


def required(**kinds: type[TypeEngine[Any]] | TypeEngine[Any]) -> list[Column[Any]]:
    """Return columns that always hold a value, in this order."""
    return [Column(name, kind, nullable=False) for name, kind in kinds.items()]
