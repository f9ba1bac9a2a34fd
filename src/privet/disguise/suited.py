"""Cells that suit a table: how many, and whether a first wave is to say where, by its length alone.

Both were settled on four made-up tables of 20,000 records (skewed, F2, F4 and a random world):
through a band the number of cells mattered little from 16 on, and a first wave gained much where
numbers are skewed and little or nothing elsewhere. ``python -m benchmarks cells`` measures waves
on others, where they do not always pay.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from privet.disguise.treatment import Substitution
from privet.disguise.waves import SHARE
from privet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privet.disguise.treatment import Treatment
    from privet.schema import Attribute, Schema

__all__ = ["ENOUGH", "cell_each", "cells_for", "check_cells", "share_for", "with_cells"]

WAVE = 1_000  # records that say well where numbers crowd, through a band of any usual γ
MOST_SHARE = 0.25  # of the records: more would be missed by the miner
ENOUGH = round(WAVE / SHARE)  # records beyond which their number changes nothing here
_FEWEST, _MOST = 10, 24  # cells of a number; so many whole numbers have a cell each
_TRIED = 64  # cells that any table may have, to try things out


def cells_for(rows: int, attribute: Attribute | None = None) -> int:
    """Return how many cells to cut a number to, if nobody says.

    >>> [cells_for(rows) for rows in (100, 4_000, 1_000_000)]
    [10, 16, 24]
    """
    few = None if attribute is None else cell_each(attribute)
    if few is not None:
        return few
    return min(max(round(math.sqrt(rows) / 4), _FEWEST), _MOST)


def cell_each(attribute: Attribute) -> int | None:
    """Return how many whole numbers an attribute has, if so few that each has a cell of its own.

    >>> from privet.schema import Attribute
    >>> cell_each(Attribute.numeric("pain", low=1, high=5, integer=True))
    5
    """
    if not attribute.integer:
        return None
    low, high = attribute.range
    return int(high - low) + 1 if high - low < _MOST else None


def share_for(rows: int) -> float | None:
    """Return the share of a first wave, or None where there are too few records for a wave.

    >>> share_for(1_000_000), share_for(10_000), share_for(1_000)
    (0.05, 0.1, None)
    """
    share = max(SHARE, WAVE / max(rows, 1))
    return share if share <= MOST_SHARE else None


def with_cells(
    treatments: Mapping[str, Treatment], schema: Schema, rows: int
) -> dict[str, Treatment]:
    """Return treatments with the number of cells that the number of records allows.

    Only of bands whose cells nobody has numbered, neither the plan nor the schema.
    """
    return {
        name: replace(treatment, bins=cells_for(rows, schema[name]))
        if isinstance(treatment, Substitution) and _is_open(treatment, schema[name])
        else treatment
        for name, treatment in treatments.items()
    }


def check_cells(treatments: Mapping[str, Treatment], schema: Schema, rows: int) -> None:
    """Refuse more cells of a disguised number than there are records."""
    for name, treatment in treatments.items():
        if not isinstance(treatment, Substitution) or schema[name].is_categorical:
            continue
        cells = treatment.released(schema[name]).coding().known
        if cells > max(rows, _TRIED):
            message = f"Attribute {name!r} has {cells:,} cells, more than the {rows:,} records "
            message += "can tell apart."
            raise DataError(message, hint=f"use fewer bins: {cells_for(rows)}.")


def _is_open(treatment: Substitution, attribute: Attribute) -> bool:
    """Whether neither the treatment nor the schema says how many cells there are."""
    if attribute.is_categorical or treatment.matrix is not None:
        return False
    if treatment.kind_for(attribute) != "band" or treatment.bins is not None:
        return False
    own = treatment.scale is None and treatment.prior is None
    given = attribute.bins is not None or (own and attribute.edges is not None)
    return treatment.edges is None and not given
