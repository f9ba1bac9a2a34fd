"""The lab: runs trials over a grid of settings, in processes, and remembers what they gave.

Every trial runs on one thread, whatever the number of processes, so that results can be timed
and a machine is never asked for more than it has.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.compiled import threads
from privet.errors import BugError, InputError
from privet.experiments.memory import Memory
from privet.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

__all__ = ["Lab", "Seeds", "Setting", "Trial", "grid", "mean", "means"]

Setting: TypeAlias = Mapping[str, Any]
Row: TypeAlias = dict[str, Any]
Trial: TypeAlias = "Callable[[Setting, Seeds], Mapping[str, Any]]"

_PINNED = (
    "PRIVET_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def grid(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """Return every combination of named values, the last name running fastest.

    >>> grid(gamma=[5, 8], bins=[10])
    [{'gamma': 5, 'bins': 10}, {'gamma': 8, 'bins': 10}]
    """
    listed = {name: list(values) for name, values in axes.items()}
    return [
        dict(zip(listed, values, strict=True)) for values in itertools.product(*listed.values())
    ]


class Seeds:
    """Independent seeds of one run of one trial, by word.

    >>> seeds = Seeds(1, "a key")
    >>> seeds("data") == Seeds(1, "a key")("data") != seeds("noise")
    True
    """

    def __init__(self, base: int, key: str) -> None:
        self.base = base
        self.key = key

    def __call__(self, word: str = "") -> int:
        """Return the seed for a purpose, a whole number of 64 bits."""
        digest = hashlib.sha256(f"{self.key}\n{word}".encode()).digest()
        sequence = np.random.SeedSequence([self.base, *np.frombuffer(digest, np.uint32).tolist()])
        return int(sequence.generate_state(1, np.uint64)[0])

    def generator(self, word: str = "") -> np.random.Generator:
        """Return a generator for a purpose."""
        return np.random.default_rng(self(word))


class Lab:
    """Where experiments run.

    Parameters
    ----------
    name
        Of the experiment; names the file of remembered results.
    quick
        Whether the experiment should be small: for tests, and to see that it works.
    seed
        The base of all seeds. None goes on with the seed of the remembered results, or draws anew.
    jobs
        How many processes; by default as many as there are cores. With 1, none is started.
    cache
        The folder of remembered results; None remembers nothing.
    fresh
        Whether to forget what is remembered.
    version
        Of the experiment: results of another version are forgotten.
    repeats
        How often each setting is run, instead of what the experiment says; see ``times``.
    """

    def __init__(
        self,
        name: str,
        *,
        quick: bool = False,
        seed: int | None = None,
        jobs: int | None = None,
        cache: str | Path | None = None,
        fresh: bool = False,
        version: int = 1,
        repeats: int | None = None,
    ) -> None:
        if seed is not None and seed < 0:
            raise InputError("The seed must be a whole number of at least 0.")
        self.name = name
        self.quick = quick
        self.repeats = repeats
        self.jobs = threads() if jobs is None else jobs
        self.runs = 0  # trials whose results were used
        self.resumed = 0  # of which remembered
        self._memory = Memory(cache, name, quick=quick, seed=seed, fresh=fresh, version=version)
        self.seed = self._memory.seed

    @property
    def command(self) -> str:
        """The command that gives these numbers again."""
        quick = " --quick" if self.quick else ""
        runs = "" if self.repeats is None else f" --runs {self.repeats}"
        return f"privet reproduce {self.name}{quick}{runs} --seed {self.seed}"

    def times(self, usual: int, quick: int = 2) -> int:
        """Return how often to run each setting: what was asked for, or one of these."""
        if self.repeats is not None:
            return self.repeats
        return quick if self.quick else usual

    def run(
        self, trial: Trial, settings: Iterable[Setting], *, runs: int = 1, alike: Sequence[str] = ()
    ) -> list[Row]:
        """Run ``trial(setting, seeds)`` for all settings, ``runs`` times each, and return the rows.

        The seeds do not depend on the settings named in ``alike``: rows that differ in
        nothing else can be compared in pairs.
        """
        named = f"{trial.__module__}.{trial.__qualname__}"
        asked = [
            _Asked(trial, setting, run, Seeds(self.seed, _key(named, setting, run, alike)))
            for setting in settings
            for run in range(runs)
        ]
        keys = [_key(named, task.setting, task.run) for task in asked]
        if len(set(keys)) != len(keys):
            raise BugError("a grid of settings holds the same setting twice")
        todo = {
            key: task
            for key, task in zip(keys, asked, strict=True)
            if key not in self._memory.results
        }
        self.runs += len(keys)
        self.resumed += len(keys) - len(todo)
        for key, result in track(self._done(todo), trial.__name__, len(todo)):
            self._memory.keep(key, result)
        results = self._memory.results
        return [
            {**task.setting, "run": task.run, **results[key]}
            for key, task in zip(keys, asked, strict=True)
        ]

    def _done(self, todo: Mapping[str, _Asked]) -> Iterator[tuple[str, dict[str, Any]]]:
        with _one_thread():
            if self.jobs == 1 or len(todo) < 2:
                for key, task in todo.items():
                    yield key, task.work()
                return
            # New interpreters: a fork would copy the locks of this process's threads.
            context = multiprocessing.get_context("spawn")
            workers = min(self.jobs, len(todo))
            pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_parent)
            try:
                waiting = {pool.submit(task.work): key for key, task in todo.items()}
                for future in as_completed(waiting):
                    yield waiting[future], future.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


def _follow_parent() -> None:
    """End this process when its parent ends, in whatever way."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class _Asked:
    """One run of a trial in one setting."""

    def __init__(self, trial: Trial, setting: Setting, run: int, seeds: Seeds) -> None:
        self.trial, self.setting, self.run, self.seeds = trial, setting, run, seeds

    def work(self) -> dict[str, Any]:
        return dict(self.trial(self.setting, self.seeds))


def _key(named: str, setting: Setting, run: int, without: Sequence[str] = ()) -> str:
    kept = {name: value for name, value in setting.items() if name not in without}
    return json.dumps([named, kept, run], sort_keys=True, allow_nan=False)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let trials, and processes started here, use one thread each."""
    before = {name: os.environ.get(name) for name in _PINNED}
    os.environ.update(dict.fromkeys(_PINNED, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def mean(values: Iterable[float]) -> tuple[float, float]:
    """Return a mean and its standard error (0 for a single value).

    >>> mean([1.0, 3.0])
    (2.0, 1.0)
    """
    numbers = np.array(list(values), np.float64)
    error = numbers.std(ddof=1) / np.sqrt(len(numbers)) if len(numbers) > 1 else 0.0
    return float(numbers.mean()), float(error)


def means(
    rows: Iterable[Setting], by: Sequence[str], value: str
) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Return the mean of a value, and its standard error, for each combination of other values.

    >>> means([{"γ": 5, "e": 1.0}, {"γ": 5, "e": 3.0}], ["γ"], "e")
    {(5,): (2.0, 1.0)}
    """
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(float(row[value]))
    return {group: mean(values) for group, values in groups.items()}
