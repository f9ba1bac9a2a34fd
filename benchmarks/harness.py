"""The one way to time: interleaved repeats, medians, and goals that pass or fall short."""

from __future__ import annotations

import gc
import json
import platform
import statistics
import time
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

__all__ = ["Goal", "Report", "Times", "race"]

PAUSE = 0.1  # seconds for the last contender's threads to come to rest
AWAKE = 0.02  # seconds of work before the clock starts: one who just slept is placed badly
RESULTS = Path(__file__).parent / "results"
PEERS = ("numpy", "scikit-learn", "lightgbm", "multi-freq-ldpy", "numba", "pyarrow", "cryptography")


@dataclass(frozen=True)
class Times:
    """Seconds of every repeat of one contender."""

    seconds: list[float]

    @property
    def median(self) -> float:
        """The median, which is what ratios are made of."""
        return statistics.median(self.seconds)


def race(
    contenders: Mapping[str, Callable[[], object]],
    *,
    repeats: int = 5,
    warm: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Times]:
    """Time the contenders in turn, round after round, so that a slow minute hits them all.

    ``warm`` rounds come first and do not count. ``clock`` says what is measured, in seconds.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(warm + repeats):
        for name, work in contenders.items():
            gc.collect()
            time.sleep(PAUSE)
            ready = time.perf_counter() + AWAKE
            while time.perf_counter() < ready:
                pass
            begin = clock()
            result = work()
            spent = clock() - begin
            del result  # freeing is not part of the work, nor of the next one's
            if turn >= warm:
                times[name].append(spent)
    return {name: Times(spent) for name, spent in times.items()}


@dataclass(frozen=True)
class Goal:
    """A number that has to be at least, or at most, another one."""

    what: str
    value: float
    limit: float
    at_most: bool = False
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.value <= self.limit if self.at_most else self.value >= self.limit


@dataclass
class Report:
    """What one benchmark found: times, goals and remarks."""

    name: str
    about: str
    times: dict[str, Times] = field(default_factory=dict)
    goals: list[Goal] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def show(self, console: Console) -> None:
        """Print tables of times, goals and facts."""
        console.rule(f"[bold]{self.name}[/]")
        console.print(self.about)
        if self.times:
            base = min(times.median for times in self.times.values())
            table = Table("contender", "median", "fastest", "slowest", "times the fastest")
            for name, times in self.times.items():
                cells = (times.median, min(times.seconds), max(times.seconds))
                table.add_row(name, *map(_seconds, cells), f"{times.median / base:.2f}")
            console.print(table)
        if self.goals:
            table = Table("goal", "found", "wanted", "")
            for goal in self.goals:
                sign = "≤" if goal.at_most else "≥"
                mark = "[green]PASS[/]" if goal.met else "[red]SHORT[/]"
                wanted = f"{sign} {goal.limit:g}{goal.unit}"
                table.add_row(goal.what, f"{goal.value:.4g}{goal.unit}", wanted, mark)
            console.print(table)
        for what, fact in self.facts.items():
            console.print(f"  {what}: {fact}", highlight=False)

    def write(self) -> Path:
        """Write everything to ``benchmarks/results`` as JSON."""
        RESULTS.mkdir(exist_ok=True)
        form = asdict(self)
        for goal, found in zip(form["goals"], self.goals, strict=True):
            goal["met"] = found.met
        form["medians"] = {name: times.median for name, times in self.times.items()}
        form["versions"] = {"python": platform.python_version(), **_versions()}
        path = RESULTS / f"{self.name}.json"
        path.write_text(json.dumps(form, indent=2, default=float) + "\n", encoding="utf-8")
        return path


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds >= 1 else f"{1000 * seconds:.2f} ms"


def _versions() -> dict[str, str]:
    found = {}
    for peer in PEERS:
        try:
            found[peer] = version(peer)
        except PackageNotFoundError:
            found[peer] = "absent"
    return found
