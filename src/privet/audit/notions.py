"""Which treatment may claim which notion of privacy. What is not listed, nobody may claim.

The notions: ``epsilon`` (local differential privacy), ``gamma`` (amplification), ``posterior``
(ρ1-to-ρ2), ``entropy``, ``interval`` (how wide a stretch of numbers holds the true one) and ``k``
(how many rows are alike). A new treatment registers what it may claim beside its attacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NOTIONS", "is_readable", "may_claim", "register_notions", "words"]

NOTIONS = ("epsilon", "gamma", "posterior", "entropy", "interval", "k")

_BOUNDED = frozenset({"epsilon", "gamma", "posterior", "entropy", "interval"})
_held: dict[str, frozenset[str]] = {
    "substitution": _BOUNDED,
    "joint-substitution": _BOUNDED,
    "band": _BOUNDED,
    "flip": _BOUNDED,
    "withheld": _BOUNDED,
    "value-class": frozenset({"interval", "k"}),
    "additive-noise": frozenset({"entropy", "interval"}),
    "exact": frozenset({"k"}),
    "binary": frozenset({"interval", "k"}),
}
_readable = {"exact", "value-class", "binary"}  # what is released is the value, or its class
_words: dict[str, str] = {
    "flip": "No formal guarantee: the group is shown up to turning all of it round.",
    "withheld": "Nothing of it is released.",
    "binary": "No formal guarantee: which half of its values it lies in is plain.",
    "value-class": "No formal guarantee: which class of values it lies in is plain.",
    "additive-noise": "No finite ε: an interval holds the true value, narrower near the ends.",
    "exact": "No formal guarantee: it is plain for all to see.",
    "unbounded-noise": "No formal guarantee: it has noise, for which no bound is known.",
    "complement": "No formal guarantee: both tables together give it back.",
    "monotone": "No formal guarantee: the order of its values is plain.",
}


def register_notions(
    treatment: str, notions: Iterable[str], said: str = "", *, readable: bool = False
) -> None:
    """Say what a treatment may claim, and what is said of it where that is not ε.

    A ``readable`` one releases values, or classes of them, as they are.
    """
    held = frozenset(notions)
    unknown = sorted(held - set(NOTIONS))
    if unknown:
        message = f"there is no notion {unknown[0]!r}; there are {', '.join(NOTIONS)}"
        raise ValueError(message)
    _held[treatment] = held
    if readable:
        _readable.add(treatment)
    if said:
        _words[treatment] = said


def may_claim(treatment: str) -> frozenset[str]:
    """Return the notions a treatment may claim; none if it is not known.

    >>> sorted(may_claim("value-class"))
    ['interval', 'k']
    """
    return _held.get(treatment, frozenset())


def is_readable(treatment: str) -> bool:
    """Whether values of a treatment without a channel can be read off the release."""
    return treatment in _readable


def words(treatment: str) -> str:
    """Say in words what a treatment without a bound does not promise."""
    return _words.get(treatment, "No formal guarantee: the audit knows of none for this treatment.")
