"""A cluster as its driver sees it: jobs run to their end, with progress, and fail in our words."""

from __future__ import annotations

import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunningError
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from privet.errors import BugError, DataError
from privet.progress import watched
from privet.table.travel import guarded, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Cluster", "quiet", "told_by_us"]

_FIELDS = "key long, place long, data binary"
_POLL = 0.2  # seconds between two looks at how far the cluster is
_GIVE_UP = 20.0  # seconds that running tasks have to end after an interrupt


@contextmanager
def quiet() -> Iterator[None]:
    """Leave out what PySpark says of versions of pandas: none of our work goes through it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*pandas")
        yield


class Cluster:
    """A Spark session, and the one way to run a job in it."""

    def __init__(self, session: Any) -> None:
        self.session = session

    @property
    def cores(self) -> int:
        """How many tasks run at a time, as far as Spark knows."""
        try:
            return int(self.session.sparkContext.defaultParallelism)
        except Exception:  # noqa: BLE001 - a remote session does not tell
            return 8

    def run(self, frame: Any, label: str, tasks: int, rows: int) -> list[Any]:
        """Run a job to its end and return its rows; Ctrl-C ends it."""
        try:
            context = self.session.sparkContext
        except Exception:  # noqa: BLE001 - a remote session has none, nor progress
            with told_by_us():
                return list(frame.collect())
        group = f"privet-{uuid.uuid4().hex}"

        def job() -> list[Any]:
            context.setJobGroup(group, f"privet: {label}", interruptOnCancel=True)
            return list(frame.collect())

        with ThreadPoolExecutor(1) as pool, watched(label, rows) as tell, told_by_us():
            running = pool.submit(job)
            try:
                while True:
                    try:
                        return running.result(_POLL)
                    except StillRunningError:
                        if running.done():
                            raise
                    if tell is not None:
                        tell(rows * min(tasks, _done(context, group)) // tasks)
            except BaseException:
                if not running.done():
                    context.cancelJobGroup(group)
                    with suppress(Exception):
                        running.exception(_GIVE_UP)
                raise

    def mapped(self, frame: Any, work: Any) -> Any:
        """Return the frame of what ``work`` yields for a frame's Arrow batches."""
        with quiet():
            return frame.mapInArrow(guarded(work), _FIELDS)

    def each(self, work: Callable[[Any], bytes], items: Sequence[Any], label: str) -> list[bytes]:
        """Return ``work(item)`` of every item in order, each in a task of its own."""

        def worked(arrived: Iterator[Any]) -> Iterator[tuple[int, int, bytes]]:
            for numbers in arrived:
                for number in numbers.column(0).to_pylist():
                    yield number, 0, work(items[number])

        if not items:
            return []
        frame = self.mapped(self.numbers(len(items)), worked)
        rows = self.run(frame, label, len(items), len(items))
        return [row.data for row in sorted(rows, key=lambda row: row.key)]

    def numbers(self, count: int) -> Any:
        """Return the frame of the numbers below ``count``, each in a partition of its own."""
        return self.session.range(0, count, 1, count)


def _done(context: Any, group: str) -> int:
    """Return how many tasks of a group of jobs have ended."""
    tracker = context.statusTracker()
    stages: set[int] = set()
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        stages.update(() if info is None else info.stageIds)
    infos = (tracker.getStageInfo(stage) for stage in stages)
    return sum(info.numCompletedTasks for info in infos if info is not None)


@contextmanager
def told_by_us() -> Iterator[None]:
    """Turn what Spark says into an error of ours; its own text could quote a record."""
    try:
        yield
    except (KeyboardInterrupt, DataError, BugError, StillRunningError):
        raise
    except Exception as error:  # noqa: BLE001 - of Spark, of Java, of the bridge between
        text = str(error)
        ours = told(text)
        if ours is not None:
            raise ours from None
        if "No space left on device" in text:
            message = "Spark has no disk space left for what its tasks exchange."
            raise DataError(message, hint="set spark.local.dir to a larger disk.") from None
        kind = getattr(error, "getCondition", lambda: None)() or type(error).__name__
        message = f"Spark gave the work up ({kind})."
        hint = "look at the logs of its master and workers; every worker needs privet installed."
        raise DataError(message, hint=hint) from None
