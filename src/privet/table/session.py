"""Where a Spark session comes from."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from privet.errors import InputError
from privet.table.cluster import quiet

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["connect"]


@contextmanager
def connect(master: str) -> Iterator[Any]:
    """Give a Spark session at a master's (``local[4]``, ``spark://…``), stopped at the end.

    The Java side only hands out work, so it starts small. Settings come from Spark's own files. A
    session that this process has already is taken as it is, and stays.
    """
    session_class = _session_class()
    running = session_class.getActiveSession()
    if running is not None:
        yield running
        return
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = session_class.builder.master(master).appName("privet")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.python.task.killTimeout": "300ms",
    }.items():
        builder = builder.config(name, value)
    try:
        with quiet():
            session = builder.getOrCreate()
    except Exception as error:  # noqa: BLE001 - whatever keeps Spark from starting
        raise InputError(
            f"Spark does not start with master {master!r} ({type(error).__name__}).",
            hint="check the master's address, and that Java 17 or newer is there.",
        ) from None
    session.sparkContext.setLogLevel("OFF")  # a worker's error is told by us, without values
    try:
        yield session
    finally:
        session.stop()


def _session_class() -> Any:
    try:
        with quiet():
            from pyspark.sql import SparkSession
    except ImportError:
        message = "Work on a cluster needs PySpark."
        raise InputError(message, hint="pip install '.[spark]' in the privet folder.") from None
    return SparkSession
