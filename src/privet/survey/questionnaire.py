"""Questionnaires: what is asked, of which domain, how each answer is disguised, in which languages.

A questionnaire is a plan for a schema without a class. ``survey.toml`` declares it:

    title = "Health at work"
    consent = "Your answers are disguised on your device."
    gamma = 3

    [questions.smoker]
    ask = "Do you smoke?"
    kind = "yes-no"
    decline = true
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from privet.disguise import JointGroup, Plan, Substitution
from privet.disguise.wish import gamma_of
from privet.errors import BugError, PrivetError, SurveyError
from privet.files.reading import read_toml
from privet.files.sealed import canonical
from privet.schema import Attribute, Schema
from privet.survey.texts import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.channel import Channel
    from privet.disguise.group import Group
    from privet.disguise.recipe import Recipe
    from privet.disguise.treatment import Treatment
    from privet.release import Claim
    from privet.survey.texts import Text

__all__ = ["Option", "Question", "Questionnaire"]


class Option(NamedTuple):
    """One answer that can be ticked: its value in the data, and what people read."""

    value: str
    text: Text


@dataclass(frozen=True)
class Question:
    """One question; ``wish`` is the γ, ε or ρ it asks for, ``fields`` what its kind takes.

    If people may ``decline``, that is a value of its own, which they read as ``declined``.
    """

    name: str
    kind: str
    ask: Text
    help: Text
    options: tuple[Option, ...]
    decline: bool
    declined: Text
    wish: Mapping[str, Any]
    fields: Mapping[str, Any]

    @property
    def where(self) -> str:
        """The question's name in messages."""
        return f"Question {self.name!r}"

    @property
    def columns(self) -> list[str]:
        """The attributes that the question becomes: one, or one per option."""
        if self.kind != "several":
            return [self.name]
        return [f"{self.name}.{option.value}" for option in self.options]

    @property
    def joint(self) -> bool:
        """Whether the options go through one channel together."""
        return bool(self.fields.get("joint", False))

    @property
    def channels(self) -> int:
        """How many channels the question takes: what it costs is that many times its ε."""
        return len(self.options) if self.kind == "several" and not self.joint else 1

    def attributes(self) -> list[Attribute]:
        """Return the attributes with their public domains."""
        missing: Any = "category" if self.decline else "error"
        if self.kind == "several":
            return [Attribute.categorical(name, ["no", "yes"]) for name in self.columns]
        if self.kind in ("yes-no", "one"):
            return [Attribute.categorical(self.name, [option.value for option in self.options])]
        given = self.fields
        if self.kind == "scale":
            points = given["high"] - given["low"] + 1
            return [
                Attribute.numeric(
                    self.name,
                    low=given["low"],
                    high=given["high"],
                    bins=points,
                    integer=True,
                    missing=missing,
                )
            ]
        cells = {word: given[word] for word in ("bins", "edges", "scale", "prior") if word in given}
        return [
            Attribute.numeric(
                self.name,
                low=given["low"],
                high=given["high"],
                integer=given.get("integer", True),
                missing=missing,
                **cells,
            ).with_fixed_cells()
        ]

    def treatment(self, wish: Mapping[str, Any]) -> Substitution:
        """Return how a single attribute of the question is disguised."""
        kind = "band" if self.fields.get("channel") == "band" else "gamma-diagonal"
        return Substitution(kind=kind, **wish)


@dataclass(frozen=True)
class Questionnaire:
    """What is asked, and how each answer is disguised.

    >>> form = {"title": "Smoking", "gamma": 3, "consent": "Disguised on your device."}
    >>> form["questions"] = {"smoker": {"ask": "Do you smoke?", "kind": "yes-no"}}
    >>> asked = Questionnaire.from_dict(form)
    >>> round(asked.claim.epsilon, 3)
    1.099
    """

    title: Text
    consent: Text
    languages: tuple[str, ...]
    questions: tuple[Question, ...]
    wish: Mapping[str, Any]
    texts: Mapping[str, Mapping[str, str]]
    form: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> Questionnaire:
        """Read a ``survey.toml``.

        >>> Questionnaire.read("no-such.toml")
        Traceback (most recent call last):
        privet.errors.SurveyError: ...
        """
        form = read_toml(Path(path), "survey", SurveyError)
        try:
            return cls.from_dict(form)
        except PrivetError as error:
            raise error.placed(path) from None

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Questionnaire:
        """Read a plain form; everything in it is checked, the channels too.

        >>> form = {"title": "Smoking", "gamma": 3, "consent": "Disguised on your device."}
        >>> form["questions"] = {"smoker": {"ask": "Do you smoke?", "kind": "yes-no"}}
        >>> asked = Questionnaire.from_dict(form)
        >>> [question.name for question in asked.questions]
        ['smoker']
        """
        from privet.survey.parse import questionnaire

        return questionnaire(form)

    @cached_property
    def digest(self) -> str:
        """What tells this questionnaire from every other: whose answers are not for this."""
        channels = [channel.to_dict() for channel in self.channels]
        signed = {"form": self.form, "channels": channels}
        return hashlib.sha256(canonical(signed)).hexdigest()

    @cached_property
    def schema(self) -> Schema:
        """The attributes of all questions, in order; no class."""
        return Schema(
            [attribute for question in self.questions for attribute in question.attributes()]
        )

    @cached_property
    def plan(self) -> Plan:
        """What happens to each answer."""
        share = self.wish.get("total")
        total = sum(question.channels for question in self.questions)
        treatments: dict[str, Treatment] = {}
        groups: list[Group] = []
        for question in self.questions:
            wish = question.wish or (self.wish if share is None else {"epsilon": share / total})
            if question.joint:
                gamma = gamma_of(question.where, **wish)
                groups.append(JointGroup(question.columns, gamma))
            else:
                treatment = question.treatment(wish)
                treatments |= dict.fromkeys(question.columns, treatment)
        return Plan(treatments, groups=tuple(groups), wave=None)  # answers come one by one

    @cached_property
    def recipe(self) -> Recipe:
        """The plan worked out for the schema."""
        return self.plan.recipe(self.schema)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that every answer goes through."""
        return self.recipe.channels

    @cached_property
    def claim(self) -> Claim:
        """What is promised to everyone who answers."""
        return self.plan.claim(self.schema)

    def epsilon(self, question: Question) -> float:
        """Return what an answer to a question costs: the sum over its channels.

        >>> form = {"title": "Smoking", "gamma": 3, "consent": "Disguised on your device."}
        >>> form["questions"] = {"smoker": {"ask": "Do you smoke?", "kind": "yes-no"}}
        >>> asked = Questionnaire.from_dict(form)
        >>> round(asked.epsilon(asked.questions[0]), 2)
        1.1
        """
        return math.fsum(channel.epsilon() for channel in self._channels_of(question))

    def amplification(self, question: Question) -> Fraction:
        """Return how much likelier what is sent for a question can be under one answer to it.

        >>> form = {"title": "Pains", "gamma": 3, "consent": "Disguised on your device."}
        >>> asking = {"ask": "What hurts?", "kind": "several", "options": ["back", "head"]}
        >>> asked = Questionnaire.from_dict({**form, "questions": {"pains": asking}})
        >>> asked.amplification(asked.questions[0])
        Fraction(9, 1)
        """
        most = Fraction(1)
        for channel in self._channels_of(question):
            gamma = channel.amplification()
            if gamma is None:
                raise BugError("a survey has a channel without a bound")
            most *= gamma
        return most

    def _channels_of(self, question: Question) -> list[Channel]:
        owned = set(question.columns)
        return [channel for channel in self.channels if owned & set(channel.attributes)]

    def question(self, column: str) -> Question:
        """Return the question that an attribute belongs to.

        >>> form = {"title": "Smoking", "gamma": 3, "consent": "Disguised on your device."}
        >>> form["questions"] = {"smoker": {"ask": "Do you smoke?", "kind": "yes-no"}}
        >>> asked = Questionnaire.from_dict(form)
        >>> asked.question("smoker").kind
        'yes-no'
        """
        return next(question for question in self.questions if column in question.columns)

    def label(self, column: str, language: str) -> str:
        """Return an attribute in words: the question, and the option if there are several.

        >>> form = {"title": "Smoking", "gamma": 3, "consent": "Disguised on your device."}
        >>> form["questions"] = {"smoker": {"ask": "Do you smoke?", "kind": "yes-no"}}
        >>> asked = Questionnaire.from_dict(form)
        >>> asked.label("smoker", asked.languages[0])
        'Do you smoke?'
        """
        question = self.question(column)
        if question.kind != "several":
            return question.ask[language]
        option = question.options[question.columns.index(column)]
        return f"{question.ask[language]} {option.text[language]}"

    def values(self, column: str, language: str) -> list[str]:
        """Return what each code of an attribute is called.

        >>> form = {"title": "Smoking", "gamma": 3, "consent": "Disguised on your device."}
        >>> form["questions"] = {"smoker": {"ask": "Do you smoke?", "kind": "yes-no"}}
        >>> asked = Questionnaire.from_dict(form)
        >>> len(asked.values("smoker", asked.languages[0]))
        2
        """
        question = self.question(column)
        if question.kind in ("yes-no", "one"):
            return [option.text[language] for option in question.options]
        if question.kind == "several":
            words = words_of(self.texts, language)
            return [words["no"], words["yes"]]
        coding = self.schema[column].coding()
        labels = [coding.label(code) for code in range(coding.known)]
        return [*labels, *([question.declined[language]] * coding.missing)]
