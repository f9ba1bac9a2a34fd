"""The one door to numba: ``kernel`` compiles a function, keeping the result on disk.

numba is imported when the first kernel is called: what only looks at a tree or a card does without.
Kernels release the interpreter lock, so that plain threads run them side by side; ``threads``
says how many. The cache goes to ``NUMBA_CACHE_DIR`` if set, else to a folder of the user's, else to
a temporary folder: a read-only installation works too.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["fused", "in_threads", "kernel", "side_by_side", "single_products", "threads"]

Function = TypeVar("Function", bound="Callable[..., Any]")
Item = TypeVar("Item")
Result = TypeVar("Result")


def _cache_folder() -> str:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(home) / "privet" / "numba"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return tempfile.mkdtemp(prefix="privet-numba-")
    if os.access(folder, os.W_OK):
        return str(folder)
    return tempfile.mkdtemp(prefix="privet-numba-")


@cache
def _numba() -> Any:
    """Import numba, and tell it where to keep what it compiles."""
    import numba

    settings: Any = numba.config
    if not settings.CACHE_DIR:
        settings.CACHE_DIR = _cache_folder()
    return numba


_making = threading.RLock()  # a kernel that calls others makes them while it is made


class _Kernel:
    """A function that numba compiles when it is called first, here or from another kernel."""

    def __init__(self, function: Callable[..., Any], **settings: Any) -> None:
        update_wrapper(self, function)
        self.function = function
        self.settings = settings

    @cached_property
    def compiled(self) -> Any:
        """The compiled function."""
        with _making:
            if "compiled" not in vars(self):  # another thread may have been first
                common = {"nogil": True, "cache": True, "error_model": "numpy"}
                self.compiled = _numba().njit(self.function, **common, **self.settings)
        return vars(self)["compiled"]

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this for where another kernel calls it."""
        return _numba().typeof(self.compiled)

    def __reduce__(self) -> Any:
        """Pickle as a name, so that another process takes what it compiled itself.

        numba would send the function's code, and every process would compile it anew.
        """
        module, name = self.function.__module__, self.function.__qualname__
        if getattr(sys.modules.get(module), name, None) is self:
            return _named, (module, name)
        return _made, (self.function, self.settings)


def _named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _made(function: Callable[..., Any], settings: dict[str, Any]) -> Any:
    return _Kernel(function, **settings)


def kernel(function: Function) -> Function:
    """Compile ``function`` on its first call; the compiled code is kept on disk."""
    return _Kernel(function)  # type: ignore[return-value]  # it is called as the function is


def fused(function: Function) -> Function:
    """Compile as ``kernel`` does, and let a product and a sum be rounded once, together.

    For measures, whose last digit may then differ from machine to machine; never for counts.
    """
    return _Kernel(function, fastmath={"contract"})  # type: ignore[return-value]  # as above


def threads() -> int:
    """Return how many threads to use: ``PRIVET_THREADS``, else the cores given to this process."""
    wanted = os.environ.get("PRIVET_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def single_products() -> Iterator[None]:
    """Keep products of matrices to one thread each, where many of them run side by side."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        yield


_here = threading.local()


def _mark_worker() -> None:
    _here.is_worker = True


def _workers() -> int:
    """Return how many threads may be asked; work on a thread of the pool does its own work itself.

    Were it to wait for the pool, all threads could be waiting for each other.
    """
    return 1 if getattr(_here, "is_worker", False) else threads()


@cache
def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size, thread_name_prefix="privet", initializer=_mark_worker)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of the threads


def side_by_side(work: Callable[[Item], object], items: Sequence[Item]) -> None:
    """Do ``work(item)`` for a few long items at once: the first here, the others on the threads.

    A caller that works keeps its own core, and one thread less has to be woken and placed.
    """
    first, *others = items
    size = _workers()
    if size == 1:
        for item in items:
            work(item)
        return
    waiting = [_pool(size).submit(work, item) for item in others]
    try:
        work(first)
    finally:
        for future in waiting:
            future.result()


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield ``work(item)`` in the items' order, a few at a time on all threads.

    At most two items a thread are in flight, so a long stream of batches stays small in memory.
    """
    size = _workers()
    if size == 1:
        yield from map(work, items)
        return
    waiting: list[Any] = []
    pool = _pool(size)
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= 2 * size:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()
    finally:
        for future in waiting:
            future.cancel()
