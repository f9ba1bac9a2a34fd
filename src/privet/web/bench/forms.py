"""What pages send, taken at its word only if it is of the right kind: texts, numbers, names.

>>> whole_of({"depth": "4"}, "depth", 1, 30)
4
>>> names_of({"attacks": ["guess", "none"]}, "attacks", {"guess": 1})
['guess']
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

__all__ = ["names_of", "text_of", "visible", "whole_of"]

_DIGITS = 19  # of a whole number: more than any that is asked for


def text_of(form: Mapping[str, Any], name: str, default: str = "") -> str:
    """Return a text, without blanks round it."""
    given = form.get(name, default)
    return str(given).strip() if isinstance(given, str | int | float) else default


def whole_of(form: Mapping[str, Any], name: str, low: int, high: int) -> int | None:
    """Return a whole number, None where nothing was entered."""
    text = text_of(form, name)
    if not text:
        return None
    if not text.isdecimal() or len(text) > _DIGITS or not low <= int(text) <= high:
        raise InputError(f"The {name} is a whole number from {low} to {high}.")
    return int(text)


def names_of(form: Mapping[str, Any], name: str, known: Container[str]) -> list[str]:
    """Return those of the names that were ticked which are known."""
    given = form.get(name)
    ticked = given if isinstance(given, list) else []
    return [word for word in ticked if isinstance(word, str) and word in known]


def visible(text: str, kept: str = "\n\t") -> str:
    r"""Return a text in which control and direction signs are told by number, but for some.

    >>> visible("a\x1b[2J\u202eb")
    'a\\u001b[2J\\u202eb'
    """
    if text.isprintable():
        return text
    return "".join(
        sign
        if sign.isprintable() or sign in kept or unicodedata.category(sign) == "Zs"
        else f"\\u{ord(sign):04x}"
        if ord(sign) < 0x10000
        else f"\\U{ord(sign):08x}"
        for sign in text
    )
