"""Stores: the same laws on SQLite and PostgreSQL, bad input that does no harm, and no traces."""

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from privet import datasets
from privet.audit import audit
from privet.disguise import Complement
from privet.disguise.unrealize import PICKS, Unrealizer
from privet.errors import DataError, PlanError, PrivetWarning, SchemaError, StoreError
from privet.estimators import TreeClassifier
from privet.randomness import Randomness
from privet.release import Release
from privet.schema import Attribute, Schema
from privet.store import Store
from privet.store.layout import check_of, facts
from tests.disguise.thesis import PERTURBING, UNREAL
from tests.flips import flipped
from tests.store.writer import SCHEMA, samples

WEATHER = datasets.schema("weather")
DAYS = datasets.load("weather")
MONDAY, LAST = "monday", "last"


def records(table: Any) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


def test_the_thesis_tables_in_a_database(url: str) -> None:
    with Store.create(url, WEATHER) as store:
        for day in DAYS.to_pylist():
            assert store.add(day).samples == 1
        _, moved, taken = store._tables()
        assert moved.tolist() == np.bincount(np.array(UNREAL) - 1, minlength=24).tolist()
        left = 2 - taken
        assert left.tolist() == np.bincount(np.array(PERTURBING) - 1, minlength=24).tolist()
        assert store.verify() == 14
        assert records(store.originals()) == records(DAYS)
        plain = TreeClassifier(policy="id3").fit(
            DAYS.drop_columns("Play"), DAYS["Play"].to_pylist()
        )
        assert store.mine(policy="id3").tree_.gain[0] == plain.tree_.gain[0]


@pytest.mark.parametrize("pick", PICKS)
def test_calls_of_any_size_add_up(url: str, pick: Any) -> None:
    total = np.zeros(0, np.int64)
    with Store.create(url, SCHEMA, Complement(pick)) as store:
        total = np.zeros(store.universe.size, np.int64)
        for call in range(12):
            frame = samples(0, call)
            if call == 5:  # more than a sample for eight cells: done in memory
                frame = {
                    name: np.concatenate([samples(1, i)[name] for i in range(20)]) for name in frame
                }
            for cells in store.method.cells(frame, SCHEMA):
                total += np.bincount(cells, minlength=len(total))
            store.add(frame)
        assert store.verify() == total.sum()
        _, moved, taken = store._tables()
        assert np.array_equal(taken - moved, total)
        status = store.status()
        assert status.unreal_rows + status.perturbing_rows <= 2 * status.universe
        if pick == "dummy":
            assert status.copies == total.max()
    with Store.open(url) as store:  # goes on after a restart
        store.add(samples(3, 1))
        assert store.verify() == total.sum() + len(samples(3, 1)["a"])


@pytest.mark.parametrize("pick", ["first", "dummy"])
def test_small_calls_do_what_one_large_one_does(tmp_path: Path, pick: Any) -> None:
    method = Complement(pick)
    with Store.create(tmp_path / "s.db", SCHEMA, method) as store, Randomness.seeded(1) as source:
        worked = Unrealizer(method.universe(SCHEMA), pick, source)
        for call in range(40):
            frame = {name: column[:9] for name, column in samples(2, call).items()}
            store.add(frame)
            for cells in method.cells(frame, SCHEMA):
                worked.add(cells)
        row, moved, taken = store._tables()
        assert np.array_equal(moved, worked.unreal)
        assert np.array_equal(taken, worked.taken)
        assert row["copies"] == worked.copies


def test_a_repeated_call_counts_once(url: str) -> None:
    with Store.create(url, WEATHER) as store:
        first = store.add(DAYS, token=MONDAY)
        again = store.add(DAYS, token=MONDAY)
        assert (first.repeated, again.repeated, store.verify()) == (False, True, 14)
        with pytest.raises(StoreError, match="another number of samples"):
            store.add(DAYS.slice(0, 3), token=MONDAY)
        assert store.verify() == 14


def test_a_loss_is_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer comes between any two readings of the store."""
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER) as store, Store.open(path) as writer:
        store.add(DAYS)
        before = store.loss(3)
        with store.database.reading() as connection:
            transaction = type(connection)
        closed = transaction.close

        def close(connection: Any) -> None:
            closed(connection)
            monkeypatch.setattr(transaction, "close", closed)
            writer.add(DAYS)

        monkeypatch.setattr(transaction, "close", close)
        assert store.loss(3) == before
        assert writer.verify() == 28


def test_a_schema_that_changed_is_noticed(url: str) -> None:
    with Store.create(url, WEATHER) as store:
        store.add(DAYS)
        for change in ("schema = replace(schema, 'Weak', 'Wean')", "oldest = 2", "format = 1"):
            with store.database.writing() as connection:
                before = connection.execute(text("SELECT * FROM privet_store")).mappings().one()
                connection.execute(text(f"UPDATE privet_store SET {change}"))  # noqa: S608 - ours
            for look in (store.verify, store.release, lambda: Store.open(url)):
                with pytest.raises(StoreError, match="are damaged"):
                    look()
            with store.database.writing() as connection:
                put = text("UPDATE privet_store SET schema = :schema, oldest = :oldest, format = 2")
                connection.execute(put, dict(before))
        assert store.verify() == 14


@pytest.mark.parametrize(
    "change",
    [
        "privet_unreal SET count = 'many' WHERE cell = 3",
        "privet_perturbing SET taken = 'x'",
        "privet_perturbing SET taken = 1e300",
        "privet_perturbing SET taken = x'00ff'",
        "privet_perturbing SET place = 'x' WHERE place = 3",
        "privet_unreal SET cell = 900 WHERE cell = 3",
        "privet_store SET copies = 'two'",
        "privet_store SET token_seconds = 'long'",
        "privet_store SET schema = x'ff'",
        "privet_store SET dummy = '[[[['",
        "privet_store SET id = 2",
    ],
)
def test_a_damaged_file_is_told(tmp_path: Path, change: str) -> None:
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER) as store:
        store.add(DAYS)
        other = sqlite3.connect(path)
        other.execute(f"UPDATE {change}")
        other.commit()
        other.close()
        with pytest.raises(StoreError):
            store.verify()
        with contextlib.suppress(StoreError):
            store.add(DAYS)
        with contextlib.suppress(StoreError):
            Store.open(path).close()


def test_every_flip_that_changes_what_is_read_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER) as store:
        store.add(DAYS)
        before = records(store.originals())
    for bad in flipped(path.read_bytes()):
        path.write_bytes(bad)
        try:
            with Store.open(path) as store:
                store.verify()
                assert (store.schema, store.method.pick) == (WEATHER, "first")
                assert records(store.originals()) == before
        except (StoreError, PrivetWarning):  # a store without its check is warned of
            continue


def test_a_store_from_before_checks_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER) as store:
        store.add(DAYS)
    other = sqlite3.connect(path)
    other.execute("ALTER TABLE privet_store DROP COLUMN 'check'")
    other.execute("UPDATE privet_store SET format = 1")
    other.execute("DELETE FROM privet_unreal WHERE count = 0")
    other.commit()
    other.close()
    with pytest.warns(PrivetWarning, match="has no checksum"):
        old = Store.open(path)
    with old as store:
        assert store.verify() == 14
        store.add(DAYS)
        assert store.verify() == 28


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_writer_has_connections_of_its_own(url: str) -> None:
    with Store.create(url, WEATHER) as store:
        store.add(DAYS)
        child = os.fork()
        if child == 0:
            store.add(DAYS)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        store.add(DAYS)
        assert store.verify() == 42


def test_bad_input_leaves_the_store_as_it_was(url: str) -> None:
    with Store.create(url, WEATHER) as store:
        store.add(DAYS)
        with pytest.raises(DataError, match="outside its domain") as raised:
            store.add({**DAYS.to_pydict(), "Wind": ["Gale"] * 14})
        assert "Gale" not in str(raised.value)
        with pytest.raises(DataError, match="no column 'Wind'"):
            store.add({"Outlook": ["Sunny"], "Humidity": ["High"], "Play": ["No"]})
        for nothing in (DAYS.slice(0, 0), [1, 2], "no-such.csv"):
            with pytest.raises(DataError):
                store.add(nothing)
        with pytest.raises(StoreError, match="text of 1 to 200"):
            store.add(DAYS, token="")
        assert store.verify() == 14
    with pytest.raises(SchemaError, match="another schema"):
        Store.open(url, schema=SCHEMA)
    with pytest.raises(StoreError, match=r"exists already|holds a store already"):
        Store.create(url, WEATHER)
    with Store.open(url, schema=WEATHER) as store:
        assert store.verify() == 14


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("privet_perturbing SET taken = taken + 1 WHERE cell = 20", "lost or counted twice"),
        ("privet_perturbing SET taken = taken + 1 WHERE cell = 3", "more was taken"),
        ("privet_unreal SET count = count + 1 WHERE cell = 0", "count is negative|record a sample"),
    ],
)
def test_what_someone_else_wrote_is_noticed(url: str, change: str, said: str) -> None:
    with Store.create(url, WEATHER) as store:
        store.add(DAYS)
        with store.database.writing() as connection:
            connection.execute(text(f"UPDATE {change}"))
        with pytest.raises(StoreError, match=f"does not add up: .*({said})"):
            store.verify()


def test_databases_that_are_no_stores(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no store"):
        Store.open(tmp_path / "absent.db")
    assert not (tmp_path / "absent.db").exists()
    (tmp_path / "text.db").write_text("not a database, but long enough to look like one" * 50)
    with pytest.raises(StoreError, match="no SQLite database"):
        Store.open(tmp_path / "text.db")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(StoreError, match="holds no store"):
        Store.open(tmp_path / "other.db")
    with pytest.raises(StoreError, match="exists already"):
        Store.create(tmp_path / "other.db", WEATHER)
    assert (tmp_path / "other.db").read_bytes() == before
    for url in ("mysql://host/db", "sqlite://", "sqlite:///:memory:"):
        with pytest.raises(StoreError, match=r"Hint: samples\.db"):
            Store.open(url)
    with pytest.raises(StoreError, match="cannot be reached") as raised:
        Store.open("postgresql://me:secret@localhost:1/none")
    assert "secret" not in str(raised.value)


def test_a_universe_too_large_makes_no_file(tmp_path: Path) -> None:
    wide = Schema(
        [Attribute.categorical(f"x{i}", list(range(50))) for i in range(5)]
        + [Attribute.categorical("y", ["a", "b"])],
        target="y",
    )
    with pytest.raises(PlanError, match="at most 4,194,304"):
        Store.create(tmp_path / "s.db", wide)
    assert not (tmp_path / "s.db").exists()


def test_a_locked_file_is_told_and_unharmed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store.create(path, WEATHER).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="locked by another program"):
        Store.open(path, timeout=0.2)
    other.execute("ROLLBACK")
    other.execute("BEGIN IMMEDIATE")
    with Store.open(path, timeout=0.2) as store:
        with pytest.raises(StoreError, match=r"locked.*token is '"):
            store.add(DAYS)
        other.execute("ROLLBACK")
        other.close()
        assert store.add(DAYS).samples == store.verify() == 14


FULL = """
import resource, sys
from privet import datasets
from privet.errors import StoreError
from privet.store import Store
store = Store.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    store.add(datasets.load("weather"))
except StoreError as error:
    print(error)
"""


def test_a_full_disk_is_told_and_unharmed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store.create(path, WEATHER).close()
    command = [sys.executable, "-c", FULL, str(path), "512"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "no space left, or its disk fails" in done.stdout
    with Store.open(path) as store:
        assert store.verify() == 0
        store.add(DAYS)
        assert store.verify() == 14


def test_nothing_of_the_past_lingers_in_an_sqlite_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER, token_days=1e-6) as store:
        for number in range(60):
            store.add(DAYS.slice(number % 14, 1), token=f"lingering-{number:04d}-" + "x" * 60)
        time.sleep(1.2)  # tokens are remembered for a second more
        store.add(DAYS, token=LAST)
        store.add(DAYS.slice(0, 1), token=MONDAY)  # the first call by which time has gone on
        assert store.status().tokens == 2
        data = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"lingering-" not in data
    assert b"last" in data
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir() if file.stat().st_size] == ["s.db"]


def test_any_attribute_may_be_the_class(tmp_path: Path) -> None:
    with Store.create(tmp_path / "days.db", WEATHER) as store:
        store.add(DAYS)
        tree = store.mine(target="Outlook", policy="id3").tree_
    release = Complement().disguise(DAYS, WEATHER).with_target("Outlook")
    assert tree.same_as(TreeClassifier(policy="id3").fit(release).tree_)
    assert tree.target == "Outlook"


def test_a_release_of_a_store_is_one_like_others(tmp_path: Path) -> None:
    with Store.create(tmp_path / "s.db", WEATHER, Complement("dummy", "Wind")) as store:
        with pytest.raises(DataError, match="no samples yet"):
            store.release()
        store.add(DAYS)
        store.release().write(tmp_path / "r")
        assert store.loss(2).leaked == 2
    back = Release.read(tmp_path / "r")
    assert TreeClassifier(policy="id3").fit(back).tree_.nodes == 8
    assert store.database.name.endswith("s.db")


def test_attacks_find_what_the_claim_says(tmp_path: Path) -> None:
    method = Complement("random")
    frame = samples(0, 3)
    cells = np.concatenate([next(method.cells(samples(5, i), SCHEMA)) for i in range(8)])
    with Store.create(tmp_path / "s.db", SCHEMA, method) as store:
        collected = np.bincount(cells, minlength=store.universe.size)
        for call in range(8):
            store.add(samples(5, call))
        before = store.release()
        store.add(frame)
        after = store.release()
    (new,) = method.cells(frame, SCHEMA)
    inserted = np.bincount(new, minlength=len(collected))
    assert before.universe is not None
    assert after.universe is not None
    seen = [before.universe.collected(before.parts), after.universe.collected(after.parts)]
    assert np.array_equal(seen[0], collected)
    assert np.array_equal(seen[1] - seen[0], inserted)  # two moments show what came between
    asked = audit(before, attacks=["one-row-each", "rebuild", "leak"], trees=False, seed=1)
    outcomes = {outcome.attack: outcome for outcome in asked.attacks}
    for name in ("one-row-each", "rebuild"):
        assert outcomes[name].value == outcomes[name].control == 1.0
        assert (outcomes[name].null or 0.0) < 0.9 > outcomes[name].blind
    few = outcomes["leak"]
    assert few.control == 1.0
    assert few.low < few.blind + 0.1  # hardly better than a record drawn from the universe


def test_errors_of_the_database_show_no_values(tmp_path: Path) -> None:
    with Store.create(tmp_path / "s.db", WEATHER) as store, store.database.reading() as connection:
        command = text("INSERT INTO nowhere VALUES (:wind)")
        with pytest.raises(DatabaseError) as caught:
            connection.execute(command, {"wind": "Gale"})
    assert "Gale" not in str(caught.value)


@pytest.mark.parametrize("fact", [column.name for column in facts.columns])
def test_no_fact_of_a_store_can_be_missing(tmp_path: Path, fact: str) -> None:
    path = tmp_path / "s.db"
    Store.create(path, WEATHER).close()
    with contextlib.closing(sqlite3.connect(path)) as opened:
        match = "datatype mismatch" if fact == "id" else "NOT NULL"
        with pytest.raises(sqlite3.IntegrityError, match=match):
            opened.execute(f'UPDATE privet_store SET "{fact}" = NULL')  # noqa: S608


@pytest.mark.parametrize(
    "wrong", [{"copies": -1}, {"samples": "x"}, {"oldest": 99}, {"token_seconds": "x"}, {"pick": 1}]
)
def test_facts_that_cannot_be_are_refused_whatever_their_checksum(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    path = tmp_path / "s.db"
    Store.create(path, WEATHER).close()
    with contextlib.closing(sqlite3.connect(path)) as opened:
        opened.row_factory = sqlite3.Row
        row = {**dict(opened.execute("SELECT * FROM privet_store").fetchone()), **wrong}
        opened.execute("PRAGMA ignore_check_constraints = ON")
        opened.execute("DROP TABLE privet_store")
        opened.execute(f"CREATE TABLE privet_store ({', '.join(f'{name!r}' for name in row)})")
        row["check"] = check_of(row)
        marks = ", ".join("?" for _ in row)
        opened.execute(f"INSERT INTO privet_store VALUES ({marks})", [*row.values()])  # noqa: S608
        opened.commit()
    with pytest.raises(StoreError, match="are damaged"):
        Store.open(path)


def test_a_new_store_is_empty(tmp_path: Path) -> None:
    with Store.create(tmp_path / "s.db", WEATHER) as store:
        row, moved, taken = store._tables()
        assert {name: row[name] for name in row if name not in ("schema", "check")} == {
            "id": 1, "format": 2, "pick": "first", "dummy": "null", "token_seconds": 604_800.0,
            "copies": 0, "samples": 0, "remaining": 0, "oldest": 1, "place": 0,
        }  # fmt: skip
        assert not moved.any()
        assert not taken.any()
        status = store.status()
        assert (status.universe, status.unreal_rows, status.perturbing_rows) == (24, 0, 24)
        assert (status.tokens, status.perturbing_records, status.lingers) == (0, 0, False)
        assert store.verify() == 0


def test_the_status_counts_what_is_there(tmp_path: Path) -> None:
    with Store.create(tmp_path / "s.db", WEATHER, token_days=2) as store:
        for day in DAYS.slice(0, 3).to_pylist():
            store.add(day)
        row, moved, taken = store._tables()
        assert row["token_seconds"] == 172_800.0
        status = store.status()
        assert (status.samples, status.copies, status.tokens) == (3, row["copies"], 3)
        assert status.unreal_rows == np.count_nonzero(moved)
        assert status.perturbing_records == row["copies"] * 24 - 6 == row["remaining"]
        assert status.pick == "first"
        assert int(taken.sum()) == 6


@pytest.mark.parametrize("days", [0, 0.0, -1, float("nan")])
def test_tokens_are_kept_for_a_while(tmp_path: Path, days: float) -> None:
    with pytest.raises(StoreError, match="more than 0 days"):
        Store.create(tmp_path / "s.db", WEATHER, token_days=days)
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    "record",
    [
        {"a": "p", "b": 3.5, "c": 2, "y": "no"},
        {"a": np.str_("p"), "b": np.float64(3.5), "c": np.int64(2), "y": "no"},
        {"a": "p", "b": np.float32(3.5), "c": np.uint8(2), "y": "no"},
    ],
    ids=["plain", "numpy", "small"],
)
def test_a_record_is_a_sample(tmp_path: Path, record: dict[str, Any]) -> None:
    with Store.create(tmp_path / "s.db", SCHEMA) as store:
        assert store.add(record).samples == 1
        (found,) = store.originals().to_pylist()
        assert (found["a"], found["c"], found["y"]) == ("p", 2, "no")


def test_a_missing_value_of_a_record_is_a_value_like_others(tmp_path: Path) -> None:
    schema = Schema(
        [
            Attribute.categorical("a", ["p", "q"], missing="category"),
            Attribute.categorical("y", ["no", "yes"]),
        ],
        target="y",
    )
    with Store.create(tmp_path / "s.db", schema) as store:
        store.add({"a": None, "y": "no"})
        assert store.originals().to_pylist() == [{"a": None, "y": "no"}]


def test_samples_come_from_files_too(tmp_path: Path) -> None:
    lines = ["Outlook,Humidity,Wind,Play", *(",".join(day.values()) for day in DAYS.to_pylist())]
    (tmp_path / "days.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "none.csv").write_text(lines[0] + "\n")
    with Store.create(tmp_path / "s.db", WEATHER) as store:
        assert store.add(tmp_path / "days.csv").samples == 14
        assert store.add(str(tmp_path / "days.csv")).samples == 14
        assert records(store.originals()) == records(DAYS) + records(DAYS)
        with pytest.raises(DataError):
            store.add(tmp_path / "none.csv")
        with pytest.raises(DataError, match="Samples are a frame"):
            store.add([1, 2])
        assert store.verify() == 28


def test_a_notebook_shows_no_samples(tmp_path: Path) -> None:
    with Store.create(tmp_path / "s.db", WEATHER) as store:
        assert repr(store) == f"<Store {tmp_path / 's.db'}>"
        html = store._repr_html_()
        assert f"<b>Store {tmp_path / 's.db'}</b>" in html
        assert "24 different records" in html


def test_a_newer_format_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store.create(path, WEATHER).close()
    with contextlib.closing(sqlite3.connect(path)) as opened:
        opened.execute("UPDATE privet_store SET format = 3")
        opened.commit()
    with pytest.raises(StoreError, match=r"is of format 3; this privet knows 2\..*upgrade privet"):
        Store.open(path)


@pytest.mark.parametrize(("oldest", "fine"), [(2, True), (3, False)])
def test_the_oldest_copy_is_one_of_the_copies_or_the_next(
    tmp_path: Path, oldest: int, fine: bool
) -> None:
    path = tmp_path / "s.db"
    Store.create(path, WEATHER).close()
    with contextlib.closing(sqlite3.connect(path)) as opened:
        opened.row_factory = sqlite3.Row
        row = dict(opened.execute("SELECT * FROM privet_store").fetchone())
        row |= {"copies": 1, "oldest": oldest}
        told = (row["copies"], row["oldest"], check_of(row))
        opened.execute('UPDATE privet_store SET copies = ?, oldest = ?, "check" = ?', told)
        opened.commit()
    if fine:
        Store.open(path).close()
    else:
        with pytest.raises(StoreError, match="are damaged"):
            Store.open(path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["privet_unreal SET count = -1 WHERE cell = 5"], "count is negative"),
        (["privet_unreal SET count = count + 1 WHERE cell = 5"], "T′ does not hold|negative"),
        (["privet_perturbing SET place = 99 WHERE place = 3"], "lost its place"),
        (["privet_perturbing SET place = NULL WHERE place = 3"], "lost its place"),
        (
            [
                "privet_unreal SET count = count + 1 WHERE cell = 20",
                "privet_perturbing SET taken = taken + 1 WHERE cell = 20",
            ],
            "T′ does not hold one record per sample",
        ),
    ],
)
def test_each_wrong_of_a_store_is_called_by_its_name(
    tmp_path: Path, changes: list[str], said: str
) -> None:
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER) as store:
        store.add(DAYS)
        with contextlib.closing(sqlite3.connect(path)) as opened:
            for change in changes:
                opened.execute(f"UPDATE {change}")
            opened.commit()
        with pytest.raises(StoreError, match=f"does not add up: .*({said})"):
            store.verify()


def test_what_remains_must_be_what_the_facts_say(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER) as store:
        store.add(DAYS)
        with contextlib.closing(sqlite3.connect(path)) as opened:
            opened.row_factory = sqlite3.Row
            row = dict(opened.execute("SELECT * FROM privet_store").fetchone())
            row["remaining"] += 1
            told = (row["remaining"], check_of(row))
            opened.execute('UPDATE privet_store SET remaining = ?, "check" = ?', told)
            opened.commit()
        with pytest.raises(StoreError, match=r"T\^P is not what remains"):
            store.verify()


def test_a_loss_is_that_of_a_complement(tmp_path: Path) -> None:
    """Of one record, without knowledge of others, unless it is said."""
    from privet.disguise.loss import loss_of

    with Store.create(tmp_path / "s.db", WEATHER) as store:
        store.add(DAYS)
        row, moved, taken = store._tables()
        for told in ({}, {"leaked": 2}, {"alpha": 0.5}, {"p_d": 0.5}):
            asked: dict[str, Any] = {"leaked": 1, "alpha": 0.0, "p_d": 1.0, "p_r": None} | told
            leaked = asked.pop("leaked")
            expected = loss_of(store.universe, taken - moved, row["copies"], leaked, **asked)
            assert store.loss(**told) == expected


@pytest.mark.parametrize("table", ["privet_unreal", "privet_perturbing"])
def test_a_row_that_is_gone_is_noticed(tmp_path: Path, table: str) -> None:
    path = tmp_path / "s.db"
    with Store.create(path, WEATHER) as store:
        with contextlib.closing(sqlite3.connect(path)) as opened:
            opened.execute(f"DELETE FROM {table} WHERE cell = 3")  # noqa: S608 - ours
            opened.commit()
        with pytest.raises(StoreError, match="does not add up"):
            store.verify()


@pytest.mark.parametrize("cell", [24, -1])
def test_cells_of_a_store_from_before_checks_are_those_of_its_universe(
    tmp_path: Path, cell: int
) -> None:
    path = tmp_path / "s.db"
    Store.create(path, WEATHER).close()
    with contextlib.closing(sqlite3.connect(path)) as opened:
        opened.execute("ALTER TABLE privet_store DROP COLUMN 'check'")
        opened.execute("UPDATE privet_store SET format = 1")
        opened.execute("DELETE FROM privet_unreal WHERE cell > 0")
        opened.commit()
        with pytest.warns(PrivetWarning, match="has no checksum"):
            store = Store.open(path)
        with store:
            assert store.verify() == 0
            opened.execute("UPDATE privet_unreal SET cell = ?", (cell,))
            opened.commit()
            with pytest.raises(StoreError, match="does not add up"):
                store.verify()
