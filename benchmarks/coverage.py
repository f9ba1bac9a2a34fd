"""Do 95 % intervals hold what they say? ``python -m benchmarks coverage``.

The originals stay the same; they are disguised thousands of times. Each time the counts of some
boxes, and the accuracy of a tree grown on other records, are estimated with their intervals, and
it is noted how often an interval holds the truth about the originals.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import THREADS
from benchmarks.harness import Goal, Report
from privet import datasets
from privet.coding import Box
from privet.disguise import RandomSubstitution
from privet.estimate.methods import codings_of
from privet.estimate.weighted import WeightedEvidence
from privet.estimators import TreeClassifier
from privet.experiments import Lab, Seeds, Setting, grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from privet.release import Release
    from privet.schema import Schema

__all__ = ["main"]

Z = 1.959963984540054
TABLE, RECORDS, BINS, BATCH = "as-f2", 500, 6, 100
GAMMAS = (3, 8, 20)
LOW, HIGH = 94.0, 96.0

AGE = ("age", np.arange(BINS) < 3)
SALARY = ("salary", np.arange(BINS) >= 2)
SCHOOL = ("elevel", np.arange(5) != 2)
BOXES = {
    "one attribute": Box(dict([AGE])),
    "two attributes": Box(dict([AGE, SALARY])),
    "three attributes": Box(dict([AGE, SALARY, SCHOOL])),
}


def repeating(setting: Setting, seeds: Seeds) -> dict[str, Any]:
    """Disguise the same originals a hundred times; count the intervals that hold the truth."""
    table = datasets.load(TABLE, rows=RECORDS, seed=1)
    schema = datasets.schema(TABLE, bins=BINS)
    # The tree's thresholds must lie on the borders of the release's cells.
    grown = RandomSubstitution(gamma=1000, bins=BINS).disguise(
        datasets.load(TABLE, rows=20_000, seed=2), schema, seed=3
    )
    model = TreeClassifier(method="direct", max_depth=3).fit(grown)
    truth = {name: _true(box, table, schema) for name, box in BOXES.items()}
    truth["accuracy"] = model.score(table)
    hits = dict.fromkeys(truth, 0)
    for number in range(BATCH):
        disguise = RandomSubstitution(gamma=setting["gamma"], bins=BINS)
        release = disguise.disguise(table, schema, seed=seeds(str(number)))
        found = _estimated(release)
        held = model.accuracy(release)
        found["accuracy"] = (held.value, held.error)
        for name, (value, error) in found.items():
            hits[name] += int(abs(value - truth[name]) <= Z * error)
    return hits


def _true(box: Box, table: pa.Table, schema: Schema) -> float:
    """Return how many originals of the first class lie in a box."""
    inside = np.array(table["group"].to_pylist()) == schema.classes[0]
    for name, mask in box.masks.items():
        inside &= mask[schema[name].coding().encode(table[name].to_numpy())]
    return float(inside.sum())


def _estimated(release: Release) -> dict[str, tuple[float, float]]:
    """Return the estimated count of the first class in each box, with its standard error."""
    classes = release.schema.classes
    evidence = WeightedEvidence(release.parts, codings_of(release), release.schema.target, classes)
    found = {}
    for name, box in BOXES.items():
        count, variance = evidence.correct([box], np.array([0]))
        found[name] = (count, math.sqrt(max(0.0, variance)))
    return found


def main(arguments: Sequence[str]) -> None:
    """Disguise, count, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks coverage", description="Do 95 % intervals hold the truth?"
    )
    parser.add_argument("--disguises", type=int, default=5000, help="of the same originals")
    parser.add_argument("--gamma", type=float, nargs="+", default=list(GAMMAS))
    parser.add_argument("--seed", type=int, help="the base of all seeds; else drawn anew")
    parser.add_argument("--jobs", type=int, default=THREADS, help="processes")
    asked = parser.parse_args(arguments)
    lab = Lab("bench-coverage", seed=asked.seed, jobs=asked.jobs)
    runs = max(1, asked.disguises // BATCH)
    rows = lab.run(repeating, grid(gamma=asked.gamma), runs=runs)
    console = Console()
    about = f"{RECORDS} records of {TABLE}, N = {BINS}, {runs * BATCH:,} disguises, "
    report = Report("coverage", about + f"base seed {lab.seed}")
    names = [*BOXES, "accuracy"]
    table = Table("γ", *names)
    for gamma in asked.gamma:
        shares = _shares([row for row in rows if row["gamma"] == gamma], names, runs * BATCH)
        table.add_row(f"{gamma:g}", *(f"{share:.2f} %" for share in shares.values()))
        for name, share in shares.items():
            report.goals.append(Goal(f"γ = {gamma:g}, {name}, at least", share, LOW, unit=" %"))
            report.goals.append(
                Goal(f"γ = {gamma:g}, {name}, at most", share, HIGH, at_most=True, unit=" %")
            )
    console.print(table)
    report.show(console)
    console.print(f"  written: benchmarks/results/{report.write().name}", highlight=False)


def _shares(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], total: int
) -> dict[str, float]:
    return {name: 100 * sum(row[name] for row in rows) / total for name in names}
