"""Guessing one value from its disguise: the best guess there is, attribute by attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World
    from privet.coding import Floats, Ints


__all__ = ["best_guess", "guess", "has_channels", "success"]


def has_channels(case: Case) -> str:
    """Say why there is nothing hidden to attack, if so."""
    if not case.hidden:
        return "nothing in the release went through a channel that can be written out"
    return "" if case.truth else "the release has parts that only belong together"


def best_guess(shares: Floats, law: Floats) -> Ints:
    """Return for each output the likeliest original: the first x with the largest π_x M[y, x]."""
    best: Ints = np.argmax(law * shares, axis=1)
    return best


def success(shares: Floats, law: Floats) -> float:
    """Return how often the best guess is right: Σ_y max_x π_x M[y, x].

    >>> success(np.array([0.5, 0.5]), np.array([[0.75, 0.25], [0.25, 0.75]]))
    0.75
    """
    return float((law * shares).max(axis=1).sum())


@attack("guess", applies=has_channels)
def guess(world: World) -> Iterator[Trial]:
    """Best guess of one value from its own disguise.

    Needs: the release, its card, and how common each value is.
    Remedy: a smaller γ for this attribute, or withhold it.

    Guess the likeliest original of every released value.
    """
    case = world.case
    for group in case.hidden:
        shares, law = case.shares(group), world.law(group)
        guesses = best_guess(shares, law)
        hits = int((guesses[world.draw(group)] == case.truth[group.about]).sum())
        expected = success(shares, law)
        if world.kind == "independent":
            expected = float((law @ shares) @ shares[guesses])
        yield Trial.counted(group.about, hits, case.rows, float(shares.max()), expected=expected)
