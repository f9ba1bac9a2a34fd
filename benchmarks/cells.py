"""What cells, channels and budgets are worth: accuracy of ``auto`` on fresh plain records.

``python -m benchmarks cells`` prints three tables and writes them to docs/benchmarks/cells.md:
where numbers are cut (equal width, a public sample, two waves); the default disguise beside the
plain γ-diagonal over ten cells of equal width, which it used to be; and ways to spend one ε on a
whole record, its class included.
"""

from __future__ import annotations

import argparse
import datetime as dt
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from privet import datasets
from privet.disguise import (
    Disguise,
    JointGroup,
    Plan,
    RandomSubsets,
    RandomSubstitution,
    Substitution,
)
from privet.errors import DataError, MethodError
from privet.estimators import TreeClassifier
from privet.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from privet.schema import Schema

__all__ = ["main"]

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "cells.md"
ROWS, TESTED, PUBLIC = 50_000, 10_000, 5_000
CELLS = 24
REAL = ("skewed", "cps", "shuttle", "adult")
TEN = (
    "as-f1",
    "as-f2",
    "as-f3",
    "as-f4",
    "skewed",
    "world 1",
    "world 2",
    "adult",
    "shuttle",
    "cps",
)
WORLDS = ("world 1", "world 2", "world 3", "world 4", "world 5")
Table = tuple["pa.Table", "pa.Table", "pa.Table", "Schema"]


def table_of(name: str, seed: int) -> Table:
    """Return training, test and public records of a table, and its schema."""
    if name == "adult":
        test = datasets.load("adult", split="test")
        half = test.num_rows // 2
        return datasets.load("adult"), test.slice(half), test.slice(0, half), datasets.schema(name)
    if name.startswith("world"):
        world = int(name.split()[1]) * 1000 + seed
        every = datasets.load("world", rows=ROWS + TESTED + PUBLIC, seed=world)
        schema = datasets.schema("world", seed=world)
    elif datasets.is_generated(name):
        every = datasets.load(name, rows=ROWS + TESTED + PUBLIC, seed=seed)
        schema = datasets.schema(name)
    else:
        every, schema = datasets.load(name), datasets.schema(name)
        order = np.random.default_rng(seed).permutation(every.num_rows)
        every = every.take(order)
    rows = min(ROWS, every.num_rows * 7 // 10)
    public = min(PUBLIC, every.num_rows // 10)
    test = every.slice(rows + public, TESTED)
    return every.slice(0, rows), test, every.slice(rows, public), schema


def known(schema: Schema, public: pa.Table) -> dict[str, list[float]]:
    """Return borders of cells of equal frequency, from public records."""
    borders = {}
    for attribute in schema.inputs:
        if attribute.is_categorical:
            continue
        column = public[attribute.name].to_numpy()
        sample = {"sample": column[np.isfinite(column)]}
        if len(np.unique(sample["sample"])) < 2:
            continue
        cut = attribute.with_cells(CELLS, prior=sample).with_fixed_cells()
        if cut.edges:
            borders[attribute.name] = list(cut.edges)
    return borders


def accuracy(owner: Disguise, table: Table, seed: int) -> float | None:
    """Return the accuracy of a tree from one disguise, in percent; None if none can be made."""
    train, test, _, schema = table
    try:
        release = owner.disguise(train, schema, seed=seed)
        return 100 * TreeClassifier().fit(release).score(test)
    except (DataError, MethodError):
        return None


def cut_ways(gamma: int, table: Table) -> dict[str, Disguise]:
    """Return the ways to cut numbers."""
    _, _, public, schema = table
    return {
        "equal width": RandomSubstitution(gamma, bins=CELLS, wave=0),
        "(a) a public sample": RandomSubstitution(gamma, edges=known(schema, public), wave=0),
        "(b) two waves": RandomSubstitution(gamma),
    }


def defaults(gamma: int, _: Table) -> dict[str, Disguise]:
    """Return the default disguise, and what it used to be."""
    return {
        "γ-diagonal, 10 equal cells": RandomSubstitution(gamma, kind="gamma-diagonal"),
        "default": RandomSubstitution(gamma),
    }


def budgets(epsilon: int, table: Table) -> dict[str, Disguise]:
    """Return the ways to spend one ε on a whole record."""
    schema = table[3]
    names = [one.name for one in schema.inputs]
    each = epsilon / (len(names) + 1)
    pairs = [names[place : place + 2] for place in range(0, len(names), 2)]
    share = float(np.exp(epsilon / (len(pairs) + 1)))
    groups = [JointGroup(pair, gamma=share, bins=5) for pair in pairs]
    joint = Plan({schema.target: Substitution(epsilon=epsilon / (len(pairs) + 1))}, groups=groups)
    return {
        "all, ε shared": RandomSubstitution(epsilon=each, target="substitution", wave=0),
        "joint pairs, ε shared": joint,
        "one attribute": RandomSubsets(epsilon, 1),
        "two attributes": RandomSubsets(epsilon, 2),
        "three attributes": RandomSubsets(epsilon, min(3, len(names))),
    }


def majority(table: Table) -> float:
    """Return the share of the commonest class among the test records, in percent."""
    labels = np.asarray(table[1][table[3].target].to_pylist())
    return 100 * float(np.unique(labels, return_counts=True)[1].max() / len(labels))


def measured(
    names: Sequence[str],
    levels: Sequence[int],
    ways: Callable[[int, Table], dict[str, Disguise]],
    runs: int,
    seed: int,
    sign: str,
) -> list[str]:
    """Return a table in Markdown: a line per table and level, a column per way."""
    lines: list[str] = []
    jobs = [(name, level) for name in names for level in levels]
    for name, level in track(jobs, "measuring", len(jobs)):
        results: dict[str, list[float | None]] = {}
        common = []
        for run in range(runs):
            try:
                table = table_of(name, seed + run)
            except DataError:
                break
            common.append(majority(table))
            for way, owner in ways(level, table).items():
                results.setdefault(way, []).append(accuracy(owner, table, seed + run))
        if not common:
            continue
        if not lines:
            heads = " | ".join(["table", sign, "commonest class", *results])
            lines = [f"| {heads} |", "|" + "---|" * (3 + len(results))]
        cells = " | ".join(_cell(found) for found in results.values())
        lines.append(f"| {name} | {level} | {np.mean(common):.1f} | {cells} |")
        print(lines[-1], flush=True)
    return lines


def _cell(found: Sequence[float | None]) -> str:
    numbers = [one for one in found if one is not None]
    if len(numbers) < len(found) or not numbers:
        return "none"
    return f"{np.mean(numbers):.1f} ({min(numbers):.1f}-{max(numbers):.1f})"


SECTIONS: dict[str, tuple[Any, ...]] = {
    "cuts": (REAL, (3, 8, 20), cut_ways, "γ"),
    "defaults": (TEN, (8,), defaults, "γ"),
    "budgets": (("adult", *WORLDS), (4,), budgets, "ε"),
}


def main(arguments: Sequence[str]) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cells", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--runs", type=int, default=2, help="tables and disguises per line")
    parser.add_argument("--seed", type=int, default=int(np.random.default_rng().integers(10**6)))
    asked = parser.parse_args(arguments)
    console = Console()
    for section in asked.sections or SECTIONS:
        names, levels, ways, sign = SECTIONS[section]
        lines = measured(names, levels, ways, asked.runs, asked.seed, sign)
        today = dt.datetime.now(tz=dt.UTC).date().isoformat()
        command = f"python -m benchmarks cells {section} --runs {asked.runs} --seed {asked.seed}"
        said = f"`{command}`, {today}; mean of {asked.runs} runs, in brackets the worst and best."
        _write(section, [said, "", *lines])
        console.print(f"  written: {PAGE.name}, {section}", highlight=False)


def _write(section: str, lines: Sequence[str]) -> None:
    """Put a table between its marks on the page."""
    mark = f"<!-- {section} -->"
    text = PAGE.read_text(encoding="utf-8")
    body = "\n".join([mark, *lines, mark])
    pattern = re.compile(f"{re.escape(mark)}.*?{re.escape(mark)}", re.DOTALL)
    PAGE.write_text(pattern.sub(lambda _: body, text, count=1), encoding="utf-8")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
