"""Keys that two parties share are found wherever they differ, in either half."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.party.matching import _is_sorted, common

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
