"""Plain records: frames of any kind, weights, and what is refused."""

import sqlite3
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from privet import datasets
from privet.bayes import NaiveBayesClassifier
from privet.disguise import RandomSubstitution
from privet.errors import DataError, InputError
from privet.estimators import TreeClassifier
from privet.forests import ForestClassifier
from privet.tree.export import sql
from tests.mixed import ROWS, SECRET, mixed
from tests.strategies import seeds

Frame = Any

# Frames


FRAMES: dict[str, Callable[[pd.DataFrame], Frame]] = {
    "polars": pl.from_pandas,
    "arrow": pa.Table.from_pandas,
    "record batch": lambda frame: pa.Table.from_pandas(frame).combine_chunks().to_batches()[0],
    "dictionary": lambda frame: {name: frame[name].to_numpy() for name in frame},
    "categories": lambda frame: frame.astype({"sky": "category"}),
    "nullable": lambda frame: frame.convert_dtypes(),
    "objects": lambda frame: frame.astype(object),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
@pytest.mark.parametrize("policy", ["cart", "id3"])
def test_every_frame_gives_the_same_tree(
    make: Callable[[pd.DataFrame], Frame], policy: str
) -> None:
    frame, y = mixed()
    model = TreeClassifier(policy=policy, max_depth=5).fit(frame, y)
    other = TreeClassifier(policy=policy, max_depth=5).fit(make(frame), y)
    assert other.tree_.same_as(model.tree_)
    assert other.n_features_in_ == 4
    np.testing.assert_array_equal(other.feature_names_in_, ["age", "sky", "wet", "size"])
    np.testing.assert_array_equal(other.predict(make(frame)), model.predict(frame))


def test_arrays_of_numbers_and_of_objects() -> None:
    frame, y = mixed()
    model = TreeClassifier(max_depth=5).fit(frame, y)
    array = frame.to_numpy(dtype=object)
    other = TreeClassifier(max_depth=5).fit(array, y)
    np.testing.assert_array_equal(other.predict(array), model.predict(frame))
    assert not hasattr(other, "feature_names_in_")
    numbers = frame[["age", "size"]]
    one = TreeClassifier().fit(numbers, y)
    for same in (numbers.to_numpy(), numbers.to_numpy().tolist(), np.asfortranarray(numbers)):
        two = TreeClassifier().fit(same, y)
        assert two.tree_.same_as(one.tree_)
        np.testing.assert_array_equal(two.predict(same), one.predict(numbers))


def test_classes_of_any_type() -> None:
    frame, y = mixed()
    codes = np.unique(y, return_inverse=True)[1]
    for labels in (y, codes, codes * 10 - 5, codes == 1, pd.Series(y), pl.Series(y).to_numpy()):
        model = TreeClassifier().fit(frame, labels)
        assert set(model.predict(frame)) <= set(np.asarray(labels).tolist())
        assert model.score(frame, labels) > 0.9
        np.testing.assert_array_equal(model.classes_, np.unique(labels))


def test_probabilities() -> None:
    frame, y = mixed()
    model = TreeClassifier(max_depth=3).fit(frame, y)
    shares = model.predict_proba(frame)
    assert shares.shape == (ROWS, 3)
    np.testing.assert_allclose(shares.sum(1), 1.0)
    np.testing.assert_array_equal(model.classes_[shares.argmax(1)], model.predict(frame))
    leaves = model.apply(frame)
    for leaf in np.unique(leaves):
        inside = y[leaves == leaf]
        expected = [(inside == label).mean() for label in model.classes_]
        np.testing.assert_allclose(model.tree_.shares[leaf], expected)


def test_small_tables_get_thresholds_midway() -> None:
    model = TreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    assert model.tree_.threshold[0] == 3.0
    assert model.tree_.around[0].tolist() == [2.0, 4.0]
    assert model.predict([[3.0], [3.1]]).tolist() == ["a", "b"]


def test_an_unseen_category_takes_the_heaviest_branch() -> None:
    frame = pd.DataFrame({"x": ["a"] * 3 + ["b"] * 5 + ["c"] * 4})
    y = ["no"] * 3 + ["yes"] * 5 + ["so"] * 4
    model = TreeClassifier(policy="id3").fit(frame, y)
    unseen = pd.DataFrame({"x": ["new", "a", None]})
    assert model.predict(unseen).tolist() == ["yes", "no", "yes"]
    shares = model.predict_proba(unseen)[0]
    np.testing.assert_array_equal(shares, [0.0, 0.0, 1.0])


# Weights


@settings(max_examples=25)
@given(seeds, st.sampled_from(["cart", "id3"]), st.sampled_from([1, 0.5, 1 / 7, 1e-9]))
def test_a_weight_is_a_repetition(seed: int, policy: str, factor: float) -> None:
    frame, y = mixed(40, seed)
    weight = np.random.default_rng(seed).integers(0, 4, 40)
    weight[:3] = 1
    y[:3] = ["no", "so", "yes"]
    repeated = frame.loc[frame.index.repeat(weight)]
    model = TreeClassifier(policy=policy, min_samples_leaf=1)
    again = clone(model).fit(repeated, np.repeat(y, weight))
    model.fit(frame, y, sample_weight=weight * factor)
    assert model.tree_.same_as(again.tree_)
    share = (weight > 0).sum() / weight.sum()
    np.testing.assert_allclose(model.tree_.counts, again.tree_.counts * share)


@settings(max_examples=20)
@given(
    seeds,
    st.sampled_from(["cart", "id3", "c4.5"]),
    st.sampled_from([1 / 2, 3.0, 2.0**-40, 1e12]),  # products are exact: so are ties of splits
    st.integers(1, 6),
)
@example(1315720845, "id3", 1 / 2, 1)  # two classes lead together, but for rounding
def test_scaling_all_weights_changes_nothing(
    seed: int, policy: str, factor: float, leaf: int
) -> None:
    frame, y = mixed(60, seed)
    weight = np.random.default_rng(seed).integers(1, 5, 60)
    for kind in (TreeClassifier, ForestClassifier):
        model = kind(policy=policy, min_samples_leaf=leaf).fit(frame, y, sample_weight=weight)
        again = clone(model).fit(frame, y, sample_weight=weight * factor)
        assert model.tree_.same_as(again.tree_)
        np.testing.assert_allclose(again.tree_.counts, model.tree_.counts)
        np.testing.assert_allclose(again.predict_proba(frame), model.predict_proba(frame))


@settings(max_examples=20)
@given(seeds, st.sampled_from(["cart", "id3", "c4.5"]), st.integers(1, 6))
def test_a_leaf_is_as_large_as_its_records_are_many(seed: int, policy: str, leaf: int) -> None:
    frame, y = mixed(60, seed)
    weight = np.random.default_rng(seed).exponential(size=60) ** 4 / 1000
    model = TreeClassifier(policy=policy, min_samples_leaf=leaf).fit(frame, y, weight)
    reached, tree = model.apply(frame), model.tree_
    for node in tree.leaves[tree.leaves > 0]:
        branches = tree.branches[tree.parent[node]]  # one branch per value may be smaller
        assert branches > 2 or (reached == node).sum() >= leaf


def test_weights_and_boosting_are_scikit_learns() -> None:
    """The same trees from the same weights; AdaBoost, whose weights sum to one, learns."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(3)
    for leaf in (1, 5):
        weight = rng.exponential(size=len(y)) / len(y)
        ours = TreeClassifier(max_depth=3, min_samples_leaf=leaf).fit(X, y, sample_weight=weight)
        theirs = DecisionTreeClassifier(max_depth=3, min_samples_leaf=leaf, random_state=1)
        theirs.fit(X, y, sample_weight=weight)
        assert ours.tree_.nodes == theirs.tree_.node_count
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98  # ties may differ
    boosted = AdaBoostClassifier(TreeClassifier(max_depth=3), n_estimators=20, random_state=1)
    assert boosted.fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, -1.0], "not negative"),
        ([1.0, np.nan], "finite"),
        ([1.0, np.inf], "finite"),
        ([0.0, 0.0], "All sample weights are zero"),
        ([1.0], "expected"),
        ([[1.0, 1.0]], "1D"),
        (["secret", "b"], "must be numbers"),
        (-3.0, "not negative"),
        (0.0, "All sample weights are zero"),
    ],
)
def test_weights_that_are_refused(weight: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        TreeClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=weight)
    assert "secret" not in str(caught.value)


def test_one_weight_for_all() -> None:
    plain = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    heavy = TreeClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=3.0)
    np.testing.assert_array_equal(heavy.tree_.counts, plain.tree_.counts)


# Bad input

BAD: dict[str, tuple[Any, Any, str]] = {
    "no classes": ([[1.0], [2.0]], None, "requires y"),
    "one class": ([[1.0], [2.0]], ["a", "a"], "one class"),
    "nan": ([[1.0], [np.nan]], ["a", "b"], "NaN"),
    "infinity": ([[1.0], [np.inf]], ["a", "b"], "inf"),
    "nan beside text": (pd.DataFrame({"x": [SECRET, "b"], "z": [1.0, np.nan]}), ["a", "b"], "'z'"),
    "missing text": (pd.DataFrame({"x": [SECRET, None]}), ["a", "b"], "'x' has a missing value"),
    "no rows": (pd.DataFrame({"x": pd.Series([], dtype=str)}), [], "0 sample"),
    "no columns": (pd.DataFrame(index=[0, 1]), ["a", "b"], "0 feature"),
    "too few classes": (pd.DataFrame({"x": [SECRET, "b"]}), ["a", "b", "c"], "inconsistent|differ"),
    "mixed types": (pd.DataFrame({"x": [SECRET, 3]}), ["a", "b"], "mixes types"),
    "mixed types in an array": (np.array([[SECRET], [3]], object), ["a", "b"], "mixes types"),
    "bytes": (np.array([[SECRET.encode()], [b"b"]]), ["a", "b"], "neither text nor numbers"),
    "bytes as objects": (np.array([[SECRET.encode()], [b"b"]], object), ["a", "b"], "neither"),
    "lists": (pd.DataFrame({"x": [[1], [2]]}), ["a", "b"], "neither text nor numbers"),
    "a column twice": (
        pd.DataFrame([[1, SECRET]] * 2, columns=["x", "x"]),
        ["a", "b"],
        "two columns",
    ),
    "continuous classes": ([[1.0], [2.0]], [0.5, 1.5], "continuous"),
    "classes that are missing": (pd.DataFrame({"x": ["a", "b"]}), [1.0, np.nan], "NaN"),
    "one dimension": (np.array([1.0, 2.0]), ["a", "b"], "2D"),
    "text": ("folder.release", None, "not a path"),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize(("X", "y", "message"), BAD.values(), ids=BAD.keys())
def test_tables_that_are_refused(X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        TreeClassifier().fit(X, y)
    assert SECRET not in str(caught.value)
    assert "4711" not in str(caught.value)


def test_predicting_what_does_not_fit() -> None:
    frame, y = mixed()
    model = TreeClassifier().fit(frame, y)
    with pytest.raises(ValueError, match="now missing"):
        model.predict(frame[["age"]])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["sky", "age", "wet", "size"]])
    with pytest.raises(DataError, match="'age' does not hold numbers") as caught:
        model.predict(frame.assign(age=SECRET))
    assert SECRET not in str(caught.value)
    with pytest.raises(DataError, match="'age' has a missing or infinite"):
        model.predict(frame.assign(age=np.nan))


def test_a_missing_number_takes_the_second_branch_of_a_learned_release() -> None:
    schema = datasets.schema("as-f1", bins=6)
    table = datasets.load("as-f1", rows=4_000, seed=1).to_pandas()
    model = TreeClassifier(max_depth=2).fit(
        RandomSubstitution(gamma=50).disguise(table, schema, seed=2)
    )
    tree, frame = model.tree_, table.drop(columns="group")
    assert tree.codings[tree.attribute[0]].name == "age"
    last = 0
    while tree.child[last] >= 0:
        last = tree.children(last)[-1]
    gone = frame.assign(age=np.nan)
    assert (model.apply(gone) == last).all()
    assert (TreeClassifier.from_tree(tree).apply(gone) == last).all()
    assert 0 <= model.score(table.assign(age=np.nan)) <= 1
    with pytest.raises(DataError, match="'age' has an infinite value"):
        model.predict(frame.assign(age=np.inf))
    # SQL of the same tree, where a missing number is NULL.
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE people AS SELECT NULL AS age")
    (said,) = base.execute(f"SELECT {sql(tree)} FROM people").fetchone()  # noqa: S608 - ours
    assert said == model.predict(gone)[0]


def test_a_missing_number_says_nothing_to_naive_bayes() -> None:
    table, schema = datasets.load("as-f1", rows=2_000, seed=1), datasets.schema("as-f1", bins=6)
    model = NaiveBayesClassifier().fit(RandomSubstitution(gamma=50).disguise(table, schema, seed=2))
    frame = table.to_pandas().drop(columns="group")
    gone = frame.assign(**dict.fromkeys(frame.columns, np.nan))
    gone = gone.assign(**{c.name: "?" for c in model.terms_.codings if not c.ordered})
    np.testing.assert_allclose(model.predict_proba(gone)[0], model.terms_.prior, atol=1e-9)


def test_messages_of_what_is_no_table() -> None:
    table, schema = datasets.load("as-f1", rows=500, seed=1), datasets.schema("as-f1", bins=4)
    model = TreeClassifier(max_depth=1).fit(
        RandomSubstitution(gamma=50).disguise(table, schema, seed=2)
    )
    frame = table.to_pandas()
    for call in (model.predict, model.predict_proba, model.score):
        with pytest.raises(InputError, match="is expected, not a path"):
            call("people.csv")
    with pytest.raises(InputError, match="A release is expected, not str"):
        model.accuracy("people.release")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"no columns 'salary', 'age'; .*learned with") as caught:
        model.predict(frame.drop(columns=["age", "salary"]))
    assert "schema" not in str(caught.value)
    with pytest.raises(DataError, match="'age' holds dates as text"):
        model.predict(frame.assign(age="2016-01-31"))
    with pytest.raises(DataError, match=r"call \.collect"):
        model.predict(pl.from_pandas(frame).lazy())
    gone = frame.assign(group=frame["group"].where(frame.index > 3))
    for refused in (model.score, lambda held: RandomSubstitution(3).disguise(held, schema)):
        with pytest.raises(DataError, match="'group' has a missing value") as caught:
            refused(gone)
        assert "missing = 'category'" not in str(caught.value)
        assert "without a class" in str(caught.value)
