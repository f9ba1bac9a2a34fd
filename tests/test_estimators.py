"""The scikit-learn face: whole `check_estimator`, frames of any kind, releases, clear errors."""

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from privet import datasets
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution, Withheld
from privet.errors import DataError, InputError, MethodError, PrivetError, TreeError
from privet.estimators import TreeClassifier
from privet.release import Release
from privet.schema import Attribute, Schema
from tests.strategies import seeds

ROWS = 240
Frame = Any


def mixed(rows: int = ROWS, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Numbers and categories that say a good deal about the class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows).astype(np.float64),
            "sky": rng.choice(["sunny", "rain", "overcast"], rows),
            "wet": rng.choice([True, False], rows),
            "size": rng.uniform(0, 1, rows).round(3),
        }
    )
    noise = rng.random(rows) < 0.1
    old = (frame["age"] > 45) ^ (frame["sky"] == "rain") ^ noise
    return frame, np.where(old, "yes", np.where(frame["size"] > 0.8, "so", "no"))


SCHEMA = Schema(
    [
        Attribute.numeric("age", low=18, high=80, bins=6),
        Attribute.categorical("sky", ["overcast", "rain", "sunny"]),
        Attribute.categorical("wet", [False, True]),
        Attribute.numeric("size", low=0, high=1, bins=4),
        Attribute.categorical("answer", ["no", "so", "yes"]),
    ],
    target="answer",
)


def labelled(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    frame, y = mixed(rows, seed)
    return frame.assign(answer=y)


@cache
def exact() -> Release:
    return Plan({}, default=Exact()).disguise(labelled(), SCHEMA, seed=1)


# scikit-learn's own checks


@pytest.mark.parametrize("policy", ["cart", "id3"])
def test_scikit_learn_has_no_complaint(policy: str) -> None:
    results = check_estimator(TreeClassifier(policy=policy), on_fail="raise", on_skip=None)
    assert len(results) > 50
    statuses = {result["status"] for result in results}
    assert statuses <= {"passed", "skipped"}
    skipped = [result["check_name"] for result in results if result["status"] == "skipped"]
    assert skipped in ([], ["check_array_api_input"])


def test_tags_say_what_is_true() -> None:
    tags = TreeClassifier().__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert tags.classifier_tags.multi_class
    assert not tags.classifier_tags.multi_label
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert not tags.input_tags.allow_nan
    assert not tags.input_tags.sparse
    assert tags.target_tags.required
    assert not tags.non_deterministic


def test_in_a_pipeline_and_a_grid() -> None:
    X, y = load_iris(return_X_y=True)
    line = make_pipeline(StandardScaler(), TreeClassifier())
    grid = GridSearchCV(line, {"treeclassifier__max_depth": [1, 3]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"treeclassifier__max_depth": 3}
    assert cross_val_score(TreeClassifier(), X, y, cv=5).mean() > 0.9
    frame, y = mixed()
    assert cross_val_score(TreeClassifier(min_samples_leaf=5), frame, y, cv=3).mean() > 0.6


def test_clone_and_pickle() -> None:
    frame, y = mixed()
    model = TreeClassifier(policy="id3", max_depth=3, min_gain=0.01)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    model.fit(frame, y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert again.tree_.same_as(model.tree_)
    assert not hasattr(copy, "tree_")


def test_the_constructor_stores_and_fit_checks() -> None:
    model = TreeClassifier(policy="nonsense", method=3, max_depth="deep")  # type: ignore[arg-type]
    assert model.get_params()["max_depth"] == "deep"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"policy": "c5"}, "no policy 'c5'; there are 'cart', 'id3'"),
        ({"policy": ["cart"]}, "no policy"),
        ({"method": "magic"}, "no method .magic.; there are auto, naive"),
        ({"method": ["auto"]}, "no method"),
        ({"max_depth": 0}, "max_depth must be a whole number of at least 1"),
        ({"max_depth": 2.5}, "max_depth must be a whole number"),
        ({"max_depth": "a"}, "max_depth must be a whole number"),
        ({"min_samples_leaf": -1}, "min_samples_leaf must be a number of at least 0"),
        ({"min_samples_split": float("nan")}, "min_samples_split must be"),
        ({"min_gain": "a"}, "min_gain must be a number"),
    ],
)
def test_parameters_that_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, MethodError), match=message):
        TreeClassifier(**params).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises((InputError, MethodError), match=message):
        TreeClassifier(**params).fit(exact())


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
@given(seeds, st.sampled_from(["cart", "id3"]), st.booleans())
def test_a_weight_is_a_repetition(seed: int, policy: str, halves: bool) -> None:
    frame, y = mixed(40, seed)
    weight = np.random.default_rng(seed).integers(0, 4, 40)
    weight[:3] = 1
    y[:3] = ["no", "so", "yes"]
    repeated = frame.loc[frame.index.repeat(weight)]
    model = TreeClassifier(policy=policy, min_samples_leaf=1)
    again = clone(model).fit(repeated, np.repeat(y, weight))
    if halves:
        model.set_params(min_samples_leaf=0.5, min_samples_split=1.0)
    model.fit(frame, y, sample_weight=weight / 2 if halves else weight)
    assert model.tree_.same_as(again.tree_)
    np.testing.assert_allclose(model.tree_.counts * (2 if halves else 1), again.tree_.counts)


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
    np.testing.assert_array_equal(heavy.tree_.counts, 3 * plain.tree_.counts)


# Bad input

SECRET = "secret-4711"  # noqa: S105 - no password, but what no error may show

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
    "dates": (
        pd.DataFrame({"x": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
        ["a", "b"],
        "neither text nor numbers",
    ),
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


# Releases


def test_a_release_needs_no_classes_beside_it() -> None:
    for y, weight in (([1], None), (None, [1.0])):
        with pytest.raises(InputError, match="give no y"):
            TreeClassifier().fit(exact(), y, weight)
        model = TreeClassifier().fit(exact())
        with pytest.raises(InputError, match="give no y"):
            model.score(exact(), y, weight)


def test_names_and_classes_come_from_the_card() -> None:
    model = TreeClassifier().fit(exact())
    np.testing.assert_array_equal(model.classes_, ["no", "so", "yes"])
    np.testing.assert_array_equal(model.feature_names_in_, ["age", "sky", "wet", "size"])
    assert model.n_features_in_ == 4
    assert model.tree_.target == "answer"
    assert model.method_ == "naive"
    assert "no correction" in model.reason_
    reordered = Schema(
        [*SCHEMA.inputs, Attribute.categorical("answer", ["yes", "so", "no"])], target="answer"
    )
    other = TreeClassifier().fit(Plan({}, default=Exact()).disguise(labelled(), reordered))
    np.testing.assert_array_equal(other.classes_, ["yes", "so", "no"])
    np.testing.assert_array_equal(other.predict(labelled()), model.predict(labelled()))


def test_columns_are_found_by_name() -> None:
    model = TreeClassifier().fit(exact())
    table = labelled()
    expected = model.predict(table)
    mixed_up = table[["size", "answer", "sky", "wet", "age"]].assign(extra=1)
    np.testing.assert_array_equal(model.predict(mixed_up), expected)
    np.testing.assert_array_equal(model.predict(pl.from_pandas(mixed_up)), expected)
    array = table[["age", "sky", "wet", "size"]].to_numpy(dtype=object)
    with pytest.warns(UserWarning, match="valid feature names"):
        np.testing.assert_array_equal(model.predict(array), expected)
    with pytest.raises(DataError, match="no column 'age'"):
        model.predict(table.drop(columns="age"))


def test_the_class_may_be_among_the_columns() -> None:
    model = TreeClassifier().fit(exact())
    table = labelled()
    assert model.score(table) == model.score(table, table["answer"]) == 1.0
    with pytest.raises(DataError, match="no column 'answer'"):
        model.score(table.drop(columns="answer"))
    with pytest.raises(DataError, match="'answer' has a value outside") as caught:
        model.score(table.assign(answer=SECRET))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("method", ["auto", "naive", "direct"])
@pytest.mark.parametrize("policy", ["cart", "id3"])
def test_an_exact_release_is_a_plain_table(method: str, policy: str) -> None:
    """Numbers are coded as in `fit(X, y)`: the same tree, node for node."""
    frame, y = mixed()
    plain = TreeClassifier(policy=policy, max_depth=6).fit(frame, y)
    model = TreeClassifier(policy=policy, method=method, max_depth=6).fit(exact())
    np.testing.assert_array_equal(model.predict(frame), plain.predict(frame))
    assert model.tree_.same_as(plain.tree_)
    assert model.score(exact()) == pytest.approx(plain.score(frame, y))
    assert model.accuracy(exact()).error == 0.0


def test_a_score_from_a_release_obeys_the_trees_thresholds() -> None:
    """Numbers between the cells of training records: predict and score agree on them."""
    schema = Schema(
        [
            Attribute.numeric("z", low=0, high=1),
            Attribute.numeric("x", low=0, high=20),
            Attribute.categorical("y", ["a", "b", "c"]),
        ],
        target="y",
    )
    plan = Plan({}, default=Exact())
    # Where z is 0 only 1 and 10 occur: the cut is at 5.5, but the cells of 2 and 10 part at 6.
    train = {
        "z": np.array([0.0] * 6 + [1.0] * 5),
        "x": np.array([1.0] * 3 + [10.0] * 3 + [2.0] * 5),
        "y": list("aaabbbccccc"),
    }
    model = TreeClassifier().fit(plan.disguise(train, schema))
    assert 5.5 in model.tree_.threshold
    test = {"z": np.zeros(4), "x": np.array([5.4, 5.6, 5.8, 6.1]), "y": list("abbb")}
    assert model.score(test) == 1.0
    assert model.score(plan.disguise(test, schema)) == 1.0


@pytest.mark.parametrize("target", [None, "substitution"])
def test_a_score_from_a_disguised_release(target: str | None) -> None:
    """The estimate is within its own error of the accuracy on the originals."""
    disguise = RandomSubstitution(gamma=12, target=target)
    model = TreeClassifier(max_depth=3).fit(disguise.disguise(labelled(20_000, 1), SCHEMA, seed=1))
    assert model.method_ == "joint"
    test = labelled(20_000, 2)
    found = model.accuracy(disguise.disguise(test, SCHEMA, seed=2))
    assert found.error > 0
    assert found.value == model.score(disguise.disguise(test, SCHEMA, seed=2))
    # Plain records fall into the same cells, so the tree says the same of both.
    assert abs(found.value - model.score(test)) < 5 * found.error
    low, high = found.interval()
    assert high - low == pytest.approx(2 * 1.96 * found.error, rel=1e-3)


def test_direct_comes_near_the_plain_tree() -> None:
    release = RandomSubstitution(gamma=5).disguise(labelled(30_000, 3), SCHEMA, seed=3)
    test = labelled(5000, 4)
    direct = TreeClassifier(method="direct", max_depth=4).fit(release).score(test)
    plain = TreeClassifier(max_depth=4).fit(
        Plan({}, default=Exact()).disguise(labelled(30_000, 3), SCHEMA)
    )
    assert direct > plain.score(test) - 0.1


def test_missing_values_as_a_category() -> None:
    schema = Schema(
        [
            Attribute.numeric("n", low=0, high=10, bins=3, missing="category"),
            Attribute.categorical("t", ["a", "b"], missing="category"),
            Attribute.categorical("y", ["no", "yes"]),
        ],
        target="y",
    )
    table = {
        "n": np.array([1.0, np.nan, 3.0, np.nan, 5.0, 9.0, 2.0, 2.0]),
        "t": ["a", "b", None, "a", "a", "b", None, "b"],
        "y": ["no", "yes", "yes", "yes", "no", "no", "yes", "no"],
    }
    for plan in (
        Plan({}, default=Exact()),
        Plan({"n": Substitution(1e9)}, default=Exact()),
        Plan({}, default=Substitution(1e9)),
    ):
        for method in ("naive", "direct"):
            release = plan.disguise(table, schema, seed=1)
            model = TreeClassifier(method=method).fit(release)
            assert model.score(table) == 1.0
            assert model.score(release) == pytest.approx(1.0, abs=1e-6)


def test_withheld_attributes_are_not_asked_for() -> None:
    release = Plan({"age": Withheld()}, default=Exact()).disguise(labelled(), SCHEMA)
    model = TreeClassifier().fit(release)
    assert model.n_features_in_ == 3
    assert len(model.predict(labelled().drop(columns="age"))) == ROWS


def test_trees_and_releases_that_do_not_belong_together() -> None:
    model = TreeClassifier(max_depth=2).fit(exact())
    other = Schema(
        [*SCHEMA.inputs, Attribute.categorical("other", ["no", "so", "yes"])], target="other"
    )
    release = Plan({}, default=Exact()).disguise(
        labelled().rename(columns={"answer": "other"}), other
    )
    with pytest.raises(TreeError, match="class is not the tree's"):
        model.score(release)
    coarse = RandomSubstitution(gamma=4, bins=3).disguise(labelled(), SCHEMA)
    fine = RandomSubstitution(gamma=4, bins=5).disguise(labelled(), SCHEMA)
    with pytest.raises(TreeError, match="codes 'age' otherwise"):
        TreeClassifier().fit(coarse).score(fine)
    short = Plan({"age": Withheld()}, default=Exact()).disguise(labelled(), SCHEMA)
    with pytest.raises(TreeError, match="'age', which is not in the release"):
        model.score(short)


def test_a_class_of_one_value() -> None:
    schema = Schema([SCHEMA["age"], Attribute.categorical("y", ["a"])], target="y")
    release = Plan({}, default=Exact()).disguise({"age": [20.0, 30.0], "y": ["a", "a"]}, schema)
    with pytest.raises(DataError, match="single value"):
        TreeClassifier().fit(release)


def test_every_error_of_ours_is_one_of_privets() -> None:
    with pytest.raises(PrivetError):
        TreeClassifier().fit(exact(), [1])
    assert issubclass(PrivetError, Exception)
    assert issubclass(InputError, ValueError)


def test_the_weather_by_id3() -> None:
    table, schema = datasets.load("weather"), datasets.schema("weather")
    for method in ("naive", "direct"):
        release = Plan({}, default=Exact()).disguise(table, schema)
        model = TreeClassifier(policy="id3", method=method).fit(release)
        names = [coding.name for coding in model.tree_.codings]
        tested = [names[place] for place in model.tree_.attribute if place >= 0]
        assert tested == ["Outlook", "Humidity", "Wind"]
        assert model.score(table) == 1.0
