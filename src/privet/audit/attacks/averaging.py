"""Averaging: fresh disguises of the same record add up until the record shows through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.guess import has_channels
from privet.audit.world import RELEASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import World

__all__ = ["averaging"]

# What is drawn, up to the number that is reported.
POINTS = (1, 2, 3, 5, 7, 10, 15, *range(20, 100, 10))
TESTED = 10_000
CELLS = 1 << 22


@attack(
    "averaging",
    title="Combine several releases of the same records",
    needs=f"several releases of the same records ({RELEASES} unless told otherwise), each "
    "disguised afresh, with rows that can be matched",
    applies=has_channels,
    repeated=True,
)
def averaging(world: World) -> Iterator[Trial]:
    """Add the log likelihoods of fresh disguises (γ = 19, N = 10: ten of them give 99.8 %).

    Remedy: disguise a record once and release that again: a repeated release of the same disguise
    costs nothing.
    """
    case = world.case
    for group in case.hidden:
        rows = case.rng.permutation(case.rows)[: min(TESTED, max(100, CELLS // group.size))]
        truth = case.truth[group.about][rows]
        shares = case.shares(group)
        with np.errstate(divide="ignore"):
            law = np.log(world.law(group))
            scores = np.broadcast_to(np.log(shares), (len(rows), group.size))
        curve = []
        for number in range(1, case.releases + 1):
            scores = scores + law[world.draw(group, rows)]
            if number in POINTS or number == case.releases:
                hits = int((np.argmax(scores, axis=1) == truth).sum())
                curve.append((number, hits / len(rows)))
        yield Trial.counted(
            group.about,
            hits,
            len(rows),
            float(shares.max()),
            detail=f"with {case.releases} releases",
            curve=tuple(curve),
        )
