"""Released values taken for true ones, for the method ``naive``.

A band releases codes that are not of the original's domain: ranges of cells. Whoever believes what
was released takes such a code for the cell it is likeliest to come from, the middle of equals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.coding import code_type
from privet.errors import MethodError
from privet.release.ranges import near_cells
from privet.table import Batch

if TYPE_CHECKING:
    from privet.channel import Channel
    from privet.coding import Ints
    from privet.release import Part
    from privet.table import Table

__all__ = ["believed", "likeliest"]


def likeliest(channel: Channel) -> Ints:
    """Return for each released code the original it is likeliest to come from.

    >>> from privet.channel import Band
    >>> likeliest(Band("age", 4, 8, half=1))
    array([0, 0, 1, 2, 3, 3])
    """
    first, last = near_cells(channel)
    upper = np.arange(len(first)) >= len(first) // 2
    return np.asarray((first + last + upper) // 2, np.int64)  # of two the nearer to the end


def believed(part: Part) -> Table:
    """Return the table of a part with its released codes taken for original ones."""
    moves = {}
    for channel in part.channels:
        if channel.numbers or channel.inputs == channel.outputs:
            continue
        if len(channel.attributes) > 1:
            message = f"The method 'naive' cannot read {', '.join(channel.attributes)}: "
            message += "what was released there is not of the original's domain."
            raise MethodError(message, hint="use method='auto'.")
        name = channel.attributes[0]
        moves[name] = likeliest(channel).astype(code_type(channel.input_size))
    if not moves:
        return part.table

    def work(batch: Batch) -> Batch:
        columns = {
            name: moves[name][column] if name in moves else column
            for name, column in batch.columns.items()
        }
        return Batch(batch.start, columns)

    return part.table.map(work)
