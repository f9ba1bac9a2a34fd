"""A vote's accuracy from disguised records: along the diagram, as by intersecting all leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import privet as pv
from privet.errors import MethodError
from privet.estimate import voted, weigher
from privet.estimate.accuracy import Accuracy, accuracy, vote_accuracy
from privet.estimate.measured import measured
from privet.estimate.voted import _EXPONENTS, BINS, _add
from privet.grow.forest import VOTES, votes
from privet.tree import diagram, graft
from privet.tree.diagram import Voters
from privet.tree.graft import grafted
from tests.strategies import seeds

PLANS = {
    "band": pv.RandomSubstitution(gamma=20, bins=6, wave=0),
    "class": pv.RandomSubstitution(gamma=20, bins=5, wave=0, target="substitution"),
    "flip": pv.RandomizedResponse([["salary", "age"], ["elevel"]], theta=0.9, rest="exact"),
    "joint": pv.Plan(
        {"elevel": pv.ValueClass(bins=2)},
        groups=[pv.JointGroup(["salary", "age"], gamma=30, bins=4)],
        default=pv.Exact(),
    ),
    "exact": pv.Plan({}, default=pv.Exact()),
}


def forest(release: pv.Release, voting: str = "credal") -> pv.ForestClassifier:
    model = pv.ForestClassifier(
        n_estimators=4, voting=voting, max_depth=3, method="direct", policy="cart"
    )
    return model.fit(release)


@pytest.mark.parametrize("voting", VOTES)
@pytest.mark.parametrize("plan", PLANS)
def test_it_is_the_estimate_of_the_intersected_leaves(plan: str, voting: str) -> None:
    rows = 800 if plan in ("joint", "exact") else 2000  # as many leaves, in a tenth of the time
    table, schema = pv.datasets.load("as-f3", rows=rows, seed=11), pv.datasets.schema("as-f3")
    release = PLANS[plan].disguise(table, schema, seed=12)
    grown, tried = release.split(0.5)
    trees = forest(grown, voting).trees_
    said = [votes(tree, voting) for tree in trees]
    one, other = vote_accuracy(trees, said, tried), accuracy(grafted(trees, said), tried)
    assert one.value == pytest.approx(other.value, abs=1e-6)
    assert one.error == pytest.approx(other.error, abs=1e-6)
    assert one.cut <= other.cut + 1e-6 or plan == "class"  # weights of classes have signs


def test_trees_that_agree_on_every_record_need_no_answers() -> None:
    table, schema = pv.datasets.load("as-f3", rows=600, seed=11), pv.datasets.schema("as-f3")
    release = PLANS["band"].disguise(table, schema, seed=12)
    trees = [replace(t, label=np.zeros_like(t.label)) for t in forest(release, "majority").trees_]
    assert max(tree.depth for tree in trees) > 0
    told = vote_accuracy(trees, [votes(tree, "majority") for tree in trees], release)
    first = table["group"].to_numpy(zero_copy_only=False) == schema.classes[0]
    assert told == pytest.approx((first.mean(), 0.0, 0.0))


@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_of_plain_records_it_is_the_share_predicted_rightly(seed: int) -> None:
    table, schema = pv.datasets.load("as-f2", rows=500, seed=seed), pv.datasets.schema("as-f2")
    exact = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    model = pv.ForestClassifier(n_estimators=12).fit(exact)
    # Values that occur, in new company: between two that do, trees may have different borders.
    rng = np.random.default_rng(seed)
    fresh = pa.table({name: rng.permutation(table[name]) for name in table.column_names})
    told = model.accuracy(pv.Plan({}, default=pv.Exact()).disguise(fresh, schema))
    assert told.value == pytest.approx(model.score(fresh), abs=1e-9)
    assert told.error == pytest.approx(0, abs=1e-6)
    assert told.cut == 0


def test_forests_whose_leaves_intersect_in_too_many_ways_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(graft, "MOST_NODES", 50)
    table, schema = pv.datasets.load("as-f2", rows=6000, seed=3), pv.datasets.schema("as-f2")
    disguise = pv.RandomSubstitution(gamma=30, kind="gamma-diagonal", bins=6)
    model = pv.ForestClassifier(method="direct", policy="cart", max_depth=4)
    model.fit(disguise.disguise(table, schema, seed=4))
    with pytest.raises(MethodError, match="estimators_"):
        grafted(model.trees_, [votes(tree, "credal") for tree in model.trees_])
    fresh = pv.datasets.load("as-f2", rows=6000, seed=5)
    told = model.accuracy(disguise.disguise(fresh, schema, seed=6))
    assert abs(told.value - model.score(fresh)) < 5.5 * told.error + told.cut
    assert told.error < 0.05


def test_a_cut_cell_can_go_as_each_of_its_pieces() -> None:
    table, schema = pv.datasets.load("as-f2", rows=2000, seed=5), pv.datasets.schema("as-f2")
    release = pv.RandomSubstitution(gamma=50, kind="gamma-diagonal", bins=6, wave=0)
    plain = pv.ForestClassifier(n_estimators=3, max_depth=3).fit(
        pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    )
    told = plain.accuracy(release.disguise(table, schema, seed=6))
    assert told.cut > 0
    low, high = told.interval(5.5)
    assert low <= plain.score(table) <= high


def test_too_many_steps_leave_it_to_the_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.RandomSubstitution(gamma=50).disguise(table, schema, seed=1)
    model = pv.ForestClassifier(n_estimators=2, method="naive").fit(release)
    before = model.accuracy(release)
    monkeypatch.setattr(diagram, "MOST_STEPS", 0)
    after = model.accuracy(release)
    assert after.value == pytest.approx(before.value, abs=1e-6)


def test_whole_cells_leave_one_class_at_each_end() -> None:
    table, schema = pv.datasets.load("as-f3", rows=800, seed=21), pv.datasets.schema("as-f3")
    exact = PLANS["exact"].disguise(table, schema)
    model = pv.ForestClassifier(n_estimators=5, max_depth=3).fit(exact)
    said = [votes(tree, "credal") for tree in model.trees_]
    voters = Voters(model.trees_, said)
    begin = np.ones((1, voters.leaves), np.bool_)
    drawn = voters.follow(begin, [[place] for place in voters.tested], whole=True)
    assert drawn.ends.sum(1).tolist() == [1] * len(drawn.ends)
    assert all(level.goes.max(initial=-1) < below for level, below in _sizes(drawn))


def _sizes(drawn: diagram.Diagram) -> list[tuple[diagram.Level, int]]:
    below = [len(level.goes) for level in drawn.levels[1:]] + [0]
    return list(zip(drawn.levels, below, strict=True))


@given(seed=seeds)
def test_sums_of_all_sizes_are_exact_in_any_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=200) * 10.0 ** rng.integers(-8, 12, 200)
    sums = np.zeros((2, BINS), np.int64)
    _add(values, sums[0])
    _add(values[::-1][:77], sums[1])
    _add(values[::-1][77:], sums[1])
    assert (sums[0] == sums[1]).all()
    total = np.ldexp(sums[0].astype(np.float64), _EXPONENTS).sum()
    assert total == pytest.approx(values.sum(), rel=1e-6, abs=1e-7 * np.abs(values).sum())


def test_no_accuracy_is_said_to_be_above_all() -> None:
    told = Accuracy(1.091, 0.161, 0.0002)
    assert told.words() == "100.0 ± 16.1 % (95 % interval 77.5 to 100.0 %)"
    assert Accuracy(-0.2, 0.5).words(2).startswith("0.00 ± 50.00 %")
    assert told.doubt() == ""
    assert "2.0 %" in Accuracy(0.9, 0.01, 0.02).doubt()


def test_numbers_of_any_size_are_added_exactly() -> None:
    """From 2⁻¹²⁹ to 2³⁸²; what is smaller or larger is taken for one of these."""
    for power in (-129, -128, -1, 0, 1, 381, 382):
        for sign in (1.0, -1.0):
            sums = np.zeros(BINS, np.int64)
            _add(np.full(3, sign * 2.0**power), sums)
            total = np.ldexp(sums.astype(np.float64), _EXPONENTS).sum()
            assert total == sign * 3 * 2.0**power
    zero = np.zeros(BINS, np.int64)
    _add(np.zeros(5), zero)
    assert not zero.any()


@pytest.mark.parametrize("plan", ["band", "joint"])
def test_pieces_make_no_difference(plan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, schema = pv.datasets.load("as-f3", rows=300, seed=11), pv.datasets.schema("as-f3")
    release = PLANS[plan].disguise(table, schema, seed=12)
    trees = forest(release).trees_
    said = [votes(tree, "credal") for tree in trees]
    whole, alone = vote_accuracy(trees, said, release), accuracy(trees[0], release)
    measured_whole = measured(trees[0], release)
    monkeypatch.setattr(voted, "BLOCK", 64)
    monkeypatch.setattr(voted, "MOST_NUMBERS", 1_000)
    monkeypatch.setattr(weigher, "BLOCK", 50)
    assert vote_accuracy(trees, said, release) == pytest.approx(whole, abs=1e-7)
    assert accuracy(trees[0], release) == alone
    again = measured(trees[0], release)
    np.testing.assert_allclose(again.errors, measured_whole.errors, rtol=1e-9)
    np.testing.assert_allclose(again.counts, measured_whole.counts, rtol=1e-9)
