"""Targets of fuzzing that people write by hand, in TOML."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from privet.disguise import planfile
from privet.files import reading
from privet.files.format import Format
from privet.party import Agreement, agreement
from privet.schema import Attribute, Schema
from privet.survey import Questionnaire, parse
from privet.survey.texts import PAGE
from tests.audit.test_every_disguise import ASKED
from tests.fuzz.target import Target, put, target, written
from tests.party import study
from tests.survey.asked import FORM

SCHEMAS = (Schema.from_dict, Attribute.from_dict)
NESTED = b"a" + b".a" * 200 + b" = 1\n"  # a key of more parts than are read


def _toml(
    read: Callable[[Path], object],
    form: Callable[[Any], object],
    forms: list[Any],
    blobs: list[bytes],
    path: Path,
    parsers: tuple[Any, ...],
    refused: list[Any] | None = None,
) -> Target:
    def raw(data: bytes) -> object:
        return read(written(path, data))

    every = (*parsers, reading.parse_toml, reading.read_text)
    return Target(every, raw, [*blobs, NESTED], form, forms, refused or [], toml=True)


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
    mixed = forms[-1]
    wrong: list[Any] = [1, [1], [{}], [{"method": "x"}]]
    refused = [{**mixed, "groups": groups} for groups in wrong]
    return _toml(planfile.read_plan, form, forms, blobs, place / "p.toml", parsers, refused)


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
    refused = [{"parties": {}}, {"parties": {"a": 1}}, put(study.COLUMNS, "rows", "split")]
    changes = (1, "more"), (1, "class"), (None, "groups")
    refused += [put(study.COLUMNS, value, "parties", "clinic", word) for value, word in changes]
    return _toml(read, form, forms, blobs, place / "a.toml", parsers, refused)


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
    path, forms = place / "s.toml", [FORM, wished, total]
    made = _toml(Questionnaire.read, form, forms, blobs, path, (parse,), _hostile())
    return replace(made, words=(*PAGE["en"], "joint", "scale", "open", "choice"))


def _hostile() -> list[Any]:
    """Questionnaires that are wrong in ways which chance seldom finds."""
    texts = {"en": {"yes": "{x}"}}, {"en": {"yes": "{"}}
    refused = [{**FORM, "epsilon": 1.5}, {**FORM, "texts": texts[0]}, {**FORM, "texts": texts[1]}]
    refused += [{**refused[0], "gamma": 3}, {**FORM, "total_epsilon": 9}]
    shared = {**FORM, "total_epsilon": 9}  # with a promise of its own for some questions
    del shared["gamma"]
    many = [str(number) for number in range(20)]
    changes: list[tuple[Any, ...]] = [(1, "pains"), (5, "stress", "low")]
    changes += [(many, "meals", "options"), ("yes", "meals", "joint"), (1, "stress", "decline")]
    changes += [(["a", "a"], "pains", "options"), ("1", "stress", "high")]
    changes += [({"en": "No"}, "stress", "decline"), ("ring", "hours", "channel")]
    refused += [put(FORM, value, "questions", *keys) for value, *keys in changes]
    refused += [{**FORM, "texts": 1}, {**shared, "total_epsilon": 1e9}]
    return [*refused, shared, put(FORM, FORM["questions"]["pains"], "questions", "1 pain")]
