"""Which of two trees is right more often: told by disguised records, with an error that covers."""

from typing import Any

import numpy as np
import pytest

from privet import datasets, mining
from privet.disguise import AdditiveNoise, Exact, Plan, RandomSubstitution, Substitution
from privet.estimate.accuracy import accuracy
from privet.estimate.contest import Lead, lead_of
from privet.estimators import TreeClassifier
from privet.schema import Attribute, Schema

ROWS = 2_000
SCHEMA = datasets.schema("as-f2", bins=6)
TABLE = datasets.load("as-f2", rows=ROWS, seed=4)
DISGUISE = RandomSubstitution(gamma=8, bins=6)


def tree(depth: int, method: str = "direct") -> Any:
    many = datasets.load("as-f2", rows=20_000, seed=1)
    release = RandomSubstitution(gamma=50, bins=6).disguise(many, SCHEMA, seed=1)
    return TreeClassifier("cart", method=method, max_depth=depth).fit(release)


def test_a_lead_is_that_of_the_originals_within_its_error() -> None:
    one, other = tree(4), tree(1)
    true = one.score(TABLE) - other.score(TABLE)
    leads = [
        lead_of(one.tree_, other.tree_, DISGUISE.disguise(TABLE, SCHEMA, seed=seed))
        for seed in range(60)
    ]
    scores = np.array([(lead.value - true) / lead.error for lead in leads])
    assert abs(scores.mean()) < 5 / np.sqrt(60)
    assert (scores**2).mean() < 1 + 5 * np.sqrt(2 / 60)
    assert (scores**2).mean() > 0.3  # what is left out makes the error a little too large


def test_what_trees_have_in_common_adds_nothing_to_the_error() -> None:
    one, other = tree(4).tree_, tree(4, "naive").tree_
    release = DISGUISE.disguise(TABLE, SCHEMA, seed=1)
    assert lead_of(one, one, release) == (0.0, 0.0)
    both = np.hypot(accuracy(one, release).error, accuracy(other, release).error)
    lead = lead_of(one, other, release)
    assert 0 < lead.error < both
    backwards = lead_of(other, one, release)
    assert backwards.value == pytest.approx(-lead.value)
    assert backwards.error == pytest.approx(lead.error)


def test_thresholds_of_exact_numbers_are_kept_apart() -> None:
    plan = Plan({"age": Exact()}, default=Substitution(gamma=8))
    grown = plan.disguise(datasets.load("as-f2", rows=20_000, seed=1), SCHEMA, seed=1)
    models = [
        TreeClassifier("cart", method=method, max_depth=3).fit(grown)
        for method in ("direct", "naive")
    ]
    lead = lead_of(models[0].tree_, models[1].tree_, plan.disguise(TABLE, SCHEMA, seed=2))
    true = models[0].score(TABLE) - models[1].score(TABLE)
    assert abs(lead.value - true) < 5 * lead.error


def test_a_lead_is_as_sure_as_its_error_is_small() -> None:
    assert Lead(0.05, 0.01).surely() == pytest.approx(5, rel=0.01)
    assert Lead(0.05, 0.01).surely(0.03) == pytest.approx(2, rel=0.01)
    assert Lead(2.17, 0.59).surely() < 1  # no tree leads by more than all records: it is noise
    assert Lead(0.3, 0.1).surely() == pytest.approx(3 / np.sqrt(2))
    assert Lead(0.05, 0.0).surely() == np.inf
    assert Lead(0.0, 0.0).surely() == 0
    assert Lead(1e-16, 0.0).surely() == 0  # rounding: a tree does not lead itself
    assert str(Lead(-0.031, 0.008)) == "3.1 ± 0.8 points"


def test_auto_says_what_it_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    release = RandomSubstitution(gamma=40, bins=6).disguise(TABLE, SCHEMA, seed=1)
    model = TreeClassifier().fit(release)
    assert "n 1,000 held-out records" in model.reason_
    assert " points " in model.reason_
    monkeypatch.setattr(mining, "SURE", -1e9)  # then a rival is believed whatever it does
    other = TreeClassifier().fit(release)
    assert other.method_ in {"naive", "direct"}
    assert "more often than joint" in other.reason_


def test_leads_in_words() -> None:
    assert mining._told("naive", Lead(-0.073, 0.072)) == "naive was 7.3 ± 7.2 points worse"
    assert mining._told("direct", Lead(0.031, 0.008)) == "direct was 3.1 ± 0.8 points better"
    assert mining._told("direct", Lead(0.0, 0.0)) == "direct was equal"
    assert "not be told apart" in mining._told("direct", Lead(0.1, 0.2))


def test_nothing_is_compared_where_records_cannot_tell() -> None:
    release = AdditiveNoise(level=0.5).disguise(TABLE.slice(0, 500), SCHEMA, seed=1)
    assert "held-out" not in TreeClassifier(max_depth=2).fit(release).reason_
    plain = Plan({}, default=Exact()).disguise(TABLE, SCHEMA)
    assert "held-out" not in TreeClassifier(max_depth=2).fit(plain).reason_


def test_a_lead_by_records_that_were_hardly_disguised_has_hardly_an_error() -> None:
    """A tree that is right whenever the other is, and more often, adds 1 or nothing a record."""
    schema = Schema([Attribute.categorical(name, ["0", "1"]) for name in "xy"], target="y")
    x = np.array(["0", "1"])[np.random.default_rng(3).integers(0, 2, 500)]
    release = RandomSubstitution(gamma=1e8, wave=0).disguise({"x": x, "y": x}, schema, seed=1)
    rule = TreeClassifier("cart", method="direct").fit(release).tree_
    lead = lead_of(rule, rule.take([0]), release)
    assert rule.nodes == 3
    assert lead.value == pytest.approx(min((x == "0").mean(), (x == "1").mean()), abs=1e-3)
    assert lead.error < 1e-3


def test_leads_in_standard_errors_and_in_words() -> None:
    """What has no error is sure, unless it is a rounding error itself."""
    assert Lead(0.05, 0.02).surely() == pytest.approx(2.5, rel=0.02)
    assert Lead(0.05, 0.02).surely(0.09) == pytest.approx(-2.0, rel=0.02)
    assert Lead(0.05, 0.0).surely() == np.inf
    assert Lead(0.05, 0.0).surely(0.06) == -np.inf
    assert Lead(0.9e-9, 0.0).surely() == 0.0
    assert Lead(1.1e-9, 0.0).surely() == np.inf
    assert Lead(-1.1e-9, 0.0).surely() == -np.inf
    assert str(Lead(-0.0512, 0.0149)) == "5.1 ± 1.5 points"
