"""The database of a store: SQLite in one file, or PostgreSQL, by a URL. The one door to SQLAlchemy.

What a database says of a failure may quote a record, so it never reaches a message of ours:
failures are told in our own words.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection, Engine

__all__ = ["Database"]

BUSY = 60.0  # seconds a writer waits for others
PAUSE = 0.002  # seconds until it looks again whether an SQLite file is free
_BEGIN = "privet_begin"
_CLOCKS = {  # seconds since 1970
    "sqlite": "SELECT (julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "SELECT extract(epoch FROM clock_timestamp())",
}


class Database:
    """Where a store lives; ``name`` is how it may be named to people, without a password.

    A transaction of ``writing`` has the store for itself: SQLite's file is locked, and on
    PostgreSQL whoever locks the row of facts is the only writer.
    """

    def __init__(self, url: str | Path, *, timeout: float = BUSY) -> None:
        self._url = _url(url)
        self._timeout = timeout
        self.sqlite = self._url.drivername == "sqlite"
        self.name = self._url.render_as_string(hide_password=True)
        if self.sqlite:
            self.name = str(self._url.database)
        self._engine: Engine | None = None
        self._process = 0

    @property
    def engine(self) -> Engine:
        """The connections, made when they are first needed."""
        if self._engine is not None and self._process != os.getpid():
            self._engine.dispose(close=False)  # a fork must leave its parent's connections alone
            self._engine = None
        if self._engine is None:
            self._engine, self._process = _engine(self._url, self._timeout), os.getpid()
        return self._engine

    def close(self) -> None:
        """Give all connections back."""
        if self._engine is not None:
            self._engine.dispose()
        self._engine = None

    def new_file(self) -> None:
        """Make an SQLite file that only its owner may read; what is there already is in the way."""
        if not self.sqlite:
            return
        path = Path(self.name)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            message = f"{path} exists already."
            raise StoreError(
                message, hint="choose another name, or add to the store there."
            ) from None
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written: {os.strerror(error.errno or 5)}."
            ) from None

    def check_file(self) -> None:
        """Complain if there is no SQLite file: SQLite itself would make a file."""
        if self.sqlite and not Path(self.name).is_file():
            message = f"There is no store {self.name}."
            raise StoreError(message, hint="privet store create makes one.")

    def now(self, connection: Connection) -> float:
        """Return the time by the database's clock, which is the same for all writers."""
        from sqlalchemy import text

        clock = _CLOCKS["sqlite" if self.sqlite else "postgresql"]
        return float(connection.execute(text(clock)).scalar_one())

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a transaction that is written as a whole or not at all."""
        with self._translated(), self.engine.connect() as connection:
            writer = connection.execution_options(**{_BEGIN: "IMMEDIATE"})
            with writer.begin():
                yield writer

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a transaction that sees one moment of the store."""
        with self._translated(), self.engine.connect() as connection:
            if not self.sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            raise _told(self.name, error, sqlite=self.sqlite) from None
        except UnicodeDecodeError:  # SQLite quotes what it cannot read
            damaged = Exception("malformed")
            raise _told(self.name, damaged, sqlite=self.sqlite) from None


def _url(url: str | Path) -> URL:
    from sqlalchemy import URL, make_url
    from sqlalchemy.exc import ArgumentError

    text = str(url)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        made = make_url(text)
    except ArgumentError:
        raise StoreError("The store's URL cannot be understood.", hint=_EXAMPLES) from None
    kind = made.get_backend_name()
    if kind == "sqlite":
        if not made.database or made.database == ":memory:":
            raise StoreError("A store in SQLite needs a file.", hint=_EXAMPLES)
        return made.set(drivername="sqlite")
    if kind in ("postgresql", "postgres"):
        return made.set(drivername="postgresql+psycopg")
    raise StoreError("A store lives in SQLite or PostgreSQL.", hint=_EXAMPLES)


_EXAMPLES = "samples.db, sqlite:////data/samples.db or postgresql://user@host/database."


def _engine(url: URL, timeout: float) -> Engine:
    from sqlalchemy import create_engine, event

    if url.drivername != "sqlite":
        try:
            return create_engine(
                url,
                hide_parameters=True,
                connect_args={
                    "options": "-c synchronous_commit=on -c statement_timeout=0"
                    f" -c lock_timeout={int(1000 * timeout)}",
                    "connect_timeout": 10,
                },
            )
        except ImportError:
            message = "A store in PostgreSQL needs psycopg, which is not installed."
            raise StoreError(message, hint="pip install '.[store]' in the privet folder.") from None
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": timeout})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        """Make commits durable, and leave no trace of what is overwritten."""
        del record
        connection.isolation_level = None  # transactions begin when we say so
        for line in (
            "PRAGMA page_size = 1024",  # of a new file: a sample changes few bytes of a page
            "PRAGMA secure_delete = ON",
            "PRAGMA journal_mode = TRUNCATE",
            "PRAGMA synchronous = EXTRA",
            "PRAGMA temp_store = MEMORY",
        ):
            connection.execute(line).fetchall()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        _begin(connection, timeout)

    return engine


def _begin(connection: Connection, timeout: float) -> None:
    """Begin a transaction of SQLite as soon as the file is free.

    SQLite itself looks again after ever longer pauses, and a crowd of writers would starve those
    who wait; we look every few milliseconds.
    """
    from sqlalchemy.exc import OperationalError

    mode = connection.get_execution_options().get(_BEGIN, "DEFERRED")
    end = time.monotonic() + timeout
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    while True:
        try:
            connection.exec_driver_sql(f"BEGIN {mode}")
            connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1")  # locks for reading
            break
        except OperationalError as error:
            if connection.connection.dbapi_connection.in_transaction:  # type: ignore[union-attr]
                connection.exec_driver_sql("ROLLBACK")
            if "locked" not in str(error.orig) or time.monotonic() > end:
                raise
        time.sleep(PAUSE)
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(1000 * timeout)}")


_TOLD = (
    (
        ("locked", "busy", "lock timeout"),
        "is locked by another program",
        "wait, and repeat the call.",
    ),
    (
        ("disk is full", "no space", "disk i/o", "could not extend", "could not write"),
        "has no space left, or its disk fails",
        "free space there; what was stored before is unharmed.",
    ),
    (
        ("not a database", "malformed", "unsupported file format"),
        "is no SQLite database, or a damaged one",
        "check the path; nothing was written to it.",
    ),
    (
        ("readonly", "read-only", "unable to open", "permission denied"),
        "may not be opened for writing",
        "check the rights of the file and its folder.",
    ),
    (
        ("password", "authentication", "role", "does not exist"),
        "does not let us in, or does not exist",
        "check user, password and database of the URL.",
    ),
)


def _told(name: str, error: Exception, *, sqlite: bool) -> StoreError:
    """Say what a database's failure means, in our own words."""
    text = str(getattr(error, "orig", None) or error).lower()
    for signs, said, hint in _TOLD:
        if any(sign in text for sign in signs):
            return StoreError(f"The database {name} {said}.", hint=hint)
    if sqlite:
        kind = type(getattr(error, "orig", None) or error).__name__
        return StoreError(f"The database {name} refused what was asked of it ({kind}).")
    message = f"The database {name} cannot be reached, or went away."
    return StoreError(message, hint="start it, and repeat the call.")
