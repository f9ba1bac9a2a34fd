"""The whole table, fitted by EM: every original record's likeliest counts at once.

Where all attributes together have few possible records, the likeliest table of originals behind
the observed one can be fitted as a whole. Its counts are never negative, so what cannot be weighs
in: a report of a flip group whose opposite is a rarity is believed. Inverting cannot use that.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privet.channel.base import MAX_CELLS
from privet.estimate.collapse import TIMES, collapse
from privet.estimate.em import Axis, em
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.coding import Coding, Ints
    from privet.release import Part
    from privet.table import Batch

__all__ = ["Whole", "fit_whole", "has_whole"]

MOST = 1 << 18  # possible records
STEPS = 100  # of EM at most: stopping early keeps the noise from being fitted
LEAST_GAIN = 0.05  # of a step in log-likelihood; a smaller step is the last
UNIT = 2.0**20  # of a fitted count


class Whole(NamedTuple):
    """Distinct records with fitted counts: ``weight`` times ``scale`` each."""

    table: MemoryTable
    weight: Ints
    scale: float


def _axes(
    part: Part, codings: Sequence[Coding], target: str, classes: int
) -> list[tuple[tuple[str, ...], Channel | None, int]]:
    """Return the groups in order, the class last: names, channel and number of joint codes."""
    sizes = {coding.name: coding.size for coding in codings}
    axes: list[tuple[tuple[str, ...], Channel | None, int]] = []
    done: set[str] = set()
    for name in (*sizes, target):
        if name in done:
            continue
        channel = part.channel(name)
        names = (name,) if channel is None else channel.attributes
        size = sizes.get(name, classes) if channel is None else channel.output_size
        axes.append((names, channel, size))
        done.update(names)
    return axes


def has_whole(part: Part, codings: Sequence[Coding], target: str, classes: int) -> bool:
    """Whether the whole table of a part is small enough to be fitted, and its groups too."""
    axes = _axes(part, codings, target, classes)
    small = all(channel is None or size**2 <= MAX_CELLS for _, channel, size in axes)
    square = all(channel is None or channel.inputs == channel.outputs for _, channel, _ in axes)
    return (
        small and square and math.prod(size for *_, size in axes) <= min(MOST, 8 * part.table.rows)
    )


def fit_whole(part: Part, codings: Sequence[Coding], target: str, classes: int) -> Whole:
    """Fit the table of originals behind a part's records."""
    axes = _axes(part, codings, target, classes)
    sizes = {coding.name: coding.size for coding in codings} | {target: classes}
    by_name = {coding.name: coding for coding in codings}

    def coded(batch: Batch) -> dict[str, NDArray[Any]]:
        columns = {name: batch.columns[name] for name in sizes}
        return {
            name: column if column.dtype.kind == "u" else by_name[name].encode(column)
            for name, column in columns.items()
        }

    collapsed = collapse(part.table, sizes, lambda batch: list(coded(batch).values()))
    columns = collapsed.columns if collapsed is not None else _all(part, coded)
    times = columns.get(TIMES, np.ones(len(columns[target]), np.int64))
    observed = np.zeros([size for *_, size in axes])
    places = tuple(
        columns[names[0]] if channel is None else channel.join(columns)
        for names, channel, _ in axes
    )
    np.add.at(observed, places, times)
    fitted = em(
        [Axis.of(channel, size) for _, channel, size in axes],
        observed,
        most=STEPS,
        least_gain=LEAST_GAIN,
    ).table
    weights = np.rint(fitted * UNIT).astype(np.int64)
    there = np.nonzero(weights)
    out: dict[str, NDArray[Any]] = {}
    for (names, channel, _), codes in zip(axes, there, strict=True):
        parted = {names[0]: codes} if channel is None else channel.part(codes)
        for name, column in parted.items():
            out[name] = column.astype(np.uint8 if sizes[name] <= 256 else np.uint16)
    return Whole(MemoryTable(out), weights[there], 1 / UNIT)


def _all(part: Part, coded: Any) -> dict[str, NDArray[Any]]:
    batches = [coded(batch) for batch in part.table.batches()]
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
