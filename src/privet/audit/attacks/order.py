"""Order that is plain: rank matching with a similar sample, and interpolation from known pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.pairs import monotone_names
from privet.disguise.baseline_attacks import CLOSE, interpolation, rank_matching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privet.audit.world import Case, World
    from privet.disguise.success import Success

    Floats = NDArray[np.float64]

__all__ = ["between", "rank"]

PRIOR = 1000  # similar people that the attacker has the values of
KNOWN = 20  # pairs of an original and its disguise that the attacker has


def _applies(case: Case) -> str:
    if not monotone_names(case.release):
        return "no order was kept by secret functions"
    if not case.real:
        return "it needs the owner's records (original)"
    return "" if case.pairs is not None else "the originals cannot be disguised once more"


def _columns(world: World) -> Iterator[tuple[str, Floats, Floats, float]]:
    """Yield each such attribute: its name, the originals, what is shown, and the range."""
    pairs = world.pairs
    if pairs is None:
        return
    for name in monotone_names(world.case.release):
        true, shown = (held.columns[name].astype(np.float64) for held in (pairs.true, pairs.shown))
        known = ~(np.isnan(true) | np.isnan(shown))
        low, high = pairs.schema[name].range
        if known.sum() >= 2 * KNOWN:
            yield name, true[known], shown[known], high - low


def _trial(world: World, name: str, found: Success) -> Trial:
    near = f"right is within {100 * CLOSE:.0f} % of the range"
    if world.kind == "plain":  # what is not disguised is read
        return Trial(name, found.control, found.control, found.control, found.blind)
    return Trial(name, found.value, found.low, found.high, found.blind, detail=near)


@attack(
    "rank",
    title="Guess numbers by their rank",
    needs=f"the release, and the numbers of up to {PRIOR:,} similar people",
    remedy="put the numbers through a channel: order that is kept cannot be hidden",
    applies=_applies,
    real=True,
)
def rank(world: World) -> Iterator[Trial]:
    """Give each shown number the quantile of the sample that its rank says (methods.md §6)."""
    rng = world.case.rng
    for name, true, shown, width in _columns(world):
        order = rng.permutation(len(true))
        prior, held = order[: min(PRIOR, len(order) // 2)], order[len(order) // 2 :]
        yield _trial(world, name, rank_matching(shown[held], true[held], true[prior], width))


@attack(
    "between",
    title=f"Guess numbers from {KNOWN} known ones",
    needs=f"the release, and {KNOWN} people whose numbers and rows are known",
    remedy="put the numbers through a channel: order that is kept cannot be hidden",
    applies=_applies,
    real=True,
)
def between(world: World) -> Iterator[Trial]:
    """Interpolate between the known numbers (methods.md §6)."""
    for name, true, shown, width in _columns(world):
        known = world.case.rng.permutation(len(true))[:KNOWN]
        yield _trial(world, name, interpolation(shown, true, known, width))
