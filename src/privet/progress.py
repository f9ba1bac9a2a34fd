"""How long work reports that it goes on, without knowing who looks.

The library calls ``track`` round its batches; by default nobody listens. The command line
listens with a bar, and any program may: ``with listening(listener): ...``.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Listener", "listening", "track", "watched"]

Item = TypeVar("Item")


class Listener(Protocol):
    """Told that work starts, that a part of it is done, and that it ends."""

    def start(self, label: str, total: int | None) -> None:
        """Hear what begins, and of how many parts it is, if that is known."""

    def advance(self, amount: int) -> None:
        """Hear that some parts are done."""

    def end(self) -> None:
        """Hear that the work is over, or was given up."""


_listener: ContextVar[Listener | None] = ContextVar("privet_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let ``listener`` hear of all work done inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def track(
    items: Iterable[Item],
    label: str,
    total: int | None = None,
    size: Callable[[Item], int] | None = None,
) -> Iterator[Item]:
    """Yield ``items`` unchanged, telling the listener after each.

    An item is one part of ``total``, or as many as its ``size``: records, where those are known.
    """
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    listener.start(label, total)
    try:
        for item in items:
            yield item
            listener.advance(1 if size is None else size(item))
    finally:
        listener.end()


@contextmanager
def watched(label: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """Give a call that tells the listener how much of ``total`` is done by now; None if nobody is.

    For work done elsewhere, of which one hears by asking.
    """
    listener = _listener.get()
    if listener is None:
        yield None
        return
    told = 0

    def tell(done: int) -> None:
        nonlocal told
        if told < done <= total:
            listener.advance(done - told)
            told = done

    listener.start(label, total)
    try:
        yield tell
    finally:
        listener.end()
