"""How many errors a split has to save: halves of the records judge each other's trees."""

from functools import cache

import numpy as np
import pytest

import privet as pv
from privet import datasets
from privet.estimate.base import Evidence
from privet.estimate.crossed import _errors, errors_by_cost
from privet.estimate.fitted import FittedEvidence
from privet.estimate.methods import evidence_of
from privet.grow.grower import grown
from privet.split import POLICIES
from privet.tree import Tree
from privet.tree.prune import cut, worth_their_cost

ROWS = 20_000
POLICY = POLICIES["cart"].but(min_samples_leaf=20)


def tree_of(evidence: Evidence) -> Tree:
    return grown(evidence, POLICY, "group")


@cache
def every_attribute(name: str, gamma: float) -> FittedEvidence:
    table, schema = datasets.load(name, rows=ROWS, seed=1), datasets.schema(name)
    disguise = pv.RandomSubstitution(gamma, bins=16, wave=0)
    evidence = evidence_of(disguise.disguise(table, schema, seed=2), "joint").evidence
    assert isinstance(evidence, FittedEvidence)
    return evidence


@cache
def in_one_table(name: str, gamma: float) -> FittedEvidence:
    closer = every_attribute(name, gamma).refined(tree_of)
    assert closer.whole
    return closer


def test_halves_are_all_records_and_each_about_half() -> None:
    evidence = in_one_table("as-f4", 8)
    tables = [half._joints[half.whole].observed for half in evidence.halves()]
    whole = evidence.joints([evidence.whole])[evidence.whole].observed
    np.testing.assert_array_equal(tables[0] + tables[1], whole)
    assert abs(tables[0].sum() - ROWS / 2) < 5 * np.sqrt(ROWS) / 2
    again = evidence.halves()[0]._joints[evidence.whole].observed
    np.testing.assert_array_equal(again, tables[0])


def test_errors_are_those_of_the_tree_that_is_left() -> None:
    first, second = in_one_table("as-f4", 8).halves()
    tree = tree_of(first)
    counts = np.stack([second.counts(box, second.whole) for box in tree.boxes])
    wrong = counts.sum(1) - counts[np.arange(tree.nodes), tree.label]
    for cost in (1.0, 30.0, 1000.0):
        stays = worth_their_cost(tree, cost)
        left = cut(tree, stays)
        by_leaf = [second.counts(left.boxes[leaf], second.whole) for leaf in left.leaves]
        errors = sum(
            count.sum() - count[left.label[leaf]]
            for count, leaf in zip(by_leaf, left.leaves, strict=True)
        )
        assert _errors(tree, stays, wrong) == pytest.approx(errors)


def test_what_is_known_well_costs_less() -> None:
    """The more a channel hides, the more errors a split must save to be no chance."""
    clear, hidden = in_one_table("as-f4", 100), in_one_table("as-f4", 3)
    costs = [each.priced(tree_of)._cost or 0.0 for each in (clear, hidden)]
    assert costs[0] < costs[1]


def test_slanting_borders_are_followed() -> None:
    """None of the many small splits along F4's border is sure by itself."""
    table, schema = datasets.load("as-f4", rows=30_000, seed=3), datasets.schema("as-f4")
    release = pv.RandomSubstitution(8, bins=16, wave=0).disguise(table, schema, seed=4)
    fresh = datasets.load("as-f4", rows=10_000, seed=5)
    model = pv.TreeClassifier(method="joint").fit(release)
    evidence = evidence_of(release, "joint").evidence
    sure = grown(evidence.narrowed(tree_of), POLICY, "group")
    before = pv.TreeClassifier.from_tree(sure).score(fresh)
    assert model.score(fresh) > before


def test_costs_begin_at_the_least_and_the_best_has_the_fewest_errors() -> None:
    evidence = in_one_table("as-f4", 8)
    halves = evidence.halves()
    errors = errors_by_cost(halves, tree_of, ROWS)
    assert min(errors) == 1.0
    priced = evidence.priced(tree_of)
    assert priced._cost is not None
    assert errors[priced._cost] == priced.errors == min(errors.values())
    assert ROWS / 2 < max(errors) < ROWS


def test_one_attribute_that_serves_all_is_fitted_as_far_as_halves_say() -> None:
    """Fitted as a first look is, a table of one attribute is fitted to chance."""
    evidence = every_attribute("as-f2", 3)
    assert evidence.joints([(2,)])[2,].steps is None
    whole = evidence.together([2])
    assert whole is not None
    joint = whole.joints([whole.whole])[2,]
    assert joint.steps is not None
    first, second = (half.joints([(2,)])[2,] for half in whole.halves())
    assert first.steps == second.steps == joint.steps
    np.testing.assert_allclose(first.table.sum() + second.table.sum(), ROWS)
    looked = evidence.joints([(2,)])[2,].table
    shares = [table[:, 0] / table.sum(1) for table in (looked, joint.table)]
    assert np.ptp(shares[1]) < np.ptp(shares[0])
