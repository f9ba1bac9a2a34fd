"""Linear estimates: W with WK = I, of least variance where K has more outputs than cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.errors import MethodError
from privet.estimate.em import Axis, em

if TYPE_CHECKING:
    from privet.coding import Floats

__all__ = ["GAIN", "STEPS", "left_inverse"]

GAIN, STEPS = 1e-5, 5_000  # of the log-likelihood, at which EM stops
_FLOOR = 0.01  # of an even share: no cell is taken to be emptier where weights are worked out
_SINGULAR = 1e12  # a condition number beyond which cells look alike


def left_inverse(matrix: Floats, observed: Floats) -> Floats:
    """Return the W with WK = I whose estimates vary least where outputs are as they were observed.

    Outputs are taken as the likeliest cells lead to them: estimates then sum to what was observed.
    """
    outputs, cells = matrix.shape
    if outputs == cells:
        if np.linalg.cond(matrix) > _SINGULAR:
            raise _alike()
        return np.asarray(np.linalg.inv(matrix), np.float64)
    fitted = em([Axis(cells, outputs, None, matrix)], observed, least_gain=GAIN, most=STEPS).table
    even = observed.sum() / cells
    expected = matrix @ np.maximum(fitted, _FLOOR * even)
    scaled = matrix / np.maximum(expected, np.finfo(float).tiny)[:, None]
    normal = matrix.T @ scaled
    if outputs < cells or np.linalg.cond(normal) > _SINGULAR:
        raise _alike()
    return np.asarray(np.linalg.solve(normal, scaled.T), np.float64)


def _alike() -> MethodError:
    message = "Some values cannot be told apart after the disguise."
    return MethodError(message, hint="ask for wider ranges, with edges.")
