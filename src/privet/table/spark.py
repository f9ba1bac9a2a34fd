"""Tables on a Spark cluster: counted, mapped and exchanged at the workers. The one door to Spark.

What travels is work: pickled functions go to the workers, small arrays come back. A task that is
lost and run again elsewhere does the same to the same rows, so nothing depends on who did it.

In the examples ``spark`` is a session, as ``connect`` gives it, and ``table`` is
``SparkTable.of(spark.range(4))``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import BugError, DataError
from privet.frames import check_names
from privet.schema import Files
from privet.table.base import Table, added, thinned
from privet.table.cluster import Cluster, told_by_us
from privet.table.parquet import ParquetTable
from privet.table.session import connect
from privet.table.spark_frames import TASK_ROWS, exchanged, one_batch, partition, placed
from privet.table.travel import Arriving, Tasks, from_bytes, grouped, pack, to_bytes, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.schema import Attribute
    from privet.table.base import Batch, IntArrays
    from privet.table.pieces import PiecedTable

__all__ = ["SparkFiles", "SparkTable", "connect", "is_on_spark", "on_workers"]


def is_on_spark(records: object) -> bool:
    """Whether records live on a cluster: a table or files of ours, or a frame of Spark's."""
    if isinstance(records, SparkTable | SparkFiles):
        return True
    return type(records).__module__.startswith("pyspark.") and hasattr(records, "mapInArrow")


@dataclass(frozen=True)
class SparkFiles:
    """Raw files that the workers of a session can read: what to disguise, before a plan is made.

    ``path`` is a file, a folder, which may be partitioned, or a pattern; workers must see the files
    under the same name.

    >>> is_on_spark(SparkFiles(spark, "people.csv"))
    True
    """

    session: Any
    path: str | Path | Files

    def table(self, attributes: Sequence[Attribute]) -> SparkTable:
        r"""Return the columns of some attributes.

        >>> import pathlib, tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "people.csv").write_text("age\n31\n40\n")
        ...     files = pv.SparkFiles(spark, f"{folder}/people.csv")
        ...     files.table([pv.Attribute.numeric("age", low=0, high=99)]).rows
        2
        """
        return SparkTable.records(self.session, self.path, attributes)


def on_workers(
    session: Any, work: Callable[[Any], bytes], items: Sequence[Any], label: str
) -> list[bytes]:
    """Return ``work(item)`` of every item in order: for files rather than for rows."""
    return Cluster(session).each(work, items, label)


class SparkTable(Table):
    """Columns on a cluster, made by ``of``, ``files`` or ``records``.

    Counts are added up at the workers; ``batches`` and ``collect`` bring rows to the driver. Work
    is pickled, so all that it needs must be installed at the workers, privet included.

    >>> table.names, table.rows
    (['id'], 4)
    """

    def __init__(self, cluster: Cluster, local: PiecedTable, frame: Any = None) -> None:
        self._cluster = cluster
        self._local = local
        self._frame = frame
        self.names, self.rows = local.names, local.rows
        self.types = getattr(local, "types", {})

    @classmethod
    def of(
        cls,
        frame: Any,
        names: Sequence[str] | None = None,
        *,
        row: str | None = None,
        types: Mapping[str, Any] | None = None,
    ) -> SparkTable:
        """Return some columns of a Spark frame as a table.

        Rows are placed by the whole numbers in the column ``row``, which must all be different;
        without it, by their order in the frame, which must then be the same each time Spark works
        it out: so it is for files, not after a join or a shuffle. ``types`` tells which columns
        are codes, and of which type (``uint8``, ``uint16``).

        >>> frame = spark.createDataFrame([(1, 40), (0, 31)], ["row", "age"])
        >>> SparkTable.of(frame, row="row").collect(2).columns["age"].tolist()
        [31, 40]
        """
        from pyspark.sql import functions as F  # noqa: N812 - everyone's name for it

        cluster = Cluster(frame.sparkSession)
        kept = [name for name in frame.columns if name != row] if names is None else list(names)
        check_names(frame.columns, [*kept, *([row] if row else [])], "The Spark frame")
        asked = [F.col(f"`{name}`") for name in kept]
        frame = frame.select(*asked) if row is None else placed(cluster, frame, row, asked)

        def length(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            yield partition(), sum(batch.num_rows for batch in arrived), b""

        with told_by_us():
            first = frame.limit(1).toArrow()
        numbered = cluster.run(cluster.mapped(frame, length), "numbering", 1, 1)
        lengths = {numbering.key: numbering.place for numbering in numbered}
        parts = [lengths.get(number, 0) for number in range(max(lengths, default=-1) + 1)]
        kinds = {name: np.dtype(kind) for name, kind in (types or {}).items()}
        return cls(cluster, Arriving(parts, one_batch(first), kinds), frame)

    @classmethod
    def files(
        cls, session: Any, paths: Iterable[str | Path], names: Sequence[str] | None = None
    ) -> SparkTable:
        """Return the table of Parquet files with codes and numbers, which every worker can read.

        >>> import tempfile, pyarrow as pa
        >>> from pyarrow.parquet import write_table
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_table(pa.table({"age": [31.0, 40.0]}), f"{folder}/people.parquet")
        ...     SparkTable.files(spark, [f"{folder}/people.parquet"]).rows
        2
        """
        return cls.over(session, ParquetTable([Path(path).absolute() for path in paths], names))

    @classmethod
    def over(cls, session: Any, table: ParquetTable) -> SparkTable:
        """Return the same table, read at the workers.

        >>> SparkTable.over(spark, ParquetTable([])).rows
        0
        """
        return cls(Cluster(session), table)

    @classmethod
    def records(
        cls, session: Any, path: str | Path | Files, attributes: Sequence[Attribute]
    ) -> SparkTable:
        r"""Return the raw columns of an owner's files, which every worker can read.

        ``path`` is as for ``Source``: a file, a folder, which may be partitioned, or a pattern.

        >>> import tempfile, privet as pv
        >>> age = pv.Attribute.numeric("age", low=0, high=99)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "people.csv").write_text("age\n31\n40\n")
        ...     SparkTable.records(spark, f"{folder}/people.csv", [age]).names
        ['age']
        """
        from privet.table.raw import RawTable
        from privet.table.source import Source, is_parquet

        files: Files = Files.of(path)
        whole = replace(files, path=files.path.absolute())  # a worker has a folder of its own
        source = Source(whole, attributes)
        cluster = Cluster(session)

        def length(file: Path) -> bytes:
            rows = sum(len(next(iter(raw.values()))) for raw in source.read(file))
            return rows.to_bytes(8, "big")

        written = [file for file in source.paths if not is_parquet(file)]
        lengths = [
            int.from_bytes(packed, "big") for packed in cluster.each(length, written, "numbering")
        ]
        table = RawTable(source, lengths)
        if not table.rows:
            raise DataError(f"The table {path} has no rows.")
        return cls(cluster, table)

    def __reduce__(self) -> Any:
        # Work often holds on to the evidence that asks for it, and so to the table; the session
        # cannot travel and need not.
        return _Absent, (self.names, self.rows)

    @property
    def session(self) -> Any:
        """The Spark session that works on the table."""
        return self._cluster.session

    # Work

    def count(self, work: Callable[[Batch], IntArrays], label: str = "counting") -> IntArrays:
        """Return the sum of ``work(batch)``: added up at the workers, in one pass.

        >>> table.count(lambda batch: (np.bincount(batch.columns["id"] % 2),))[0].tolist()
        [2, 2]
        """
        if not self.rows:
            message = "The table has no rows."
            raise DataError(message)
        self.meter.passes += 1
        tasks, read = self._tasks()
        few = max(1, math.isqrt(tasks))

        def counted(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            for number, batches in read(arrived):
                total = added(map(work, batches))
                if total is not None:
                    yield number % few, 0, pack(total)

        def join(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            parts = (data for batch in arrived for data in batch.column("data").to_pylist())
            total = added(map(unpack, parts))
            if total is not None:
                yield 0, 0, pack(total)

        parts = exchanged(self._cluster.mapped(self._arriving(tasks), counted), few)
        rows = self._cluster.run(self._cluster.mapped(parts, join), label, tasks, self.rows)
        total = added(unpack(row.data) for row in rows)
        if total is None:
            message = "no task of a count gave a result"
            raise BugError(message)
        return total

    def exchange(
        self,
        scatter: Callable[[Batch], Iterable[tuple[int, bytes]]],
        buckets: int,
        gather: Callable[[int, Iterator[bytes]], bytes],
        label: str,
    ) -> list[bytes]:
        """Bring what ``scatter`` makes of all batches together by bucket, and ``gather`` each.

        A bucket's data come in the order of their rows. Return what ``gather`` returns, bucket
        after bucket; it runs at a worker, perhaps more than once.

        >>> def scatter(batch):
        ...     for number in batch.columns["id"].tolist():
        ...         yield number % 2, bytes([number])
        >>> parts = table.exchange(scatter, 2, lambda _, parts: b"".join(parts), "sorting")
        >>> [list(part) for part in parts]
        [[0, 2], [1, 3]]
        """
        self.meter.passes += 1
        tasks, read = self._tasks()

        def scattered(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            for _, batches in read(arrived):
                for batch in batches:
                    for bucket, data in scatter(batch):
                        yield bucket, batch.start, data

        def join(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            head = next(arrived, None)
            if head is not None and head.num_rows:
                number = head.column("key")[0].as_py()
                yield number, 0, gather(number, _data(head, arrived))

        parts = exchanged(self._cluster.mapped(self._arriving(tasks), scattered), buckets)
        frame = self._cluster.mapped(parts.sortWithinPartitions("place"), join)
        rows = self._cluster.run(frame, label, tasks, self.rows)
        return [row.data for row in sorted(rows, key=lambda row: row.key)]

    def tasks(self, work: Callable[[int, Iterator[Batch]], bytes], label: str) -> list[bytes]:
        """Return ``work(number, batches)`` of each task's rows, in the order of the rows.

        >>> def work(number, batches):
        ...     return bytes(map(len, batches))
        >>> sum(map(sum, table.tasks(work, "counting")))
        4
        """
        self.meter.passes += 1
        tasks, read = self._tasks()

        def worked(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            for number, batches in read(arrived):
                yield number, 0, work(number, batches)

        frame = self._cluster.mapped(self._arriving(tasks), worked)
        rows = self._cluster.run(frame, label, tasks, self.rows)
        return [row.data for row in sorted(rows, key=lambda row: row.key)]

    def thinned(self, names: Sequence[str], step: int) -> dict[str, NDArray[Any]]:
        """Return some columns of every ``step``-th row; the others stay at the workers.

        >>> table.thinned(["id"], 2)["id"].tolist()
        [0, 2]
        """

        def some(_: int, batches: Iterator[Batch]) -> bytes:
            parts = [thinned(batch, names, step) for batch in batches]
            return pack(tuple(np.concatenate([part[name] for part in parts]) for name in names))

        parts = [unpack(packed) for packed in self.tasks(some, "reading")]
        both = zip(names, zip(*parts, strict=True), strict=True)
        return {name: np.concatenate(pieces) for name, pieces in both}

    def map(self, work: Callable[[Batch], Batch]) -> SparkTable:
        """Return the mapped table; the work is done at the workers whenever it is read.

        >>> from privet.table import Batch
        >>> def doubled(batch):
        ...     return Batch(batch.start, {"twice": 2 * batch.columns["id"]})
        >>> table.map(doubled).collect(4).columns["twice"].tolist()
        [0, 2, 4, 6]
        """
        return self._like(self._local.map(work))

    def slice(self, start: int, stop: int) -> SparkTable:
        """Return some rows.

        >>> table.slice(1, 3).rows
        2
        """
        return self._like(self._local.slice(start, stop))

    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        """Return one call that brings all rows to the driver, batch by batch.

        >>> (stream,) = table.shards()
        >>> sum(map(len, stream()))
        4
        """
        return [self._stream]

    def _stream(self) -> Iterator[Batch]:
        tasks, read = self._tasks()

        def streamed(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            for _, batches in read(arrived):
                for batch in batches:
                    yield 0, batch.start, to_bytes(batch)

        with told_by_us():
            frame = self._cluster.mapped(self._arriving(tasks), streamed)
            for row in frame.toLocalIterator(prefetchPartitions=True):
                yield from_bytes(row.place, row.data)

    # Spark

    def _like(self, local: PiecedTable) -> SparkTable:
        table = SparkTable(self._cluster, local, self._frame)
        table.meter = self.meter
        return table

    def _tasks(self) -> tuple[int, Any]:
        """Return the number of tasks, and how a task reads the batches of what arrives."""
        local = self._local
        if isinstance(local, Arriving):
            return (len(local.pieces) or 1, lambda arrived: local.arrived(partition(), arrived))
        least = min(TASK_ROWS, max(1, local.rows // (4 * self._cluster.cores)))
        groups = grouped((piece.rows for piece in local.pieces), least)
        return len(groups) or 1, Tasks(local, groups).batches

    def _arriving(self, tasks: int) -> Any:
        return self._cluster.numbers(tasks) if self._frame is None else self._frame


class _Absent(Table):
    """What a worker sees of a table on a cluster: its names and its length."""

    def __init__(self, names: list[str], rows: int) -> None:
        self.names, self.rows = names, rows

    def shards(self) -> Any:
        """Refuse."""
        message = "a worker asked for the table it works on"
        raise BugError(message)

    def map(self, work: Any) -> Any:
        """Refuse."""
        del work
        self.shards()

    def slice(self, start: int, stop: int) -> Any:
        """Refuse."""
        del start, stop
        self.shards()


def _data(head: Any, rest: Iterator[Any]) -> Iterator[bytes]:
    batch: Any = head
    while batch is not None:
        yield from batch.column("data").to_pylist()
        batch = next(rest, None)
