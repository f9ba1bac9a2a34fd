"""Draw the pictures of docs/trees.md: ``python -m benchmarks.pictures``, or ``make pictures``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import privet as pv
from privet.errors import PrivetError
from privet.tree.draw import page, svg

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def plain(name: str, policy: str = "c4.5") -> pv.Tree:
    """Return the tree of a table as it is."""
    table, schema = pv.datasets.load(name), pv.datasets.schema(name)
    return (
        pv.TreeClassifier(policy=policy)
        .fit(pv.Plan({}, default=pv.Exact()).disguise(table, schema))
        .tree_
    )


def disguised() -> pv.Tree:
    """Return a tree of disguised records, whose counts have errors."""
    table, schema = pv.datasets.load("as-f4", rows=50_000, seed=1), pv.datasets.schema("as-f4")
    release = pv.RandomSubstitution(gamma=8).disguise(table, schema, seed=3)
    return pv.TreeClassifier(max_depth=4).fit(release).tree_


def large() -> pv.Tree:
    """Return a tree of 200 leaves."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(20_000, 4))
    y = (np.sin(9 * X[:, 0]) + np.cos(7 * X[:, 1]) + X[:, 2] > rng.normal(0.5, 0.4, 20_000)).astype(
        int
    )
    for least in range(150, 20, -1):
        tree = pv.TreeClassifier(min_samples_leaf=least).fit(X, y + (X[:, 3] > 0.9)).tree_
        if len(tree.leaves) >= 200:
            break
    return tree


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    makers = {"weather": lambda: plain("weather"), "disguised": disguised, "large": large}
    makers["adult"] = lambda: plain("adult")
    for name, make in makers.items():
        try:
            tree = make()
        except PrivetError as error:
            print(f"{name}: {error}")
            continue
        (FOLDER / f"{name}.svg").write_text(svg(tree), encoding="utf-8")
        if name == "weather":
            (FOLDER / f"{name}.html").write_text(page(tree), encoding="utf-8")
        print(f"{name}: {tree.nodes} nodes, {len(tree.leaves)} leaves")


if __name__ == "__main__":
    main()
