"""``privet --master``: the Spark session that a command works with."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["session"]


@contextmanager
def session() -> Iterator[Any]:
    """Give the session that ``--master`` asks for, or None without it."""
    master = click.get_current_context().find_root().obj
    if master is None:
        yield None
        return
    from privet.table.spark import connect

    with connect(master) as spark:
        yield spark
