"""Plans in TOML."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.disguise import (
    Exact,
    FlipGroup,
    JointGroup,
    Plan,
    RandomSubstitution,
    Substitution,
    ValueClass,
    Withheld,
    plan_from_dict,
)
from privet.disguise.planfile import _plain, plan_to_toml
from privet.errors import PlanError

GOOD = """
default = "withheld"
[attributes]
age = { method = "substitution", gamma = 8, bins = 12 }
car = { method = "value-class", groups = { small = ["vw", "fiat"], big = ["tesla"] } }
rent = { method = "value-class", bins = 4 }
risk = "exact"
"""


def read(tmp_path: Path, text: str) -> object:
    (tmp_path / "plan.toml").write_text(text)
    return Plan.read(tmp_path / "plan.toml")


def test_a_table_of_attributes(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD) == Plan(
        {
            "age": Substitution(8, bins=12),
            "car": ValueClass(groups={"small": ["vw", "fiat"], "big": ["tesla"]}),
            "rent": ValueClass(bins=4),
            "risk": Exact(),
        },
        default=Withheld(),
    )


def test_one_method_for_all(tmp_path: Path) -> None:
    text = 'method = "random-substitution"\ngamma = 5.5\ntarget = "substitution"\n'
    assert read(tmp_path, text) == RandomSubstitution(5.5, target="substitution")
    assert read(tmp_path, 'method = "random-substitution"') == RandomSubstitution()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "needs a method, or a table of attributes"),
        ("attributes = 3", "needs a method, or a table"),
        ("gamma = 8", "unknown word 'gamma'"),
        ('method = "magic"', "method 'magic' is unknown; known are .*substitution"),
        ("method = 3", "method 3 is unknown"),
        ('method = "random-substitution"\nlambda = 3', "does not take 'lambda'; it takes gamma"),
        ('[attributes]\nage = "hidden"', "'age': the method 'hidden' is unknown; .*exact"),
        ("[attributes]\nage = 3", "'age': a word or a table with a method"),
        ("[attributes]\nage = { gamma = 3 }", "'age': a word or a table with a method"),
        ('[attributes]\nage = { method = "exact", bins = 3 }', "takes no options"),
        ('default = { method = "withheld", x = 1 }', "default: 'withheld' does not take 'x'"),
        ("default = [", "not valid TOML"),
    ],
)
def test_bad_plans(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint):
        read(tmp_path, text)


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"no\.toml cannot be read"):
        Plan.read(tmp_path / "no.toml")


@given(st.fractions(0, 100, max_denominator=10**6))
def test_a_fraction_is_written_as_the_nearest_number_that_is_not_above_it(value: Fraction) -> None:
    written = _plain(value)
    assert Fraction(written) <= value
    assert value < Fraction(math.nextafter(written, math.inf))


@pytest.mark.parametrize(
    "plan",
    [
        Plan({"age": Exact()}),
        Plan({}, default=Withheld()),
        Plan({"age": Substitution(8, bins=12)}, default=Exact(), wave=0.2),
        Plan({"age": Substitution(Fraction(7, 2))}, default=Exact(), wave=0, tuned=True),
        Plan({"age": Substitution(Fraction(9))}, default=Exact()),
        Plan({"age": ValueClass(edges=(30, 50))}, default=Exact()),
        Plan({"age": Exact()}, groups=(JointGroup(["kids", "car"], 5), FlipGroup(["rent"]))),
        Plan({}, default=Exact(), groups=(JointGroup(["kids", "car"]),)),
    ],
)
def test_a_plan_that_is_written_comes_back(tmp_path: Path, plan: Plan) -> None:
    text = plan_to_toml(plan)
    back = read(tmp_path, text)
    assert isinstance(back, Plan)
    assert plan_to_toml(back) == text
    assert dict(back.treatments).keys() == dict(plan.treatments).keys()
    assert (back.default, back.tuned, back.wave or 0) == (plan.default, plan.tuned, plan.wave or 0)
    assert [type(group) for group in back.groups] == [type(group) for group in plan.groups]


def test_what_is_written_of_a_plan() -> None:
    assert plan_to_toml(Plan({"age": Exact()})) == '[attributes]\n"age" = "exact"\n'
    assert plan_to_toml(Plan({}, default=Withheld(), tuned=True, wave=None)) == (
        'default = "withheld"\nwave = 0\ntuned_on_records = true\n'
    )
    groups = Plan({}, default=Exact(), groups=[JointGroup(["a", "b"]), FlipGroup(["c"], 0.9)])
    written = plan_to_toml(groups)
    assert 'method = "joint-substitution"' in written
    assert "gamma" not in written  # as it is by default
    assert "theta = 0.9" in written
    assert "gamma = 9 " in plan_to_toml(Plan({"a": Substitution(Fraction(9))}))
    assert "gamma = 4.5 " in plan_to_toml(Plan({"a": Substitution(Fraction(9, 2))}))
    third = _plain(Fraction(10, 3))
    assert Fraction(third) <= Fraction(10, 3) < Fraction(math.nextafter(third, 9))
    small = _plain(Fraction(1, 10))
    assert Fraction(small) <= Fraction(1, 10) < Fraction(math.nextafter(small, 1))


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"default": "exact", "tuned_on_records": 1}, "must be true or false"),
        ({"attributes": {"age": "exact"}, "groups": {}}, "needs a method, or a table"),
        ({"attributes": [], "default": "exact"}, "needs a method, or a table"),
        ({"wave": 0.2}, "needs a method, or a table"),
        ({"groups": [{"method": "flip", "attributes": ["a"]}, 3]}, "Group 2: a table"),
        ({"groups": [{"method": "flip"}]}, "Group 1: a table"),
        ({"groups": [{"attributes": ["a"]}]}, "Group 1: a table"),
        ({"groups": ["flip"]}, "Group 1: a table"),
        ({"default": ["exact"]}, "default: a word or a table"),
        ({"default": {"gamma": 3}}, "default: a word or a table"),
        ({"default": "exat"}, "did you mean 'exact'"),
    ],
)
def test_other_plans_that_cannot_be(form: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        plan_from_dict(form)


def test_plans_that_say_one_thing_only() -> None:
    assert plan_from_dict({"default": "exact"}) == Plan({}, default=Exact(), groups=())
    assert plan_from_dict({"attributes": {"a": "exact"}}) == Plan({"a": Exact()}, groups=())
    one = plan_from_dict({"groups": [{"method": "flip", "attributes": ["a"]}]})
    assert one == Plan({}, groups=(FlipGroup(["a"]),))
    assert isinstance(one, Plan)
    assert not one.tuned
    tuned = plan_from_dict({"default": "exact", "tuned_on_records": True})
    assert tuned == Plan({}, default=Exact(), groups=(), tuned=True)
