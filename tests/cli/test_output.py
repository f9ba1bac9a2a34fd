import json

import pytest

from privet.cli.output import json_text, one_line, printable


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


def test_json_shows_control_signs_as_numbers() -> None:
    text = json_text({"a\x9b": "\u202e\x1b\U000e0001é\n"})
    assert text == '{"a\\u009b": "\\u202e\\u001b\\udb40\\udc01é\\n"}'
    assert json.loads(text) == {"a\x9b": "\u202e\x1b\U000e0001é\n"}
