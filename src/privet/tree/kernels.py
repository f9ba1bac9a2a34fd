"""Compiled walk of records down a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints

__all__ = ["descend"]


@kernel
def descend(
    values: Floats,
    attribute: Ints,
    threshold: Floats,
    child: Ints,
    heavy: Ints,
    routes: NDArray[Any],
    out: Ints,
) -> None:
    """Write the leaf each record reaches.

    A number at most the threshold takes the first branch, any other (NaN too) the second. A
    category's code takes ``routes[node, code]``; a code outside the domain (below zero) the
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
