"""A store: samples are unrealized as they come, in a database, by as many writers as like to.

Every call is one transaction. Whatever dies in the middle of it, the store afterwards holds just
the calls that were counted, each once: q·T^U = T_S + T′ + T^P.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sqlalchemy import func, inspect, select, text

from privet.disguise.complement import Complement, complemented_release, originals
from privet.disguise.loss import Loss, loss_of
from privet.disguise.unrealize import places
from privet.errors import DataError, SchemaError, StoreError
from privet.frames import is_frame
from privet.randomness import Randomness
from privet.schema import Schema
from privet.store.database import Database
from privet.store.insert import State, insert
from privet.store.layout import APPLICATION, FORMAT, calls, facts, metadata, perturbing, unreal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from numpy.typing import NDArray
    from sqlalchemy import Connection, RowMapping

    from privet.estimators import TreeClassifier
    from privet.release import Release
    from privet.release.universe import Universe

__all__ = ["DAYS", "Receipt", "Status", "Store", "new_token"]

DAYS = 7.0  # that a token is remembered
_ROWS = 10_000  # written together when a store is made
_TOKEN = re.compile(r"(\d{10})-[0-9a-f]{32}")


class Receipt(NamedTuple):
    """What a call did: ``repeated`` means that an earlier call with its token had done it."""

    token: str
    samples: int
    repeated: bool


@dataclass(frozen=True)
class Status:
    """How a store stands, in totals only."""

    name: str
    pick: str
    samples: int
    copies: int
    universe: int
    unreal_rows: int
    perturbing_rows: int
    perturbing_records: int
    tokens: int
    lingers: bool


def new_token() -> str:
    """Return a token that no other call has; it says when it was made."""
    return f"{int(time.time()):010d}-{uuid.uuid4().hex}"


class Store:
    """Samples in a database, as T′ and T^P: ``Store.create`` makes one, ``Store.open`` finds it.

    ``url`` is the path of an SQLite file, or the URL of a database in SQLite or PostgreSQL.
    """

    def __init__(self, database: Database, schema: Schema, method: Complement) -> None:
        self.database = database
        self.schema = schema
        self.method = method
        self.universe: Universe = method.universe(schema)

    def __repr__(self) -> str:
        return f"<Store {self.database.name}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; the store itself stays where it is."""
        self.database.close()

    # Making and finding

    @classmethod
    def create(
        cls,
        url: str | Path,
        schema: Schema,
        method: Complement | None = None,
        *,
        token_days: float = DAYS,
    ) -> Store:
        """Make an empty store; a schema whose universe is too large is refused first.

        A repeated call is recognised by its token for ``token_days``.
        """
        made = cls(Database(url), schema, method or Complement())
        if not token_days > 0:
            raise StoreError("Tokens must be kept for more than 0 days.")
        made.database.new_file()
        try:
            with made.database.writing() as connection:
                made._write_layout(connection, token_days)
        except BaseException:
            made.close()
            if made.database.sqlite:
                Path(made.database.name).unlink(missing_ok=True)
            raise
        return made

    def _write_layout(self, connection: Connection, token_days: float) -> None:
        if inspect(connection).has_table(facts.name):
            message = f"The database {self.database.name} holds a store already."
            raise StoreError(message, hint="add to it, or choose another database.")
        if self.database.sqlite:
            connection.execute(text(f"PRAGMA application_id = {APPLICATION}"))
        metadata.create_all(connection)
        connection.execute(
            facts.insert(),
            {
                "id": 1,
                "format": FORMAT,
                "schema": self.schema.to_json(),
                "pick": self.method.pick,
                "dummy": _dummy_text(self.universe),
                "token_seconds": 86400 * token_days,
                "copies": 0,
                "samples": 0,
                "remaining": 0,
                "oldest": 1,
                "place": 0,
            },
        )
        with Randomness.system() as source:
            order = places(self.universe, self.method.pick, source)
        place = np.full(self.universe.size, -1)
        place[order] = np.arange(len(order))
        for start in range(0, self.universe.size, _ROWS):
            part = place[start : start + _ROWS].tolist()
            rows = [
                {"cell": start + i, "place": None if at < 0 else at, "taken": 0}
                for i, at in enumerate(part)
            ]
            connection.execute(perturbing.insert(), rows)

    @classmethod
    def open(
        cls, url: str | Path, *, schema: Schema | None = None, timeout: float | None = None
    ) -> Store:
        """Open a store; with a ``schema``, only if it is the store's."""
        database = Database(url) if timeout is None else Database(url, timeout=timeout)
        database.check_file()
        try:
            store = cls(database, *cls._found(database))
            store._check_schema(schema)
        except BaseException:
            database.close()
            raise
        return store

    @staticmethod
    def _found(database: Database) -> tuple[Schema, Complement]:
        with database.reading() as connection:
            if not inspect(connection).has_table(facts.name):
                message = f"The database {database.name} holds no store."
                raise StoreError(message, hint="check the URL; privet store create makes one.")
            return _meaning(_facts(connection, database.name), database.name)

    def _check_schema(self, schema: Schema | None) -> None:
        if schema is not None and schema != self.schema:
            message = f"The store {self.database.name} was made for another schema."
            raise SchemaError(message, hint="privet store status shows the one it has.")

    # Adding

    def add(self, records: Any, *, token: str | None = None) -> Receipt:
        """Count samples, all or none: one record, a frame of them, or a path of files.

        When a call fails, or its process dies, and it is not known whether it was counted, the same
        samples with the same ``token`` are safe to send again: they count once.
        """
        token = _checked_token(token)
        if isinstance(records, dict) and all(map(_is_single, records.values())):
            records = {name: [value] for name, value in records.items()}
        elif not isinstance(records, str | Path) and not is_frame(records):
            message = "Samples are a frame, a dictionary of columns, one record, or a path."
            raise DataError(message)
        parts = list(self.method.cells(records, self.schema))
        cells = np.concatenate(parts) if parts else np.empty(0, np.int64)
        if not len(cells):
            raise DataError("There are no samples.")
        try:
            return self._add_cells(cells, token)
        except StoreError as error:
            message = str(error).removesuffix(f" Hint: {error.hint}")
            hint = f"{error.hint} The call's token is {token!r}.".strip()
            raise StoreError(message, hint=hint) from None

    def _add_cells(self, cells: NDArray[np.int64], token: str) -> Receipt:
        with self.database.writing() as connection:
            row = _facts(connection, self.database.name, lock=not self.database.sqlite)
            now = time.time()
            self._check_age(token, now - row["token_seconds"])
            connection.execute(calls.delete().where(calls.c.made < now - row["token_seconds"]))
            known = connection.execute(select(calls.c.samples).where(calls.c.token == token))
            before = known.scalar_one_or_none()
            if before is not None:
                if before != len(cells):
                    message = "The token was used for a call with another number of samples."
                    raise StoreError(message, hint="take a new token for new samples.")
                return Receipt(token, len(cells), repeated=True)
            state = State(row["copies"], row["remaining"], row["oldest"], row["place"])
            with Randomness.system() as source:
                done = insert(connection, self.universe, self.method.pick, state, cells, source)
            connection.execute(
                facts.update().values(
                    copies=done.copies,
                    samples=row["samples"] + len(cells),
                    remaining=done.remaining,
                    oldest=done.oldest,
                    place=done.place,
                )
            )
            connection.execute(calls.insert(), {"token": token, "samples": len(cells), "made": now})
        return Receipt(token, len(cells), repeated=False)

    def _check_age(self, token: str, oldest: float) -> None:
        made = _TOKEN.fullmatch(token)
        if made and float(made[1]) + 1 < oldest:  # it has whole seconds
            message = "The token is older than the store remembers: whether its call was counted "
            raise StoreError(message + "cannot be told.", hint="compare the number of samples.")

    # Looking

    @contextmanager
    def _moment(self) -> Iterator[tuple[Connection, RowMapping]]:
        with self.database.reading() as connection:
            yield connection, _facts(connection, self.database.name)

    def _tables(self) -> tuple[RowMapping, NDArray[np.int64], NDArray[np.int64]]:
        """Return the facts and, by cell, T′ and what was taken of T^P, all of one moment."""
        moved = np.zeros(self.universe.size, np.int64)
        taken = np.zeros(self.universe.size, np.int64)
        with self._moment() as (connection, row):
            for table, column, out in (
                (unreal, unreal.c.count, moved),
                (perturbing, perturbing.c.taken, taken),
            ):
                rows = connection.execute(select(table.c.cell, column)).all()
                held = np.array([tuple(one) for one in rows], np.int64).reshape(-1, 2)
                if len(held) and not (held[:, 0].min() >= 0 and held[:, 0].max() < len(out)):
                    raise self._broken("a row lies outside the universe")
                out[held[:, 0]] = held[:, 1]
        return row, moved, taken

    def status(self) -> Status:
        """Return how the store stands."""
        with self._moment() as (connection, row):
            kept = {
                table: connection.execute(select(func.count()).select_from(table)).scalar_one()
                for table in (unreal, perturbing, calls)
            }
        return Status(
            self.database.name,
            row["pick"],
            row["samples"],
            row["copies"],
            self.universe.size,
            kept[unreal],
            kept[perturbing],
            row["remaining"],
            kept[calls],
            lingers=not self.database.sqlite,
        )

    def loss(self, leaked: int = 1) -> Loss:
        """Return what a leak of some stored records gives away on average (thesis, §6.1)."""
        _, moved, taken = self._tables()
        return loss_of(self.universe, taken - moved, int(self.status().copies), leaked)

    def release(self) -> Release:
        """Return the store as it is now as a release, to be mined or written."""
        row, moved, taken = self._tables()
        if not row["samples"]:
            raise DataError("The store has no samples yet.")
        column = self.universe.count_column
        tables = []
        for counts in (moved, row["copies"] - taken):
            cells = np.flatnonzero(counts)
            held = counts[cells].astype(np.float64)
            tables.append({**self.universe.part(cells), column: held})
        universe = self.universe.with_copies(row["copies"])
        return complemented_release(self.method.recipe(self.schema), universe, tables)

    def mine(self, **settings: Any) -> TreeClassifier:
        """Grow the samples' tree without reconstructing any; settings are ``TreeClassifier``'s."""
        from privet.estimators import TreeClassifier

        return TreeClassifier(**settings).fit(self.release())

    def reconstruct(self) -> Any:
        """Return the samples themselves, which undoes the disguise; mining does not need it."""
        return originals(self.release())

    def verify(self) -> int:
        """Check the invariant q·T^U = T_S + T′ + T^P cell by cell; return the number of samples."""
        row, moved, taken = self._tables()
        counted = taken - moved  # T_S
        real = self.universe.is_real(np.arange(self.universe.size))
        size, samples, copies = self.universe.size, row["samples"], row["copies"]
        found = {
            "a count is negative": bool((moved < 0).any() or (counted < 0).any()),
            "more was taken than the universe holds": bool((taken > copies).any()),
            "T′ does not hold a record a sample": int(moved.sum()) != samples,
            "samples are lost or counted twice": int(counted.sum()) != samples,
            "T^P is not what remains": copies * size - int(taken.sum()) != row["remaining"],
            "a dummy was collected": bool(counted[~real].any()),
        }
        for said, wrong in found.items():
            if wrong:
                raise self._broken(said)
        return int(samples)

    def _broken(self, said: str) -> StoreError:
        message = f"The store {self.database.name} does not add up: {said}."
        return StoreError(message, hint="someone else wrote to it; restore it from a copy.")


def _facts(connection: Connection, name: str, *, lock: bool = False) -> RowMapping:
    query = select(facts).where(facts.c.id == 1)
    row = connection.execute(query.with_for_update() if lock else query).mappings().one_or_none()
    if row is None:
        raise StoreError(f"The store {name} has lost its facts.", hint="restore it from a copy.")
    if row["format"] > FORMAT:
        message = f"The store {name} is of format {row['format']}; this privet knows {FORMAT}."
        raise StoreError(message, hint="upgrade privet.")
    return row


def _dummy_text(universe: Universe) -> str:
    dummy = universe.dummy
    return json.dumps(None if dummy is None else {dummy.attribute: list(dummy.values)})


def _meaning(row: RowMapping, name: str) -> tuple[Schema, Complement]:
    try:
        schema = Schema.from_dict(json.loads(row["schema"]))
        return schema, Complement(row["pick"], json.loads(row["dummy"]))
    except (ValueError, TypeError, KeyError):
        raise StoreError(f"The facts of the store {name} are damaged.") from None


def _checked_token(token: str | None) -> str:
    if token is None:
        return new_token()
    if not isinstance(token, str) or not 1 <= len(token) <= 200 or not token.isprintable():
        raise StoreError("A token is a text of 1 to 200 signs that can be printed.")
    return token


def _is_single(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | np.generic)
