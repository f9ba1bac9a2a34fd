"""What a store holds at a moment: its totals, its tables as a release, and whether they add up."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import func, select

from privet.disguise.complement import complemented_release, originals
from privet.disguise.loss import Loss, loss_of
from privet.errors import DataError, StoreError
from privet.files.reading import typed
from privet.store.facts import Status, meaning, read_facts
from privet.store.layout import PURGED, calls, facts, perturbing, unreal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, RowMapping, Table

    from privet.coding import Ints
    from privet.disguise.complement import Complement
    from privet.estimators import TreeClassifier
    from privet.release import Release
    from privet.release.universe import Universe
    from privet.schema import Schema
    from privet.store.database import Database

__all__ = ["Stored"]


class Stored:
    """T′ and T^P in a database: what can be read of them, each call in a moment of its own."""

    def __init__(
        self, database: Database, schema: Schema, method: Complement, table: Table = facts
    ) -> None:
        self.database = database
        self._facts = table  # that of a store from before checks has no column for a check
        self.schema = schema
        self.method = method
        self.universe: Universe = method.universe(schema)

    @contextmanager
    def _moment(self) -> Iterator[tuple[Connection, RowMapping]]:
        with self.database.reading() as connection:
            yield connection, self._read_facts(connection)

    def _read_facts(self, connection: Connection, *, lock: bool = False) -> RowMapping:
        return read_facts(connection, self.database.name, self._facts, lock=lock)

    def _tables(self) -> tuple[RowMapping, Ints, Ints]:
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

    def _rows(self, connection: Connection, *columns: Any) -> Ints:
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
