"""Complementation: unrealizing in memory, durable samples a second, storage and mining time."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import THREADS
from benchmarks.harness import Goal, Report, Times, race
from privet.schema import Attribute, Schema

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES, BATCH, CALLS = 1_000_000, 50, 200
MEMORY_GOAL, DURABLE_GOAL, ROWS_GOAL, MINING_GOAL = 3.0, 5_000.0, 2.0, 1.5
SIZES = (50, 50, 20)
SCHEMA = Schema(
    [
        *(Attribute.categorical(f"x{i}", list(range(size))) for i, size in enumerate(SIZES)),
        Attribute.categorical("y", ["no", "yes"]),
    ],
    target="y",
)


def samples(rows: int, seed: int) -> dict[str, Any]:
    """Return records over 100,000 cells, some values commoner than others."""
    rng = np.random.default_rng(seed)
    held: dict[str, Any] = {
        f"x{i}": (rng.beta(2, 4, rows) * size).astype(np.int64) for i, size in enumerate(SIZES)
    }
    wins = rng.random(rows) < held["x0"] / SIZES[0]
    return held | {"y": np.where(wins, "yes", "no")}


def plain_inserts(path: Path, batches: list[dict[str, Any]]) -> float:
    """Insert the samples as they are with sqlite3 alone, as durably; return seconds a call."""
    connection = sqlite3.connect(path, isolation_level=None)
    for line in ("page_size = 1024", "journal_mode = TRUNCATE", "synchronous = EXTRA"):
        connection.execute(f"PRAGMA {line}")
    connection.execute("CREATE TABLE samples (x0 INTEGER, x1 INTEGER, x2 INTEGER, y TEXT)")
    spent = []
    for batch in batches:
        rows = list(zip(*(np.asarray(column).tolist() for column in batch.values()), strict=True))
        begin = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO samples VALUES (?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
        spent.append(time.perf_counter() - begin)
    connection.close()
    return median(spent)


def run(*, peers_only: bool = False) -> Report:
    """Time memory, database and mining."""
    import privet as pv
    from privet.store import Store

    seed = time.time_ns() % 2**32
    about = f"{SAMPLES:,} samples over 100,000 cells; calls of {BATCH}; {THREADS} threads"
    report = Report("store", about)
    batches = [samples(BATCH, seed + 1 + call) for call in range(CALLS)]
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as held:
        folder = Path(held)
        peer = plain_inserts(folder / "plain.db", batches)
        report.facts["plain sqlite3, as durable"] = f"{BATCH / peer:,.0f} samples/s (median call)"
        if peers_only:
            return report
        frame = samples(SAMPLES, seed)
        few = {name: column[:10_000] for name, column in frame.items()}
        method = pv.Complement("first")
        many, little = method.disguise(frame, SCHEMA), method.disguise(few, SCHEMA)
        contenders: dict[str, Callable[[], object]] = {
            "unrealize in memory": lambda: method.disguise(frame, SCHEMA),
            "mine 1M complemented": lambda: pv.TreeClassifier(max_depth=8).fit(many),
            "mine 10k complemented": lambda: pv.TreeClassifier(max_depth=8).fit(little),
        }
        report.times = race(contenders, repeats=3)
        calls = []
        with Store.create(folder / "samples.db", SCHEMA, method) as store:
            for batch in batches:
                begin = time.perf_counter()
                store.add(batch)
                calls.append(time.perf_counter() - begin)
            store.verify()
            status = store.status()
        report.times["a durable call"] = Times(calls)
        rate = BATCH * CALLS / sum(calls)
        report.facts["the same, by the median call"] = f"{BATCH / median(calls):,.0f} samples/s"
        rows = (status.unreal_rows + status.perturbing_rows) / status.universe
        mining = report.times["mine 1M complemented"].median
        mining /= report.times["mine 10k complemented"].median
    report.goals = [
        Goal(
            "1M samples unrealized in memory",
            report.times["unrealize in memory"].median,
            MEMORY_GOAL,
            at_most=True,
            unit=" s",
        ),
        Goal("durable samples a second, SQLite", rate, DURABLE_GOAL),
        Goal("rows a cell", rows, ROWS_GOAL, at_most=True),
        Goal("mining 1M over mining 10k", mining, MINING_GOAL, at_most=True, unit=" ×"),
    ]
    return report
