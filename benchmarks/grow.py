"""A plain tree on F2, 1M × 9, depth 10: beside scikit-learn, and growing alone beside LightGBM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import THREADS
from benchmarks.data import columns, fresh
from benchmarks.harness import Goal, Report, race

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROWS, TEST_ROWS, DEPTH = 1_000_000, 100_000, 10
SKLEARN_GOAL = 60.0  # times as fast, coding included
LIGHTGBM_GOAL = 1.0
ACCURACY_GOAL = 0.5  # points of accuracy apart from a peer, at most

# LightGBM's settings that change its time and not its tree: the faster one races.
LIGHTGBM_WAYS: dict[str, dict[str, Any]] = {
    "by columns": {"force_col_wise": True},
    "by rows": {"force_row_wise": True},
}


def grow_alone(X: NDArray[np.float64], y: NDArray[np.int64]) -> Callable[[], object]:
    """Code the data now; return the call that only grows, as LightGBM's prebuilt Dataset does.

    The one place that reaches behind the public classes; it does what ``fit`` does, in two steps.
    """
    from privet.estimate.bins import learn_cells
    from privet.estimate.routed import routed
    from privet.grow import grow
    from privet.split import Policy
    from privet.table import MemoryTable

    names = [f"x{place}" for place in range(X.shape[1])]
    numbers = {name: X[:, place] for place, name in enumerate(names)}
    codings = [learn_cells(name, column) for name, column in numbers.items()]
    table = MemoryTable({**numbers, "class": y.astype(np.uint8)})
    evidence = routed(table, codings, "class", (0, 1))
    policy = Policy.named("cart").but(max_depth=DEPTH)
    return lambda: grow(evidence, policy, "class")


def sklearn_tree(X: NDArray[np.float32], y: NDArray[np.int64]) -> Any:
    """Fit scikit-learn's tree on the type it works in, so that it copies nothing."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(X, y)


class OneTree:
    """LightGBM growing one tree on a Dataset that is built beforehand."""

    def __init__(self, X: NDArray[np.float64], y: NDArray[np.int64], way: str) -> None:
        import lightgbm as lgb

        self.settings = {
            "objective": "binary",
            "num_leaves": 1024,
            "max_depth": DEPTH,
            "num_threads": THREADS,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0.0,
            "feature_pre_filter": False,
            "verbosity": -1,
            **LIGHTGBM_WAYS[way],
        }
        self.data = lgb.Dataset(X, y, params=self.settings).construct()

    def train(self) -> Any:
        """Grow the tree."""
        import lightgbm as lgb

        return lgb.train(self.settings, self.data, num_boost_round=1)


def best_lightgbm(X: NDArray[np.float64], y: NDArray[np.int64]) -> tuple[str, OneTree]:
    """Return the faster of LightGBM's ways on this machine."""
    trees = {way: OneTree(X, y, way) for way in LIGHTGBM_WAYS}
    times = race({way: tree.train for way, tree in trees.items()}, repeats=3)
    best = min(times, key=lambda way: times[way].median)
    return best, trees[best]


def run(*, peers_only: bool = False) -> Report:
    """Race, then compare test accuracies on fresh records."""
    X, y = columns(fresh(ROWS))
    X_test, y_test = columns(fresh(TEST_ROWS, test=True))
    narrow = np.ascontiguousarray(X, dtype=np.float32)
    way, one_tree = best_lightgbm(X, y)
    models: dict[str, Any] = {}

    def keep(name: str, work: Callable[[], Any]) -> Callable[[], None]:
        def call() -> None:
            models[name] = work()

        return call

    contenders: dict[str, Callable[[], object]] = {
        "scikit-learn": keep("scikit-learn", lambda: sklearn_tree(narrow, y)),
        f"LightGBM, one tree ({way})": keep("LightGBM", one_tree.train),
    }
    if not peers_only:
        import privet as pv

        def ours() -> object:
            return pv.TreeClassifier(max_depth=DEPTH).fit(X, y)

        contenders["privet, coding and growing"] = keep("privet", ours)
        contenders["privet, growing alone"] = grow_alone(X, y)
    times = race(contenders)
    accuracy = {
        "scikit-learn": models["scikit-learn"].score(X_test.astype(np.float32), y_test),
        "LightGBM": float(((models["LightGBM"].predict(X_test) > 0.5) == y_test).mean()),
    }
    report = Report("grow", f"F2, {ROWS:,} × 9 floats, depth {DEPTH}, {THREADS} threads", times)
    if not peers_only:
        accuracy["privet"] = float((models["privet"].predict(X_test) == y_test).mean())
        report.goals = _goals(
            {name.split(" (")[0]: t.median for name, t in times.items()}, accuracy
        )
    report.facts = {
        f"accuracy on {TEST_ROWS:,} fresh records, {name}": f"{100 * value:.3f} %"
        for name, value in accuracy.items()
    }
    return report


def _goals(medians: dict[str, float], accuracy: dict[str, float]) -> list[Goal]:
    whole, alone = medians["privet, coding and growing"], medians["privet, growing alone"]
    faster = medians["scikit-learn"] / whole
    ratio = medians["LightGBM, one tree"] / alone
    goals = [
        Goal("scikit-learn's time over ours, coding included", faster, SKLEARN_GOAL, unit=" ×"),
        Goal("LightGBM's time over ours, growing alone", ratio, LIGHTGBM_GOAL, unit=" ×"),
    ]
    for peer in ("scikit-learn", "LightGBM"):
        points = 100 * (accuracy[peer] - accuracy["privet"])
        what = f"points of accuracy behind {peer}"
        goals.append(Goal(what, points, ACCURACY_GOAL, at_most=True))
    return goals
