"""Unrealizing as the thesis writes it, on plain lists, and its tables: what must come out."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

Record = tuple[str, ...]
T = TypeVar("T")

UNIVERSE: list[Record] = [
    (outlook, humidity, wind, play)
    for outlook in ("Sunny", "Overcast", "Rain")
    for humidity in ("High", "Normal")
    for wind in ("Strong", "Weak")
    for play in ("Yes", "No")
]
# Tables 5-9 and 5-10 by the numbers of table 5-1; those of 5-10 in two copies.
UNREAL = [1, 3, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 17, 20]
PERTURBING = [21, 24, 1, 2, 3, 6, 8, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 24]


def table(numbers: Sequence[int]) -> Counter[Record]:
    """Return the records of some numbers."""
    return Counter(UNIVERSE[number - 1] for number in numbers)


def unrealize(
    samples: Sequence[T], universe: Sequence[T], choose: Callable[[list[T]], T] | None = None
) -> tuple[list[T], list[T], int]:
    """Return T′, T^P and the number of copies, by figure 5-1; the first of T^P moves by default."""
    unreal: list[T] = []
    perturbing: list[T] = []
    copies = 0
    for sample in samples:
        if sample in perturbing and len(perturbing) > 1:
            perturbing.remove(sample)
        else:
            perturbing += [record for record in universe if record != sample]
            copies += 1
        moved = perturbing[0] if choose is None else choose(perturbing)
        perturbing.remove(moved)
        unreal.append(moved)
    return unreal, perturbing, copies
