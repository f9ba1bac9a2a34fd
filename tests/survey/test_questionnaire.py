"""Questionnaires: every kind of question, the promise they add up to, and what is refused."""

import math
from pathlib import Path
from typing import Any

import pytest

from privet.errors import SurveyError
from privet.schema import Schema
from privet.survey import Questionnaire, forecast
from privet.survey.forecast import CLEAR
from privet.survey.parse import DECLINED
from privet.survey.texts import PAGE, explained, words_of
from tests.survey.asked import FORM, asked, question


def test_every_kind_becomes_attributes() -> None:
    made = asked()
    assert made.schema.names == [
        "smoker",
        "drink",
        *("pains.back", "pains.head", "pains.hands"),
        *("meals.fruit", "meals.meat"),
        "stress",
        "hours",
    ]
    assert made.schema["drink"].values == ("never", "weekly", "daily", DECLINED)
    assert made.schema["stress"].coding().size == 6
    assert made.schema.goal is None
    assert Schema.from_dict(made.schema.to_dict()) == made.schema


def test_the_promise_is_the_sum_over_all_channels() -> None:
    made = asked()
    gammas = [3, 5, 3, 3, 3, 9, 6, 8]
    assert made.claim.epsilon == pytest.approx(sum(map(math.log, gammas)), abs=1e-6)
    costs = {one.name: made.epsilon(one) for one in made.questions}
    assert costs["pains"] == pytest.approx(3 * math.log(3), abs=1e-6)
    assert costs["meals"] == pytest.approx(math.log(9), abs=1e-6)
    assert sum(costs.values()) == pytest.approx(made.claim.epsilon)
    assert made.claim.disclosed == ()


def test_one_overall_promise_is_shared_among_channels() -> None:
    questions = {
        name: {word: value for word, value in form.items() if word != "gamma"}
        for name, form in FORM["questions"].items()
    }
    form = {word: value for word, value in FORM.items() if word != "gamma"}
    made = Questionnaire.from_dict({**form, "questions": questions, "total_epsilon": 4})
    assert 3.999 < made.claim.epsilon <= 4
    assert len({round(channel.epsilon(), 4) for channel in made.channels}) == 1


def test_what_happens_is_said_in_every_language() -> None:
    assert set(PAGE["de"]) == set(PAGE["en"])
    made = asked()
    said = [explained(made, one, words_of({}, "de")) for one in made.questions]
    assert said[0][0] == PAGE["de"]["two"].format(keep="75")
    assert said[0][1] == pytest.approx(0.75)
    assert "3 Kästchen" in said[2][0]
    for sentence, keep in said:
        assert f"{100 * keep:.3g}".replace(".", ",") in sentence
    assert "62.5 %" in explained(made, made.questions[1], words_of({}, "en"))[0]
    assert "62,5 %" in said[1][0]
    own = asked(texts={"de": {"yes": "Jawohl"}})
    assert own.questions[0].options[0].text == {"en": "Yes", "de": "Jawohl"}


def test_another_question_is_another_questionnaire() -> None:
    assert asked().digest == asked().digest
    assert asked().digest != asked(gamma=4).digest
    assert asked().digest != asked(title="Other").digest


def test_a_forecast_is_the_textbook_error_of_randomized_response() -> None:
    # Warner (1965): var = p(1−p)/n + θ(1−θ) / (n (2θ−1)²), here θ = ¾ and p = 20 %.
    (told,) = forecast(question(kind="yes-no"), 500).questions
    variance = (0.2 * 0.8 + 0.75 * 0.25 / 0.25) / 500
    assert told.half_width == pytest.approx(1.96 * math.sqrt(variance), rel=1e-4)
    lines = forecast(asked(), 500).lines()
    assert any("ε = 3.30 (3 × 1.10)" in line for line in lines)
    assert any("20 % ± 8.4" in line for line in lines)


def test_a_forecast_says_which_questions_would_be_grey_and_until_when() -> None:
    told = forecast(asked(), 300)
    (line,) = [line for line in told.lines() if line.startswith("Greyed out")]
    for one in told.questions:
        grey = one.worst > CLEAR
        assert (f"{one.name} (clear from about {one.needed:,} people on)" in line) is grey
        assert max(one.half_width, 0.1 * grey) <= one.worst
    hardest = max(told.questions, key=lambda one: one.needed)
    assert not any(one.worst > CLEAR for one in forecast(asked(), hardest.needed).questions)
    few = forecast(asked(), hardest.needed - 1).questions
    assert hardest.name in [one.name for one in few if one.worst > CLEAR]
    assert not any("Greyed" in line for line in forecast(asked(), hardest.needed).lines())


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no questions": ({"questions": {}}, "1 to 100 questions"),
    "a word nobody knows": ({"titel": "x"}, "'titel'.*Hint: did you mean 'title'"),
    "no title": ({"title": None}, "title: a text is expected"),
    "a language too few": ({"title": {"en": "x"}}, "expected for 'de'"),
    "a language too many": ({"title": {"en": "x", "de": "x", "fr": "x"}}, "'fr' is not among"),
    "a language twice": ({"languages": ["en", "en"]}, "each once"),
    "two promises": ({"epsilon": 1}, "four ways"),
    "a promise twice": ({"gamma": 0.5}, "above 1"),
    "no number for a promise": ({"gamma": "three"}, "above 1"),
    "a text with a foreign place": ({"texts": {"en": {"same": "{0.__class__}"}}}, "places"),
    "a text nobody asks for": ({"texts": {"en": {"hello": "x"}}}, "'hello'"),
}
WRONG_QUESTION: dict[str, tuple[dict[str, Any], str]] = {
    "no kind": ({}, "kind must be one of"),
    "a kind nobody knows": ({"kind": "essay"}, "kind must be one of yes-no"),
    "one option": ({"kind": "one", "options": ["a"]}, "2 to 50"),
    "an option twice": ({"kind": "one", "options": ["a", "a"]}, "listed twice"),
    "an option without value": ({"kind": "one", "options": [{"en": "a"}, "b"]}, "a value"),
    "declining as an option": (
        {"kind": "one", "decline": True, "options": ["a", DECLINED]},
        "twic",
    ),
    "a scale without ends": ({"kind": "scale", "low": 1}, "low and high"),
    "a scale flipped": ({"kind": "scale", "low": 5, "high": 1}, "2 to 101 points"),
    "a number flipped": ({"kind": "number", "low": 5, "high": 1}, "low is above high"),
    "options of a scale": ({"kind": "scale", "low": 1, "high": 5, "options": []}, "not take 'opt"),
    "a channel nobody knows": ({"kind": "number", "low": 1, "high": 5, "channel": "x"}, "'band'"),
    "decline as a number": ({"kind": "yes-no", "decline": 3}, "true, false or what people read"),
    "two wishes": ({"kind": "yes-no", "gamma": 3, "epsilon": 1}, "same thing"),
    "too many together": (
        {"kind": "several", "joint": True, "options": [str(i) for i in range(20)]},
        "at most 16",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(case: str) -> None:
    changes, message = WRONG[case]
    with pytest.raises(SurveyError, match=message):
        asked(**changes)


@pytest.mark.parametrize("case", WRONG_QUESTION)
def test_what_is_wrong_with_a_question_is_said(case: str) -> None:
    fields, message = WRONG_QUESTION[case]
    with pytest.raises(SurveyError, match=message):
        question(**fields)


def test_a_disguise_must_be_chosen() -> None:
    form = {"title": "T", "consent": "C", "questions": {"q": {"ask": "Q?", "kind": "yes-no"}}}
    with pytest.raises(SurveyError, match="nothing says how"):
        Questionnaire.from_dict(form)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(
        'title = "T"\nconsent = "C"\ngamma = 3\n[questions.q]\nask = "Q?"\nkind = "x"\n'
    )
    with pytest.raises(SurveyError, match=r"survey\.toml: Question 'q'"):
        Questionnaire.read(path)
    path.write_text(path.read_text().replace('"x"', '"yes-no"'))
    assert Questionnaire.read(path).schema.names == ["q"]
    path.write_text("title = ")
    with pytest.raises(SurveyError, match="not valid TOML"):
        Questionnaire.read(path)


def test_declining_is_a_value_of_its_own_in_words_of_ones_own() -> None:
    unsure = {"en": "Don't know", "de": "Weiß nicht"}
    for kind in ({"kind": "yes-no"}, {"kind": "scale", "low": 1, "high": 3}):
        fields = {"ask": "Q?", **kind, "decline": unsure}
        made = asked(questions={"q": fields})
        assert made.values("q", "en")[-1] == "Don't know"
        assert made.values("q", "de")[-1] == "Weiß nicht"
        assert made.schema["q"].coding().size == len(made.values("q", "en"))
