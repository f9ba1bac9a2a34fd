"""Attacks on a store: a few leaked records, one row of each table, all rows, two moments.

They need no database, only releases of the store, and are those of complementation.
"""

from __future__ import annotations

from privet.disguise.complement_attacks import matching, one_row_each, reconstruction, snapshots

__all__ = ["matching", "one_row_each", "reconstruction", "snapshots"]
