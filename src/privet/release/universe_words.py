"""What the two tables of a complement disclose, and what they hide, in words for its card."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privet.release.universe import Universe

__all__ = ["alone", "as_told_before", "notes"]

_BOTH = (
    "Both tables together give every collected record back, exactly: complementation protects "
    "only from someone who gets some of their rows, not from someone who gets a whole table."
)
_ALL = (
    "T^P alone gives every collected record back too: among the records that are no dummies it "
    "lacks just those that were collected."
)
_MANY = (
    "T^P alone is enough to guess many collected records, and T′ alone may be enough to guess "
    "some: the attack 'one-table' of privet audit measures how many."
)
_EACH = "One row of each table for the same record"
_MOMENTS = "Whoever sees the tables before and after an insert sees what was inserted."

_BOTH_BEFORE = (  # on cards from before the attack with one table was known
    "Both tables together give every collected record back, exactly: complementation protects "
    "only from someone who gets a part of them."
)


def alone(universe: Universe) -> str:
    """Say what one of the two tables discloses without the other."""
    return _MANY if universe.dummy is None else _ALL


def notes(universe: Universe) -> tuple[str, ...]:
    """Say what the two tables disclose, and what they hide."""
    said = (_BOTH, alone(universe), _row(universe, _rows(universe)), _MOMENTS)
    if universe.dummy is None:
        return said
    return (
        *said,
        (
            f"Dummy records are recognisable by {universe.dummy.attribute!r}: leave them out, and "
            "the rest matches collected records more often."
        ),
    )


def _rows(universe: Universe) -> str:
    return _EACH if universe.dummy is None else "One row of T^P"


def _row(universe: Universe, which: str) -> str:
    copies = f" ({universe.copies:,})" if universe.copies else ""
    return f"{which}, with the number of copies{copies}, tells how often that record was collected."


def as_told_before(universe: Universe, told: Iterable[str]) -> tuple[str, ...]:
    """Return notes as cards had them that were written before ``one-table`` was known.

    Such releases still load; what is said of them are the notes of now.
    """
    before = {_BOTH: _BOTH_BEFORE, _row(universe, _rows(universe)): _row(universe, _EACH)}
    return tuple(before.get(note, note) for note in told if note not in (_ALL, _MANY))
