"""Reconstructed tables: ``global`` for noise, and ``by-class`` for every channel (AS, Trees).

Each attribute is reconstructed once, over all records or class by class, and the records are given
to cells in the estimated numbers: in the order of what was released, ties by row. That is a
monotone map of the noisy value, a set of cut points for each class, so nothing is sorted. What two
attributes have to do with each other beyond the class is blurred; ``joint`` mends that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.channel import Noise
from privet.coding import code_type
from privet.compiled import in_threads
from privet.errors import MethodError
from privet.estimate.distribution import Distribution
from privet.estimate.matrix_reconstruction import LIMIT, shared_out, whole_counts
from privet.estimate.noisy import coarse_channel
from privet.estimate.reconstruction import deconvolved, intervals_for
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Floats
    from privet.release import Release

__all__ = ["Assigned", "assign", "assigned", "plain_class"]

STOP = "paper"  # its early stop keeps the noise from being fitted


class Assigned(NamedTuple):
    """A table whose disguised columns hold the cells that records were given to, and the cells."""

    table: MemoryTable
    codings: dict[str, Coding | None]


def plain_class(release: Release, method: str) -> None:
    """Refuse a release whose classes are disguised, or whose parts are several."""
    target = release.schema.target
    if len(release.parts) != 1 or release.parts[0].sign < 0:
        message = f"The method {method!r} takes a release of one part; this one has several."
        raise MethodError(message, hint="use method='direct'.")
    if release.parts[0].channel(target) is not None:
        message = f"The method {method!r} tells the classes apart, and the class {target!r} is "
        raise MethodError(message + "disguised.", hint="use method='auto'.")


def assigned(release: Release, *, by_class: bool) -> Assigned:
    """Return the reconstructed table of a release; it works in memory."""
    part = release.parts[0]
    table = part.table.collect(LIMIT)
    classes, label = 1, np.zeros(table.rows, np.uint8)
    if by_class:
        classes, label = len(release.schema.classes), table.columns[release.schema.target]
    cells = intervals_for(table.rows)

    def recoded(channel: Channel) -> tuple[dict[str, NDArray[Any]], dict[str, Coding | None]]:
        if isinstance(channel, Noise):
            coarse = coarse_channel(release, channel, cells)
            codes = channel.observed(table.columns[channel.attribute])
            counts = _per_class(codes, label, classes, channel.output_size)
            heaped = np.add.reduceat(counts, coarse.starts, axis=1)
            estimates = [deconvolved((coarse,), row, stop=STOP).counts for row in heaped]
            given = assign(codes, label, estimates, counts)
            return {channel.attribute: given}, {channel.attribute: coarse.coding}
        codes = channel.join(table.columns)
        counts = _per_class(codes, label, classes, channel.output_size)
        how = "rescale" if channel.inputs == channel.outputs else "em"
        estimates = [Distribution(row, channel).counts(how) for row in counts]
        return channel.part(assign(codes, label, estimates, counts)), {}

    columns, codings = dict(table.columns), dict(release.codings)
    for made, cut in in_threads(recoded, part.channels):
        columns.update(made)
        codings.update(cut)
    return Assigned(MemoryTable(columns), codings)


def assign(
    codes: NDArray[Any], label: NDArray[Any], estimates: Sequence[Floats], counts: Floats
) -> NDArray[Any]:
    """Give records to cells class by class, in the order of codes, ties by row.

    ``counts`` is classes × codes, as observed; ``estimates`` has one array of cells per class.
    """
    size, outputs = len(estimates[0]), counts.shape[1]
    rows = counts.sum(axis=1).astype(np.int64)
    whole = [whole_counts(counts, number) for counts, number in zip(estimates, rows, strict=True)]
    joint = label.astype(np.int32) * np.int32(outputs) + codes
    given = shared_out(joint, np.concatenate(whole), outputs * len(estimates))
    return np.asarray(given % size).astype(code_type(size))


def _per_class(codes: NDArray[Any], label: NDArray[Any], classes: int, outputs: int) -> Floats:
    joint = label.astype(np.int32) * np.int32(outputs) + codes
    return np.bincount(joint, minlength=classes * outputs).reshape(classes, -1).astype(np.float64)
