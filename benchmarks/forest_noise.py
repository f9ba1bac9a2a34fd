"""Noise that keeps rules, and SERS: beside NumPy row by row, beside growing one of the trees.

``python -m benchmarks.forest_noise ROWS`` compares that many records with each other in a process
of its own and prints one line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import THREADS
from benchmarks.harness import Goal, Report, race
from benchmarks.scale import peak

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS, WIDTH = 4_177, 8  # as many as abalone has
MANY, FEW = 100_000, 25_000
MILLION, ATTRIBUTES, TREES = 1_000_000, 10, 3
TIMES, RATIO, MINUTES = 20.0, 10.0, 300.0
FLAT = 64.0  # MiB that four times the records may need more, beyond their own columns


def people(rows: int, width: int, seed: int = 1) -> tuple[dict[str, NDArray[Any]], Any]:
    """Return numbers, whole numbers and categories in turn, and a class that goes with them."""
    import privet as pv

    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    columns: dict[str, NDArray[Any]] = {}
    attributes = []
    for place in range(width):
        name = f"x{place}"
        raw = np.clip(0.5 + 0.15 * (hidden + rng.normal(size=rows)), 0, 1)
        if place % 3 == 2:
            columns[name] = np.minimum(raw * 5, 4).astype(np.int64)
            attributes.append(pv.Attribute.categorical(name, range(5)))
        elif place % 3 == 1:
            columns[name] = np.rint(raw * 100)
            attributes.append(pv.Attribute.numeric(name, low=0, high=100, integer=True))
        else:
            columns[name] = raw
            attributes.append(pv.Attribute.numeric(name, low=0, high=1))
    score = hidden + 0.5 * rng.normal(size=rows)
    columns["c"] = np.digitize(score, [-0.7, 0.7]).astype(np.int64)
    attributes.append(pv.Attribute.categorical("c", range(3)))
    return columns, pv.Schema(attributes, target="c")


def row_by_row(originals: NDArray[np.float64], released: NDArray[np.float64]) -> float:
    """SERS as one would write it with NumPy: one original against all released rows at a time."""
    total = 0.0
    for record in originals:
        similar = 1.0 - np.minimum(np.abs(released - record), 1.0).mean(axis=1)
        similar /= similar.sum()
        total -= float((similar * np.log2(similar)).sum())
    return total / len(originals)


def run(*, peers_only: bool = False) -> Report:
    """Time SERS of two sizes, and noise for a million records beside one tree."""
    from privet.audit.sers import scaled, sers
    from privet.disguise import ForestFramework
    from privet.disguise.forest_framework import keep_rules
    from privet.disguise.noised import coded
    from privet.disguise.rules import Rules
    from privet.frames import columns
    from privet.randomness import Randomness

    about = f"SERS of {ROWS:,} × {WIDTH}; noise for {MILLION:,} × {ATTRIBUTES}, {THREADS} threads"
    report = Report("forest_noise", about)
    records, schema = people(ROWS, WIDTH - 1)
    shown = ForestFramework().disguise(records, schema, seed=1, shuffle=False).parts[0].table
    shown = shown.collect(ROWS)
    true = coded(columns(records, schema.names), schema)
    pair = scaled(true, schema), scaled(shown, schema)
    if peers_only:
        report.times = race({"NumPy, row by row": lambda: row_by_row(*pair)}, repeats=3)
        return report
    report.times = race(
        {
            "NumPy, row by row": lambda: row_by_row(*pair),
            "privet": lambda: sers(true, shown, schema),
        }
    )
    report.facts["SERS"] = f"{row_by_row(*pair):.9f} and {sers(true, shown, schema).value:.9f} bits"
    times = report.times["NumPy, row by row"].median / report.times["privet"].median
    report.goals.append(Goal("SERS, times quicker than NumPy row by row", times, TIMES))
    _many(report)

    raw, wide = people(MILLION, ATTRIBUTES)
    table = coded(columns(raw, wide.names), wide)
    rules = Rules(TREES)
    trees = rules.grown(table, wide)

    def perturbing() -> object:
        with Randomness.system() as source:
            return keep_rules(trees, table, wide, source, 0.1)

    made = race(
        {"growing one tree": lambda: Rules(1).grown(table, wide), "noise by 3 trees": perturbing},
        repeats=3,
    )
    report.times |= made
    ratio = made["noise by 3 trees"].median / made["growing one tree"].median
    what = f"noise for {MILLION:,} × {ATTRIBUTES} by {len(trees)} trees, times growing one"
    report.goals.append(Goal(what, ratio, RATIO, at_most=True))
    return report


def _many(report: Report) -> None:
    """Compare many records with each other in processes of their own, for time and memory."""
    found = {}
    for rows in (FEW, MANY):
        command = [sys.executable, "-m", "benchmarks.forest_noise", str(rows)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found[rows] = json.loads(done.stdout.splitlines()[-1])
    what = f"exact SERS of {MANY:,} records"
    report.goals.append(Goal(what, found[MANY]["seconds"], MINUTES, at_most=True, unit=" s"))
    more = found[MANY]["peak"] - found[FEW]["peak"] - found[MANY]["own"] + found[FEW]["own"]
    goal = f"memory for {MANY:,} beyond that for {FEW:,}, columns apart"
    report.goals.append(Goal(goal, more, FLAT, at_most=True, unit=" MiB"))
    for rows, one in found.items():
        report.facts[f"{rows:,} records"] = f"{one['seconds']:.1f} s, peak {one['peak']:.0f} MiB"


def main() -> None:
    """Compare records here and print seconds, peak memory, and what their columns need."""
    from privet.audit.sers import sers

    rows = int(sys.argv[1])
    records, schema = people(rows, WIDTH - 1)
    sers({name: column[:100] for name, column in records.items()}, records, schema)  # compiled
    begin = time.perf_counter()
    found = sers(records, records, schema)
    spent = time.perf_counter() - begin
    # Raw and coded columns, two scaled tables and one of them turned, a copy chosen from it.
    own = 8 * rows * WIDTH * 6 / 2**20
    form = {"seconds": spent, "value": found.value, "records": found.records}
    print(json.dumps({**form, "own": own, "peak": peak()}))


if __name__ == "__main__":
    main()
