"""Accuracy from disguised records, beside a plain tree: ``python -m benchmarks accuracy``.

Training records are balanced where they are made up, test records plain. For every seed the public
ranges are drawn anew, so that bins do not line up with the functions' thresholds. A method brings
its own channel and N (``SETTINGS``): one N for all numeric attributes, the same for all tables.
With ``--same`` all methods read the same release, by the default disguise: what ``auto`` could have
taken. ``--table people.csv`` measures a table of your own, with ``people.toml`` beside it as
``privet schema`` writes it.

A number of the table is the mean over a family's functions, seeds and disguises, with the
standard error over the seeds; differences are paired: same data, same ranges. ``spread`` is the
standard deviation between disguises of the same records, pooled; random worlds are other worlds on
every run. The last line is the worst regret of ``auto``: how far it is behind the method that is
best on every other run, on the runs between.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks import trials
from benchmarks.harness import Goal, Report
from privet.disguise import RandomSubstitution
from privet.estimate.methods import METHODS
from privet.estimators import TreeClassifier
from privet.experiments import Seeds, Setting, grid, mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from privet.experiments import Lab
    from privet.experiments.lab import Row

__all__ = ["SETTINGS", "main"]

GAMMAS = (3, 5, 8, 12, 20)


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
    """Disguise some times, learn by one method, and return the accuracies on plain records."""
    name = setting["table"]
    train, test = trials.train_and_test(name, setting["rows"], seeds)
    schema = trials.schema_of(name, seeds)
    if setting["method"] == "plain":
        return {"accuracy": trials.plain_accuracy(schema.target, train, test)}
    disguise = RandomSubstitution(
        gamma=setting["gamma"], bins=setting["bins"], kind=setting["kind"]
    )
    scores, models, seconds = [], [], 0.0
    for number in range(setting["disguises"]):
        noise = seeds(f"noise {number}" if number else "noise")
        release = disguise.disguise(train, schema, seed=noise)
        begin = time.perf_counter()
        models.append(TreeClassifier(method=setting["method"]).fit(release))
        seconds += time.perf_counter() - begin
        scores.append(models[-1].score(test))
    return {
        "accuracy": float(np.mean(scores)),
        "variance": float(np.var(scores, ddof=1)) if len(scores) > 1 else None,
        "leaves": len(models[0].tree_.leaves),
        "taken": ", ".join(sorted({model.method_ for model in models})),
        "seconds": seconds / len(scores),
    }


def main(arguments: Sequence[str]) -> None:
    """Measure, print and write."""
    asked = _asked(arguments)
    lab, console = trials.started("accuracy", asked)
    rows: list[Row] = []
    own = {Path(name).stem: (name,) for name in asked.table or ()}
    families = trials.FAMILIES | own
    for family in own or asked.family:
        tables = [name for name in families[family] if trials.is_there(name)]
        if not tables:
            console.print(f"  {family} is left out: its table is not here.")
            continue
        settings = _settings(tables, asked)
        alike = ("method", "gamma", "kind", "bins")
        measured = lab.run(measuring, settings, runs=asked.seeds, alike=alike)
        rows += [row | {"family": family} for row in measured]
    report = _report(rows, asked, lab)
    facts, report.facts = report.facts, {}  # the table says the same
    _show(console, rows, asked)
    report.show(console)
    report.facts = facts
    trials.write(report, console)


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks accuracy", description="Accuracy from disguised records."
    )
    known = [name for name in SETTINGS if name in METHODS]
    parser.add_argument("--disguises", type=int, default=3, help="of the same records")
    parser.add_argument("--gamma", type=float, nargs="+", default=list(GAMMAS))
    parser.add_argument("--methods", nargs="+", default=known, choices=known)
    parser.add_argument(
        "--family", nargs="+", default=list(trials.FAMILIES), choices=list(trials.FAMILIES)
    )
    parser.add_argument(
        "--table",
        nargs="+",
        metavar="FILE.csv",
        help="tables of your own instead, each with its schema beside it (FILE.toml)",
    )
    parser.add_argument("--bins", type=int, help="one N for all methods instead of their own")
    parser.add_argument("--kind", choices=["gamma-diagonal", "band"], help="one channel for all")
    parser.add_argument(
        "--same", action="store_true", help="one release for all methods, by the default disguise"
    )
    trials.add_options(parser, quick="20,000 records, γ = 8, two seeds")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.rows, asked.gamma, asked.seeds = min(asked.rows, 20_000), [8], min(asked.seeds, 2)
    asked.gamma = [int(gamma) if gamma == int(gamma) else gamma for gamma in asked.gamma]
    return asked


def _settings(tables: Sequence[str], asked: argparse.Namespace) -> list[dict[str, Any]]:
    settings = grid(table=tables, rows=[asked.rows], method=["plain"])
    for method in asked.methods:
        channels = SETTINGS[method]
        for gamma in asked.gamma:
            settings += grid(
                table=tables,
                rows=[asked.rows],
                method=[method],
                gamma=[gamma],
                kind=[asked.kind or (None if asked.same else channels.kind)],
                bins=[asked.bins or (None if asked.same else channels.at(gamma))],
                disguises=[asked.disguises],
            )
    return settings


# Results


def by_seed(rows: Sequence[Row], family: str, method: str, gamma: float | None) -> list[float]:
    """Return the mean accuracy of a family in percent, for each seed."""
    runs: dict[int, list[float]] = {}
    for row in rows:
        if (row["family"], row["method"], row.get("gamma")) == (family, method, gamma):
            runs.setdefault(row["run"], []).append(100 * row["accuracy"])
    return [sum(values) / len(values) for _, values in sorted(runs.items())]


def _paired(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    return mean(a - b for a, b in zip(first, second, strict=True))


def _best(
    rows: Sequence[Row], family: str, gamma: float, methods: Sequence[str]
) -> tuple[str, list[float]]:
    singles = [method for method in methods if method != "auto"]
    scores = {method: by_seed(rows, family, method, gamma) for method in singles}
    best = max(scores, key=lambda method: mean(scores[method])[0])
    return best, scores[best]


def _show(console: Console, rows: Sequence[Row], asked: argparse.Namespace) -> None:
    """Print one line per family and γ."""
    floors = ["floor", "goal"]
    apart = ["auto − best", "auto − naive", "spread", "s"]
    table = Table("family", "γ", "plain", *asked.methods, *apart, *floors)
    for family in dict.fromkeys(row["family"] for row in rows):
        for gamma in asked.gamma:
            cells = [_cell(mean(by_seed(rows, family, "plain", None)))]
            scores = {name: by_seed(rows, family, name, gamma) for name in asked.methods}
            cells += [_cell(mean(values)) for values in scores.values()]
            best, naive = "", ""
            if "auto" in scores and len(scores) > 1:
                name, values = _best(rows, family, gamma, asked.methods)
                best = f"{_cell(_paired(scores['auto'], values), sign='+')} ({name})"
            if "auto" in scores and "naive" in scores:
                naive = _cell(_paired(scores["auto"], scores["naive"]), sign="+")
            due = [
                str(bound.get(gamma, "")) if family == "as" else "" for bound in (FLOORS, TARGETS)
            ]
            last = [_spread(rows, family, "auto", gamma), _seconds(rows, family, "auto", gamma)]
            table.add_row(family, str(gamma), *cells, best, naive, *last, *due)
    console.print(table)
    worst = min(_regrets(rows, asked).items(), key=lambda item: item[1], default=None)
    if worst is not None:
        console.print(f"  worst regret of auto: {-worst[1]:.2f} points ({worst[0]})")
    if asked.same:
        console.print("  all methods read the same release, by the default disguise")
    for method in () if asked.same else asked.methods:
        channels = SETTINGS[method]
        pairs = ", ".join(f"γ = {g}: {asked.bins or channels.at(g)}" for g in asked.gamma)
        kind = asked.kind or channels.kind
        console.print(f"  {method}: {kind}, N for {pairs}", highlight=False)


def _of(rows: Sequence[Row], family: str, method: str, gamma: float) -> list[Row]:
    wanted = (family, method, gamma)
    return [row for row in rows if (row["family"], row["method"], row.get("gamma")) == wanted]


def _spread(rows: Sequence[Row], family: str, method: str, gamma: float) -> str:
    """Return the standard deviation between disguises of the same records, in points."""
    variances = [row.get("variance") for row in _of(rows, family, method, gamma)]
    told = [variance for variance in variances if variance is not None]
    return f"{100 * float(np.sqrt(np.mean(told))):.2f}" if told else ""


def _seconds(rows: Sequence[Row], family: str, method: str, gamma: float) -> str:
    times = [row["seconds"] for row in _of(rows, family, method, gamma) if "seconds" in row]
    return f"{np.median(times):.2f}" if times else ""


def _regrets(rows: Sequence[Row], asked: argparse.Namespace) -> dict[str, float]:
    """Return how far auto is behind the method that is best on every other run, on the others."""
    behind = {}
    for family in dict.fromkeys(row["family"] for row in rows):
        for gamma in asked.gamma if "auto" in asked.methods else ():
            scores = {name: by_seed(rows, family, name, gamma) for name in asked.methods}
            singles = [name for name in scores if name != "auto" and len(scores[name]) > 1]
            if singles:
                best = max(singles, key=lambda name: float(np.mean(scores[name][::2])))
                pairs = zip(scores["auto"][1::2], scores[best][1::2], strict=True)
                behind[f"{family}, γ = {gamma}"] = float(np.mean([a - b for a, b in pairs]))
    return behind


def _cell(estimate: tuple[float, float], sign: str = "") -> str:
    return f"{estimate[0]:{sign}.2f} ± {estimate[1]:.2f}"


def _report(rows: Sequence[Row], asked: argparse.Namespace, lab: Lab) -> Report:
    report = Report("accuracy", trials.described(asked, lab))
    for family in dict.fromkeys(row["family"] for row in rows):
        for gamma in asked.gamma:
            scores = {name: by_seed(rows, family, name, gamma) for name in asked.methods}
            report.facts[f"{family}, γ = {gamma}"] = {
                name: mean(values) for name, values in scores.items()
            }
            where = f"{family}, γ = {gamma}"
            if family == "as" and gamma in FLOORS:
                name, values = max(scores.items(), key=lambda item: mean(item[1])[0])
                value = mean(values)[0]
                report.goals.append(
                    Goal(f"{where}: best ({name})", value, FLOORS[gamma], unit=" %")
                )
            if "auto" in scores and len(scores) > 1:
                name, values = _best(rows, family, gamma, asked.methods)
                behind, error = _paired(scores["auto"], values)
                what = f"{where}: auto − {name}, ± {error:.2f}"
                report.goals.append(Goal(what, behind, -SLACK))
            if "auto" in scores and "naive" in scores:
                ahead, error = _paired(scores["auto"], scores["naive"])
                what = f"{where}: auto − naive, ± {error:.2f}"
                report.goals.append(Goal(what, ahead, -2 * error))
    return report
