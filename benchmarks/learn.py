"""Learning from 1M × 9 disguised records at γ = 8, beside scikit-learn on the plain ones.

``direct`` goes to the same depth as scikit-learn; ``auto`` has the setting of ``accuracy``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import THREADS
from benchmarks.accuracy import SETTINGS
from benchmarks.data import NAME, columns, fresh
from benchmarks.grow import DEPTH, sklearn_tree
from benchmarks.harness import Goal, Report, race
from benchmarks.trials import MARGIN
from privet import datasets

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, TEST_ROWS, GAMMA, BINS = 1_000_000, 100_000, 8, 20
SKLEARN_GOAL = 2.0  # times as fast
AUTO_GOAL = 1.0  # of its time, at most
RANGES = 11  # the seed of public ranges that do not line up with the function's thresholds


def run(*, peers_only: bool = False) -> Report:
    """Disguise once, then race the two learners."""
    table, test = fresh(ROWS), fresh(TEST_ROWS, test=True)
    X, y = columns(table)
    X_test, y_test = columns(test)
    narrow, narrow_test = X.astype(np.float32, order="C"), X_test.astype(np.float32)
    models: dict[str, Any] = {}

    def plain() -> None:
        models["scikit-learn"] = sklearn_tree(narrow, y)

    contenders: dict[str, Callable[[], object]] = {"scikit-learn, plain records": plain}
    if not peers_only:
        import privet as pv

        schema = datasets.schema(NAME, bins=BINS)
        square = pv.RandomSubstitution(gamma=GAMMA, kind="gamma-diagonal", wave=0)  # for `direct`
        release = square.disguise(table, schema)

        def ours() -> None:
            learner = pv.TreeClassifier(method="direct", max_depth=DEPTH)
            models["privet"] = learner.fit(release)

        contenders["privet, disguised records"] = ours
        held = SETTINGS["auto"]
        wide = datasets.schema(NAME, margin=MARGIN, seed=RANGES)
        owner = pv.RandomSubstitution(gamma=GAMMA, bins=held.at(GAMMA), kind=held.kind)
        coarse = owner.disguise(table, wide)

        def chosen() -> None:
            models["auto"] = pv.TreeClassifier().fit(coarse)

        contenders["auto, disguised records"] = chosen
    times = race(contenders)
    about = f"F2, {ROWS:,} × 9, depth {DEPTH}, γ = {GAMMA}, {BINS} bins, {THREADS} threads"
    report = Report("learn", about, times)
    score = models["scikit-learn"].score(narrow_test, y_test)
    report.facts["test accuracy of scikit-learn, from plain records"] = f"{100 * score:.2f} %"
    if not peers_only:
        medians = {name.split(",")[0]: t.median for name, t in times.items()}
        ratio = medians["scikit-learn"] / medians["privet"]
        report.goals = [Goal("scikit-learn's time over ours", ratio, SKLEARN_GOAL, unit=" ×")]
        ratio = medians["auto"] / medians["scikit-learn"]
        report.goals.append(
            Goal("auto over scikit-learn", ratio, AUTO_GOAL, at_most=True, unit=" ×")
        )
        for name in ("privet", "auto"):
            score = models[name].score(test.drop_columns("group"), test["group"].to_pylist())
            report.facts[f"test accuracy of {name}, from disguised ones"] = f"{100 * score:.2f} %"
    return report
