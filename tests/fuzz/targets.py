"""What is fuzzed: every file that privet reads, each with good examples and its reader.

A target is known by being here, or in ``tables``, under ``@target``. Its function makes the good
examples in a folder of its own and returns how a changed one is read. Only ``PrivetError`` may come
of it.
"""

import contextlib
import copy
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import privet as pv
from privet.channel import card as channels
from privet.coding import Coding
from privet.disguise import monotone_key, planfile
from privet.disguise.ledger import Account, Entry, Ledger
from privet.files import reading, sealed
from privet.files.format import Format
from privet.party import Agreement, PartyRelease, agreement, folder, new_secret, read_secret, terms
from privet.release import Release, anonymity, card, unbounded, universe
from privet.schema import Attribute, Schema
from privet.signing import PublicKey, SigningKey, sign, signer_of
from privet.store import Store
from privet.store.layout import check_of
from privet.survey import Questionnaire, parse
from privet.survey.texts import PAGE
from privet.tree.form import KIND as TREE
from privet.tree.form import MAX_DEPTH, _from_nodes, tree_of
from privet.tree.tree import Tree
from tests.audit.test_every_disguise import ASKED, people
from tests.fuzz import tables
from tests.fuzz.target import TARGETS, Target, release, target, written
from tests.party import study
from tests.survey.asked import FORM

__all__ = ["TARGETS", "Target", "tables"]

SEALED = (sealed.Kind.opened, reading.parse_json, reading.typed)
KINDS = tuple(channels.KINDS.values())
SCHEMAS = (Schema.from_dict, Attribute.from_dict)
CHANNELS = (channels.read_channel, channels.read_exactly, *(kind.from_dict for kind in KINDS))
CARD = (
    card.read_card, card._understood, card._check, card._check_coding, card.PartEntry.from_dict,
    universe.Universe.from_dict, anonymity.Anonymity.from_dict, unbounded.UnboundedNoise.from_dict,
)  # fmt: skip
METHODS = ["substitution", "band", "subsets", "k-anonymity", "joint groups", "flip groups"]
METHODS += ["complement with dummies", "additive noise", "gadp", "forest framework", "a mixed plan"]


@target
def cards(place: Path) -> Target:
    """Cards of releases, their checksums made right again."""
    blobs = []
    for number, name in enumerate(METHODS):
        release(name, place / str(number))
        blobs.append((place / str(number) / "card.json").read_bytes())

    def raw(data: bytes) -> object:
        return card.read_card(place / "card.json", data)

    return _sealed(raw, blobs, (*CARD, *CHANNELS, *SCHEMAS, Coding.from_dict, *SEALED), 1)


def _sealed(
    raw: Callable[[bytes], object], blobs: list[bytes], parsers: tuple[Any, ...], indent: int | None
) -> Target:
    """A target whose forms are sealed before they are read."""
    forms = [json.loads(blob) for blob in blobs]
    for form in forms:
        del form["checksum"]
    before = json.dumps({**forms[0], "version": 1}).encode()  # as privet once wrote: no checksum

    def read(form: Any) -> object:
        try:
            data = sealed.seal(form, indent) if isinstance(form, dict) else b"[]"
        except ValueError:  # a number, or half of a sign, that no sealed text can have
            data = json.dumps(form).encode()
        return raw(data)

    return Target(parsers, raw, [*blobs, before], read, forms)


@target
def releases(place: Path) -> Target:
    """Whole release folders: a changed card beside data that it fits."""
    for name in METHODS:
        release(name, place / name)
    blobs = [(place / name / "card.json").read_bytes() for name in METHODS]
    homes = {
        json.loads(blob)["parts"][0]["sha256"]: name
        for blob, name in zip(blobs, METHODS, strict=True)
    }

    def raw(data: bytes) -> object:
        name = next((name for mark, name in homes.items() if mark.encode() in data), METHODS[0])
        (place / name / "card.json").write_bytes(data)
        made = Release.read(place / name)
        return made.claim.sentences(), repr(made)

    from privet.release import folder as release_folder
    from privet.release import opened

    parsers = (release_folder._read, release_folder._table, release_folder._check_columns)
    return _sealed(raw, blobs, (*parsers, opened.Opened, *CARD), 1)


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

    parsers = (tree_of, _from_nodes, Coding.from_dict, *SEALED)
    made = _sealed(raw, blobs, parsers, None)

    def form(one: Any) -> object:
        """Read it as a form first, as people do who keep trees in a document of their own."""
        with contextlib.suppress(pv.PrivetError):
            Tree.from_dict(copy.deepcopy(one))
        assert made.form is not None
        return made.form(one)

    return replace(made, form=form, blobs=[*made.blobs, _chain(made.forms[0])])


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

    return _sealed(raw, blobs, (monotone_key._attribute, monotone_key._piece, *SEALED), None)


def _sent() -> PartyRelease:
    return study.send("north", study.people(30), study.agreed(study.RECORDS))


@target
def parties(place: Path) -> Target:
    """Folders of parties: a changed card beside data that it fits."""
    _sent().write(place / "north")
    for name in ("clinic", "office"):
        study.send(name, study.people(30)).write(place / name)
    homes = ["north", "clinic", "office"]
    blobs = [(place / name / "card.json").read_bytes() for name in homes]
    marks = [json.loads(blob)["files"]["records.parquet"] for blob in blobs]

    def raw(data: bytes) -> object:
        both = zip(homes, marks, strict=True)
        name = next((name for name, mark in both if mark.encode() in data), homes[0])
        (place / name / "card.json").write_bytes(data)
        return repr(PartyRelease.read(place / name))

    parsers = (folder._card, folder._agreed, PartyRelease._read, Agreement.from_dict)
    return _sealed(raw, blobs, (*parsers, agreement._member, *SCHEMAS), 1)


@target
def questions(place: Path) -> Target:
    """Questions of a collector, and answering them."""
    sent = _sent()
    box = {"boxes": [{"smoker": [0]}, {"age": [0, 1], "town": [1]}, {}]}
    head = {"format": "privet question", "version": 2, "agreement": sent.agreement.digest}
    blobs = [sealed.seal({**head, **box})]

    def raw(data: bytes) -> object:
        return terms.answer(terms.Question.from_json(data), sent)

    return _sealed(raw, blobs, (terms.Question.from_json, terms.answer, *SEALED), None)


@target
def answers(place: Path) -> Target:
    """Answers of parties."""
    sent = _sent()
    head = {"format": "privet question", "version": 2, "agreement": sent.agreement.digest}
    asked = terms.Question.from_json(sealed.seal({**head, "boxes": [{"smoker": [0]}]}))
    blobs = [terms.answer(asked, sent).to_json().encode()]
    return _sealed(terms.Answer.from_json, blobs, (terms.Answer.from_json, *SEALED), None)


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

    from privet import signing

    return _sealed(raw, blobs, (signing._fields, signer_of, SigningKey.read, *SEALED), 1)


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

    return _sealed(raw, blobs, (Account.from_dict, Entry.from_dict, Ledger._read, *SEALED), 1)


@target
def secrets(place: Path) -> Target:
    """Secrets that parties share."""
    new_secret(place / "s")
    blobs = [(place / "s").read_bytes()]

    def raw(data: bytes) -> object:
        path = written(place / "s", data)
        path.chmod(0o644 if data.endswith(b"\x00") else 0o600)
        return read_secret(path)

    return Target((read_secret, reading.read_private), raw, blobs)


def _toml(
    read: Callable[[Path], object],
    form: Callable[[Any], object],
    forms: list[Any],
    blobs: list[bytes],
    path: Path,
    parsers: tuple[Any, ...],
) -> Target:
    def raw(data: bytes) -> object:
        return read(written(path, data))

    return Target(
        (*parsers, reading.parse_toml, reading.read_text), raw, blobs, form, forms, toml=True
    )


@target
def schemas(place: Path) -> Target:
    """Schemas, in TOML and as forms."""
    held = [asked.schema for asked in ASKED.values()][:1]
    held.append(
        Schema(
            [
                Attribute.numeric("a", low=0, high=9, bins=3, integer=True, missing="category"),
                Attribute.numeric("b", low=0, high=9.5, edges=[1, 2]),
                Attribute.numeric("l", low=1, high=1000, bins=4, scale="log"),
                Attribute.categorical("c", ["x", 2, 0.5]),
            ],
            target="c",
        )
    )
    merged = held[-1]["c"].merged({"p": ["x"], "q": [2, 0.5]})
    held.append(held[-1].with_attributes(merged if a.name == "c" else a for a in held[-1]))
    forms = [one.to_dict() for one in held]
    forms[1]["withheld"] = ["name", "street"]
    forms[0]["format"] = {"delimiter": ";", "decimal": ",", "encoding": "latin-1", "missing": ["?"]}

    def form(one: Any) -> object:
        if not isinstance(one, dict):
            return None
        made = Schema.from_dict(one)
        return made.to_toml(), made.to_dict(), [attribute.coding().to_dict() for attribute in made]

    blobs = [one.to_toml().encode() for one in held]
    return _toml(Schema.read, form, forms, blobs, place / "s.toml", (*SCHEMAS, Format.from_dict))


@target
def plans(place: Path) -> Target:
    """Plans, and what they claim for a schema."""
    schema = ASKED["substitution"].schema
    response = {"method": "randomized-response"}
    jobs = {"a": ["axolotl"], "b": ["bittern", "cormorant"]}
    flip = {"method": "flip", "attributes": ["age"], "theta": 0.8, "cuts": {"age": 40}}
    forms: list[Any] = [
        {"method": "substitution", "gamma": 5, "kind": "band", "edges": {"age": [30]}, "wave": 0.1},
        {**response, "groups": [["age", "pay"]], "theta": [0.8], "rest": "exact"},
        {**response, "groups": [["age"]], "gamma": 3, "bins": 2, "rest": "withheld"},
        {"method": "k-anonymity", "k": 3, "suppress": 0.1},
        {"method": "complement", "pick": "dummy"},
        {"method": "forest-framework", "noise": 0.1},
        {"method": "gadp"},
        {
            "default": "exact",
            "attributes": {
                "age": {"method": "substitution", "epsilon": 1.5, "bins": 4},
                "pay": {"method": "value-class", "edges": [10, 20]},
                "job": {"method": "substitution", "rho": [0.1, 0.5]},
            },
        },
        {
            "default": {"method": "additive-noise", "level": 0.5},
            "attributes": {
                "flag": {"method": "substitution", "matrix": [[0.9, 0.3], [0.1, 0.7]]},
                "job": {"method": "value-class", "groups": jobs},
            },
            "groups": [flip],
            "tuned_on_records": False,
        },
    ]  # fmt: skip

    def form(one: Any) -> object:
        if not isinstance(one, dict):
            return None
        made = planfile.plan_from_dict(one)
        return made.claim(schema).sentences(), made.warnings(schema)

    blobs = [
        b'method = "substitution"\ngamma = 5\n',
        b'default = "exact"\n[attributes]\nage = "withheld"\n',
    ]
    parsers = (planfile.plan_from_dict, planfile._treatment, planfile._group, planfile._made)
    return _toml(planfile.read_plan, form, forms, blobs, place / "p.toml", parsers)


@target
def agreements(place: Path) -> Target:
    """Agreements of parties."""

    def form(one: Any) -> object:
        if not isinstance(one, dict):
            return None
        made = Agreement.from_dict(one, study.SCHEMA)
        return [made.recipe(party).types for party in made.members], made.digest

    def read(path: Path) -> object:
        return Agreement.read(path, study.SCHEMA)

    forms = [study.COLUMNS, study.RECORDS]
    blobs = [b'split = "records"\n[parties.a]\ngroups = [["smoker"]]\ntheta = 0.8\n']
    parsers = (Agreement.from_dict, agreement._member, Agreement.__post_init__)
    return _toml(read, form, forms, blobs, place / "a.toml", parsers)


@target
def surveys(place: Path) -> Target:
    """Questionnaires."""

    def form(one: Any) -> object:
        if not isinstance(one, dict):
            return None
        made = Questionnaire.from_dict(one)
        return made.claim.sentences(), made.digest

    wished = {**FORM, "epsilon": 1.5}
    del wished["gamma"]
    own = ("gamma", "epsilon", "rho")
    bare = {
        name: {word: said for word, said in question.items() if word not in own}
        for name, question in FORM["questions"].items()
    }
    total = {**wished, "questions": bare, "total_epsilon": 9, "texts": {"en": {"yes": "Aye"}}}
    del total["epsilon"]
    blobs = [(Path(__file__).parents[2] / "docs" / "survey.toml").read_bytes()]
    made = _toml(Questionnaire.read, form, [FORM, wished, total], blobs, place / "s.toml", (parse,))
    return replace(made, words=(*PAGE["en"], "joint", "scale", "open", "choice"))


@target
def submissions(place: Path) -> Target:
    """What people send to a survey's server."""
    from privet.store.answers import Answers
    from privet.web.app import Survey

    asked = Questionnaire.from_dict(FORM)
    answers = Answers.create(place / "a.db", asked.digest, asked.form, invited=False)
    survey = Survey(asked, answers, "k" * 32, rate=10)
    good = {"survey": asked.digest, "token": "0" * 32, "codes": [0] * len(survey.sizes)}
    forms = [good]
    blobs = [json.dumps(good).encode()]

    def form(one: Any) -> object:
        return survey.understood(json.dumps(one).encode())

    return Target((Survey.understood, reading.parse_json), survey.understood, blobs, form, forms)


STORED = ["privet_store", "privet_unreal", "privet_perturbing", "privet_calls"]


@target
def stores(place: Path) -> Target:
    """Stores in SQLite: changed bytes, and changed cells whose check is made right again."""
    path = place / "s.db"
    with Store.create(path, pv.datasets.schema("weather")) as store:
        store.add(pv.datasets.load("weather"))
    blobs = [path.read_bytes()]
    opened = sqlite3.connect(path)
    opened.row_factory = sqlite3.Row
    rows = {name: [dict(row) for row in opened.execute(f"SELECT * FROM {name}")] for name in STORED}  # noqa: S608
    opened.close()

    def raw(data: bytes) -> object:
        path.write_bytes(data)
        with Store.open(path) as store:
            return store.verify(), store.originals(), store.status()

    def form(one: Any) -> object:
        path.write_bytes(blobs[0])
        if not isinstance(one, dict):
            return None
        connection = sqlite3.connect(path)
        try:
            for name, held in one.items():
                _fill(connection, name, held)
            connection.commit()
        finally:
            connection.close()
        return raw(path.read_bytes())

    from privet.store import facts

    parsers = (Store._found, facts.read_facts, facts.meaning, Store.verify)
    return Target(parsers, raw, blobs, form, [rows])


def _fill(connection: sqlite3.Connection, name: str, held: Any) -> None:
    """Put rows in a table, as far as the database itself takes them."""
    if name not in STORED:
        return
    if held is None:
        connection.execute(f"DROP TABLE {name}")
    elif held is False and name == "privet_store":  # as privet once made them
        connection.execute('ALTER TABLE privet_store DROP COLUMN "check"')
    if not isinstance(held, list):
        return
    try:
        connection.execute(f"DELETE FROM {name}")  # noqa: S608
        for row in held:
            if name == "privet_store" and isinstance(row, dict):
                try:
                    row = {**row, "check": check_of(row)}  # noqa: PLW2901
                except LookupError:
                    continue
            names = ", ".join(f'"{key}"' for key in row)
            marks = ", ".join("?" for _ in row)
            command = f"INSERT INTO {name} ({names}) VALUES ({marks})"  # noqa: S608
            connection.execute(command, list(row.values()))
    except (sqlite3.Error, TypeError, ValueError, OverflowError, AttributeError, UnicodeError):
        return
