"""Cards: what is on them, what never is, and that none can lie or be altered unseen."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privet.disguise import Exact, Plan, Substitution, ValueClass, Withheld
from privet.errors import ReleaseError
from privet.files.sealed import canonical, seal
from privet.release import Release
from privet.release.card import FileEntry, PartEntry, read_card, write_card
from privet.release.people import People
from privet.schema import Attribute, Schema
from tests.disguise.people import SCHEMA, people

PLAN = Plan(
    {"rent": Exact(), "kids": ValueClass(bins=3), "car": Withheld()}, default=Substitution(8)
)
Change = Callable[[dict[str, Any]], object]


def write(folder: Path, rows: int = 500, *, seed: int | None = 1, data: int = 1) -> Path:
    PLAN.disguise(people(rows, data), SCHEMA, seed=seed).write(folder / "r", overwrite=True)
    return folder / "r"


def resign(path: Path, change: Change) -> None:
    """Alter a card as a clever liar would: canonical, with its checksum made anew."""
    card = json.loads((path / "card.json").read_bytes())
    change(card)
    del card["checksum"]
    (path / "card.json").write_bytes(seal(card, 1))


def test_the_card_says_what_a_stranger_needs(tmp_path: Path) -> None:
    card = json.loads((write(tmp_path) / "card.json").read_text())
    assert (card["format"], card["version"]) == ("privet release", 1)
    assert card["seeded"] == "NOT PRIVATE: drawn from a seed"
    assert card["learned_from_data"] is False
    assert card["shuffled"] is True
    assert list(card["schema"]["attributes"]) == ["age", "kids", "rent", "risk"]
    assert card["columns"]["rent"] == {"stored": "numbers"}
    assert card["columns"]["kids"]["upper"] == [3, 6, 9]
    assert card["treatments"]["car"] == "withheld"
    (part,) = card["parts"]
    assert (part["file"], part["rows"], part["sign"]) == ("part-0.parquet", 500, 1)
    assert part["channels"][0]["low"] == -(-(2**32) // 13)
    assert card["claim"]["disclosed"] == ["kids", "rent", "risk"]


def test_no_key_or_seed_is_on_it(tmp_path: Path) -> None:
    PLAN.disguise(people(5), SCHEMA, seed="tulip mania").write(tmp_path / "r")
    assert "tulip" not in (tmp_path / "r" / "card.json").read_text()
    assert json.loads((write(tmp_path, seed=None) / "card.json").read_text())["seeded"] is False


def test_cards_of_two_data_sets_differ_in_checksums_only(tmp_path: Path) -> None:
    cards = []
    for data in (1, 2):
        card = json.loads((write(tmp_path, seed=None, data=data) / "card.json").read_text())
        cards.append(card)
    assert cards[0].pop("checksum") != cards[1].pop("checksum")
    assert cards[0]["parts"][0].pop("sha256") != cards[1]["parts"][0].pop("sha256")
    assert canonical(cards[0]) == canonical(cards[1])


def put(*path: Any, value: Any) -> Change:
    def change(card: dict[str, Any]) -> None:
        section: Any = card
        for key in path[:-1]:
            section = section[key]
        section[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "lie",
    [
        put("claim", "private", value=True),
        put("claim", "epsilon_of_disguised", value=0.5),
        put("claim", "disclosed", value=[]),
        put("claim", "attributes", 0, "gamma", value="2"),
        put("claim", value=None),
        put("seeded", value=False),
        put("treatments", "rent", value="substitution"),
        put("treatments", "car", value="exact"),
        put("parts", 0, "channels", 0, "gamma", value=2),
        put("parts", 0, "channels", 0, "off", value=1),
    ],
)
def test_a_card_cannot_claim_what_its_integers_do_not_keep(tmp_path: Path, lie: Change) -> None:
    path = write(tmp_path)
    Release.read(path)
    resign(path, lie)
    with pytest.raises(ReleaseError, match=r"card\.json"):
        Release.read(path)


@pytest.mark.parametrize(
    "change",
    [
        put("schema", "target", value="nobody"),
        put("schema", "attributes", value=[]),
        put("schema", value=3),
        put("columns", "age", value={"stored": "numbers"}),
        put("columns", "age", value={}),
        put("columns", "risk", "values", value=["high", "low"]),
        put("columns", "kids", "upper", 2, value=10),
        put("columns", "kids", "upper", value=[3, 6]),
        put("parts", value=[]),
        put("parts", 0, "sign", value=2),
        put("parts", 0, "rows", value=499),
        put("parts", 0, "rows", value="500"),
        put("parts", 0, "rows", value=500.0),
        put("parts", 0, "file", value="../r/part-0.parquet"),
        put("parts", 0, "channels", value=[]),
        put("parts", 0, "channels", value=[{"kind": "new"}]),
        put("shuffled", value="yes"),
        put("seeded", value="drawn with love"),
        put("learned_from_data", value=True),
        put("treatments", value={}),
        put("extra", value=1),
        put("version", value=0),
        put("version", value="1"),
        lambda card: card.pop("claim"),
    ],
)
def test_a_card_that_makes_no_sense_is_refused(tmp_path: Path, change: Change) -> None:
    path = write(tmp_path)
    resign(path, change)
    with pytest.raises(ReleaseError, match=r"card\.json|part-0\.parquet"):
        Release.read(path)


def test_a_newer_card_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = write(tmp_path)
    resign(path, put("version", value=5))
    with pytest.raises(
        ReleaseError, match=r"is of version 5; this privet reads up to version 4.*Hint: up"
    ):
        Release.read(path)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"format": "privet release", "version": 1, "x": "\\ud800"}',
        b'{"format": "privet release", "version": 1, "x": NaN}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_card_is_refused(tmp_path: Path, text: bytes) -> None:
    path = write(tmp_path)
    (path / "card.json").write_bytes(text)
    with pytest.raises(ReleaseError, match=r"card\.json"):
        Release.read(path)


def test_spaces_count_too(tmp_path: Path) -> None:
    path = write(tmp_path)
    card = path / "card.json"
    card.write_bytes(json.dumps(json.loads(card.read_bytes())).encode())
    with pytest.raises(ReleaseError, match=r"card\.json is cut short, or was altered"):
        Release.read(path)


@pytest.mark.parametrize("name", ["rent", "age"])
def test_a_card_cannot_withhold_by_a_word(tmp_path: Path, name: str) -> None:
    """A column that is there is plain, or what its channel makes of it, however it is called."""
    path = write(tmp_path)

    def lie(card: dict[str, Any]) -> None:
        card["treatments"][name] = "withheld"
        for promise in card["claim"]["attributes"]:
            if promise["attributes"] == [name]:
                promise |= {"treatment": "withheld", "gamma": "1", "epsilon": 0.0}
        card["claim"]["disclosed"] = [
            disclosed for disclosed in card["claim"]["disclosed"] if disclosed != name
        ]

    resign(path, lie)
    with pytest.raises(ReleaseError, match=rf"card\.json.*'{name}' is called 'withheld', but is"):
        Release.read(path)


@pytest.mark.parametrize("word", ["complement", "unbounded-noise"])
def test_a_card_cannot_call_a_plain_column_changed(tmp_path: Path, word: str) -> None:
    path = write(tmp_path)
    resign(path, put("treatments", "rent", value=word))
    with pytest.raises(ReleaseError, match=rf"'rent' is called '{word}', of which nothing else"):
        Release.read(path)


def test_cells_end_at_the_edges_of_the_schema_and_nowhere_else(tmp_path: Path) -> None:
    age = Attribute.numeric("age", low=0, high=100, edges=[20.0, 65.0])
    schema = Schema([age, Attribute.categorical("ill", ["no", "yes"])], target="ill")
    table = {"age": [10.0, 40.0, 80.0], "ill": ["no", "no", "yes"]}
    Plan({}, default=ValueClass()).disguise(table, schema).write(tmp_path / "r")
    coding = Release.read(tmp_path / "r").codings["age"]
    assert coding is not None
    assert coding.to_dict() == age.coding().to_dict()

    def move(card: dict[str, Any]) -> None:
        card["columns"]["age"]["upper"][0] = card["columns"]["age"]["lower"][1] = 30.0

    resign(tmp_path / "r", move)
    with pytest.raises(ReleaseError, match="the coding of column 'age' does not fit the schema"):
        Release.read(tmp_path / "r")


@pytest.mark.parametrize(
    "change",
    [
        put("parts", value=[]),
        put("parts", 0, "rows", value=500.0),
        put("parts", 0, "rows", value=-1),
        put("parts", 0, "sign", value=0),
        put("parts", 0, "file", value="part-0.parquet.gz"),
        put("parts", 0, "file", value="part-0-1-2.parquet"),
        put("parts", 0, "lacks", value=["age", "kids", "rent", "risk"]),
        put("parts", 0, "lacks", value=["nobody"]),
        put("shuffled", value=1),
        put("learned_from_data", value=True),
        put("treatments", value={"age": "substitution"}),
    ],
)
def test_each_lie_of_columns_and_parts_is_told_as_such(tmp_path: Path, change: Change) -> None:
    path = write(tmp_path)
    resign(path, change)
    with pytest.raises(ReleaseError, match="columns and parts does not fit together"):
        read_card(path / "card.json", (path / "card.json").read_bytes())


def test_no_file_is_listed_twice(tmp_path: Path) -> None:
    path = write(tmp_path)
    resign(path, lambda card: card["parts"].append(card["parts"][0]))
    with pytest.raises(ReleaseError, match="columns and parts does not fit together"):
        Release.read(path)


@pytest.mark.parametrize(
    "cells",
    [
        {"lower": [0, 4, 4], "upper": [3, 3, 9]},
        {"lower": [0, 8, 4], "upper": [7, 3, 9]},
        {"lower": [1, 4, 7], "upper": [3, 6, 9]},
        {"lower": [0, 4, 7], "upper": [3, 6, 8]},
        {"lower": [0, 6, 7], "upper": [3, 5, 9]},
    ],
)
def test_cells_that_do_not_cut_the_range_are_refused(
    tmp_path: Path, cells: dict[str, list[int]]
) -> None:
    path = write(tmp_path)
    resign(path, lambda card: card["columns"]["kids"].update(cells))
    with pytest.raises(ReleaseError, match=r"does not fit the schema|does not make sense"):
        Release.read(path)


def version(release: Release, parts: int = 1, files: int = 1, lacks: tuple[str, ...] = ()) -> int:
    """The version of a card whose parts have so many files each."""
    entries = [
        PartEntry(
            tuple(FileEntry(f"part-{n}-{m}.parquet", 1, "") for m in range(files)), 1, (), {}, lacks
        )
        for n in range(parts)
    ]
    return int(json.loads(write_card(release, entries))["version"])


def test_a_card_has_the_first_version_that_can_say_what_it_says() -> None:
    """So that an older privet reads whatever it understands."""
    made = PLAN.disguise(people(20), SCHEMA, seed=1)
    assert [version(made), version(made, parts=3), version(made, files=2)] == [1, 1, 2]
    assert version(replace(made, drawn=True)) == 3
    assert version(replace(made, drawn=True), files=2) == 3
    assert version(replace(made, tuned=True)) == 4
    assert version(replace(made, people=People(2))) == 4
    assert version(made, lacks=("age",)) == 4


def test_facts_of_a_release_come_back(tmp_path: Path) -> None:
    made = PLAN.disguise(people(20), SCHEMA, seed=1)
    for fact in ({"tuned": True}, {"drawn": True}, {"people": People(2)}, {"shuffled": False}):
        told = replace(made, **fact)
        told.write(tmp_path / "r", overwrite=True)
        back = Release.read(tmp_path / "r")
        for name in ("tuned", "drawn", "people", "shuffled", "seeded"):
            assert getattr(back, name) == getattr(told, name)


def test_a_part_may_be_empty(tmp_path: Path) -> None:
    made = PLAN.disguise(people(20), SCHEMA, seed=1)
    empty = replace(made.parts[0], table=made.parts[0].table.slice(0, 0))
    replace(made, parts=(made.parts[0], empty)).write(tmp_path / "r")
    back = Release.read(tmp_path / "r")
    assert [part.table.rows for part in back.parts] == [20, 0]
