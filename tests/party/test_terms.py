"""Terms instead of data: the same tree, from counts alone."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privet.errors import MethodError, PlanError, ReleaseError
from privet.estimators import TreeClassifier
from privet.party import PartyRelease, join
from privet.party.terms import Answer, Question, answer, grow_by_terms
from privet.tree.policy import Policy
from tests.party.study import RECORDS, agreed, everyone, people, send, some

AGREED = agreed(RECORDS)


def parties(rows: int = 20_000) -> dict[str, PartyRelease]:
    frame = people(rows)
    half = rows // 2
    return {
        "north": send("north", some(frame, slice(0, half)), AGREED),
        "south": send("south", some(frame, slice(half, None)), AGREED),
    }


@pytest.mark.parametrize("policy", ["id3", "cart"])
def test_the_tree_is_that_of_the_joined_release(policy: str) -> None:
    sent = parties()
    asked = []

    def ask(question: Question) -> dict[str, Answer]:
        asked.append(question)
        through = Question.from_json(question.to_json())  # as it travels
        return {
            name: Answer.from_json(answer(through, one).to_json()) for name, one in sent.items()
        }

    tree = grow_by_terms(AGREED, ask, Policy.named(policy))
    joined = TreeClassifier(policy=policy).fit(join(list(sent.values())).release).tree_
    assert tree.to_json() == joined.to_json()
    assert len(asked) <= tree.depth + 1


def test_different_columns_have_no_terms() -> None:
    with pytest.raises(MethodError, match="same columns of different records"):
        grow_by_terms(agreed(), lambda _: {}, Policy.named("id3"))
    with pytest.raises(PlanError, match="another agreement"):
        answer(Question("0" * 64, ({},)), everyone(people(20))[0])


def test_wrong_answers_are_refused() -> None:
    sent = parties(200)

    def asked(lie: dict[str, Any]) -> Callable[[Question], dict[str, Answer]]:
        def ask(question: Question) -> dict[str, Answer]:
            held = {name: answer(question, one) for name, one in sent.items()}
            return {**held, "south": replace(held["south"], **lie)}

        return ask

    lies: list[dict[str, Any]] = [
        {"party": "north"},
        {"question": "0" * 64},
        {"first": np.zeros((1, 2, 2), np.int64)},
        {"rows": 0},
    ]
    for lie in lies:
        with pytest.raises(ReleaseError, match="'south' is to another question"):
            grow_by_terms(AGREED, asked(lie), Policy.named("id3"))


def test_broken_texts_are_refused() -> None:
    question = Question(AGREED.digest, ({"smoker": (1,)},))
    assert Question.from_json(question.to_json()) == question
    for text in ("", "[]", '{"format": "privet question"}', question.to_json()[:-9]):
        with pytest.raises(ReleaseError, match="no question"):
            Question.from_json(text)
        with pytest.raises(ReleaseError, match="no answer"):
            Answer.from_json(text)
    form = json.loads(question.to_json())
    for boxes in (3, [3], [{"smoker": "x"}]):
        with pytest.raises(ReleaseError, match="not make sense"):
            Question.from_json(json.dumps({**form, "boxes": boxes}))
    sent = parties(200)["north"]
    for box in ({"height": (0,)}, {"smoker": (7,)}, {"ill": (0,)}):
        with pytest.raises(ReleaseError, match="no attribute of the agreement"):
            answer(Question(AGREED.digest, (box,)), sent)
    held = json.loads(answer(question, sent).to_json())
    with pytest.raises(ReleaseError, match="not make sense"):
        Answer.from_json(json.dumps({**held, "first": [2**70]}))
