"""A store: samples are unrealized as they come, in a database, by as many writers as like to.

Every call is one transaction. Whatever dies in the middle of it, the store afterwards holds just
the calls that were counted, each once: q·T^U = T_S + T′ + T^P.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sqlalchemy import inspect, select, text

from privet.disguise.complement import Complement
from privet.disguise.unrealize import places
from privet.errors import DataError, PrivetWarning, SchemaError, StoreError
from privet.frames import is_frame
from privet.randomness import Randomness
from privet.schema import Files, Schema
from privet.store import layout
from privet.store.database import Database
from privet.store.facts import dummy_text, meaning, read_facts
from privet.store.insert import State, insert
from privet.store.layout import calls, check_of, facts
from privet.store.stored import Stored
from privet.store.tokens import checked_token, new_token, remembered

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from privet.coding import Ints

__all__ = ["DAYS", "Receipt", "Store", "new_token"]

DAYS = 7.0  # that a token is remembered
_ROWS = 10_000  # written together when a store is made


class Receipt(NamedTuple):
    """What a call did: ``repeated`` means that an earlier call with its token had done it."""

    token: str
    samples: int
    repeated: bool


class Store(Stored):
    """Samples in a database, as T′ and T^P: made by ``Store.create``, opened by ``Store.open``.

    ``url`` is the path of an SQLite file, or the URL of a database in SQLite or PostgreSQL.

    Examples
    --------
    >>> import tempfile, privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
    ...         _ = store.add(table)
    ...         model = pv.TreeClassifier(policy="id3").fit(store.release())
    >>> model.score(table)
    1.0
    """

    def __repr__(self) -> str:
        return f"<Store {self.database.name}>"

    def _repr_html_(self) -> str:
        from privet.notebook import shown

        sentences = [
            f"Attributes: {', '.join(self.schema.names)}.",
            f"Its universe has {self.universe.size:,} different records.",
        ]
        return shown(repr(self)[1:-1], sentences=sentences)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; the store itself stays where it is.

        >>> import tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pv.Store.create(f"{folder}/weather.db", pv.datasets.schema("weather")).close()
        """
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

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         store.status().samples
        0
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
            connection.execute(text(f"PRAGMA application_id = {layout.APPLICATION}"))
        layout.metadata.create_all(connection)
        row: dict[str, Any] = {
            "id": 1,
            "format": layout.FORMAT,
            "schema": self.schema.to_json(),
            "pick": self.method.pick,
            "dummy": dummy_text(self.universe),
            "token_seconds": 86400.0 * token_days,
            "copies": 0,
            "samples": 0,
            "remaining": 0,
            "oldest": 1,
            "place": 0,
        }
        connection.execute(facts.insert(), row | {"check": check_of(row)})
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
            connection.execute(layout.perturbing.insert(), rows)
            empty = [{"cell": row["cell"], "count": 0} for row in rows]
            connection.execute(layout.unreal.insert(), empty)

    @classmethod
    def open(
        cls, url: str | Path, *, schema: Schema | None = None, timeout: float | None = None
    ) -> Store:
        """Open a store; with a ``schema``, only if it is the store's.

        >>> import tempfile, privet as pv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pv.Store.create(f"{folder}/weather.db", pv.datasets.schema("weather")).close()
        ...     with pv.Store.open(f"{folder}/weather.db") as store:
        ...         store.schema.target
        'Play'
        """
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
    def _found(database: Database) -> tuple[Schema, Complement, Table]:
        with database.reading() as connection:
            tables = inspect(connection)
            if not tables.has_table(facts.name):
                message = f"The database {database.name} holds no store."
                raise StoreError(message, hint="check the URL; privet store create makes one.")
            names = {column["name"] for column in tables.get_columns(facts.name)}
            table = facts if "check" in names else layout.old_facts
            row = read_facts(connection, database.name, table)
        if table is layout.old_facts:
            message = f"The store {database.name} has no checksum, as it was made by an earlier "
            message += "privet: a damaged schema cannot be noticed."
            warnings.warn(message, PrivetWarning, stacklevel=3)
        return *meaning(row, database.name), table

    def _check_schema(self, schema: Schema | None) -> None:
        if schema is not None and schema != self.schema:
            message = f"The store {self.database.name} was made for another schema."
            raise SchemaError(message, hint="privet store status shows the one it has.")

    # Adding

    def add(self, records: Any, *, token: str | None = None) -> Receipt:
        """Count samples, all or none: one record, a frame of them, or a path of files.

        When a call fails, or its process dies, and it is not known whether it was counted, the same
        samples with the same ``token`` are safe to send again: they count once.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         store.add(table).samples
        14
        """
        fresh = token is None
        token = checked_token(token)
        if isinstance(records, dict) and all(map(_is_single, records.values())):
            records = {name: [value] for name, value in records.items()}
        elif not isinstance(records, str | Path | Files) and not is_frame(records):
            message = "Samples are a frame, a dictionary of columns, one record, or a path."
            raise DataError(message)
        parts = list(self.method.cells(records, self.schema))
        cells = np.concatenate(parts) if parts else np.empty(0, np.int64)
        if not len(cells):
            raise DataError("There are no samples.")
        try:
            return self._add_cells(cells, token, fresh=fresh)
        except StoreError as error:
            hint = f"{error.hint} The call's token is {token!r}.".strip()
            raise error.retold(error.message, hint=hint) from None

    def _add_cells(self, cells: Ints, token: str, *, fresh: bool) -> Receipt:
        with self.database.writing() as connection:
            row = self._read_facts(connection, lock=not self.database.sqlite)
            known = connection.execute(select(calls.c.samples).where(calls.c.token == token))
            before = known.scalar_one_or_none()
            if before is not None:
                if before != len(cells):
                    message = "The token was used for a call with another number of samples."
                    raise StoreError(message, hint="take a new token for new samples.")
                return Receipt(token, len(cells), repeated=True)
            now = self.database.now(connection)
            made = remembered(connection, now, row["token_seconds"], token, fresh=fresh)
            state = State(row["copies"], row["remaining"], row["oldest"], row["place"])
            try:
                with Randomness.system() as source:
                    done = insert(connection, self.universe, self.method.pick, state, cells, source)
            except (LookupError, TypeError, ValueError, OverflowError):
                raise self._broken("rows are missing, or hold no numbers") from None
            after = dict(row) | asdict(done) | {"samples": row["samples"] + len(cells)}
            after |= {"check": check_of(after)} if self._facts is facts else {}
            connection.execute(self._facts.update().values(**after))
            call = {"token": token, "samples": len(cells), "made": made}
            connection.execute(calls.insert(), call)
        return Receipt(token, len(cells), repeated=False)


def _is_single(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | np.generic)
