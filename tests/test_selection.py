"""Cross-validation and grid search on releases, and what scikit-learn's users expect of trees."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

import privet as pv
from privet import datasets
from privet.errors import InputError, PrivetWarning, ReleaseError

SCHEMA = datasets.schema("as-f1")


def released(rows: int = 4000, gamma: float = 50.0) -> pv.Release:
    table = datasets.load("as-f1", rows=rows, seed=1)
    return pv.RandomSubstitution(gamma=gamma).disguise(table, SCHEMA, seed=2)


def test_every_record_is_in_one_fold() -> None:
    release = released(50)
    pairs = list(release.folds(4, seed=1))
    assert [test.rows for _, test in pairs] == [13, 13, 12, 12]
    assert all(train.rows + test.rows == 50 for train, test in pairs)
    columns = [test.parts[0].table.collect(100).columns["age"] for _, test in pairs]
    whole = release.parts[0].table.collect(100).columns["age"]
    assert sorted(np.concatenate(columns)) == sorted(whole)


@pytest.mark.parametrize("number", [1, 51])
def test_folds_that_cannot_be(number: int) -> None:
    with pytest.raises(ReleaseError, match="at least 2, and no more"):
        next(released(50).folds(number))


def test_the_validated_accuracy_is_that_of_a_fresh_table() -> None:
    release = released(6000)
    model = pv.TreeClassifier(max_depth=2)
    found = pv.cross_validate(model, release, folds=3, random_state=1)
    assert len(found.folds) == 3
    assert not hasattr(model, "tree_")
    truth = model.fit(release).score(datasets.load("as-f1", rows=20_000, seed=9))
    assert abs(found.value - truth) < 5 * found.error + 0.03
    assert "3 folds" in str(found)


def test_the_best_setting_is_fitted_on_all() -> None:
    found = pv.grid_search(
        pv.TreeClassifier(), released(), {"max_depth": [1, 2]}, folds=3, random_state=1
    )
    assert found.best_params == {"max_depth": 2}
    assert found.best_estimator.tree_.counts.sum(1)[0] == pytest.approx(4000)
    values = [validation.value for _, validation in found.validations]
    assert values == sorted(values, reverse=True)


def test_an_empty_grid() -> None:
    with pytest.raises(InputError, match="no setting"):
        pv.grid_search(pv.TreeClassifier(), released(50), {"max_depth": []})


def test_a_pipeline_is_refused_before_it_is_fitted() -> None:
    pipe = Pipeline([("tree", pv.TreeClassifier())])
    with pytest.raises(InputError, match="last step"):
        pv.cross_validate(pipe, released(50))
    with pytest.raises(InputError, match="last step"):
        pv.grid_search(pipe, released(50), {"tree__max_depth": [1, 2]})
    with pytest.raises(InputError, match="NaiveBayesClassifier"):
        pv.cross_validate(pv.NaiveBayesClassifier(), released(50))


def test_a_validation_that_tells_nothing_says_so_once() -> None:
    table, schema = datasets.load("as-f2", rows=3_000, seed=1), datasets.schema("as-f2")
    release = pv.RandomSubstitution(gamma=3).disguise(table, schema, seed=2)
    forest = pv.ForestClassifier(method="naive")
    with pytest.warns(PrivetWarning, match="cannot tell") as said:
        found = pv.cross_validate(forest, release, folds=2, random_state=1)
    assert len(said) == 1
    assert 0 <= float(str(found).split(" %")[0]) <= 100


def test_decision_paths_are_those_of_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    ours, theirs = pv.TreeClassifier(max_depth=2).fit(X, y), DecisionTreeClassifier(max_depth=2)
    paths, peer = ours.decision_path(X), theirs.fit(X, y).decision_path(X)
    assert paths.shape == (len(X), ours.tree_.nodes)
    np.testing.assert_array_equal(paths.sum(1), peer.sum(1))
    np.testing.assert_array_equal(sorted(paths.sum(0).A1), sorted(peer.sum(0).A1))
    assert ours.get_depth() == theirs.get_depth()
    assert ours.get_n_leaves() == theirs.get_n_leaves()


def test_decision_paths_of_a_forest_begin_where_their_trees_do() -> None:
    X, y = load_iris(return_X_y=True)
    forest = pv.ForestClassifier(n_estimators=3, goodness=0.5).fit(X, y)
    paths, starts = forest.decision_path(X)
    assert paths.shape == (len(X), starts[-1])
    assert (paths[:, starts[:-1]].toarray() == 1).all()
    assert [model.tree_ for model in forest.estimators_] == list(forest.trees_)


def test_balanced_classes_count_alike() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] + rng.normal(size=2000) > 2.2).astype(int)
    plain = pv.TreeClassifier(max_depth=3).fit(X, y)
    balanced = pv.TreeClassifier(max_depth=3, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.tree_.shares[0], [0.5, 0.5], atol=1e-6)
    assert balanced.predict(X).sum() > plain.predict(X).sum()
    weights = {0: 1.0, 1: 7.0}
    weighed = pv.TreeClassifier(max_depth=3, class_weight=weights).fit(X, y)
    by_hand = pv.TreeClassifier(max_depth=3).fit(X, y, sample_weight=np.where(y, 7.0, 1.0))
    assert weighed.tree_.same_as(by_hand.tree_)
    with pytest.raises(InputError, match="class_weight"):
        pv.TreeClassifier(class_weight="balanced").fit(released(50))
