"""Texts that have to fit."""

from privet.tree.measure import folded_lines, width_of


def test_a_text_is_folded_at_the_last_space_that_fits_and_loses_no_word() -> None:
    text = "one two three four five"
    room = width_of("one two three four", 11)
    assert folded_lines(text, room, 11) == ("one two three four", "five")
