"""Frames of Spark's: in the order of a column, or brought together by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.errors import DataError
from privet.table.cluster import told_by_us
from privet.table.travel import PLACE

if TYPE_CHECKING:
    from privet.table.cluster import Cluster

__all__ = ["TASK_ROWS", "exchanged", "one_batch", "partition", "placed"]

TASK_ROWS = 1 << 20  # of a task, where there are enough rows to keep all workers busy


def placed(cluster: Cluster, frame: Any, row: str, asked: list[Any]) -> Any:
    """Return a frame in the order of a column, cut into partitions by its values alone."""
    from pyspark.sql import functions as F  # noqa: N812 - everyone's name for it

    kind = dict(frame.dtypes)[row]
    if kind not in ("tinyint", "smallint", "int", "bigint"):
        raise DataError(f"Column {row!r} must hold whole numbers to place rows by, not {kind}.")
    place = F.col(f"`{row}`")
    with told_by_us():
        low, high, count, given = frame.select(
            F.min(place), F.max(place), F.count(F.lit(1)), F.count(place)
        ).first()
    if not count:
        raise DataError("The Spark frame has no rows.")
    if given < count:
        raise DataError(f"Column {row!r} has a missing value; it must place every row.")
    parts = max(1, min(4 * cluster.cores, count >> 16), count // TASK_ROWS)
    # Rounding may move a value to a neighbouring partition, but never past another value.
    share = (place.cast("double") - F.lit(float(low))) / F.lit(float(high - low + 1)) * F.lit(parts)
    part = F.least(F.lit(parts - 1), F.floor(share)).cast("int").alias("privet part")
    asked_for = frame.select(*asked, place.cast("bigint").alias(PLACE), part)
    brought = asked_for.repartitionById(parts, F.col("`privet part`")).drop("privet part")
    return brought.sortWithinPartitions(F.col(f"`{PLACE}`"))


def exchanged(frame: Any, parts: int) -> Any:
    """Return the rows of a frame brought together by key, one key per partition."""
    from pyspark.sql import functions as F  # noqa: N812 - everyone's name for it

    return frame.repartitionById(parts, F.col("key").cast("int"))


def one_batch(table: Any) -> Any:
    """Return the rows of an Arrow table as one batch; a frame without any is refused."""
    if not table.num_rows:
        raise DataError("The Spark frame has no rows.")
    return table.combine_chunks().to_batches()[0]


def partition() -> int:
    """Return the number of the partition that a worker is at."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())
