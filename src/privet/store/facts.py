"""The row of facts of a store: what it is, how far it has come, and whether it is whole."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from privet.disguise.complement import Complement
from privet.errors import StoreError
from privet.files.reading import parse_json
from privet.schema import Schema
from privet.store.layout import FORMAT, check_of, facts

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping, Table

    from privet.release.universe import Universe

__all__ = ["Status", "dummy_text", "meaning", "read_facts"]


def read_facts(
    connection: Connection, name: str, table: Table, *, lock: bool = False
) -> RowMapping:
    """Return the facts; a row that is lost or damaged is an error, and so is a newer format."""
    query = select(table).where(table.c.id == 1)
    row = connection.execute(query.with_for_update() if lock else query).mappings().one_or_none()
    if row is None:
        raise StoreError(f"The store {name} has lost its facts.", hint="restore it from a copy.")
    if type(row["format"]) is int and row["format"] > FORMAT:
        message = f"The store {name} is of format {row['format']}; this privet knows {FORMAT}."
        raise StoreError(message, hint="upgrade privet.")
    counts = [row[key] for key in ("format", "copies", "samples", "remaining", "oldest", "place")]
    fine = all(type(count) is int and count >= 0 for count in counts)
    fine = fine and row["oldest"] <= row["copies"] + 1 and type(row["token_seconds"]) is float
    fine = fine and all(type(row[key]) is str for key in ("schema", "pick", "dummy"))
    if not fine or (table is facts and row["check"] != check_of(dict(row))):
        message = f"The facts of the store {name} are damaged."
        raise StoreError(message, hint="restore it from a copy.")
    return row


def dummy_text(universe: Universe) -> str:
    """Return the dummies of a universe as the facts have them."""
    dummy = universe.dummy
    return json.dumps(None if dummy is None else {dummy.attribute: list(dummy.values)})


def meaning(row: RowMapping, name: str) -> tuple[Schema, Complement]:
    """Return the schema and the method that the facts of a store name."""
    try:
        schema = Schema.from_dict(parse_json(row["schema"]))
        return schema, Complement(row["pick"], parse_json(row["dummy"]))
    except (ValueError, TypeError, LookupError, AttributeError):
        raise StoreError(f"The facts of the store {name} are damaged.") from None


@dataclass(frozen=True)
class Status:
    """How a store stands, in totals only."""

    name: str
    pick: str
    samples: int
    copies: int
    universe: int
    unreal_rows: int
    perturbing_rows: int
    perturbing_records: int
    tokens: int
    lingers: bool
