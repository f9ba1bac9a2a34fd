"""Every flipped bit of a file that privet reads back is found, and the file is named.

A sample of bits; ``make flips`` turns every one. Stores have a test of their own, as what SQLite
does not read may be flipped.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import privet as pv
from privet.disguise.monotone_key import Key
from privet.errors import PrivetError
from privet.party import PartyRelease
from privet.party.terms import Answer, Question, answer
from privet.release import Release
from privet.signing import PublicKey, SigningKey
from privet.tree.tree import Tree
from tests.audit.test_every_disguise import NUMBERS, people
from tests.flips import flipped
from tests.party import study

SAMPLE = 100


def release(folder: Path) -> Callable[[], object]:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    made = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    made.write(folder / "r", sign=SigningKey.new())
    return lambda: Release.read(folder / "r")


def party(folder: Path) -> Callable[[], object]:
    study.send("clinic", study.people(20)).write(folder / "p", sign=SigningKey.new())
    return lambda: PartyRelease.read(folder / "p")


def tree(folder: Path) -> Callable[[], object]:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    made = pv.RandomSubstitution(gamma=50).disguise(table, schema, seed=1)
    pv.TreeClassifier().fit(made).tree_.write(folder / "tree.json")
    return lambda: Tree.read(folder / "tree.json")


def key(folder: Path) -> Callable[[], object]:
    few = {name: np.array(column[:20]) for name, column in people(NUMBERS).items()}
    pv.Monotone(key=folder / "secret.key").disguise(few, NUMBERS)
    return lambda: Key.read(folder / "secret.key")


def question(folder: Path) -> Callable[[], object]:
    agreement = study.agreed(study.RECORDS)
    asked = Question(agreement.digest, ({"smoker": (0,)}, {}))
    (folder / "question.json").write_text(asked.to_json())
    return lambda: Question.read(folder / "question.json")


def answers(folder: Path) -> Callable[[], object]:
    sent = study.send("north", study.people(30), study.agreed(study.RECORDS))
    reply = answer(Question(sent.agreement.digest, ({"smoker": (0,)},)), sent)
    (folder / "answer.json").write_text(reply.to_json())
    return lambda: Answer.read(folder / "answer.json")


def signing_key(folder: Path) -> Callable[[], object]:
    SigningKey.new().write(folder / "sign.key")
    return lambda: SigningKey.read(folder / "sign.key")


def public_key(folder: Path) -> Callable[[], object]:
    SigningKey.new().public.write(folder / "sign.pub")
    return lambda: PublicKey.read(folder / "sign.pub")


def ledger(folder: Path) -> Callable[[], object]:
    spent = pv.Ledger(folder / "spent.json")
    claim = pv.RandomSubstitution(gamma=3).claim(pv.datasets.schema("weather"))
    spent.spend("weather", claim, release="weather.release", budget=20)
    return lambda: spent.accounts


KINDS = [release, party, tree, key, question, answers, signing_key, public_key, ledger]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_flipped_bit_is_found_and_the_file_named(
    kind: Callable[[Path], Callable[[], object]], tmp_path: Path
) -> None:
    read = kind(tmp_path)
    read()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        data = path.read_bytes()
        for bad in flipped(data, SAMPLE):
            path.write_bytes(bad)
            with pytest.raises(PrivetError) as caught:
                read()
            assert path.name in str(caught.value)
        path.write_bytes(data)
    read()
