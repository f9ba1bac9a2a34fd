"""Unrealizing samples: from the first on, what is kept was never collected (Fong, Figure 5-1).

The perturbing set T^P is what remains of some copies of the universe, so a cell's count in it is
the number of copies less what was taken of the cell: as a sample, or moved to the unreal set T′.
Adding a copy is then adding 1 to a number.

A copy is used up before the next: records of T^P stand in the order in which copies were added,
and each time one of a cell is taken, it is that of the oldest copy. A cell of which ``taken``
records are gone is therefore left in the copies behind ``taken``, and the first record of T^P is
always one of the most frequent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privet.compiled import kernel
from privet.errors import BugError, PlanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Ints
    from privet.randomness import Randomness
    from privet.release.universe import Universe

    Cells = Ints

__all__ = ["PICKS", "Unrealizer", "check_pick", "places"]

Pick = Literal["first", "random", "most-frequent", "dummy"]
PICKS: tuple[Pick, ...] = ("first", "random", "most-frequent", "dummy")
WORDS = 2  # random words per sample


@kernel
def count_sample(taken: int, copies: int, left: int, size: int) -> tuple[int, int, bool]:
    """Take a sample's own record away from T^P, of whose cell ``taken`` records are gone.

    Returns the number of copies and the size of T^P behind it, and whether T^P held that very
    record and nothing else. Where it holds no such record, or no other, a copy of the universe is
    added first (Fong, Figure 5-1).
    """
    there = taken < copies
    if there and left > 1:
        return copies, left - 1, False
    return copies + 1, left + size - 1, there


@kernel
def unrealize_in_order(
    cells: Cells, order: Cells, taken: Cells, unreal: Cells, state: Cells
) -> None:
    """Unrealize samples, moving the record of the oldest copy that comes first in ``order``.

    ``state`` holds the number of copies, the size of T^P, the oldest copy that may have records
    left and the place in ``order`` to look at next. Copy and place only ever grow, so a sample
    costs a constant on average.
    """
    copies, left, oldest, place = state[0], state[1], state[2], state[3]
    for cell in cells:
        copies, left, alone = count_sample(taken[cell], copies, left, len(taken))
        taken[cell] += 1
        left -= 1
        if alone:  # it is older than all that was added now
            unreal[cell] += 1
            taken[cell] += 1
            continue
        while taken[order[place]] >= oldest:
            place += 1
            if place == len(order):
                place = 0
                oldest += 1
        moved = order[place]
        unreal[moved] += 1
        taken[moved] += 1
    state[0], state[1], state[2], state[3] = copies, left, oldest, place


@kernel
def drop_member(members: Cells, where: Cells, alive: int, cell: int) -> int:
    """Put a cell behind those of which T^P still has records; return how many these are."""
    last = members[alive - 1]
    at = where[cell]
    members[at], where[last] = last, at
    members[alive - 1], where[cell] = cell, alive - 1
    return alive - 1


@kernel
def unrealize_at_random(
    cells: Cells,
    words: NDArray[np.uint32],
    taken: Cells,
    unreal: Cells,
    members: Cells,
    where: Cells,
    state: Cells,
) -> None:
    """Unrealize samples, moving a record of T^P each of whose cells is equally likely.

    The first ``state[2]`` of ``members`` are the cells that T^P has records of; ``where`` is the
    inverse.
    """
    copies, left, alive = state[0], state[1], state[2]
    for i in range(len(cells)):
        cell = cells[i]
        before = copies
        copies, left, _ = count_sample(taken[cell], copies, left, len(taken))
        if copies > before:
            alive = len(taken)
        taken[cell] += 1
        if taken[cell] == copies:
            alive = drop_member(members, where, alive, cell)
        count = np.uint64(alive)
        low = (np.uint64(words[2 * i]) * count) >> np.uint64(32)
        moved = members[np.int64((np.uint64(words[2 * i + 1]) * count + low) >> np.uint64(32))]
        unreal[moved] += 1
        taken[moved] += 1
        left -= 1
        if taken[moved] == copies:
            alive = drop_member(members, where, alive, moved)
    state[0], state[1], state[2] = copies, left, alive


def check_pick(pick: object) -> None:
    """Refuse an unknown pick."""
    if pick not in PICKS:
        raise PlanError(f"There is no such pick; there are {', '.join(map(repr, PICKS))}.")


def places(universe: Universe, pick: Pick, source: Randomness) -> Cells:
    """Return the cells that may be moved to T′, in the order in which they are tried."""
    if pick == "most-frequent":
        return source.permutation(0, universe.size).astype(np.int64)
    cells = np.arange(universe.size)
    return cells[~universe.is_real(cells)] if pick == "dummy" else cells


class Unrealizer:
    """Samples in, T′ and T^P kept: ``unreal`` and ``perturbing`` count them by cell.

    ``pick`` says which record of T^P moves to T′ when a sample comes: ``first`` (the thesis: the
    oldest, in the order of the universe), ``most-frequent`` (the same in an order drawn at
    random), ``random``, or ``dummy`` (the first dummy).
    """

    def __init__(
        self,
        universe: Universe,
        pick: Pick,
        source: Randomness,
        *,
        order: Cells | None = None,
        taken: Cells | None = None,
        state: tuple[int, int, int, int] = (0, 0, 1, 0),
    ) -> None:
        self.universe = universe
        self.pick = pick
        self.source = source
        self.order = places(universe, pick, source) if order is None else order
        self.taken = np.zeros(universe.size, np.int64) if taken is None else taken
        self.unreal = np.zeros(universe.size, np.int64)
        self.state = np.array(state, np.int64)
        self.samples = 0
        self._members: tuple[Cells, Cells] | None = None
        if pick == "random":
            alive = self.taken < state[0]
            members = np.concatenate([np.flatnonzero(alive), np.flatnonzero(~alive)])
            where = np.empty_like(members)
            where[members] = np.arange(len(members))
            self._members = members, where
            self.state[2] = int(alive.sum())

    @property
    def copies(self) -> int:
        """How many times the universe was added: the thesis' q."""
        return int(self.state[0])

    @property
    def perturbing(self) -> Cells:
        """How many records of each cell T^P holds."""
        return self.copies - self.taken

    def add(self, cells: Cells) -> None:
        """Unrealize samples, given by their cells, in this order."""
        if len(cells) and not (cells.min() >= 0 and cells.max() < self.universe.size):
            raise BugError("a sample lies outside the universe")
        if self._members is not None:
            words = self.source.words(0, WORDS * self.samples, WORDS * len(cells))
            unrealize_at_random(cells, words, self.taken, self.unreal, *self._members, self.state)
        else:
            unrealize_in_order(cells, self.order, self.taken, self.unreal, self.state)
        self.samples += len(cells)

    def tables(self) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Return T′ and T^P, each as distinct records with how often they are there."""
        return self.universe.table(self.unreal), self.universe.table(self.perturbing)
