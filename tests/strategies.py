"""What Hypothesis may try on the miner's side: schemas of any names, coded tables, splits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.coding import Box, Coding, code_type
from privet.schema import Attribute, Missing, Schema
from privet.split.candidates import every_candidate, ranked_splits
from privet.split.policy import Policy
from privet.split.scored import Scored, Splits
from privet.split.tables import Estimate
from privet.table import Batch, MemoryTable, Table

seeds = st.integers(0, 2**32 - 1)
# Names that files, terminals and query languages trip over.
hostile = st.one_of(
    st.text(min_size=1, max_size=8),
    st.sampled_from(['"', "'", "a.b", "[x]", "\x7f", "\n", "\\", "#", "=", " ", "é\u2028", "💧"]),
)
finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)
scalars = st.one_of(hostile, st.integers(-(10**6), 10**6), finite)


@st.composite
def attributes(draw: st.DrawFn, name: str) -> Attribute:
    """Any attribute that can be declared."""
    missing: Missing = draw(st.sampled_from(("error", "category")))
    if draw(st.booleans()):
        values = draw(st.lists(scalars, min_size=1, max_size=5, unique=True))
        return Attribute.categorical(name, values, missing=missing)
    bins = draw(st.none() | st.integers(1, 300))
    if draw(st.booleans()):
        first = draw(st.integers(-1000, 1000))
        last = first + draw(st.integers(0, 500))
        return Attribute.numeric(
            name, low=first, high=last, bins=bins, integer=True, missing=missing
        )
    low, width = draw(finite), draw(st.floats(1e-3, 1e9))
    return Attribute.numeric(name, low=low, high=low + width, bins=bins, missing=missing)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Attributes of hostile names, and a class among them."""
    names = draw(st.lists(hostile, min_size=2, max_size=5, unique=True))
    target = draw(st.sampled_from(names))
    values = draw(st.lists(scalars, min_size=1, max_size=4, unique=True))
    return Schema(
        [
            Attribute.categorical(name, values) if name == target else draw(attributes(name))
            for name in names
        ],
        target=target,
        learned=draw(st.booleans()),
    )


@dataclass(frozen=True)
class Coded:
    """Records as codes: one column an attribute, and the class."""

    codings: tuple[Coding, ...]
    codes: NDArray[np.int64]
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    weight: NDArray[np.int64] | None
    rng: np.random.Generator

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns as a table holds them."""
        columns = {
            coding.name: self.codes[:, place].astype(code_type(coding.size))
            for place, coding in enumerate(self.codings)
        }
        return columns | {"class": self.labels.astype(code_type(len(self.classes)))}

    def inside(self, box: Box) -> NDArray[np.bool_]:
        """Which records lie in a box."""
        inside = np.ones(len(self.codes), np.bool_)
        for place, coding in enumerate(self.codings):
            inside &= box.mask(coding.name, coding.size)[self.codes[:, place]]
        return inside

    def counts(self, box: Box) -> NDArray[np.int64]:
        """Cell × class sums of the records in a box, by boolean masks."""
        inside = self.inside(box)
        weight = np.ones(len(self.codes), np.int64) if self.weight is None else self.weight
        tables = []
        for place, coding in enumerate(self.codings):
            table = np.zeros((coding.size, len(self.classes)), np.int64)
            cells = self.codes[inside, place], self.labels[inside]
            np.add.at(table, cells, weight[inside])
            tables.append(table)
        return np.concatenate(tables)

    def random_splits(self, nodes: int) -> Splits:
        """One random split, or none, for each of some nodes; a branch may get no record."""
        rng, widest = self.rng, max(coding.size for coding in self.codings)
        attribute = rng.integers(-1, len(self.codings), nodes)
        branch = np.zeros((nodes, widest), np.int16)
        branches = np.zeros(nodes, np.int64)
        for node, place in enumerate(attribute):
            if place >= 0:
                size = self.codings[place].size
                branches[node] = rng.integers(2, 5)
                branch[node, :size] = rng.integers(0, branches[node], size)
        return Splits(attribute, branch, branches)


def coding(name: str, size: int, *, ordered: bool) -> Coding:
    """A coding of some size."""
    if ordered:
        lower = [10.0 * code for code in range(size)]
        return Coding.cells(name, lower, [low + 4.0 for low in lower])
    return Coding.categories(name, [f"v{value}" for value in range(size)])


@st.composite
def coded_tables(
    draw: st.DrawFn, max_rows: int = 300, max_size: int = 12, *, weighted: bool | None = None
) -> Coded:
    """Random codes, now and then more than a byte holds, some of them never used."""
    rng = np.random.default_rng(draw(seeds))
    sizes = draw(st.lists(st.integers(1, max_size), min_size=1, max_size=4))
    if draw(st.integers(0, 5)) == 0:
        sizes[0] = 300
    rows = draw(st.integers(1, max_rows))
    classes = draw(st.sampled_from([1, 2, 2, 3, 7, 260]))
    codings = tuple(
        coding(f"x{place}", size, ordered=bool(rng.integers(2))) for place, size in enumerate(sizes)
    )
    codes = np.stack(
        [rng.integers(0, rng.integers(1, size + 1), rows) for size in sizes], axis=1
    ).astype(np.int64)
    labels = rng.integers(0, classes, rows)
    if weighted is None:
        weighted = draw(st.booleans())
    weight = rng.integers(0, 2**40, rows) if weighted else None
    names = tuple(f"c{label}" for label in range(classes))
    return Coded(codings, codes, labels, names, weight, rng)


class Elsewhere(Table):
    """A table that is not in memory, as far as an evidence can tell: shards of odd sizes."""

    def __init__(self, table: MemoryTable, size: int) -> None:
        self.table, self.size = table, size
        self.names, self.rows = table.names, table.rows

    def shards(self) -> Sequence[Callable[[], Iterator[Batch]]]:
        return [partial(self._read, start) for start in range(0, self.rows, 2 * self.size)]

    def _read(self, start: int) -> Iterator[Batch]:
        for begin in range(start, min(start + 2 * self.size, self.rows), self.size):
            rows = slice(begin, min(begin + self.size, start + 2 * self.size))
            yield Batch(begin, {name: column[rows] for name, column in self.table.columns.items()})

    def map(self, work: Callable[[Batch], Batch]) -> Table:
        raise NotImplementedError

    def slice(self, start: int, stop: int) -> Table:
        raise NotImplementedError


def ranked(tables: Sequence[Estimate], codings: Sequence[Coding], policy: Policy) -> list[Scored]:
    """The best split of each attribute, best first."""
    return ranked_splits(every_candidate(tables, codings, policy), policy)
