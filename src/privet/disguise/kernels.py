"""Compiled loops of the owner's side; each has a plain NumPy twin in the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from privet.channel.base import Codes
    from privet.coding import Floats, Ints
    from privet.randomness import Words

__all__ = ["deal", "wrap_reals_into", "wrap_whole_into"]


@kernel
def deal(codes: Codes, order: Ints, ends: Ints, words: Words, out: Codes) -> None:
    """Deal the codes of every group anew among its records, all ways equally likely.

    ``order`` has the records group after group, ``ends`` where each group ends. Fisher and Yates,
    two words per record: a place is the upper half of a 64-bit word times the number of places.
    """
    begin = 0
    for i in range(len(order)):
        out[order[i]] = codes[order[i]]
    for group in range(len(ends)):
        end = ends[group]
        for last in range(end - 1, begin, -1):
            count = np.uint64(last - begin + 1)
            low = (np.uint64(words[2 * last]) * count) >> np.uint64(32)
            drawn = (np.uint64(words[2 * last + 1]) * count + low) >> np.uint64(32)
            row = order[last]
            other = order[begin + np.int64(drawn)]
            swapped = out[row]
            out[row] = out[other]
            out[other] = swapped
        begin = end


@kernel
def wrap_reals_into(
    values: Floats, noise: Floats, lower: Floats, upper: Floats, member: Ints, out: Floats
) -> None:
    """Write H − ((H − v − e) mod (H − L)), never outside (L, H]; see ``wrap_reals``."""
    for i in range(len(values)):
        low, high = lower[member[i]], upper[member[i]]
        width = high - low
        if not width > 0.0 or np.isnan(values[i]):
            out[i] = values[i]
            continue
        over = high - values[i] - noise[i]
        if over < 0.0 or over >= width:
            over %= width
        moved = high - over
        # Rounding may put a number on the open end, or, where floats are far apart, beyond it.
        if moved <= low:
            moved = np.nextafter(low, np.inf)
        out[i] = min(moved, high)


@kernel
def wrap_whole_into(
    values: Floats, noise: Floats, lower: Floats, upper: Floats, member: Ints, out: Floats
) -> None:
    """Write lo + ((round(v + e) − lo) mod (hi − lo + 1)) for whole numbers; see ``wrap_whole``."""
    for i in range(len(values)):
        if np.isnan(values[i]):
            out[i] = values[i]
            continue
        low = np.floor(lower[member[i]]) + 1.0
        kinds = max(np.floor(upper[member[i]]) - low + 1.0, 1.0)
        place = np.rint(values[i] + noise[i]) - low
        if place < 0.0 or place >= kinds:
            place %= kinds
        out[i] = low + place
