"""Accuracy from disguised records, beside a plain tree: ``python -m benchmarks accuracy``.

Training records are balanced where they are made up, test records plain. For every seed the public
ranges are drawn anew, so that bins do not line up with the functions' thresholds. A method brings
its own channel and N (``SETTINGS``): one N for all numeric attributes, the same for all tables.

A number of the table is the mean over a family's functions and over the seeds, with the
standard error over the seeds; differences are paired: same data, same ranges.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks import THREADS
from benchmarks.harness import Goal, Report
from privet import datasets
from privet.disguise import RandomSubstitution
from privet.estimate.methods import METHODS
from privet.estimators import TreeClassifier
from privet.experiments import Lab, Seeds, Setting, grid, mean
from privet.experiments.lab import cache_folder
from privet.experiments.tables import is_present, parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.experiments.lab import Row
    from privet.schema import Schema

__all__ = ["SETTINGS", "main"]

GAMMAS = (3, 5, 8, 12, 20)
ROWS, TEST_ROWS = 100_000, 5_000
MARGIN = 0.1

FAMILIES = {
    "as": tuple(f"as-f{number}" for number in range(1, 6)),
    "agrawal": tuple(f"agrawal-f{number}" for number in range(1, 11)),
    "skewed": ("skewed",),
    "adult": ("adult",),
    "credit": ("credit",),
    "cmc": ("cmc",),
}


class Channels(NamedTuple):
    """The channel of numeric attributes, and into how many cells they are cut, for each γ."""

    kind: str
    bins: tuple[int, ...]  # for γ up to 3, 5, 8, 12, and beyond

    def at(self, gamma: float) -> int:
        """Return N for a γ."""
        return self.bins[sum(gamma > limit for limit in GAMMAS[:-1])]


# Found on F1-F5 with seeds of their own; nothing here is tuned to another table.
SETTINGS = {
    "naive": Channels("gamma-diagonal", (6, 8, 16, 16, 24)),
    "global": Channels("gamma-diagonal", (6, 6, 8, 10, 10)),
    "direct": Channels("gamma-diagonal", (8, 10, 10, 12, 16)),
    "joint": Channels("band", (24, 24, 36, 36, 36)),
    "auto": Channels("band", (24, 24, 36, 36, 36)),
}

# Of the mean of F1-F5, in percent: what the paper says, what is due, and what is aimed at.
FLOORS = {3: 90.0, 5: 91.5, 8: 93.5, 12: 95.0, 20: 95.5}
TARGETS = {3: 95.0, 5: 96.5, 8: 97.5, 12: 98.0, 20: 98.5}
SLACK = 0.5  # points that auto may be behind the best single method


def measuring(setting: Setting, seeds: Seeds) -> dict[str, Any]:
    """Disguise, learn by one method, and return the accuracy on plain records."""
    name = setting["table"]
    train, test = parts(name, setting["rows"], TEST_ROWS, seeds)
    if setting["method"] == "plain":
        target = datasets.schema(name).target
        model = TreeClassifier(min_samples_leaf=max(10, train.num_rows // 10_000))
        model.fit(train.drop_columns(target), train[target].to_pylist())
        return {"accuracy": model.score(test.drop_columns(target), test[target].to_pylist())}
    disguise = RandomSubstitution(
        gamma=setting["gamma"], bins=setting["bins"], kind=setting["kind"]
    )
    release = disguise.disguise(train, _schema(name, seeds), seed=seeds("noise"))
    model = TreeClassifier(method=setting["method"]).fit(release)
    return {
        "accuracy": model.score(test),
        "leaves": len(model.tree_.leaves),
        "taken": model.method_,
    }


def _schema(name: str, seeds: Seeds) -> Schema:
    if datasets.is_generated(name):
        return datasets.schema(name, margin=MARGIN, seed=seeds("ranges"))
    return datasets.schema(name, complete=True if name == "adult" else None)


def main(arguments: Sequence[str]) -> None:
    """Measure, print and write."""
    asked = _asked(arguments)
    lab = Lab(
        "bench-accuracy",
        quick=asked.quick,
        seed=asked.seed,
        jobs=asked.jobs,
        cache=cache_folder(),
        fresh=not asked.resume,
    )
    console = Console(width=max(150, Console().width))
    console.print(f"Base seed {lab.seed}; {lab.jobs} processes of one thread.", highlight=False)
    rows: list[Row] = []
    for family in asked.family:
        tables = [name for name in FAMILIES[family] if is_present(name)]
        if not tables:
            console.print(f"  {family} is left out: its table is not here.")
            continue
        settings = _settings(tables, asked)
        alike = ("method", "gamma", "kind", "bins")
        later = [one for one in settings if one["method"] == "joint" and "auto" in asked.methods]
        first = [one for one in settings if one not in later]
        found = list(lab.run(measuring, first, runs=asked.seeds, alike=alike))
        found += _as_auto(found, later)
        done = {(row["table"], row["gamma"]) for row in found if row["method"] == "joint"}
        later = [one for one in later if (one["table"], one["gamma"]) not in done]
        found += lab.run(measuring, later, runs=asked.seeds, alike=alike)
        rows += [row | {"family": family} for row in found]
    report = _report(rows, asked, lab)
    facts, report.facts = report.facts, {}  # the table says the same
    _show(console, rows, asked)
    report.show(console)
    report.facts = facts
    path = report.write()
    console.print(f"  written: benchmarks/results/{path.name}", highlight=False)


def _as_auto(rows: Sequence[Row], wanted: Sequence[dict[str, Any]]) -> list[Row]:
    """Return rows of ``joint`` where ``auto`` took it on every run: the same release, and tree."""
    found: list[Row] = []
    for one in wanted:
        same = {"table": one["table"], "gamma": one["gamma"], "method": "auto"}
        runs = [row for row in rows if all(row.get(key) == held for key, held in same.items())]
        if all(row["taken"] == "joint" for row in runs):
            found += [row | {"method": "joint"} for row in runs]
    return found


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks accuracy", description="Accuracy from disguised records."
    )
    known = [name for name in SETTINGS if name in METHODS]
    parser.add_argument("--seeds", type=int, default=5, help="runs, each of fresh data")
    parser.add_argument("--gamma", type=float, nargs="+", default=list(GAMMAS))
    parser.add_argument("--methods", nargs="+", default=known, choices=known)
    parser.add_argument("--family", nargs="+", default=list(FAMILIES), choices=list(FAMILIES))
    parser.add_argument("--rows", type=int, default=ROWS, help="training records")
    parser.add_argument("--bins", type=int, help="one N for all methods instead of their own")
    parser.add_argument("--kind", choices=["gamma-diagonal", "band"], help="one channel for all")
    parser.add_argument("--seed", type=int, help="the base of all seeds; else drawn anew")
    parser.add_argument("--jobs", type=int, default=THREADS, help="processes")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument("--quick", action="store_true", help="20,000 records, γ = 8, two seeds")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.rows, asked.gamma, asked.seeds = min(asked.rows, 20_000), [8], min(asked.seeds, 2)
    asked.gamma = [int(gamma) if gamma == int(gamma) else gamma for gamma in asked.gamma]
    return asked


def _settings(tables: Sequence[str], asked: argparse.Namespace) -> list[dict[str, Any]]:
    held = grid(table=tables, rows=[asked.rows], method=["plain"])
    for method in asked.methods:
        channels = SETTINGS[method]
        for gamma in asked.gamma:
            held += grid(
                table=tables,
                rows=[asked.rows],
                method=[method],
                gamma=[gamma],
                kind=[asked.kind or channels.kind],
                bins=[asked.bins or channels.at(gamma)],
            )
    return held


# What was found


def by_seed(rows: Sequence[Row], family: str, method: str, gamma: float | None) -> list[float]:
    """Return the mean accuracy of a family in percent, for each seed."""
    runs: dict[int, list[float]] = {}
    for row in rows:
        if (row["family"], row["method"], row.get("gamma")) == (family, method, gamma):
            runs.setdefault(row["run"], []).append(100 * row["accuracy"])
    return [sum(values) / len(values) for _, values in sorted(runs.items())]


def _paired(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    return mean(a - b for a, b in zip(one, other, strict=True))


def _best(
    rows: Sequence[Row], family: str, gamma: float, methods: Sequence[str]
) -> tuple[str, list[float]]:
    singles = [method for method in methods if method != "auto"]
    found = {method: by_seed(rows, family, method, gamma) for method in singles}
    best = max(found, key=lambda method: mean(found[method])[0])
    return best, found[best]


def _show(console: Console, rows: Sequence[Row], asked: argparse.Namespace) -> None:
    """Print one line a family and γ."""
    floors = ["floor", "goal"]
    table = Table("family", "γ", "plain", *asked.methods, "auto − best", "auto − naive", *floors)
    for family in dict.fromkeys(row["family"] for row in rows):
        for gamma in asked.gamma:
            cells = [_cell(mean(by_seed(rows, family, "plain", None)))]
            found = {name: by_seed(rows, family, name, gamma) for name in asked.methods}
            cells += [_cell(mean(values)) for values in found.values()]
            best, naive = "", ""
            if "auto" in found and len(found) > 1:
                name, values = _best(rows, family, gamma, asked.methods)
                best = f"{_cell(_paired(found['auto'], values), sign='+')} ({name})"
            if "auto" in found and "naive" in found:
                naive = _cell(_paired(found["auto"], found["naive"]), sign="+")
            due = [str(held.get(gamma, "")) if family == "as" else "" for held in (FLOORS, TARGETS)]
            table.add_row(family, str(gamma), *cells, best, naive, *due)
    console.print(table)
    for method in asked.methods:
        channels = SETTINGS[method]
        pairs = ", ".join(f"γ = {g}: {asked.bins or channels.at(g)}" for g in asked.gamma)
        kind = asked.kind or channels.kind
        console.print(f"  {method}: {kind}, N for {pairs}", highlight=False)


def _cell(found: tuple[float, float], sign: str = "") -> str:
    return f"{found[0]:{sign}.2f} ± {found[1]:.2f}"


def _report(rows: Sequence[Row], asked: argparse.Namespace, lab: Lab) -> Report:
    about = f"{asked.rows:,} training records, {TEST_ROWS:,} plain test records, "
    report = Report("accuracy", about + f"{asked.seeds} seeds from {lab.seed}")
    for family in dict.fromkeys(row["family"] for row in rows):
        for gamma in asked.gamma:
            found = {name: by_seed(rows, family, name, gamma) for name in asked.methods}
            report.facts[f"{family}, γ = {gamma}"] = {
                name: mean(values) for name, values in found.items()
            }
            where = f"{family}, γ = {gamma}"
            if family == "as" and gamma in FLOORS:
                name, values = max(found.items(), key=lambda item: mean(item[1])[0])
                value = mean(values)[0]
                report.goals.append(
                    Goal(f"{where}: best ({name})", value, FLOORS[gamma], unit=" %")
                )
            if "auto" in found and len(found) > 1:
                name, values = _best(rows, family, gamma, asked.methods)
                behind, error = _paired(found["auto"], values)
                what = f"{where}: auto − {name}, ± {error:.2f}"
                report.goals.append(Goal(what, behind, -SLACK))
            if "auto" in found and "naive" in found:
                ahead, error = _paired(found["auto"], found["naive"])
                what = f"{where}: auto − naive, ± {error:.2f}"
                report.goals.append(Goal(what, ahead, -2 * error))
    return report
