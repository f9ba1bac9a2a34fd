"""One tree in the place of several: it says what they say together."""

from __future__ import annotations

from itertools import pairwise, product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

import privet as pv
from privet.errors import MethodError, PrivetWarning
from privet.grow.forest import VOTES, votes
from privet.tree import Tree, diagram, graft
from privet.tree.diagram import Voters
from privet.tree.graft import _Voters, grafted
from tests.strategies import seeds
from tests.tree.test_diagram import CODINGS, CUTS, elected, random_tree, tree_of


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


def records() -> list[tuple[tuple[str, float], ...]]:
    """A value of every piece that thresholds may cut out of the cells, missing ones, categories."""
    ends = sorted({0.0, *CUTS, 1.0, 2.0, 3.0, 4.0})
    pieces = [("value", (low + high) / 2) for low, high in pairwise(ends)]
    numbers = [piece for piece in pieces if piece[1] < 3]
    return list(product([*pieces, ("code", 4)], numbers, [("code", code) for code in range(3)]))


def reached(tree: Tree, every: list[tuple[tuple[str, float], ...]]) -> np.ndarray:
    given = [[np.nan if one == ("code", 4) else one[1] for one in record] for record in every]
    return tree.apply(np.array(given, np.float64))


@pytest.mark.parametrize("marks", [10**8, 0])
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_small_trees_elect_together_what_each_record_gets(marks: int, seed: int) -> None:
    """Votes are few whole numbers, so that there are many ties; with marks of leaves or not."""
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, int(rng.integers(0, 4))) for _ in range(int(rng.integers(1, 4)))]
    given = [rng.integers(0, 3, (tree.nodes, 3)).astype(np.float64) for tree in trees]
    with patch.object(graft, "MOST_MARKS", marks):
        together = grafted(trees, given)
    every = records()
    leaves = reached(together, every)
    expected = [elected(Voters(trees, given), record) for record in every]
    assert together.label[leaves].tolist() == expected
    # A node's votes are those of the leaves below it.
    for node in range(together.nodes):
        kids = list(together.children(node))
        assert all(together.parent[kid] == node for kid in kids)
        if kids:
            np.testing.assert_allclose(together.counts[node], together.counts[kids].sum(0))
    assert together.parent[0] == -1
    tests = together.child >= 0
    assert (together.attribute[~tests] == -1).all()
    assert (together.child[~tests] == -1).all()
    assert np.isnan(together.z[tests]).all()
    assert not together.z[~tests].any()
    assert not together.gain.any()
    assert np.isnan(together.errors).all()
    if not marks:  # every case has the votes of its own leaves
        pairs = list(zip(trees, given, strict=True))
        for record, leaf in zip(every[:40], leaves[:40].tolist(), strict=True):
            alone = [votes[reached(tree, [record])[0]] for tree, votes in pairs]
            np.testing.assert_allclose(together.counts[leaf], np.sum(alone, axis=0))


def test_a_vote_that_is_decided_asks_no_further() -> None:
    """The first tree's lead of 0.4 or 0.2 is one that 0.3 of the second can turn, or not."""
    trees = [tree_of((0, 2, 1)), tree_of((0, 0, 2.0))]
    first = np.array([[0.0, 0, 0], [0.4, 0, 0], [0, 0.2, 0]])
    second = np.array([[0.0, 0, 0], [0, 0.1, 0], [0.3, 0, 0]])
    together = grafted(trees, [first, second])
    # Where k is not b, nothing that the second says matters; where it is, its test decides.
    assert together.nodes == 5
    assert together.attribute.tolist() == [2, -1, 0, -1, -1]
    assert together.label[together.leaves].tolist() == [0, 1, 0]
    assert together.counts[2].tolist() == pytest.approx([0.3, 0.5, 0.0])
    even = grafted(trees, [first, second / 3 * 2])  # 0.2 makes a tie, which the first class wins
    assert even.label[even.leaves].tolist() == [0, 1, 0]
    less = grafted(trees, [first, second / 2])
    assert less.nodes == 3
    assert less.label[less.leaves].tolist() == [0, 1]


def test_as_many_nodes_as_are_allowed_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [tree_of((0, 2, 1)), tree_of((0, 0, 2.0))]
    said = [np.eye(3)[[0, 0, 1]], np.eye(3)[[0, 0, 1]]]
    nodes = grafted(trees, said).nodes
    assert nodes == 7  # two leaves of each: a tie is not decided
    monkeypatch.setattr(graft, "MOST_NODES", nodes)
    assert grafted(trees, said).nodes == nodes
    monkeypatch.setattr(graft, "MOST_NODES", nodes - 1)
    with pytest.raises(MethodError, match="fewer or smaller trees"):
        grafted(trees, said)


def test_leaves_are_marked_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four leaves by the codes of all attributes."""
    trees = [tree_of((0, 2, 1)), tree_of((0, 0, 2.0))]
    said = [np.zeros((3, 3)), np.zeros((3, 3))]
    codes = sum(coding.size for coding in CODINGS)
    for most, small in ((4 * codes, True), (4 * codes - 1, False)):
        monkeypatch.setattr(graft, "MOST_MARKS", most)
        assert _Voters(trees, said).is_small == small
    voters = _Voters(trees, said)
    assert voters.starts.tolist() == [0, 2]
    assert [one.tolist() for one in voters.taking[2][:2]] == [
        [True, False, True],
        [False, True, False],
    ]
    assert voters.taking[0][2].tolist() == [True, True, False, False, False]
    assert voters.taking[0][3].tolist() == [False, False, True, True, True]
    assert voters.taking[1].all()
