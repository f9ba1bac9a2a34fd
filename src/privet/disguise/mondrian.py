"""Multi-dimensional partitioning: groups of at least k records, cut at medians (Fong §4.1.1).

LeFevre and others' Mondrian (2006): a group is halved at the median of the attribute in which it is
widest, beside the attribute's range, as long as both halves keep k records and whatever else
was promised of a group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from privet.coding import Floats, Ints

__all__ = ["mondrian"]


def mondrian(
    numbers: Floats,
    ranges: Floats,
    start: Ints,
    k: int,
    good: Callable[[Ints], bool] = lambda _: True,
) -> Floats:
    """Return for each record the middles of its group's intervals, records × attributes.

    ``numbers`` are records × attributes, ``ranges`` their lowest and highest numbers, ``start`` the
    groups to begin with, each of at least ``k`` records. ``good`` says of the rows of a group
    whether they may be one.

    >>> ages = np.array([[20.0], [30], [50], [60]])
    >>> mondrian(ages, np.array([[0.0, 100]]), np.zeros(4, np.int64), 2).ravel().tolist()
    [20.0, 20.0, 70.0, 70.0]
    """
    middles = np.empty_like(numbers)
    spans = np.maximum(ranges[:, 1] - ranges[:, 0], 1e-300)
    open_groups = [
        (np.flatnonzero(start == group), ranges[:, 0].copy(), ranges[:, 1].copy())
        for group in range(int(start.max()) + 1)
    ]
    while open_groups:
        rows, low, high = open_groups.pop()
        inside = numbers[rows]
        for column, border in _cuts(inside, spans, k):
            left = inside[:, column] <= border
            if good(rows[left]) and good(rows[~left]):
                below, above = high.copy(), low.copy()
                below[column] = above[column] = border
                open_groups += [(rows[left], low, below), (rows[~left], above, high)]
                break
        else:
            middles[rows] = (low + high) / 2
    return middles


def _cuts(numbers: Floats, spans: Floats, k: int) -> Iterator[tuple[int, float]]:
    """Yield attributes and borders whose halves keep k records, the widest attribute first."""
    if len(numbers) < 2 * k:
        return
    widths = np.ptp(numbers, axis=0) / spans
    for column in np.argsort(-widths, kind="stable"):
        values = np.sort(numbers[:, column])
        # The border nearest to the median between two different numbers with k on either side.
        places = np.flatnonzero(values[1:] > values[:-1]) + 1
        places = places[(places >= k) & (places <= len(values) - k)]
        if len(places):
            at = places[np.argmin(np.abs(places - len(values) / 2))]
            yield int(column), float((values[at - 1] + values[at]) / 2)
