"""What benchmarks of accuracy share: their tables and options, the plain tree beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from benchmarks import THREADS
from privet import datasets
from privet.estimators import TreeClassifier
from privet.experiments import Lab
from privet.experiments.memory import cache_folder

if TYPE_CHECKING:
    import argparse

    import pyarrow as pa

    from benchmarks.harness import Report

__all__ = [
    "FAMILIES",
    "MARGIN",
    "ROWS",
    "TEST_ROWS",
    "add_options",
    "described",
    "plain_accuracy",
    "started",
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


def plain_accuracy(name: str, train: pa.Table, test: pa.Table) -> float:
    """Return the accuracy of a tree that is grown from the plain records."""
    target = datasets.schema(name).target
    model = TreeClassifier(min_samples_leaf=max(10, train.num_rows // 10_000))
    model.fit(train.drop_columns(target), train[target].to_pylist())
    return float(model.score(test.drop_columns(target), test[target].to_pylist()))
