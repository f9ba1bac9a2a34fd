"""What is printed of errors: nothing where there are none, nothing where nobody knows them."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.coding import Coding
from privet.disguise import (
    AdditiveNoise,
    Exact,
    ForestFramework,
    Plan,
    RandomizedResponse,
    RandomSubstitution,
    Substitution,
)
from privet.estimators import TreeClassifier
from privet.forests import ForestClassifier
from privet.schema import Attribute, Schema
from privet.tree import Tree
from privet.tree.export import rules, sql
from privet.tree.figures import border, percent
from privet.tree.understand import importances, steps
from tests.tree.test_draw import staircase

BITS = Schema(
    [Attribute.categorical(name, ["no", "yes"]) for name in ("a", "b", "ill")], target="ill"
)


def bits(rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, (2, rows))
    ill = np.where(rng.random(rows) < 0.1, 1 - a, a)
    names = np.array(["no", "yes"])
    return {"a": names[a], "b": names[b], "ill": names[ill]}


@pytest.mark.parametrize("method", ["direct", "joint"])
def test_sizes_are_known_where_only_the_class_is_disguised(method: str) -> None:
    """The attributes are plain, so every node's size is counted; its classes are estimated."""
    plan = Plan({"ill": Substitution(gamma=4)}, default=Exact())
    tree = TreeClassifier(method=method).fit(plan.disguise(bits(500), BITS, seed=1)).tree_
    assert tree.nodes > 1
    assert (tree.errors > 0).all()
    np.testing.assert_array_equal(tree.size_errors, 0.0)
    assert str(tree).startswith("ill: (500 records")


@pytest.mark.parametrize("method", ["direct", "joint"])
def test_sizes_have_errors_of_their_own(method: str) -> None:
    """Errors of the classes are not independent: the size's own is smaller than their sum here."""
    release = RandomSubstitution(gamma=8).disguise(bits(5_000), BITS, seed=1)
    tree = TreeClassifier(method=method).fit(release).tree_
    assert tree.size_errors[0] == 0
    assert (tree.size_errors[1:] > 0).all()
    assert "± " in str(tree).splitlines()[1]
    assert str(tree).startswith("ill: (5,000 records")


ESTIMATED = {
    "naive": (RandomSubstitution(gamma=8), "naive"),
    "global": (RandomSubstitution(gamma=8), "global"),
    "by-class": (RandomSubstitution(gamma=8), "by-class"),
    "local": (RandomSubstitution(gamma=8), "local"),
    "randomized response": (RandomizedResponse([["a", "b"]], theta=0.8), "auto"),
}
UNKNOWN = ESTIMATED | {"noise without a bound": (ForestFramework(), "auto")}


@pytest.mark.parametrize("case", ESTIMATED)
def test_errors_are_those_of_the_release_whatever_the_method(case: str) -> None:
    disguise, method = ESTIMATED[case]
    table = bits(2_000)
    tree = TreeClassifier(method=method).fit(disguise.disguise(table, BITS, seed=1)).tree_
    leaves = tree.apply(np.stack([table[name] == "yes" for name in "ab"], 1).astype(float))
    true = np.array([(leaves == leaf).sum() for leaf in tree.leaves])
    sizes, errors = tree.counts[tree.leaves].sum(1), tree.size_errors[tree.leaves]
    assert (errors > 0).all()
    assert (np.abs(sizes - true) < 6 * errors).all()
    assert (tree.counts >= 0).all()
    assert (tree.counts.sum(1)[1:] <= tree.counts.sum(1)[tree.parent[1:]] + 1e-6).all()
    again = Tree.from_dict(json.loads(tree.to_json()))
    assert again.to_json() == tree.to_json()
    assert str(again) == str(tree)
    assert "±" in str(tree)
    assert "nan" not in str(tree)


@pytest.mark.parametrize("case", UNKNOWN)
def test_no_error_is_printed_where_none_is_known(case: str) -> None:
    disguise, method = UNKNOWN[case]
    release = disguise.disguise(bits(2_000), BITS, seed=1)
    trees = ForestClassifier(method=method, n_estimators=2).fit(release).trees_
    if case in ESTIMATED and len(trees) == 1:
        return  # then it is measured as any tree is
    if case not in ESTIMATED:
        trees = (*trees, TreeClassifier(method=method).fit(release).tree_)
    for tree in trees:
        assert tree.nodes > 1
        assert np.isnan(tree.errors).all()
        assert np.isnan(tree.size_errors[1:]).all()
        assert tree.size_errors[0] == 0  # how many there are is known
        tests = tree.child >= 0
        assert np.isnan(tree.z[tests]).all()
        assert not tree.z[~tests].any()
        again = Tree.from_dict(json.loads(tree.to_json()))
        assert again.to_json() == tree.to_json()
        for text in (str(again), *rules(again), again._repr_html_()):
            assert "±" not in text
            assert "nan" not in text
        assert all(np.isnan(one.error) or one.value == 0 for one in importances(again))
        assert np.isnan(steps(again, np.zeros(2))[0].z)


def test_plain_records_have_no_errors() -> None:
    table, schema = datasets.load("weather"), datasets.schema("weather")
    for method in ("auto", "naive", "direct", "joint"):
        release = Plan({}, default=Exact()).disguise(table, schema)
        tree = TreeClassifier(method=method).fit(release).tree_
        assert not tree.errors.any()
        assert not tree.size_errors.any()


NUMBERS = Schema(
    [
        Attribute.numeric("age", low=17, high=90, integer=True, bins=7),
        Attribute.numeric("pay", low=25_000, high=150_000, bins=15),
        Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)
WAYS: dict[str, Any] = {
    "cells": RandomSubstitution(gamma=60),
    "noise": AdditiveNoise(alpha=9.0),
    "a band": RandomSubstitution(gamma=60, kind="band"),
    "exact": Plan({}, default=Exact()),
}


@pytest.mark.parametrize("way", WAYS)
def test_whole_numbers_have_whole_or_half_borders(way: str) -> None:
    rng = np.random.default_rng(1)
    age, pay = rng.integers(17, 91, 6_000), rng.uniform(25_000, 150_000, 6_000)
    ill = np.where((age > 43) ^ (pay > 71_234.5), "yes", "no")
    table = {"age": age, "pay": pay, "ill": ill}
    release = WAYS[way].disguise(table, NUMBERS, seed=1)
    for model in (TreeClassifier(max_depth=3), ForestClassifier(n_estimators=2, max_depth=3)):
        tree = model.fit(release).tree_
        tests = np.flatnonzero(np.isfinite(tree.threshold))
        ages = [node for node in tests if tree.codings[tree.attribute[node]].name == "age"]
        assert ages
        assert all(2 * tree.threshold[node] % 1 == 0 for node in ages)
        for node in tests.tolist():
            digits = border(tree, node)
            assert len(digits) <= (4 if node in ages else 8)
            assert digits in str(tree)
            assert digits in "".join(rules(tree))
        again = Tree.from_dict(json.loads(tree.to_json()))
        assert again.same_as(tree)
        assert model.score(table) > 0.85
        for cut in tree.threshold[tests].tolist():  # databases compare with just what predict does
            assert repr(cut) in sql(tree)


@pytest.mark.parametrize(
    ("counts", "error", "said"),
    [
        ([75.0, 25.0], 0.05, "75 ± 5 %"),
        ([0.6, 0.2], 0.05, "75 ± 5 %"),  # less than a record is measured all the same
        ([75.0, 25.0], 0.004, "75 %"),  # an error of 0.4 % is not worth a word
        ([75.0, 25.0], 0.006, "75 ± 0.6 %"),
        ([50.0, 50.0], 0.25, "≈ 90 %"),  # the interval reaches down to nothing
        ([50.0, 50.0], 0.24, "50 ± 24 %"),
        ([9.0, 0.0], 0.499, "100 ± 50 %"),
        ([0.0, 0.0], 0.05, "90 ± 5 %"),  # nobody was measured: what was learned
        ([-3.0, 1.0], 0.05, "90 ± 5 %"),
        ([75.0, 25.0], np.nan, "90 %"),
    ],
)
def test_a_share_is_that_of_the_measured_counts(
    counts: list[float], error: float, said: str
) -> None:
    """What was learned is nine tenths here."""
    tree = replace(
        staircase(2),
        counts=np.tile(counts, (3, 1)),
        chances=np.tile([0.9, 0.1], (3, 1)),
        label=np.zeros(3, np.int64),
        share_errors=np.full(3, error),
    )
    assert percent(tree, 0) == said
    assert percent(replace(tree, share_errors=None), 0) == "90 %"
    unknown = replace(tree, share_errors=None, size_errors=np.full(3, np.nan))
    assert percent(unknown, 0) == "≈ 90 %"


@pytest.mark.parametrize(
    ("threshold", "below", "above", "said"),
    [
        (20.4321, 10.6, 30.6, "20"),  # a twentieth of what lies between is worth a digit
        (11.4321, 10.6, 12.6, "11.4"),
        (11.4321, 10.6, 12.5, "11.43"),
        (10.97, 10.6, 30.6, "11"),
        (10.47, 10.4, 30.4, "10.5"),  # 10 lies outside
        (30.59, 10.6, 30.6, "30.59"),  # so do 31 and 30.6, which is no border
        (30.0, 20.0, 40.0, "30"),
        (0.5, 0.0, 1.0, "0.5"),
        (7.0, 6.99, 7.01, "7"),
        (6.996, 6.99, 7.01, "6.996"),
    ],
)
def test_a_border_has_as_many_digits_as_are_known(
    threshold: float, below: float, above: float, said: str
) -> None:
    tree = staircase(2)
    around = np.full((3, 2), np.nan)
    around[0] = below, above
    tree = replace(tree, threshold=np.array([threshold, np.nan, np.nan]), around=around)
    assert border(tree, 0) == said


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([0, 1, 2, 3], "1.23"),
        ([0, 2, 4, 7], "1.2"),
        ([0, 0.5, 3, 7], "1.23"),
        ([0, 3, 7, 7.5], "1.23"),
        ([0, 30, 60], "1"),
        ([-np.inf, 0, 2, np.inf], "1.2"),
        ([-np.inf, 0, np.inf], "1.23456789"),  # no cell has two ends
    ],
)
def test_a_border_in_a_cell_has_digits_by_the_narrowest(ends: list[float], said: str) -> None:
    tree = staircase(2)
    cells = Coding.cells(tree.codings[0].name, ends[:-1], ends[1:])
    tree = replace(tree, codings=(cells,), threshold=np.array([1.23456789, np.nan, np.nan]))
    for around in (np.full((3, 2), np.nan), np.full((3, 2), 1.23456789)):
        assert border(replace(tree, around=around), 0) == said
