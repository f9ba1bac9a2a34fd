"""Names for people: not longer than they can be read, and nothing in them that moves the text."""

import pytest

from privet.tree.names import shown


@pytest.mark.parametrize("length", [0, 1, 39, 40])
def test_a_name_of_forty_signs_is_whole(length: int) -> None:
    assert shown("x" * length) == "x" * length


@pytest.mark.parametrize("length", [41, 42, 90])
def test_a_longer_one_is_cut_to_forty(length: int) -> None:
    assert shown("x" * length) == "x" * 39 + "…"


def test_signs_that_cannot_be_seen_are_numbers() -> None:
    assert shown("a\tb\u200bc", 5) == "a\\tb\\u200bc"
    assert shown("a\tbcdef", 4) == "a\\tb…"
    assert shown(7) == "7"
