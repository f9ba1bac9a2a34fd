"""Complementation: some leaked records, one row of each table, both tables whole, two moments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.disguise.loss import loss_of
from privet.disguise.unrealize import Unrealizer
from privet.release import Part
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World
    from privet.coding import Ints
    from privet.release.universe import Universe

    Counts = Ints

__all__ = [
    "is_complemented",
    "leaked",
    "moments",
    "on_tables",
    "rebuilt",
    "recovered",
    "row_of_each",
    "scene",
]

LEAKED = 1000  # records of both tables that are matched
INSERTED = 100  # records that come between two moments


def is_complemented(case: Case) -> str:
    """Say why there is nothing complemented to attack, if so."""
    return "" if case.collected is not None else "the release is no complement"


def scene(world: World) -> tuple[Universe, Counts, Counts]:
    """Return the universe and, by cell, the collected records and what both tables say of them."""
    case = world.case
    universe = cast("Universe", case.release.universe)
    return universe, cast("Counts", case.collected), universe.collected(case.release.parts)


def recovered(
    world: World,
    universe: Universe,
    counts: Counts,
    truth: Counts,
    *,
    about: str = "record",
    detail: str = "",
) -> Trial:
    """Compare multisets of records; the null is as many records drawn from the universe."""
    total = int(truth.sum())
    real = np.flatnonzero(universe.is_real(np.arange(universe.size)))
    if world.kind == "plain":
        counts = truth
    elif world.kind == "independent":
        counts = np.bincount(world.case.rng.choice(real, total), minlength=universe.size)
    even = np.minimum(np.full(len(real), total / len(real)), truth[real]).sum() / total
    hits = int(np.minimum(counts, truth).clip(0).sum())
    return Trial.counted(about, hits, total, float(even), detail=detail)


on_tables = partial(attack, applies=is_complemented, signed=True)


@on_tables("rebuild")
def rebuilt(world: World) -> Iterator[Trial]:
    """Rebuild all records from both tables.

    Needs: both tables whole, as in this release.
    Remedy: never give both tables to one reader; a channel protects from someone who has all.

    Take both tables away from the universe: what is left are the records, all of them.
    """
    universe, collected, counts = scene(world)
    yield recovered(world, universe, counts, collected)


@on_tables("leak", needs=f"{LEAKED:,} rows of the two tables")
def leaked(world: World) -> Iterator[Trial]:
    """Take leaked rows of both tables for collected records.

    Remedy: a universe that is larger: fewer of its records are then collected. Dummies help here,
        but let T^P alone give every record back.

    Take leaked rows for collected records; blind is any possible record.
    """
    universe, collected, counts = scene(world)
    there = collected > 0
    tables = {
        "disguised": universe.copies - counts,
        "plain": collected,
        "independent": universe.is_real(np.arange(universe.size)).astype(np.int64),
    }
    shares = tables[world.kind] / tables[world.kind].sum()
    hits = int(there[world.case.rng.choice(universe.size, LEAKED, p=shares)].sum())
    loss = loss_of(universe, collected, universe.copies)
    blind = float(there.sum() / universe.real_size)
    yield Trial.counted("record", hits, LEAKED, blind, detail=" ".join(loss.sentences()))


@on_tables("one-row-each")
def row_of_each(world: World) -> Iterator[Trial]:
    """Tell from one row of each table how often a record was collected.

    Needs: a record's rows in both tables, and the number of copies on the card.
    Remedy: keep the two tables apart, with different people.

    Take both counts away from the copies; blind is the commonest count.
    """
    universe, collected, counts = scene(world)
    real = np.flatnonzero(universe.is_real(np.arange(universe.size)))
    truth = collected[real]
    rows = world.case.rng.permutation(real) if world.kind == "independent" else real
    told = truth if world.kind == "plain" else counts[rows]
    blind = float(np.bincount(truth).max() / len(real))
    hits = int((told == truth).sum())
    yield Trial.counted("record", hits, len(real), blind, detail="of all possible records")


@on_tables(
    "moments",
    title=f"Find {INSERTED} inserted records from the tables before and after",
    real=True,
    repeated=True,
)
def moments(world: World) -> Iterator[Trial]:
    """Take the tables of two moments away from each other.

    Needs: both tables at two moments.
    Remedy: never show the tables twice to one reader.

    The originals are unrealized once more, in random order, the last of them between the moments.
    """
    universe, collected, _ = scene(world)
    case = world.case
    cells = case.rng.permutation(np.repeat(np.arange(universe.size), collected))
    last = min(INSERTED, len(cells) // 2)
    if not last:
        return
    unrealizer = Unrealizer(universe, "first" if universe.dummy is None else "dummy", case.fresh())
    seen = []
    for some in (cells[:-last], cells[-last:]):
        unrealizer.add(some)
        parts = [Part(MemoryTable(table), (), -1) for table in unrealizer.tables()]
        seen.append(universe.with_copies(unrealizer.copies).collected(parts))
    inserted = np.bincount(cells[-last:], minlength=universe.size)
    yield recovered(world, universe, seen[1] - seen[0], inserted)
