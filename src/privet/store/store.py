"""A store: samples are unrealized as they come, in a database, by as many writers as like to.

Every call is one transaction. Whatever dies in the middle of it, the store afterwards holds just
the calls that were counted, each once: q·T^U = T_S + T′ + T^P.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sqlalchemy import func, inspect, select, text

from privet.disguise.complement import Complement, complemented_release, originals
from privet.disguise.loss import Loss, loss_of
from privet.disguise.unrealize import places
from privet.errors import DataError, PrivetWarning, SchemaError, StoreError
from privet.files.reading import typed
from privet.frames import is_frame
from privet.randomness import Randomness
from privet.schema import Files, Schema
from privet.store.database import Database
from privet.store.facts import dummy_text, meaning, read_facts
from privet.store.insert import State, insert
from privet.store.layout import (
    APPLICATION,
    FORMAT,
    PURGED,
    calls,
    check_of,
    facts,
    metadata,
    old_facts,
    perturbing,
    unreal,
)
from privet.store.tokens import checked_token, new_token, remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from sqlalchemy import Connection, RowMapping, Table

    from privet.estimators import TreeClassifier
    from privet.release import Release
    from privet.release.universe import Universe

__all__ = ["DAYS", "Receipt", "Status", "Store", "new_token"]

DAYS = 7.0  # that a token is remembered
_ROWS = 10_000  # written together when a store is made


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


class Store:
    """Samples in a database, as T′ and T^P: ``Store.create`` makes one, ``Store.open`` finds it.

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

    def __init__(
        self, database: Database, schema: Schema, method: Complement, table: Table = facts
    ) -> None:
        self.database = database
        self._facts = table  # that of a store from before checks has no column for one
        self.schema = schema
        self.method = method
        self.universe: Universe = method.universe(schema)

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
            connection.execute(text(f"PRAGMA application_id = {APPLICATION}"))
        metadata.create_all(connection)
        row: dict[str, Any] = {
            "id": 1,
            "format": FORMAT,
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
            connection.execute(perturbing.insert(), rows)
            empty = [{"cell": row["cell"], "count": 0} for row in rows]
            connection.execute(unreal.insert(), empty)

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
            table = facts if "check" in names else old_facts
            row = read_facts(connection, database.name, table)
        if table is old_facts:
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

    def _add_cells(self, cells: NDArray[np.int64], token: str, *, fresh: bool) -> Receipt:
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

    # Looking

    @contextmanager
    def _moment(self) -> Iterator[tuple[Connection, RowMapping]]:
        with self.database.reading() as connection:
            yield connection, self._read_facts(connection)

    def _read_facts(self, connection: Connection, *, lock: bool = False) -> RowMapping:
        return read_facts(connection, self.database.name, self._facts, lock=lock)

    def _tables(self) -> tuple[RowMapping, NDArray[np.int64], NDArray[np.int64]]:
        """Return the facts and, by cell, T′ and what was taken of T^P, all of one moment."""
        moved = np.zeros(self.universe.size, np.int64)
        taken = np.zeros(self.universe.size, np.int64)
        with self._moment() as (connection, row):
            for table, column, out in (
                (unreal, unreal.c.count, moved),
                (perturbing, perturbing.c.taken, taken),
            ):
                counted = self._rows(connection, table.c.cell, column)
                whole = table is perturbing or self._facts is facts
                if whole and not np.array_equal(np.sort(counted[:, 0]), np.arange(len(out))):
                    raise self._broken("it does not have one row for every cell")
                if len(counted) and not (
                    counted[:, 0].min() >= 0 and counted[:, 0].max() < len(out)
                ):
                    raise self._broken("a row lies outside the universe")
                out[counted[:, 0]] = counted[:, 1]
        return row, moved, taken

    def _rows(self, connection: Connection, *columns: Any) -> NDArray[np.int64]:
        """Return columns of whole numbers; SQLite would keep anything in them."""
        rows = connection.execute(select(*columns)).all()
        try:
            pairs = [[typed(cell, int) for cell in row] for row in rows]
            return np.array(pairs, np.int64).reshape(-1, len(columns))
        except (TypeError, OverflowError):
            raise self._broken("a row holds no whole number") from None

    def status(self) -> Status:
        """Return how the store stands.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         _ = store.add(table)
        ...         store.status().samples
        14
        """
        with self._moment() as (connection, row):
            kept = {
                table: connection.execute(select(func.count()).where(some)).scalar_one()
                for table, some in (
                    (unreal, unreal.c.count > 0),
                    (perturbing, perturbing.c.cell >= 0),
                    (calls, calls.c.token != PURGED),
                )
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

    def loss(
        self, leaked: int = 1, *, alpha: float = 0.0, p_d: float = 1.0, p_r: float | None = None
    ) -> Loss:
        """Return what a leak of some stored records discloses on average (Fong, §6.1).

        The thesis' α, P_D and P_R are explained at ``privet.disguise.loss.loss_of``.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         _ = store.add(table)
        ...         len(store.loss().sentences()) > 0
        True
        """
        row, moved, taken = self._tables()
        copies = int(row["copies"])
        return loss_of(self.universe, taken - moved, copies, leaked, alpha=alpha, p_d=p_d, p_r=p_r)

    def release(self) -> Release:
        """Return the store as it is now as a release, to be mined or written.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         _ = store.add(table)
        ...         store.release().rows
        14
        """
        row, moved, taken = self._tables()
        if not row["samples"]:
            raise DataError("The store has no samples yet.")
        tables = [self.universe.table(counts) for counts in (moved, row["copies"] - taken)]
        universe = self.universe.with_copies(row["copies"])
        return complemented_release(self.method.recipe(self.schema), universe, tables)

    def mine(self, *, target: str | None = None, **settings: Any) -> TreeClassifier:
        """Grow the samples' tree without reconstructing any; settings are ``TreeClassifier``'s.

        Any attribute may be the ``target`` (Fong §3.2, §5.2.2); by default the schema's class.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         _ = store.add(table)
        ...         store.mine(policy="id3").score(table)
        1.0
        """
        from privet.estimators import TreeClassifier

        release = self.release()
        return TreeClassifier(**settings).fit(
            release if target is None else release.with_target(target)
        )

    def originals(self) -> Any:
        """Return the samples themselves, which undoes the disguise; mining does not need it.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         _ = store.add(table)
        ...         store.originals().num_rows
        14
        """
        return originals(self.release())

    def verify(self) -> int:
        """Check the invariant q·T^U = T_S + T′ + T^P cell by cell; return the number of samples.

        >>> import tempfile, privet as pv
        >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with pv.Store.create(f"{folder}/weather.db", schema) as store:
        ...         _ = store.add(table)
        ...         store.verify()
        14
        """
        row, moved, taken = self._tables()
        if meaning(row, self.database.name)[0] != self.schema:
            raise self._broken("its schema is not what it was when the store was opened")
        self._check_places()
        counted = taken - moved  # T_S
        real = self.universe.is_real(np.arange(self.universe.size))
        size, samples, copies = self.universe.size, row["samples"], row["copies"]
        wrongs = {
            "a count is negative": bool((moved < 0).any() or (counted < 0).any()),
            "more was taken than the universe holds": bool((taken > copies).any()),
            "T′ does not hold one record per sample": int(moved.sum()) != samples,
            "samples are lost or counted twice": int(counted.sum()) != samples,
            "T^P is not what remains": copies * size - int(taken.sum()) != row["remaining"],
            "a dummy was collected": bool(counted[~real].any()),
        }
        for said, wrong in wrongs.items():
            if wrong:
                raise self._broken(said)
        return int(samples)

    def _check_places(self) -> None:
        """Check that the places in the order of moving to T′ are 0, 1, 2 and so on."""
        with self._moment() as (connection, _):
            rows = connection.execute(select(perturbing.c.place)).scalars().all()
        given = [place for place in rows if place is not None]
        if any(type(place) is not int for place in given) or sorted(given) != [*range(len(given))]:
            raise self._broken("a record has lost its place in the order of moving")

    def _broken(self, said: str) -> StoreError:
        message = f"The store {self.database.name} does not add up: {said}."
        return StoreError(message, hint="someone else wrote to it; restore it from a copy.")


def _is_single(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | np.generic)
