"""Kernels and the pool of threads: what is compiled when, who works, what an error does."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading

import pytest

from privet.compiled import in_threads, kernel, side_by_side


@kernel
def doubled(number: int) -> int:
    return number + number


@kernel
def quadrupled(number: int) -> int:
    return doubled(doubled(number))


def test_a_kernel_may_call_another() -> None:
    assert quadrupled(3) == 12


def test_a_kernel_travels_as_its_name() -> None:
    assert pickle.loads(pickle.dumps(quadrupled)) is quadrupled  # noqa: S301 - our own


def test_a_kernel_that_threads_call_first_is_compiled_once() -> None:
    @kernel
    def tripled(number: int) -> int:
        return 3 * number

    together = threading.Barrier(8)
    made: set[int] = set()

    def work() -> None:
        together.wait(20)
        made.add(id(tripled.compiled))  # type: ignore[attr-defined]

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)
    assert len(made) == 1
    assert tripled(5) == 15


def test_numba_is_imported_by_the_first_call_only() -> None:
    script = (
        "import sys, numpy as np, privet.tree.kernels, privet.split.kernels, privet.coding\n"
        "assert 'numba' not in sys.modules\n"
        "assert privet.coding.all_inside(np.array([1.0]), 0.0, 2.0, False, False)\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_the_caller_does_the_first_item_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVET_THREADS", "2")
    seen: dict[int, str] = {}

    def work(item: int) -> None:
        seen[item] = threading.current_thread().name

    side_by_side(work, [0, 1, 2])
    assert sorted(seen) == [0, 1, 2]
    assert seen[0] == threading.current_thread().name
    assert seen[1] != seen[0]


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_of_any_item_is_the_callers(bad: int) -> None:
    def work(item: int) -> None:
        if item == bad:
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it has no words
        side_by_side(work, [0, 1])


def test_work_inside_work_does_not_wait_for_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that all waited for the pool they are of would wait for ever."""
    monkeypatch.setenv("PRIVET_THREADS", "2")
    done: list[list[int]] = []

    def outer(item: int) -> int:
        side_by_side(str, range(3))
        return sum(in_threads(lambda inner: inner + item, range(8)))

    caller = threading.Thread(target=lambda: done.append(list(in_threads(outer, range(8)))))
    caller.daemon = True
    caller.start()
    caller.join(20)
    assert done == [[28 + 8 * item for item in range(8)]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """multiprocessing forks: the child has the pool, but none of its threads."""
    monkeypatch.setenv("PRIVET_THREADS", "2")
    assert list(in_threads(str, range(5))) == ["0", "1", "2", "3", "4"]
    side_by_side(str, range(2))
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a child that hangs is ended
        fine = list(in_threads(str, range(5))) == ["0", "1", "2", "3", "4"]
        side_by_side(str, range(2))
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
