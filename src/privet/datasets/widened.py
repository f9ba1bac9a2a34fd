"""Public ranges that are wider than the data, so that bins do not line up with thresholds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privet.schema import Attribute

__all__ = ["widened"]


def widened(
    attributes: Iterable[Attribute], bins: int | None, margin: float, seed: int | None
) -> list[Attribute]:
    """Return attributes with ``bins``, each end of a real range moved outwards at random.

    It moves by up to ``margin`` times the range. Whole numbers and categories keep their domains.
    """
    if not 0 <= margin < np.inf:
        message = "Parameter margin must be a finite number from 0."
        raise InputError(message)
    random = np.random.default_rng(seed)
    declared = []
    for attribute in attributes:
        wider = attribute
        if not attribute.is_categorical:
            low, high = attribute.range
            below, above = random.uniform(0, margin, 2) * (high - low)
            if margin and not attribute.integer:
                wider = replace(attribute, low=low - below, high=high + above)
            wider = replace(wider, bins=bins)
        declared.append(wider)
    return declared
