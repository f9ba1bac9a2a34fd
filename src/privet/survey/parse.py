"""Reading a questionnaire: every word of ``survey.toml`` is known, every promise can be kept."""

from __future__ import annotations

import re
from difflib import get_close_matches
from string import Formatter
from typing import TYPE_CHECKING, Any

from privet.errors import PlanError, SchemaError, SurveyError
from privet.survey.questionnaire import Option, Question, Questionnaire
from privet.survey.texts import PAGE, check_language, text_of, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.survey.texts import Text

__all__ = ["DECLINED", "KINDS", "questionnaire"]

DECLINED = "prefer not to say"
KINDS = {  # and the words each takes beside the common ones
    "yes-no": set[str](),
    "one": {"options"},
    "several": {"options", "joint"},
    "scale": {"low", "high", "low_text", "high_text", "channel"},
    "number": {"low", "high", "bins", "edges", "scale", "prior", "integer", "unit", "channel"},
}
WISHES = {"gamma", "epsilon", "rho"}
_COMMON = {"ask", "help", "kind", "decline", *WISHES}
_HEAD = {"title", "consent", "languages", "questions", "texts", "total_epsilon", *WISHES}
MOST_QUESTIONS = 100  # a page that a person can be asked to fill in
MOST_OPTIONS = 50
MOST_POINTS = 101  # of a scale: 0 to 100
MOST_JOINT = 16  # boxes of a group: all their combinations are its domain
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


def questionnaire(form: Mapping[str, Any]) -> Questionnaire:
    """Return the questionnaire of a plain form, or say what is wrong with it."""
    _known(form, _HEAD, "The survey")
    languages = _languages(form.get("languages", ["en"]))
    asked = form.get("questions")
    if not isinstance(asked, dict) or not 1 <= len(asked) <= MOST_QUESTIONS:
        message = f"A survey has a table of 1 to {MOST_QUESTIONS} questions."
        raise SurveyError(message, hint='[questions.smoker], then ask = "…" and kind = "yes-no".')
    wish = _wish(form)
    texts = _texts(form.get("texts", {}), languages)
    ticks = {word: _own(word, languages, texts) for word in ("yes", "no", "declined")}
    questions = tuple(
        _question(name, fields, languages, ticks, general=bool(wish))
        for name, fields in asked.items()
    )
    if "total" in wish and any(question.wish for question in questions):
        message = "total_epsilon shares one promise among all questions; "
        message += "a question cannot have a gamma, epsilon or rho of its own beside it."
        raise SurveyError(message, hint="give a general gamma instead of total_epsilon.")
    made = Questionnaire(
        text_of(form.get("title"), languages, "title"),
        text_of(form.get("consent"), languages, "consent"),
        languages,
        questions,
        wish,
        texts,
        dict(form),
    )
    try:
        _ = made.channels
    except (PlanError, SchemaError) as error:
        raise SurveyError(error.message, hint=error.hint) from None
    return made


def _known(form: Any, words: set[str], where: str) -> None:
    if not isinstance(form, dict):
        raise SurveyError(f"{where} must be a table.")
    unknown = sorted(set(form) - words)
    if unknown:
        near = get_close_matches(unknown[0], words, n=1)
        message = f"{where} does not take {unknown[0]!r}; it takes {', '.join(sorted(words))}."
        raise SurveyError(message, hint=f"did you mean {near[0]!r}?" if near else "")


def _languages(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not given or len(set(map(str, given))) < len(given):
        given = [None]
    return tuple(map(check_language, given))


def _wish(form: Mapping[str, Any]) -> dict[str, Any]:
    given = {word: form[word] for word in (*WISHES, "total_epsilon") if word in form}
    if len(given) > 1:
        message = "gamma, epsilon, rho and total_epsilon say the same thing in four ways."
        raise SurveyError(message, hint="give one of them.")
    if "total_epsilon" not in given:
        return given
    total = given["total_epsilon"]
    if not isinstance(total, int | float) or isinstance(total, bool) or not 0 < total < 1000:
        raise SurveyError("total_epsilon must be a number above 0.", hint="total_epsilon = 4.")
    return {"total": float(total)}


def _question(
    name: str, form: Any, languages: Sequence[str], ticks: Mapping[str, Text], *, general: bool
) -> Question:
    where = f"Question {name!r}"
    if not _NAME.fullmatch(name):
        message = f"{where}: a name begins with a letter and has at most 40 letters, digits, "
        raise SurveyError(message + "hyphens and underscores; what people read is in ask.")
    if not isinstance(form, dict):
        raise SurveyError(f"{where} must be a table.")
    kind = form.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise SurveyError(f"{where}: kind must be one of {', '.join(KINDS)}.")
    _known(form, _COMMON | KINDS[kind], where)
    wish = {word: form[word] for word in WISHES if word in form}
    if not wish and not general:
        message = f"{where}: nothing says how its answers are disguised."
        hint = (
            "gamma = 3 here or for the whole survey, or total_epsilon = 4; 3 keeps 75 % of yes/no."
        )
        raise SurveyError(message, hint=hint)
    decline = form.get("decline", False)
    if not isinstance(decline, bool | str | dict):
        message = f"{where}: decline must be true, false or what people read."
        raise SurveyError(message, hint='decline = true, or decline = "Don\'t know".')
    declined = ticks["declined"]
    if not isinstance(decline, bool):
        declined, decline = text_of(decline, languages, f"{where}, decline"), True
    return Question(
        name,
        kind,
        text_of(form.get("ask"), languages, f"{where}, ask"),
        text_of(form.get("help"), languages, f"{where}, help", needed=False),
        _options(form, kind, languages, {**ticks, "declined": declined}, where, decline=decline),
        decline,
        declined,
        wish,
        _fields(form, kind, languages, where),
    )


def _options(
    form: Mapping[str, Any],
    kind: str,
    languages: Sequence[str],
    ticks: Mapping[str, Text],
    where: str,
    *,
    decline: bool,
) -> tuple[Option, ...]:
    """Return the answers that can be ticked; declining is one of them."""
    if kind in ("scale", "number"):
        return ()
    last = [Option(DECLINED, ticks["declined"])] if decline else []
    if kind == "yes-no":
        return (Option("yes", ticks["yes"]), Option("no", ticks["no"]), *last)
    given = form.get("options")
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_OPTIONS:
        message = f"{where}: options must be a list of 2 to {MOST_OPTIONS} answers."
        raise SurveyError(message, hint='options = ["never", "weekly", "daily"].')
    made = [_option(option, languages, where) for option in given] + last
    values = [option.value for option in made]
    if len(set(values)) < len(values):
        raise SurveyError(f"{where}: an option is listed twice.")
    if form.get("joint") and len(made) > MOST_JOINT:
        message = f"{where}: at most {MOST_JOINT} options go through one channel together."
        raise SurveyError(message, hint="leave out joint: each option then has its own.")
    return tuple(made)


def _option(given: Any, languages: Sequence[str], where: str) -> Option:
    if isinstance(given, str):
        return Option(given, text_of(given, languages, f"{where}, options"))
    if not isinstance(given, dict) or not isinstance(given.get("value"), str):
        message = f"{where}: an option is a text, or a table with a value and a text per language."
        raise SurveyError(message, hint='{ value = "never", en = "Never", de = "Nie" }.')
    texts = {word: text for word, text in given.items() if word != "value"}
    return Option(given["value"], text_of(texts or given["value"], languages, f"{where}, options"))


def _own(word: str, languages: Sequence[str], texts: Mapping[str, Mapping[str, str]]) -> Text:
    """Return one of the page's own texts, in every language."""
    return {language: words_of(texts, language)[word] for language in languages}


def _fields(
    form: Mapping[str, Any], kind: str, languages: Sequence[str], where: str
) -> dict[str, Any]:
    given = {word: form[word] for word in KINDS[kind] - {"options"} if word in form}
    if not isinstance(given.get("joint", False), bool):
        raise SurveyError(f"{where}: joint must be true or false.")
    if given.get("channel", "band") != "band":
        message = f"{where}: channel can only be 'band'; without it any other value may be sent."
        raise SurveyError(message)
    for word in ("low_text", "high_text", "unit"):
        if word in given:
            given[word] = text_of(given[word], languages, f"{where}, {word}")
    if kind in ("scale", "number"):
        ends = [given.get(end) for end in ("low", "high")]
        kinds = (int,) if kind == "scale" else (int, float)
        if not all(isinstance(end, kinds) and not isinstance(end, bool) for end in ends):
            message = f"{where} needs low and high, {'whole ' if kind == 'scale' else ''}numbers."
            raise SurveyError(message, hint="low = 1 and high = 5.")
        if kind == "scale" and not 1 <= ends[1] - ends[0] < MOST_POINTS:  # type: ignore[operator]  # both are numbers
            raise SurveyError(f"{where}: a scale has 2 to {MOST_POINTS} points, low to high.")
    return given


def _texts(given: Any, languages: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the page's texts that the survey words itself; their places must be the page's."""
    _known(given, set(languages), "texts")
    for language, texts in given.items():
        _known(texts, set(PAGE["en"]), f"texts.{language}")
        for word, text in texts.items():
            where = f"texts.{language}.{word}"
            said = text_of(text, [language], where)[language]
            places = {name for _, name, _, _ in Formatter().parse(PAGE["en"][word]) if name}
            try:
                named = {name for _, name, _, _ in Formatter().parse(said) if name is not None}
            except ValueError:
                named = {""}
            if not named <= places:
                allowed = ", ".join(f"{{{name}}}" for name in sorted(places)) or "none"
                raise SurveyError(f"{where}: places for numbers are {allowed}.")
    return {language: dict(texts) for language, texts in given.items()}
