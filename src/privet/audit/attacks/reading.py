"""Reading: what stands plainly in a release is found by looking; so is the place of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.homogeneity import plain_names
from privet.audit.notions import constant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World

__all__ = ["place", "read"]


def _open(case: Case) -> str:
    return "" if _plain(case) else "no attribute is plain"


def _plain(case: Case) -> list[str]:
    """Return the plain attributes; where there is a single value, nothing is read."""
    alike = constant(case.release)
    return [name for name in plain_names(case.release, case.part) if name not in alike]


@attack("read", applies=_open)
def read(world: World) -> Iterator[Trial]:
    """Read what is plain.

    Needs: the release.
    Remedy: put it through a channel, or withhold it.

    Read a plain attribute off the row, sure to be right; blind is the commonest value.
    """
    case = world.case
    for name in _plain(case):
        most = _commonest(world, name)
        value = most if world.kind == "independent" else 1.0
        treatment = case.release.treatments.get(name, "exact")
        how = "as it was" if treatment == "exact" else "as its class of values"
        yield Trial(name, value, value, value, most, value, detail=how)


def _commonest(world: World, name: str) -> float:
    """Return the share of the commonest value, from the release itself: it is plain there."""
    case = world.case
    counts: dict[float, int] = {}
    for batch in case.part.table.batches():
        values, numbers = np.unique(batch.columns[name], return_counts=True)
        for value, number in zip(values.tolist(), numbers.tolist(), strict=True):
            counts[value] = counts.get(value, 0) + number
    return max(counts.values()) / sum(counts.values()) if counts else 0.0


@attack("place", applies=lambda case: "rows are shuffled" if case.release.shuffled else "")
def place(world: World) -> Iterator[Trial]:
    """Find a person's row by its place.

    Needs: the place of a person's record in the owner's table.
    Remedy: shuffle the rows (the default).

    Look at the row of the same number, which is hers if rows are in order.
    """
    chance = 1 / max(1, world.case.release.rows)
    value = chance if world.kind == "independent" else 1.0
    yield Trial("record", value, value, value, chance, value)
