"""The database of a survey: once only, in batches, nothing that links an answer to a token."""

import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import SurveyError
from privet.store.answers import BATCH, Answers, Said, Verdict, hashed
from tests.store.server import Server

STORED, REPEATED, UNINVITED, CLOSED = Verdict


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server()
    try:
        made.start()
        yield made
    finally:
        made.remove()


def said(number: int, answer: bytes = b"\1\0") -> Said:
    return Said(f"token-{number:012}".encode(), answer)


def test_an_answer_counts_once(tmp_path: Path) -> None:
    with Answers.create(tmp_path / "a.db", "d" * 64, {}, invited=False) as answers:
        assert answers.add([said(1), said(2), said(1, b"\2\0")]) == [STORED, STORED, REPEATED]
        assert answers.add([said(2), said(3)]) == [REPEATED, STORED]
        assert answers.verify() == 3


def test_only_invited_tokens_are_taken_and_hashes_alone_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers.create(path, "d" * 64, {}, invited=True) as answers:
        answers.invite([said(1).token, said(2).token])
        answers.invite([])
        assert answers.add([said(1), said(3)]) == [STORED, UNINVITED]
        assert answers.add([said(1), said(2)]) == [REPEATED, STORED]
    data = path.read_bytes()
    assert said(1).token not in data
    assert hashed(said(1).token) in data


def test_answers_begin_to_count_ten_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers.create(path, "d" * 64, {}, invited=False) as answers:
        for number in range(BATCH - 1):
            answers.add([said(number)])
            assert answers.tally().counted == 0
    with Answers.open(path, "d" * 64) as answers:  # whoever starts anew sees no more
        assert answers.tally().counts == {}
        answers.add([said(BATCH, b"\2\0")])
        tally = answers.tally()
        assert tally.counts == {b"\1\0": BATCH - 1, b"\2\0": 1}
        assert (tally.counted, tally.waiting) == (BATCH, 0)
        answers.add([said(99)])
        assert answers.tally().counts == tally.counts
        assert answers.close() == 1
        assert answers.tally().counts == tally.counts  # the last one would be alone
        assert answers.add([said(99), said(100)]) == [REPEATED, CLOSED]


def test_the_file_keeps_no_order_and_no_time(tmp_path: Path) -> None:
    # The same answers in two orders: but for SQLite's count of changes the files are alike.
    first = [said(number, bytes([number % 3, 0])) for number in range(30)]
    dumps = []
    for name, order in (("a.db", first), ("b.db", first[::-1])):
        with Answers.create(tmp_path / name, "d" * 64, {}, invited=False) as answers:
            for one in order:
                answers.add([one])
        with sqlite3.connect(tmp_path / name) as connection:
            dumps.append("\n".join(connection.iterdump()))
            tables = connection.execute("SELECT sql FROM sqlite_master WHERE sql LIKE '%answers%'")
            assert "WITHOUT ROWID" in tables.fetchone()[0]
        connection.close()
    assert dumps[0] == dumps[1]
    assert not list(tmp_path.glob("*-wal"))


def test_one_copy_of_the_file_does_not_say_whose_answer_waits(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers.create(path, "d" * 64, {}, invited=True) as answers:
        answers.invite(said(number).token for number in range(30))
        answers.add([said(number) for number in range(BATCH)])
        answers.add([said(20, b"\7\0")])
    with sqlite3.connect(path) as connection:
        marked = connection.execute("SELECT hash FROM privet_tokens WHERE state = 1").fetchall()
    connection.close()
    assert len(marked) == BATCH + 1  # the one that waits, among decoys
    assert (hashed(said(20).token),) in marked


def test_where_a_row_lies_in_the_file_says_nothing_of_its_order(tmp_path: Path) -> None:
    first = [said(number, bytes([number * 7 % 30, 0])) for number in range(30)]
    files = []
    for name, step in (("a.db", 1), ("b.db", -1)):
        with Answers.create(tmp_path / name, "d" * 64, {}, invited=True) as answers:
            answers.invite(said.token for said in first)
            for place in range(0, 30, BATCH):
                for one in first[place : place + BATCH][::step]:
                    answers.add([one])
        data = bytearray((tmp_path / name).read_bytes())
        data[24:28] = data[92:96] = bytes(4)  # SQLite's counts of changes
        files.append(bytes(data))
    assert files[0] == files[1]


def test_another_questionnaire_is_not_let_in(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    Answers.create(path, "d" * 64, {"title": "T"}, invited=False).database.close()
    with pytest.raises(SurveyError, match="another questionnaire"):
        Answers.open(path, "e" * 64)
    with pytest.raises(SurveyError, match="no survey database"):
        Answers.open(tmp_path / "none.db")
    sqlite3.connect(tmp_path / "other.db").close()
    (tmp_path / "other.db").touch()
    with pytest.raises(SurveyError, match="holds no survey"):
        Answers.open(tmp_path / "other.db")
    with Answers.open(path) as answers:
        assert answers.form == {"title": "T"}


@settings(max_examples=15)
@given(
    calls=st.lists(
        st.lists(st.tuples(st.integers(0, 25), st.binary(min_size=2, max_size=2)), max_size=8),
        max_size=5,
    )
)
def test_what_counts_is_the_first_answer_of_each_token(
    calls: list[list[tuple[int, bytes]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("answers") / "a.db"
    firsts: dict[int, bytes] = {}
    with Answers.create(path, "d" * 64, {}, invited=False) as answers:
        for call in calls:
            answers.add([said(number, answer) for number, answer in call])
            for number, answer in call:
                firsts.setdefault(number, answer)
            assert answers.verify() == len(firsts)
        tally = answers.tally()
        assert tally.waiting < BATCH
        assert not Counter(tally.counts) - Counter(firsts.values())
        assert answers.close() == tally.waiting == len(firsts) - tally.counted
        assert answers.tally().counts == tally.counts


@pytest.mark.needs("initdb", "postgres", "pg_isready")
def test_on_postgresql_a_batch_has_the_mark_of_one_transaction(server: Server) -> None:
    with Answers.create(server.url, "d" * 64, {}, invited=True) as answers:
        answers.invite(said(number).token for number in range(20))
        for number in range(15):
            assert answers.add([said(number, bytes([number, 0]))]) == [STORED]
        assert answers.add([said(3), said(50)]) == [REPEATED, UNINVITED]
        with answers.database.reading() as connection:

            def marks(asked: str) -> set[Any]:
                return {row[0] for row in connection.exec_driver_sql(asked)}

            def column(asked: str) -> list[bytes]:
                return [bytes(row[0]) for row in connection.exec_driver_sql(asked)]

            counted = marks("SELECT xmin::text FROM privet_answers WHERE fresh = 0")
            batch = [hashed(said(number).token) for number in range(BATCH)]
            spent = {
                row[1]
                for row in connection.exec_driver_sql("SELECT hash, xmin::text FROM privet_tokens")
                if bytes(row[0]) in batch
            }
            lying = column("SELECT answer FROM privet_answers WHERE fresh = 0 ORDER BY ctid")
            tokens = column("SELECT hash FROM privet_tokens WHERE state > 0 ORDER BY ctid")
        assert len(counted) == 1
        assert counted == spent
        assert lying == sorted(lying)
        assert [token for token in tokens if token in batch] == sorted(batch)
        assert answers.verify() == 15


def test_a_survey_goes_on_where_it_was_begun(tmp_path: Path) -> None:
    place, digest = tmp_path / "a.db", "d" * 64
    with Answers.begin(place, digest, {"title": "Größe"}, invited=False) as answers:
        answers.add([said(1)])
    with Answers.begin(place, digest, {}, invited=False) as answers:
        assert answers.form == {"title": "Größe"}
        assert answers.add([said(1), said(2)]) == [REPEATED, STORED]
    with pytest.raises(SurveyError, match="begun with an open link"):
        Answers.begin(place, digest, {}, invited=True)
    with Answers.begin(tmp_path / "b.db", digest, {}, invited=True) as answers:
        answers.invite([hashed(b"somebody")])
        assert answers.invited
    with pytest.raises(SurveyError, match="begun by invitation"):
        Answers.begin(tmp_path / "b.db", digest, {}, invited=False)


@pytest.mark.needs("initdb", "postgres", "pg_isready")
def test_a_survey_on_a_server_goes_on_where_it_was_begun(server: Server) -> None:
    server.create("begun")
    url = server.url.replace("/postgres?", "/begun?")
    for first in (True, False):
        with Answers.begin(url, "d" * 64, {}, invited=False) as answers:
            assert answers.add([said(1)]) == [STORED if first else REPEATED]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE privet_survey SET counted = counted + 1",
        "UPDATE privet_survey SET fresh = fresh + 1",
        "UPDATE privet_survey SET counted = counted + 1, fresh = fresh - 1",
        "UPDATE privet_answers SET fresh = fresh + 1",
        "DELETE FROM privet_tokens WHERE hash = (SELECT min(hash) FROM privet_tokens)",
        "INSERT INTO privet_tokens VALUES (zeroblob(32), 1)",
        "INSERT INTO privet_tokens VALUES (zeroblob(32), 2)",
    ],
)
def test_tables_that_do_not_add_up_are_noticed(tmp_path: Path, damage: str) -> None:
    with Answers.create(tmp_path / "a.db", "d" * 64, {}, invited=False) as answers:
        answers.add([said(number) for number in range(BATCH + 3)])
        assert answers.verify() == BATCH + 3
        with sqlite3.connect(tmp_path / "a.db") as connection:
            connection.execute(damage)
        connection.close()
        with pytest.raises(SurveyError, match="does not add up"):
            answers.verify()


def test_many_answers_at_once_are_each_judged(tmp_path: Path) -> None:
    """More than one list of a query holds."""
    every = [said(number, bytes([number % 7])) for number in range(1203)]
    with Answers.create(tmp_path / "a.db", "d" * 64, {}, invited=True) as answers:
        answers.invite([one.token for one in every[:1202]])
        assert answers.add(every) == [STORED] * 1202 + [UNINVITED]
        assert answers.add(every) == [REPEATED] * 1202 + [UNINVITED]
        tally = answers.tally()
        assert tally.counts == Counter(one.answer for one in every[:1202])
        assert (tally.counted, tally.waiting, tally.closed) == (1202, 0, False)
        assert answers.verify() == 1202


def test_a_batch_is_ten(tmp_path: Path) -> None:
    with Answers.create(tmp_path / "a.db", "d" * 64, {"q": "ä"}, invited=False) as answers:
        assert answers.form == {"q": "ä"}
        assert (answers.tally().counted, answers.tally().waiting) == (0, 0)
        answers.add([said(number) for number in range(9)])
        assert (answers.tally().counted, answers.tally().waiting) == (0, 9)
        answers.add([said(9, b"\2\0")])
        assert answers.tally().counts == {b"\1\0": 9, b"\2\0": 1}
        answers.add([said(number) for number in range(10, 14)])
        assert (answers.tally().counted, answers.tally().waiting) == (10, 4)
        assert answers.tally().counts == {b"\1\0": 9, b"\2\0": 1}
        assert answers.verify() == 14
        assert answers.close() == 4
        assert answers.add([said(3), said(50)]) == [REPEATED, CLOSED]
        assert answers.tally().closed


def test_ten_tokens_of_the_last_batch_stay_fresh(tmp_path: Path) -> None:
    """Decoys: those with the smallest hashes, whoever spent them."""
    path = tmp_path / "a.db"
    with Answers.create(path, "d" * 64, {}, invited=False) as answers:
        answers.add([said(number) for number in range(14)])
        with contextlib.closing(sqlite3.connect(path)) as opened:
            listed = opened.execute(
                "SELECT hash, state FROM privet_tokens ORDER BY hash"
            ).fetchall()
        assert [state for _, state in listed] == [1] * 10 + [2] * 4
        assert [digest for digest, _ in listed] == sorted(hashed(said(n).token) for n in range(14))


def test_a_hash_is_of_the_token_and_its_purpose() -> None:
    assert hashed(b"t") == hashlib.sha256(b"privet survey token\0t").digest()
