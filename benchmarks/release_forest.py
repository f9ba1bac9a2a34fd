"""A forest learned from disguised records beside a single tree: AS's F1 to F5, γ = 8.

``python -m benchmarks.release_forest [rows] [seed]`` prints accuracies on fresh originals.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import privet as pv

GAMMA, TEST_ROWS, TREES = 8, 10_000, 10


def main(rows: int = 100_000, seed: int = 1) -> None:
    """Disguise each table once and learn both from it."""
    found = []
    for number in range(1, 6):
        name = f"as-f{number}"
        table = pv.datasets.load(name, rows=rows, seed=seed)
        test = pv.datasets.load(name, rows=TEST_ROWS, seed=seed + 1)
        release = pv.RandomSubstitution(gamma=GAMMA).disguise(table, pv.datasets.schema(name))
        scores = []
        for model in (
            pv.TreeClassifier(),
            pv.TreeClassifier(policy="c4.5"),
            pv.ForestClassifier(TREES),
        ):
            begin = time.perf_counter()
            scores.append(model.fit(release).score(test))
            spent = time.perf_counter() - begin
        found.append(scores)
        trees = len(model.trees_)
        shown = ", ".join(f"{100 * score:.2f}" for score in scores)
        print(f"F{number}: cart, c4.5, forest {shown} % ({trees} trees, {spent:.0f} s)", flush=True)
    mean = ", ".join(f"{100 * score:.2f}" for score in np.mean(found, axis=0))
    print(f"mean: cart, c4.5, forest {mean} %")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
