"""Channels that exist for mining only: any law from an attribute's cells to what was observed.

Several parts of a release are one part to a miner, if which of them a record is in was drawn at
random: what is observed is the part and the code in it, and the law is that of a mixture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.channel.base import Single, whole_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats, Ints

__all__ = ["Kernel"]


@dataclass(frozen=True, eq=False)
class Kernel(Single):
    """The law ``shares`` of an attribute: outputs × cells, columns summing to 1.

    It has no kind that a card knows: a release has the channels that a kernel is made of.
    """

    kind: ClassVar[str] = "kernel"

    attribute: str
    shares: Floats

    @classmethod
    def mixture(cls, attribute: str, laws: Sequence[tuple[float, Floats]]) -> Kernel:
        """Return the law of what is observed where one of several laws is drawn by its share.

        >>> even = np.full((1, 2), 1.0)
        >>> Kernel.mixture("x", [(0.75, np.eye(2)), (0.25, even)]).shares
        array([[0.75, 0.  ],
               [0.  , 0.75],
               [0.25, 0.25]])
        """
        return cls(attribute, np.concatenate([share * law for share, law in laws]))

    @property
    def inputs(self) -> tuple[int, ...]:
        """The number of cells."""
        return (self.shares.shape[1],)

    @property
    def outputs(self) -> tuple[int, ...]:
        """The number of codes that can be observed."""
        return (self.shares.shape[0],)

    def _matrix(self) -> Ints:
        return whole_matrix(self.shares, self.scale)
