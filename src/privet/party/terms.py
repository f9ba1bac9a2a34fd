"""Terms instead of data: parties with different records answer counts, and keep their records.

Counts of parties that hold the same columns of different records simply add (ZCM §7). The collector
asks for the sums of some boxes, the open nodes of a tree; every party adds up the weights of its
own disguised records and sends whole numbers. The tree is the one that the joined release gives.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import Box
from privet.errors import MethodError, PlanError, ReleaseError
from privet.estimate.grouped import Layout, TableCounter
from privet.estimate.weighted import StatePart, WeightedEvidence
from privet.tree.grow import grow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding
    from privet.party.agreement import Agreement
    from privet.party.folder import PartyRelease
    from privet.table import IntArrays
    from privet.tree.policy import Policy
    from privet.tree.tree import Tree

__all__ = ["Answer", "Question", "UnansweredError", "answer", "grow_by_terms"]

QUESTION, ANSWER, VERSION = "privet question", "privet answer", 1


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

    def to_json(self) -> str:
        """Return the question as JSON text."""
        boxes = [{name: list(codes) for name, codes in box.items()} for box in self.boxes]
        form = {"format": QUESTION, "version": VERSION, "agreement": self.agreement}
        return json.dumps({**form, "boxes": boxes}, ensure_ascii=False) + "\n"

    @property
    def digest(self) -> str:
        """The checksum that its answers name."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @classmethod
    def from_json(cls, text: str) -> Question:
        """Read what ``to_json`` wrote."""
        form = _form(text, QUESTION)
        try:
            boxes = tuple(
                {name: tuple(map(int, codes)) for name, codes in box.items()}
                for box in form["boxes"]
            )
            return cls(str(form["agreement"]), boxes)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise ReleaseError("The question does not make sense.") from None


@dataclass(frozen=True)
class Answer:
    """A party's sums for a question: first and second sums in whole units, box after box."""

    agreement: str
    question: str
    party: str
    rows: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    seeded: bool = False

    def to_json(self) -> str:
        """Return the answer as JSON text."""
        form = {
            "format": ANSWER,
            "version": VERSION,
            "agreement": self.agreement,
            "question": self.question,
            "party": self.party,
            "rows": self.rows,
            "seeded": self.seeded,
            "shape": list(self.first.shape),
            "first": self.first.ravel().tolist(),
            "second": self.second.ravel().tolist(),
        }
        return json.dumps(form, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """Read what ``to_json`` wrote."""
        form = _form(text, ANSWER)
        try:
            shape = tuple(form["shape"])
            first, second = (
                np.array(form[key], np.int64).reshape(shape) for key in ("first", "second")
            )
            names = str(form["agreement"]), str(form["question"]), str(form["party"])
            return cls(*names, int(form["rows"]), first, second, seeded=bool(form["seeded"]))
        except (LookupError, TypeError, ValueError, OverflowError):
            raise ReleaseError("The answer does not make sense.") from None


def _form(text: str, kind: str) -> dict[str, Any]:
    try:
        form = json.loads(text)
    except (ValueError, RecursionError):
        form = None
    if not isinstance(form, dict) or form.get("format") != kind or form.get("version") != VERSION:
        message = f"This is no {kind.split()[1]} of this version."
        raise ReleaseError(message, hint="ask the sender for the file again.")
    return form


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
        held = self._ask(boxes)[self._party]
        return held.first, held.second

    def correct(self, boxes: Sequence[Box], labels: NDArray[np.int64]) -> tuple[float, float]:
        """Refuse: a tree is scored on records that it did not grow on."""
        del boxes, labels
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
            held = ask(question)
            for party in agreement.members:
                _check(agreement, question, party, held[party])
            asked[question.digest] = held
        return asked[question.digest]

    root = answers([Box()])
    parts = [
        StatePart(_layout(agreement, party, root[party].rows), _Asked(answers, party))
        for party in agreement.members
    ]
    codings = parts[0].layout.codings
    evidence = WeightedEvidence.of(parts, codings, agreement.schema.classes)
    return grow(evidence, policy, agreement.schema.target)


def _check(agreement: Agreement, question: Question, party: str, held: Answer) -> None:
    layout = _layout(agreement, party, held.rows)
    shape = (len(question.boxes), int(layout.offsets[-1]), layout.observed_classes)
    fits = held.first.shape == held.second.shape == shape and held.rows > 0
    if held.party != party or held.question != question.digest or not fits:
        message = f"The answer of party {party!r} is to another question."
        raise ReleaseError(message, hint="let the party answer the question that stands.")
