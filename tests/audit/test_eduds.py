"""EDUDS: eq. 1-3 by hand, and what counts."""

import numpy as np
import pytest

from privet.audit.eduds import domain_similarity, eduds
from privet.disguise import ForestFramework, RandomNoise
from privet.errors import InputError, PlanError
from privet.schema import Attribute, Schema
from tests.disguise.noisy_people import SCHEMA, people
from tests.tree.test_domains import chain

HAND = Schema(
    [
        *(Attribute.numeric(name, low=0, high=10) for name in "ABD"),
        Attribute.categorical("town", ["x", "y"]),
        Attribute.categorical("class", ["c1", "c2"]),
    ],
    target="class",
)
RECORD = np.array([[8.0, 7.0, 7.0, 1.0]])


def test_numbers_by_hand() -> None:
    """(7, 10] against (5, 10] of 0..10 differ by 0.2; B is tested by one only: (6, 10] is 0.6."""
    one, two = [chain((0, 7))], [chain((0, 5))]
    assert domain_similarity(one, two, RECORD, HAND) == pytest.approx(0.8)
    two = [chain((0, 5), (1, 6))]
    assert domain_similarity(one, two, RECORD, HAND) == pytest.approx(1 - (0.2 + 0.6) / 2)


def test_numbers_by_their_segment() -> None:
    """(7, 10] against (5, 10] differ by 2 of the 3 that the original segment has."""
    one, two = [chain((0, 7))], [chain((0, 5))]
    assert domain_similarity(one, two, RECORD, HAND, "segment") == pytest.approx(1 - 2 / 3)
    assert domain_similarity(two, one, RECORD, HAND, "segment") == pytest.approx(1 - 2 / 5)
    with pytest.raises(InputError, match="domain must be one of 'range', 'segment'"):
        eduds(people(), people(), SCHEMA, domain="whole")


def test_categories_by_hand() -> None:
    """Tested by both is no difference, by one a whole one, by neither does not count."""
    town, plain = [chain((0, 7), (3, None))], [chain((0, 7))]
    assert domain_similarity(town, town, RECORD, HAND) == 1.0
    assert domain_similarity(town, plain, RECORD, HAND) == pytest.approx(0.5)
    assert domain_similarity(plain, town, RECORD, HAND) == pytest.approx(0.5)


def test_trees_without_tests_are_the_same() -> None:
    leaf = [chain()]
    assert domain_similarity(leaf, leaf, RECORD, HAND) == 1.0


def test_records_are_averaged() -> None:
    """A record at 6 is in (5, 10] of one tree and in [0, 7] of the other: apart by 0.5 and 0.3."""
    records = np.array([[8.0, 7, 7, 1], [6, 7, 7, 1]])
    found = domain_similarity([chain((0, 7))], [chain((0, 5))], records, HAND)
    assert found == pytest.approx(((1 - 0.2) + (1 - 0.8)) / 2)


def test_a_forest_is_compared_as_a_whole() -> None:
    one, two = [chain((0, 7)), chain((1, 2))], [chain((1, 2)), chain((0, 7))]
    assert domain_similarity(one, two, RECORD, HAND) == 1.0


def test_keeping_rules_scores_better_than_not() -> None:
    records = people(1500)
    kept = ForestFramework(min_leaf=50).disguise(records, SCHEMA, seed=1)
    lost = RandomNoise(0.5, 0.5).disguise(records, SCHEMA, seed=1)
    assert eduds(records, records, SCHEMA, min_leaf=50) == 1.0
    assert eduds(records, kept, SCHEMA, min_leaf=50) > eduds(records, lost, SCHEMA, min_leaf=50)


def test_settings_are_checked() -> None:
    with pytest.raises(PlanError, match="eduds: n_trees"):
        eduds(people(), people(), SCHEMA, n_trees=0)
