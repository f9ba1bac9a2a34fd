"""Progress of long work on stderr: bars on a terminal, elsewhere now and then a line if asked."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from privet.progress import listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

__all__ = ["Bar", "Lines", "lines", "shown"]


class Bar:
    """A listener that draws what it hears; work inside work gets a line of its own."""

    def __init__(self) -> None:
        self.drawing: Progress | None = None
        self.tasks: list[TaskID] = []

    def start(self, label: str, total: int | None) -> None:
        """Begin a line."""
        if self.drawing is None:
            self.drawing = _drawing()
            self.drawing.start()
        self.tasks.append(self.drawing.add_task(label, total=total))

    def advance(self, amount: int) -> None:
        """Move the line that began last."""
        if self.drawing is not None and self.tasks:
            self.drawing.advance(self.tasks[-1], amount)

    def end(self) -> None:
        """Take the line away; the last line takes the drawing with it."""
        if self.drawing is None or not self.tasks:
            return
        self.drawing.remove_task(self.tasks.pop())
        if not self.tasks:
            self.close()

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self.drawing is not None:
            self.drawing.stop()
        self.drawing = None
        self.tasks.clear()


class Lines:
    """A listener that says once in a while how far the outermost work is: for logs."""

    def __init__(self, pause: float = 60.0) -> None:
        self.pause = pause  # seconds between two lines
        self.labels: list[str] = []
        self.total: int | None = None
        self.done = 0
        self.begun = self.said = monotonic()

    def start(self, label: str, total: int | None) -> None:
        """Begin some work; what is done inside it is not told."""
        if not self.labels:
            self.total, self.done, self.begun = total, 0, monotonic()
        self.labels.append(label)

    def advance(self, amount: int) -> None:
        """Count what is done, and say so if the last line is long ago."""
        from privet.cli.output import note

        if len(self.labels) != 1:
            return
        self.done += amount
        now = monotonic()
        if now - self.said < self.pause or not self.total:
            return
        self.said = now
        left = (now - self.begun) / self.done * (self.total - self.done)
        told = f"{self.labels[0]}: {self.done:,} of {self.total:,}"
        note(f"{told}, about {max(1, round(left / 60)):,} min left")

    def end(self) -> None:
        """End the work that began last."""
        if self.labels:
            self.labels.pop()


@contextmanager
def lines() -> Iterator[None]:
    """Say in lines how far the work in the block is, where no bar can be drawn."""
    if sys.stderr.isatty():
        yield
        return
    with listening(Lines()):
        yield


def _drawing() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many a second."""

        def render(self, task: Task) -> Text:
            """Return the speed of late, once it is known."""
            return Text("" if not task.speed else f"{task.speed:,.0f}/s")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}"),
        Rate(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextmanager
def shown() -> Iterator[None]:
    """Show the progress of all work in the block, if anyone can see it."""
    if not sys.stderr.isatty():
        yield
        return
    bar = Bar()
    try:
        with listening(bar):
            yield
    finally:
        bar.close()
