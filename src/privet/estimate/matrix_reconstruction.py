"""Matrix reconstruction, the method ``global``: a table as it may have been (DXZ §3; AS's Global).

One attribute at a time: estimate how often each original value occurred, sort the records by
what was released, and give the first X̂[1] of them the value 1, the next X̂[2] the value 2, and so
on. Codes are in order already and ties go by row, so a running count for each released code stands
in for the sort. The classes are not told apart, and each attribute goes its own way: what two
attributes have to do with each other is blurred, which is what ``direct`` and ``joint`` mend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privet.coding import code_type
from privet.compiled import in_threads, kernel
from privet.errors import MethodError
from privet.estimate.distribution import Distribution
from privet.table import MemoryTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Floats, Ints
    from privet.release import Release

__all__ = ["LIMIT", "Rounding", "reconstructed_codes", "shared_out", "whole_counts"]

LIMIT = 50_000_000  # records of a release that are reconstructed in memory

Rounding = Literal["largest-remainder", "half-up"]


def reconstructed_codes(
    release: Release, *, rounding: Rounding = "largest-remainder"
) -> MemoryTable:
    """Return a table of original codes that agrees with the estimated counts of each attribute.

    Counts are the paper's repair rescaled to the number of records, and EM's where the channel has
    more outputs than inputs. It works in memory.
    """
    if len(release.parts) != 1 or release.parts[0].sign < 0:
        message = "The method 'global' takes a release of one part; this one has several."
        raise MethodError(message, hint="use method='direct'.")
    part = release.parts[0]
    table = part.table.collect(LIMIT)

    def recoded(channel: Channel) -> dict[str, NDArray[Any]]:
        codes = channel.join(table.columns)
        observed = np.bincount(codes, minlength=channel.output_size).astype(np.float64)
        how = "rescale" if channel.inputs == channel.outputs else "em"
        estimated = Distribution(observed, channel).counts(how)
        whole = whole_counts(estimated, len(codes), rounding)
        return channel.part(shared_out(codes, whole, channel.output_size))

    columns = dict(table.columns)
    for codes in in_threads(recoded, part.channels):
        columns.update(codes)
    return MemoryTable(columns)


def whole_counts(counts: Floats, rows: int, rounding: Rounding = "largest-remainder") -> Ints:
    """Return whole counts whose sum is ``rows``.

    Largest remainder: ``counts`` are rescaled, rounded down, and the largest fractions rounded up
    (ties to the first). ``half-up`` is what the paper's example does: round each, and cut off at
    the last record; what is lacking goes to the last value. Counts are taken to six decimals: a
    channel's whole numbers are not nearer to its γ.

    >>> whole_counts(np.array([0.5, 8.0, 5.5]), 14)
    array([1, 8, 5])
    >>> whole_counts(np.array([0.5, 8.0, 5.5]), 14, "half-up")
    array([1, 8, 5])
    """
    positive = np.round(np.maximum(counts, 0.0), 6)
    if rounding == "half-up":
        ends = np.minimum(np.cumsum(np.floor(positive + 0.5)), rows).astype(np.int64)
        ends[-1] = rows
        steps: Ints = np.diff(ends, prepend=0)
        return steps
    if rounding != "largest-remainder":
        message = f"There is no rounding {rounding!r}; there are 'largest-remainder', 'half-up'."
        raise MethodError(message)
    total = positive.sum()
    scaled = (
        positive * (rows / total) if total > 0 else np.full(len(positive), rows / len(positive))
    )
    scaled = np.round(scaled, 6)
    whole = np.floor(scaled).astype(np.int64)
    lacking = rows - int(whole.sum())
    order = np.argsort(-(scaled - whole), kind="stable")
    whole[order[:lacking]] += 1
    return whole


@kernel
def hand_out(
    codes: NDArray[Any], places: Ints, ends: Ints, values: Ints, out: NDArray[Any]
) -> None:
    """Write each record's value: that of its place in the order by code, then row.

    ``places[u]`` is where the next record of code u stands, ``values[u]`` the value given last.
    """
    for row in range(len(codes)):
        code = codes[row]
        place = places[code]
        value = values[code]
        while place >= ends[value]:
            value += 1
        values[code] = value
        places[code] = place + 1
        out[row] = value


def shared_out(codes: NDArray[Any], counts: Ints, outputs: int) -> NDArray[Any]:
    """Give the first ``counts[0]`` records in the order of codes the value 0, and so on.

    >>> shared_out(np.array([1, 0, 1, 0]), np.array([1, 3]), 2)
    array([1, 0, 1, 1], dtype=uint8)
    """
    sizes = np.bincount(codes, minlength=outputs)
    places = (np.cumsum(sizes) - sizes).astype(np.int64)
    kind = code_type(len(counts)) if len(counts) <= 1 << 16 else np.int64
    out = np.empty(len(codes), kind)
    hand_out(codes, places, np.cumsum(counts), np.zeros(outputs, np.int64), out)
    return out
