"""Complementation in a database: samples come in, and what is stored was never collected."""

from privet.store.store import Receipt, Status, Store

__all__ = ["Receipt", "Status", "Store"]
