"""The pool of threads: who works, and what an error does."""

from __future__ import annotations

import threading

import pytest

from privet.compiled import side_by_side


def test_the_caller_does_the_first_item_itself() -> None:
    seen: dict[int, str] = {}

    def work(item: int) -> None:
        seen[item] = threading.current_thread().name

    side_by_side(work, [0, 1, 2])
    assert sorted(seen) == [0, 1, 2]
    assert seen[0] == threading.current_thread().name
    assert seen[1] != seen[0]


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_of_any_item_is_the_callers(bad: int) -> None:
    def work(item: int) -> None:
        if item == bad:
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it has no words
        side_by_side(work, [0, 1])
