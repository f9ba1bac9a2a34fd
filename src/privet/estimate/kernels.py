"""Compiled steps of EM: joint counts of what was observed, and products along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints

__all__ = ["MOST_AHEAD", "count_joint", "divide", "gather", "hurry", "log_likelihood", "spread"]

MOST_AHEAD = 4.0  # times what it was: how far a cell may have come in the step it goes on from


@kernel
def count_joint(codes: NDArray[np.uint16], target: NDArray[Any], shape: Ints, out: Ints) -> None:
    """Count the joint table of some attributes (columns of ``codes``) and the class, laid flat."""
    attributes = codes.shape[1]
    for row in range(len(codes)):
        place = np.int64(0)
        for a in range(attributes):
            place = place * shape[a] + codes[row, a]
        out[place * shape[attributes] + target[row]] += 1


@kernel
def _sums_and_window(table: Floats, far: float) -> tuple[Floats, Floats]:
    """Return ``far`` times the sums along the first of two axes, and as many zeros."""
    sums = np.zeros(table.shape[1])
    for v in range(len(table)):
        for i in range(len(sums)):
            sums[i] += far * table[v, i]
    return sums, np.zeros_like(sums)


@kernel
def spread(table: Floats, far: float, near: float, width: int, out: Floats) -> None:
    """Apply a two-level factor to the first of two axes: inputs to outputs."""
    inputs, inner = table.shape
    more = near - far
    sums, window = _sums_and_window(table, far)
    for u in range(len(out)):
        if u < inputs:
            for i in range(inner):
                window[i] += table[u, i]
        if u >= width:
            for i in range(inner):
                window[i] -= table[u - width, i]
        for i in range(inner):
            out[u, i] = sums[i] + more * max(window[i], 0.0)


@kernel
def gather(table: Floats, far: float, near: float, width: int, out: Floats) -> None:
    """Apply the transpose of a two-level factor to the first of two axes: outputs to inputs."""
    inner = table.shape[1]
    more = near - far
    sums, window = _sums_and_window(table, far)
    for u in range(width - 1):
        for i in range(inner):
            window[i] += table[u, i]
    for v in range(len(out)):
        for i in range(inner):
            window[i] += table[v + width - 1, i]
            out[v, i] = sums[i] + more * max(window[i], 0.0)
            window[i] -= table[v, i]


@kernel
def divide(observed: Floats, expected: Floats) -> None:
    """Put observed / expected in the place of the expected."""
    for i in range(len(observed)):
        expected[i] = observed[i] / max(expected[i], 1e-300)


@kernel
def hurry(table: Floats, before: Floats, share: float, out: Floats) -> None:
    """Go on by a share of the way that each cell has come, on a scale of logarithms.

    The power is Padé's approximant of one degree above and below: positive as well, within a tenth
    of it where a cell came by a factor of 1/4 to ``MOST_AHEAD``, in one division.
    """
    above, below = (1.0 + share) / 2.0, (1.0 - share) / 2.0
    for i in range(len(table)):
        came = min(table[i] / max(before[i], 1e-300), MOST_AHEAD) - 1.0
        out[i] = table[i] * (1.0 + above * came) / (1.0 + below * came)


@kernel
def log_likelihood(observed: Floats, expected: Floats) -> float:
    """Return the logarithm of how likely what was observed is, but for a constant."""
    total = 0.0
    for i in range(len(observed)):
        if observed[i] > 0.0:
            total += observed[i] * np.log(max(expected[i], 1e-300))
    return total
