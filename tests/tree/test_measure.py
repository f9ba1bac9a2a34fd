"""Texts that have to fit."""

import pytest

from privet.tree.measure import cut, folded_lines, width_of


def test_a_text_is_folded_at_the_last_space_that_fits_and_loses_no_word() -> None:
    text = "one two three four five"
    room = width_of("one two three four", 11)
    assert folded_lines(text, room, 11) == ("one two three four", "five")


@pytest.mark.parametrize(
    ("sign", "width"),
    [
        *((" ", 36), ("I", 36), (".", 42), ("J", 42), ("r", 50), ("!", 50), ("c", 62)),
        *(("?", 62), ("a", 68), ("T", 68), ("0", 73), ("S", 73), ("A", 78), ("#", 78)),
        *(("D", 86), ("≤", 86), ("m", 110), ("…", 110)),
        *(("é", 68), ("Å", 78), ("e\u0301", 68)),  # a letter with a mark is as wide as without
        *(("漢", 110), ("\uff21", 110), ("Ж", 110)),  # wide ones, and capitals of other scripts
        *(("ж", 90), ("½", 90), ("€", 90)),
    ],
)
def test_signs_are_as_wide_as_in_a_wide_font(sign: str, width: float) -> None:
    """Hundredths of the size in bold; a plain one is narrower."""
    assert width_of(sign, 100, bold=True) == pytest.approx(width)
    assert width_of(sign * 3, 50) == pytest.approx(width * 1.5 * 0.92)


@pytest.mark.parametrize("bold", [False, True])
def test_a_text_is_cut_where_its_room_ends(bold: bool) -> None:
    text = "some words of a text"
    whole = width_of(text, 11, bold=bold)
    assert cut(text, whole, 11, bold=bold) == text
    assert cut(text, whole - 0.01, 11, bold=bold) == "some words of a te…"
    for end in (1, 2, 3, 7):
        room = width_of(text[:end] + "…", 11, bold=bold)
        assert cut(text, room, 11, bold=bold) == text[:end] + "…"
        assert len(cut(text, room - 0.01, 11, bold=bold)) <= max(end, 2)
    assert cut(text, 0, 11, bold=bold) == "s…"  # a sign is left whatever the room
    assert cut("ab, cd", width_of("ab, …", 11, bold=bold), 11, bold=bold) == "ab…"
    assert cut("", 0, 11) == ""


def test_lines_are_folded_once() -> None:
    text = "one two three"
    whole = width_of(text, 11)
    assert folded_lines(text, whole, 11) == (text,)
    assert folded_lines(text, whole - 0.01, 11) == ("one two", "three")
    assert folded_lines(text, width_of("one two", 11), 11) == ("one two", "three")
    assert folded_lines(text, width_of("two…", 11), 11) == ("one", "two…")
    assert folded_lines("unbroken", width_of("unb…", 11), 11) == ("unb…",)
    first, second = folded_lines("a " + "m" * 9, width_of("mmm…", 11), 11)
    assert (first, second) == ("a", "mmm…")
