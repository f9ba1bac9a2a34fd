"""Noise that stays inside an interval: what leaves it at one end comes in at the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.disguise.kernels import wrap_reals_into, wrap_whole_into

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from privet.coding import Floats

__all__ = ["wrap_reals", "wrap_whole"]


def wrap_reals(
    values: Floats,
    noise: Floats,
    lower: ArrayLike,
    upper: ArrayLike,
    member: NDArray[np.int64] | None = None,
) -> Floats:
    """Return values with noise inside (lower, upper], wrapped round: H − ((H − v − e) mod (H − L)).

    ``member`` is the interval of each value; without it there is one. No result ever leaves its
    interval, however numbers are rounded; of one without room the value is what is left. A missing
    value stays missing.

    >>> wrap_reals(np.array([7.5]), np.array([1.0]), 6.0, 8.0)
    array([6.5])
    """
    out = np.empty(len(values))
    wrap_reals_into(values, noise, *_ends(lower, upper), _members(member, len(values)), out)
    return out


def wrap_whole(
    values: Floats,
    noise: Floats,
    lower: ArrayLike,
    upper: ArrayLike,
    member: NDArray[np.int64] | None = None,
) -> Floats:
    """Return whole values with noise, rounded and wrapped round among the whole numbers inside.

    They are those of (lower, upper], from lo to hi: lo + ((round(v + e) − lo) mod (hi − lo + 1)).

    >>> wrap_whole(np.array([8.0]), np.array([1.2]), 5.5, 8.5)
    array([6.])
    """
    out = np.empty(len(values))
    wrap_whole_into(values, noise, *_ends(lower, upper), _members(member, len(values)), out)
    return out


def _ends(lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    return np.atleast_1d(np.asarray(lower, np.float64)), np.atleast_1d(
        np.asarray(upper, np.float64)
    )


def _members(member: NDArray[np.int64] | None, rows: int) -> NDArray[np.int64]:
    return np.zeros(rows, np.int64) if member is None else member
