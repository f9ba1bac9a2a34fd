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


def measured(*counts: tuple[float, float], error: float, needed: float = 0.0) -> Tree:
    """Two leaves of these counts, below a root of all records; each share has this error."""
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    tree = TreeClassifier().fit(X, y).tree_
    held = np.array([np.sum(counts, axis=0), *counts])
    errors, asked = np.array([0.0, error, error]), np.array([0.0, needed, needed])
    return replace(tree, counts=held, share_errors=errors, needed=asked)


Z = 1.959963984540054
HALF = "about 120 records like these would tell half of that, 99,000 all."


@pytest.mark.parametrize(
    ("share", "error", "records"),
    [
        (0.7, 0.15, np.ceil(400 * (Z * 0.15 / 0.2) ** 2)),  # ahead by .4, half of which is .2
        (0.7, 0.1, 0.0),  # .196 of it
        (0.7, 0.11, np.ceil(400 * (Z * 0.11 / 0.2) ** 2)),
        (0.7, 0.0, 0.0),
        (0.7, np.nan, 0.0),
        (0.5, 0.1, np.nan),  # no lead: no number of records would show one
        (0.3, 0.1, np.nan),
    ],
)
def test_records_that_would_tell_which_class_leads(
    share: float, error: float, records: float
) -> None:
    """A leaf of 100 records in 400, whose label is the first class."""
    tree = measured((100 * share, 100 - 100 * share), (10.0, 290.0), error=error)
    assert tree.label.tolist()[1:] == [0, 1]
    found = needs(tree)
    assert found[0] == 0.0
    assert found[1] == pytest.approx(records, nan_ok=True)
    assert found[2] == 0.0 or error == 0.15 or np.isnan(records)
    assert needs(measured((70.0, 30.0), (10.0, 90.0), error=0.4, needed=7.0)).tolist() == [0, 7, 7]
    gone = measured((0.0, 0.0), (10.0, 90.0), error=0.1)
    assert needs(gone).tolist() == [0.0] * 3  # of nothing nobody asks


def test_a_lead_of_just_its_interval_is_known() -> None:
    """Two of three records are ahead by a third; half of that is the interval here, to the bit."""
    error = 0.08503557615410899
    assert Z * error == (2 / 3 - 1 / 3) / 2
    assert needs(measured((2.0, 1.0), (0.0, 9.0), error=error)).tolist() == [0.0] * 3
    more = np.nextafter(error, 1.0)
    assert needs(measured((2.0, 1.0), (0.0, 9.0), error=more)).tolist() == [0.0, 13.0, 0.0]


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        ([0.0, 0.0, 0.0, 0.0, 0.0], ""),
        (
            [0.0, 0.0, 0.0, 0.0, 99.0],
            "which class leads at one leaf; about 99 records like these would tell.",
        ),
        (
            [0.0, 0.0, 0.0, 0.0, 1.0],
            "which class leads at one leaf; about 1 records like these would tell.",
        ),
        (
            [0.0, 0.0, 5.0, 5.0, 5.0],
            "which class leads at 2 leaves; about 5 records like these would tell.",
        ),
        (
            [0.0, 7.0, 123.0, 98_765.0, 0.0],
            f"which class leads at 2 leaves; {HALF}",
        ),
        ([0.0, np.nan, 0.0, 0.0, np.nan], "which class leads at 2 leaves."),
    ],
)
def test_untold_in_words(needed: list[float], said: str) -> None:
    tree = replace(two_tests(), needed=np.array(needed))
    assert tree.leaves.tolist() in ([1, 3, 4], [2, 3, 4])
    if tree.leaves[0] == 2:
        tree = replace(tree, needed=np.array(needed)[[0, 2, 1, 3, 4]])
    text = untold(tree)
    assert text == (said and f"Not known from this release: {said}")
    assert untold(replace(tree.take([0]), needed=np.array([9.0]))) == ""  # nothing was asked


def test_sizes_that_are_not_known_are_said() -> None:
    tree = two_tests()
    sizes = np.where(np.isin(np.arange(5), [3, 4]), np.nan, 0.0)
    text = untold(replace(tree, size_errors=sizes))
    assert text == "Not known from this release: the sizes of 2 of 5 nodes (≈)."
    needed = np.array([0.0, 0.0, 0.0, 1234.0, 55.0])
    leaf = int(tree.leaves[0])
    needed[leaf] = 10.0
    text = untold(replace(tree, size_errors=sizes, needed=needed))
    assert text.startswith(
        "Not known from this release: the sizes of 2 of 5 nodes (≈) and which class leads at one "
    )
    assert text.endswith("about 55 records like these would tell half of that, 1,200 all.")
