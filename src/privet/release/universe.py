"""The universe of complementation: every record that the domains allow, a number of times (Fong).

Its counts follow from the sizes of domains, so it is never written out. *Cells* number its
records in mixed radix, the last column fastest: the order in which Fong's thesis lists them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.coding import code_type
from privet.errors import PlanError, ReleaseError
from privet.release.universe_words import notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Ints, Mask
    from privet.release.release import Part, Release
    from privet.table import Batch

    Cells = Ints

__all__ = ["LIMIT", "Dummy", "Universe", "proposal"]

_EXACT = 1 << 53  # up to here every whole number is one of floating point, as counts are stored
_MOST = (1 << 63) - 1  # what sums of counts may reach: beyond it they would begin anew
LIMIT = 1 << 22  # cells of a universe: one number each is kept in memory, and two rows in a store


@dataclass(frozen=True)
class Dummy:
    """Values that no collected record can have: of an attribute, or of one added for them."""

    attribute: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Universe:
    """Every record of some domains, ``copies`` times.

    ``sizes`` are the numbers of codes that a collected record can have in each column. Codes of
    dummy values come behind them; an attribute that is there for its dummies only has one code
    besides.

    >>> Universe(("wind", "play"), (2, 2), Dummy("dummy", ("yes",))).size
    8
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    dummy: Dummy | None = None
    copies: int = 0

    @classmethod
    def of(
        cls, codings: Mapping[str, Coding | None], dummy: Dummy | None = None, copies: int = 0
    ) -> Universe:
        """Return the universe of some columns; without codes, or too large, it is refused."""
        sizes = []
        for name, coding in codings.items():
            if coding is None:
                message = f"Attribute {name!r} holds exact numbers: they have no universe."
                raise PlanError(message, hint="cut them to bins.")
            sizes.append(coding.size)
        made = cls(tuple(codings), tuple(sizes), dummy, copies)
        if made.size < 2:
            raise PlanError("The domains allow a single record: there is nothing to complement.")
        if made.size > LIMIT:
            raise _too_large(made)
        return made

    # Its shape

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns: an attribute that was added for dummies is the last."""
        added = self.dummy is not None and self.dummy.attribute not in self.names
        return (*self.names, self.dummy.attribute) if self.dummy and added else self.names

    @property
    def count_column(self) -> str:
        """The column of a stored table that says how often its record is there."""
        name = "count"
        while name in self.columns:
            name += "_"
        return name

    @property
    def stored(self) -> tuple[int, ...]:
        """How many codes each column has, those of dummies among them."""
        sizes = [*self.sizes, 1][: len(self.columns)]
        if self.dummy is not None:
            sizes[self.columns.index(self.dummy.attribute)] += len(self.dummy.values)
        return tuple(sizes)

    @property
    def size(self) -> int:
        """How many different records there are (the thesis' |T^U|), dummies included."""
        return math.prod(self.stored)

    @property
    def real_size(self) -> int:
        """How many different records can be collected."""
        return math.prod(self.sizes)

    def with_copies(self, copies: int) -> Universe:
        """Return the universe another number of times."""
        return replace(self, copies=copies)

    # Records and cells

    def join(self, columns: Mapping[str, NDArray[Any]]) -> Cells:
        """Return the cells of coded records; an added attribute may be left out: it is no dummy."""
        rows = len(columns[self.names[0]])
        cells = np.zeros(rows, np.int64)
        for name, size in zip(self.columns, self.stored, strict=True):
            cells *= size
            if name in columns:
                cells += columns[name]
        return cells

    def part(self, cells: Cells) -> dict[str, NDArray[Any]]:
        """Return the codes of cells, column by column."""
        codes = np.unravel_index(cells, self.stored)
        return {
            name: column.astype(code_type(size))
            for name, size, column in zip(self.columns, self.stored, codes, strict=True)
        }

    def table(self, counts: Cells) -> dict[str, NDArray[Any]]:
        """Return counts by cell as distinct records, and how often each is there."""
        cells = np.flatnonzero(counts)
        return {**self.part(cells), self.count_column: counts[cells].astype(np.float64)}

    def real_rows(self, columns: Mapping[str, NDArray[Any]]) -> Mask:
        """Say which coded records are no dummies."""
        if self.dummy is None:
            return np.ones(len(columns[self.names[0]]), np.bool_)
        place = self.columns.index(self.dummy.attribute)
        return np.asarray(columns[self.dummy.attribute] < [*self.sizes, 1][place])

    def is_real(self, cells: Cells) -> Mask:
        """Say which cells are no dummies."""
        if self.dummy is None:
            return np.ones(len(cells), np.bool_)
        place = self.columns.index(self.dummy.attribute)
        behind = math.prod(self.stored[place + 1 :])
        real = [*self.sizes, 1][place]
        real_cells: Mask = cells // behind % self.stored[place] < real
        return real_cells

    def counts(self, batch: Batch) -> Ints:
        """Return how often each record of a stored table is there."""
        return np.asarray(batch.columns[self.count_column]).astype(np.int64)

    # The card

    def to_dict(self) -> dict[str, Any]:
        """Return what the card says beside the columns."""
        form: dict[str, Any] = {"copies": self.copies}
        if self.dummy is not None:
            form["dummy"] = {self.dummy.attribute: list(self.dummy.values)}
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any], codings: Mapping[str, Coding | None]) -> Universe:
        """Read what ``to_dict`` wrote."""
        dummy = None
        if "dummy" in form:
            ((name, values),) = form["dummy"].items()
            if not isinstance(name, str) or not all(isinstance(value, str) for value in values):
                raise TypeError
            dummy = Dummy(name, tuple(values))
        copies = form["copies"]
        if not isinstance(copies, int) or isinstance(copies, bool) or copies < 1:
            raise ValueError
        if list(form) != ["copies", "dummy"][: len(form)]:
            raise ValueError
        made = cls.of(codings, dummy, copies)
        if copies > min(_EXACT, _MOST // (2 * made.size)):
            raise ValueError
        return made

    def verify(self, release: Release) -> None:
        """Check that the two tables complete some records to the universe (Lemma 5-5).

        T′ has as many records as were collected, so 2·|T′| + |T^P| = q·|T^U|; and no record
        is there more often than the universe holds it.
        """
        if len(release.parts) != 2 or any(part.sign > 0 for part in release.parts):
            raise ReleaseError("A complemented release has two negative parts.")
        if self.copies * sum(part.table.rows for part in release.parts) > _MOST:
            raise ReleaseError("A complemented release has more records than can be counted.")
        taken = np.zeros(self.size, np.int64)
        totals = []
        for part in release.parts:
            total = 0
            for batch in part.table.batches():
                counts = batch.columns[self.count_column]
                whole = counts == np.floor(counts)
                if not (whole & (counts >= 1) & (counts <= self.copies)).all():
                    message = "A count of a complemented record is no whole number from 1 to "
                    raise ReleaseError(message + f"the {self.copies:,} copies on the card.")
                np.add.at(taken, self.join(batch.columns), self.counts(batch))
                total += int(self.counts(batch).sum())
            totals.append(total)
        if 2 * totals[0] + totals[1] != self.copies * self.size or (taken > self.copies).any():
            message = "The two tables do not complete any records to the universe on the card."
            raise ReleaseError(message, hint="ask the owner for the release again.")

    def collected(self, parts: Iterable[Part]) -> Ints:
        """Return how often each cell was collected: what the tables leave of the universe."""
        counts = np.full(self.size, self.copies, np.int64)
        for part in parts:
            for batch in part.table.batches():
                np.subtract.at(counts, self.join(batch.columns), self.counts(batch))
        return counts

    def notes(self) -> tuple[str, ...]:
        """Say what the two tables disclose, and what they hide."""
        return notes(self)


def _too_large(universe: Universe) -> PlanError:
    message = f"The universe of the schema has {universe.size:,} records; at most {LIMIT:,} can be "
    message += "complemented."
    steps = proposal(universe.names, universe.sizes, LIMIT * universe.real_size // universe.size)
    said = ", ".join(f"{name!r} from {old} to {new} values" for name, old, new in steps)
    return PlanError(message, hint=f"merge bins or categories: {said}; or leave attributes out.")


def proposal(names: Sequence[str], sizes: Sequence[int], limit: int) -> list[tuple[str, int, int]]:
    """Return which attributes to merge to how many values, so that the universe fits a limit.

    The largest is halved, again and again.

    >>> proposal(["age", "car", "risk"], [100, 20, 2], 1000)
    [('age', 100, 25)]
    """
    wanted = list(sizes)
    while math.prod(wanted) > limit and max(wanted) > 2:
        place = wanted.index(max(wanted))
        wanted[place] = -(-wanted[place] // 2)
    sized = zip(names, sizes, wanted, strict=True)
    return [(name, old, new) for name, old, new in sized if new < old]
