"""SysFor of 60 trees on Adult, beside scikit-learn's random forest of 60 on one-hot columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import THREADS
from benchmarks.harness import Goal, Report, race
from privet import datasets

if TYPE_CHECKING:
    from collections.abc import Callable

TREES, REPEATS = 60, 3
GOODNESS = 0.3


def run(*, peers_only: bool = False) -> Report:
    """Race the two, each from the table of records to a fitted forest."""
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frames = [datasets.load("adult", split=part).to_pandas() for part in ("train", "test")]
    target = datasets.schema("adult").target
    (X, y), (X_test, y_test) = ((one.drop(columns=target), one[target]) for one in frames)
    names = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    X[names], X_test[names] = X[names].fillna("?"), X_test[names].fillna("?")
    models: dict[str, Any] = {}

    def peer() -> None:
        columns = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), names), remainder="passthrough"
        )
        forest = RandomForestClassifier(TREES, n_jobs=THREADS, random_state=1)
        models["scikit-learn"] = make_pipeline(columns, forest).fit(X, y)

    contenders: dict[str, Callable[[], object]] = {"scikit-learn, one-hot": peer}
    if not peers_only:
        import privet as pv

        def ours() -> None:
            models["privet"] = pv.ForestClassifier(TREES, goodness=GOODNESS).fit(X, y)

        contenders["privet, SysFor"] = ours
    times = race(contenders, repeats=REPEATS)
    about = f"Adult, {len(X):,} records, {TREES} trees, {THREADS} threads"
    report = Report("forest", about, times)
    for name, model in models.items():
        score = 100 * model.score(X_test, y_test)
        report.facts[f"test accuracy of {name}"] = f"{score:.2f} %"
    if not peers_only:
        medians = {name.split(",")[0]: one.median for name, one in times.items()}
        ratio = medians["privet"] / medians["scikit-learn"]
        report.goals = [Goal("our time over scikit-learn's", ratio, 1.0, at_most=True, unit=" ×")]
        report.facts["trees that SysFor found"] = len(models["privet"].trees_)
    return report
