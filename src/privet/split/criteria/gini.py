"""The gini index (Breiman and others, 1984): n − Σ n_c² / n, a total over n records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel
from privet.split.criterion import Criterion
from privet.split.kernels import search_by

if TYPE_CHECKING:
    from privet.coding import Floats

__all__ = ["CRITERION"]


def impurity(counts: Floats) -> Floats:
    """Return n times the gini index along the last axis."""
    known = np.maximum(counts, 0.0)
    total = known.sum(-1)
    squares = (known * known).sum(-1)
    gini: Floats = total - np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    return gini


def slope(counts: Floats) -> Floats:
    """Return the derivative by each count; less than half a record is taken as half."""
    known = np.maximum(counts, 0.5)
    share = known / known.sum(-1, keepdims=True)
    slopes: Floats = 1.0 - 2.0 * share + (share * share).sum(-1, keepdims=True)
    return slopes


@kernel
def term(count: float) -> float:
    """Return what a class adds to the sum."""
    return count * count


@kernel
def total(summed: float, rows: float) -> float:
    """Return the impurity of ``rows`` > 0 records whose terms sum to ``summed``."""
    return rows - summed / rows


CRITERION = Criterion(impurity, slope, search_by(term, total))
