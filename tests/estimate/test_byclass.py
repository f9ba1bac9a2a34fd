"""Reconstructed tables by class and at every node: totals, order, and what they come to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import MethodError
from privet.estimate import methods
from privet.estimate.byclass import assign, assigned
from privet.estimate.methods import evidence_of
from privet.estimate.noisy import coded
from privet.release import Release

METHODS = ["naive", "global", "by-class", "local", "joint"]


def released(
    name: str = "as-f1", rows: int = 4_000, *, level: float = 0.5, kind: str = "uniform"
) -> Release:
    table, schema = pv.datasets.load(name, rows=rows, seed=1), pv.datasets.schema(name)
    return pv.AdditiveNoise(kind, level=level).disguise(table, schema, seed=2)


@given(st.integers(0, 2**30), st.integers(2, 6), st.integers(1, 3))
def test_records_are_given_to_cells_in_order(seed: int, cells: int, classes: int) -> None:
    """In the estimated numbers, never against the order of codes, ties by row."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 9, 60).astype(np.uint16)
    label = rng.integers(0, classes, 60).astype(np.uint8)
    joint = label.astype(int) * 9 + codes
    counts = np.bincount(joint, minlength=9 * classes).reshape(classes, 9).astype(float)
    estimates = [rng.dirichlet(np.ones(cells)) * row.sum() for row in counts]
    given_ = assign(codes, label, estimates, counts)
    for one in range(classes):
        mine = np.flatnonzero(label == one)
        order = mine[np.argsort(codes[mine], kind="stable")]
        assert (np.diff(given_[order].astype(int)) >= 0).all()
        held = np.bincount(given_[mine], minlength=cells)
        assert np.abs(held - estimates[one]).max() < 1
        assert held.sum() == len(mine)


@settings(max_examples=5, deadline=None)
@given(st.sampled_from(["uniform", "gaussian"]), st.sampled_from([0.25, 1.0]))
def test_a_reconstructed_table_keeps_every_record(kind: str, level: float) -> None:
    release = released(kind=kind, level=level)
    for by_class in (False, True):
        made = assigned(release, by_class=by_class)
        assert made.table.rows == 4_000
        for name, coding in made.codings.items():
            if coding is not None:
                assert int(made.table.columns[name].max()) < coding.size
        target = release.schema.target
        plain = release.parts[0].table.collect(4_000).columns[target]
        assert (made.table.columns[target] == plain).all()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_from_noise(method: str) -> None:
    """A quarter of the range as noise: F1 is found by all but a little."""
    table, schema = pv.datasets.load("as-f1", rows=5_000, seed=3), pv.datasets.schema("as-f1")
    keep = {"age": pv.AdditiveNoise(level=0.25), "salary": pv.AdditiveNoise(level=0.25)}
    plan = pv.Plan(keep | {"group": pv.Exact()}, default=pv.Withheld())
    release = plan.disguise(table, schema, seed=4)
    model = pv.TreeClassifier(method=method, max_depth=4).fit(release)
    assert model.method_ == method
    assert model.score(table) > (0.8 if method == "naive" else 0.85)


@pytest.mark.parametrize("method", ["by-class", "local", "global", "naive"])
def test_almost_no_noise_gives_almost_the_plain_tree(method: str) -> None:
    table, schema = pv.datasets.load("as-f1", rows=4_000, seed=5), pv.datasets.schema("as-f1")
    release = pv.AdditiveNoise("gaussian", sigma=1e-9).disguise(table, schema, seed=6)
    model = pv.TreeClassifier(method=method).fit(release)
    assert model.score(table) > 0.98


@pytest.mark.parametrize("method", ["by-class", "local"])
def test_without_a_channel_every_method_gives_the_plain_tree(method: str) -> None:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    plain = pv.TreeClassifier(method="naive").fit(release).tree_
    found = pv.TreeClassifier(method=method).fit(release).tree_
    assert found.to_dict() | {"method": ""} == plain.to_dict() | {"method": ""}


@pytest.mark.parametrize("method", ["by-class", "local"])
def test_substitution_is_reconstructed_by_class_too(method: str) -> None:
    table, schema = pv.datasets.load("as-f1", rows=10_000, seed=7), pv.datasets.schema("as-f1")
    release = pv.RandomSubstitution(gamma=12, bins=6, kind="gamma-diagonal").disguise(
        table, schema, seed=8
    )
    model = pv.TreeClassifier(method=method).fit(release)
    assert model.score(table) > 0.85


def test_by_class_needs_a_plain_class() -> None:
    table, schema = pv.datasets.load("as-f1", rows=500, seed=9), pv.datasets.schema("as-f1")
    plan = pv.Plan({"group": pv.Substitution(5)}, default=pv.AdditiveNoise(level=0.5))
    release = plan.disguise(table, schema, seed=1)
    for method in ("by-class", "local"):
        with pytest.raises(MethodError, match="class 'group' is disguised"):
            evidence_of(release, method)


def test_direct_cannot_invert_noise() -> None:
    with pytest.raises(MethodError, match="cannot be inverted"):
        evidence_of(released(rows=200), "direct")


def test_accuracy_needs_plain_records() -> None:
    release = released(rows=1_000)
    model = pv.TreeClassifier(method="by-class").fit(release)
    with pytest.raises(MethodError, match="plain records"):
        model.accuracy(release)


def test_auto_takes_by_class_beside_exact_numbers() -> None:
    table, schema = pv.datasets.load("as-f1", rows=500, seed=9), pv.datasets.schema("as-f1")
    plan = pv.Plan({"age": pv.AdditiveNoise(level=0.5)}, default=pv.Exact())
    assert evidence_of(plan.disguise(table, schema, seed=1)).method == "by-class"
    assert evidence_of(released(rows=500)).method == "joint"


def test_coded_noise_is_of_the_same_records(tmp_path: object) -> None:
    """Out of core as in memory: the intervals of noisy numbers are the same codes."""
    release = released(rows=600)
    release.write(f"{tmp_path}/noisy.release")
    again = Release.read(f"{tmp_path}/noisy.release")
    first = coded(release, 12).parts[0].table.collect(1_000).columns
    second = coded(again, 12).parts[0].table.collect(1_000).columns
    for name, column in first.items():
        assert (column == second[name]).all()
        assert column.dtype.kind == "u"


def test_value_classes_mine_as_exact_intervals() -> None:
    table, schema = pv.datasets.load("as-f1", rows=3_000, seed=2), pv.datasets.schema("as-f1")
    plan = pv.Plan({"age": pv.ValueClass(bins=6), "group": pv.Exact()}, default=pv.Withheld())
    model = pv.TreeClassifier().fit(plan.disguise(table, schema))
    assert model.score(table) == 1.0  # 20-30-…-80: F1's ages 40 and 60 are borders


@pytest.mark.parametrize("target", [pv.Exact(), pv.Substitution(5)])
@pytest.mark.parametrize("wave", [0, 0.3])
@pytest.mark.parametrize("plain", [False, True])
def test_auto_and_every_hint_lead_to_a_method_that_works(
    target: pv.Exact | pv.Substitution, wave: float, plain: bool
) -> None:
    """Attributes disguised together beside noise: neither fitted as a whole nor inverted."""
    rows, rng = 2_000, np.random.default_rng(1)
    schema = pv.Schema(
        [
            pv.Attribute.categorical("ward", ["a", "b", "c"]),
            pv.Attribute.categorical("ill", ["p", "q", "r", "s"]),
            *(pv.Attribute.numeric(name, low=0, high=100) for name in ("age", "bmi", "fee")),
            pv.Attribute.categorical("back", ["no", "yes"]),
        ],
        target="back",
    )
    table = {name: rng.uniform(0, 100, rows) for name in ("age", "bmi", "fee")}
    words = {"ward": rng.choice(list("abc"), rows), "ill": rng.choice(list("pqrs"), rows)}
    table |= words | {"back": np.where(table["age"] > 50, "yes", "no")}
    noise = pv.AdditiveNoise("gaussian", level=0.5)
    alone = {"age": pv.Substitution(8), "bmi": noise, "fee": pv.Exact() if plain else noise}
    group = pv.JointGroup(["ward", "ill"], gamma=8)
    release = pv.Plan({**alone, "back": target}, groups=[group], wave=wave).disguise(
        table, schema, seed=1
    )
    expected = "by-class" if isinstance(target, pv.Exact) else "global"
    assert evidence_of(release).method == expected
    for method in methods.METHODS:
        try:
            evidence_of(release, method)
        except MethodError as error:
            (named,) = [other for other in methods.METHODS if f"method='{other}'" in error.hint]
            evidence_of(release, named)
