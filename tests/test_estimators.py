"""The scikit-learn face: whole `check_estimator`, parameters, releases, clear errors."""

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from privet import datasets
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution, Withheld
from privet.errors import DataError, InputError, MethodError, PrivetError, TreeError
from privet.estimators import TreeClassifier
from privet.schema import Attribute, Schema
from tests.mixed import ROWS, SCHEMA, SECRET, exact, labelled, mixed

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
    model = TreeClassifier(policy="id3", max_depth=3, min_impurity_decrease=0.01)
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
        ({"min_impurity_decrease": "a"}, "min_impurity_decrease must be a number"),
    ],
)
def test_parameters_that_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, MethodError), match=message):
        TreeClassifier(**params).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises((InputError, MethodError), match=message):
        TreeClassifier(**params).fit(exact())


def test_a_share_of_the_records_is_what_scikit_learn_takes_it_for() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(310, 3))
    y = (X @ [1.0, 2.0, -1.0] + rng.normal(size=310) > 0).astype(int)
    several: list[dict[str, Any]] = [{"min_samples_leaf": 0.05}, {"min_samples_split": 0.35}]
    for limits in several:
        ours = TreeClassifier(**limits).fit(X, y)
        theirs = DecisionTreeClassifier(random_state=1, **limits).fit(X, y)
        assert ours.get_n_leaves() == theirs.get_n_leaves() > 2
    half = TreeClassifier(min_samples_leaf=1.5).fit(X, y)  # counts are real numbers
    assert half.tree_.counts[half.tree_.leaves].sum(1).min() == 2


@pytest.mark.parametrize("method", ["joint", "direct", "naive"])
def test_a_share_of_a_release(method: str) -> None:
    table, schema = datasets.load("as-f1", rows=6_000, seed=1), datasets.schema("as-f1", bins=10)
    release = RandomSubstitution(gamma=50).disguise(table, schema, seed=2)
    free, held = (
        TreeClassifier("cart", method, 4, min_samples_leaf=leaf).fit(release).tree_
        for leaf in (0.01, 0.4)
    )
    assert len(free.leaves) > len(held.leaves)
    assert held.counts[held.leaves].sum(1).min() > 0.3 * release.rows  # measured anew


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
    model = TreeClassifier("cart").fit(exact())
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
    disguise = RandomSubstitution(gamma=12, target=target, wave=0)
    model = TreeClassifier(max_depth=3).fit(disguise.disguise(labelled(20_000, 1), SCHEMA, seed=1))
    assert model.method_ == "joint"
    test = labelled(20_000, 2)
    found = model.accuracy(disguise.disguise(test, SCHEMA, seed=2))
    assert found.error > 0
    assert found.value == model.score(disguise.disguise(test, SCHEMA, seed=2))
    # Of a cell that a threshold cuts only plain records tell on which side they lie.
    assert abs(found.value - model.score(test)) < 5 * found.error + found.cut
    low, high = found.interval()
    assert low <= model.score(test) <= high
    assert high <= 1
    assert found.value - low == pytest.approx(1.96 * found.error + found.cut, rel=1e-3)


def test_direct_comes_near_the_plain_tree() -> None:
    release = RandomSubstitution(gamma=5, kind="gamma-diagonal").disguise(
        labelled(30_000, 3), SCHEMA, seed=3
    )
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
            model = TreeClassifier("cart", method=method).fit(release)
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
    assert 0 <= TreeClassifier().fit(coarse).score(fine) <= 1.2  # cells may be others
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
