"""Complementation: one of the two tables, whole, and what it tells without the other.

What T^P lacks of the universe was collected, or moved to T′ with a sample: as many records of
each. With dummies only dummies move, so what it lacks of the rest was collected. Without them the
attacker has to share out what it lacks:

- *evenly*, as if every record were as likely to move;
- or *by level*: the picks that go from copy to copy move what is there most often, so records that
  T^P lacks least moved, and those that it lacks most were collected;
- or by level and *in order*: the pick ``first`` goes through the universe from its beginning.

T′ alone has few of the records that were collected most, where these were no longer there to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.complement import on_tables, recovered, scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from privet.audit.attacks.base import Trial
    from privet.audit.world import World
    from privet.coding import Ints

    Counts = Ints

__all__ = ["from_lacking", "from_moved", "one_table"]

PERTURBING, UNREAL = "record (T^P)", "record (T′)"


@on_tables("one-table")
def one_table(world: World) -> Iterator[Trial]:
    """Guess all records from one table alone.

    Needs: T^P or T′, whole, the pick, and the number of copies, mostly the largest count of T^P.
    Remedy: let nobody read a whole table; a channel protects from someone who can.

    Share out what T^P lacks, in the way that suits the pick; or see what T′ lacks.
    """
    universe, collected, _ = scene(world)
    real = np.flatnonzero(universe.is_real(np.arange(universe.size)))
    unreal, lacking = (universe.collected([part]) for part in world.case.release.parts)
    moved, lacking = universe.copies - unreal, lacking[real]
    rng = world.case.rng
    ways = [lacking] if universe.dummy is not None else from_lacking(lacking, rng)
    best = max(ways, key=lambda way: int(np.minimum(way, collected[real]).sum()))
    other = from_moved(moved[real], int(moved.sum()), rng)
    for about, guess in ((PERTURBING, best), (UNREAL, other)):
        counts = np.zeros(universe.size, np.int64)
        counts[real] = guess
        detail = _likeness(guess, collected[real])
        yield recovered(world, universe, counts, collected, about=about, detail=detail)


def from_lacking(lacking: Counts, rng: Generator) -> list[Counts]:
    """Return guesses of what was collected, given what T^P lacks of a universe without dummies.

    >>> rng = np.random.default_rng(1)
    >>> [guess.tolist() for guess in from_lacking(np.array([1, 1, 4, 0]), rng)]
    [[0, 0, 3, 0], [0, 0, 3, 0], [0, 0, 3, 0]]
    """
    total = int(lacking.sum()) // 2
    level = int(lacking.min())
    reached = np.arange(len(lacking)) < int(lacking.argmin())  # in the order of the universe
    return [
        shared(lacking, total, rng),
        _less_moved(lacking, np.minimum(lacking, level + 1), total, rng),
        _less_moved(lacking, level + reached.astype(np.int64), total, rng),
    ]


def from_moved(moved: Counts, total: int, rng: Generator) -> Counts:
    """Return a guess of what was collected, given what T′ holds: the less, the more.

    >>> from_moved(np.array([2, 2, 0, 2]), 6, np.random.default_rng(1)).tolist()
    [1, 1, 3, 1]
    """
    return shared(-moved, total, rng)


def _less_moved(lacking: Counts, most: Counts, total: int, rng: Generator) -> Counts:
    """Take away what moved: at most so many of each, first of those that T^P lacks least."""
    order = np.lexsort((rng.permutation(len(lacking)), lacking, lacking - most))
    moved = np.empty_like(lacking)
    before = np.cumsum(most[order]) - most[order]
    moved[order] = np.clip(total - before, 0, most[order])
    return shared(lacking - moved, total, rng)


def shared(scores: Counts, total: int, rng: Generator) -> Counts:
    """Return whole numbers of a sum that are nearest to scores, all of them moved alike.

    Of those that are as near, which are rounded up is drawn.

    >>> shared(np.array([5, 1, 0]), 5, np.random.default_rng(1)).tolist()
    [5, 0, 0]
    """
    highest = np.sort(scores)[::-1]
    moves = (np.cumsum(highest) - total) / np.arange(1, len(scores) + 1)
    move = moves[np.flatnonzero(highest > moves)[-1]]
    guess = np.clip(scores - move, 0, None)
    whole: Counts = np.floor(guess + 1e-9).astype(np.int64)
    short = total - int(whole.sum())
    whole[np.lexsort((rng.permutation(len(whole)), whole - guess))[:short]] += 1
    return whole


def _likeness(guess: Counts, truth: Counts) -> str:
    """Say how far guessed counts go with the true ones."""
    if guess.min() == guess.max() or truth.min() == truth.max():
        return ""
    return f"guessed and collected counts correlate by {np.corrcoef(guess, truth)[0, 1]:.2f}"
