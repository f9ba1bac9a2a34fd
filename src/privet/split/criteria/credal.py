"""The upper entropy of a credal set (Abellán and Moral, 2003), a total over n records.

Walley's imprecise Dirichlet model with s = 1 allows all shares p_c from n_c/(n + 1) to
(n_c + 1)/(n + 1). The largest entropy among them is reached by giving the one record more to the
smallest counts, until they are level. A split's gain may be negative: few records on each side are
then no better known than all together, and a credal tree stops there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.split.criterion import Criterion

if TYPE_CHECKING:
    from privet.coding import Floats

__all__ = ["CRITERION", "levelled"]

MORE = 1.0  # s of the model: how many records more are given to the smallest counts


def levelled(counts: Floats) -> Floats:
    """Return the counts with one record more, given to the smallest until they are level.

    >>> levelled(np.array([4.0, 0.0, 0.0])), levelled(np.array([3.0, 2.5]))
    (array([4. , 0.5, 0.5]), array([3.25, 3.25]))
    """
    known = np.maximum(counts, 0.0)
    rising = np.sort(known, axis=-1)
    levels = (np.cumsum(rising, axis=-1) + MORE) / np.arange(1, known.shape[-1] + 1)
    above = np.concatenate([rising[..., 1:], np.full((*known.shape[:-1], 1), np.inf)], axis=-1)
    first = np.argmax(levels <= above, axis=-1)[..., None]
    return np.maximum(known, np.take_along_axis(levels, first, axis=-1))


def impurity(counts: Floats) -> Floats:
    """Return n times the upper entropy in bits along the last axis."""
    rows = np.maximum(counts, 0.0).sum(-1)
    levels = levelled(counts)
    entropy = np.log2(rows + MORE) - (levels * np.log2(levels)).sum(-1) / (rows + MORE)
    whole: Floats = rows * entropy
    return whole


def slope(counts: Floats) -> Floats:
    """Return the derivative by each count: those that were levelled rise together."""
    rows = np.maximum(counts, 0.0).sum(-1, keepdims=True)
    levels = levelled(counts)
    mean = (levels * np.log2(levels)).sum(-1, keepdims=True) / (rows + MORE)
    slopes: Floats = np.log2(rows + MORE) - mean + rows / (rows + MORE) * (mean - np.log2(levels))
    return slopes


CRITERION = Criterion(impurity, slope, None)
