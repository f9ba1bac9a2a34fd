"""The words of a card for what was done to an attribute that went through no channel.

A reader of a card knows no owner's method, only these words. What went through a channel speaks by
the channel's own numbers, and a word that is not here means that a value is plain.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMPLEMENT", "UNBOUNDED", "WITHHELD", "Meaning", "meaning", "register_meaning"]

WITHHELD = "withheld"  # of what is not there
COMPLEMENT = "complement"  # of records that were taken away from a universe
UNBOUNDED = "unbounded-noise"  # of noise for which no bound is known


@dataclass(frozen=True)
class Meaning:
    """What a word says to whoever reads a card.

    ``readable`` values, or classes of them, stand in the release. Where they are not and no channel
    speaks for them, no ``formal`` guarantee is left for the record. ``said`` goes on after "is
    released"; nothing, if a method's own notes tell.
    """

    readable: bool = True
    formal: bool = True
    said: str = "exactly: plain for all to see."


_meanings: dict[str, Meaning] = {}


def register_meaning(word: str, meaning: Meaning) -> None:
    """Give a word a meaning."""
    _meanings[word] = meaning


def meaning(word: str) -> Meaning:
    """Return what a word means; a word without a meaning says that values are plain.

    >>> meaning("monotone").readable, meaning("exact").readable, meaning("who knows").readable
    (False, True, True)
    """
    return _meanings.get(word, Meaning())


register_meaning("value-class", Meaning(said="as a value class: which class, is plain."))
register_meaning(
    "monotone",
    Meaning(
        readable=False,
        formal=False,
        said="through a secret function that keeps order: the order is plain, and a few known "
        "values, or a similar sample, give most others away.",
    ),
)
register_meaning(COMPLEMENT, Meaning(readable=False, formal=False, said=""))
register_meaning(UNBOUNDED, Meaning(readable=False, formal=False, said=""))
