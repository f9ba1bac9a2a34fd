"""Channels on a card: each kind by its word, each number exactly as it is drawn from.

A kind is known by being a file of this room.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from privet.errors import PrivetError, ReleaseError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privet.channel.base import Channel

__all__ = ["KINDS", "read_channel", "read_exactly", "read_fields", "register", "written"]

KINDS: dict[str, type[Channel]] = {}  # by the word for them on cards
Kind = TypeVar("Kind", bound="type[Channel]")
Made = TypeVar("Made", bound="Channel")

_NAMES = {"names": "attributes"}  # what a field is called on cards, where that is another word
_FRACTIONS = ("gamma", "theta")  # fields that may be fractions; a card has those as text


def register(kind: Kind) -> Kind:
    """Make a kind of channel known to the readers of cards."""
    KINDS[kind.kind] = kind
    return kind


def read_channel(form: Mapping[str, Any]) -> Channel:
    """Read a channel from a card, checking that its integers are what they claim to be."""
    try:
        if form["kind"] not in KINDS:
            _import_kinds()
        kind = KINDS[form["kind"]]
    except (KeyError, TypeError):
        message = "The card has a kind of channel that this version does not know; "
        message += f"it knows {', '.join(KINDS)}."
        raise ReleaseError(message, hint="upgrade privet.") from None
    return kind.from_dict(form)


def _import_kinds() -> None:
    """Import every file of this room, so that all kinds register."""
    from privet import channel

    for module in pkgutil.iter_modules(channel.__path__):
        importlib.import_module(f"{channel.__name__}.{module.name}")


def read_exactly(form: Mapping[str, Any], make: Callable[[], Made]) -> Made:
    """Return the channel that ``make`` makes, if it is on a card just as ``form`` does."""
    try:
        channel = make()
        same = channel.to_dict() == form
    except (KeyError, TypeError, ValueError, ArithmeticError, PrivetError):
        same = False
    if not same:
        message = "A channel on the card has numbers that do not belong together."
        raise ReleaseError(message, hint="ask the owner for the release again.")
    return channel


def written(value: Any) -> Any:
    """Return a value as a card has it: tuples as lists, fractions as text.

    >>> written(((1, 2), (3, 4))), written(Fraction(7, 2))
    ([[1, 2], [3, 4]], '7/2')
    """
    if isinstance(value, tuple):
        return [written(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value


def read_fields(kind: type[Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that make a channel of a kind, from what ``written`` made of them."""
    arguments = {}
    for field in fields(kind):
        value = form[_NAMES.get(field.name, field.name)]
        if isinstance(value, list):
            value = tuple(tuple(part) if isinstance(part, list) else part for part in value)
        elif isinstance(value, str) and field.name in _FRACTIONS:
            value = Fraction(value)
        arguments[field.name] = value
    return arguments
