"""Terms instead of data: parties with different records answer counts, and keep their records.

Counts of parties that hold the same columns of different records simply add (ZCM §7). The collector
asks for the sums of some boxes, the open nodes of a tree; every party adds up the weights of its
own disguised records and sends whole numbers. The tree is that of the joined release.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Box
from privet.errors import MethodError, PlanError, ReleaseError
from privet.estimate.grouped import Layout, TableCounter
from privet.estimate.weighted import StatePart, WeightedEvidence
from privet.files.reading import cause, read_bytes, typed
from privet.files.sealed import Kind, canonical, seal
from privet.grow import grow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from privet.coding import Coding, Floats, Ints
    from privet.party.agreement import Agreement
    from privet.party.folder import PartyRelease
    from privet.split.policy import Policy
    from privet.table import IntArrays
    from privet.tree.tree import Tree

__all__ = ["Answer", "Question", "UnansweredError", "answer", "grow_by_terms"]

_AGAIN = "ask the sender for the file again."
QUESTION = Kind("privet question", 2, ReleaseError, what="question", unsealed=1, hint=_AGAIN)
ANSWER = Kind("privet answer", 2, ReleaseError, what="answer", unsealed=1, hint=_AGAIN)


@dataclass(frozen=True)
class Question:
    """Boxes whose sums are asked for: for some attributes, the codes that may stand there."""

    agreement: str
    boxes: tuple[Mapping[str, tuple[int, ...]], ...]

    @classmethod
    def of(cls, agreement: Agreement, boxes: Sequence[Box]) -> Question:
        """Return the question for some boxes."""
        plain = tuple(
            {name: tuple(np.flatnonzero(mask).tolist()) for name, mask in sorted(box.masks.items())}
            for box in boxes
        )
        return cls(agreement.digest, plain)

    def _form(self, version: int) -> dict[str, Any]:
        boxes = [{name: list(codes) for name, codes in box.items()} for box in self.boxes]
        form = {"format": QUESTION.mark, "version": version, "agreement": self.agreement}
        return {**form, "boxes": boxes}

    def to_json(self) -> str:
        """Return the question as JSON text, with a checksum."""
        return seal(self._form(QUESTION.version)).decode()

    @property
    def digest(self) -> str:
        """What its answers call it: a checksum of what is asked, the same since version 1."""
        return hashlib.sha256(canonical(self._form(1))).hexdigest()

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "The question") -> Question:
        """Read what ``to_json`` wrote; an error names it by ``where``."""
        form = QUESTION.opened(text, where)
        try:
            boxes = [
                {name: tuple(typed(code, int) for code in codes) for name, codes in box.items()}
                for box in typed(form["boxes"], list)
            ]
            agreement = typed(form["agreement"], str)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise ReleaseError(f"{where} does not make sense.") from None
        if not boxes:
            raise ReleaseError(f"{where} asks for nothing.")
        return cls(agreement, tuple(boxes))

    @classmethod
    def read(cls, path: Path) -> Question:
        """Read a file."""
        return cls.from_json(_data(path, "question"), str(path))


@dataclass(frozen=True)
class Answer:
    """A party's sums for a question: first and second sums in whole units, box after box."""

    agreement: str
    question: str
    party: str
    rows: int
    first: Ints
    second: Ints
    seeded: bool = False

    def to_json(self) -> str:
        """Return the answer as JSON text, with a checksum."""
        form = {
            "format": ANSWER.mark,
            "version": ANSWER.version,
            "agreement": self.agreement,
            "question": self.question,
            "party": self.party,
            "rows": self.rows,
            "seeded": self.seeded,
            "shape": list(self.first.shape),
            "first": self.first.ravel().tolist(),
            "second": self.second.ravel().tolist(),
        }
        return seal(form).decode()

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "The answer") -> Answer:
        """Read what ``to_json`` wrote; an error names it by ``where``."""
        form = ANSWER.opened(text, where)
        try:
            shape = tuple(typed(size, int) for size in form["shape"])
            first, second = (
                np.array([typed(number, int) for number in form[key]], np.int64).reshape(shape)
                for key in ("first", "second")
            )
            return cls(
                typed(form["agreement"], str),
                typed(form["question"], str),
                typed(form["party"], str),
                typed(form["rows"], int),
                first,
                second,
                seeded=typed(form["seeded"], bool),
            )
        except (LookupError, TypeError, ValueError, OverflowError):
            raise ReleaseError(f"{where} does not make sense.") from None

    @classmethod
    def read(cls, path: Path) -> Answer:
        """Read a file."""
        return cls.from_json(_data(path, "answer"), str(path))


def _data(path: Path, what: str) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        raise ReleaseError(f"The {what} {path} cannot be read: {cause(error)}.") from None


class UnansweredError(Exception):
    """A question that a party has not answered yet; the collector has to pass it on."""

    def __init__(self, question: Question, parties: Sequence[str]) -> None:
        self.question = question
        self.parties = tuple(parties)
        super().__init__(f"{len(self.parties)} parties have not answered")


def answer(question: Question, sent: PartyRelease) -> Answer:
    """Add up a party's own disguised records for a question."""
    agreement = sent.agreement
    if question.agreement != agreement.digest:
        message = "The question is for another agreement than the party's records are of."
        raise PlanError(message, hint="ask the collector which agreement holds.")
    layout = _layout(agreement, sent.party, sent.rows)
    sizes = {coding.name: coding.size for coding in layout.codings}
    boxes = []
    for asked in question.boxes:
        for name, codes in asked.items():
            if name not in sizes or not all(0 <= code < sizes[name] for code in codes):
                raise ReleaseError("The question asks for what no attribute of the agreement has.")
        boxes.append(
            Box({name: np.isin(np.arange(sizes[name]), codes) for name, codes in asked.items()})
        )
    first, second = TableCounter(layout, sent.table).count(boxes)
    names = question.agreement, question.digest, sent.party
    return Answer(*names, sent.rows, first, second, seeded=sent.seeded)


def _layout(agreement: Agreement, party: str, rows: int) -> Layout:
    recipe = agreement.recipe(party)
    target = agreement.schema.target
    codings: list[Coding] = []
    for step in recipe.steps:
        if step.coding is None:
            message = f"Attribute {step.name!r} is released as exact numbers, of which no terms "
            raise MethodError(message + "are counted.", hint="cut it, or join the records instead.")
        if step.name != target:
            codings.append(step.coding)
    classes = len(agreement.schema.classes)
    return Layout(tuple(codings), recipe.channels, target, classes, rows)


class _Asked:
    """One party's counter at the collector: it passes questions on."""

    def __init__(self, ask: Callable[[Sequence[Box]], Mapping[str, Answer]], party: str) -> None:
        self._ask = ask
        self._party = party

    def count(self, boxes: Sequence[Box]) -> IntArrays:
        """Return the sums that the party answered."""
        answer = self._ask(boxes)[self._party]
        return answer.first, answer.second

    def correct(self, boxes: Sequence[Box], right: Floats) -> tuple[Floats, Floats]:
        """Refuse: a tree is scored on records that it did not grow on."""
        del boxes, right
        raise MethodError("A tree is not scored by terms; score it on a release.")


def grow_by_terms(
    agreement: Agreement, ask: Callable[[Question], Mapping[str, Answer]], policy: Policy
) -> Tree:
    """Grow a tree from the answers of parties that hold different records.

    ``ask`` passes a question on and returns every party's answer; it may raise
    ``UnansweredError`` to stop, and the next call goes on from the answers there are by then.
    """
    if agreement.split != "records":
        message = "Terms add up only where parties hold the same columns of different records."
        raise MethodError(message, hint="join the parties' records instead.")
    asked: dict[str, Mapping[str, Answer]] = {}

    def answers(boxes: Sequence[Box]) -> Mapping[str, Answer]:
        question = Question.of(agreement, boxes)
        if question.digest not in asked:
            answered = ask(question)
            for party in agreement.members:
                _check(agreement, question, party, answered[party])
            asked[question.digest] = answered
        return asked[question.digest]

    root = answers([Box()])
    parts = [
        StatePart(_layout(agreement, party, root[party].rows), _Asked(answers, party))
        for party in agreement.members
    ]
    codings = parts[0].layout.codings
    evidence = WeightedEvidence.of(parts, codings, agreement.schema.classes)
    return grow(evidence, policy, agreement.schema.target)


def _check(agreement: Agreement, question: Question, party: str, answer: Answer) -> None:
    layout = _layout(agreement, party, answer.rows)
    shape = (len(question.boxes), int(layout.offsets[-1]), layout.observed_classes)
    fits = answer.first.shape == answer.second.shape == shape and answer.rows > 0
    if answer.party != party or answer.question != question.digest or not fits:
        message = f"The answer of party {party!r} is to another question."
        raise ReleaseError(message, hint="let the party answer the question that stands.")
