"""Codes shown to people: categories by name, cells of numbers by a representative (DXZ §2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import MethodError

if TYPE_CHECKING:
    from privet.coding import Coding

__all__ = ["RANGE", "REPRESENTATIVES", "check_representative", "shown_values"]

REPRESENTATIVES = ("centre", "endpoint", "random")
RANGE = ("range",)  # where a cell may be shown in words, too


def check_representative(representative: str, *more: str) -> None:
    """Refuse a word that is not one of ``REPRESENTATIVES``, nor of ``more``."""
    known = (*REPRESENTATIVES, *more)
    if representative not in known:
        message = f"There is no representative {representative!r} of a cell."
        raise MethodError(message, hint=f"it is one of {', '.join(map(repr, known))}.")


def shown_values(
    coding: Coding, codes: Any, representative: str, rng: np.random.Generator, *, whole: bool
) -> Any:
    """Return the value each code is shown by; a missing one stays missing.

    A cell of numbers is shown by its centre, by its upper end (cells are closed on the right, so
    that is the end that belongs to it), or by a random point of it, drawn for every record.
    ``whole`` says that cells hold whole numbers only; a centre between two is the lower.

    >>> from privet.coding import Coding
    >>> ages = Coding.cells("age", [20, 40], [40, 60])
    >>> shown_values(ages, [0, 1], "endpoint", np.random.default_rng(1), whole=False)
    array([40., 60.])
    """
    check_representative(representative)
    if representative == "centre" or not coding.ordered:
        values = coding.decode(np.asarray(codes))
        return np.floor(values) if whole and coding.ordered else values
    sides = (np.asarray(side, np.float64) for side in (coding.lower, coding.upper))
    lower, upper = (np.append(side, np.nan)[codes] for side in sides)
    if representative == "endpoint":
        return upper
    places = rng.random(len(codes))
    if whole:  # a cell holds its first and its last number
        return np.floor(lower + places * (upper - lower + 1))
    return lower + places * (upper - lower)
