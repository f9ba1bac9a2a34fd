"""Databases: how they are named and opened, and what their failures are called."""

import os
from pathlib import Path

import pytest

from privet.errors import StoreError
from privet.store.database import Database, _told


class FailureError(Exception):
    """As a database's driver has it inside."""

    def __init__(self, inner: str | None, outer: str = "") -> None:
        super().__init__(outer)
        if inner is not None:
            self.orig = ValueError(inner)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("database is LOCKED", "is locked by another program"),
        ("canceling statement due to lock timeout", "is locked by another program"),
        ("database or disk is full", "has no space left, or its disk fails"),
        ("database disk image is malformed", "is no SQLite database, or a damaged one"),
        ("attempt to write a readonly database", "may not be opened for writing"),
        ("FATAL: password authentication failed", "does not let us in, or does not exist"),
    ],
)
def test_failures_are_told_in_our_own_words(said: str, told: str) -> None:
    for failure in (FailureError(said), FailureError(None, said)):
        for sqlite in (True, False):
            assert f"The database x.db {told}." in str(_told("x.db", failure, sqlite=sqlite))


def test_failures_that_nobody_knows_show_their_kind_only() -> None:
    text = str(_told("x.db", FailureError("Gale in Wind"), sqlite=True))
    assert "The database x.db refused what was asked of it (ValueError)." in text
    text += str(_told("x.db", FailureError(None, "Gale in Wind"), sqlite=True))
    assert "(FailureError)" in text
    text += str(_told("x.db", FailureError("Gale in Wind"), sqlite=False))
    assert "cannot be reached, or went away" in text
    assert "Gale" not in text


def test_databases_are_named_without_passwords(tmp_path: Path) -> None:
    plain, named = Database(tmp_path / "s.db"), Database(f"sqlite:///{tmp_path}/s.db")
    assert plain.name == named.name == str(tmp_path / "s.db")
    assert plain.sqlite
    server = Database("postgresql://me:secret@host/db")
    assert not server.sqlite
    assert "secret" not in server.name
    assert server.name.endswith("me:***@host/db")
    server.new_file()
    server.check_file()


def test_a_new_file_is_its_owners_and_takes_nobodys_place(tmp_path: Path) -> None:
    database = Database(tmp_path / "s.db")
    with pytest.raises(StoreError, match="There is no store"):
        database.check_file()
    before = os.umask(0)
    try:
        database.new_file()
    finally:
        os.umask(before)
    assert (tmp_path / "s.db").stat().st_mode & 0o777 == 0o600
    database.check_file()
    with pytest.raises(StoreError, match="exists already"):
        database.new_file()
    with pytest.raises(StoreError, match=r"cannot be written: No such file"):
        Database(tmp_path / "no" / "s.db").new_file()


def test_connections_are_made_once_and_given_back(tmp_path: Path) -> None:
    database = Database(tmp_path / "s.db")
    first = database.engine
    assert database.engine is first
    database.close()
    assert database.engine is not first
    database.close()
    database.close()


def test_records_stay_out_of_the_messages_of_either_database(tmp_path: Path) -> None:
    for url in (tmp_path / "s.db", "postgresql://me@host/db"):
        database = Database(url)
        assert database.engine.hide_parameters
        database.close()


def test_only_a_locked_file_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.db").write_text("not a database, but long enough to look like one" * 50)
    waits: list[float] = []
    monkeypatch.setattr("privet.store.database.time.sleep", waits.append)
    database = Database(tmp_path / "text.db", timeout=0.2)
    with pytest.raises(StoreError, match="no SQLite database"), database.reading():
        pass
    assert waits == []
