"""The entropy in bits (Quinlan, 1986): n log2 n − Σ n_c log2 n_c, a total over n records."""

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
    """Return n times the entropy in bits along the last axis."""
    known = np.maximum(counts, 0.0)
    total = known.sum(-1)
    logs = np.log2(known, out=np.zeros_like(known), where=known > 0)
    whole = np.log2(total, out=np.zeros_like(total), where=total > 0)
    entropy: Floats = total * whole - (known * logs).sum(-1)
    return entropy


def slope(counts: Floats) -> Floats:
    """Return the derivative by each count.

    A count below half a record is taken as half a record: the slope has no bound at zero.
    """
    known = np.maximum(counts, 0.5)
    bits: Floats = -np.log2(known / known.sum(-1, keepdims=True))
    return bits


@kernel
def term(count: float) -> float:
    """Return what a class adds to the sum."""
    return float(count * np.log2(count)) if count > 0.0 else 0.0


@kernel
def total(summed: float, rows: float) -> float:
    """Return the impurity of ``rows`` > 0 records whose terms sum to ``summed``."""
    return float(rows * np.log2(rows)) - summed


CRITERION = Criterion(impurity, slope, search_by(term, total))
