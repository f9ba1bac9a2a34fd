"""Neighbours replayed: the same words over two tables that differ in one record.

Only what the changed record's own channels draw may differ: in the release, its card, the sizes of
files, what is printed, and the sequence of lines, files and words (as Re:cord-play does it).
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import privet as pv
from privet.channel.card import KINDS
from privet.cli import cli
from privet.disguise import recipe as recipes
from privet.disguise.base import Disguise
from privet.disguise.recipe import Lot
from privet.disguise.waves import drawn_cells
from privet.randomness import Randomness
from privet.release import Release
from privet.table import MemoryTable
from tests.audit.test_every_disguise import ASKED, CLASSES, CUTS, FLAGS, JOBS, SCHEMA, people
from tests.party import study
from tests.recorded import Record, recorded

SEED = "neighbours"
ROWS = 1 << 20  # more than any of these tables has
OTHER = {"age": (25, 71), "pay": (11.5, 93_000.25), "job": JOBS, "flag": FLAGS, "grade": CLASSES}
MORE: dict[str, tuple[Disguise, pv.Schema]] = {
    "all substituted": (pv.RandomSubstitution(5, target="substitution"), SCHEMA),
    "single flips": (
        pv.RandomizedResponse([[n] for n in ("age", "pay", "job", "flag")], theta=0.8, cuts=CUTS),
        SCHEMA,
    ),
    "written matrix": (
        pv.Plan({"flag": pv.Substitution(matrix=[[0.9, 0.3], [0.1, 0.7]])}, default=pv.Exact()),
        SCHEMA,
    ),
}
WAVES = pv.RandomSubstitution(8, kind="band", wave=0.2)


def claiming(folder: Path) -> dict[str, tuple[Disguise, pv.Schema]]:
    """Every disguise that the audit knows and that claims an ε for some attribute."""
    known = {name: (asked.make(folder), asked.schema) for name, asked in ASKED.items()}
    return {
        name: (method, schema)
        for name, (method, schema) in {**known, **MORE}.items()
        if method.claim(schema).disguised
    }


def kinds_of(method: Disguise, schema: pv.Schema) -> set[str]:
    made = method.disguise(people(schema), schema, seed=SEED)
    return {channel.kind for part in made.parts for channel in part.channels}


def test_every_kind_of_channel_with_an_epsilon_is_among_them(tmp_path: Path) -> None:
    covered = set().union(*(kinds_of(*method) for method in claiming(tmp_path).values()))
    assert covered >= {name for name, kind in KINDS.items() if not kind.numbers}


NAMES = sorted(claiming(Path("unused")))


def changed(table: dict[str, Any], row: int, names: Any) -> dict[str, Any]:
    """The table with other values in one record."""
    other = {name: column.copy() for name, column in table.items()}
    for name in names:
        other[name][row] = next(v for v in OTHER[name] if v != table[name][row])
    return other


def bare_card(folder: Path) -> dict[str, Any]:
    """A card without the checksums, which are those of the bytes drawn."""
    card: dict[str, Any] = json.loads((folder / "card.json").read_text())
    del card["checksum"]
    for part in card.get("parts", ()):
        del part["sha256"]
    if "files" in card:
        card["files"] = sorted(card["files"])
    return card


def differing(first: MemoryTable, second: MemoryTable) -> dict[str, list[int]]:
    """The rows in which each column differs, columns without any left out."""
    assert first.rows == second.rows
    rows = {
        n: np.flatnonzero(first.columns[n] != second.columns[n]).tolist() for n in first.columns
    }
    return {name: places for name, places in rows.items() if places}


def check_allowed(release: Release, other: Release, names: set[str], row: int | None) -> None:
    """One row differs at most, and only where a channel has a changed attribute."""
    for mine, theirs in zip(release.parts, other.parts, strict=True):
        rows = differing(mine.table.collect(ROWS), theirs.table.collect(ROWS))
        groups = [set(channel.attributes) for channel in mine.channels]
        assert set(rows) <= names.union(*(group for group in groups if group & names))
        places = {place for changed in rows.values() for place in changed}
        assert len(places) <= 1
        several = len(release.parts) > 2  # rows are counted part by part there
        assert row is None or several or places <= {row}


def check_bytes(folder: Path) -> None:
    """The files are a function of what the channels drew: written anew they are the same."""
    again = folder.parent / "again"
    Release.read(folder).write(again, overwrite=True)
    for file in folder.glob("*.parquet"):
        assert file.read_bytes() == (again / file.name).read_bytes()


class Replay:
    """One work over neighbouring tables: recorded once, and then compared."""

    def __init__(self, work: Callable[[Any, Path], Any], table: Any, folder: Path) -> None:
        self.work, self.folder = work, folder
        self.patch = pytest.MonkeyPatch()
        self.done(table, "warm")  # kernels are compiled, modules loaded
        self.first, self.record = self.done(table, "first")

    def done(self, table: Any, name: str) -> tuple[Any, Record]:
        place = self.folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        with recorded(self.patch, place) as record:
            result = self.work(table, place)
        return result, record

    def other(self, table: Any) -> Any:
        result, record = self.done(table, "other")
        assert self.record.difference(record) == ""
        return result


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_neighbour_shows_in_its_own_row_only(name: str, shuffle: bool, tmp_path: Path) -> None:
    method, schema = claiming(tmp_path)[name]
    table = people(schema)

    def work(records: Any, folder: Path) -> Release:
        told: dict[str, Any] = {"to": folder / "r", "shuffle": shuffle}
        return method.disguise(records, schema, seed=SEED, **told)

    replay = Replay(work, table, tmp_path)
    for row, names in [(0, schema.names), (599, schema.names), (300, ["age"]), (7, ["pay"])]:
        other = replay.other(changed(table, row, names))
        check_allowed(replay.first, other, set(names), None if shuffle else row)
        assert bare_card(tmp_path / "other" / "r") == bare_card(tmp_path / "first" / "r")
        check_bytes(tmp_path / "other" / "r")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_neighbour_in_a_file_is_not_heard_of(ending: str, tmp_path: Path) -> None:
    SCHEMA.write(tmp_path / "schema.toml")
    table = people(SCHEMA)
    asked = ["--schema", str(tmp_path / "schema.toml"), "--gamma", "5", "--seed", "1"]

    def work(records: Any, folder: Path) -> str:
        made = pa.table(records)
        path = folder / f"people.{ending}"
        pc.write_csv(made, path) if ending == "csv" else pq.write_table(made, path)
        command = ["disguise", str(path), *asked, "--output", str(folder / "r")]
        done = CliRunner().invoke(cli, command, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output.replace(str(folder), "")

    replay = Replay(work, table, tmp_path)
    other = replay.other(changed(table, 17, SCHEMA.names))
    assert other == replay.first
    first, second = (Release.read(tmp_path / name / "r") for name in ("first", "other"))
    check_allowed(first, second, set(SCHEMA.names), None)
    assert bare_card(tmp_path / "other" / "r") == bare_card(tmp_path / "first" / "r")
    check_bytes(tmp_path / "other" / "r")


def test_a_neighbour_in_either_wave(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    repeat = rng.integers(0, 600, 4000)
    table = {name: column[repeat] for name, column in people(SCHEMA).items()}

    def work(records: Any, folder: Path) -> Release:
        return WAVES.disguise(records, SCHEMA, to=folder / "r", seed=SEED, shuffle=False)

    replay = Replay(work, table, tmp_path)
    with Randomness.seeded(SEED) as source:
        early = Lot.shares([0.2, 0.8])[0].chosen(source, 0, 4000)
    assert early is not None
    waves, rest = np.flatnonzero(early), np.flatnonzero(~early)
    # In the second wave it is as without waves: the first one, and so all cells, stay.
    other = replay.other(changed(table, int(rest[9]), SCHEMA.names))
    check_allowed(replay.first, other, set(SCHEMA.names), 9)
    assert not differing(
        *(release.parts[1].table.collect(ROWS) for release in (replay.first, other))
    )
    assert bare_card(tmp_path / "other" / "r") == bare_card(tmp_path / "first" / "r")
    # In the first wave: one of its rows may differ; all else follows from the released wave.
    for place in range(3):
        other = replay.other(changed(table, int(waves[place]), ["age", "pay"]))
        mine, theirs = (release.parts[1].table.collect(ROWS) for release in (replay.first, other))
        rows = differing(mine, theirs)
        assert all(places == [place] for places in rows.values())
        assert set(rows) <= {"age", "pay"}
        first, last = WAVES.plan(SCHEMA).suited(SCHEMA, 4000).waves(SCHEMA)
        drawn = {name: first.treatments[name] for name in ("age", "pay")}
        cells = drawn_cells(other.parts[1], drawn, dict(last.treatments), SCHEMA)
        for name in drawn:
            wanted, coding = cells[name].coding(SCHEMA[name]), other.codings[name]
            assert wanted is not None
            assert coding is not None
            assert coding.to_dict() == wanted.to_dict()
        if not rows:
            assert bare_card(tmp_path / "other" / "r") == bare_card(tmp_path / "first" / "r")
            check_allowed(replay.first, other, set(), None)


def test_a_neighbour_at_a_party(tmp_path: Path) -> None:
    table = study.people(400)
    agreement = study.agreed()

    def work(records: Any, folder: Path) -> MemoryTable:
        made = study.send("office", records, agreement)
        made.write(folder / "p")
        return made.table

    replay = Replay(work, table, tmp_path)
    other = {name: column.copy() for name, column in table.items()}
    other["age"][3] = 100 - table["age"][3]
    other["smoker"][3] = "yes" if table["smoker"][3] == "no" else "no"  # another party's
    rows = differing(replay.first, replay.other(other))
    assert set(rows) <= {"age"}
    assert all(len(places) == 1 for places in rows.values())
    assert bare_card(tmp_path / "other" / "p") == bare_card(tmp_path / "first" / "p")
    keys = [(tmp_path / name / "p" / "keys.bin").read_bytes() for name in ("first", "other")]
    assert keys[0] == keys[1]


def test_a_single_record_takes_as_many_words_whatever_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = pv.RandomSubstitution(5, target="substitution").plan(SCHEMA).recipe(SCHEMA)
    rng = np.random.default_rng(1)
    for _ in range(50):
        words = rng.integers(0, 2**32, 5, dtype=np.uint32)
        asked: list[int] = []

        def fresh(count: int, words: Any = words, asked: list[int] = asked) -> Any:
            asked.append(count)
            return words[:count]

        monkeypatch.setattr(recipes, "fresh_words", fresh)
        record = {name: values[int(rng.integers(len(values)))] for name, values in OTHER.items()}
        drawn = recipe.record(record)
        for name, values in OTHER.items():
            other = next(value for value in values if value != record[name])
            beside = recipe.record({**record, name: other})
            assert {n: c for n, c in beside.items() if n != name} == {
                n: c for n, c in drawn.items() if n != name
            }
        assert set(asked) == {5}
