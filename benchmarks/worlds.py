"""Random worlds, drawn anew on every run so that nobody can tune to them.

``python -m benchmarks worlds`` learns from one disguise of each world's records, with cells of
equal frequency (borders from a public sample of the same world) and band channels; with
``--cells width`` from the default disguise. Of the gap between the majority class and the plain
tree (the best of CART with three sizes of leaves and C4.5 on the originals) it prints the share
that each method closes: the median and the worst tenth over worlds whose gap is at least five
points, each with a bootstrap interval, and the median time. Of ``auto`` (or the last method) it
prints the same apart for small and large true trees and for slanting borders.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import THREADS
from benchmarks.harness import Goal, Report
from privet import datasets
from privet.datasets.worlds import World
from privet.disguise import RandomSubstitution
from privet.errors import MethodError
from privet.estimators import TreeClassifier
from privet.experiments import Lab, Seeds, Setting, grid
from privet.experiments.memory import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from privet.coding import Floats
    from privet.experiments.lab import Row
    from privet.schema import Schema

__all__ = ["main"]

ROWS, TEST_ROWS, PUBLIC_ROWS = 50_000, 10_000, 20_000
CELLS = 32
LEAST_GAP = 0.05
DRAWN = 1_000  # bootstrap samples of the worlds
LEAVES = (10, 30, 100)  # least sizes of a leaf, of which the best plain CART is taken
METHODS = ("naive", "direct", "joint", "auto")
SIZES = ((2, 4), (5, 8), (9, 16))  # leaves of true trees
BARS = {8: (0.93, 0.85), 3: (0.92, 0.83)}  # the median and the worst tenth, for `auto`


def measuring(setting: Setting, seeds: Seeds) -> dict[str, Any]:
    """Draw a world, disguise its records once, and learn by every method."""
    world = seeds("world")
    rows = setting["rows"]
    every = datasets.load("world", rows=rows + TEST_ROWS + PUBLIC_ROWS, seed=world)
    train, test = every.slice(0, rows), every.slice(rows, TEST_ROWS)
    schema = datasets.schema("world", seed=world)
    majority = float(np.unique(train["class"].to_numpy(), return_counts=True)[1].max() / rows)
    plain = max(_plain(train, test))
    leaves = World.drawn(world).leaves
    measured: dict[str, Any] = {"majority": majority, "plain": plain, "leaves": leaves}
    if plain - majority < LEAST_GAP:
        return measured
    releases = {}
    for kind in ("band", "gamma-diagonal"):
        public = every.slice(rows + TEST_ROWS)
        by_frequency = setting["cells"] == "frequency"
        owner = RandomSubstitution(
            gamma=setting["gamma"],
            bins=CELLS if by_frequency else None,
            edges=_edges(schema, public) if by_frequency else None,
            kind=kind,
        )
        releases[kind] = owner.disguise(train, schema, seed=seeds("noise"))
    for method in setting["methods"].split():
        square = method in {"naive", "direct"} or setting["cells"] == "width"
        begin = time.perf_counter()
        model = TreeClassifier(method=method)
        try:
            model.fit(releases["gamma-diagonal" if square else "band"])
        except MethodError:
            continue
        measured[f"{method} time"] = time.perf_counter() - begin
        measured[method] = model.score(test)
        measured[f"{method} took"] = model.method_
    return measured


def _plain(train: pa.Table, test: pa.Table) -> list[float]:
    """Return the accuracies of plain trees: pruned CART and C4.5."""
    X, y = train.drop_columns("class"), train["class"].to_pylist()
    X_test, y_test = test.drop_columns("class"), test["class"].to_pylist()
    models = [TreeClassifier(min_samples_leaf=leaf) for leaf in LEAVES]
    models.append(TreeClassifier(policy="c4.5"))
    return [model.fit(X, y).score(X_test, y_test) for model in models]


def _edges(schema: Schema, public: pa.Table) -> dict[str, list[float]]:
    """Return borders of cells of equal frequency, from public records of the same world."""
    borders = {}
    for attribute in schema.inputs:
        if not attribute.is_categorical:
            low, high = attribute.range
            shares = np.arange(1, CELLS) / CELLS
            column = public[attribute.name].to_numpy()
            cuts = np.unique(np.quantile(column, shares, method="lower"))
            # A border at the lowest value sets a frequent zero apart.
            inside = cuts[(cuts > low) & (cuts < high)] if cuts[0] > low else cuts[cuts < high]
            borders[attribute.name] = inside.astype(np.float64).tolist()
    return borders


def main(arguments: Sequence[str]) -> None:
    """Measure, print and write."""
    asked = _asked(arguments)
    lab = Lab(
        "bench-worlds",
        quick=asked.quick,
        seed=asked.seed,
        jobs=asked.jobs,
        cache=cache_folder(),
        fresh=not asked.resume,
    )
    console = Console(width=max(120, Console().width))
    console.print(f"Base seed {lab.seed}; {lab.jobs} processes of one thread.", highlight=False)
    settings = grid(
        rows=[asked.rows],
        cells=[asked.cells],
        gamma=asked.gamma,
        methods=[" ".join(asked.methods)],
    )
    rows = lab.run(measuring, settings, runs=asked.worlds, alike=("gamma", "methods"))
    about = f"{asked.worlds} random worlds from seed {lab.seed}, {asked.rows:,} records, "
    report = Report("worlds", about + f"cells of equal {asked.cells}, one disguise each")
    for gamma in asked.gamma:
        _show(console, [row for row in rows if row["gamma"] == gamma], gamma, asked, report)
    report.show(console)
    path = report.write()
    console.print(f"  written: benchmarks/results/{path.name}", highlight=False)


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks worlds", description="Accuracy in random worlds."
    )
    parser.add_argument("--worlds", type=int, default=200, help="how many are drawn")
    parser.add_argument("--gamma", type=int, nargs="+", default=[3, 8])
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--cells", choices=["frequency", "width"], default="frequency")
    parser.add_argument("--rows", type=int, default=ROWS, help="training records")
    parser.add_argument("--seed", type=int, help="the base of all seeds; else drawn anew")
    parser.add_argument("--jobs", type=int, default=THREADS, help="processes")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument("--quick", action="store_true", help="ten worlds, γ = 8")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.worlds, asked.gamma = min(asked.worlds, 10), [8]
    return asked


def _show(
    console: Console, rows: Sequence[Row], gamma: int, asked: argparse.Namespace, report: Report
) -> None:
    """Print one line per method."""
    wide = [row for row in rows if row["plain"] - row["majority"] >= LEAST_GAP]
    title = f"γ = {gamma}: {len(wide)} of {len(rows)} worlds have a gap of five points"
    table = Table("method", "median", "worst tenth", "worst", "behind the best", "s", title=title)
    shares = {}
    for method in asked.methods:
        measured = [row for row in wide if method in row]
        if measured:
            shares[method] = np.array([_share(row, method) for row in measured])
    best = np.max([one for one in shares.values() if len(one) == len(wide)], axis=0)
    for method, closed in shares.items():
        seconds = np.median([row[f"{method} time"] for row in wide if method in row])
        behind = f"{np.max(best - closed):.3f}" if len(closed) == len(best) else ""
        numbers = (_interval(closed, 0.5), _interval(closed, 0.1), f"{closed.min():.3f}")
        table.add_row(method, *numbers, behind, f"{seconds:.2f}")
        report.facts[f"γ = {gamma}, {method}"] = " / ".join(numbers)
        if method == "auto" and gamma in BARS and asked.cells == "frequency":
            middle, low = BARS[gamma]
            report.goals += [
                Goal(f"γ = {gamma}: auto, median", float(np.median(closed)), middle),
                Goal(f"γ = {gamma}: auto, worst tenth", float(np.quantile(closed, 0.1)), low),
            ]
    console.print(table)
    console.print(_by_truth([row for row in wide if asked.methods[-1] in row], asked.methods[-1]))


def _by_truth(rows: Sequence[Row], method: str) -> Table:
    """Return how much of the gap a method closes, by what the truth is like."""
    table = Table("truth", "worlds", "median", "worst tenth", title=f"{method}, by the truth")
    kinds = {"slanting borders": [row for row in rows if row["leaves"] is None]}
    for low, high in SIZES:
        name = f"trees of {low} to {high} leaves"
        kinds[name] = [row for row in rows if low <= (row["leaves"] or 0) <= high]
    for name, some in kinds.items():
        if some:
            closed = np.array([_share(row, method) for row in some])
            table.add_row(name, str(len(some)), _interval(closed, 0.5), _interval(closed, 0.1))
    return table


def _share(row: Row, method: str) -> float:
    return float((row[method] - row["majority"]) / (row["plain"] - row["majority"]))


def _interval(shares: Floats, level: float) -> str:
    """Return a quantile with its bootstrap interval of 95 %."""
    random = np.random.default_rng(0)
    drawn = np.quantile(random.choice(shares, (DRAWN, len(shares))), level, axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{np.quantile(shares, level):.3f} ({low:.3f}-{high:.3f})"


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
