"""The pages as text: Jinja fills in what the questionnaire says, and escapes all of it."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from privet.release.claim import PRIORS, posterior
from privet.survey.texts import explained, number_in, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from jinja2 import Template
    from starlette.requests import Request

    from privet.survey import Question, Questionnaire

__all__ = ["Pages", "language_of"]

_FOLDER = Path(__file__).with_name("pages")


@cache
def _template(name: str) -> Template:
    loader = FileSystemLoader(_FOLDER)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return made.get_template(name)


def language_of(request: Request, languages: Sequence[str]) -> str:
    """Return the language asked for by the address, else the first the browser likes, else ours."""
    asked = request.query_params.get("lang", "")
    if asked in languages:
        return asked
    for part in request.headers.get("accept-language", "")[:200].split(","):
        word = part.split(";")[0].strip()
        for language in languages:
            if language in (word, word.split("-")[0]):
                return language
    return languages[0]


def _raised(gamma: Fraction | None) -> str:
    """Return how far a belief of 5 % can rise, in percent, rounded up: it is a bound."""
    return f"{math.ceil(10_000 * posterior(PRIORS[1], gamma)) / 100:g}"


class Pages:
    """A survey's pages, one per language, made when they are first asked for."""

    def __init__(self, questionnaire: Questionnaire, *, invited: bool) -> None:
        self._asked = questionnaire
        self._invited = invited
        self._made: dict[tuple[str, str], str] = {}

    def respondent(self, language: str) -> str:
        """Return the page with the questions."""
        return self._page("respondent.html", language)

    def results(self, language: str) -> str:
        """Return the researcher's page, without a single number."""
        return self._page("results.html", language)

    def _page(self, name: str, language: str) -> str:
        if (name, language) not in self._made:
            self._made[name, language] = _template(name).render(self._filled(language))
        return self._made[name, language]

    def _filled(self, language: str) -> dict[str, Any]:
        asked = self._asked
        words = words_of(asked.texts, language)
        questions = [self._question(question, language, words) for question in asked.questions]
        # About one question: what its own channels tell, several of them for boxes.
        single = max(map(asked.amplification, asked.questions))
        bound = words["bound"].format(
            single=number_in(words, _raised(single)),
            most=number_in(words, _raised(asked.claim.disguised_gamma)),
            epsilon=number_in(words, f"{asked.claim.epsilon:.2f}"),
        )
        script = {
            "digest": asked.digest,
            "invited": self._invited,
            "channels": [channel.to_dict() for channel in asked.channels],
            "columns": asked.schema.names,
            "questions": [question["script"] for question in questions],
            "words": words,
        }
        return {
            "asked": asked,
            "language": language,
            "words": words,
            "questions": questions,
            "bound": bound,
            "invited": self._invited,
            "script": json.dumps(script, ensure_ascii=False),
            "columns": json.dumps(
                [(name, asked.label(name, language)) for name in asked.schema.names],
                ensure_ascii=False,
            ),
        }

    def _question(self, question: Question, language: str, words: dict[str, str]) -> dict[str, Any]:
        """Return what the template and the script need to know of a question."""
        asked = self._asked
        sentence, keep = explained(asked, question, words)
        script: dict[str, Any] = {
            "name": question.name,
            "kind": question.kind,
            "ask": question.ask[language],
            "columns": question.columns,
            "labels": [asked.values(column, language) for column in question.columns],
            "sent": [self._sent(column, language) for column in question.columns],
        }
        if question.kind == "several":
            script["options"] = [option.text[language] for option in question.options]
        texts = {
            word: question.fields[word][language] if word in question.fields else ""
            for word in ("low_text", "high_text", "unit")
        }
        if question.kind == "number":
            attribute = asked.schema[question.name]
            coding = attribute.coding()
            low, high = attribute.range
            script |= {
                "low": low,
                "high": high,
                "integer": attribute.integer,
                "edges": coding.edges[: coding.known - 1].tolist(),
            }
            text = words["whole" if attribute.integer else "number"]
            texts["range"] = text.format(
                low=number_in(words, f"{low:.10g}"), high=number_in(words, f"{high:.10g}")
            )
        return {
            "question": question,
            "script": script,
            "sentence": sentence,
            "keep": round(100 * keep, 2),
            "shares": [number_in(words, f"{100 * share:.3g}") for share in (keep, 1 - keep)],
            "near": question.fields.get("channel") == "band",
            "options": [option.text[language] for option in question.options]
            or asked.values(question.columns[0], language),
            "texts": texts,
        }

    def _sent(self, column: str, language: str) -> list[str]:
        """Return what each code is called once disguised: a band has some beyond either end."""
        labels = self._asked.values(column, language)
        channel = next(channel for channel in self._asked.channels if column in channel.attributes)
        size = channel.outputs[channel.attributes.index(column)]
        beyond = (size - len(labels)) // 2
        return [f"< {labels[0]}"] * beyond + labels + [f"> {labels[-1]}"] * beyond
