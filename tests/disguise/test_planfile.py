"""Plans in TOML."""

import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.disguise import Exact, Plan, RandomSubstitution, Substitution, ValueClass, Withheld
from privet.disguise.planfile import _plain
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
