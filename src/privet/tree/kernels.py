"""Compiled search for the best split of every node and attribute in tables that were counted.

The plain twin is ``tree.split.candidates``, which also works on estimated tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["best_in_tables", "descend"]


@kernel
def _impurity(counts: NDArray[np.float64], gini: bool) -> float:  # noqa: FBT001 - by place
    total = 0.0
    spread = 0.0
    for count in counts:
        total += count
        if gini:
            spread += count * count
        elif count > 0.0:
            spread += count * np.log2(count)
    if total <= 0.0:
        return 0.0
    return total - spread / total if gini else total * np.log2(total) - spread


@kernel
def _gain(
    whole: float,
    left: NDArray[np.float64],
    total: NDArray[np.float64],
    least: float,
    gini: bool,  # noqa: FBT001 - by place
) -> float:
    """Return the gain of a division in two, or minus infinity if a side is too small."""
    rows_left = 0.0
    rows_right = 0.0
    spread_left = 0.0
    spread_right = 0.0
    for c in range(len(total)):
        one = left[c]
        other = total[c] - one
        rows_left += one
        rows_right += other
        if gini:
            spread_left += one * one
            spread_right += other * other
        else:
            if one > 0.0:
                spread_left += one * np.log2(one)
            if other > 0.0:
                spread_right += other * np.log2(other)
    if rows_left < least or rows_right < least or rows_left <= 0.0 or rows_right <= 0.0:
        return -np.inf
    if gini:
        rest = rows_left + rows_right - spread_left / rows_left - spread_right / rows_right
    else:
        rest = rows_left * np.log2(rows_left) + rows_right * np.log2(rows_right)
        rest -= spread_left + spread_right
    return whole - rest


@kernel
def best_in_tables(  # noqa: PLR0915 - three searches, case by case
    counts: NDArray[np.int64],
    scale: float,
    offsets: NDArray[np.int64],
    kinds: NDArray[np.int64],
    least: float,
    gini: bool,  # noqa: FBT001 - by place
    gains: NDArray[np.float64],
    places: NDArray[np.int64],
    nexts: NDArray[np.int64],
    margin: float,
    infos: NDArray[np.float64],
    cuts: NDArray[np.int64],
) -> None:
    """Write the best gain a record of each node and attribute, and where it is.

    ``infos`` is the entropy in bits of the best split's branch sizes; ``cuts`` how many cuts
    between ordered codes were allowed. Those leave ``margin`` of a class's average records on
    either side, 25 at most, where that is more than ``least``.

    Kinds: 0 ordered codes, the place is the last code on the left that occurs, ``nexts`` the first
    on the right; 1 categories divided in two, the place is ``ordering class × values + length of
    the left part``; 2 one branch a category. Gains that differ by less than 1e-12 are ties: the
    first wins.
    """
    nodes, _, classes = counts.shape
    total = np.empty(classes)
    left = np.empty(classes)
    for i in range(nodes):
        for a in range(len(kinds)):
            start, stop = offsets[a], offsets[a + 1]
            rows = 0.0
            total[:] = 0.0
            for v in range(start, stop):
                for c in range(classes):
                    total[c] += counts[i, v, c] * scale
            for c in range(classes):
                rows += total[c]
            whole = _impurity(total, gini)
            best = -1.0
            place = -1
            smaller = 0.0  # rows on the left of the best division in two
            allowed = 0
            if kinds[a] == 0:
                side = max(least, min(margin * rows / classes, 25.0))
                left[:] = 0.0
                last = -1
                for v in range(start, stop):
                    occurs = 0
                    for c in range(classes):
                        occurs += counts[i, v, c]
                    if occurs == 0:
                        continue
                    if last >= 0:
                        gain = _gain(whole, left, total, side, gini) / rows
                        allowed += gain > -1.0
                        if gain > best + 1e-12:
                            best, place, smaller = gain, last - start, left.sum()
                            nexts[i, a] = v - start
                    for c in range(classes):
                        left[c] += counts[i, v, c] * scale
                    last = v
            elif kinds[a] == 1:
                size = stop - start
                shares = np.empty(size)
                orders = 1 if classes == 2 else classes
                for o in range(orders):
                    held = 0
                    for v in range(size):
                        here = 0.0
                        for c in range(classes):
                            here += counts[i, start + v, c]
                        shares[v] = counts[i, start + v, o] / here if here > 0 else 2.0
                        held += here > 0
                    order = np.argsort(shares, kind="mergesort")
                    left[:] = 0.0
                    for k in range(held - 1):
                        for c in range(classes):
                            left[c] += counts[i, start + order[k], c] * scale
                        gain = _gain(whole, left, total, least, gini) / rows
                        if gain > best + 1e-12:
                            best, place, smaller = gain, o * size + k + 1, left.sum()
            else:
                spread = 0.0
                rest = whole
                large = 0
                for v in range(start, stop):
                    here = 0.0
                    for c in range(classes):
                        left[c] = counts[i, v, c] * scale
                        here += left[c]
                    large += here >= least and here > 0
                    if here > 0:
                        spread -= here * np.log2(here / rows)
                    rest -= _impurity(left, gini)
                if large > 1:
                    best, place = rest / rows, 0
                    infos[i, a] = spread / rows
            gains[i, a] = best
            places[i, a] = place
            cuts[i, a] = allowed
            if kinds[a] != 2 and place >= 0:
                part = smaller / rows
                infos[i, a] = -part * np.log2(part)
                if part < 1.0:
                    infos[i, a] -= (1.0 - part) * np.log2(1.0 - part)


@kernel
def descend(
    values: NDArray[np.float64],
    attribute: NDArray[np.int64],
    threshold: NDArray[np.float64],
    child: NDArray[np.int64],
    heavy: NDArray[np.int64],
    routes: NDArray[Any],
    out: NDArray[np.int64],
) -> None:
    """Write the leaf each record reaches.

    A number at most the threshold takes the first branch, any other (NaN too) the second. A
    category's code takes ``routes[node, code]``; one that is not in the domain (below zero) the
    heaviest branch.
    """
    for row in range(len(values)):
        node = 0
        while child[node] >= 0:
            x = values[row, attribute[node]]
            if not np.isnan(threshold[node]):
                node = child[node] + (0 if x <= threshold[node] else 1)
            elif x < 0:
                node = heavy[node]
            else:
                node = child[node] + routes[node, int(x)]
        out[row] = node
