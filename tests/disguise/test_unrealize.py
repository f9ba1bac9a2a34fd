"""The kernel that moves records at random, beside its twin in whole numbers of any size."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.disguise import unrealize

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
