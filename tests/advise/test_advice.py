from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.advise import Advice, advise
from privet.advise.drawn import draw
from privet.advise.simulated import stand_in
from privet.disguise import Plan
from privet.disguise.planfile import read_plan
from privet.errors import InputError
from privet.schema import Attribute, Schema

pytestmark = pytest.mark.xdist_group("advice")  # one worker is advised, not both
SCHEMA = Schema(
    [
        Attribute.numeric("age", low=20, high=80),
        Attribute.numeric("kids", low=0, high=2, integer=True),
        Attribute.categorical("car", ["vw", "fiat", "tesla"]),
        Attribute.categorical("only", ["one"]),
        Attribute.categorical("risk", ["low", "high", "none"]),
    ],
    target="risk",
)


@pytest.fixture(scope="module")
def advice() -> Advice:
    return advise(SCHEMA, 3000, gamma=8, repeats=1, seed=1)


def test_every_attribute_with_something_to_hide_gets_a_channel(advice: Advice) -> None:
    sizes = {one.attribute: one.values for one in advice.attributes}
    assert set(sizes) == {"age", "kids", "car"}
    assert sizes["kids"] == sizes["car"] == 3
    assert advice.epsilon == pytest.approx(3 * np.log(8), rel=1e-6)


def test_the_trade_off_rises_from_chance_towards_right(advice: Advice) -> None:
    points = advice.trade_off
    assert [point.gamma for point in points] == [2, 3, 5, 8, 12, 19]
    assert points[-1].accuracy > 0.8
    assert points[0].guess < points[-1].guess
    assert advice.guide["gamma"] in range(5, 13)
    assert advice.guide["bins"] in (5, 10, 15, 20)


def test_the_plan_does_what_was_advised(advice: Advice, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(advice.plan_file())
    for plan in (advice.plan(), read_plan(file)):
        claim = plan.claim(SCHEMA)
        assert claim.disclosed == ("risk",)
        assert {one.attributes[0] for one in claim.disguised} == {"age", "kids", "car"}
        assert claim.disguised_epsilon == pytest.approx(advice.epsilon)


def test_the_plan_withholds_what_it_does_not_know(advice: Advice, tmp_path: Path) -> None:
    wider = Schema(
        [*SCHEMA, Attribute.categorical("illness", ["flu", "none"])], target=SCHEMA.target
    )
    file = tmp_path / "plan.toml"
    file.write_text(advice.plan_file())
    for plan in (advice.plan(), read_plan(file)):
        assert plan.claim(wider).disclosed == ("risk",)


def test_a_target_accuracy_takes_the_smallest_gamma_that_reaches_it(advice: Advice) -> None:
    wanted = advice.trade_off[2].accuracy - 1e-9
    found = advise(SCHEMA, 3000, accuracy=wanted, repeats=1, seed=1)
    reached = [point.gamma for point in found.trade_off if point.accuracy >= wanted]
    assert found.gamma == min(reached)


def test_a_target_out_of_reach_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.advise.advice.GAMMAS", (2,))
    monkeypatch.setattr("privet.advise.advice.GUIDED", (5,))
    monkeypatch.setattr("privet.advise.advice.GUIDED_SIZES", (5,))
    found = advise(SCHEMA, 200, accuracy=0.9999, repeats=1, seed=1)
    assert found.gamma == 2
    assert any("reached an accuracy" in note for note in found.notes)


@pytest.mark.parametrize(
    ("wish", "gamma"), [({"epsilon": 2}, np.exp(2)), ({"rho": (0.05, 0.5)}, 19), ({}, 8)]
)
def test_other_wishes(wish: dict[str, Any], gamma: float) -> None:
    found = Advice.of(SCHEMA, 1000, simulate=False, **wish)
    assert float(found.gamma) == pytest.approx(gamma)
    assert found.to_dict()["gamma"] == pytest.approx(gamma)
    assert not found.trade_off


@pytest.mark.parametrize(
    ("wish", "wrong"),
    [
        ({"gamma": 3, "accuracy": 0.9}, "either for an accuracy"),
        ({"accuracy": 90}, "between 0 and 1"),
        ({"accuracy": 0.9, "simulate": False}, "simulating"),
        ({"records": 0}, "number of records"),
    ],
)
def test_wishes_that_cannot_be_are_refused(wish: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        advise(SCHEMA, **({"records": 100} | wish))


def test_nothing_to_disguise_is_refused() -> None:
    lone = Schema([SCHEMA["only"], SCHEMA["risk"]], target="risk")
    with pytest.raises(InputError, match="more than one value"):
        advise(lone, 100, simulate=False)


def test_notes_warn_of_what_is_easily_forgotten() -> None:
    learned = Schema(SCHEMA.attributes, target="risk", learned=True)
    text = " ".join(advise(learned, 100, gamma=2, simulate=False).notes)
    for said in ("disclosed", "adds up", "5 ≤ γ ≤ 12", "learned from data"):
        assert said in text


def test_stand_ins_fit_the_schema_and_have_two_classes() -> None:
    for seed in range(5):
        made = stand_in(SCHEMA, 500, seed)
        for attribute in SCHEMA:
            attribute.encode(made[attribute.name])
        shares = np.unique(made["risk"].astype(str), return_counts=True)[1] / 500
        assert len(shares) == 2
        assert shares.min() > 0.1


def test_the_same_seed_asks_the_same_questions() -> None:
    few, many = stand_in(SCHEMA, 400, 3), stand_in(SCHEMA, 4000, 3)
    assert set(few["risk"]) == set(many["risk"])
    assert (stand_in(SCHEMA, 400, 3)["age"] == few["age"]).all()


def test_drawings_are_the_same_bytes_each_time(advice: Advice, tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png"):
        draw(advice, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert b"date" not in (tmp_path / "a.svg").read_bytes()
    with pytest.raises(InputError, match=r"must end in \.svg"):
        draw(advice, tmp_path / "a.txt")
    with pytest.raises(InputError, match="no trade-off"):
        draw(advise(SCHEMA, 100, simulate=False), tmp_path / "c.svg")


def test_advice_is_per_person_where_that_is_known() -> None:
    schema = Schema(
        [Attribute.numeric("age", low=0, high=99), Attribute.categorical("ill", ["no", "yes"])],
        target="ill",
        rows_per_unit=3,
    )
    advice = advise(schema, 1_000, gamma=8, simulate=False)
    assert any(f"ε = {3 * advice.epsilon:.2f} for a person" in note for note in advice.notes)


def _visits(**said: Any) -> Schema:
    return Schema(
        [
            Attribute.numeric("pain", low=1, high=5, integer=True, **said),
            Attribute.categorical("ward", ["a", "b", "c"]),
            Attribute.categorical("ill", ["no", "yes"]),
        ],
        target="ill",
        unit="person",
        rows_per_unit=2,
    )


def test_made_up_tables_have_no_people_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.advise.advice.GAMMAS", (8,))
    monkeypatch.setattr("privet.advise.advice.GUIDED", (5,))
    monkeypatch.setattr("privet.advise.advice.GUIDED_SIZES", (5,))
    advice = advise(_visits(), 300, gamma=8, repeats=1)
    assert advice.trade_off
    assert any(f"ε = {2 * advice.epsilon:.2f} for a person" in note for note in advice.notes)


@pytest.mark.parametrize(
    ("said", "cells"),
    [({}, 5), ({"bins": 5}, 5), ({"edges": [1, 2, 3, 4]}, 5), ({"edges": [2]}, 2)],
)
def test_cells_are_those_of_the_schema_and_of_short_scales(
    said: dict[str, Any], cells: int, tmp_path: Path
) -> None:
    schema = _visits(**said)
    advice = advise(schema, 8_000, gamma=3, simulate=False)
    assert advice.attributes[0].values == cells
    file = tmp_path / "plan.toml"
    file.write_text(advice.plan_file())
    for plan in (advice.plan(), read_plan(file)):
        assert isinstance(plan, Plan)
        coding = plan.recipe(schema).steps[0].coding
        assert coding is not None
        assert coding.size == cells
        assert coding.upper is not None
        assert coding.upper[0] == (2 if cells == 2 else 1)


def test_a_gamma_beyond_the_table_is_simulated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.advise.advice.GAMMAS", (5, 8))
    monkeypatch.setattr("privet.advise.advice.GUIDED", (5,))
    monkeypatch.setattr("privet.advise.advice.GUIDED_SIZES", (5,))
    for gamma, all_of_them in [(40, [5, 8, 40]), (2.5, [2.5, 5, 8]), (6, [5, 8])]:
        advice = advise(SCHEMA, 300, gamma=gamma, repeats=1)
        assert [point.gamma for point in advice.trade_off] == all_of_them


def test_an_epsilon_is_said_to_be_that_of_an_attribute() -> None:
    text = " ".join(advise(SCHEMA, 300, epsilon=4, simulate=False).notes)
    assert "For ε = 4 for a whole record ask for ε = 1.3 per attribute." in text
    assert "ε = 12.00 for a record promises it next to nothing; RandomSubsets" in text
    assert "RandomSubsets" not in " ".join(advise(SCHEMA, 300, epsilon=3, simulate=False).notes)
