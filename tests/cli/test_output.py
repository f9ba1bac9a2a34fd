import pytest

from privet.cli.output import one_line, printable


@pytest.mark.parametrize("text", ["", "plain", "ε = 2.08, naïve", "two\nlines", "no\u00a0break"])
def test_ordinary_text_stays(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("sign", ["\x1b", "\r", "\b", "\x07", "\x9b", "\u202e", "\u2028", "\u200b"])
def test_signs_that_steer_a_terminal_are_shown(sign: str) -> None:
    shown = printable(f"a{sign}b")
    assert sign not in shown
    assert shown.isprintable()


def test_an_error_is_one_line() -> None:
    assert one_line("a\nb") == "a\\nb"
