"""A fit from 100,000 × 9 disguised records at γ = 8, beside scikit-learn on the plain ones.

AS's F1-F5; processor time, one thread. Scikit-learn's tree has no limit, ours is the default.
"""

from __future__ import annotations

import os
import time
from functools import partial
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.data import columns
from benchmarks.harness import Goal, Report, race
from privet import datasets

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = tuple(f"as-f{number}" for number in range(1, 6))
ROWS, GAMMA, REPEATS = 100_000, 8, 3
SEED, DISGUISE_SEED = 1, 101
GOALS = {"joint": 4.0, "auto": 12.0}  # times scikit-learn's time, at most; `auto` compares methods


def run(*, peers_only: bool = False) -> Report:
    """Race the methods and scikit-learn on one function after the other."""
    report = Report("fit", f"F1-F5, {ROWS:,} × 9, γ = {GAMMA}, processor time, 1 thread")
    for name in NAMES:
        contenders = _contenders(name, () if peers_only else tuple(GOALS))
        with patch.dict(os.environ, PRIVET_THREADS="1"):
            times = race(contenders, repeats=REPEATS, clock=time.process_time)
        report.times |= {f"{name}, {method}": spent for method, spent in times.items()}
        plain = times.pop("scikit-learn").median
        for method, spent in times.items():
            ratio, what = spent.median / plain, f"{name}, {method} over scikit-learn"
            report.goals.append(Goal(what, ratio, GOALS[method], at_most=True, unit=" ×"))
    return report


def _contenders(name: str, methods: tuple[str, ...]) -> dict[str, Callable[[], object]]:
    """Return what fits a tree to a function's plain records, and to its disguised ones."""
    from sklearn.tree import DecisionTreeClassifier

    import privet as pv

    table = datasets.load(name, rows=ROWS, seed=SEED)
    X, y = columns(table)
    disguise = pv.RandomSubstitution(gamma=GAMMA)
    release = disguise.disguise(table, datasets.schema(name), seed=DISGUISE_SEED)
    contenders: dict[str, Callable[[], object]] = {
        "scikit-learn": lambda: DecisionTreeClassifier(random_state=0).fit(X, y)
    }
    for method in methods:
        contenders[method] = partial(pv.TreeClassifier(method=method).fit, release)
    return contenders
