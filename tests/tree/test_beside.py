"""Two trees side by side: the regions where predictions differ are just those where they do."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from privet.coding import Coding
from privet.estimators import TreeClassifier
from privet.tree import Tree
from privet.tree.beside import _Range, _Region, beside
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


def halves(cut: float, around: tuple[float, float], labels: tuple[int, int]) -> Tree:
    """A test of one number: fifty records on either side."""
    X = np.repeat([5000, 7000, 7147, 9000], 25)[:, None]
    tree = TreeClassifier().fit(X, X[:, 0] > 7000).tree_
    nan = np.full((2, 2), np.nan)
    return replace(
        tree,
        threshold=np.array([cut, np.nan, np.nan]),
        around=np.vstack([around, nan]),
        label=np.array([0, *labels]),
    )


def test_of_two_borders_at_one_place_the_first_is_printed() -> None:
    first = halves(7073.5, (7000, 7147), (0, 1))
    second = halves(7073.5, (7073, 7074), (1, 0))
    assert "x0 <= 7074:" in str(first)
    assert "x0 <= 7073.5:" in str(second)
    seen = beside(first, second)
    assert {one.where for one in seen.differences} == {"x0 is at most 7074", "x0 is over 7074"}
    seen = beside(second, first)
    assert {one.where for one in seen.differences} == {"x0 is at most 7073.5", "x0 is over 7073.5"}


def test_the_narrower_of_two_borders_is_said() -> None:
    first, second = halves(10, (9, 11), (0, 1)), halves(20, (19, 21), (1, 0))
    wheres = {one.where for one in beside(first, second).differences}
    assert wheres == {"x0 is at most 10", "x0 is over 20"}
    wheres = {one.where for one in beside(second, first).differences}
    assert wheres == {"x0 is at most 10", "x0 is over 20"}


def test_a_leaf_differs_in_as_many_records_as_its_regions_hold_and_no_more() -> None:
    X = np.arange(100.0)[:, None]
    stairs = TreeClassifier().fit(X, np.searchsorted([29.5, 59.5], X[:, 0]) == 1).tree_
    leaf = stairs.take([0])
    leaf = replace(leaf, label=np.array([0]))
    seen = beside(leaf, stairs)
    (only,) = seen.differences
    assert (only.where, only.first, only.second) == (
        "x0 is over 29.5 and at most 59.5",
        "False",
        "True",
    )
    assert seen.most == only.most == 30
    assert seen.rows == 100
    both = beside(replace(leaf, label=np.array([1])), stairs)
    assert [one.most for one in both.differences] == [40, 30]  # the largest first
    assert both.most == 70
    few = beside(replace(leaf, label=np.array([1]), counts=leaf.counts / 2), stairs)
    assert [one.most for one in few.differences] == [40, 30]
    assert few.most == few.rows == 50  # there are no more
    none = beside(replace(leaf, counts=leaf.counts * 0, label=np.array([1])), stairs)
    assert none.differences == ()


def test_leaves_alone_differ_everywhere() -> None:
    leaf = halves(10, (9, 11), (0, 1)).take([0])
    (only,) = beside(leaf, replace(leaf, label=np.array([1]))).differences
    assert (only.where, only.most) == ("everywhere", 100)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        (_Range(), "everywhere"),
        (_Range(missing=False), "x is not missing"),
        (_Range(low=1, over="1"), "x is over 1"),
        (_Range(high=1, at_most="1"), "x is at most 1"),
        (_Range(1, 2, over="1", at_most="2"), "x is over 1 and at most 2"),
        (_Range(1.25, 1.5, over="1", at_most="1"), "x is over 1.25 and at most 1.5"),
        (_Range(2, 2, over="2", at_most="2"), "x is missing"),
        (_Range(3, 2, over="3", at_most="2"), "x is missing"),
        (_Range(low=math.inf), "x is missing"),
    ],
)
def test_ranges_in_words(numbers: _Range, said: str) -> None:
    assert _Region(ranges={"x": numbers}).text({}) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "a"),
        (2, "a or b"),
        (6, "a or b or c or d or e or f"),
        (7, "a or b or c or d or e or f or 1 more"),
        (9, "a or b or c or d or e or f or 3 more"),
    ],
)
def test_categories_in_words(number: int, said: str) -> None:
    names = list("abcdefghij")
    codings = {"k": Coding.categories("k", names)}
    assert _Region({"k": frozenset(names[:number])}).text(codings) == f"k is {said}"
    assert _Region({"k": frozenset(names)}).text(codings) == "everywhere"


def test_what_is_missing_goes_right_and_stays_there() -> None:
    """Right of one border and left of a lower one is nobody; missing values go right twice."""
    tree, other = halves(10, (9, 11), (0, 1)), halves(20, (19, 21), (0, 1))
    left, right = (_Region().step(tree, kid) for kid in (1, 2))
    assert left is not None
    assert right is not None
    assert not left.ranges["x0"].missing
    assert right.ranges["x0"].missing
    assert left.step(other, 2) is None  # at most 10 and over 20
    assert left.step(tree, 2) is None
    further = right.step(other, 2)
    assert further is not None
    assert further.ranges["x0"] == _Range(20, math.inf, True, "20", "")
    between = right.step(other, 1)
    assert between is not None
    assert between.ranges["x0"] == _Range(10, 20, False, "10", "20")
