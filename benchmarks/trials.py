"""What benchmarks of accuracy share: their tables and options, the plain tree beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from benchmarks import THREADS
from privet import datasets
from privet.errors import SchemaError
from privet.estimators import TreeClassifier
from privet.experiments import Lab
from privet.experiments.memory import cache_folder
from privet.experiments.tables import TESTED, is_present, parts
from privet.schema import Schema

if TYPE_CHECKING:
    import argparse

    import pyarrow as pa

    from benchmarks.harness import Report
    from privet.experiments import Seeds

__all__ = [
    "FAMILIES",
    "MARGIN",
    "ROWS",
    "TEST_ROWS",
    "add_options",
    "described",
    "is_there",
    "plain_accuracy",
    "schema_of",
    "started",
    "train_and_test",
    "write",
]

ROWS, TEST_ROWS = 100_000, 5_000
MARGIN = 0.1  # the most that an end of a public range moves outwards, as a share of the range

FAMILIES = {
    "as": tuple(f"as-f{number}" for number in range(1, 6)),
    "agrawal": tuple(f"agrawal-f{number}" for number in range(1, 11)),
    "skewed": ("skewed",),
    "adult": ("adult",),
    "credit": ("credit",),
    "cmc": ("cmc",),
    "shuttle": ("shuttle",),
    "cps": ("cps",),
    "abalone": ("abalone",),
    "affairs": ("affairs",),
    "worlds": ("world",),
}


def add_options(parser: argparse.ArgumentParser, *, quick: str) -> None:
    """Let a benchmark be told how large it is, how it is seeded and how it runs."""
    parser.add_argument("--seeds", type=int, default=5, help="runs, each of fresh data")
    parser.add_argument("--rows", type=int, default=ROWS, help="training records")
    parser.add_argument("--seed", type=int, help="the base of all seeds; else drawn anew")
    parser.add_argument("--jobs", type=int, default=THREADS, help="processes")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument("--quick", action="store_true", help=quick)


def started(name: str, asked: argparse.Namespace) -> tuple[Lab, Console]:
    """Return the lab that runs the trials and the console for their tables."""
    lab = Lab(
        f"bench-{name}",
        quick=asked.quick,
        seed=asked.seed,
        jobs=asked.jobs,
        cache=cache_folder(),
        fresh=not asked.resume,
    )
    console = Console(width=max(150, Console().width))
    console.print(f"Base seed {lab.seed}; {lab.jobs} processes of one thread.", highlight=False)
    return lab, console


def described(asked: argparse.Namespace, lab: Lab) -> str:
    """Say in a report how many records and seeds it is about."""
    records = f"{asked.rows:,} training records, {TEST_ROWS:,} plain test records"
    return f"{records}, {asked.seeds} seeds from {lab.seed}"


def write(report: Report, console: Console) -> None:
    """Write a report and say where."""
    console.print(f"  written: benchmarks/results/{report.write().name}", highlight=False)


def is_there(name: str) -> bool:
    """Whether a table can be had here; one of your own needs its schema beside it."""
    if not _is_own(name):
        return is_present(name)
    file = Path(name).with_suffix(".toml")
    if not file.exists():
        message = f"There is no schema {file} beside {name}."
        raise SchemaError(message, hint=f"privet schema {name} --target NAME -o {file}")
    return True


def train_and_test(name: str, rows: int, seeds: Seeds) -> tuple[pa.Table, pa.Table]:
    """Return the records to learn from and those to judge by; of an own table a random third."""
    if name == "world":
        every = datasets.load(name, rows=rows + TEST_ROWS, seed=seeds("world"))
        return every.slice(0, rows), every.slice(rows)
    if not _is_own(name):
        return parts(name, rows, TEST_ROWS, seeds)
    table = _own(name)
    order = seeds.generator("split").permutation(table.num_rows)
    cut = table.num_rows // TESTED
    return table.take(order[cut:]), table.take(order[:cut])


def schema_of(name: str, seeds: Seeds) -> Schema:
    """Return the public domains of a table; ranges of made-up ones are drawn anew."""
    if _is_own(name):
        return Schema.read(Path(name).with_suffix(".toml"))
    if name == "world":
        return datasets.schema(name, seed=seeds("world"))
    if datasets.is_generated(name):
        return datasets.schema(name, margin=MARGIN, seed=seeds("ranges"))
    return datasets.schema(name, complete=True if name == "adult" else None)


def _is_own(name: str) -> bool:
    return name.endswith(".csv")


def _own(name: str) -> pa.Table:
    """Return a CSV file with commas, its categories read as text."""
    from pyarrow import csv, string

    schema = Schema.read(Path(name).with_suffix(".toml"))
    text = {attribute.name: string() for attribute in schema if attribute.is_categorical}
    options = csv.ConvertOptions(column_types=text, include_columns=schema.names)
    return csv.read_csv(name, convert_options=options)


def plain_accuracy(target: str, train: pa.Table, test: pa.Table) -> float:
    """Return the accuracy of a tree that is grown from the plain records."""
    model = TreeClassifier(min_samples_leaf=max(10, train.num_rows // 10_000))
    model.fit(train.drop_columns(target), train[target].to_pylist())
    return float(model.score(test.drop_columns(target), test[target].to_pylist()))
