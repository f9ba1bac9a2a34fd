"""Terms instead of data: the same tree, from counts alone."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privet.errors import MethodError, PlanError, PrivetWarning, ReleaseError
from privet.estimators import TreeClassifier
from privet.files.sealed import canonical, seal
from privet.party import PartyRelease, join
from privet.party.terms import Answer, Question, answer, grow_by_terms
from privet.split.policy import Policy
from tests.flips import flipped
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
            name: Answer.from_json(answer(through, party).to_json()) for name, party in sent.items()
        }

    tree = grow_by_terms(AGREED, ask, Policy.named(policy))
    joined = TreeClassifier(policy=policy).fit(join(list(sent.values())).release).tree_
    assert tree.same_as(joined)
    np.testing.assert_allclose(tree.counts[0], joined.counts[0])
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
            answers = {name: answer(question, party) for name, party in sent.items()}
            return {**answers, "south": replace(answers["south"], **lie)}

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
    wrong: list[Any] = [3, [3], {}, [{"smoker": "x"}], [{"smoker": [1.5]}], [{"smoker": [True]}]]
    for boxes in wrong:
        with pytest.raises(ReleaseError, match="not make sense"):
            Question.from_json(resealed(form, boxes=boxes))
    with pytest.raises(ReleaseError, match="asks for nothing"):
        Question.from_json(resealed(form, boxes=[]))
    sent = parties(200)["north"]
    for box in ({"height": (0,)}, {"smoker": (7,)}, {"ill": (0,)}):
        with pytest.raises(ReleaseError, match="no attribute of the agreement"):
            answer(Question(AGREED.digest, (box,)), sent)
    held = json.loads(answer(question, sent).to_json())
    lies: list[dict[str, Any]] = [
        {"first": [2**70]},
        {"first": [0.5] * len(held["first"])},
        {"rows": "200"},
        {"rows": 1.5},
        {"party": None},
        {"seeded": "no"},
        {"shape": [[1]]},
        {"shape": "1"},
    ]
    for lie in lies:
        with pytest.raises(ReleaseError, match="not make sense"):
            Answer.from_json(resealed(held, **lie))


def resealed(form: dict[str, Any], **lie: Any) -> bytes:
    """A text with other contents and a checksum that fits them."""
    changed = {**form, **lie}
    changed.pop("checksum", None)
    return seal(changed)


def test_any_flipped_bit_is_noticed() -> None:
    question = Question(AGREED.digest, ({"smoker": (1,)},))
    sent = answer(question, parties(200)["north"])
    for read, data in (
        (Question.from_json, question.to_json().encode()),
        (Answer.from_json, sent.to_json().encode()),
    ):
        for bad in flipped(data):
            with pytest.raises(ReleaseError):
                read(bad)


def test_texts_from_before_checksums_are_taken_with_a_warning() -> None:
    question = Question(AGREED.digest, ({"smoker": (1,)},))
    sent = answer(question, parties(200)["north"])
    with pytest.warns(PrivetWarning, match="The question has no checksum"):
        assert Question.from_json(unsealed(question.to_json())) == question
    with pytest.warns(PrivetWarning, match="The answer has no checksum"):
        assert Answer.from_json(unsealed(sent.to_json())).question == question.digest


def unsealed(text: str) -> str:
    """A text as it was written before there were checksums."""
    form = {**json.loads(text), "version": 1}
    del form["checksum"]
    return json.dumps(form, ensure_ascii=False) + "\n"


def test_an_answer_is_not_seeded_unless_it_says_so() -> None:
    sums = np.arange(6).reshape(1, 3, 2)
    plain = Answer("a" * 64, "q" * 64, "north", 9, sums, 2 * sums)
    assert not plain.seeded
    for one in (plain, replace(plain, seeded=True)):
        again = Answer.from_json(one.to_json())
        assert again.seeded is one.seeded
        assert again.first.tolist() == sums.tolist()
        assert again.second.tolist() == (2 * sums).tolist()


def test_a_question_is_called_by_what_it_asks() -> None:
    """As in version 1, so that answers to it are still known: of canonical JSON."""
    question = Question("a" * 64, ({"smoker": (0, 1)}, {}))
    form = {"format": "privet question", "version": 1, "agreement": "a" * 64}
    text = canonical({**form, "boxes": [{"smoker": [0, 1]}, {}]})
    assert question.digest == hashlib.sha256(text).hexdigest()
    assert json.loads(question.to_json())["version"] == 2


def test_a_text_of_now_has_a_checksum() -> None:
    question = Question(AGREED.digest, ({"smoker": (1,)},))
    sent = answer(question, parties(20)["north"])
    assert json.loads(sent.to_json())["version"] == 2
    for read, text in (
        (Question.from_json, question.to_json()),
        (Answer.from_json, sent.to_json()),
    ):
        form = json.loads(text)
        del form["checksum"]
        with pytest.raises(ReleaseError):
            read(json.dumps(form, ensure_ascii=False) + "\n")
        newer = {**form, "version": 3}
        with pytest.raises(ReleaseError, match="version 3; this privet reads up to version 2"):
            read(seal(newer))


def test_a_party_of_one_record_answers() -> None:
    frame = people(41)
    sent = {
        "north": send("north", some(frame, slice(0, 1)), AGREED),
        "south": send("south", some(frame, slice(1, None)), AGREED),
    }
    asked = lambda question: {name: answer(question, one) for name, one in sent.items()}  # noqa: E731
    tree = grow_by_terms(AGREED, asked, Policy.named("id3"))
    joined = TreeClassifier(policy="id3").fit(join(list(sent.values())).release).tree_
    assert tree.same_as(joined)
