"""Complementation: some leaked records, one row of each table, both tables whole, two moments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.disguise.complement_attacks import matching, one_row_each, reconstruction, snapshots
from privet.disguise.loss import loss_of
from privet.disguise.unrealize import Unrealizer
from privet.release import Part
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privet.audit.world import Case, World
    from privet.disguise.success import Success
    from privet.release import Release
    from privet.release.universe import Universe

__all__ = ["is_complemented", "leaked", "moments", "rebuilt", "row_of_each"]

LEAKED = 1000  # records of both tables that are matched
INSERTED = 100  # records that come between two moments


def is_complemented(case: Case) -> str:
    """Say why there is nothing complemented to attack, if so."""
    return "" if case.collected is not None else "the release is no complement"


def _scene(world: World) -> tuple[Release, NDArray[np.int64], int]:
    """Return the release, the collected records by cell, and a seed."""
    case = world.case
    held = cast("NDArray[np.int64]", case.collected)
    return case.release, held, int(case.rng.integers(1 << 31))


def _trial(world: World, found: Success, detail: str = "") -> Trial:
    """Return what an attack did in this world; each success comes with its control and null."""
    if world.kind != "disguised":
        value = found.control if world.kind == "plain" else found.null
        return Trial("record", value, value, value, found.blind)
    return Trial("record", found.value, found.low, found.high, found.blind, detail=detail)


@attack(
    "rebuild",
    title="Rebuild all records from both tables",
    needs="both tables whole, as in this release",
    remedy="never give both tables to one reader; a channel protects from someone who has all",
    applies=is_complemented,
    signed=True,
)
def rebuilt(world: World) -> Iterator[Trial]:
    """Take both tables away from the universe: what is left are the records, all of them."""
    release, collected, seed = _scene(world)
    yield _trial(world, reconstruction(release, collected, seed=seed))


@attack(
    "leak",
    title="Take leaked rows of both tables for collected records",
    needs=f"{LEAKED:,} rows of the two tables",
    remedy="dummies, or a universe that is larger: fewer of its records are then collected",
    applies=is_complemented,
    signed=True,
)
def leaked(world: World) -> Iterator[Trial]:
    """Match leaked rows with collected records (methods.md §6); blind is any possible record."""
    release, collected, seed = _scene(world)
    universe = cast("Universe", release.universe)
    loss = loss_of(universe, collected, universe.copies)
    found = matching(release, collected, LEAKED, seed=seed)
    yield _trial(world, found, " ".join(loss.sentences()))


@attack(
    "one-row-each",
    title="Tell from one row of each table how often a record was collected",
    needs="a record's rows in both tables, and the number of copies on the card",
    remedy="keep the two tables apart, with different people",
    applies=is_complemented,
    signed=True,
)
def row_of_each(world: World) -> Iterator[Trial]:
    """Take both counts away from the copies; blind is the commonest count."""
    release, collected, seed = _scene(world)
    yield _trial(world, one_row_each(release, collected, seed=seed), "of all possible records")


@attack(
    "moments",
    title=f"Find {INSERTED} inserted records from the tables before and after",
    needs="both tables at two moments",
    remedy="never show the tables twice to one reader",
    applies=is_complemented,
    real=True,
    repeated=True,
    signed=True,
)
def moments(world: World) -> Iterator[Trial]:
    """Take the tables of two moments away from each other.

    The originals are unrealized once more, in random order, the last of them between the moments.
    """
    release, collected, seed = _scene(world)
    case, universe = world.case, cast("Universe", release.universe)
    cells = case.rng.permutation(np.repeat(np.arange(universe.size), collected))
    last = min(INSERTED, len(cells) // 2)
    if not last:
        return
    unrealizer = Unrealizer(universe, "first" if universe.dummy is None else "dummy", case.fresh())
    seen = []
    for some in (cells[:-last], cells[-last:]):
        unrealizer.add(some)
        parts = tuple(Part(MemoryTable(table), (), -1) for table in unrealizer.tables())
        held = universe.with_copies(unrealizer.copies)
        seen.append(replace(release, parts=parts, universe=held))
    inserted = np.bincount(cells[-last:], minlength=universe.size)
    yield _trial(world, snapshots(seen[0], seen[1], inserted, seed=seed))
