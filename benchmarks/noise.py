"""Additive noise: reconstructing 1M values, and learning by class from 100k × 9, beside peers.

A histogram pass and multi-freq-ldpy's iterative Bayesian update (warm, as many steps as ours took)
stand for reconstruction; scikit-learn's tree on the raw values for learning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import THREADS
from benchmarks.data import NAME, TRAIN_SEED, columns, fresh
from benchmarks.harness import Goal, Report, race
from benchmarks.trials import MARGIN
from privet import datasets
from privet.channel import Noise
from privet.estimate.reconstruction import reconstruct

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

VALUES, CELLS = 1_000_000, 100
ROWS, LEVEL = 100_000, 1.0


def _noisy() -> tuple[Noise, NDArray[np.float64]]:
    """Return a noise as wide as the range, and as many values with it added."""
    noise = Noise.uniform("x", low=0, high=1, alpha=0.5)
    rng = np.random.default_rng(1)
    words = rng.integers(0, 2**32, VALUES, dtype=np.uint32)
    return noise, noise.released(noise.draw(noise.codes(rng.beta(4, 6, VALUES)), words))


def _reconstructing(contenders: dict[str, Callable[[], object]], *, peers_only: bool) -> int:
    """Enter the ways to reconstruct; return how many steps ours takes."""
    noise, values = _noisy()
    steps = reconstruct(values, noise, intervals=CELLS, how="paper").steps
    # It takes a square and symmetric matrix only: fewer intervals than ours, to its favour.
    apart = np.abs(np.arange(CELLS)[:, None] - np.arange(CELLS)) / CELLS
    square = (apart <= 0.5) / CELLS

    def pass_and_ibu() -> object:
        from multi_freq_ldpy.estimators.Histogram_estimator import IBU

        counts = np.histogram(values, bins=CELLS, range=(-0.5, 1.5))[0]
        return IBU(CELLS, square, counts / VALUES, steps, 0.0, "max_abs")

    contenders["histogram and multi-freq-ldpy's IBU"] = pass_and_ibu
    if not peers_only:
        contenders["privet.reconstruct"] = lambda: reconstruct(
            values, noise, intervals=CELLS, how="paper"
        )
    return steps


def run(*, peers_only: bool = False) -> Report:
    """Race reconstruction, then learning."""
    contenders: dict[str, Callable[[], object]] = {}
    steps = _reconstructing(contenders, peers_only=peers_only)
    table = fresh(ROWS)
    X, y = columns(table)
    narrow = X.astype(np.float32, order="C")
    models: dict[str, Any] = {}

    def plain() -> None:
        from sklearn.tree import DecisionTreeClassifier

        models["plain"] = DecisionTreeClassifier(random_state=0).fit(narrow, y)

    contenders["scikit-learn, raw values"] = plain
    if not peers_only:
        import privet as pv

        schema = datasets.schema(NAME, margin=MARGIN, seed=TRAIN_SEED)  # as for accuracy
        release = pv.AdditiveNoise(level=LEVEL).disguise(table, schema)
        for method in ("by-class", "local", "joint"):

            def learn(method: str = method) -> None:
                models[method] = pv.TreeClassifier(method=method).fit(release)

            contenders[f"privet, {method}"] = learn
    times = race(contenders, repeats=3)
    about = f"{VALUES:,} values over {CELLS} intervals, {steps} steps; F2, {ROWS:,} × 9, uniform "
    report = Report("noise", about + f"noise of {100 * LEVEL:.0f} %, {THREADS} threads", times)
    if not peers_only:
        medians = {name: held.median for name, held in times.items()}
        plain_time = medians["scikit-learn, raw values"]
        ratio = medians["privet.reconstruct"] / medians["histogram and multi-freq-ldpy's IBU"]
        report.goals = [
            Goal("reconstruct over histogram and IBU", ratio, 1.0, at_most=True, unit=" ×"),
            _goal("by-class over scikit-learn", medians["privet, by-class"] / plain_time, 1.0),
            _goal("joint over scikit-learn", medians["privet, joint"] / plain_time, 10.0),
        ]
    return report


def _goal(what: str, ratio: float, limit: float) -> Goal:
    return Goal(what, ratio, limit, at_most=True, unit=" ×")
