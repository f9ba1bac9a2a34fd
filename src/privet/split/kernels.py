"""Compiled search for the best split of every node and attribute in tables that were counted.

``search_by`` makes one search per criterion: a criterion gives the term that a class adds, and what
makes a total of the terms' sum. The plain twin is ``split.candidates``, which also works on
estimated tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from privet.coding import Floats, Ints

__all__ = ["search_by"]


def search_by(  # noqa: PLR0915 - three searches, case by case
    term: Callable[[float], float], total: Callable[[float, float], float]
) -> Callable[..., Any]:
    """Return a compiled ``best_in_tables`` for a criterion, both of whose parts are kernels."""

    def best_in_tables(  # noqa: PLR0915 - three searches, case by case
        counts: Ints,
        scale: float,
        sizes: Ints,
        offsets: Ints,
        kinds: Ints,
        least: float,
        light: float,
        gains: Floats,
        places: Ints,
        nexts: Ints,
        margin: float,
        infos: Floats,
        cuts: Ints,
    ) -> None:
        """Write the best gain per record of each node and attribute, and where it is.

        ``infos`` is the entropy in bits of the best split's branch sizes; ``cuts`` how many cuts
        between ordered codes were allowed. Those leave ``margin`` of a class's average records on
        either side, 25 at most, where that is more than ``least``. ``sizes`` (nodes × cells) says
        how many records there are where ``counts`` adds up weights; it is empty where it adds up
        records. No side weighs less than ``light``.

        Kinds: 0 ordered codes, the place is the last code on the left that occurs, ``nexts`` the
        first on the right; 1 categories divided in two, the place is ``ordering class × values +
        length of the left part``; 2 one branch per category. Gains that differ by less than 1e-12
        are ties: the first wins.
        """

        def impurity(cells: Floats) -> float:
            rows = 0.0
            summed = 0.0
            for count in cells:
                rows += count
                summed += term(count)
            return total(summed, rows) if rows > 0.0 else 0.0

        def gain_of(whole: float, left: Floats, both: Floats, least: float) -> float:
            # The gain of a division in two, or minus infinity if a side is too small.
            rows_left = 0.0
            rows_right = 0.0
            summed_left = 0.0
            summed_right = 0.0
            for c in range(len(both)):
                other = both[c] - left[c]
                rows_left += left[c]
                rows_right += other
                summed_left += term(left[c])
                summed_right += term(other)
            gained = -np.inf
            if rows_left >= least and rows_right >= least and rows_left > 0 and rows_right > 0:
                gained = whole - (total(summed_left, rows_left) + total(summed_right, rows_right))
            return gained

        nodes, _, classes = counts.shape
        both = np.empty(classes)
        left = np.empty(classes)
        weighted = len(sizes) > 0
        for i in range(nodes):
            for a in range(len(kinds)):
                start, stop = offsets[a], offsets[a + 1]
                rows = 0.0
                records = 0  # where they are told apart from weights: all, and those on the left
                if weighted:
                    for v in range(start, stop):
                        records += sizes[i, v]
                both[:] = 0.0
                for v in range(start, stop):
                    for c in range(classes):
                        both[c] += counts[i, v, c] * scale
                for c in range(classes):
                    rows += both[c]
                whole = impurity(both)
                best = -1.0
                place = -1
                smaller = 0.0  # rows on the left of the best division in two
                allowed = 0
                if kinds[a] == 0:
                    side = max(least, min(margin * rows / classes, 25.0))
                    left[:] = 0.0
                    before = 0
                    last = -1
                    for v in range(start, stop):
                        occurs = 0
                        for c in range(classes):
                            occurs += counts[i, v, c]
                        if occurs == 0:
                            continue
                        if last >= 0 and not (weighted and min(before, records - before) < side):
                            gain = (
                                gain_of(whole, left, both, max(light, 0.0 if weighted else side))
                                / rows
                            )
                            allowed += gain > -1.0
                            if gain > best + 1e-12:
                                best, place, smaller = gain, last - start, left.sum()
                                nexts[i, a] = v - start
                        for c in range(classes):
                            left[c] += counts[i, v, c] * scale
                        if weighted:
                            before += sizes[i, v]
                        last = v
                elif kinds[a] == 1:
                    size = stop - start
                    shares = np.empty(size)
                    orders = 1 if classes == 2 else classes
                    for o in range(orders):
                        occurring = 0
                        for v in range(size):
                            here = 0.0
                            for c in range(classes):
                                here += counts[i, start + v, c]
                            shares[v] = counts[i, start + v, o] / here if here > 0 else 2.0
                            occurring += here > 0
                        order = np.argsort(shares, kind="mergesort")
                        left[:] = 0.0
                        before = 0
                        for k in range(occurring - 1):
                            for c in range(classes):
                                left[c] += counts[i, start + order[k], c] * scale
                            if weighted:
                                before += sizes[i, start + order[k]]
                                if min(before, records - before) < least:
                                    continue
                            gain = (
                                gain_of(whole, left, both, max(light, 0.0 if weighted else least))
                                / rows
                            )
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
                        large += (
                            here > 0
                            and here >= light
                            and (sizes[i, v] if weighted else here) >= least
                        )
                        if here > 0:
                            spread -= here * np.log2(here / rows)
                        rest -= impurity(left)
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

    return kernel(best_in_tables)
