"""RT: uniform noise everywhere, as wide and as often as asked for."""

import numpy as np
import pytest

from privet.disguise import RandomNoise, plan_from_dict
from privet.errors import PlanError
from privet.randomness import Randomness
from tests.disguise.noisy_people import SCHEMA, people, table_of


def test_numbers_move_so_far_and_no_further() -> None:
    table = table_of(people(5000, missing=0))
    with Randomness.seeded(1) as source:
        made = RandomNoise(noise=0.1).perturb(table, SCHEMA, source)
    for name, width in (("pay", 200.0), ("age", 91.0)):
        away = np.abs(made.columns[name] - table.columns[name])
        away = np.minimum(away, width - away)  # round the ends
        assert away.max() <= 0.1 * width + 0.5
        assert away.max() > 0.09 * width
    far = made.columns["hours"] - table.columns["hours"]
    inside = np.abs(far) <= 10
    assert inside.mean() > 0.85
    assert far[inside].mean() == pytest.approx(0, abs=5 * 10 / np.sqrt(3 * inside.sum()))


def test_categories_change_as_often_as_asked_for_and_evenly() -> None:
    table = table_of(people(6000))
    with Randomness.seeded(2) as source:
        made = RandomNoise(change=0.4).perturb(table, SCHEMA, source)
    for name in ("town", "risk"):
        before, after = table.columns[name], made.columns[name]
        share = (before != after).mean()
        assert share == pytest.approx(0.4, abs=5 * np.sqrt(0.24 / 6000))
    rows = (table.columns["town"] == 0) & (made.columns["town"] != 0)
    others = (made.columns["town"][rows] == 1).mean()
    assert others == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / rows.sum()))


def test_no_change_leaves_categories() -> None:
    table = table_of(people(100))
    with Randomness.seeded(2) as source:
        made = RandomNoise(change=0).perturb(table, SCHEMA, source)
    assert np.array_equal(made.columns["town"], table.columns["town"])


def test_its_claim_and_its_plan() -> None:
    release = plan_from_dict({"method": "random-noise", "noise": 0.3}).disguise(people(), SCHEMA)
    assert not release.claim.formal
    assert "0.3 of their range" in " ".join(release.claim.sentences())
    with pytest.raises(PlanError, match="change must be"):
        RandomNoise(change=-1).disguise(people(), SCHEMA)
