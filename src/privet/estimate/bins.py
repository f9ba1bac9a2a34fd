"""Cells for plain numbers: one per distinct value where there are few, else of equal weight.

Bins used for mining are not the domain: they are learned from the table that is mined, which the
miner holds anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.coding import Coding
from privet.compiled import kernel

if TYPE_CHECKING:
    from privet.coding import Codes, Floats

__all__ = ["learn_cells"]

MAX_CELLS = 255  # of equal weight: a code fits a byte
MAX_EXACT = 4096  # distinct values kept apart in a table of up to SAMPLE rows
SAMPLE = 1 << 15


def learn_cells(name: str, column: Floats, *, missing: bool = False) -> Coding:
    """Return the cells of a column of plain numbers, in time far below a sort of all of them.

    Up to ``SAMPLE`` rows every distinct value is its own cell if there are at most ``MAX_EXACT``;
    a longer column keeps up to ``MAX_CELLS`` distinct values apart. Otherwise the values of
    ``SAMPLE`` evenly spaced rows are grouped into ``MAX_CELLS`` cells of equal weight. Cut points
    lie midway between neighbouring values. With ``missing``, NaN has a cell of its own.

    >>> learn_cells("x", np.array([1.0, 4.0, 2.0, 1.0])).edges
    array([1.5, 3. ])
    """
    if missing:
        column = column[~np.isnan(column)]
        if not len(column):
            return Coding.cells(name, [0.0], [0.0], missing=True)
    rows = len(column)
    # Adding zero turns -0.0 into 0.0, so that the two are one value.
    sample = column[:: -(-rows // SAMPLE)] + 0.0 if rows > SAMPLE else column + 0.0
    values, counts = np.unique(sample, return_counts=True)
    if rows <= SAMPLE:
        exact = len(values) <= MAX_EXACT
    elif len(values) <= MAX_CELLS:
        values = _all_values(name, column, values)
        exact = len(values) <= MAX_CELLS
        counts = np.ones(len(values), np.int64) if not exact else counts
    else:
        exact = False
    if exact:
        return Coding.cells(name, values, values, missing=missing)
    before = np.cumsum(counts) - counts
    cell = before * MAX_CELLS // counts.sum()
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    last = np.append(first[1:] - 1, len(values) - 1)
    return Coding.cells(name, values[first], values[last], missing=missing)


@kernel
def _others(column: Floats, values: Floats, codes: Codes, out: Floats) -> int:
    """Write the numbers that are not the value of their code; return how many."""
    count = 0
    for row in range(len(column)):
        if column[row] != values[codes[row]]:
            out[count] = column[row]
            count += 1
    return count


def _all_values(name: str, column: Floats, values: Floats) -> Floats:
    """Add the distinct values that the sample missed."""
    coding = Coding.cells(name, values, values)
    codes, others = np.empty(SAMPLE, np.uint16), np.empty(SAMPLE)
    missed = []
    for start in range(0, len(column), SAMPLE):  # as many as stay in cache
        part = column[start : start + SAMPLE]
        count = _others(part, values, coding.encode(part, out=codes[: len(part)]), others)
        if count:
            missed.append(np.unique(others[:count]))
    return np.union1d(values, np.concatenate(missed)) + 0.0 if missed else values
