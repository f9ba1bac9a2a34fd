"""Nearest record: someone who knows a person's whole record takes the row most similar to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.sers import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World

__all__ = ["has_pairs", "nearest"]

TARGETS = 400
WORK = 60_000_000  # rows looked at for all targets together


def has_pairs(case: Case) -> str:
    """Say why there are no true pairs under noise without a bound, if so."""
    if case.release.unbounded is None:
        return "the release has no noise without a bound"
    if not case.real:
        return "it needs the owner's records (original)"
    return "" if case.pairs is not None else "the originals cannot be disguised once more"


@attack("nearest", applies=has_pairs, real=True)
def nearest(world: World) -> Iterator[Trial]:
    """Find a known person's row by similarity.

    Needs: the whole original record of a person, and the release.
    Remedy: more noise, or fewer and larger leaves.

    Take the row at the smallest distance (FI eq. 6); a tie is broken by chance.
    """
    case, pairs = world.case, world.pairs
    if pairs is None:
        return
    true, shown = scaled(pairs.true, pairs.schema), scaled(pairs.shown, pairs.schema)
    rows = len(true)
    targets = case.rng.permutation(rows)[: max(50, min(TARGETS, WORK // rows))]
    hits = 0
    for target in targets:
        away = np.minimum(np.abs(shown - true[target]), 1.0).sum(axis=1)
        least = away.min() + 1e-12
        if away[target] <= least:
            hits += int(case.rng.random() * int((away <= least).sum()) < 1)
    yield Trial.counted("record", hits, len(targets), 1 / rows, detail=f"among {rows:,} rows")
