"""Names of strangers, fit to be shown in a report; trees show them the same way."""

from privet.tree.names import LONGEST, shown

__all__ = ["LONGEST", "letters", "shown"]


def letters(count: int) -> list[str]:
    """Return a short name for each of some things: A to Z, then numbers.

    >>> letters(28)[-3:]
    ['Z', '27', '28']
    """
    return [chr(ord("A") + place) if place < 26 else str(place + 1) for place in range(count)]
