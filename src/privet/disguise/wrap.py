"""Noise that stays inside an interval: what leaves it at one end comes in at the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.disguise.kernels import wrap_reals_into, wrap_whole_into

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from privet.coding import Floats, Ints

__all__ = ["wrap"]


def wrap(
    values: Floats,
    noise: Floats,
    lower: ArrayLike,
    upper: ArrayLike,
    member: Ints | None = None,
    *,
    whole: bool = False,
) -> Floats:
    """Return values with noise inside (lower, upper], wrapped round: H − ((H − v − e) mod (H − L)).

    ``member`` is the interval of each value, if there are several. No result ever leaves its
    interval, however numbers are rounded; a value without room there stays as it is. A missing
    value stays missing. ``whole`` numbers are rounded, and stay among those inside, from lo to hi:
    lo + ((round(v + e) − lo) mod (hi − lo + 1)).

    >>> wrap(np.array([7.5]), np.array([1.0]), 6.0, 8.0)
    array([6.5])
    >>> wrap(np.array([8.0]), np.array([1.2]), 5.5, 8.5, whole=True)
    array([6.])
    """
    out = np.empty(len(values))
    if member is None:
        member = np.zeros(len(values), np.int64)
    wrap_into = wrap_whole_into if whole else wrap_reals_into
    wrap_into(values, noise, _ends(lower), _ends(upper), member, out)
    return out


def _ends(ends: ArrayLike) -> Floats:
    return np.atleast_1d(np.asarray(ends, np.float64))
