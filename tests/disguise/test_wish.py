"""γ by three names: itself, ε, and ρ1-to-ρ2."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Band, GammaDiagonal
from privet.disguise import RandomSubstitution, Substitution
from privet.disguise.planfile import plan_from_dict
from privet.disguise.wish import gamma_of
from privet.errors import PlanError
from privet.release.claim import posterior
from tests.disguise.people import SCHEMA, people


def test_the_papers_example() -> None:
    assert gamma_of("x", rho=[0.05, 0.5]) == 19
    assert gamma_of("x") == gamma_of("x", gamma=8) == 8


@given(st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_rho_is_the_posterior_turned_round(low: float, rise: float) -> None:
    high = low + rise * (1 - low)
    gamma = gamma_of("x", rho=(low, high))
    assert float(posterior(Fraction(str(low)), Fraction(gamma))) == pytest.approx(high)


@given(st.floats(0.01, 10))
def test_the_claim_never_goes_above_the_epsilon_wished_for(epsilon: float) -> None:
    channel = Substitution(epsilon=epsilon).channel(SCHEMA["car"])
    assert channel.epsilon() <= epsilon
    assert channel.epsilon() == pytest.approx(epsilon, abs=1e-4)


@pytest.mark.parametrize(
    ("wish", "wrong"),
    [
        ({"gamma": 3, "epsilon": 1}, "three ways"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"epsilon": math.nan}, "epsilon must be"),
        ({"epsilon": "much"}, "epsilon must be"),
        ({"epsilon": 50}, "epsilon must be"),
        ({"rho": (0.5, 0.05)}, "rho must be"),
        ({"rho": (0.5,)}, "rho must be"),
        ({"rho": 0.5}, "rho must be"),
        ({"rho": ("a", "b")}, "rho must be"),
        ({"gamma": 1}, "gamma must be"),
        ({"epsilon": True}, "epsilon must be"),
        ({"epsilon": 22}, "epsilon must be"),
        ({"epsilon": -1}, "epsilon must be"),
        ({"rho": (0, 0.5)}, "rho must be"),
        ({"rho": (0.5, 1)}, "rho must be"),
        ({"rho": (0.5, 1.5)}, "rho must be"),
        ({"rho": (0.5, 0.5)}, "rho must be"),
        ({"rho": (0.1, 0.2, 0.3)}, "rho must be"),
        ({"rho": "ab"}, "rho must be"),
        ({"epsilon": 1, "rho": (0.1, 0.5)}, "three ways"),
    ],
)
def test_other_wishes_are_refused(wish: dict[str, Any], wrong: str) -> None:
    with pytest.raises(PlanError, match=wrong):
        RandomSubstitution(**wish).plan(SCHEMA)
    with pytest.raises(PlanError, match=wrong):
        Substitution(**wish).channel(SCHEMA["car"])


def test_gamma_stays_below_the_exponential() -> None:
    for epsilon in (0.5, 1, 3.5, 21):
        below = math.nextafter(math.nextafter(math.exp(epsilon), 0), 0)
        assert gamma_of("x", epsilon=epsilon) == below
    exact: Any = (Fraction(1, 5), Fraction(3, 4))
    assert gamma_of("x", rho=exact) == 12
    assert gamma_of("x", rho=[0.2, 0.75]) == 12


def test_plan_files_wish_too() -> None:
    made: Any = plan_from_dict({"method": "random-substitution", "rho": [0.05, 0.5]})
    assert made.claim(SCHEMA)["age"].gamma <= 19
    plan: Any = plan_from_dict(
        {
            "default": {"method": "substitution", "epsilon": 2},
            "attributes": {"age": {"method": "substitution", "gamma": 5, "kind": "band"}},
        }
    )
    claim = plan.claim(SCHEMA)
    assert float(claim["age"].gamma) == pytest.approx(5, rel=1e-6)
    assert claim["car"].epsilon == pytest.approx(2)


def test_a_band_is_for_numbers() -> None:
    release = RandomSubstitution(gamma=5, bins=12, kind="band").disguise(people(50), SCHEMA)
    kinds = {channel.attributes[0]: type(channel) for channel in release.parts[0].channels}
    assert kinds["age"] is Band
    assert kinds["car"] is GammaDiagonal
    with pytest.raises(PlanError, match="no order"):
        Substitution(kind="band").channel(SCHEMA["car"])
    with pytest.raises(PlanError, match="'band'"):
        Substitution(kind="wave").channel(SCHEMA["age"])
