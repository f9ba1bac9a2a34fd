"""SERS: how unsure someone is which released row is a person's, by similarity (FI §6, eq. 6-8)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.audit.beside import original_table, released_table
from privet.audit.kernels import similarity_entropies
from privet.compiled import in_threads
from privet.errors import InputError
from privet.progress import track

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.schema import Schema
    from privet.table import MemoryTable

__all__ = ["PAIRS", "Sers", "scaled", "sers"]

PAIRS = 12_000_000_000  # compared at most: beyond, originals are sampled
ROWS = 128  # originals that a thread takes at a time
_MISSING = 1e9  # far from every number, and at no distance from itself


class Sers(NamedTuple):
    """Mean entropy in bits, and its standard error: 0 where all records were looked at.

    ``records`` originals were compared with all ``rows`` released ones.
    """

    value: float
    error: float
    records: int
    rows: int

    @property
    def most(self) -> float:
        """The entropy if every row were as similar as any other: log2 of their number."""
        return math.log2(self.rows)


def sers(
    original: Any, released: Any, schema: Schema, *, pairs: int = PAIRS, seed: int | None = None
) -> Sers:
    """Return the mean entropy of a person's row among all released ones, taken by similarity.

    The distance of two records is the mean over all attributes, the class included, of |x − y| by
    the range (1 at most) or, for categories, of being different; similarities 1 − d are made to sum
    to one for each original. It is exact, in memory that does not grow with the pairs; beyond
    ``pairs`` of them a random sample of originals is compared with all released rows.

    Nearly all rows are fairly similar by this measure, so it lies close to log2 of their number
    whatever the disguise: do not take it for a chance of being found.

    >>> from privet.schema import Attribute, Schema
    >>> schema = Schema(
    ...     [
    ...         Attribute.categorical("wind", ["Weak", "Strong"]),
    ...         Attribute.categorical("play", ["Yes", "No"]),
    ...     ],
    ...     target="play",
    ... )
    >>> table = {"wind": ["Weak", "Strong"], "play": ["Yes", "No"]}
    >>> sers(table, table, schema).value  # nobody is like anybody else
    0.0
    """
    if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 1:
        raise InputError("pairs must be a whole number of at least 1.")
    true, shown = original_table(original, schema), released_table(released, schema)
    chosen = np.arange(true.rows)
    few = max(2, pairs // shown.rows)
    if few < true.rows:
        chosen = np.sort(np.random.default_rng(seed).permutation(true.rows)[:few])
    entropies = _entropies(scaled(true, schema)[chosen], scaled(shown, schema))
    error = 0.0
    if len(chosen) < true.rows:
        left = 1.0 - len(chosen) / true.rows  # the more of all were taken, the less is unknown
        error = float(entropies.std(ddof=1) * math.sqrt(left / len(chosen)))
    return Sers(float(entropies.mean()), error, len(chosen), shown.rows)


def scaled(table: MemoryTable, schema: Schema) -> Floats:
    """Return records × attributes so that two values differ by |x − y|, and at most by 1."""
    made = np.empty((table.rows, len(schema.names)))
    for place, attribute in enumerate(schema):
        column = table.columns[attribute.name].astype(np.float64)
        if not attribute.is_categorical:
            low, high = attribute.range
            column = (column - low) / (high - low if high > low else 1.0)
            column = np.where(np.isnan(column), _MISSING, column)
        made[:, place] = column
    return made


def _entropies(originals: Floats, released: Floats) -> Floats:
    entropies: Floats = np.empty(len(originals))
    columns = np.ascontiguousarray(released.T)

    def work(start: int) -> None:
        rows = slice(start, start + ROWS)
        similarity_entropies(originals[rows], columns, entropies[rows])

    starts = range(0, len(originals), ROWS)
    for _ in track(in_threads(work, starts), "comparing records", len(starts)):
        pass
    # An entropy is never below zero, but for rounding.
    return np.maximum(entropies, 0.0)
