"""ForestClassifier as scikit-learn knows classifiers, on plain records and on releases."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from privet import datasets
from privet.disguise import Exact, ForestFramework, Plan, RandomSubstitution
from privet.disguise.noised import coded
from privet.errors import InputError, MethodError, PrivetWarning
from privet.estimators import TreeClassifier
from privet.forests import ForestClassifier
from privet.frames import columns
from privet.schema import Schema
from privet.split import Policy

REPEATED = (
    "C4.5 asks for two records per leaf and prunes by their number; a weight is no record more"
)


@parametrize_with_checks(
    [ForestClassifier(n_estimators=3)],
    expected_failed_checks=lambda _: {"check_sample_weight_equivalence_on_dense_data": REPEATED},
)
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


def f2(rows: int, seed: int) -> Any:
    return datasets.load("as-f2", rows=rows, seed=seed)


def test_a_forest_of_a_release() -> None:
    table, schema = datasets.load("as-f3", rows=8_000, seed=1), datasets.schema("as-f3", bins=6)
    release = RandomSubstitution(gamma=40).disguise(table, schema, seed=2)
    forest = ForestClassifier(n_estimators=3, goodness=0.5, max_depth=3, method="joint").fit(
        release
    )
    tree = TreeClassifier(max_depth=3, method="joint").fit(release)
    assert 1 < len(forest.trees_) <= 3
    np.testing.assert_array_equal(forest.tree_.attribute, tree.tree_.attribute)
    np.testing.assert_array_equal(forest.tree_.label, tree.tree_.label)
    assert forest.score(datasets.load("as-f3", rows=5_000, seed=3)) > 0.7
    assert all(one.errors.any() for one in forest.trees_)


def test_an_accuracy_that_cannot_be_told_is_said_to_be_so() -> None:
    table, schema = datasets.load("as-f2", rows=3_000, seed=1), datasets.schema("as-f2")
    train, test = RandomSubstitution(gamma=3).disguise(table, schema, seed=2).split(0.7)
    forest = ForestClassifier(method="naive").fit(train)
    with pytest.warns(PrivetWarning, match="fewer or shallower trees, or TreeClassifier"):
        measured = forest.accuracy(test)
    assert measured.interval() == (0.0, 1.0)
    assert not 0 <= measured.value <= 1
    with pytest.warns(PrivetWarning, match="cannot tell"):
        assert 0 <= forest.score(test) <= 1
    with pytest.warns(PrivetWarning) as said:
        forest.accuracy(train)
    assert "learned from" in str(said[0].message)


def test_what_none_means() -> None:
    """C4.5 and 60 trees where records are counted, CART and 10 where counts are estimated."""
    table, schema = datasets.load("as-f2", rows=1_000, seed=1), datasets.schema("as-f2", bins=4)
    exact = Plan({}, default=Exact()).disguise(table, schema)
    disguised = RandomSubstitution(gamma=1000).disguise(table, schema, seed=2)
    for release, policy, number in ((exact, "c4.5", 60), (disguised, "cart", 10)):
        shape: dict[str, Any] = {"max_depth": 1, "separation": 0.01, "goodness": 1.0}
        method = "direct" if release is disguised else "auto"
        model = ForestClassifier(method=method, **shape).fit(release)
        given = ForestClassifier(number, method=method, policy=policy, **shape).fit(release)
        assert len(model.trees_) == len(given.trees_) == number
        for one, two in zip(model.trees_, given.trees_, strict=True):
            assert one.same_as(two)
        assert model.get_params()["policy"] is model.get_params()["n_estimators"] is None


def test_a_release_without_a_disguise_gives_the_plain_forest() -> None:
    table, schema = datasets.load("weather"), datasets.schema("weather")
    release = Plan({}, default=Exact()).disguise(table, schema)
    plain = ForestClassifier(n_estimators=5, method="naive").fit(release)
    assert len(plain.trees_) > 1
    for method in ("auto", "direct"):
        forest = ForestClassifier(n_estimators=5, method=method).fit(release)
        for one, two in zip(forest.trees_, plain.trees_, strict=True):
            assert one.same_as(two)


def test_votes_add_up() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    for voting in ("credal", "majority"):
        model = ForestClassifier(n_estimators=5, goodness=0.5, voting=voting).fit(X, y)
        shares = model.predict_proba(X)
        np.testing.assert_allclose(shares.sum(1), 1.0)
        assert model.apply(X).shape == (300, len(model.trees_))
        assert model.score(X, y) > 0.7
    labels = np.stack([tree.label[tree.apply(X)] for tree in model.trees_])
    counted = np.stack([(labels == label).mean(0) for label in range(3)], axis=1)
    np.testing.assert_allclose(shares, counted)


@pytest.mark.parametrize(
    "wrong", [{"n_estimators": 0}, {"n_estimators": 2.5}, {"goodness": -1}, {"separation": 2}]
)
def test_parameters_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        ForestClassifier(**wrong).fit([[0], [1]], [0, 1])


def test_unknown_voting() -> None:
    with pytest.raises(MethodError, match="credal, majority"):
        ForestClassifier(voting="loud").fit([[0], [1]], [0, 1])


def test_a_policy_of_ones_own() -> None:
    """C4.5's least gain ratio and confidence are set by a Policy, here and for a single tree."""
    X, y = load_wine(return_X_y=True)
    noisy = np.where(np.random.default_rng(1).random(len(y)) < 0.2, 0, y)
    own = Policy.named("c4.5").but(confidence=0.01)
    for kind in (TreeClassifier, ForestClassifier):
        usual, hard = kind(policy="c4.5").fit(X, noisy), kind(policy=own).fit(X, noisy)
        assert hard.tree_.nodes < usual.tree_.nodes
        deep = clone(hard).set_params(max_depth=1).fit(X, noisy)
        assert deep.tree_.depth == 1
        assert deep.policy == own
    blind = Policy.named("c4.5").but(min_gain_ratio=0.99)
    assert TreeClassifier(policy=blind).fit(X, noisy).tree_.nodes == 1


def test_a_framework_keeps_the_rules_of_the_learner_it_was_given() -> None:
    records = {"x": np.arange(200.0), "y": ["a", "b"] * 40 + ["b"] * 120}
    schema = Schema.infer(records, target="y")
    table = coded(columns(records), schema)
    for blind, nodes in ((ForestFramework(min_gain_ratio=0.9), 1), (ForestFramework(), 3)):
        (tree, *_) = blind.rules.grown(table, schema)
        assert tree.nodes == nodes
