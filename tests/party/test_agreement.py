"""Agreements: who holds what, how it is disguised, and what is refused."""

import hashlib
import json
from typing import Any

import pytest

from privet.channel import Flip
from privet.disguise import RandomizedResponse
from privet.errors import PlanError
from privet.party import Agreement
from privet.party.agreement import Member
from tests.party.study import COLUMNS, RECORDS, SCHEMA, agreed


def test_every_party_has_its_own_recipe() -> None:
    agreement = agreed()
    clinic, office = agreement.recipe("clinic"), agreement.recipe("office")
    assert [step.name for step in clinic.steps] == ["smoker", "cough", "ill"]
    assert [step.name for step in office.steps] == ["age", "trade"]
    assert clinic.channels == (Flip(("smoker", "cough"), 0.8),)
    assert office.channels == (Flip(("age",), 0.9), Flip(("trade",), 0.15))


def test_an_agreement_comes_back_from_its_form() -> None:
    for form in (COLUMNS, RECORDS):
        agreement = agreed(form)
        back = Agreement.from_dict(agreement.to_dict())
        assert back.digest == agreement.digest
        assert back.to_dict() == agreement.to_dict()


def test_files_are_toml(tmp_path: Any) -> None:
    file = tmp_path / "parties.toml"
    file.write_text(
        'split = "columns"\n[parties.clinic]\ngroups = [["smoker", "cough"]]\ntheta = 0.8\n'
        '[parties.rest]\ngroups = [["age", "trade", "town"]]\ngamma = 5\nbins = 4\n'
    )
    agreement = Agreement.read(file, SCHEMA)
    (joint,) = agreement.recipe("rest").channels
    assert joint.inputs == (4, 3, 2)
    file.write_text("split = ")
    with pytest.raises(PlanError, match="not valid TOML"):
        Agreement.read(file, SCHEMA)
    with pytest.raises(PlanError, match="cannot be read"):
        Agreement.read(tmp_path / "none.toml", SCHEMA)


def test_claims_and_warnings_by_party() -> None:
    agreement = agreed()
    assert agreement.claim("clinic").turned == ("smoker", "cough")
    assert agreement.claim("office").epsilon < float("inf")  # nothing plain, not even the class
    assert agreement.claim("council").disclosed == ("town", "ill")
    assert "gamma = 4 " in agreement.warnings("clinic")[0]
    assert agreement.warnings("office") == []


def changed(**parties: Any) -> dict[str, Any]:
    return {"parties": {**COLUMNS["parties"], **parties}}


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (changed(clinic={"groups": [["smoker"]], "theta": 0.8}), "'cough' is with no party"),
        (changed(more={"groups": [["town"]], "theta": 0.8}), "'town' is with two parties"),
        (changed(more={"groups": [["height"]], "theta": 0.8}), "'height', which is no attribute"),
        (changed(more={"groups": [["ill"]], "theta": 0.8}), "'ill', which is no attribute"),
        (changed(council={"groups": [["town"]], "theta": 0.5}), "'council'.*nothing about"),
        (changed(council={"groups": [["town"]]}), "'council'.*either theta or gamma"),
        (changed(council={"theta": 0.8}), "which attributes it holds"),
        (changed(council={"groups": [["town"]], "speed": 1}), "'speed' is not a known word"),
        (changed(council={"groups": [["town"]], "theta": 1, "class": 3}), "class must be true"),
        ({"parties": {}}, "names no party"),
        ({"parties": 3}, "a table of parties"),
        ({**COLUMNS, "split": "rows"}, "'columns' or 'records'"),
        ({**COLUMNS, "who": 1}, "unknown word 'who'"),
        (
            {"split": "records", "parties": {"a": {"theta": 0.8}, "b": {"gamma": 5}}},
            "different columns",
        ),
        ({"split": "records", "parties": {"a": {"theta": 0.8, "class": False}}}, "send the class"),
        (
            {"parties": {"a": {"attributes": SCHEMA.names[:5], "theta": 0.8, "class": False}}},
            "No party sends the class",
        ),
    ],
)
def test_bad_agreements(form: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Agreement.from_dict(form, SCHEMA)
    with pytest.raises(PlanError, match="no party 'bank'"):
        agreed().recipe("bank")


def test_a_form_says_what_was_agreed_and_no_more() -> None:
    form = agreed().to_dict()
    assert form["parties"]["clinic"] == {
        "attributes": ["smoker", "cough"],
        "class": True,
        "groups": [["smoker", "cough"]],
        "theta": 0.8,
    }
    assert form["parties"]["office"]["class"] is False
    assert Member(("smoker",), RandomizedResponse(theta=0.8)).sends_class
    assert agreed().claim("clinic").private
    assert not agreed().claim("clinic").seeded


def test_a_digest_is_the_same_in_any_order_of_parties() -> None:
    """On questions and answers, so that it stays what it is: of canonical JSON, in UTF-8."""
    named = {"parties": {f"ö {name}": party for name, party in COLUMNS["parties"].items()}}
    agreement = agreed(named)
    text = json.dumps(agreement.to_dict(), sort_keys=True, ensure_ascii=False)
    assert agreement.digest == hashlib.sha256(text.encode()).hexdigest()
    turned = agreed({"parties": dict(reversed(named["parties"].items()))})
    assert turned.digest == agreement.digest
    assert agreed().digest != agreement.digest
