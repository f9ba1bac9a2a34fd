"""Which treatment may claim which notion of privacy. What is not listed, nobody may claim.

The notions: ``epsilon`` (local differential privacy), ``gamma`` (amplification), ``posterior``
(ρ1-to-ρ2), ``entropy``, ``interval`` (how wide a stretch holds the true number) and ``k``
(how many rows are alike). A new treatment registers what it may claim beside its attacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.release.treatments import Meaning, meaning, register_meaning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privet.release import Release

__all__ = [
    "NOTIONS",
    "ONE_VALUE",
    "constant",
    "is_readable",
    "may_claim",
    "register_notions",
    "words",
]

NOTIONS = ("epsilon", "gamma", "posterior", "entropy", "interval", "k")

ONE_VALUE = "It has one value in all records, and so discloses nothing of any."

_BOUNDED = frozenset({"epsilon", "gamma", "posterior", "entropy", "interval"})
_notions: dict[str, frozenset[str]] = {
    "substitution": _BOUNDED,
    "joint-substitution": _BOUNDED,
    "band": _BOUNDED,
    "flip": _BOUNDED,
    "unrelated-question": _BOUNDED,
    "withheld": _BOUNDED,
    "value-class": frozenset({"interval", "k"}),
    "additive-noise": frozenset({"entropy", "interval"}),
    "exact": frozenset({"k"}),
    "binary": frozenset({"interval", "k"}),
}
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
    treatment: str, notions: Iterable[str], said: str = "", *, readable: bool = True
) -> None:
    """Say what a treatment may claim, and what is said of it where that is not ε.

    One that is not ``readable`` changes values by other means than a channel.

    >>> register_notions("exact", ["k"], "No formal guarantee: it is plain for all to see.")
    >>> sorted(may_claim("exact"))
    ['k']
    """
    kept = frozenset(notions)
    unknown = sorted(kept - set(NOTIONS))
    if unknown:
        message = f"there is no notion {unknown[0]!r}; there are {', '.join(NOTIONS)}"
        raise ValueError(message)
    _notions[treatment] = kept
    if not readable:
        register_meaning(treatment, Meaning(readable=False, formal=False, said=""))
    if said:
        _words[treatment] = said


def may_claim(treatment: str) -> frozenset[str]:
    """Return the notions a treatment may claim; none if it is not known.

    >>> sorted(may_claim("value-class"))
    ['interval', 'k']
    """
    return _notions.get(treatment, frozenset())


def is_readable(treatment: str) -> bool:
    """Whether a column without a channel can be read off the release, whatever it is called."""
    return meaning(treatment).readable


def constant(release: Release) -> frozenset[str]:
    """Return the attributes that can take a single value only, as made so by k-anonymity.

    It is the domain that counts, not the records: the card shows it, and no record changes it.
    """
    codings = [release.codings_of(part) for part in release.parts]
    return frozenset(
        name
        for name in release.schema.names
        if all((coding := known.get(name)) is not None and coding.size == 1 for known in codings)
    )


def words(treatment: str) -> str:
    """Say in words what a treatment without a bound does not promise."""
    return _words.get(treatment, "No formal guarantee: the audit knows of none for this treatment.")
