"""A questionnaire with every kind of question, in two languages, for the tests of surveys."""

from typing import Any

from privet.survey import Questionnaire

FORM: dict[str, Any] = {
    "title": {"en": "Health at work", "de": "Gesund bei der Arbeit"},
    "consent": {"en": "Taking part is voluntary.", "de": "Die Teilnahme ist freiwillig."},
    "languages": ["en", "de"],
    "gamma": 3,
    "questions": {
        "smoker": {
            "ask": {"en": "Do you smoke?", "de": "Rauchen Sie?"},
            "kind": "yes-no",
        },
        "drink": {
            "ask": {"en": "How often do you drink?", "de": "Wie oft trinken Sie?"},
            "kind": "one",
            "decline": True,
            "options": [
                {"value": "never", "en": "Never", "de": "Nie"},
                {"value": "weekly", "en": "Every week", "de": "Jede Woche"},
                {"value": "daily", "en": "Every day", "de": "Jeden Tag"},
            ],
            "gamma": 5,
        },
        "pains": {
            "ask": {"en": "What hurts?", "de": "Was tut weh?"},
            "kind": "several",
            "options": ["back", "head", "hands"],
        },
        "meals": {
            "ask": {"en": "What did you eat?", "de": "Was haben Sie gegessen?"},
            "kind": "several",
            "options": ["fruit", "meat"],
            "joint": True,
            "gamma": 9,
        },
        "stress": {
            "ask": {"en": "How stressful is it?", "de": "Wie anstrengend ist es?"},
            "kind": "scale",
            "low": 1,
            "high": 5,
            "low_text": {"en": "not at all", "de": "gar nicht"},
            "high_text": {"en": "very", "de": "sehr"},
            "decline": True,
            "gamma": 6,
        },
        "hours": {
            "ask": {"en": "Hours per week?", "de": "Stunden pro Woche?"},
            "kind": "number",
            "low": 0,
            "high": 80,
            "bins": 8,
            "channel": "band",
            "gamma": 8,
        },
    },
}


def asked(**changes: Any) -> Questionnaire:
    """The questionnaire, some words of its head changed."""
    return Questionnaire.from_dict({**FORM, **changes})


def question(**fields: Any) -> Questionnaire:
    """A questionnaire of one question."""
    form = {"title": "T", "consent": "C", "gamma": 3}
    return Questionnaire.from_dict({**form, "questions": {"q": {"ask": "Q?", **fields}}})
