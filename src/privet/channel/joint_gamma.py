"""The joint γ-diagonal channel: one substitution for a whole group of attributes (FRAPP).

The group's tuple of values is kept γ times as often as it becomes any other tuple, so everything
the group holds is protected by one ε = ln γ, whatever the number of its attributes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.channel.base import Stated
from privet.channel.card import register
from privet.channel.gamma_diagonal import MAX_BITS, Diagonal, Gamma
from privet.coding import code_type
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Box, Floats, Mask

__all__ = ["JointGammaDiagonal", "check_group", "checked_group"]

MAX_TUPLES = 1 << 30  # of a product domain: beyond it 32-bit words cannot tell tuples apart


def check_group(names: object, where: str) -> tuple[str, ...]:
    """Return the names of a group: at least one, each once."""
    if isinstance(names, str) or not isinstance(names, list | tuple) or not names:
        message = f"{where}: a group is a list of names of attributes, at least one."
        raise PlanError(message, hint='groups = [["smoker", "cough"], ["asthma"]].')
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        message = f"{where}: a group names each of its attributes once."
        raise PlanError(message)
    return tuple(names)


def checked_group(names: tuple[str, ...]) -> str:
    """Check the names of a group and return what messages call it."""
    where = f"The group {' × '.join(map(repr, names))}"
    check_group(names, where)
    return where


@register
@dataclass(frozen=True)
class JointGammaDiagonal(Stated, Diagonal):
    """Substitute a group's tuple by any other of its product domain; itself is γ times as likely.

    Protects the whole group by ε = ln γ. It keeps what the attributes have to do with each other,
    which channels of their own would each blur.

    >>> channel = JointGammaDiagonal(("sky", "wind"), (3, 2), 4)
    >>> channel.input_size, float(channel.amplification())
    (6, 3.9999999...)
    """

    kind: ClassVar[str] = "joint-gamma-diagonal"
    card: ClassVar[tuple[str, ...]] = ("attributes", "sizes", "bits", "off", "diagonal", "gamma")
    states: ClassVar[int] = 2

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    gamma: Gamma
    bits: int = MAX_BITS

    def __post_init__(self) -> None:
        where = checked_group(self.names)
        if len(self.sizes) != len(self.names):
            raise PlanError(f"{where} has {len(self.sizes)} sizes of domains.")
        for size in self.sizes:
            code_type(size)
        if math.prod(self.sizes) > MAX_TUPLES:
            message = f"{where} has {math.prod(self.sizes):,} tuples of values; "
            message += f"at most {MAX_TUPLES:,} are possible."
            raise PlanError(message, hint="make the group smaller, or use fewer bins.")
        self._check(where)

    @property
    def inputs(self) -> tuple[int, ...]:
        """The sizes of their domains."""
        return self.sizes

    def marginal(self, names: Sequence[str]) -> Floats:
        """Return the matrix of some attributes; the values of the others make no difference."""
        sizes = dict(zip(self.names, self.sizes, strict=True))
        size = math.prod(sizes[name] for name in names)
        others = self.input_size // size
        matrix = np.full((size, size), self.off * others, np.float64)
        np.fill_diagonal(matrix, self.diagonal + self.off * (others - 1))
        return matrix / self.scale

    # States: bit 0 is set where the output lies in the event.

    def marks(self, name: str, mask: Mask) -> NDArray[np.uint8]:
        """Return 1 for the codes asked for."""
        del name
        return mask.astype(np.uint8)

    def state_weights(self, event: Box) -> Floats:
        """Return (2**bits [u in event] − off |event|) / (diagonal − off), outside and inside."""
        volume = self._volume(event, None)
        return np.array([0.0 - self.off * volume, self.scale - self.off * volume]) / self._gap

    def value_weights(self, event: Box, name: str) -> Floats:
        """Return the same for the event with each value of ``name`` in turn."""
        size = self.sizes[self.names.index(name)]
        mask = event.mask(name, size)
        weights = np.full((size, 2, size), -float(self.off * self._volume(event, name)))
        weights[np.arange(size), 1, np.arange(size)] += self.scale
        return weights / self._gap * mask[:, None, None]

    def _volume(self, event: Box, free: str | None) -> int:
        """Return the number of tuples in an event, one attribute set to a value or not."""
        pairs = zip(self.names, self.sizes, strict=True)
        return math.prod(int(event.mask(name, size).sum()) for name, size in pairs if name != free)

    @property
    def _gap(self) -> int:
        return self.diagonal - self.off
