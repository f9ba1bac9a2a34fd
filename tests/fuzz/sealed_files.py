"""Targets of fuzzing that are single files with a checksum, and secrets."""

import contextlib
import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import privet as pv
from privet import signing
from privet.coding import Coding
from privet.disguise import monotone_key
from privet.disguise.ledger import Account, Entry, Ledger
from privet.files import reading, sealed
from privet.party import PartyRelease, new_secret, read_secret, terms
from privet.signing import PublicKey, SigningKey, sign, signer_of
from privet.tree.form import KIND as TREE
from privet.tree.form import MAX_DEPTH, _from_nodes, tree_of
from privet.tree.tree import Tree
from tests.audit.test_every_disguise import ASKED, people
from tests.fuzz.target import Target, put, sealed_target, target, written
from tests.party import study


@target
def trees(place: Path) -> Target:
    """Trees, their checksums made right again, and what shows them."""
    blobs = []
    for name in ("weather", "as-f2"):
        table = (
            pv.datasets.load(name)
            if name == "weather"
            else pv.datasets.load(name, rows=300, seed=1)
        )
        schema = pv.datasets.schema(name)
        release = pv.RandomSubstitution(50).disguise(table, schema, seed=1)
        blobs.append(pv.TreeClassifier(max_depth=3).fit(release).tree_.to_json().encode())

    def raw(data: bytes) -> object:
        made = Tree.from_dict(TREE.opened(data, "tree.json"))
        return str(made), made.to_json()

    made = sealed_target(raw, blobs, (tree_of, _from_nodes, Coding.from_dict), None)

    def form(one: Any) -> object:
        """Read it as a form first, as people do who keep trees in a document of their own."""
        with contextlib.suppress(pv.PrivetError):
            Tree.from_dict(copy.deepcopy(one))
        assert made.form is not None
        return made.form(one)

    kids = [{"children": [1, 3]}, {"children": [2]}, {}, {}]  # of one node, but apart
    first = next(form for form in made.forms if len(form["nodes"]) > 1)
    refused = [put(first, kids, "nodes"), put(first, [], "nodes")]
    leaf = next(n for n, node in enumerate(first["nodes"]) if "attribute" not in node)
    asked = {word: first["nodes"][0][word] for word in ("attribute", "branch_of_code")}
    refused.append(put(first, {**first["nodes"][leaf], **asked}, "nodes", leaf))
    routed = first["nodes"][0]["branch_of_code"]
    refused += [put(first, way, "nodes", 0, "branch_of_code") for way in ([9] * len(routed), [0])]
    blobs = [*made.blobs, _chain(made.forms[0])]
    return replace(made, form=form, blobs=blobs, refused=refused)


def _chain(form: dict[str, Any]) -> bytes:
    """A tree of more tests on one path than are read."""
    coding = next(one for one in form["attributes"] if "values" in one)
    asked = {"attribute": coding["name"], "branch_of_code": [0, *[1] * (len(coding["values"]) - 1)]}
    leaf = next(entry for entry in form["nodes"] if "children" not in entry)
    nodes: list[Any] = []
    for number in range(0, 2 * MAX_DEPTH + 2, 2):
        nodes += [{**leaf, **asked, "children": [number + 1, number + 2]}, leaf]
    return sealed.seal({**form, "nodes": [*nodes, leaf]})


@target
def keys(place: Path) -> Target:
    """Keys of monotone disguises."""
    schema = ASKED["monotone"].schema
    few = {name: column[:40] for name, column in people(schema).items()}
    pv.Monotone(key=place / "k.key").disguise(few, schema, seed=1)
    blobs = [(place / "k.key").read_bytes()]

    def raw(data: bytes) -> object:
        path = written(place / "k.key", data)
        path.chmod(0o600)
        held = monotone_key.Key.read(path)
        return [one.decode(one.encode(np.linspace(20, 70, 5))) for one in held.attributes]

    parsers = (monotone_key._attribute, monotone_key._piece, reading.typed)
    made = sealed_target(raw, blobs, parsers, None)
    pieces = "attributes", 0, "pieces"
    changes: list[tuple[Any, ...]] = [([], *pieces), ([0, 2], *pieces, 0, "order")]
    changes += [(1.5, *pieces, 0, "bend"), (True, *pieces, 0, "low"), (1, "attributes", 0, "name")]
    return replace(made, refused=[put(made.forms[0], *change) for change in changes])


def _sent() -> PartyRelease:
    return study.send("north", study.people(30), study.agreed(study.RECORDS))


@target
def questions(place: Path) -> Target:
    """Questions of a collector, and answering them."""
    sent = _sent()
    box = {"boxes": [{"smoker": [0]}, {"age": [0, 1], "town": [1]}, {}]}
    head = {"format": "privet question", "version": 2, "agreement": sent.agreement.digest}
    blobs = [sealed.seal({**head, **box})]

    def raw(data: bytes) -> object:
        return terms.answer(terms.Question.from_json(data), sent)

    parsers = (terms.Question.from_json, terms.answer, reading.typed)
    made = sealed_target(raw, blobs, parsers, None)
    return replace(made, refused=[put(made.forms[0], [], "boxes")])


@target
def answers(place: Path) -> Target:
    """Answers of parties."""
    sent = _sent()
    head = {"format": "privet question", "version": 2, "agreement": sent.agreement.digest}
    asked = terms.Question.from_json(sealed.seal({**head, "boxes": [{"smoker": [0]}]}))
    blobs = [terms.answer(asked, sent).to_json().encode()]
    parsers = (terms.Answer.from_json, reading.typed)
    return sealed_target(terms.Answer.from_json, blobs, parsers, None)


@target
def signatures(place: Path) -> Target:
    """Signatures, and keys to sign with."""
    key = SigningKey.new()
    key.write(place / "private")
    key.public.write(place / "public")
    blobs = [sign(b"card", key), *((place / name).read_bytes() for name in ("private", "public"))]

    def raw(data: bytes) -> object:
        path = written(place / "changed", data)
        path.chmod(0o600)
        if b"signing key" in data:
            return SigningKey.read(path)
        return PublicKey.read(path) if b"public key" in data else signer_of(b"card", data, path)

    parsers = (signing._fields, signer_of, SigningKey.read, reading.typed)
    made = sealed_target(raw, blobs, parsers, 1)
    refused = [put(form, list(form.values())[-1][2:], list(form)[-1]) for form in made.forms]
    return replace(made, refused=[*refused, put(made.forms[0], "RSA", "algorithm")])


@target
def ledgers(place: Path) -> Target:
    """Ledgers of what was spent."""
    spent = Ledger(place / "spent.json")
    for gamma in (3, 8):
        claim = pv.RandomSubstitution(gamma=gamma).claim(pv.datasets.schema("weather"))
        spent.spend("weather", claim, release=f"{gamma}.release", budget=50)
    spent.spend("golf", claim)
    blobs = [spent.path.read_bytes()]

    def raw(data: bytes) -> object:
        written(spent.path, data)
        return [(one.epsilon, one.left, one.by_attribute) for one in spent.accounts.values()]

    parsers = (Account.from_dict, Entry.from_dict, Ledger._read, reading.typed)
    made = sealed_target(raw, blobs, parsers, 1)
    account = "datasets", "weather"
    changes: list[tuple[Any, ...]] = [(1, *account, "more"), (1, *account, "releases", 0, "more")]
    return replace(made, refused=[put(made.forms[0], *change) for change in changes])


@target
def secrets(place: Path) -> Target:
    """Secrets that parties share."""
    new_secret(place / "s")
    blobs = [(place / "s").read_bytes(), b"\x00"]

    def raw(data: bytes) -> object:
        path = written(place / "s", data)
        path.chmod(0o644 if data.endswith(b"\x00") else 0o600)
        return read_secret(path)

    return Target((read_secret, reading.read_private), raw, blobs)
