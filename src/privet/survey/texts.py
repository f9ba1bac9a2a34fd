"""What people read: texts in several languages, and what happens to an answer, in plain words.

The questionnaire's own texts come from its file. The page's are here in English and German; a file
may bring others, or its own wording, in ``[texts.LANGUAGE]``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from privet.channel import Band, JointGammaDiagonal
from privet.errors import SurveyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.channel import Channel
    from privet.survey.questionnaire import Question, Questionnaire

    Text: TypeAlias = Mapping[str, str]

__all__ = ["PAGE", "check_language", "explained", "kept", "number_in", "text_of", "words_of"]

LONGEST = 5_000  # characters of a text
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")

PAGE: dict[str, dict[str, str]] = {
    "en": {
        "decimal": ".",
        "yes": "Yes",
        "no": "No",
        "declined": "Prefer not to say",
        "choose": "Please choose an answer.",
        "number": "Please give a number from {low} to {high}.",
        "whole": "Please give a whole number from {low} to {high}.",
        "several": "You may tick several, or none.",
        "what": "What happens to your answers",
        "before": "Your answers do not leave this device as they are. When you press Send, chance "
        "decides once, here, what is sent in the place of each. Nobody can tell afterwards "
        "which answers were changed: not the people who ask, and not anyone who sees their data. "
        "From all answers together they can still work out how common each one is.",
        "same": "Your device keeps your answer with a probability of {keep} %, and otherwise sends "
        "one of the other {others} by chance.",
        "two": "Your device keeps your answer with a probability of {keep} %, and otherwise sends "
        "the other one.",
        "each": "For each of the {boxes} boxes, your device keeps your choice with a probability "
        "of {keep} % and otherwise turns it round.",
        "joint": "Your device keeps all your ticks together with a probability of {keep} %, and "
        "otherwise sends another combination by chance.",
        "near": "Your device sends a number near yours with a probability of {keep} %, and "
        "otherwise any other by chance.",
        "kept": "kept",
        "changed": "changed",
        "near_bar": "near yours",
        "far_bar": "any other",
        "bound": "What someone guesses about you with 5 %, they can guess with at most {single} % "
        "after seeing what was sent for one question, and with at most {most} % after seeing all "
        "of it (ε = {epsilon}).",
        "show": "Show me, with a made-up answer",
        "made_up": "Made-up answer",
        "would": "would be sent as",
        "tally": "{kept} of {all} kept so far",
        "once": "Chance decides once, when you press Send. Nothing can be changed after that.",
        "again": "This link can be opened by anyone and more than once. The promise holds for each "
        "time you answer; please answer once.",
        "send": "Send disguised answers",
        "sending": "Sending …",
        "sent": "Thank you. Your disguised answers were received.",
        "waiting": "Your answers are disguised and kept on this device. They will be sent as soon "
        "as there is a connection; you can also open this page again later.",
        "refused": "The survey did not take the answers:",
        "closed": "it is closed.",
        "uninvited": "this link is not an invitation to it.",
        "seen": "What was sent for you",
        "differs": "Some of it may differ from what you answered. That is the disguise: nobody can "
        "tell which.",
        "script": "This survey needs JavaScript: your answers are disguised by your own device "
        "before they are sent.",
        "invited": "This survey is by invitation. Please open it by the link you were given.",
        "missing": "Some questions have no answer yet.",
        "language": "Language",
        "unsaved": "This browser does not let the page keep anything. Please do not reload it "
        "before your answers were received.",
    },
    "de": {
        "decimal": ",",
        "yes": "Ja",
        "no": "Nein",
        "declined": "Keine Angabe",
        "choose": "Bitte wählen Sie eine Antwort.",
        "number": "Bitte geben Sie eine Zahl von {low} bis {high} an.",
        "whole": "Bitte geben Sie eine ganze Zahl von {low} bis {high} an.",
        "several": "Sie können mehrere ankreuzen, oder keines.",
        "what": "Was mit Ihren Antworten geschieht",
        "before": "Ihre Antworten verlassen dieses Gerät nicht so, wie sie sind. Wenn Sie auf "
        "Senden drücken, entscheidet hier ein einziges Mal der Zufall, was an Stelle jeder Antwort "
        "gesendet wird. Niemand kann danach sagen, welche Antworten geändert wurden: weder die "
        "Fragenden, noch wer sonst ihre Daten sieht. Aus allen Antworten zusammen lässt sich "
        "trotzdem errechnen, wie häufig jede ist.",
        "same": "Ihr Gerät behält Ihre Antwort mit einer Wahrscheinlichkeit von {keep} % und "
        "sendet sonst zufällig eine der {others} anderen.",
        "two": "Ihr Gerät behält Ihre Antwort mit einer Wahrscheinlichkeit von {keep} % und sendet "
        "sonst die andere.",
        "each": "Bei jedem der {boxes} Kästchen behält Ihr Gerät Ihre Wahl mit einer "
        "Wahrscheinlichkeit von {keep} % und kehrt sie sonst um.",
        "joint": "Ihr Gerät behält alle Kreuze zusammen mit einer Wahrscheinlichkeit von {keep} % "
        "und sendet sonst zufällig eine andere Kombination.",
        "near": "Ihr Gerät sendet mit einer Wahrscheinlichkeit von {keep} % eine Zahl nahe der "
        "Ihren und sonst zufällig irgendeine andere.",
        "kept": "behalten",
        "changed": "geändert",
        "near_bar": "nahe der Ihren",
        "far_bar": "irgendeine",
        "bound": "Was jemand mit 5 % über Sie vermutet, kann er mit höchstens {single} % vermuten, "
        "wenn er das zu einer Frage Gesendete kennt, und mit höchstens {most} %, wenn er alles "
        "kennt (ε = {epsilon}).",
        "show": "Zeigen, mit einer erfundenen Antwort",
        "made_up": "Erfundene Antwort",
        "would": "würde gesendet als",
        "tally": "bisher {kept} von {all} behalten",
        "once": "Der Zufall entscheidet ein Mal, wenn Sie auf Senden drücken. Danach lässt sich "
        "nichts mehr ändern.",
        "again": "Diesen Link kann jeder und mehrmals öffnen. Das Versprechen gilt für jedes Mal, "
        "das Sie antworten; bitte antworten Sie ein Mal.",
        "send": "Verschleierte Antworten senden",
        "sending": "Wird gesendet …",
        "sent": "Danke. Ihre verschleierten Antworten sind angekommen.",
        "waiting": "Ihre Antworten sind verschleiert und auf diesem Gerät aufgehoben. Sie werden "
        "gesendet, sobald es eine Verbindung gibt; Sie können diese Seite auch später öffnen.",
        "refused": "Die Umfrage hat die Antworten nicht angenommen:",
        "closed": "Sie ist geschlossen.",
        "uninvited": "Dieser Link ist keine Einladung zu ihr.",
        "seen": "Was für Sie gesendet wurde",
        "differs": "Manches davon kann anders sein als Ihre Antwort. Das ist die Verschleierung: "
        "Niemand kann sagen, was.",
        "script": "Diese Umfrage braucht JavaScript: Ihr eigenes Gerät verschleiert Ihre "
        "Antworten, bevor sie gesendet werden.",
        "invited": "Diese Umfrage geht nur mit Einladung. Bitte öffnen Sie den Link, den Sie "
        "bekommen haben.",
        "missing": "Einige Fragen haben noch keine Antwort.",
        "language": "Sprache",
        "unsaved": "Dieser Browser lässt die Seite nichts aufheben. Bitte laden Sie sie nicht neu, "
        "bevor Ihre Antworten angekommen sind.",
    },
}


def check_language(word: object) -> str:
    """Return the name of a language: en, de, pt-BR."""
    if not isinstance(word, str) or not _LANGUAGE.fullmatch(word):
        message = "languages must be a list of their short names, each once."
        raise SurveyError(message, hint='languages = ["en", "de"].')
    return word


def text_of(given: Any, languages: Sequence[str], where: str, *, needed: bool = True) -> Text:
    """Return a text in every language: one for all, or a table with one each.

    >>> text_of("Age", ["en", "de"], "Question 'age'")
    {'en': 'Age', 'de': 'Age'}
    """
    if given is None and not needed:
        return dict.fromkeys(languages, "")
    texts = given if isinstance(given, dict) else dict.fromkeys(languages, given)
    unknown = sorted(set(texts) - set(languages))
    if unknown:
        message = f"{where}: the language {unknown[0]!r} is not among {', '.join(languages)}."
        raise SurveyError(message, hint="list it in languages.")
    for language in languages:
        text = texts.get(language)
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            message = f"{where}: a text is expected for {language!r}, of 1 to {LONGEST:,} letters."
            raise SurveyError(message, hint='"Do you smoke?", or { en = "…", de = "…" }.')
    return {language: texts[language].strip() for language in languages}


def words_of(texts: Mapping[str, Mapping[str, str]], language: str) -> dict[str, str]:
    """Return the page's own texts in a language, a survey's wording first; the rest in English."""
    base = PAGE.get(language) or PAGE.get(language.split("-", maxsplit=1)[0]) or {}
    return {**PAGE["en"], **base, **texts.get(language, {})}


def number_in(words: Mapping[str, str], number: str) -> str:
    """Return a number with the decimal sign of a language.

    >>> number_in(PAGE["de"], "62.5")
    '62,5'
    """
    return number.replace(".", words["decimal"])


def kept(channel: Channel) -> float:
    """Return the probability that what is sent is the answer itself, or near it in a band."""
    if isinstance(channel, Band):
        return channel.width * channel.high / channel.scale
    return float(channel.diagonal / channel.scale)  # type: ignore[attr-defined]  # surveys have no other kind


def explained(
    questionnaire: Questionnaire, question: Question, words: Mapping[str, str]
) -> tuple[str, float]:
    """Return what happens to an answer in a sentence, and the probability in it."""
    channel = next(
        channel for channel in questionnaire.channels if question.columns[0] in channel.attributes
    )
    keep = kept(channel)
    shown = number_in(words, f"{100 * keep:.3g}")
    if isinstance(channel, JointGammaDiagonal):
        return words["joint"].format(keep=shown), keep
    if question.kind == "several":
        return words["each"].format(keep=shown, boxes=len(question.columns)), keep
    if isinstance(channel, Band):
        return words["near"].format(keep=shown), keep
    if channel.input_size == 2:
        return words["two"].format(keep=shown), keep
    return words["same"].format(keep=shown, others=channel.input_size - 1), keep
