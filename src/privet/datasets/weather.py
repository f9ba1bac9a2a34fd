"""The weather table of Fong's thesis: fourteen days, and whether tennis was played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.schema import Attribute, Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["schema", "table"]

_DAYS = """
Sunny High Weak No
Sunny High Strong No
Overcast High Weak Yes
Rain High Weak Yes
Rain Normal Weak Yes
Rain Normal Strong No
Overcast Normal Strong Yes
Sunny High Weak No
Sunny Normal Weak Yes
Rain Normal Weak Yes
Sunny Normal Strong Yes
Overcast High Strong Yes
Overcast Normal Weak Yes
Rain High Strong No
"""


def schema() -> Schema:
    """Return the domains, each in the order in which the thesis lists its universe."""
    return Schema(
        [
            Attribute.categorical("Outlook", ["Sunny", "Overcast", "Rain"]),
            Attribute.categorical("Humidity", ["High", "Normal"]),
            Attribute.categorical("Wind", ["Strong", "Weak"]),
            Attribute.categorical("Play", ["Yes", "No"]),
        ],
        target="Play",
    )


def table() -> pa.Table:
    """Return the fourteen records in the thesis' order.

    >>> table().num_rows, table()["Play"].to_pylist().count("Yes")
    (14, 9)
    """
    import pyarrow as pa

    days = [line.split() for line in _DAYS.split("\n") if line]
    return pa.table(dict(zip(schema().names, map(list, zip(*days, strict=True)), strict=True)))
