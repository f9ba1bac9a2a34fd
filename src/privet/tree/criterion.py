"""Impurity of class counts, and its slope: what a split gains and how sure that gain is.

Impurities here are totals over records, so that the gain of a split is the parent's less the
children's, and they work on estimated counts: a negative one counts as zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.tree.policy import Criterion

__all__ = ["impurity", "slope"]


def impurity(counts: Floats, criterion: Criterion) -> Floats:
    """Return n times the gini index, or n times the entropy in bits, along the last axis.

    >>> round(float(impurity(np.array([9.0, 5.0]), "entropy")) / 14, 4)
    0.9403
    """
    held = np.maximum(counts, 0.0)
    total = held.sum(-1)
    if criterion == "gini":
        squares = (held * held).sum(-1)
        gini: Floats = total - np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
        return gini
    logs = np.log2(held, out=np.zeros_like(held), where=held > 0)
    whole = np.log2(total, out=np.zeros_like(total), where=total > 0)
    entropy: Floats = total * whole - (held * logs).sum(-1)
    return entropy


def slope(counts: Floats, criterion: Criterion) -> Floats:
    """Return the derivative of the impurity by each class count.

    Counts below half a record are taken as half a record: the entropy's slope has no bound at zero.
    """
    held = np.maximum(counts, 0.5)
    share = held / held.sum(-1, keepdims=True)
    if criterion == "gini":
        slopes: Floats = 1.0 - 2.0 * share + (share * share).sum(-1, keepdims=True)
        return slopes
    bits: Floats = -np.log2(share)
    return bits
