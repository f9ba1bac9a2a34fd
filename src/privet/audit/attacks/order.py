"""Order that is plain: rank matching with a similar sample, and interpolation from known pairs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.true_pairs import CLOSE, monotone_names, windows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World
    from privet.coding import Floats


__all__ = ["between", "by_neighbours", "by_rank", "rank"]

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
        true, shown = (side.columns[name].astype(np.float64) for side in (pairs.true, pairs.shown))
        known = ~(np.isnan(true) | np.isnan(shown))
        low, high = pairs.schema[name].range
        if known.sum() >= 2 * KNOWN:
            yield name, true[known], shown[known], high - low


def _trial(
    world: World, name: str, guesses: Floats, true: Floats, usual: Floats, width: float
) -> Trial:
    """Count guesses that are near; blind is the best guess from what is usual."""
    if world.kind == "plain":  # what is not disguised is read
        guesses = true
    hits, blind = (
        _near(guess, true, width) for guess in (guesses, windows(usual, 2 * CLOSE * width))
    )
    near = f"right is within {100 * CLOSE:.0f} % of the range"
    return Trial.counted(name, hits, len(true), blind / len(true), detail=near)


def _near(guesses: Floats | float, true: Floats, width: float) -> int:
    return int((np.abs(guesses - true) <= CLOSE * width).sum())


def by_rank(shown: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return the quantiles of a sample at each number's rank, for order kept and for order turned.

    >>> by_rank(np.array([30.0, 10, 20]), np.array([1.0, 2, 3]))[0].round(2).tolist()
    [2.67, 1.33, 2.0]
    """
    share = (np.argsort(np.argsort(shown, kind="stable"), kind="stable") + 0.5) / len(shown)
    return np.quantile(prior, share), np.quantile(prior, 1 - share)


def by_neighbours(shown: Floats, known: Floats, true: Floats) -> Floats:
    """Return numbers between those of ``known`` disguises, whose originals are ``true``.

    >>> by_neighbours(np.array([15.0, 5]), np.array([20.0, 10]), np.array([2.0, 1])).tolist()
    [1.5, 1.0]
    """
    order = np.argsort(known, kind="stable")
    between: Floats = np.interp(shown, known[order], true[order])
    return between


_on_order = partial(
    attack,
    remedy="put the numbers through a channel: order that is kept cannot be hidden",
    applies=_applies,
    real=True,
)


@_on_order("rank", needs=f"the release, and the numbers of up to {PRIOR:,} similar people")
def rank(world: World) -> Iterator[Trial]:
    """Guess numbers by their rank.

    Give each shown number the quantile of the sample that its rank says.

    Whoever tries both directions takes the better: that is what is reported.
    """
    rng = world.case.rng
    for name, true, shown, width in _columns(world):
        order = rng.permutation(len(true))
        prior, tested = order[: min(PRIOR, len(order) // 2)], order[len(order) // 2 :]
        ways = by_rank(shown[tested], true[prior])
        best = max(ways, key=lambda guesses: _near(guesses, true[tested], width))
        yield _trial(world, name, best, true[tested], true[prior], width)


@_on_order(
    "between",
    title=f"Guess numbers from {KNOWN} known ones",
    needs=f"the release, and {KNOWN} people whose numbers and rows are known",
)
def between(world: World) -> Iterator[Trial]:
    """Interpolate between the known numbers."""
    for name, true, shown, width in _columns(world):
        order = world.case.rng.permutation(len(true))
        known, others = order[:KNOWN], order[KNOWN:]
        guesses = by_neighbours(shown[others], shown[known], true[known])
        yield _trial(world, name, guesses, true[others], true[known], width)
