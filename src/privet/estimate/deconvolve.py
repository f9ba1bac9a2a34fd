"""Compiled loops of reconstruction: counting noisy numbers, and AS's step over the kernel's band.

A column of K is zero outside a band of intervals, so it is kept as a row of ``band`` that begins at
the interval ``first``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.compiled import in_threads, kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from privet.channel import CoarseNoise
    from privet.coding import Floats, Ints

__all__ = ["Banded", "climb", "count_noisy", "count_slots"]

PIECE = 1 << 17  # numbers that one thread counts at a time


class Banded(NamedTuple):
    """A kernel without the zeros round its columns: ``rows[p]`` begins at interval ``first[p]``."""

    rows: Floats
    first: Ints

    @classmethod
    def of(cls, matrix: Floats) -> Banded:
        """Cut a kernel, intervals × cells, to its band.

        >>> Banded.of(np.array([[0.5, 0.0], [0.5, 0.5], [0.0, 0.5]])).first
        array([0, 1])
        """
        positive = matrix > 0
        first = positive.argmax(axis=0)
        width = int((len(matrix) - positive[::-1].argmax(axis=0) - first).max())
        first = np.minimum(first, len(matrix) - width)
        places = first[:, None] + np.arange(width)
        rows = np.ascontiguousarray(matrix[places, np.arange(matrix.shape[1])[:, None]])
        return cls(rows, first.astype(np.int64))


@kernel
def climb(  # noqa: C901, PLR0912 - compiled: flat, case by case
    observed: Floats,
    rows: Floats,
    first: Ints,
    table: Floats,
    most: int,
    least_gain: float,
    least_move: float,
    smooth: bool,  # noqa: FBT001
) -> tuple[int, float]:
    """Better ``table`` by steps x ← x ∘ Kᵀ(y / Kx); return how many, and the log-likelihood.

    Stops after ``most`` steps; when a step gains less than ``least_gain`` of the log-likelihood;
    or when Σ(x′ − x)²/x, of counts x before and x′ after a step, is below ``least_move``: the
    paper's n·Σ(P′ − P)²/P. With ``smooth`` each step is followed by a mean over neighbours, 1:2:1.
    The log-likelihood is that before the last step.
    """
    cells, width = rows.shape
    ratio = np.empty(len(observed))
    after = np.empty(cells)
    before = -np.inf
    steps = 0
    while steps < most:
        ratio[:] = 0.0
        for p in range(cells):
            begin = first[p]
            share = table[p]
            for j in range(width):
                ratio[begin + j] += rows[p, j] * share
        now = 0.0
        for s in range(len(observed)):
            if observed[s] > 0.0:
                mean = max(ratio[s], 1e-300)
                now += observed[s] * np.log(mean)
                ratio[s] = observed[s] / mean
            else:
                ratio[s] = 0.0
        for p in range(cells):
            begin = first[p]
            factor = 0.0
            for j in range(width):
                factor += rows[p, j] * ratio[begin + j]
            after[p] = table[p] * factor
        if smooth:
            left = after[0]
            for p in range(cells):
                here = after[p]
                right = after[p + 1] if p + 1 < cells else here
                after[p] = 0.25 * left + 0.5 * here + 0.25 * right
                left = here
        moved = 0.0
        for p in range(cells):
            if table[p] > 0.0:
                moved += (after[p] - table[p]) ** 2 / table[p]
            table[p] = after[p]
        steps += 1
        if now - before < least_gain or moved < least_move:
            before = now
            break
        before = now
    return steps, before


@kernel
def count_noisy(
    numbers: Floats, low: float, step: float, reach: int, slots: NDArray[Any], out: Ints
) -> int:
    """Count noisy numbers by the interval their nearest output is in; return how many are NaN."""
    scale = 1.0 / step
    top = np.float64(len(slots) - 1)
    nan = 0
    for i in range(len(numbers)):
        x = numbers[i]
        if x != x:  # noqa: PLR0124 - quicker than asking for NaN
            nan += 1
            continue
        place = np.floor((x - low) * scale + 0.5) + reach
        out[slots[np.int64(min(max(place, 0.0), top))]] += 1
    return nan


def count_slots(coarse: CoarseNoise, numbers: Floats) -> tuple[Ints, int]:
    """Return the observed counts of noisy numbers, made on all threads, and how many are NaN."""
    noise, slots = coarse.noise, coarse.slots

    def counted(start: int) -> tuple[Ints, int]:
        out = np.zeros(coarse.output_size, np.int64)
        part = numbers[start : start + PIECE]
        return out, count_noisy(part, noise.low, noise.step, noise.reach, slots, out)

    total = np.zeros(coarse.output_size, np.int64)
    missing = 0
    for counts, nan in in_threads(counted, range(0, len(numbers), PIECE)):
        total += counts
        missing += nan
    return total, missing
