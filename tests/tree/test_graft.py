"""One tree in the place of several: it says what they say together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import privet as pv
from privet.errors import MethodError, PrivetWarning
from privet.grow.forest import VOTES, votes
from privet.tree import diagram, graft
from privet.tree.graft import grafted
from tests.strategies import seeds


def forest(release: pv.Release, voting: str = "credal") -> pv.ForestClassifier:
    return pv.ForestClassifier(n_estimators=4, voting=voting, max_depth=4).fit(release)


def whole(model: pv.ForestClassifier) -> pv.TreeClassifier:
    said = [votes(tree, model.voting) for tree in model.trees_]
    return pv.TreeClassifier.from_tree(grafted(model.trees_, said))


@pytest.mark.parametrize("voting", VOTES)
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_the_grafted_tree_predicts_what_the_forest_does(voting: str, seed: int) -> None:
    table, schema = pv.datasets.load("as-f3", rows=600, seed=seed), pv.datasets.schema("as-f3")
    model = forest(pv.Plan({}, default=pv.Exact()).disguise(table, schema), voting)
    # Values that occur, in new company: between two that do, trees may have different borders.
    rng = np.random.default_rng(seed)
    fresh = {name: rng.permutation(table[name].to_numpy()) for name in table.column_names}
    assert (whole(model).predict(fresh) == model.predict(fresh)).all()


def test_thresholds_inside_cells_are_kept_apart() -> None:
    table, schema = pv.datasets.load("as-f2", rows=4000, seed=5), pv.datasets.schema("as-f2")
    substitution = pv.RandomSubstitution(gamma=50, kind="gamma-diagonal", bins=6)
    model = forest(substitution.disguise(table, schema, seed=6))
    assert (whole(model).predict(table) == model.predict(table)).all()


def test_a_forests_accuracy_from_a_release_is_its_own() -> None:
    table, schema = pv.datasets.load("as-f2", rows=3000, seed=7), pv.datasets.schema("as-f2")
    exact = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    model = forest(exact)
    estimated = model.accuracy(exact)
    assert estimated.value == pytest.approx(model.score(table), abs=1e-12)
    assert estimated.error == 0
    flipped = pv.RandomizedResponse(theta=0.95).disguise(table, schema, seed=8)
    voting = forest(flipped)
    with pytest.warns(PrivetWarning, match="learned from"):
        estimated = voting.accuracy(flipped)
    off = abs(estimated.value - voting.score(table))
    assert off < 5.5 * estimated.error + 0.02  # grown on the same records


def test_too_many_cases_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graft, "MOST_NODES", 3)
    monkeypatch.setattr(diagram, "MOST_STEPS", 3)
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.RandomSubstitution(gamma=50).disguise(table, schema, seed=1)
    exact = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    model = forest(exact)
    with pytest.raises(MethodError, match="fewer or smaller trees"):
        model.accuracy(release)
    assert np.isfinite(model.score(table))
    assert np.isfinite(model.accuracy(exact).value)  # each record has one answer to each test


def test_trees_that_agree_make_few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graft, "MOST_NODES", 10_000)  # all leaves intersected are 28,000
    table, schema = pv.datasets.load("as-f2", rows=20_000, seed=1), pv.datasets.schema("as-f2")
    fresh = pv.datasets.load("as-f2", rows=3000, seed=2)
    disguise = pv.RandomSubstitution(gamma=8)
    model = pv.ForestClassifier().fit(disguise.disguise(table, schema, seed=1))
    assert (whole(model).predict(fresh) == model.predict(fresh)).all()
    estimated = model.accuracy(disguise.disguise(fresh, schema, seed=3))
    off = abs(estimated.value - model.score(fresh))
    assert off < 5.5 * estimated.error + estimated.cut


def test_cases_end_where_the_vote_is_decided() -> None:
    table, schema = pv.datasets.load("as-f2", rows=3000, seed=9), pv.datasets.schema("as-f2")
    first, *others = forest(pv.Plan({}, default=pv.Exact()).disguise(table, schema)).trees_
    trees = [first, first, first, *others[:2]]  # three of five: the others change nothing
    together = grafted(trees, [votes(tree, "majority") for tree in trees])
    assert len(together.leaves) <= len(first.leaves)
    alone, all_five = map(pv.TreeClassifier.from_tree, (first, together))
    assert (alone.predict(table) == all_five.predict(table)).all()


def test_noise_is_refused_before_trees_are_grafted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graft, "MOST_NODES", 3)
    monkeypatch.setattr(diagram, "MOST_STEPS", 3)
    table, schema = pv.datasets.load("as-f2", rows=2000, seed=3), pv.datasets.schema("as-f2")
    noisy = pv.AdditiveNoise(level=0.25, categorical="exact").disguise(table, schema, seed=4)
    with pytest.raises(MethodError, match="noise cannot be inverted"):
        forest(noisy).accuracy(noisy)
