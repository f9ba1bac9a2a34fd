"""How much groups of records that look alike tell: k, l-diversity and t-closeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Floats

__all__ = ["Diversity", "distances", "diversity_of"]


@dataclass(frozen=True)
class Diversity:
    """How much groups with one quasi-identifier tell of a sensitive attribute.

    ``k`` is the smallest group and ``groups`` their number. ``l`` is the fewest sensitive values
    in a group (distinct l-diversity), ``entropy_l`` what the entropy of the least even group comes
    to as a number of equally common values (Machanavajjhala and others, 2006). ``t`` is the
    largest distance of a group's distribution from that of all records, 0 to 1 (t-closeness; Li and
    others, 2007): for categories half the sum of differences, for ordered values the mean distance
    that records must move over the ranks. ``homogeneous`` is the share of records whose group has
    one value only.
    """

    k: int
    groups: int
    l: int  # noqa: E741 - its name in all the literature
    entropy_l: float
    t: float
    homogeneous: float

    def sentence(self) -> str:
        """Say it in words."""
        return (
            f"{self.groups:,} groups of at least {self.k:,} records: {self.l}-diverse (by entropy "
            f"{self.entropy_l:.2f}), {self.t:.3f}-close; {100 * self.homogeneous:.1f} % of records "
            "are in groups of one value"
        )


def distances(shares: Floats, whole: Floats, *, ordered: bool = False) -> Floats:
    """Return how far the distributions in some groups, one per row, are from that of all records.

    >>> distances(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.5, 0.5]))
    array([0.5, 0. ])
    """
    away = shares - whole
    if ordered and shares.shape[1] > 1:
        moved: Floats = np.abs(np.cumsum(away, axis=1)).sum(axis=1) / (shares.shape[1] - 1)
        return moved
    differ: Floats = np.abs(away).sum(axis=1) / 2
    return differ


def diversity_of(counts: NDArray[Any], *, ordered: bool = False) -> Diversity:
    """Measure groups × values of counts.

    >>> diversity = diversity_of(np.array([[4, 0], [1, 3]]))
    >>> diversity.k, diversity.l, diversity.t, diversity.homogeneous
    (4, 1, 0.375, 0.5)
    """
    sizes = counts.sum(axis=1)
    counts, sizes = counts[sizes > 0], sizes[sizes > 0]
    shares = counts / sizes[:, None]
    apart = distances(shares, counts.sum(axis=0) / sizes.sum(), ordered=ordered)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    kinds = (counts > 0).sum(axis=1)
    return Diversity(
        int(sizes.min()),
        len(sizes),
        int(kinds.min()),
        float(np.exp(-(shares * logs).sum(axis=1)).min()),
        float(apart.max()),
        float(sizes[kinds == 1].sum() / sizes.sum()),
    )
