"""The γ-diagonal channel: keep a value γ times as often as put any other in its place (DXZ §2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from privet.channel.base import Channel, Single
from privet.channel.card import register
from privet.coding import code_type
from privet.compiled import kernel
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel.base import Codes
    from privet.coding import Box, Floats, Ints
    from privet.randomness import Words

__all__ = [
    "MAX_BITS",
    "Diagonal",
    "Gamma",
    "GammaDiagonal",
    "check_bits",
    "check_gamma",
    "check_size",
]

Gamma: TypeAlias = "int | float | Fraction"

MAX_BITS = 32
LEAST_OFF = 1 << 17  # words per value, from which on half a word is enough to guess a quotient


def check_gamma(gamma: object, where: str) -> Fraction:
    """Return γ exactly as given; it must be a finite number above 1."""
    if isinstance(gamma, int | float | Fraction) and not isinstance(gamma, bool):
        finite = not isinstance(gamma, float) or math.isfinite(gamma)
        if finite and gamma > 1:
            return Fraction(gamma)
    message = f"{where}: gamma must be a finite number above 1."
    hint = "5 to 12 is usual; the smaller, the more private; to release as is, use 'exact'."
    raise PlanError(message, hint=hint)


def check_size(size: int, where: str) -> None:
    """Check that there are two values at least."""
    if size < 2:
        message = f"{where} has a single value: there is nothing to put in its place."
        hint = "leave it out of the schema, or release it as 'exact' or 'withheld' by a plan; "
        raise PlanError(message, hint=hint + "cut a number into more bins.")


def check_bits(bits: int, where: str, least: int = 1) -> None:
    """Check how many bits a word has."""
    if not least <= bits <= MAX_BITS:
        raise PlanError(f"{where}: bits must be from {least} to {MAX_BITS}.")


@kernel
def substitute(codes: Codes, words: Words, off: int, diagonal: int, out: Codes) -> int:
    """Write the substitute of each code; return the largest code met.

    A word w stands for r = (w + 1) / 2**bits; the substitute is the first h whose cumulated
    column reaches r. The three cases (before, at and behind the diagonal) become one division,
    x // off, and that one a multiplication: the guess is x // off or one less, never more.
    """
    width = np.uint64(off)
    kept = np.uint64(diagonal)
    inverse = np.uint64(0x100000000) // width
    shift = np.uint64(32)
    top = np.uint64(0)
    for i in range(len(codes)):
        code = np.uint64(codes[i])
        top = max(top, code)
        word = np.uint64(words[i])
        begin = code * width
        x = word if word < begin else (begin if word < begin + kept else word + width - kept)
        guess = (x * inverse) >> shift
        out[i] = guess + np.uint64(x - guess * width >= width)
    return int(top)


@kernel
def substitute_few(codes: Codes, words: Words, off: int, diagonal: int, out: Codes) -> int:
    """Do what ``substitute`` does for at most 256 values and ``off >= LEAST_OFF``, many at once.

    Every number has 32 bits, so that a processor's vectors hold eight of them. A word before the
    code's own stretch leads to ``first``, w // off; behind it to ``second``, what is left of w
    after ``diagonal - off`` more, over off; inside, it keeps the code, which then lies between the
    two. So the substitute is the middle one of the three, whichever case it is. ``second`` follows
    from ``first`` and its remainder; it may be below zero, so a ``bias`` is added meanwhile.

    The division is guessed from the upper half of w: that takes less than 2**16 from it, which is
    off / 2 at most, and the inverse is short by less than one part in 2**15, so the guess is again
    w // off or one less, never more.
    """
    power = 0
    while off >> (power + 1):
        power += 1
    width = np.uint32(off)
    inverse = np.uint32((1 << (power + 16)) // off)
    bias = np.uint32((diagonal - off) // off + 1)
    rest = np.uint32((diagonal - off) % off)
    top = np.uint32(0)
    for i in range(len(codes)):
        code = np.uint32(codes[i])
        top = np.uint32(max(top, code))
        word = words[i]
        # The mask shows the compiler that the shift stays below 32.
        guess = np.uint32(np.uint32((word >> np.uint32(16)) * inverse) >> np.uint32(power & 31))
        left = np.uint32(word - np.uint32(guess * width))
        remainder = np.uint32(min(left, np.uint32(left - width)))  # below zero is very large
        first = np.uint32(guess + np.uint32(left >= width))
        second = np.uint32(first + np.uint32(remainder >= rest))
        lifted = np.uint32(code + bias)
        least = np.uint32((lifted if lifted > second else second) - bias)  # noqa: FURB136 - faster
        out[i] = first if first < least else least  # noqa: FURB136
    return int(top)


class Diagonal(Channel):
    """What γ-diagonal channels share, over one attribute's values or a group's joint ones.

    The two integers of a column are ``off`` = ⌈2**bits / (γ + N − 1)⌉ for another value and
    ``diagonal``, the rest, for the value itself: their ratio is never above γ.
    """

    gamma: Gamma
    bits: int

    def _check(self, where: str) -> None:
        """Validate the numbers of the channel."""
        check_gamma(self.gamma, where)
        check_size(self.input_size, where)
        check_bits(self.bits, where)
        if self.diagonal <= self.off:
            message = f"{where}: gamma is so near 1 that, for {self.input_size} values, "
            message += f"words of {self.bits} bits cannot tell it from 1."
            raise PlanError(message, hint="use a larger gamma or fewer bins, or withhold it.")

    @cached_property
    def off(self) -> int:
        """How many of the ``2**bits`` words lead to each other value."""
        return math.ceil(Fraction(self.scale) / (Fraction(self.gamma) + self.input_size - 1))

    @cached_property
    def diagonal(self) -> int:
        """How many of the ``2**bits`` words keep the value."""
        return self.scale - (self.input_size - 1) * self.off

    def _draw(self, codes: Codes, words: Words, out: Codes) -> int:
        few = self.input_size <= 256 and self.off >= LEAST_OFF
        work = substitute_few if few else substitute
        return work(codes, words, self.off, self.diagonal, out)

    def _matrix(self) -> Ints:
        matrix = np.full((self.input_size, self.input_size), self.off, np.int64)
        np.fill_diagonal(matrix, self.diagonal)
        return matrix

    # Closed forms. The matrix over 2**bits is λI + off/2**bits, λ = (diagonal − off)/2**bits.

    def inverse(self) -> Floats:
        """Return the inverse: (2**bits [v = u] − off) / (diagonal − off)."""
        self.matrix()  # refuses what is too large
        same = np.eye(self.input_size) * self.scale
        return (same - self.off) / (self.diagonal - self.off)

    def weights(self, event: Box) -> Floats:
        """Return (2**bits [u in event] − off |event|) / (diagonal − off), as DXZ's inverse says."""
        inside = self.event(event)
        # Whole numbers below 2**53 until the one division.
        hits = inside.astype(np.float64) * self.scale - self.off * int(inside.sum())
        return hits / (self.diagonal - self.off)

    def levels(self) -> tuple[float, float, int]:
        """Return the two probabilities; only the value itself is near."""
        return self.off / self.scale, self.diagonal / self.scale, 1

    def amplification(self) -> Fraction:
        """Return diagonal / off, which is at most γ."""
        return Fraction(self.diagonal, self.off)

    def entropy(self, prior: Sequence[float] | None = None) -> float:
        """Return the entropy of a column in bits; all columns have the same, whatever the prior."""
        del prior
        keep, other = self.diagonal / self.scale, self.off / self.scale
        return -keep * math.log2(keep) - (self.input_size - 1) * other * math.log2(other)

    def condition(self) -> float:
        """Return 1/λ."""
        return self.scale / (self.diagonal - self.off)


@register
@dataclass(frozen=True)
class GammaDiagonal(Single, Diagonal):
    """Substitute a value of ``attribute`` by any other; itself is γ times as likely as each.

    Protects the attribute by ε = ln γ, for anyone, whatever they know.

    >>> channel = GammaDiagonal("outlook", 3, 3)
    >>> channel.off, channel.diagonal
    (858993460, 2576980376)
    >>> float(channel.amplification())
    2.99999999...
    """

    kind: ClassVar[str] = "gamma-diagonal"
    card: ClassVar[tuple[str, ...]] = ("attribute", "size", "bits", "off", "diagonal", "gamma")

    attribute: str
    size: int
    gamma: Gamma
    bits: int = MAX_BITS

    def __post_init__(self) -> None:
        code_type(self.size)
        self._check(f"Attribute {self.attribute!r}")

    @property
    def inputs(self) -> tuple[int, ...]:
        """The size of its domain."""
        return (self.size,)
