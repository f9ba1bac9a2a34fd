"""Records dealt out at random: a release split in two, or in folds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import ReleaseError
from privet.randomness import Randomness
from privet.release.release import IN_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from privet.release.release import Part, Release
    from privet.table import MemoryTable, Table

__all__ = ["folds", "shuffled", "split"]


def split(release: Release, fraction: float) -> tuple[Release, Release]:
    """Return two releases, the first with ``fraction`` of each part's records."""
    if not 0 < fraction < 1:
        message = "The fraction to split a release by must be above 0 and below 1."
        raise ReleaseError(message)
    _check_signs(release)
    tables = [part.table if release.shuffled else shuffled(part.table) for part in release.parts]
    cuts = [math.floor(table.rows * fraction + 0.5) for table in tables]
    if not all(0 < cut < table.rows for cut, table in zip(cuts, tables, strict=True)):
        message = "The release has too few records to split them so."
        raise ReleaseError(message)
    pieces = list(zip(release.parts, tables, cuts, strict=True))
    first = [replace(part, table=table.slice(0, cut)) for part, table, cut in pieces]
    rest = [replace(part, table=table.slice(cut, table.rows)) for part, table, cut in pieces]
    return _with(release, first), _with(release, rest)


def folds(release: Release, number: int, seed: int | None) -> Iterator[tuple[Release, Release]]:
    """Yield ``number`` pairs of releases, in memory: all records but a fold's, and the fold's."""
    _check_signs(release)
    if number < 2 or any(part.table.rows < number for part in release.parts):
        message = "The number of folds must be at least 2, and no more than a part's records."
        raise ReleaseError(message)
    rng = np.random.default_rng(seed)
    tables = [part.table.collect(IN_MEMORY) for part in release.parts]
    orders = [np.array_split(rng.permutation(table.rows), number) for table in tables]
    pieces = list(zip(release.parts, tables, orders, strict=True))
    for fold in range(number):
        others = [np.concatenate(order[:fold] + order[fold + 1 :]) for order in orders]
        rest = [
            replace(part, table=table.take(rows))
            for (part, table, _), rows in zip(pieces, others, strict=True)
        ]
        own = [replace(part, table=table.take(order[fold])) for part, table, order in pieces]
        yield _with(release, rest), _with(release, own)


def _check_signs(release: Release) -> None:
    """Refuse parts that are taken away from others."""
    if any(part.sign < 0 for part in release.parts):
        message = "A release with negative parts cannot be split: the parts belong together."
        raise ReleaseError(message)


def _with(release: Release, parts: Iterable[Part]) -> Release:
    return replace(release, parts=tuple(parts), shuffled=True)


def shuffled(table: Table) -> MemoryTable:
    """Return the rows of a table in random order, in memory."""
    rows = table.collect(IN_MEMORY)
    with Randomness.system() as source:
        return rows.take(source.permutation(0, rows.rows).astype(np.int64))
