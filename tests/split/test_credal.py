"""Credal trees: the upper entropy by hand, by brute force, and trees and forests that stop."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.split.criteria.credal import levelled
from privet.split.criterion import criterion


def upper(counts: Sequence[float]) -> float:
    return float(criterion("credal").impurity(np.array(counts, np.float64))) / sum(counts)


def entropy(shares: list[float]) -> float:
    return -sum(p * math.log2(p) for p in shares if p > 0)


def test_upper_entropies_by_hand() -> None:
    """Abellán & Moral's rule: the one record more goes to the smallest counts."""
    assert upper([4, 0, 0]) == pytest.approx(entropy([0.8, 0.1, 0.1]))
    assert upper([9, 5]) == pytest.approx(entropy([9 / 15, 6 / 15]))
    assert upper([2, 3]) == pytest.approx(1)  # 3 and 3 of 6
    assert upper([4, 0]) == pytest.approx(entropy([0.8, 0.2]))
    assert upper([5, 5, 1, 1]) == pytest.approx(entropy([5 / 13, 5 / 13, 1.5 / 13, 1.5 / 13]))


def test_the_weather_by_hand() -> None:
    """Imprecise gains: Outlook .0504; Humidity 7 of 14 each side; a pure leaf of four is unsure."""
    gain = upper([9, 5]) - (5 * upper([2, 3]) + 4 * upper([4, 0]) + 5 * upper([3, 2])) / 14
    assert gain == pytest.approx(0.97095 - (10 + 4 * 0.72193) / 14, abs=1e-4)
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    tree = pv.TreeClassifier(policy="credal").fit(release).tree_
    gains = {}
    for name in ("Outlook", "Humidity", "Wind"):
        sides: dict[str, list[int]] = {}
        for day in table.to_pylist():
            sides.setdefault(day[name], [0, 0])[day["Play"] == "No"] += 1
        gains[name] = upper([9, 5]) - sum(sum(s) * upper([*s]) for s in sides.values()) / 14
    assert gains["Outlook"] == pytest.approx(gain)
    best = max(gains, key=lambda name: gains[name])
    assert tree.codings[tree.attribute[0]].name == best
    assert tree.gain[0] == pytest.approx(gains[best])
    full = pv.TreeClassifier(policy="id3").fit(release).tree_
    assert tree.nodes <= full.nodes


@given(st.integers(0, 30), st.integers(0, 30))
def test_two_classes_by_brute_force(first: int, second: int) -> None:
    rows = first + second
    if not rows:
        return
    shares = np.linspace(first / (rows + 1), (first + 1) / (rows + 1), 2001)
    best = max(entropy([p, 1 - p]) for p in shares.tolist())
    assert upper([first, second]) == pytest.approx(best, abs=1e-6)


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3), st.integers(0, 2**32 - 1))
def test_no_other_shares_of_the_set_have_more_entropy(counts: list[int], seed: int) -> None:
    if not sum(counts):
        return
    held = np.array(counts, np.float64)
    assert levelled(held).sum() == pytest.approx(sum(counts) + 1)
    assert (levelled(held) >= held).all()
    given_away = np.random.default_rng(seed).dirichlet(np.ones(3), 200)
    tried = (held + given_away) / (sum(counts) + 1)
    assert upper(counts) >= max(entropy(row) for row in tried.tolist()) - 1e-9


def test_two_records_of_two_classes_are_not_split() -> None:
    """A leaf of one record is as unsure as two records of different classes: no gain."""
    assert [upper([1, 1]), upper([1, 0])] == pytest.approx([1, 1])
    X, y = np.array([["a"], ["b"]]), np.array([0, 1])
    assert pv.TreeClassifier(policy="credal").fit(X, y).get_n_leaves() == 1
    assert pv.TreeClassifier(policy="id3").fit(X, y).get_n_leaves() == 2


def test_random_classes_are_split_less() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 3, (300, 6)).astype(str), rng.integers(0, 2, 300)
    full = pv.TreeClassifier(policy="id3").fit(X, y)
    credal = pv.TreeClassifier(policy="credal").fit(X, y)
    assert credal.get_n_leaves() < 0.9 * full.get_n_leaves()


def test_a_credal_forest_has_a_tree_for_each_root() -> None:
    table, schema = pv.datasets.load("as-f3", rows=4_000, seed=1), pv.datasets.schema("as-f3")
    release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    model = pv.ForestClassifier(
        n_estimators=3, policy="credal", goodness=1.0, separation=1.0, max_depth=5
    ).fit(release)
    roots = [tree.codings[tree.attribute[0]].name for tree in model.trees_]
    assert len(set(roots)) == len(roots) == 3
    assert model.score(pv.datasets.load("as-f3", rows=2_000, seed=2)) > 0.9


def test_noise_that_keeps_the_rules_of_credal_trees() -> None:
    table, schema = pv.datasets.load("as-f1", rows=600, seed=1), pv.datasets.schema("as-f1")
    release = pv.ForestFramework(forest="credal").disguise(table, schema, seed=1)
    assert release.rows == 600
    with pytest.raises(pv.PlanError, match="'sysfor' or 'credal'"):
        pv.ForestFramework(forest="random").disguise(table, schema)


def test_it_learns_from_disguised_records_too() -> None:
    table, schema = pv.datasets.load("as-f1", rows=20_000, seed=1), pv.datasets.schema("as-f1")
    test = pv.datasets.load("as-f1", rows=2_000, seed=2)
    for method in ("auto", "direct", "global"):
        release = pv.RandomSubstitution(gamma=20).disguise(table, schema, seed=1)
        model = pv.TreeClassifier(policy="credal", method=method, max_depth=3).fit(release)
        assert model.score(test) > 0.9
