"""The kernel that moves records at random, beside its twin in whole numbers of any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.disguise import unrealize
from privet.errors import BugError
from privet.randomness import Randomness
from privet.release.universe import Dummy, Universe

WORDS = st.one_of(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2**31, 2**32 - 1, 0x55555555]))


def twin(cells: list[int], words: list[int], size: int) -> tuple[list[int], list[int]]:
    """T′ and what is taken, by lists: the place is the upper half of a 128-bit product."""
    taken, unreal, members = [0] * size, [0] * size, list(range(size))
    copies = left = alive = 0
    for number, cell in enumerate(cells):
        left -= 1
        if taken[cell] == copies or left < 1:
            copies, left, alive = copies + 1, left + size, size
        word = words[2 * number + 1] << 32 | words[2 * number]
        for own in (True, False):
            moved = cell if own else members[(word * alive) >> 64]
            taken[moved] += 1
            unreal[moved] += not own
            if taken[moved] == copies:  # the last one takes its place
                place, alive = members.index(moved), alive - 1
                members[place], members[alive] = members[alive], moved
        left -= 1
    return unreal, taken


@given(st.data(), st.integers(2, 7))
def test_every_record_that_is_left_is_as_likely(data: st.DataObject, size: int) -> None:
    cells = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=12))
    words = data.draw(st.lists(WORDS, min_size=2 * len(cells), max_size=2 * len(cells)))
    taken, unreal = np.zeros(size, np.int64), np.zeros(size, np.int64)
    members, where = np.arange(size), np.arange(size)
    state = np.zeros(3, np.int64)
    unrealize.unrealize_at_random(
        np.array(cells), np.array(words, np.uint32), taken, unreal, members, where, state
    )
    assert (unreal.tolist(), taken.tolist()) == twin(cells, words, size)


@pytest.mark.parametrize("pick", unrealize.PICKS)
def test_samples_may_come_in_batches(pick: unrealize.Pick) -> None:
    """Also where one stops and another goes on from what was kept, as a store does."""
    dummy = Dummy("dummy", ("yes",)) if pick == "dummy" else None
    universe = Universe(("a", "b"), (3, 2), dummy)
    real = np.flatnonzero(universe.is_real(np.arange(universe.size)))
    cells = real[np.random.default_rng(4).integers(0, len(real), 50) ** 2 % len(real)]
    with Randomness.seeded(6) as source:
        whole = unrealize.Unrealizer(universe, pick, source)
        whole.add(cells)
        parts = unrealize.Unrealizer(universe, pick, source)
        for piece in (cells[:1], cells[1:1], cells[1:7], cells[7:]):
            parts.add(piece)
        first = unrealize.Unrealizer(universe, pick, source)
        first.add(cells[:20])
        state = tuple(first.state.tolist())
        again = unrealize.Unrealizer(
            universe, pick, source, order=first.order, taken=first.taken.copy(), state=state
        )
        again.samples = 20
        again.add(cells[20:])
        assert (again.perturbing >= 0).all()
        assert again.samples == parts.samples == 50
        for one in (parts, again):
            assert one.copies == whole.copies
            assert one.state[1] == one.perturbing.sum() == whole.state[1]
        assert np.array_equal(parts.unreal, whole.unreal)
        assert np.array_equal(parts.perturbing, whole.perturbing)
        gone = np.bincount(cells[:20], minlength=universe.size)
        assert np.array_equal(first.unreal, first.taken - gone)
        if pick != "random":  # whose members stand in another order
            assert np.array_equal(again.unreal + first.unreal, whole.unreal)
        assert (again.unreal + first.unreal).sum() == 50


def test_samples_outside_the_universe_are_a_bug() -> None:
    universe = Universe(("a",), (3,))
    with Randomness.seeded(1) as source:
        made = unrealize.Unrealizer(universe, "first", source)
        made.add(np.array([0, 2, 1, 0]))
        for wrong in ([-1], [3], [0, 3], [-1, 2]):
            with pytest.raises(BugError, match="outside"):
                made.add(np.array(wrong))
    assert made.samples == 4


def test_a_store_of_random_moves_goes_on_with_what_is_left() -> None:
    """Of three kinds one is used up: members that are left stand first."""
    universe = Universe(("a",), (3,))
    with Randomness.seeded(1) as source:
        made = unrealize.Unrealizer(
            universe, "random", source, taken=np.array([2, 1, 0]), state=(2, 3, 1, 0)
        )
        assert made.state.tolist() == [2, 3, 2, 0]
        made.add(np.array([2]))
    assert made.perturbing.tolist() in ([0, 0, 1], [0, 1, 0])
