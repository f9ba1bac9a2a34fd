"""Keys that two parties share are found wherever they differ, in either half."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.party.disguise import repeated
from privet.party.matching import _is_sorted, common, match, unique

halves = st.sampled_from([0, 1, 2, 2**63, 2**64 - 1])
keys = st.lists(st.tuples(halves, halves), unique=True, max_size=12)


def as_keys(pairs: list[tuple[int, int]]) -> NDArray[np.uint64]:
    return np.array(pairs, np.uint64).reshape(-1, 2)


@given(keys, keys)
def test_shared_keys_are_found(ours: list[tuple[int, int]], theirs: list[tuple[int, int]]) -> None:
    ours, theirs = sorted(ours), sorted(theirs)
    places, others = common(as_keys(ours), as_keys(theirs))
    shared = sorted({*ours} & {*theirs})
    assert as_keys(ours)[places].tolist() == as_keys(shared).tolist()
    assert as_keys(theirs)[others].tolist() == as_keys(shared).tolist()


@given(st.lists(st.tuples(halves, halves), max_size=5))
def test_sorted_by_both_halves(pairs: list[tuple[int, int]]) -> None:
    assert _is_sorted(as_keys(pairs)) == (pairs == sorted(pairs))


@pytest.mark.parametrize("pairs", [[(1, 2), (1, 1)], [(1, 1), (2, 3), (2, 2)], [(2, 0), (1, 5)]])
def test_what_is_out_of_order_in_one_half_is_not_sorted(pairs: list[tuple[int, int]]) -> None:
    assert not _is_sorted(as_keys(pairs))


def test_lists_of_one_length_need_not_be_one() -> None:
    places, others = common(as_keys([(1, 1), (2, 2), (4, 4)]), as_keys([(1, 1), (3, 3), (4, 4)]))
    assert (places.tolist(), others.tolist()) == ([0, 2], [0, 2])
    places, others = common(as_keys([(1, 1), (2, 2)]), as_keys([(0, 9), (2, 1), (2, 2), (3, 0)]))
    assert (places.tolist(), others.tolist()) == ([1], [2])
    places, others = common(as_keys([]), as_keys([(1, 1)]))
    assert (len(places), len(others)) == (0, 0)


def test_keys_that_are_there_twice_are_left_out_wherever_they_stand() -> None:
    """Sorted by the upper half, then by the lower one; places are those of the records."""
    sent = {
        "mixed": [(3, 5), (1, 5), (2, 5), (1, 5), (2, 4)],
        "sorted": [(1, 5), (2, 4), (2, 5), (3, 5)],
        "ends": [(0, 0), (0, 0), (5, 5), (9, 9), (9, 9), (9, 9)],
    }
    made = {name: SimpleNamespace(keys=as_keys(k), rows=len(k)) for name, k in sent.items()}
    made["none"] = SimpleNamespace(keys=None, rows=3)
    places, keys, duplicates = unique(made)  # type: ignore[arg-type]
    assert {name: one.tolist() for name, one in places.items()} == {
        "mixed": [4, 2, 0], "sorted": [0, 1, 2, 3], "ends": [2]
    }  # fmt: skip
    assert keys["mixed"].tolist() == [[2, 4], [2, 5], [3, 5]]
    assert keys["ends"].tolist() == [[5, 5]]
    assert duplicates == {"mixed": 2, "ends": 5}


def test_neighbours_that_are_equal_in_both_halves_are_repeated() -> None:
    keys = as_keys([(1, 1), (1, 2), (1, 2), (2, 2), (3, 3), (3, 3)])
    assert repeated(keys).tolist() == [False, True, True, False, True, True]
    assert repeated(as_keys([(1, 1)])).tolist() == [False]
    assert repeated(as_keys([])).tolist() == []


@given(keys, keys)
def test_the_kernel_reads_no_key_that_is_not_there(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]]
) -> None:
    """As plain Python, where reading behind the end is an error."""
    ours, theirs = sorted(ours), sorted(theirs)
    room = min(len(ours), len(theirs))
    places, others = np.empty(room, np.int64), np.empty(room, np.int64)
    count = match.function(as_keys(ours), as_keys(theirs), places, others)  # type: ignore[attr-defined]
    shared = sorted({*ours} & {*theirs})
    assert count == len(shared)
    assert [ours[place] for place in places[:count]] == shared
    assert [theirs[place] for place in others[:count]] == shared
