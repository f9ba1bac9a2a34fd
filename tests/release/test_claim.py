"""Claims: what is promised, computed from integers, and never more than can be kept."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from privet.channel import Channel, Flip, GammaDiagonal, JointGammaDiagonal, Noise
from privet.release import Claim
from privet.release.claim import DRAWN, PRIORS, _same, percent, posterior
from privet.release.people import People

AGE, CAR = GammaDiagonal("age", 10, 8), GammaDiagonal("car", 3, 3)
COLUMNS = ["age", "car", "risk", "height"]
TREATMENTS = {"age": "substitution", "car": "substitution", "zip": "withheld"}


def claim(**more: str) -> Claim:
    return Claim.of(
        {**TREATMENTS, **more},
        [[AGE, CAR]],
        columns=COLUMNS,
        target="risk",
        learned=False,
        seeded=False,
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
    made = Claim.of(
        TREATMENTS, [[AGE, CAR]], columns=COLUMNS, target="risk", learned=False, seeded=True
    )
    assert not made.private
    assert made.sentences()[0].startswith("NOT PRIVATE")
    assert made.to_dict()["private"] is False


def test_the_worst_part_counts() -> None:
    weak = GammaDiagonal("age", 10, 20)
    made = Claim.of(
        TREATMENTS,
        [[AGE, CAR], [weak, CAR]],
        columns=COLUMNS,
        target="y",
        learned=False,
        seeded=False,
    )
    assert made["age"].gamma == weak.amplification()
    plain = Claim.of(
        TREATMENTS, [[AGE, CAR], [CAR]], columns=COLUMNS, target="y", learned=False, seeded=False
    )
    assert plain.disclosed == ("age",)


def test_without_a_formal_guarantee_nothing_is_promised() -> None:
    made = Claim.of(
        TREATMENTS,
        [[AGE, CAR]],
        columns=COLUMNS,
        target="y",
        learned=True,
        seeded=False,
        formal=False,
    )
    assert made.epsilon == math.inf
    assert not made.private
    assert made.sentences()[0].startswith("No formal guarantee")
    assert "learned from the data" in made.sentences()[-1]


def test_many_attributes_are_said_together() -> None:
    channels = [GammaDiagonal(f"x{i}", 5, 3 + i) for i in range(9)]
    treatments = dict.fromkeys((f"x{i}" for i in range(9)), "substitution") | {"y": "exact"}
    made = Claim.of(
        treatments, [channels], columns=treatments, target="y", learned=False, seeded=False
    )
    said = made.sentences()
    assert said[0].startswith("9 attributes are protected by ε = 2.40 each or less (γ = 11)")
    assert "for a record. Of a person with several records" in said[3]
    assert len(said) == 5


def test_a_claim_agrees_with_itself_only() -> None:
    form = claim().to_dict()
    assert claim().agrees(form)
    assert claim().agrees({**form, "epsilon": form["epsilon"] * (1 + 1e-13)})
    assert not claim().agrees({**form, "epsilon": form["epsilon"] * (1 - 1e-6)})
    assert not claim().agrees({**form, "private": 1})
    assert not claim().agrees({**form, "disclosed": ["age"]})
    assert not claim().agrees(None)


def test_a_word_withholds_nothing() -> None:
    """A column that is there is plain, or has its channel's bound, whatever it is called."""
    made = Claim.of(
        {"age": "withheld", "car": "substitution", "zip": "withheld", "wage": "exact"},
        [[AGE, CAR]],
        columns=["age", "car", "zip"],
        target="car",
        learned=False,
        seeded=False,
    )
    assert made.disclosed == ("zip",)
    assert made["zip"].gamma is None
    assert [promise.attributes for promise in made.disguised] == [("age",), ("car",)]
    assert made.epsilon == math.inf
    assert made["wage"].treatment == "withheld"
    assert made["wage"].gamma == 1


def test_an_absent_attribute_costs_nothing() -> None:
    """A record is in one part: its ε is the largest sum of a part, not the sum of the largest."""
    both = {"age": "substitution", "car": "substitution"}
    made = Claim.of(
        both,
        [[AGE], [CAR]],
        columns=both,
        target=None,
        learned=False,
        seeded=False,
        lacking=[["car"], ["age"]],
    )
    worst = max(AGE.epsilon(), CAR.epsilon())
    assert made.epsilon == pytest.approx(worst)
    assert made["age"].epsilon == pytest.approx(AGE.epsilon())
    without = Claim.of(both, [[AGE], [CAR]], columns=both, target=None, learned=False, seeded=False)
    assert without.epsilon == math.inf  # what is there without a channel is plain


def test_attributes_grouped_in_two_ways_are_promised_together() -> None:
    pair = JointGammaDiagonal(("age", "car"), (10, 3), 5)
    both = {"age": "substitution", "car": "substitution"}
    made = Claim.of(
        both, [[pair], [AGE, CAR]], columns=both, target=None, learned=False, seeded=False
    )
    (promise,) = made.promises
    assert set(promise.attributes) == {"age", "car"}
    expected = max(pair.epsilon(), AGE.epsilon() + CAR.epsilon())
    assert promise.epsilon == pytest.approx(expected)
    assert made.epsilon == pytest.approx(expected)


def test_a_person_of_several_records_is_told_of_their_sum() -> None:
    kept = {name: word for name, word in TREATMENTS.items() if name in ("age", "car")}
    made = Claim.of(
        kept,
        [[AGE, CAR]],
        columns=kept,
        target=None,
        learned=False,
        seeded=False,
        people=People(3),
    )
    assert made.to_dict()["person"]["epsilon"] == pytest.approx(3 * made.epsilon)
    assert any("up to 3 records" in sentence for sentence in made.sentences())
    assert not any("for a record. Of a person" in sentence for sentence in made.sentences())


def test_one_or_several_are_protected() -> None:
    treatments = {"age": "substitution", "town": "joint-substitution"}
    treatments["street"] = "joint-substitution"
    made = Claim.of(
        treatments,
        [[AGE, JointGammaDiagonal(("town", "street"), (3, 2), 4)]],
        columns=treatments,
        target=None,
        learned=False,
        seeded=False,
    )
    one, both, *_ = made.sentences()
    assert one.startswith("'age' is protected by ε = 2.08 (γ = 8): a guess of 5 % rises to")
    assert both.startswith("'town' and 'street' are together protected by ε = 1.39 (γ = 4): ")
    assert "a guess of 5 % about them rises to" in both


def test_parts_drawn_at_random_come_after_the_promises() -> None:
    made = replace(claim(), notes=(DRAWN,))
    said = made.sentences()
    assert said[0].startswith("'age' is protected by")
    assert DRAWN not in said
    assert [line for line in said if "several parts" in line] == said[-1:]
    assert made.to_dict()["notes"] == [DRAWN]


@pytest.mark.parametrize(
    ("value", "other", "same"),
    [
        (0.1, 0.1 + 1e-13, True),
        (0.0, 1e-13, True),
        (0.1, 0.1001, False),
        (1.0, 1, False),  # a card has whole numbers where it has them
        (1, 1.0, False),
        (1.0, None, False),
        (None, 1.0, False),
        (1.0, "1.0", False),
        (True, 1, False),
        ({"a": 0.1, "b": [1, 2.0]}, {"a": 0.1, "b": [1, 2.0 + 1e-13]}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),  # in another order
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, [1], False),
        ([1], {"a": 1}, False),
        ({}, [], False),
        ([], {}, False),
        ([1, 2], [1], False),
        ([1, 2], [1, 3], False),
        ([1], (1,), False),
        ("x", "x", True),
    ],
)
def test_cards_claim_the_same_up_to_rounding_only(value: object, other: object, same: bool) -> None:
    assert _same(value, other) is same


def test_shares_in_percent() -> None:
    shares = [Fraction(1, 20), Fraction(1, 3), Fraction(9998, 10000), Fraction(9999, 10000)]
    assert [percent(share) for share in shares] == ["5 %", "33.33 %", "99.98 %", "> 99.9 %"]


def of_parts(
    *parts: list[Channel], words: dict[str, str], lacking: tuple[list[str], ...] = ()
) -> Claim:
    return Claim.of(
        words, parts, columns=words, target=None, learned=False, seeded=False, lacking=lacking
    )


def test_the_part_with_least_entropy_counts_wherever_it_stands() -> None:
    weak = GammaDiagonal("age", 10, 20)
    for parts in ([[AGE], [weak]], [[weak], [AGE]], [[AGE], [AGE], [weak]]):
        made = of_parts(*parts, words={"age": "substitution"})  # type: ignore[arg-type]
        assert made["age"].entropy == weak.entropy() < AGE.entropy()
        assert made.disguised_gamma == weak.amplification()


def test_what_is_plain_in_some_part_costs_nothing_more_in_the_others() -> None:
    words = {"age": "substitution", "car": "substitution"}
    made = of_parts([AGE, CAR], [CAR], words=words)
    assert made.disguised_gamma == CAR.amplification()
    assert made.disclosed == ("age",)
    assert made["age"].gamma is None
    turned = Flip(("town", "street"), 0.75)
    both = of_parts([AGE, turned], words={"age": "substitution", "town": "flip", "street": "flip"})
    assert both.disguised_gamma == AGE.amplification()
    assert both.turned == ("town", "street")
    assert both.disclosed == ()
    assert both.gamma is None


def test_without_records_nothing_is_told() -> None:
    for made in (of_parts(words={}), Claim((), None)):
        assert made.disguised_gamma == 1
        assert made.epsilon == made.disguised_epsilon == 0
        assert (made.private, made.learned, made.seeded) == (True, False, False)


def test_noise_promises_the_interval_that_is_narrowest_at_95_percent() -> None:
    """At 50 and 99.9 % another would be: uniform noise has an end, Gaussian noise a middle."""
    uniform = Noise.uniform("age", low=0, high=80, alpha=21, steps=80)
    gaussian = Noise.gaussian("age", low=0, high=80, sigma=10, steps=80)
    assert uniform.width(0.95) > gaussian.width(0.95)
    assert uniform.width(0.999) < gaussian.width(0.999)
    for parts in ([[uniform], [gaussian]], [[gaussian], [uniform]]):
        made = of_parts(*parts, words={"age": "noise"})  # type: ignore[arg-type]
        assert made["age"].interval == gaussian.interval()
        assert made.noisy == ("age",)
        assert made.gamma is None
    some = of_parts([uniform, CAR], [CAR], words={"age": "noise", "car": "substitution"})
    assert some["age"].interval is None  # plain in the second part
    mixed = of_parts([uniform], [AGE], words={"age": "noise"})
    assert mixed["age"].interval is None
    assert mixed.disclosed == ("age",)


def test_a_claim_is_shown_in_a_line() -> None:
    assert repr(claim()) == "<Claim: ε = 3.18 for 2 disguised together>"
    assert repr(claim(risk="exact")) == "<Claim: ε = 3.18 for 2 disguised together; 1 plain>"
    assert repr(replace(claim(), formal=False)) == "<Claim: no formal guarantee>"
    assert repr(replace(claim(), seeded=True)) == "<Claim: NOT PRIVATE, drawn from a seed>"


def test_a_card_tells_a_person_of_several_records_both_sums() -> None:
    form = replace(claim(risk="exact"), people=People(4)).to_dict()["person"]
    assert form["rows"] == 4
    assert form["epsilon"] is None
    told = 4 * (AGE.epsilon() + CAR.epsilon())
    assert form["epsilon_of_disguised"] == pytest.approx(told)


def test_a_flip_that_leaves_nothing_to_chance_is_plain() -> None:
    words = {"town": "flip", "street": "flip"}
    certain = of_parts([Flip(("town", "street"), 1)], words=words)
    assert certain.turned == ()
    assert certain.disclosed == ("town", "street")
    bit = of_parts([Flip(("town",), 0.75)], words={"town": "flip"})
    assert bit.turned == ()
    assert bit.gamma == 3


def test_an_attribute_that_a_part_lacks_is_promised_by_the_others() -> None:
    words = {"age": "substitution", "car": "substitution"}
    made = of_parts([AGE, CAR], [CAR], words=words, lacking=([], ["age"]))
    assert made["age"].gamma == AGE.amplification()
    assert made.disguised_gamma == AGE.amplification() * CAR.amplification()
    assert made.disclosed == ()


@pytest.mark.parametrize("word", ["monotone", "complement", "unbounded-noise"])
def test_what_is_changed_without_a_bound_leaves_a_record_no_guarantee(word: str) -> None:
    made = of_parts([AGE], words={"age": "substitution", "pay": word})
    assert not made.formal
    assert made.disclosed == ()
    plain = of_parts([AGE], words={"age": "substitution", "pay": "who knows"})
    assert plain.formal
    assert plain.disclosed == ("pay",)


@pytest.mark.parametrize("number", [4, 5, 6, 7, 8, 9])
def test_a_few_noisy_attributes_are_said_one_by_one_and_many_together(number: int) -> None:
    noises = [
        Noise.uniform(f"x{i}", low=0, high=80, alpha=10 * (i + 1), steps=80) for i in range(number)
    ]
    words = dict.fromkeys((f"x{i}" for i in range(number)), "noise") | {"y": "exact"}
    said = of_parts([*noises], words=words).sentences()
    alone = [line for line in said if line.startswith("'x") and "uniform noise" in line]
    together = [line for line in said if line.startswith("Released with noise")]
    assert (len(alone), len(together)) == ((number, 0) if number <= 4 else (0, 1))
    assert any(line.startswith("'y' is released exactly") for line in said)
    if together:
        assert all(f"'x{i}'" in together[0] for i in range(number))
        told = max(noise.interval().narrow for noise in noises)
        assert f"up to {100 * told:.2g} % of records" in together[0]
