"""How large a leaf must be where counts are believed as they come, disguise and all.

Estimated counts carry their error, and a split has to be significant against it. The methods
``naive`` and ``global`` have no such error to go by: to them noise looks like structure, and a
tree grown to pure leaves learns the noise. What they get instead is a least size of leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel import Channel

__all__ = ["least_leaf"]

RECORDS = 50.0  # near the best on F1-F5 with γ = 3..20 and N = 6..24
SHARE = 10  # a leaf never has to be larger than one of so many equal parts of all records


def least_leaf(names: Sequence[str], channels: Sequence[Channel], rows: int) -> float:
    """Return the fewest records of a leaf for attributes ``names``, 0 if nothing is disguised.

    A test on an attribute whose channel has condition number κ keeps 1/κ of the contrast between
    the classes, so it takes κ² times as many records to see it: 50 (κ² − 1) for the median
    attribute, and at most a tenth of all.

    >>> from privet.channel import GammaDiagonal
    >>> round(least_leaf(["age"], [GammaDiagonal("age", 6, 5)], 100_000), -1)
    260.0
    """
    by_name = {name: channel for channel in channels for name in channel.attributes}
    conditions = {name: by_name[name].condition() if name in by_name else 1.0 for name in names}
    return float(min(RECORDS * (np.median(list(conditions.values())) ** 2 - 1), rows / SHARE))
