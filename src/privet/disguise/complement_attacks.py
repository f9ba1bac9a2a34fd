"""Attacks on complementation: a few leaked records, one row of each table, all rows, two moments.

Each takes releases of a store at some moments and the collected records, by cell, to be judged by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.disguise.success import Success
from privet.errors import BugError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.release import Release
    from privet.release.universe import Universe

    Counts = NDArray[np.int64]

__all__ = ["matching", "one_row_each", "reconstruction", "snapshots"]


def _stored(release: Release) -> tuple[Universe, Counts, Counts]:
    """Return the universe and, by cell, T′ and T^P."""
    universe = release.universe
    if universe is None:
        raise BugError("an attack on complementation is given another release")
    tables = []
    for part in release.parts:
        counts = np.zeros(universe.size, np.int64)
        for batch in part.table.batches():
            np.add.at(counts, universe.join(batch.columns), universe.counts(batch))
        tables.append(counts)
    return universe, tables[0], tables[1]


def matching(release: Release, collected: Counts, leaked: int = 1000, *, seed: int = 0) -> Success:
    """Draw leaked records from both tables and take each for a collected one."""
    universe, unreal, perturbing = _stored(release)
    rng = np.random.default_rng(seed)
    there = collected > 0

    def hits(counts: Counts) -> int:
        return int(there[rng.choice(universe.size, leaked, p=counts / counts.sum())].sum())

    real = universe.is_real(np.arange(universe.size)).astype(np.int64)
    return Success.counted(
        hits(unreal + perturbing),
        leaked,
        blind=float(there.sum() / universe.real_size),
        control=hits(collected) / leaked,
        null=hits(real) / leaked,
    )


def one_row_each(release: Release, collected: Counts, *, seed: int = 0) -> Success:
    """For every record that can be collected: from its row in each table, tell how often it was.

    The number of copies is on the card. The blind guess is the commonest count; the null has the
    rows of other records.
    """
    universe, unreal, perturbing = _stored(release)
    real = np.flatnonzero(universe.is_real(np.arange(universe.size)))
    truth = collected[real]
    other = np.random.default_rng(seed).permutation(real)

    def found(cells: Counts) -> Counts:
        return universe.copies - unreal[cells] - perturbing[cells]

    return Success.counted(
        int((found(real) == truth).sum()),
        len(real),
        blind=float(np.bincount(truth).max() / len(real)),
        control=1.0,
        null=float((found(other) == truth).mean()),
    )


def reconstruction(release: Release, collected: Counts, *, seed: int = 0) -> Success:
    """From all rows of both tables: how many of the collected records come back."""
    universe, unreal, perturbing = _stored(release)
    return _recovered(
        universe, universe.copies - unreal - perturbing, collected, np.random.default_rng(seed)
    )


def snapshots(before: Release, after: Release, inserted: Counts, *, seed: int = 0) -> Success:
    """From the tables at two moments: how many of the records inserted between are found."""
    universe, *first = _stored(before)
    _, *second = _stored(after)
    copies = (after.universe.copies if after.universe else 0) - universe.copies
    difference = copies - (second[0] - first[0]) - (second[1] - first[1])
    return _recovered(universe, difference, inserted, np.random.default_rng(seed))


def _recovered(
    universe: Universe, found: Counts, truth: Counts, rng: np.random.Generator
) -> Success:
    """Compare multisets of records; the null is one of as many records drawn from the universe."""
    total = int(truth.sum())
    real = np.flatnonzero(universe.is_real(np.arange(universe.size)))
    drawn = np.bincount(rng.choice(real, total), minlength=universe.size)
    return Success.counted(
        int(np.minimum(found, truth).clip(0).sum()),
        total,
        blind=float(np.minimum(np.full(len(real), total / len(real)), truth[real]).sum() / total),
        control=1.0,
        null=float(np.minimum(drawn, truth).sum() / total),
    )
