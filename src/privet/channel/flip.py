"""The flip channel: a group of binary attributes tells the truth, or the opposite of all of it.

Multi-variant randomized response (ZCM §4): with probability θ a record's values are sent as they
are, else every one of them is flipped. Untested attributes of the group drop out of an
event: what is left is again a flip channel, over the tested ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from privet.channel.base import Stated
from privet.channel.card import register
from privet.channel.gamma_diagonal import MAX_BITS, check_bits
from privet.channel.joint_gamma import checked_group
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Box, Floats, Ints, Mask


__all__ = ["Flip", "Theta", "check_theta"]

Theta: TypeAlias = "int | float | Fraction"

MAX_NAMES = 62  # bits of a joint code


def check_theta(theta: object, where: str) -> Fraction:
    """Return θ exactly as given; it must lie from 0 to 1 and not at ½."""
    if isinstance(theta, int | float | Fraction) and not isinstance(theta, bool):
        if theta == Fraction(1, 2):
            message = f"{where}: theta = 0.5 sends truth and opposite equally often, so that "
            message += "nothing about the originals can be learned from any number of records."
            hint = (
                "move theta to 0.7 or 0.8 say, or ask an unrelated question ('unrelated-question')."
            )
            raise PlanError(message, hint=hint)
        if 0 <= theta <= 1:
            return Fraction(theta)
    message = f"{where}: theta must be a number from 0 to 1, other than 0.5."
    hint = "0.7 to 0.9 is usual; the nearer 0.5, the more private; 1 sends the truth."
    raise PlanError(message, hint=hint)


@register
@dataclass(frozen=True)
class Flip(Stated):
    """Send a group of binary attributes as it is with probability θ, else all of it flipped.

    A single bit is protected by ε = |ln(θ/(1−θ))|. Two or more together have **no finite ε**: a
    report shows the record up to turning all of it round. Of the ``2**bits`` words ``keep`` send
    the truth: θ rounded towards ½, so that a single bit's ε is never above what θ says.

    >>> channel = Flip(("smoker", "cough"), 0.75)
    >>> channel.keep, channel.turn
    (3221225472, 1073741824)
    >>> print(channel.amplification(), Flip(("smoker",), 0.75).amplification())
    None 3
    """

    kind: ClassVar[str] = "flip"
    card: ClassVar[tuple[str, ...]] = ("attributes", "bits", "keep", "turn", "theta")
    states: ClassVar[int] = 4

    names: tuple[str, ...]
    theta: Theta
    bits: int = MAX_BITS

    def __post_init__(self) -> None:
        where = checked_group(self.names)
        check_theta(self.theta, where)
        if len(self.names) > MAX_NAMES:
            message = f"{where} has {len(self.names)} attributes; at most {MAX_NAMES} are possible."
            raise PlanError(message, hint="make two groups of it.")
        check_bits(self.bits, where)
        if self.keep == self.turn:
            message = f"{where}: theta is so near 0.5 that words of {self.bits} bits cannot tell "
            raise PlanError(message + "it from 0.5.", hint="move theta away from 0.5.")

    @cached_property
    def keep(self) -> int:
        """How many of the ``2**bits`` words send the truth."""
        share = Fraction(self.theta) * self.scale
        return math.floor(share) if 2 * share > self.scale else math.ceil(share)

    @property
    def turn(self) -> int:
        """How many of the ``2**bits`` words turn the group round."""
        return self.scale - self.keep

    @property
    def inputs(self) -> tuple[int, ...]:
        """Two codes each."""
        return (2,) * len(self.names)

    @property
    def is_certain(self) -> bool:
        """Whether nothing is left to chance: θ is 0 or 1."""
        return self.keep in (0, self.scale)

    def _draw(self, codes: NDArray[Any], words: NDArray[np.uint32], out: NDArray[Any]) -> int:
        """Write codes as they are where a word is below ``keep``, else their complements."""
        turned = np.where(words.astype(np.int64) < self.keep, 0, self.input_size - 1)
        np.bitwise_xor(codes, turned, out=out, casting="unsafe")
        return int(codes.max())

    def _matrix(self) -> Ints:
        truth = np.eye(self.input_size, dtype=np.int64)
        return truth * self.keep + truth[::-1] * self.turn

    # Closed forms. The complement of a joint code is the last code less it: the order reversed.

    def inverse(self) -> Floats:
        """Return (keep [v = u] − turn [v = ū]) / (keep − turn)."""
        self.matrix()  # refuses what is too large
        truth = np.eye(self.input_size)
        return (truth * self.keep - truth[::-1] * self.turn) / (self.keep - self.turn)

    def weights(self, event: Box) -> Floats:
        """Return (θ [r in E] − (1−θ) [r in Ē]) / (2θ − 1) for every joint output r."""
        inside = self.event(event).astype(np.float64)
        return (inside * self.keep - inside[::-1] * self.turn) / (self.keep - self.turn)

    def marginal(self, names: Sequence[str]) -> Floats:
        """Return the matrix of a smaller group that turns round as often."""
        return Flip(tuple(names), self.theta, self.bits).matrix() / self.scale

    def amplification(self) -> Fraction | None:
        """Return the odds of truth and opposite for a single bit; a larger group has no bound."""
        if len(self.names) > 1 or self.is_certain:
            return None
        return Fraction(max(self.keep, self.turn), min(self.keep, self.turn))

    def entropy(self, prior: Sequence[float] | None = None) -> float:
        """Return the entropy of a coin that falls on truth with θ, whatever the prior."""
        del prior
        shares = [count / self.scale for count in (self.keep, self.turn) if count]
        return 0.0 - sum(share * math.log2(share) for share in shares)

    def condition(self) -> float:
        """Return 1/|2θ − 1|."""
        return self.scale / abs(self.keep - self.turn)

    # States: bit 0 is set where the output lies in the event, bit 1 where its opposite does.

    def marks(self, name: str, mask: Mask) -> NDArray[np.uint8]:
        """Return 1 for a code asked for, plus 2 for a code whose opposite is."""
        del name
        return mask.astype(np.uint8) + 2 * mask[::-1].astype(np.uint8)

    def state_weights(self, event: Box) -> Floats:
        """Return (θ [r in E] − (1−θ) [r in Ē]) / (2θ − 1) for neither, E, Ē and both."""
        del event
        weights = np.array([0, self.keep, -self.turn, self.keep - self.turn], np.float64)
        return weights / (self.keep - self.turn)

    def value_weights(self, event: Box, name: str) -> Floats:
        """Return the same for the event with each value of ``name`` in turn."""
        weights = np.zeros((2, 4, 2))
        for value in np.flatnonzero(event.mask(name, 2)):
            weights[value, 1::2, value] += self.keep
            weights[value, 2:, 1 - value] -= self.turn
        return weights / (self.keep - self.turn)
