"""The band channel for ordered attributes: near values are likelier than far ones, at the same γ.

A γ-diagonal channel throws order away. Here the outputs are the cells 1−b … N+b, and each of those
within b cells of the value is γ times as likely as each of the others; all columns have the same
two probabilities, so the amplification is γ still. It is the square wave of the local-privacy
literature on a grid. It has more outputs than inputs: it is estimated by EM, not by inversion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.channel.base import Single
from privet.channel.card import register
from privet.channel.gamma_diagonal import MAX_BITS, check_bits, check_gamma, check_size
from privet.coding import code_type
from privet.compiled import kernel
from privet.errors import PlanError

if TYPE_CHECKING:
    from privet.channel.base import Codes
    from privet.channel.gamma_diagonal import Gamma
    from privet.coding import Ints
    from privet.randomness import Words

__all__ = ["Band", "half_width"]


def half_width(size: int, gamma: float) -> int:
    """Return the b that tells most about a value of ``size`` cells (Li and others, 2020).

    >>> half_width(24, 8)
    2
    """
    epsilon = math.log(gamma)
    if epsilon < 0.01:  # the formula's limit: its terms cancel near γ = 1
        return int(size * (0.5 - epsilon / 3))
    if gamma > 2.0**53:  # the other limit, before products overflow
        return 0
    share = (epsilon * gamma - gamma + 1) / (2 * gamma * (gamma - 1 - epsilon))
    return int(size * share)


@kernel
def draw_band(
    codes: Codes, words: Words, low: int, high: int, width: int, extra: int, inputs: int, out: Codes
) -> int:
    """Write the output of each code, the first whose cumulated column reaches the word."""
    top = np.int64(0)
    for i in range(len(codes)):
        code = np.int64(codes[i])
        top = max(top, code)
        word = np.int64(words[i])
        # The column's remainder stands at the last output; for the last code, at the first output.
        if code == inputs - 1:
            word = max(word - extra, np.int64(0))
        begin = code * low
        band = begin + width * high
        if word < begin:
            out[i] = word // low
        elif word < band:
            out[i] = code + (word - begin) // high
        else:
            out[i] = min(code + width + (word - band) // low, inputs + width - 2)
    return int(top)


@register
@dataclass(frozen=True)
class Band(Single):
    """Move a value of an ordered ``attribute`` to a near cell; far ones are γ times less likely.

    Protects the attribute by ε = ln γ, for anyone, whatever they know. ``low`` =
    ⌈2**bits / ((2b+1)γ + N − 1)⌉ words lead to each output far away and ``high`` to each near; what
    the division leaves over goes to one far output, so that no ratio is above γ.

    >>> channel = Band("age", 24, 8)
    >>> channel.half, channel.output_size
    (2, 28)
    """

    kind: ClassVar[str] = "band"
    card: ClassVar[tuple[str, ...]] = (
        *("attribute", "size", "half", "bits"),
        *("low", "high", "extra", "gamma"),
    )

    attribute: str
    size: int
    gamma: Gamma
    half: int | None = None
    bits: int = MAX_BITS

    def __post_init__(self) -> None:
        where = f"Attribute {self.attribute!r}"
        gamma = check_gamma(self.gamma, where)
        check_size(self.size, where)
        if self.half is None:
            object.__setattr__(self, "half", half_width(self.size, float(gamma)))
        if not isinstance(self.half, int) or not 0 <= self.half < self.size:
            message = f"{where}: the band's half width must be a whole number below {self.size}."
            raise PlanError(message)
        code_type(self.output_size)
        check_bits(self.bits, where)
        if self.high <= self.low or self.extra > self.low:
            message = f"{where}: gamma is so near 1, or the cells are so many, that "
            message += f"words of {self.bits} bits cannot tell near from far."
            raise PlanError(message, hint="use a larger gamma or fewer bins, or withhold it.")

    @property
    def width(self) -> int:
        """How many outputs are near a value: 2b + 1."""
        return 2 * (self.half or 0) + 1

    @cached_property
    def low(self) -> int:
        """How many of the ``2**bits`` words lead to each far output."""
        return math.ceil(self.scale / (self.width * Fraction(self.gamma) + self.size - 1))

    @cached_property
    def high(self) -> int:
        """How many of the words lead to each near output."""
        return (self.scale - (self.size - 1) * self.low) // self.width

    @cached_property
    def extra(self) -> int:
        """How many words are left over, and go to one far output."""
        return self.scale - (self.size - 1) * self.low - self.width * self.high

    @property
    def inputs(self) -> tuple[int, ...]:
        """The number of cells."""
        return (self.size,)

    @property
    def outputs(self) -> tuple[int, ...]:
        """The number of cells, and b more on either side."""
        return (self.size + self.width - 1,)

    def _draw(self, codes: Codes, words: Words, out: Codes) -> int:
        numbers = (self.low, self.high, self.width, self.extra, self.size)
        return draw_band(codes, words, *numbers, out)

    def _matrix(self) -> Ints:
        place = np.arange(self.output_size)[:, None] - np.arange(self.size)
        matrix = np.where((place >= 0) & (place < self.width), self.high, self.low)
        matrix[-1, :-1] += self.extra
        matrix[0, -1] += self.extra
        return matrix

    def levels(self) -> tuple[float, float, int]:
        """Return the far and the near probability, and how many outputs are near."""
        return self.low / self.scale, self.high / self.scale, self.width

    def amplification(self) -> Fraction:
        """Return high / low, which is at most γ."""
        return Fraction(self.high, self.low)
