"""What a grower asks for: class × value tables of open nodes, with the error of what is estimated.

An evidence answers level by level. It starts at ``root``; ``tables`` gives each open node's table
of every attribute; ``split`` moves on to the children that stay open. It never changes, so a forest
can branch from any frontier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Box, Coding, Floats, Value

__all__ = ["CountTables", "Counted", "Estimate", "Evidence", "Splits", "Tables", "unit"]

Frontier: TypeAlias = Any  # what an evidence knows of its open nodes; nobody else looks inside


class Estimate(Protocol):
    """The estimated table of one attribute at one node: ``mean`` is values × classes.

    Variance is over the disguise, with the originals fixed: zero for plain data.
    """

    @property
    def mean(self) -> Floats:
        """Return the estimated counts."""
        ...

    def variances(self, coefficients: Floats) -> Floats:
        """Return the variance of sums of cells.

        ``coefficients`` is k × values × classes; the i-th sum is Σ coefficients[i] · table.
        """
        ...


@dataclass(frozen=True)
class Counted:
    """A table that was simply counted: nothing about it is uncertain."""

    mean: Floats

    def variances(self, coefficients: Floats) -> Floats:
        """Return zeros."""
        return np.zeros(len(coefficients))


@dataclass(frozen=True)
class Splits:
    """One split, or none, for each open node.

    ``attribute[i]`` is the attribute tested at node ``i``, or -1; ``branch[i, code]`` the branch a
    code takes, and ``branches[i]`` how many there are (0 where there is no split).
    """

    attribute: NDArray[np.int64]
    branch: NDArray[np.int16]
    branches: NDArray[np.int64]

    @property
    def first(self) -> NDArray[np.int64]:
        """The place of each node's first child, all children laid end to end."""
        return np.cumsum(self.branches) - self.branches

    def boxes(
        self, parents: Sequence[Box], codings: Sequence[Coding], keep: NDArray[np.bool_]
    ) -> list[Box]:
        """Return the boxes of those children, all laid end to end, that ``keep`` marks."""
        found = []
        place = 0
        for node, box in enumerate(parents):
            coding = codings[self.attribute[node]]
            for branch in range(self.branches[node]):
                if keep[place]:
                    mask = self.branch[node, : coding.size] == branch
                    found.append(box.narrowed(coding.name, mask))
                place += 1
        return found


class Tables(Protocol):
    """All tables of a frontier."""

    @property
    def nodes(self) -> int:
        """Return how many nodes there are."""
        ...

    def at(self, node: int) -> Sequence[Estimate]:
        """Return one node's tables, one an attribute."""
        ...


@dataclass(frozen=True)
class CountTables:
    """Tables that were counted: whole numbers times ``scale``, nodes × cells × classes.

    The cells of attribute ``a`` are ``offsets[a]:offsets[a + 1]``. ``whole`` says that each node's
    tables count all records of its box, and the same ones.
    """

    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    scale: float = 1.0
    whole: bool = False

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.counts)

    def at(self, node: int) -> list[Counted]:
        """Return one node's tables, one an attribute."""
        cells = self.counts[node] * self.scale
        bounds = zip(self.offsets[:-1], self.offsets[1:], strict=True)
        return [Counted(cells[start:stop]) for start, stop in bounds]

    def names(self) -> list[bytes]:
        """Name each node, if tables are ``whole``: nodes of one name hold the same records.

        A node holds all records of its box, hence all records of those cells that occur in it.
        """
        occurs = (self.counts != 0).reshape(self.nodes, -1)
        return [row.tobytes() for row in np.packbits(occurs, axis=1)]

    def of(self, nodes: NDArray[np.int64]) -> CountTables:
        """Return the tables of some of the nodes, which are in order."""
        return self if len(nodes) == self.nodes else replace(self, counts=self.counts[nodes])


class Evidence(Protocol):
    """Answers a grower's questions about one set of records."""

    codings: tuple[Coding, ...]  # of the attributes that may be tested
    classes: tuple[Value, ...]

    def root(self) -> Frontier:
        """Return the frontier that holds only the root."""
        ...

    def tables(self, frontier: Frontier) -> Tables:
        """Return the tables of all open nodes."""
        ...

    def split(self, frontier: Frontier, splits: Splits, keep: NDArray[np.bool_]) -> Frontier:
        """Return the frontier of those children, all laid end to end, that ``keep`` marks."""
        ...


def offsets_of(codings: Sequence[Coding]) -> NDArray[np.int64]:
    """Return where each attribute's cells start, and the end."""
    return np.cumsum([0, *(coding.size for coding in codings)]).astype(np.int64)


MOST_BITS = 62  # of a sum of weights: one less than an int64 holds, for the rounding


def unit(rows: int, bound: float) -> float:
    """Return how many units a weight of one has, so that no sum of ``rows`` weights overflows.

    No weight is above ``bound``. At most 2⁴⁰: a rounding error of 2⁻⁴¹ a record is below any
    count's own error.
    """
    return 2.0 ** min(40, math.floor(MOST_BITS - math.log2(max(1, rows)) - math.log2(bound)))
