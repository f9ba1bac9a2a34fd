"""Do 95 % intervals hold what they say? ``python -m benchmarks coverage``.

The originals stay the same; they are disguised over and over. Each time every number that is
printed with ± is compared with the same tree's number computed on the originals: sizes, class
counts and shares of predicted classes by depth, importances, the accuracy of a tree on records it
did not grow on, and the shares of an attribute's values. ``fixed`` trees were grown on other
originals; others are regrown on the very release that measures them, by each method. On tables of
pure chance it is counted how often ``auto`` grows a single leaf.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import THREADS
from benchmarks.harness import Goal, Report
from privet import datasets
from privet.disguise import RandomizedResponse, RandomSubstitution
from privet.errors import PrivetWarning
from privet.estimate.measured import Z, measured
from privet.estimate.shares import shares
from privet.estimators import TreeClassifier
from privet.experiments import Lab, Seeds, Setting, grid
from privet.records import read_by
from privet.split.criterion import criterion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from privet.coding import Floats
    from privet.release import Release
    from privet.tree import Tree

__all__ = ["main"]

TABLES = ("as-f1", "as-f2", "as-f3", "as-f4", "as-f5")
RECORDS, BATCH, DEPTH = 3_000, 20, 4
GAMMAS = (3, 8, 20)
LOW, HIGH = 93.0, 97.0
GROWN = ("fixed", "naive", "direct", "joint")
CHANNELS = ("gamma-diagonal", "band", "class too", "flips")
CELLS = {"band": 24}  # with as few as the others it would be a diagonal channel
FLIPS = [["age", "salary"], ["elevel", "loan"], ["commission"], ["hyears"]]
LEAST = 300  # intervals from which on a share of them is worth a verdict
KINDS = ("size", "class", "share")


def owner(channel: str, gamma: float) -> Any:
    """Return the disguise of one of the channels."""
    if channel == "flips":  # two attributes turn together; θ gives the same γ for one of them
        return RandomizedResponse(FLIPS, theta=gamma / (1 + gamma), rest="withheld")
    target = "substitution" if channel == "class too" else None
    kind = "band" if channel == "band" else "gamma-diagonal"
    cells = CELLS.get(channel, 8)  # the same, however many records there are
    return RandomSubstitution(gamma=gamma, bins=cells, kind=kind, target=target, wave=0)


@cache
def originals(name: str) -> pa.Table:
    """Return the records that are disguised again and again."""
    return datasets.load(name, rows=RECORDS, seed=1)


@cache
def fixed(channel: str, name: str) -> Tree:
    """Return a tree over a channel's cells, grown on many records with little noise."""
    many = datasets.load(name, rows=30_000, seed=2)
    release = owner(channel, 200).disguise(many, datasets.schema(name), seed=3)
    tree: Tree = TreeClassifier("cart", method="direct", max_depth=DEPTH).fit(release).tree_
    return replace(tree, counts=true_counts(tree, originals(name)))


def true_counts(tree: Tree, table: pa.Table) -> Floats:
    """Count the originals of each class at each node."""
    counts = np.zeros((tree.nodes, len(tree.classes)))
    names = {value: code for code, value in enumerate(tree.classes)}
    codes = np.array([names[value] for value in table[tree.target].to_pylist()])
    np.add.at(counts, (tree.apply(read_by(tree.codings, table)), codes), 1)
    for node in range(tree.nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    return counts


def weighing(setting: Setting, seeds: Seeds) -> dict[str, Any]:
    """Disguise the same originals some times; count the intervals that hold the truth."""
    channel, gamma, grown = setting["channel"], setting["gamma"], setting["grown"]
    held: Counter[str] = Counter()
    name = setting["table"]
    schema, table = datasets.schema(name), originals(name)
    for number in range(BATCH):
        release = owner(channel, gamma).disguise(table, schema, seed=seeds(str(number)))
        if grown == "fixed":
            tree = measured(fixed(channel, name), release, grown_here=False)
            _accuracy(fixed(channel, name), release, table, held)
            _shares(release, table, held)
        else:
            tree = TreeClassifier("cart", method=grown, max_depth=DEPTH).fit(release).tree_
        _nodes(tree, table, held)
    return dict(held)


def _note(held: Counter[str], name: str, off: float, error: float) -> None:
    held[f"{name} all"] += 1
    held[f"{name} hit"] += int(abs(off) <= Z * error + 1e-6)


def _nodes(tree: Tree, table: pa.Table, held: Counter[str]) -> None:
    true = true_counts(tree, table)
    for node in range(1, tree.nodes):
        depth, label = int(tree.depths[node]), tree.label[node]
        if not np.isfinite(tree.size_errors[node]):
            held[f"unknown {depth}"] += 1
            continue
        counts = tree.counts[node]
        _note(held, f"size {depth}", counts.sum() - true[node].sum(), tree.size_errors[node])
        for one in range(len(tree.classes)):
            _note(held, f"class {depth}", counts[one] - true[node, one], tree.errors[node, one])
        share = counts[label] / max(counts.sum(), 1e-9)
        if tree.share_errors is not None and tree.share_errors[node] < share / 2:
            right = true[node, label] / max(true[node].sum(), 1e-9)
            _note(held, f"share {depth}", share - right, tree.share_errors[node])
    if tree.weight is None or not np.isfinite(tree.weight).all():
        held["importance unknown"] += 1
        return
    impurity = criterion("gini").impurity(true)
    gains = np.zeros(len(tree.codings))
    for node in np.flatnonzero(tree.child >= 0).tolist():
        below = sum(impurity[kid] for kid in tree.children(node))
        gains[tree.attribute[node]] += impurity[node] - below
    for place in np.flatnonzero(tree.weight[:, 1] > 0).tolist():
        value, error = tree.weight[place]
        _note(held, "importance", value - gains[place] / gains.sum(), error)


def _accuracy(tree: Tree, release: Release, table: pa.Table, held: Counter[str]) -> None:
    model = TreeClassifier.from_tree(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivetWarning)  # an interval of 0 to 100 % counts, too
        estimated = model.accuracy(release)
    low, high = estimated.interval()
    right = model.score(table)
    held["accuracy all"] += 1
    held["accuracy hit"] += int(low - 1e-9 <= right <= high + 1e-9)


def _shares(release: Release, table: pa.Table, held: Counter[str]) -> None:
    found = shares(release, "elevel")
    if len(found.labels[0]) < 3:  # a cut of two halves: the labels are not the values
        return
    true = np.bincount(table["elevel"].to_numpy(), minlength=len(found.unbiased))
    off = found.unbiased - true / RECORDS
    for place, error in enumerate(found.errors.tolist()):
        _note(held, "shares", off[place], error)


def growing(setting: Setting, seeds: Seeds) -> dict[str, Any]:
    """Grow trees from tables whose class is drawn by chance; count those of a single leaf."""
    held: Counter[str] = Counter()
    schema = datasets.schema(setting["table"])
    for number in range(BATCH):
        table = originals(setting["table"])
        rng = np.random.default_rng(seeds(f"class {number}"))
        labels = np.array(schema.classes)[rng.integers(0, 2, RECORDS)]
        place = table.column_names.index(schema.target)
        table = table.set_column(place, schema.target, [labels.tolist()])
        disguise = owner(setting["channel"], setting["gamma"])
        release = disguise.disguise(table, schema, seed=seeds(str(number)))
        held["single"] += int(
            TreeClassifier(method=setting["method"]).fit(release).tree_.nodes == 1
        )
        held["trees"] += 1
    return dict(held)


def main(arguments: Sequence[str]) -> None:
    """Disguise, count, print and write."""
    asked = _asked(arguments)
    lab = Lab("bench-coverage", seed=asked.seed, jobs=asked.jobs)
    console = Console(width=max(160, Console().width))
    about = f"{RECORDS:,} records of {asked.table}, {asked.disguises:,} disguises for fixed trees, "
    about += f"{asked.regrown:,} for regrown ones, base seed {lab.seed}"
    report = Report("coverage", about)
    for grown in asked.grown:
        number = asked.disguises if grown == "fixed" else asked.regrown
        channels = [one for one in asked.channel if grown != "naive" or one != "band"]
        settings = grid(table=[asked.table], channel=channels, gamma=asked.gamma, grown=[grown])
        rows = lab.run(weighing, settings, runs=max(1, number // BATCH))
        _show(console, grown, rows, asked, report)
    if asked.chance:
        kinds = {"table": [asked.table], "channel": asked.channel, "gamma": asked.gamma}
        settings = grid(**kinds, method=["auto"])
        rows = lab.run(growing, settings, runs=max(1, asked.chance // BATCH))
        _chance(console, rows, asked, report)
    report.show(console)
    console.print(f"  written: benchmarks/results/{report.write().name}", highlight=False)


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks coverage", description="Do 95 % intervals hold the truth?"
    )
    parser.add_argument("--disguises", type=int, default=5000, help="for fixed trees")
    parser.add_argument("--regrown", type=int, default=2000, help="disguises for regrown trees")
    parser.add_argument("--chance", type=int, default=200, help="tables of pure chance; 0: none")
    parser.add_argument("--table", default="as-f2", choices=TABLES)
    parser.add_argument("--gamma", type=float, nargs="+", default=list(GAMMAS))
    parser.add_argument("--channel", nargs="+", default=list(CHANNELS), choices=CHANNELS)
    parser.add_argument("--grown", nargs="*", default=list(GROWN), choices=GROWN)
    parser.add_argument("--seed", type=int, help="the base of all seeds; else drawn anew")
    parser.add_argument("--jobs", type=int, default=THREADS, help="processes")
    parser.add_argument("--quick", action="store_true", help="a hundred disguises, γ = 8")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.disguises, asked.regrown, asked.chance, asked.gamma = 100, 40, 20, [8]
    return asked


def _show(
    console: Console,
    grown: str,
    rows: Sequence[Mapping[str, Any]],
    asked: argparse.Namespace,
    report: Report,
) -> None:
    names = [f"{kind} {depth}" for kind in KINDS for depth in range(1, DEPTH + 1)]
    names += ["importance", *(["accuracy", "shares"] if grown == "fixed" else [])]
    table = Table("channel", "γ", *names, "≈", title=f"{grown} trees")
    for channel in asked.channel:
        for gamma in asked.gamma:
            sums: Counter[str] = Counter()
            for row in rows:
                if (row["channel"], row["gamma"]) == (channel, gamma):
                    sums.update({key: row[key] for key in row if isinstance(row[key], int)})
            cells = []
            for name in names:
                number = sums[f"{name} all"]
                share = 100 * sums[f"{name} hit"] / number if number else np.nan
                cells.append(f"{share:.1f}" if number >= LEAST else f"({share:.0f})" * bool(number))
                if number >= LEAST:
                    what = f"{grown}, {channel}, γ = {gamma:g}, {name}"
                    report.goals.append(Goal(f"{what}, at least", share, LOW, unit=" %"))
            unknown = sum(sums[f"unknown {depth}"] for depth in range(1, DEPTH + 1))
            known = sum(sums[f"size {depth} all"] for depth in range(1, DEPTH + 1))
            if known + unknown:
                cells.append(f"{100 * unknown / (known + unknown):.0f} %")
                table.add_row(channel, f"{gamma:g}", *cells)
                report.facts[f"{grown}, {channel}, γ = {gamma:g}"] = " / ".join(cells)
    console.print(table)


def _chance(
    console: Console,
    rows: Sequence[Mapping[str, Any]],
    asked: argparse.Namespace,
    report: Report,
) -> None:
    table = Table("channel", "γ", "single leaves", "tables", title="tables of pure chance")
    for channel in asked.channel:
        for gamma in asked.gamma:
            mine = [row for row in rows if (row["channel"], row["gamma"]) == (channel, gamma)]
            trees, single = (sum(row.get(key, 0) for row in mine) for key in ("trees", "single"))
            if trees:
                share = 100 * single / trees
                table.add_row(channel, f"{gamma:g}", f"{share:.1f} %", str(trees))
                goal = Goal(f"chance, {channel}, γ = {gamma:g}: one leaf", share, 95.0, unit=" %")
                report.goals.append(goal)
    console.print(table)
