"""AS's experiments: distributions and trees from values with noise added.

Reconstruction of a plateau and of triangles; accuracy on F1-F5 at 25 % and 100 % privacy for every
method; accuracy against the privacy level. Where the slides are silent: shapes are drawn over
[−1, 1] with U[−0.5, 0.5], and with a Gaussian of standard deviation 0.25; public ranges are those
of the generator; elevel, car and zipcode get noise on whole numbers; five runs of each setting.

Value classes at the same privacy level stand beside noise: numbers are released as classes so wide
that the level holds (table 1's first row), and a tree is grown from the classes. From about half of
the range on there is a single class, and nothing is learned.

Beside the paper's methods stands ``told``: by-class given the true distributions of every class, so
that whatever it loses no reconstruction of single attributes can win back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from privet import datasets
from privet.channel import Noise
from privet.disguise import AdditiveNoise, Exact, Plan, ValueClass, Withheld
from privet.errors import PlanError
from privet.estimate.methods import NOISY_SHARE
from privet.estimate.reconstruction import reconstruct
from privet.estimators import TreeClassifier
from privet.experiments.agrawal_srikant_tables import (
    CELLS,
    CLASSES,
    KINDS,
    METHODS,
    SHAPES,
    SWEPT,
    TOLD,
    WAYS,
    accuracies,
    shapes_of,
    sweep,
    value_classes,
    verdicts,
)
from privet.experiments.lab import Lab, Seeds, Setting, grid
from privet.experiments.page import Findings
from privet.experiments.registry import experiment
from privet.experiments.tables import parts

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.disguise import Treatment
    from privet.schema import Schema

__all__ = ["LEVELS", "agrawal_srikant"]

TABLES = tuple(f"as-f{number}" for number in range(1, 6))
LEVELS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


# Trials


def numbers(name: str, rows: int, rng: np.random.Generator) -> Floats:
    """Return numbers in [−1, 1] with AS's plateau or its two triangles as density."""
    drawn = np.empty(0)
    while len(drawn) < rows:
        tried = rng.uniform(-1, 1, 4 * rows)
        if name == "plateau":
            height = np.clip((0.75 - np.abs(tried)) / 0.25, 0, 1)
        else:
            height = np.maximum(0, 1 - np.abs(np.abs(tried) - 0.5) / 0.4)
        drawn = np.append(drawn, tried[rng.random(4 * rows) < height])
    return drawn[:rows]


def shaping(setting: Setting, seeds: Seeds) -> dict[str, Any]:
    """Add noise to numbers of a shape; return the error of what is released and reconstructed."""
    rows: int = setting["rows"]
    originals = numbers(setting["shape"], rows, seeds.generator("numbers"))
    if setting["kind"] == "uniform":
        noise = Noise.uniform("x", low=-1, high=1, alpha=0.5)
    else:
        noise = Noise.gaussian("x", low=-1, high=1, sigma=0.25)
    words = seeds.generator("noise").integers(0, 2**32, rows, dtype=np.uint32)
    noisy = noise.released(noise.draw(noise.codes(originals), words))
    edges = np.linspace(-1, 1, CELLS + 1)
    truth = np.histogram(originals, edges)[0] / rows
    seen = np.histogram(noisy, edges)[0] / rows
    shapes: dict[str, Any] = {"original": truth.tolist(), "randomized": seen.tolist()}
    errors = {"randomized": float(np.abs(seen - truth).sum())}
    for way, options in WAYS.items():
        shares = reconstruct(noisy, noise, intervals=CELLS, **options).shares  # type: ignore[arg-type]
        shapes[way] = shares.tolist()
        errors[way] = float(np.abs(shares - truth).sum())
    return shapes | {"errors": errors}


def learning(setting: Setting, seeds: Seeds) -> dict[str, float]:
    """Add noise to a table, learn by one method, return the accuracy on plain records."""
    rows: int = setting["rows"]
    train, test = parts(setting["table"], rows, max(1_000, rows // 20), seeds)
    schema = datasets.schema(setting["table"])
    if setting["method"] == "original":
        return _plain(train, test, schema.target, max(10, rows // 10_000))
    if setting["method"] == CLASSES:
        return _classes(train, test, schema, setting["level"], NOISY_SHARE * rows)
    noise = AdditiveNoise(setting["kind"], level=setting["level"])
    if setting["method"] == TOLD:
        release = noise.disguise(train, schema, seed=seeds("words"), shuffle=False)
        given = told(train, release.to_frame(), schema.target)
        return _plain(given, test, schema.target, NOISY_SHARE * rows)
    release = noise.disguise(train, schema, seed=seeds("words"))
    return {"accuracy": TreeClassifier(method=setting["method"]).fit(release).score(test)}


def _plain(train: pa.Table, test: pa.Table, target: str, leaf: float) -> dict[str, float]:
    """Return the accuracy of a tree from a plain table, with leaves of so many records at least."""
    model = TreeClassifier(min_samples_leaf=leaf)
    model.fit(train.drop_columns(target), train[target].to_pylist())
    return {"accuracy": model.score(test.drop_columns(target), test[target].to_pylist())}


def _classes(
    train: pa.Table, test: pa.Table, schema: Schema, level: float, leaf: float
) -> dict[str, float]:
    """Release numbers as value classes of a privacy level; return a tree's accuracy."""
    treatments: dict[str, Treatment] = {}
    for attribute in schema:
        treatments[attribute.name] = Exact()
        if not attribute.is_categorical:
            try:
                ValueClass(level=level).released(attribute)
                treatments[attribute.name] = ValueClass(level=level)
            except PlanError:  # a single class says nothing
                treatments[attribute.name] = Withheld()
    if all(isinstance(treatments[attribute.name], Withheld) for attribute in schema.inputs):
        labels = test[schema.target].to_pylist()
        return {"accuracy": max(labels.count(label) for label in set(labels)) / len(labels)}
    release = Plan(treatments).disguise(train, schema)
    model = TreeClassifier(min_samples_leaf=leaf).fit(release)
    return {"accuracy": model.score(test)}


def told(originals: pa.Table, noisy: pa.Table, target: str) -> pa.Table:
    """Return what by-class would reconstruct if it knew how each class is spread.

    Of every class the originals of an attribute are given out in the order of its noisy values.

    >>> import pyarrow as pa
    >>> originals = pa.table({"x": [1, 2, 3], "y": ["a", "a", "b"]})
    >>> told(originals, pa.table({"x": [5.0, 4.0, 0.0]}), "y")["x"].to_pylist()
    [2, 1, 3]
    """
    label = originals[target].to_numpy()
    columns = {target: originals[target]}
    for name in originals.column_names:
        if name != target:
            true, seen = originals[name].to_numpy(), noisy[name].to_numpy()
            given = true.copy()
            for code in np.unique(label):
                rows = np.flatnonzero(label == code)
                given[rows[np.argsort(seen[rows], kind="stable")]] = np.sort(true[rows])
            columns[name] = given
    return pa.table(columns).select(originals.column_names)


# The paper


@experiment("as", title="Privacy-preserving data mining: Agrawal & Srikant")
def agrawal_srikant(lab: Lab) -> Findings:
    """Reconstruct shapes, and learn trees at every level of privacy."""
    runs = lab.times(5, 1)
    rows = 10_000 if lab.quick else 100_000
    tables = TABLES[:2] if lab.quick else TABLES
    levels = (0.25, 1.0) if lab.quick else LEVELS
    shapes = lab.run(shaping, grid(rows=[rows], shape=SHAPES, kind=KINDS), runs=runs)
    alike = ("method", "kind", "level")
    plain = lab.run(
        learning, grid(table=tables, rows=[rows], method=["original"]), runs=runs, alike=alike
    )
    asked = grid(table=tables, rows=[rows], method=METHODS, kind=KINDS, level=(0.25, 1.0))
    asked += grid(table=tables, rows=[rows], method=[TOLD], kind=KINDS, level=(1.0,))
    learned = lab.run(learning, asked, runs=runs, alike=alike)
    others = [level for level in levels if level not in (0.25, 1.0)]
    asked = grid(table=tables, rows=[rows], method=SWEPT, kind=KINDS, level=others)
    swept = [row for row in learned if row["method"] in SWEPT]
    swept += lab.run(learning, asked, runs=runs, alike=alike) if others else []
    asked = grid(table=tables, rows=[rows], method=[CLASSES], level=levels)
    classed = lab.run(learning, asked, runs=runs, alike=alike)
    drawn = [
        shapes_of(shapes),
        accuracies(learned, plain, tables, 0.25),
        accuracies(learned, plain, tables, 1.0),
        sweep(swept, plain, tables, levels),
        value_classes(classed, swept, tables, levels),
    ]
    compared, facts = verdicts(shapes, learned, plain, tables)
    return Findings(drawn, compared, facts | {"runs": runs, "rows": rows})
