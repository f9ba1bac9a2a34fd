"""What a number of people would tell, before anybody is asked: errors, and the promise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.errors import InputError
from privet.estimate.linear import left_inverse
from privet.estimate.shares import covariances
from privet.release.claim import PRIORS, posterior
from privet.survey.texts import kept

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.survey.questionnaire import Question, Questionnaire

__all__ = ["CLEAR", "SHARE", "Expected", "Forecast", "Z", "forecast", "matrix_of"]

Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
CLEAR = 0.1  # an interval within ten points on either side tells something; wider is greyed
SHARE = 0.2  # of the value whose error is told: common enough to matter, rare enough to be hard


class Expected(NamedTuple):
    """What a question would tell: 95 % half-width of a share of 20 %, and what it costs.

    ``worst`` is the widest half-width of all its values, by which the results' page greys a
    question out; with ``needed`` people it would not.
    """

    name: str
    kind: str
    values: int
    gamma: float
    keep: float
    half_width: float
    plain: float
    epsilon: float
    channels: int
    worst: float
    needed: int


@dataclass(frozen=True)
class Forecast:
    """What ``people`` answers would tell of every question, and what is promised to each person."""

    people: int
    questions: tuple[Expected, ...]
    epsilon: float
    posterior: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything a program may want."""
        questions = [expected._asdict() for expected in self.questions]
        return {
            "people": self.people,
            "share": SHARE,
            "questions": questions,
            "epsilon": self.epsilon,
            "posterior_of_5_percent": self.posterior,
        }

    def lines(self) -> list[str]:
        """Say it in words."""
        said = [
            (
                f"What {self.people:,} people would tell (95 % intervals; in brackets what plain "
                "answers would tell):"
            )
        ]
        width = max(len(question.name) for question in self.questions)
        for question in self.questions:
            costs = f"ε = {question.epsilon:.2f}"
            if question.channels > 1:
                costs += f" ({question.channels} × {question.epsilon / question.channels:.2f})"
            said.append(
                f"  {question.name:{width}}  {question.values} values: {100 * SHARE:.0f} % "
                f"± {100 * question.half_width:.1f} ({100 * question.plain:.1f}) "
                f"at γ = {question.gamma:.3g}, {100 * question.keep:.3g} % kept; {costs}"
            )
        said += [
            (
                f"What is promised: ε = {self.epsilon:.2f} for all answers of a person together. "
                "What someone guesses about them with 5 % rises to "
                f"{100 * self.posterior:.3g} % at most."
            )
        ]
        greyed = [question for question in self.questions if question.worst > CLEAR]
        if greyed:
            names = ", ".join(
                f"{question.name} (clear from about {question.needed:,} people on)"
                for question in greyed
            )
            said.append(
                f"Greyed out on the results' page, as intervals would be wider than "
                f"± {100 * CLEAR:.0f} points: {names}."
            )
        hard = [question.name for question in self.questions if question.half_width > SHARE]
        if hard:
            said.append(
                f"Too few people, or too strong a disguise, for {', '.join(hard)}: the interval of "
                "a share of 20 % would include 0. Ask more people, use a larger gamma, or offer "
                "fewer values."
            )
        return said


def forecast(questionnaire: Questionnaire, people: int = 500) -> Forecast:
    """Return what so many people would tell, drawn at random from those it is about."""
    if isinstance(people, bool) or not isinstance(people, int) or people < 1:
        raise InputError("people must be a whole number of at least 1.")
    claim = questionnaire.claim
    return Forecast(
        people,
        tuple(_expected(questionnaire, question, people) for question in questionnaire.questions),
        claim.disguised_epsilon,
        float(posterior(PRIORS[1], claim.disguised_gamma)),
    )


def matrix_of(questionnaire: Questionnaire, column: str) -> Floats:
    """Return the law of what is sent for an attribute, (outputs, values)."""
    channel = next(channel for channel in questionnaire.channels if column in channel.attributes)
    return channel.marginal([column])


def _expected(questionnaire: Questionnaire, question: Question, people: int) -> Expected:
    column = question.columns[0]
    channel = next(channel for channel in questionnaire.channels if column in channel.attributes)
    matrix = matrix_of(questionnaire, column)
    values = matrix.shape[1]
    shares = np.full(values, (1 - SHARE) / (values - 1))
    shares[-1] = SHARE
    counts = people * (matrix @ shares)
    weights = left_inverse(matrix, counts)
    _, sampling = covariances(weights, counts, shares)
    worst = Z * math.sqrt(sampling.diagonal().max()) / people
    return Expected(
        question.name,
        question.kind,
        values,
        float(channel.amplification() or math.inf),
        kept(channel),
        Z * math.sqrt(sampling[-1, -1]) / people,
        Z * math.sqrt(SHARE * (1 - SHARE) / people),
        questionnaire.epsilon(question),
        question.channels,
        worst,
        math.ceil(people * (worst / CLEAR) ** 2),
    )
