"""A hundred million records: cost from 1M to 100M, beside Polars, and on Spark beside Parquet.

``python -m benchmarks large`` runs everything and writes the tables of docs/benchmarks/scale.md;
``--most 10000000`` stops earlier. Every step runs in a process of its own, which is measured:
``python -m benchmarks.large mine FOLDER ROWS`` is one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmarks import THREADS
from benchmarks.data import NAME
from benchmarks.harness import Goal, Report, race
from benchmarks.scale import BINS, GAMMA, MEMORY_GOAL, disguise, generate, peak

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1_000_000, 10_000_000, 100_000_000)
DEPTH = 6
LINEAR = 12.0  # times the cost at most, for ten times the records
TIMES_POLARS, TIMES_PARQUET = 3.0, 3.0
ON_SPARK = 10_000_000
BYTES = 90  # a record on disk, while it is disguised


def mine(folder: Path, _: int) -> dict[str, Any]:
    """Read the release and learn a tree from it."""
    import privet as pv

    begin = time.perf_counter()
    release = pv.Release.read(folder / "release")
    read = time.perf_counter() - begin
    before = release.passes
    model = pv.TreeClassifier(method="direct", max_depth=DEPTH).fit(release)
    passes = release.passes - before
    return {"reading": read, "passes": passes, "leaves": len(model.tree_.leaves)}


def polars(folder: Path, rows: int) -> dict[str, Any]:
    """Time reading and counting: Polars' streaming engine, and ours that disguises on the way."""
    import polars as pl

    import privet as pv
    from privet import datasets
    from privet.estimate.methods import evidence_of

    raw, coded = folder / "records.parquet", folder / "release" / "part-0.parquet"
    schema = datasets.schema(NAME, bins=BINS)
    names = [attribute.name for attribute in schema.inputs]

    def grouped(path: Path) -> Any:
        counts = pl.scan_parquet(path).group_by(schema.target).agg(pl.col(names).count())
        return counts.collect(engine="streaming")

    release = pv.Release.read(folder / "release")
    evidence = evidence_of(release, "naive").evidence
    contenders: dict[str, Callable[[], object]] = {
        "Polars, records": lambda: grouped(raw),
        "privet, records disguised": lambda: disguised_counts(raw, schema),
        "Polars, release": lambda: grouped(coded),
        "privet, release": evidence.root,
    }
    few = rows > ON_SPARK
    times = race(contenders, repeats=1 if few else 5, warm=0 if few else 1)
    return {name: found.median for name, found in times.items()}


def disguised_counts(path: Path, schema: Any) -> Any:
    """Read, disguise and count class × value of every attribute; nothing is kept."""
    import numpy as np

    import privet as pv
    from privet.randomness import Randomness
    from privet.table.raw import RawTable
    from privet.table.source import Source

    recipe = pv.RandomSubstitution(gamma=GAMMA).plan(schema).recipe(schema)
    names = [attribute.name for attribute in schema.inputs]
    classes = len(schema.classes)
    with Randomness.system() as source:

        def counted(batch: Any) -> tuple[Any, ...]:
            made = recipe.work(batch.columns, source, batch.start, batch.row, batch.where)
            label = made[schema.target]
            return tuple(
                np.bincount(made[name] * np.uint16(classes) + label, minlength=64) for name in names
            )

        return RawTable(Source(path, schema.attributes), []).count(counted)


def spark(folder: Path, _: int) -> dict[str, Any]:
    """Disguise and mine on ``local[2]`` and from Parquet, in turn; Spark has been started."""
    import numpy as np

    import privet as pv
    from privet import datasets
    from privet.table.spark import SparkFiles, connect

    schema = datasets.schema(NAME, bins=BINS)
    owner = pv.RandomSubstitution(gamma=GAMMA)
    raw = folder / "records.parquet"
    found: dict[str, Any] = {}
    begin = time.perf_counter()
    with connect("local[2]") as session:
        records = SparkFiles(session, raw)
        table = records.table(schema.attributes)
        table.count(lambda batch: (np.array([len(batch)]),))
        owner.disguise(records, schema, to=folder / "warm")
        found["start-up"] = time.perf_counter() - begin
        for place, source in {"Spark": records, "Parquet": raw}.items():
            begin = time.perf_counter()
            release = owner.disguise(source, schema, to=folder / place)
            found[f"{place}, disguise"] = time.perf_counter() - begin
            begin = time.perf_counter()
            pv.TreeClassifier(method="direct", max_depth=DEPTH).fit(release)
            found[f"{place}, mine"] = time.perf_counter() - begin
    for place in ("warm", "Spark", "Parquet"):
        shutil.rmtree(folder / place)
    return found


def workers(folder: Path, _: int) -> dict[str, Any]:
    """Mine on one worker and on two."""
    import privet as pv
    from privet.table.spark import connect

    found: dict[str, Any] = {}
    for count in (1, 2):
        with connect(f"local[{count}]") as session:
            release = pv.Release.read(folder / "release", spark=session)
            begin = time.perf_counter()
            pv.TreeClassifier(method="direct", max_depth=DEPTH).fit(release)
            found[f"{count} workers"] = time.perf_counter() - begin
    return found


def shape(folder: Path, _: int) -> dict[str, Any]:
    """Time mining to several depths, and disguising and mining some of the attributes."""
    import privet as pv
    from privet import datasets

    release = pv.Release.read(folder / "release")
    found: dict[str, Any] = {}
    for depth in (1, 2, 4, 6, 8):
        before, begin = release.passes, time.perf_counter()
        model = pv.TreeClassifier(method="direct", max_depth=depth).fit(release)
        seconds = time.perf_counter() - begin
        leaves = len(model.tree_.leaves)
        found[f"depth {depth}"] = [seconds, release.passes - before, leaves]
    schema = datasets.schema(NAME, bins=BINS)
    inputs = [attribute.name for attribute in schema.inputs]
    for count in (3, 6, 9):
        kept = dict.fromkeys(inputs[:count], pv.Substitution(gamma=GAMMA))
        plan = pv.Plan({**kept, schema.target: pv.Exact()}, default=pv.Withheld())
        begin = time.perf_counter()
        made = plan.disguise(folder / "records.parquet", schema, to=folder / "some", overwrite=True)
        middle = time.perf_counter()
        pv.TreeClassifier(method="direct", max_depth=4).fit(made)
        found[f"{count} attributes"] = [middle - begin, time.perf_counter() - middle]
    return found


def warm() -> None:
    """Import and compile what all steps need, on a few records: starting is not measured."""
    import privet as pv
    from privet import datasets

    few, schema = datasets.load(NAME, rows=2000, seed=1), datasets.schema(NAME, bins=BINS)
    release = pv.RandomSubstitution(gamma=GAMMA).disguise(few, schema)
    pv.TreeClassifier(method="direct", max_depth=2).fit(release)


STEPS: dict[str, Callable[[Path, int], Any]] = {
    "generate": generate,
    "disguise": disguise,
    "mine": mine,
    "polars": polars,
    "spark": spark,
    "workers": workers,
    "shape": shape,
}


def step(name: str, folder: Path, rows: int) -> dict[str, Any]:
    """Run one step in a process of its own and return what it measured."""
    command = [sys.executable, "-m", "benchmarks.large", name, str(folder), str(rows)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(most: int, console: Console) -> Report:
    """Run all steps for all sizes up to the largest."""
    about = f"F2, 9 attributes, γ = {GAMMA}, depth {DEPTH}, method direct, {THREADS} threads"
    report = Report("large", about)
    sizes = [size for size in SIZES if size <= most]
    found: dict[int, dict[str, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory(prefix="privet-large-") as name:
        room = shutil.disk_usage(name).free
        if room < most * BYTES:
            message = f"{most:,} records need {most * BYTES >> 30} GiB of disk under {name}."
            raise SystemExit(message)
        for size in sizes:
            folder = Path(name) / str(size)
            folder.mkdir()
            steps = ["generate", "disguise", "mine", "polars"]
            steps += ["shape"] if size == SIZES[0] else []
            steps += ["spark", "workers"] if size == ON_SPARK else []
            found[size] = {}
            for work in steps:
                found[size][work] = step(work, folder, size)
                console.print(f"{size:,} {work}: {found[size][work]}", highlight=False)
            shutil.rmtree(folder)
    _judge(report, found)
    report.facts = {f"{size:,}": steps for size, steps in found.items()}
    console.print(_growth(found))
    return report


def _judge(report: Report, found: dict[int, dict[str, dict[str, Any]]]) -> None:
    sizes = list(found)
    for size, steps in found.items():
        for work in ("generate", "disguise", "mine"):
            what = f"peak resident memory, {work} {size:,}"
            measured = steps[work]["peak"]
            report.goals.append(Goal(what, measured, MEMORY_GOAL, at_most=True, unit=" MiB"))
        times = steps["polars"]
        for what, ours in {"records": "records disguised", "release": "release"}.items():
            ratio = times[f"privet, {ours}"] / times[f"Polars, {what}"]
            goal = Goal(f"times Polars, {ours} {size:,}", ratio, TIMES_POLARS, at_most=True)
            report.goals.append(goal)
    for less, more in pairwise(sizes):
        for work in ("generate", "disguise", "mine"):
            ratio = found[more][work]["cpu"] / found[less][work]["cpu"]
            what = f"CPU time of {more:,} by that of {less:,}, {work}"
            if work == "mine":  # more records show more that is significant, and cost by leaves
                ratio /= found[more][work]["leaves"] / found[less][work]["leaves"]
                what += ", a leaf"
            report.goals.append(Goal(what, ratio, LINEAR, at_most=True))
    if ON_SPARK in found:
        times = found[ON_SPARK]["spark"]
        for work in ("disguise", "mine"):
            ratio = times[f"Spark, {work}"] / times[f"Parquet, {work}"]
            what = f"Spark on local[2] by Parquet, {work} {ON_SPARK:,}"
            report.goals.append(Goal(what, ratio, TIMES_PARQUET, at_most=True))


def _growth(found: dict[int, dict[str, dict[str, Any]]]) -> Table:
    heads = "records", "step", "seconds", "records a second", "seconds a million"
    table = Table(*heads, "CPU seconds a million", "peak MiB")
    for size, steps in found.items():
        for work in ("generate", "disguise", "mine"):
            seconds, most = steps[work]["seconds"], steps[work]["peak"]
            each = f"{1e6 * steps[work]['cpu'] / size:.2f}"
            speed = f"{size / seconds:,.0f}", f"{1e6 * seconds / size:.2f}", each
            table.add_row(f"{size:,}", work, f"{seconds:.1f}", *speed, f"{most:.0f}")
    return table


def main(arguments: list[str]) -> None:
    """Run one step here and print its measures, or all of them."""
    if arguments and arguments[0] in STEPS:
        folder, rows = Path(arguments[1]), int(arguments[2])
        warm()
        begin, worked = time.perf_counter(), time.process_time()
        measured = STEPS[arguments[0]](folder, rows) or {}
        seconds, cpu = time.perf_counter() - begin, time.process_time() - worked
        print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak(), **measured}))
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks large", description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest number of records")
    console = Console()
    report = run(parser.parse_args(arguments).most, console)
    report.show(console)
    console.print(f"  written: benchmarks/results/{report.write().name}", highlight=False)


if __name__ == "__main__":
    main(sys.argv[1:])
