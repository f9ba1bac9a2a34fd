"""Two trees side by side: the regions where predictions differ are just those where they do."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from privet.estimators import TreeClassifier
from privet.tree.beside import beside
from tests.strategies import seeds
from tests.tree.test_export import SIGNS, grown, records


def test_trees_with_different_roots_can_agree() -> None:
    a = np.repeat([0.0, 0.0, 1.0, 1.0], 10)
    b = np.tile([0.0, 1.0], 20)
    y = ((a + b) == 2).astype(int)
    frame = pa.table({"a": a, "b": b})
    first, second = (
        TreeClassifier().fit(frame.select(order), y).tree_ for order in (["a", "b"], ["b", "a"])
    )
    assert first.codings[first.attribute[0]].name != second.codings[second.attribute[0]].name
    seen = beside(first, second)
    assert seen.differences == ()
    assert seen.most == 0


@settings(max_examples=15)
@given(seeds, seeds)
def test_predictions_differ_only_inside_the_regions(one: int, other: int) -> None:
    first, second = grown(one, "cart", ["yes", "no"]), grown(other, "c4.5", ["yes", "no"])
    seen = beside(first, second)
    fresh = records(np.random.default_rng(0), 300, SIGNS)
    said = [TreeClassifier.from_tree(tree).predict(fresh) for tree in (first, second)]
    assert not (said[0] != said[1]).any() or seen.differences
    assert seen.most <= seen.rows + 1e-9
    same = beside(first, first)
    assert same.differences == ()
    assert len(same.rules) == len(first.leaves)
    assert same.only_first == same.only_second == ()


def test_the_largest_difference_comes_first() -> None:
    X = np.arange(100.0)[:, None]
    first = TreeClassifier().fit(X, X[:, 0] > 49).tree_
    second = TreeClassifier().fit(X, X[:, 0] > 59).tree_
    (only,) = beside(first, second).differences
    assert only.where == "x0 is over 49.5 and at most 59.5"
    assert (only.first, only.second) == ("True", "False")
    assert only.most == pytest.approx(50)


def test_regions_and_rules_print_a_border_alike() -> None:
    X = np.repeat([5000, 7000, 7147, 9000], 25)[:, None]
    first = TreeClassifier().fit(X, X[:, 0] > 7000).tree_
    second = TreeClassifier().fit(X, X[:, 0] > 7147).tree_
    assert first.threshold[0] == 7073.5
    (only,) = beside(first, second).differences
    assert "x0 <= 7074:" in str(first)
    assert only.where == "x0 is over 7074 and at most 8074"


def test_borders_that_print_alike_are_told_apart() -> None:
    X = np.repeat([5000, 7000, 7147, 9000], 25)[:, None]
    first = TreeClassifier().fit(X, X[:, 0] > 7000).tree_
    X = np.repeat([5000, 7001, 7147, 9000], 25)[:, None]
    second = TreeClassifier().fit(X, X[:, 0] > 7001).tree_
    assert "x0 <= 7074:" in str(first)
    assert "x0 <= 7074:" in str(second)
    (only,) = beside(first, second).differences
    assert only.where == "x0 is over 7073.5 and at most 7074"
