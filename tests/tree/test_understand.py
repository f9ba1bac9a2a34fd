"""Importances, paths and comparisons of trees."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from privet.estimators import TreeClassifier
from privet.tree import Tree
from privet.tree.understand import compare, importances, needs, steps, untold


def two_tests() -> Tree:
    """Attribute a decides for half of the records, b for the others; c says nothing."""
    a = np.repeat([0.0, 0.0, 1.0, 1.0], 10)
    b = np.repeat([0.0, 1.0, 0.0, 1.0], 10)
    c = np.tile([0.0, 1.0], 20)
    y = np.where(a == 0, 0, b).astype(int)
    return TreeClassifier().fit(np.stack([a, b, c], axis=1), y).tree_


def test_importances_are_shares_of_the_gain() -> None:
    tree = two_tests()
    found = importances(tree)
    assert sum(one.value for one in found) == pytest.approx(1)
    assert {one.name: one.value for one in found}["x2"] == 0
    # Gini: 40 · .375 = 15 at first, of which 5 by the first test and 10 by the second.
    assert sorted(one.value for one in found) == pytest.approx([0, 1 / 3, 2 / 3])
    assert all(one.error == 0 for one in found)


def test_importances_have_errors_where_they_were_measured() -> None:
    tree = two_tests()
    held = np.array([[0.75, 0.1], [0.25, 0.1], [0.0, 0.0]])
    found = importances(replace(tree, weight=held))
    assert [(one.value, one.error) for one in found] == [tuple(pair) for pair in held.tolist()]
    unknown = replace(tree, errors=np.full(tree.errors.shape, np.nan))
    assert all(np.isnan(one.error) for one in importances(unknown))


def test_what_a_release_could_not_tell() -> None:
    tree = two_tests()
    assert untold(tree) == ""
    leaf = int(tree.leaves[-1])
    sizes, needed = tree.size_errors.copy(), np.zeros(tree.nodes)
    sizes[leaf], needed[leaf] = np.nan, 123_456.0
    text = untold(replace(tree, size_errors=sizes, needed=needed))
    assert text.startswith(f"Not known from this release: the sizes of 1 of {tree.nodes} nodes")
    assert text.endswith("about 120,000 records like these would tell.")
    unsure = np.where(np.arange(tree.nodes) == leaf, 0.4, 0.0)  # of a share of 1
    quiet = replace(tree, needed=np.zeros(tree.nodes), share_errors=unsure)
    assert needs(quiet)[leaf] == np.ceil(40 * (1.959963984540054 * 0.4 / 0.5) ** 2)
    assert "which class leads at one leaf" in untold(quiet)


def test_a_single_leaf_matters_nothing() -> None:
    leaf = TreeClassifier().fit([[0.0]] * 3, [0, 0, 1]).tree_
    assert [one.value for one in importances(leaf)] == [0.0]


def test_the_path_of_a_record() -> None:
    tree = two_tests()
    path = steps(tree, np.array([1.0, 1.0, 0.0]))
    assert [one.condition for one in path] in (
        ["", "x0 > 0.5", "x1 > 0.5"],
        ["", "x1 > 0.5", "x0 > 0.5"],
    )
    assert path[0].counts.sum() == 40
    assert path[-1].counts.tolist() == [0, 10]
    assert path[-1].label == 1
    assert path[0].z == np.inf


def test_comparison() -> None:
    tree = two_tests()
    assert {one.kind for one in compare(tree, tree)} == {"same"}
    assert len(compare(tree, tree)) == tree.nodes
    moved = replace(tree, threshold=np.where(tree.child >= 0, tree.threshold + 0.1, np.nan))
    kinds = [one.kind for one in compare(tree, moved)]
    assert kinds.count("moved") == 2
    assert kinds.count("same") == 3
    assert "0.5 became" in compare(tree, moved)[0].text
    other = replace(tree, attribute=np.where(tree.child >= 0, 2, -1))
    (change,) = compare(tree, other)
    assert change.kind == "different"
    turned = compare(tree, replace(tree, label=1 - tree.label))
    assert [one.kind for one in turned].count("label") == 3


def test_other_categories_together_are_a_move() -> None:
    X = pa.table({"a": ["p", "q", "r"] * 4})
    one = TreeClassifier().fit(X, ["u", "v", "v"] * 4).tree_
    two = TreeClassifier().fit(X, ["u", "u", "v"] * 4).tree_
    assert compare(one, two)[0].kind == "moved"
    multiway = TreeClassifier(policy="id3").fit(X, ["u", "v", "v"] * 4).tree_
    assert compare(one, multiway)[0].kind == "different"


def test_the_estimator_tells_importances_and_paths() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5)
    model = TreeClassifier().fit(X, X[:, 1].astype(int))
    assert model.feature_importances_.tolist() == [0.0, 1.0]
    (path,) = model.explain(X[:1])
    assert [one.label for one in path] == [model.tree_.classes[0]] * len(path)
    assert len(path) == 2
