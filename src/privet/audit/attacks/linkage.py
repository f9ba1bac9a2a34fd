"""Linkage: someone who knows a person's whole record looks for the row that is hers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World

__all__ = ["linkage"]

TARGETS = 400
WORK = 60_000_000  # rows looked at for all targets together


def _applies(case: Case) -> str:
    return "" if case.groups and case.truth else "the release has no attribute to compare"


@attack("linkage", applies=_applies, real=True)
def linkage(world: World) -> Iterator[Trial]:
    """Find a known person's row.

    Needs: the whole original record of a person, and the release with its card.
    Remedy: a smaller γ, or fewer attributes: every further attribute makes a row easier to tell.

    Take the likeliest row for each target; a tie is broken by chance.
    """
    case = world.case
    groups = [group for group in case.groups if group.channel is None or group in case.hidden]
    # Row numbers are wide because NumPy looks them up so; the tables are narrow, a row an original.
    columns = [world.draw(group).astype(np.intp) for group in groups]
    sure = [world.kind == "plain" or group.channel is None for group in groups]
    with np.errstate(divide="ignore"):
        laws = [
            None if plain else np.log(world.law(group).T).astype(np.float32, order="C")
            for group, plain in zip(groups, sure, strict=True)
        ]
    targets = case.rng.permutation(case.rows)[: max(50, min(TARGETS, WORK // case.rows))]
    hits = 0
    for target in targets:
        score = np.zeros(case.rows, np.float32)
        for group, column, law in zip(groups, columns, laws, strict=True):
            known = case.truth[group.about][target]
            if law is None:  # what is plain either agrees or rules the row out
                score[column != known] = -np.inf
            else:
                score += law[known][column]
        best = score.max()
        if score[target] >= best - 1e-4:
            alike = int((score >= best - 1e-4).sum())
            hits += int(case.rng.random() * alike < 1)
    every = case.rows == case.release.rows
    rows = (
        f"among {case.rows:,} rows"
        if every
        else f"among {case.rows:,} sampled rows: an upper bound"
    )
    yield Trial.counted("record", hits, len(targets), 1 / case.rows, detail=rows)
