"""A forest learned from disguised records beside a single tree: AS's F1 to F5, γ = 8.

``python -m benchmarks.release_forest [rows] [seed] [functions]`` prints accuracies on fresh
originals.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import privet as pv

GAMMA, TEST_ROWS = 8, 10_000


def main(rows: int = 100_000, seed: int = 1, *numbers: int) -> None:
    """Disguise each table once and learn a tree and a forest of each policy from it."""
    found = []
    for number in numbers or range(1, 6):
        name = f"as-f{number}"
        table = pv.datasets.load(name, rows=rows, seed=seed)
        test = pv.datasets.load(name, rows=TEST_ROWS, seed=seed + 1)
        release = pv.RandomSubstitution(gamma=GAMMA).disguise(table, pv.datasets.schema(name))
        scores, said = [], ""
        for policy in ("cart", "c4.5"):
            for model in (pv.TreeClassifier(policy), pv.ForestClassifier(policy=policy)):
                begin = time.perf_counter()
                scores.append(model.fit(release).score(test))
                said += f", {100 * scores[-1]:.2f} % ({time.perf_counter() - begin:.0f} s)"
        found.append(scores)
        print(f"F{number}: tree and forest of cart, of c4.5{said}", flush=True)
    mean = ", ".join(f"{100 * score:.2f} %" for score in np.mean(found, axis=0))
    print(f"mean: tree and forest of cart, of c4.5, {mean}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
