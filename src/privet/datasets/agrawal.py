"""Made-up people and loans: AS's five functions and the ten older Agrawal functions.

Both families share nine attributes and differ in who is of class A. The older family is that of
Agrawal, Imielinski and Swami, "Database mining: a performance perspective" (1993); AS took its
generator, kept its functions 1 and 2 and used other ones as F3 to F5. Where implementations differ
we follow the papers: 0.67 of income (not two thirds), commission whenever salary is below 75,000.
Salary, commission, age, hvalue, hyears and loan are real numbers, uniform on their ranges (some
programs round age and hyears); elevel, car and zipcode are whole.

Rows are made in chunks, each from a random stream of its own, so a table of any length can be
written batch by batch, and the batches' size does not change what is in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import in_threads
from privet.datasets.agrawal_functions import FAMILIES, function_of, is_a
from privet.datasets.widened import widened
from privet.errors import InputError
from privet.schema import Attribute, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from privet.coding import Mask
    from privet.datasets.agrawal_functions import Columns, People

__all__ = ["FAMILIES", "agrawal", "as_functions", "batches", "is_a", "schema"]

CLASSES = ("A", "B")
CHUNK_ROWS = 1 << 16
ATTRIBUTES = (
    Attribute.numeric("salary", low=20_000, high=150_000),
    Attribute.numeric("commission", low=0, high=75_000),
    Attribute.numeric("age", low=20, high=80),
    Attribute.numeric("elevel", low=0, high=4, integer=True),
    Attribute.numeric("car", low=1, high=20, integer=True),
    Attribute.numeric("zipcode", low=0, high=8, integer=True),
    Attribute.numeric("hvalue", low=50_000, high=1_350_000),
    Attribute.numeric("hyears", low=1, high=30),
    Attribute.numeric("loan", low=0, high=500_000),
)


def _draw(random: np.random.Generator, rows: int) -> Columns:
    """Draw people whose class is not yet asked for."""
    salary = random.uniform(20_000, 150_000, rows)
    commission = np.where(salary >= 75_000, 0.0, random.uniform(10_000, 75_000, rows))
    age = random.uniform(20, 80, rows)
    elevel = random.integers(0, 5, rows)
    car = random.integers(1, 21, rows)
    zipcode = random.integers(0, 9, rows)
    hvalue = (9 - zipcode) * random.uniform(50_000, 150_000, rows)
    hyears = random.uniform(1, 30, rows)
    loan = random.uniform(0, 500_000, rows)
    drawn = (salary, commission, age, elevel, car, zipcode, hvalue, hyears, loan)
    return {attribute.name: column for attribute, column in zip(ATTRIBUTES, drawn, strict=True)}


def _chunk(
    random: np.random.Generator, function: Callable[[People], Mask], rows: int, *, balanced: bool
) -> tuple[Columns, Mask]:
    """Make a chunk and who in it is A; if balanced, draw until both classes have their half.

    With an odd number of rows A has a row more. Rows are then mixed, so that the class that
    took longer to fill does not stand at the end.
    """
    if not balanced:
        people = _draw(random, rows)
        return people, function(people)
    wanted = {True: rows - rows // 2, False: rows // 2}
    kept: dict[bool, list[Columns]] = {True: [], False: []}
    while any(wanted.values()):
        drawn = _draw(random, max(rows, 1024))
        member = function(drawn)
        for side in (True, False):
            places = np.flatnonzero(member == side)[: wanted[side]]
            wanted[side] -= len(places)
            if len(places):
                kept[side].append({name: column[places] for name, column in drawn.items()})
    order = random.permutation(rows)
    parts = kept[True] + kept[False]
    people = {
        attribute.name: np.concatenate([part[attribute.name] for part in parts])[order]
        for attribute in ATTRIBUTES
    }
    return people, order < rows - rows // 2


def _record_batch(people: Columns, member: Mask) -> pa.RecordBatch:
    import pyarrow as pa

    codes = pa.array((~member).astype(np.int8))
    group = pa.DictionaryArray.from_arrays(codes, list(CLASSES)).dictionary_decode()
    return pa.RecordBatch.from_pydict({**people, "group": group})


def batches(
    family: str,
    function: int,
    rows: int,
    seed: int | None = None,
    batch_rows: int = CHUNK_ROWS,
    *,
    balanced: bool = True,
) -> Iterator[pa.RecordBatch]:
    """Yield ``rows`` records as Arrow batches of ``batch_rows``, the last maybe shorter.

    Joined, the batches are the same table whatever ``batch_rows`` is; a seed gives the same table
    every time, None a fresh table. Balanced means half of each class in every chunk of 65,536
    rows, and so in the whole (A has a row more where the number is odd).
    """
    chosen = function_of(family, function)
    for name, number in (("rows", rows), ("batch_rows", batch_rows)):
        if isinstance(number, bool) or number != int(number) or number < 1:
            message = f"Parameter {name} must be a whole number from 1."
            raise InputError(message)
    if seed is not None and (isinstance(seed, bool) or seed < 0):
        message = "Parameter seed must be None or a whole number from 0."
        raise InputError(message)
    entropy = np.random.SeedSequence(seed).entropy

    def make(start: int) -> pa.RecordBatch:
        key = np.random.SeedSequence(entropy, spawn_key=(start // CHUNK_ROWS,))
        random = np.random.default_rng(key)
        size = min(CHUNK_ROWS, rows - start)
        return _record_batch(*_chunk(random, chosen, size, balanced=balanced))

    chunks = in_threads(make, range(0, rows, CHUNK_ROWS))
    return _rebatch(chunks, batch_rows)


def _rebatch(chunks: Iterator[pa.RecordBatch], batch_rows: int) -> Iterator[pa.RecordBatch]:
    """Cut and join batches to the same size."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    size = 0
    for chunk in chunks:
        waiting.append(chunk)
        size += chunk.num_rows
        while size >= batch_rows:
            whole = waiting[0] if len(waiting) == 1 else pa.concat_batches(waiting)
            yield whole.slice(0, batch_rows)
            size -= batch_rows
            waiting = [whole.slice(batch_rows)] if size else []
    if size:
        yield waiting[0] if len(waiting) == 1 else pa.concat_batches(waiting)


def as_functions(
    function: int, rows: int, seed: int | None = None, *, balanced: bool = True
) -> pa.Table:
    """Return a table of AS's function F1 to F5 (methods §1), half of each class.

    >>> table = as_functions(2, rows=10, seed=1)
    >>> table.column_names[-1], sorted(table["group"].to_pylist()).count("A")
    ('group', 5)
    """
    import pyarrow as pa

    return pa.Table.from_batches(batches("as", function, rows, seed, balanced=balanced))


def agrawal(
    function: int, rows: int, seed: int | None = None, *, balanced: bool = True
) -> pa.Table:
    """Return a table of function 1 to 10 of the older Agrawal benchmark, half of each class."""
    import pyarrow as pa

    return pa.Table.from_batches(batches("agrawal", function, rows, seed, balanced=balanced))


def schema(
    family: str = "as", bins: int | None = None, margin: float = 0.0, seed: int | None = None
) -> Schema:
    """Return the public domains, the same for every function of both families.

    With ``margin``, each end of a real range moves outwards by a random part (drawn from ``seed``)
    of up to ``margin`` times the range, so that bins do not line up with the thresholds of the
    functions. The three whole-number attributes keep their ends: their bins are their values.

    >>> schema("as", margin=0.1, seed=1)["age"].range[0] < 20
    True
    """
    function_of(family, 1)
    attributes = widened(ATTRIBUTES, bins, margin, seed)
    target = Attribute.categorical("group", CLASSES)
    return Schema([*attributes, target], target="group")
