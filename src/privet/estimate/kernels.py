"""Compiled steps of EM: joint counts of what was observed, and products along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints

__all__ = [
    "MOST_AHEAD",
    "NONE",
    "add_all_margins",
    "add_margins",
    "count_joint",
    "divide",
    "divide_box",
    "gather",
    "hurry",
    "multiply",
    "spread",
]

NONE = 1e-200  # what stands for no record where a logarithm is taken
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
def add_margins(table: Floats, shape: Ints, shares: Floats, starts: Ints, out: Floats) -> None:
    """Add up a joint table inside a box, along each of its axes.

    ``table`` is cells × classes, the cells of all axes of ``shape`` laid flat. ``shares`` says how
    much of each group lies in the box and ``out`` gets the sums, groups × classes; the groups of
    axis ``a`` are those from ``starts[a]`` on. All sums are made in one walk through the cells.
    """
    last, classes = len(shape) - 1, table.shape[1]
    first, stop = np.zeros(len(shape), np.int64), np.zeros(len(shape), np.int64)
    for a in range(len(shape)):
        for group in range(shape[a] - 1, -1, -1):
            if shares[starts[a] + group] > 0.0:
                first[a] = group
                stop[a] = max(stop[a], group + 1)
        if stop[a] == 0:
            return
    at, row = first.copy(), np.empty(classes)
    moving = 0
    while moving >= 0:
        weight, place = 1.0, np.int64(0)
        for a in range(last):
            weight *= shares[starts[a] + at[a]]
            place = place * shape[a] + at[a]
        if weight > 0.0:
            row[:] = 0.0
            for group in range(first[last], stop[last]):
                share = weight * shares[starts[last] + group]
                for c in range(classes):
                    value = share * table[place * shape[last] + group, c]
                    row[c] += value
                    out[starts[last] + group, c] += value
            for a in range(last):
                for c in range(classes):
                    out[starts[a] + at[a], c] += row[c]
        moving = last - 1  # the last axis that has a group to go on to
        while moving >= 0 and at[moving] + 1 == stop[moving]:
            at[moving] = first[moving]
            moving -= 1
        if moving >= 0:
            at[moving] += 1


@kernel
def add_all_margins(table: Floats, shape: Ints, shares: Floats, starts: Ints, out: Floats) -> None:
    """Add up a joint table inside each of some boxes: ``shares`` and ``out`` have one per box."""
    for box in range(len(shares)):
        add_margins(table, shape, shares[box], starts, out[box])


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
def _share_out(table: Floats, rows: Floats) -> None:
    """Scale the classes of each cell, the last axis of a flat table, to a sum of its ``rows``.

    No ``rows`` leave it as it is. Two classes go several cells at a time.
    """
    classes = len(table) // max(len(rows), 1)
    if classes == 2:
        for at in range(len(rows)):
            scale = rows[at] / max(table[2 * at] + table[2 * at + 1], 1e-300)
            table[2 * at] *= scale
            table[2 * at + 1] *= scale
        return
    for at in range(len(rows)):
        cell = table[at * classes : (at + 1) * classes]
        total = 0.0
        for c in range(classes):
            total += cell[c]
        scale = rows[at] / max(total, 1e-300)
        for c in range(classes):
            cell[c] *= scale


@kernel
def hurry(table: Floats, before: Floats, share: float, rows: Floats, out: Floats) -> None:
    """Go on by a share of the way that each cell has come, on a scale of logarithms.

    The power is Padé's approximant of one degree above and below: positive as well, within a tenth
    of it where a cell came by a factor of 1/4 to ``MOST_AHEAD``, in one division. If there are
    ``rows``, classes add up to them in each cell.
    """
    above, below = (1.0 + share) / 2.0, (1.0 - share) / 2.0
    for i in range(len(table)):
        came = min(table[i] / max(before[i], 1e-300), MOST_AHEAD) - 1.0
        out[i] = table[i] * (1.0 + above * came) / (1.0 + below * came)
    _share_out(out, rows)


@kernel
def multiply(table: Floats, factors: Floats, rows: Floats, out: Floats) -> None:
    """Multiply cell by cell; if there are ``rows``, classes add up to them in each cell."""
    for i in range(len(table)):
        out[i] = table[i] * factors[i]
    _share_out(out, rows)


@kernel
def divide_box(
    means: Floats,
    label: Ints,
    place: Ints,
    inside: Floats,
    branches: Floats,
    shares: Floats,
    outside: Floats,
    likelier: Floats,
) -> None:
    """Say how much likelier each of some cells is if a box is divided than if it is one leaf.

    ``means`` is what is expected in the cells, whose classes and places are given; of it, what is
    ``inside`` the box (classes × places) gets the ``shares`` of classes of the whole box, in their
    first row, or of each branch. ``branches`` are the records of all branches but the last.
    """
    for i in range(len(means)):
        c, p = label[i], place[i]
        outside[i] = max(means[i] - inside[c, p], 0.0)
        rows = 0.0
        for each in range(len(inside)):
            rows += inside[each, p]
        divided, last = outside[i], rows
        for branch in range(len(branches)):
            divided += branches[branch, p] * shares[branch + 1, c]
            last -= branches[branch, p]
        divided += max(last, 0.0) * shares[-1, c]
        likelier[i] = max(divided, NONE) / max(outside[i] + rows * shares[0, c], NONE)
