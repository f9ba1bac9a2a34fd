"""What is done while the file system fails: each an old state, a change, and how to tell."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from privet.cli.files import write_text
from privet.disguise import Complement, RandomSubstitution
from privet.disguise.ledger import Ledger
from privet.estimators import TreeClassifier
from privet.party import PartyRelease, disguise_party, join
from privet.release import Release
from privet.signing import SigningKey
from privet.store import Store
from privet.tree import Tree
from tests.disguise.people import SCHEMA, people
from tests.party.study import agreed, send
from tests.party.study import people as patients
from tests.store.writer import SCHEMA as SAMPLES
from tests.store.writer import samples

METHOD = RandomSubstitution(gamma=8)
KEY = SigningKey.new()


@dataclass(frozen=True)
class Action:
    """A change of a folder from an old state to a new one.

    ``state`` says "old" or "new"; anything else that is there is an error.
    """

    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    state: Callable[[Path], str]


ACTIONS: dict[str, Action] = {}
OLD, NEW = 40, 50  # records


def told(size: int, old: int = OLD, new: int = NEW) -> str:
    return {old: "old", new: "new"}[size]


def every_release(folder: Path) -> str:
    """The state of ``r``; what else loads, under whatever name, must be the old or the new."""
    for path in folder.iterdir():
        if path.is_dir() and path.name != "r" and (path / "card.json").exists():
            try:
                rows = Release.read(path).rows
            except Exception:  # noqa: BLE001, S112 - it does not load
                continue
            told(rows)
    return told(Release.read(folder / "r").rows)


def write(rows: int, **settings: object) -> Callable[[Path], None]:
    made = METHOD.disguise(people(rows), SCHEMA, seed=rows)
    return lambda folder: made.write(folder / "r", overwrite=True, **settings)  # type: ignore[arg-type]


ACTIONS["release"] = Action(write(OLD), write(NEW), every_release)
ACTIONS["signed"] = Action(write(OLD, sign=KEY), write(NEW, sign=KEY), every_release)


def prepare_table(folder: Path) -> None:
    write(OLD)(folder)
    frame = people(NEW)
    lines = [",".join(map(str, row)) for row in zip(*frame.values(), strict=True)]
    (folder / "t.csv").write_text("\n".join([",".join(frame), *lines]) + "\n")


def disguise(folder: Path) -> None:
    METHOD.disguise(folder / "t.csv", SCHEMA, to=folder / "r", overwrite=True, sign=KEY)


ACTIONS["disguise"] = Action(prepare_table, disguise, every_release)


def prepare_parties(folder: Path) -> None:
    frame = patients(NEW)
    few = {name: column[:OLD] for name, column in frame.items()}
    parties = agreed().members
    join([send(party, few) for party in parties]).release.write(folder / "r")
    for party in parties:
        send(party, frame).write(folder / f"{party}.party")


def join_parties(folder: Path) -> None:
    sent = [PartyRelease.read(path) for path in sorted(folder.glob("*.party"))]
    join(sent).release.write(folder / "r", overwrite=True)


ACTIONS["join"] = Action(prepare_parties, join_parties, every_release)


def send_party(rows: int) -> Callable[[Path], None]:
    made = disguise_party(
        patients(rows), agreed(), "clinic", id="person", secret=bytes(32), seed=rows
    )
    return lambda folder: made.write(folder / "r", overwrite=True)


ACTIONS["party"] = Action(
    send_party(OLD), send_party(NEW), lambda folder: told(PartyRelease.read(folder / "r").rows)
)


def add(call: int, folder: Path) -> None:
    with Store.open(str(folder / "s.db")) as store:
        store.add(samples(1, call), token=f"call {call}")


def prepare_store(folder: Path) -> None:
    Store.create(str(folder / "s.db"), SAMPLES, Complement("random")).close()
    add(0, folder)


def state_of_store(folder: Path) -> str:
    first, second = (len(samples(1, call)["b"]) for call in (0, 1))
    with Store.open(str(folder / "s.db")) as store:
        return told(store.verify(), first, first + second)


ACTIONS["store"] = Action(prepare_store, lambda folder: add(1, folder), state_of_store)


def tree(depth: int) -> Tree:
    frame = people(300)
    numbers = np.column_stack([frame["age"], frame["kids"]])
    grown: Tree = TreeClassifier(max_depth=depth).fit(numbers, frame["risk"]).tree_
    return grown


TREES = [tree(depth) for depth in (2, 4)]


def write_tree(number: int) -> Callable[[Path], None]:
    return lambda folder: write_text(folder / "tree.json", TREES[number].to_json(), overwrite=True)


def state_of_tree(folder: Path) -> str:
    return told(Tree.read(folder / "tree.json").nodes, *(tree.nodes for tree in TREES))


ACTIONS["tree"] = Action(write_tree(0), write_tree(1), state_of_tree)


def spend(folder: Path) -> None:
    Ledger(folder / "spent.json").spend("people", METHOD.claim(SCHEMA), budget=1000)


def state_of_ledger(folder: Path) -> str:
    """A crash counts as spent, so that a call that is made again may count twice."""
    entries = len(Ledger(folder / "spent.json").account("people").entries)
    return told(min(entries, 2), 1, 2)


ACTIONS["ledger"] = Action(spend, spend, state_of_ledger)


def write_key(folder: Path) -> None:
    if not (folder / "owner.key").exists():
        KEY.write(folder / "owner.key")


def state_of_key(folder: Path) -> str:
    """There is no key at first; one that others can read for a moment would not load."""
    if not (folder / "owner.key").exists():
        return "old"
    SigningKey.read(folder / "owner.key")
    return "new"


ACTIONS["key"] = Action(lambda _: None, write_key, state_of_key)
