"""The process that does long work: takes one order at a time, and tells how far it is.

Orders come as lines of JSON on stdin, news go as lines of JSON to what was stdout; whatever a
library prints goes nowhere. The process ends when its stdin does, or when it is told to: files that
are half written are then removed, as on Ctrl-C.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Teller", "main"]

EVERY = 0.1  # seconds between two lines about progress


class Teller:
    """A listener that says what it hears, not too often."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.stack: list[list[Any]] = []
        self.last = 0.0

    def say(self, **news: Any) -> None:
        """Write a line."""
        self.out.write(json.dumps(news, ensure_ascii=False, allow_nan=False) + "\n")
        self.out.flush()

    def part(self, result: dict[str, Any]) -> None:
        """Tell what is known before all is."""
        self.say(event="part", result=result)

    def start(self, label: str, total: int | None) -> None:
        """Hear what begins."""
        self.stack.append([label, 0, total])
        self._tell(now=True)

    def advance(self, amount: int) -> None:
        """Hear that some parts are done."""
        if self.stack:
            self.stack[-1][1] += amount
            self._tell(now=False)

    def end(self) -> None:
        """Hear that it is over."""
        if self.stack:
            self.stack.pop()

    def _tell(self, *, now: bool) -> None:
        if now or time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            # What has a length tells most; of several such the outermost.
            label, done, total = next((entry for entry in self.stack if entry[2]), self.stack[-1])
            self.say(event="progress", label=label, done=done, total=total)


def _obey(line: str, teller: Teller) -> None:
    from privet.errors import PrivetError
    from privet.progress import listening
    from privet.web.bench.work import WORK

    order = json.loads(line)
    try:
        with listening(teller):
            result = WORK[order["work"]](order["given"], teller.part)
    except PrivetError as error:
        teller.say(event="failed", error=error.message, hint=error.hint or "")
    except MemoryError:
        teller.say(event="failed", error="There is not enough memory.", hint="close other work.")
    except Exception as error:  # noqa: BLE001 - a bug is told by its kind, never by a value
        told = f"This is a mistake of privet ({type(error).__name__}); nothing was written."
        teller.say(event="failed", error=told, hint="the command shown may say more.")
    else:
        teller.say(event="done", result=result)


def _stop(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Obey until there are no more orders."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    signal.signal(signal.SIGTERM, _stop)
    teller = Teller(out)
    try:
        from privet.web.bench import work  # noqa: F401 - before the first order, which is then quick

        for line in sys.stdin:
            teller.stack.clear()
            _obey(line, teller)
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(1)


if __name__ == "__main__":
    main()
