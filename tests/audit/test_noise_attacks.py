"""Attacks on noise without a bound, and what an audit says of it."""

import json
from typing import Any

import numpy as np
import pytest

from privet.audit import Audit, Outcome, audit, compare
from privet.audit.true_pairs import windows
from privet.disguise import CGADP, EGADP, GADP, ForestFramework, Framework, RandomNoise
from privet.disguise.noised import Noised
from tests.disguise import noisy_people as noisy
from tests.disguise import test_gadp as normal


def outcomes(found: Audit, name: str) -> dict[str, Outcome]:
    return {one.about: one for one in found.attacks if one.attack == name}


def audited(method: Noised, rows: int = 1200) -> Audit:
    schema, records = noisy.SCHEMA, noisy.people(rows)
    if isinstance(method, GADP):
        schema, records = normal.SCHEMA, normal.people(rows)
    return audit(method.disguise(records, schema), records, seed=1)


@pytest.mark.parametrize(
    "method", [ForestFramework(), Framework(), RandomNoise(), GADP(), EGADP(), CGADP()],
    ids=lambda one: one.method,
)  # fmt: skip
def test_every_method_is_audited(method: Noised) -> None:
    found = audited(method, 600)
    nearest = outcomes(found, "nearest")["record"]
    assert nearest.control == 1.0
    assert nearest.null is not None
    assert nearest.null < 0.05
    assert nearest.blind == 1 / 600
    assert found.grades["promise"] == "none"
    assert found.exceeds(max_epsilon=100.0)
    assert found.similarity is not None
    assert 0 < (found.similarity.domains or 0) <= 1
    assert found.similarity.entropy <= found.similarity.most_entropy
    assert "EDUDS" in found.to_text()
    assert "SERS" in found.to_html()
    assert json.loads(found.to_json())["similarity"]["entropy"] == found.similarity.entropy


def test_leaves_give_intervals_away() -> None:
    found = audited(ForestFramework(noise=0.5, n_trees=1, min_leaf=100))
    held = outcomes(found, "intervals")
    assert held
    for one in held.values():
        assert one.control == 1.0
        assert one.null == pytest.approx(one.blind, abs=0.12)
    assert max(one.value - one.blind for one in held.values()) > 0
    assert "lie in their leaf's interval" in next(iter(held.values())).detail
    assert not outcomes(found, "regression")


def test_little_noise_is_linked_and_much_is_not() -> None:
    little = outcomes(audited(RandomNoise(noise=0.001, change=0.0)), "nearest")["record"]
    much = outcomes(audited(ForestFramework(noise=0.5, min_leaf=200)), "nearest")["record"]
    assert little.value > 0.9
    assert much.value < 0.2


@pytest.mark.parametrize("kind", [GADP, EGADP])
def test_regression_predicts_what_was_drawn_anew(kind: type[GADP]) -> None:
    near = outcomes(audited(kind(["pay"], 0.95)), "regression")["pay"]
    far = outcomes(audited(kind(["pay"], 0.0)), "regression")["pay"]
    assert near.control == far.control == 1.0
    assert near.value > far.value > far.blind
    # Of normal noise with σ = 10 round the regression, within ± 10: 68 %.
    assert far.value == pytest.approx(0.68, abs=0.12)
    assert far.null is not None
    assert far.null < far.value


def test_a_miner_audits_without_pairs() -> None:
    release = ForestFramework().disguise(noisy.people(), noisy.SCHEMA)
    found = audit(release)
    assert found.similarity is None
    assert {one.attack for one in found.attacks}.isdisjoint({"nearest", "intervals"})
    why = {one.attack: one.why for one in found.not_run}
    assert "owner's records" in why["nearest"]


def test_trees_are_grown_from_noise_and_not_from_the_originals() -> None:
    found = audited(RandomNoise(noise=0.9, change=0.5))
    assert found.utility is not None
    assert found.utility.cost is not None
    assert found.utility.cost > 0.1


def test_plans_are_compared_by_these_attacks_too() -> None:
    plans = {"forest": ForestFramework(), "drawn": EGADP()}
    found = compare(plans, normal.people(600), normal.SCHEMA, seed=1)
    worst = {point.plan: point.attack for point in found.points}
    assert worst["forest"] in ("nearest", "intervals")
    assert all(point.advantage > 0 for point in found.points)


def test_no_record_is_in_the_report() -> None:
    records: dict[str, Any] = noisy.people(400)
    records["pay"][7] = 123.4567
    found = audit(ForestFramework().disguise(records, noisy.SCHEMA), records)
    for text in (found.to_json(), found.to_html(), found.to_text()):
        assert "123.4567" not in text


def test_the_best_window_by_hand() -> None:
    assert windows(np.array([0.0, 5, 5.5, 6, 9, np.nan]), 1.0) == 5.5
    assert windows(np.array([np.nan]), 1.0) == 0.0
