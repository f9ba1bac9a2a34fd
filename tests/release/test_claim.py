"""Claims: what is promised, computed from integers, and never more than can be kept."""

import math
from fractions import Fraction

import pytest

from privet.channel import GammaDiagonal
from privet.release import Claim
from privet.release.claim import PRIORS, posterior

AGE, CAR = GammaDiagonal("age", 10, 8), GammaDiagonal("car", 3, 3)
TREATMENTS = {"age": "substitution", "car": "substitution", "zip": "withheld"}


def claim(**more: str) -> Claim:
    return Claim.of(
        {**TREATMENTS, **more}, [[AGE, CAR]], target="risk", learned=False, seeded=False
    )


def test_a_record_costs_the_sum_of_its_attributes() -> None:
    made = claim()
    assert made["age"].gamma == AGE.amplification()
    assert made["age"].epsilon == AGE.epsilon()
    assert made["age"].entropy == AGE.entropy()
    assert made.gamma == AGE.amplification() * CAR.amplification()
    assert made.epsilon == pytest.approx(AGE.epsilon() + CAR.epsilon(), rel=1e-12)
    assert made.disclosed == ()


def test_what_is_plain_has_no_bound_and_is_named() -> None:
    made = claim(risk="exact", height="value-class")
    assert made.disclosed == ("risk", "height")
    assert made.gamma is None
    assert made.epsilon == math.inf
    assert made["risk"].epsilon == math.inf
    assert made["zip"].epsilon == 0
    assert made.disguised_epsilon == pytest.approx(AGE.epsilon() + CAR.epsilon())
    text = " ".join(made.sentences())
    assert "Disclosed plainly" in text
    assert "The class 'risk' is among them." in text
    assert "'height' is released as a value class" in text
    assert "'zip' is withheld" in text


def test_five_percent_to_a_half_allows_nineteen() -> None:
    assert posterior(Fraction(1, 20), Fraction(19)) == Fraction(1, 2)
    assert posterior(Fraction(1, 20), Fraction(1)) == Fraction(1, 20)
    assert posterior(Fraction(1, 20), None) == 1


@pytest.mark.parametrize("prior", PRIORS)
def test_no_channel_lifts_a_guess_above_the_posterior(prior: Fraction) -> None:
    """Brute force: every event of one value against the rest, every output of a small channel."""
    matrix = CAR.matrix()
    worst = Fraction(0)
    for y in range(3):
        for v in range(3):
            for other in {0, 1, 2} - {v}:
                inside, outside = int(matrix[y, v]) * prior, int(matrix[y, other]) * (1 - prior)
                worst = max(worst, inside / (inside + outside))
    assert worst == posterior(prior, CAR.amplification())


def test_a_seed_makes_every_promise_void() -> None:
    made = Claim.of(TREATMENTS, [[AGE, CAR]], target="risk", learned=False, seeded=True)
    assert not made.private
    assert made.sentences()[0].startswith("NOT PRIVATE")
    assert made.to_json()["private"] is False


def test_the_worst_part_counts() -> None:
    weak = GammaDiagonal("age", 10, 20)
    made = Claim.of(TREATMENTS, [[AGE, CAR], [weak, CAR]], target="y", learned=False, seeded=False)
    assert made["age"].gamma == weak.amplification()
    plain = Claim.of(TREATMENTS, [[AGE, CAR], [CAR]], target="y", learned=False, seeded=False)
    assert plain.disclosed == ("age",)


def test_without_a_formal_guarantee_nothing_is_promised() -> None:
    made = Claim.of(TREATMENTS, [[AGE, CAR]], target="y", learned=True, seeded=False, formal=False)
    assert made.epsilon == math.inf
    assert not made.private
    assert made.sentences()[0].startswith("No formal guarantee")
    assert "learned from the data" in made.sentences()[-1]


def test_many_attributes_are_said_together() -> None:
    channels = [GammaDiagonal(f"x{i}", 5, 3 + i) for i in range(9)]
    treatments = dict.fromkeys((f"x{i}" for i in range(9)), "substitution") | {"y": "exact"}
    made = Claim.of(treatments, [channels], target="y", learned=False, seeded=False)
    said = made.sentences()
    assert said[0].startswith("9 attributes are protected by ε = 2.40 each or less (γ = 11)")
    assert len(said) == 4


def test_a_claim_agrees_with_itself_only() -> None:
    form = claim().to_json()
    assert claim().agrees(form)
    assert claim().agrees({**form, "epsilon": form["epsilon"] * (1 + 1e-13)})
    assert not claim().agrees({**form, "epsilon": form["epsilon"] * (1 - 1e-6)})
    assert not claim().agrees({**form, "private": 1})
    assert not claim().agrees({**form, "disclosed": ["age"]})
    assert not claim().agrees(None)
