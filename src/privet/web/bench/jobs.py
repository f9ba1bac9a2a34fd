"""Long work: what it is, how far it is, what came of it. One process does it, one job at a time.

A job lives as long as the server does, so that a page that is loaded again finds it where it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from privet.web.bench.forms import visible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

__all__ = ["Job", "Jobs"]

State = Literal["waiting", "running", "done", "failed", "cancelled"]
PATIENCE = 5.0  # seconds that a process has to clean up before it is killed
LOOK = 0.1  # seconds between two looks at a job that someone watches


@dataclass
class Job:
    """A piece of long work; ``quiet`` ones make room for what someone waits for."""

    number: int
    work: str
    title: str
    given: dict[str, Any]
    quiet: bool = False
    state: State = "waiting"
    label: str = ""
    done: int = 0
    total: int | None = None
    result: dict[str, Any] | None = None
    error: str = ""
    hint: str = ""
    began: float = field(default_factory=time.monotonic)
    took: float = 0.0
    parts: int = 0
    then: Callable[[dict[str, Any]], None] | None = None
    undo: Callable[[], None] | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ("done", "failed", "cancelled")

    def to_dict(self) -> dict[str, Any]:
        """Return what a page is told; results are asked for elsewhere."""
        share = None if not self.total else min(1.0, self.done / self.total)
        return {
            "number": self.number,
            "state": self.state,
            "title": visible(self.title),
            "label": visible(self.label),
            "done": self.done,
            "total": self.total,
            "share": share,
            "seconds": round(self.took or time.monotonic() - self.began, 1),
            "error": visible(self.error),
            "hint": visible(self.hint),
            "parts": self.parts,
        }


class Jobs:
    """All jobs of a workbench, and the process that does them."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._all: dict[int, Job] = {}
        self._waiting: deque[Job] = deque()
        self._current: Job | None = None
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.RLock()
        self._closed = False

    def __getitem__(self, number: int) -> Job:
        return self._all[number]

    def get(self, number: int) -> Job | None:
        """Return a job, or None if there is none of that number."""
        return self._all.get(number)

    @property
    def process(self) -> int | None:
        """The number of the process that works, if any."""
        return None if self._process is None else self._process.pid

    @property
    def busy(self) -> bool:
        """Whether something is being done that someone waits for."""
        return any(not job.over and not job.quiet for job in self._all.values())

    def warm(self) -> None:
        """Start the process before there is work for it."""
        with self._lock:
            self._alive()

    def begin(
        self,
        work: str,
        title: str,
        given: dict[str, Any],
        *,
        quiet: bool = False,
        then: Callable[[dict[str, Any]], None] | None = None,
        undo: Callable[[], None] | None = None,
    ) -> Job:
        """Queue a job.

        ``then`` hears its result before anyone else does; ``undo`` takes back what was written for
        it, if nothing comes of it.
        """
        with self._lock:
            job = Job(next(self._numbers), work, title, given, quiet, then=then, undo=undo)
            self._all[job.number] = job
            if not quiet:
                for other in [job for job in self._all.values() if job.quiet and not job.over]:
                    self.cancel(other.number)
            self._waiting.append(job)
            self._next()
            return job

    def cancel(self, number: int) -> None:
        """Stop a job; what it has half written is removed."""
        with self._lock:
            job = self._all[number]
            if job.over:
                return
            self._end(job, "cancelled")
            if job is self._current:
                self._current = None
                self._dismiss()
                self._next()
            else:
                self._waiting.remove(job)

    def close(self) -> None:
        """Stop everything."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            self._dismiss()

    async def watched(self, number: int) -> AsyncIterator[dict[str, Any]]:
        """Yield what is to be told of a job, whenever that changes, until it is over."""
        told = None
        job = self._all[number]
        while True:
            news = job.to_dict()
            seen = {**news, "seconds": int(news["seconds"])}
            if seen != told:
                told = seen
                yield news
            if news["state"] in ("done", "failed", "cancelled") or self._closed:
                return
            await asyncio.sleep(LOOK)

    # The process

    def _next(self) -> None:
        if self._current is None and self._waiting and not self._closed:
            job = self._current = self._waiting.popleft()
            job.state, job.began = "running", time.monotonic()
            process = self._alive()
            order = json.dumps({"work": job.work, "given": job.given})
            with contextlib.suppress(BrokenPipeError, OSError):
                if process.stdin is not None:
                    process.stdin.write(order + "\n")
                    process.stdin.flush()

    def _alive(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "privet.web.bench.worker"]
            self._process = subprocess.Popen(  # noqa: S603 - this very Python, and our own module
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C is for the server, which ends this process itself
            )
            reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
            reader.start()
        return self._process

    def _dismiss(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            threading.Thread(target=_buried, args=(process,), daemon=self._closed is False).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        if process.stdout is None:
            return
        with process.stdout as told:  # closed here, by its only reader
            for line in told:
                with self._lock:
                    if process is self._process and self._current is not None:
                        self._hear(self._current, json.loads(line))
        with self._lock:
            if process is self._process:
                self._process = None
                if self._current is not None:
                    job, self._current = self._current, None
                    job.error, job.hint = "The work was ended from outside.", "start it again."
                    self._end(job, "failed")
                self._next()

    def _hear(self, job: Job, news: dict[str, Any]) -> None:
        if news["event"] == "progress":
            job.label, job.done, job.total = news["label"], news["done"], news["total"]
            return
        if news["event"] == "part":
            job.result = news["result"]
            job.parts += 1
            return
        self._current = None
        if news["event"] == "done":
            job.result = news["result"]
            if job.then is not None:
                job.then(news["result"])
            self._end(job, "done")
        else:
            job.error, job.hint = news["error"], news["hint"]
            self._end(job, "failed")
        self._next()

    @staticmethod
    def _end(job: Job, state: State) -> None:
        job.took = time.monotonic() - job.began
        if state != "done" and job.undo is not None:
            job.undo()
        job.state = state


def _buried(process: subprocess.Popen[str]) -> None:
    """Wait for a process that was told to end, and kill it if it does not."""
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
