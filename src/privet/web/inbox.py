"""The inbox of a survey: answers that arrive at once are stored in one transaction.

A commit that reaches the disk costs milliseconds, whatever it holds. One thread takes all that has
arrived since its last commit and stores it together; nobody is told "received" before that.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from typing import TYPE_CHECKING

from privet.errors import PrivetError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.store.answers import Answers, Said, Verdict

__all__ = ["Inbox"]

MOST = 1_000  # answers of one transaction
WAITING = 10_000  # answers that may wait for theirs; more are turned away until some are stored

_Waiting = tuple["Said", "asyncio.Future[Verdict]"]


class Inbox:
    """Stores answers for as many callers as like to, in one thread of its own."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._queue: queue.Queue[_Waiting | None] = queue.Queue(WAITING)
        self._thread = threading.Thread(target=self._work, name="privet-inbox", daemon=True)
        self._thread.start()

    async def put(self, said: Said) -> Verdict | None:
        """Return what became of an answer once that is on disk; None if too many are waiting."""
        done: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        try:
            self._queue.put_nowait((said, done))
        except queue.Full:
            return None
        return await done

    def stop(self) -> None:
        """Store what is waiting, and end."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            first = self._queue.get()
            taken = [] if first is None else [first]
            last = first is None
            while len(taken) < MOST and not last:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                last = more is None
                taken += [] if more is None else [more]
            if taken:
                self._store(taken)
            if last:
                return

    def _store(self, taken: Sequence[_Waiting]) -> None:
        outcomes: Sequence[Verdict | BaseException]
        try:
            outcomes = self._answers.add([said for said, _ in taken])
        except PrivetError as error:
            outcomes = [error] * len(taken)
        except Exception:  # noqa: BLE001 - of a bug people are told, and the thread goes on
            outcomes = [RuntimeError("the answer could not be stored")] * len(taken)
        for (_, done), outcome in zip(taken, outcomes, strict=True):
            done.get_loop().call_soon_threadsafe(_tell, done, outcome)


def _tell(done: asyncio.Future[Verdict], outcome: Verdict | BaseException) -> None:
    if done.done():  # whoever asked has gone away
        return
    if isinstance(outcome, BaseException):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)
