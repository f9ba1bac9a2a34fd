"""A channel written out: any matrix that can be inverted, symmetric or not (DXZ §2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.channel.base import Single
from privet.channel.card import register
from privet.channel.gamma_diagonal import MAX_BITS, check_bits
from privet.compiled import kernel
from privet.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.channel.base import Codes
    from privet.coding import Ints
    from privet.randomness import Words

    Ends = NDArray[np.uint64]

__all__ = ["WrittenMatrix"]

MOST_VALUES = 256
WORST_CONDITION = 1e6
GUIDES = 8  # bits of a word that say where the search in a column starts


@kernel
def draw_column(
    codes: Codes, words: Words, reached: Ends, starts: NDArray[np.uint8], shift: int, out: Codes
) -> int:
    """Write, for each code, the first output whose cumulated column is above the word."""
    inputs = len(reached)
    top = np.int64(0)
    for i in range(len(codes)):
        code = np.int64(codes[i])
        top = max(top, code)
        column = code if code < inputs else inputs - 1
        word = np.uint64(words[i])
        ends = reached[column]
        output = int(starts[column][word >> np.uint64(shift)])
        while word >= ends[output]:
            output += 1
        out[i] = output
    return int(top)


@register
@dataclass(frozen=True)
class WrittenMatrix(Single):
    """Put output u in the place of value v of ``attribute`` with probability matrix[u, v].

    ``columns[v][u]`` are whole numbers that sum to ``2**bits``. Protects by the largest log ratio
    within a row; a row with a zero beside a number protects nothing.

    >>> WrittenMatrix.of("sick", [[0.9, 0.3], [0.1, 0.7]]).matrix() / 2**32
    array([[0.9, 0.3],
           [0.1, 0.7]])
    """

    kind: ClassVar[str] = "matrix"
    card: ClassVar[tuple[str, ...]] = ("attribute", "bits", "columns")

    attribute: str
    columns: tuple[tuple[int, ...], ...]
    bits: int = MAX_BITS

    @classmethod
    def of(
        cls, attribute: str, matrix: Sequence[Sequence[float]], bits: int = MAX_BITS
    ) -> WrittenMatrix:
        """Return the channel of a matrix of probabilities, outputs × values.

        Each is rounded to whole words, what is left over goes to the largest remainders, and a
        zero stays one.
        """
        where = f"Attribute {attribute!r}"
        try:
            shares = np.array(matrix, np.float64)
        except (TypeError, ValueError):
            shares = np.empty(0)
        if shares.ndim != 2 or shares.shape[0] != shares.shape[1]:
            message = f"{where}: the matrix must have as many rows as columns, all of one length."
            raise PlanError(message, hint="one row per released value, one column per true value.")
        if not np.isfinite(shares).all() or (shares < 0).any():
            raise PlanError(f"{where}: the matrix must hold probabilities, from 0 to 1.")
        if (np.abs(shares.sum(0) - 1) > 1e-9).any():
            message = f"{where}: each column of the matrix must sum to 1."
            raise PlanError(message, hint="column v says what becomes of value v.")
        scale = 1 << bits
        columns = []
        for share in (shares / shares.sum(0)).T:
            exact = share * scale
            whole = np.floor(exact).astype(np.int64)
            order = np.argsort(np.where(share > 0, whole - exact, 1.0), kind="stable")
            whole[order[: scale - int(whole.sum())]] += 1
            columns.append(tuple(whole.tolist()))
        return cls(attribute, tuple(columns), bits)

    def __post_init__(self) -> None:
        where = f"Attribute {self.attribute!r}"
        size = len(self.columns)
        if not 2 <= size <= MOST_VALUES:
            message = f"{where} has {size} values; a matrix may be written out for 2 to "
            raise PlanError(f"{message}{MOST_VALUES}.", hint="use a gamma instead, or fewer bins.")
        check_bits(self.bits, where, GUIDES)
        for column in self.columns:
            if len(column) != size or min(column) < 0 or sum(column) != self.scale:
                message = f"{where}: each column must hold {size} whole numbers, none negative, "
                raise PlanError(f"{message}that sum to 2**{self.bits}.")
        if not self.condition() < WORST_CONDITION:
            message = f"{where}: the matrix cannot be inverted, so nobody could learn from it."
            raise PlanError(message, hint="two values must not look alike: make columns differ.")

    @property
    def size(self) -> int:
        """The size of its domain."""
        return len(self.columns)

    @property
    def inputs(self) -> tuple[int, ...]:
        """The size of its domain, as that of a group of one."""
        return (self.size,)

    def _matrix(self) -> Ints:
        return np.array(self.columns, np.int64).T

    @cached_property
    def _search(self) -> tuple[Ends, NDArray[np.uint8]]:
        """Where each output's words end in a column, and where a search for a word starts."""
        reached = np.cumsum(self._matrix().T, axis=1).astype(np.uint64)
        firsts = (np.arange(1 << GUIDES) << (self.bits - GUIDES)).astype(np.uint64)
        starts = [np.searchsorted(column, firsts, side="right") for column in reached]
        return reached, np.array(starts).astype(np.uint8)

    def _draw(self, codes: Codes, words: Words, out: Codes) -> int:
        return draw_column(codes, words, *self._search, self.bits - GUIDES, out)
