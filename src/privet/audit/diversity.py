"""What groups of a release that look alike disclose: k, l-diversity and t-closeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.release.anonymity import groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.release import Release

__all__ = ["Diversity", "diversity", "diversity_of"]


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


def diversity(
    release: Release, quasi: Sequence[str] | None = None, sensitive: str | None = None
) -> Diversity:
    """Measure the groups of a release with one plain part.

    Parameters
    ----------
    release
        A k-anonymous release, or any whose quasi-identifier is plain.
    quasi
        The attributes that the attacker knows; by default the release's quasi-identifier, or all
        attributes but the sensitive one.
    sensitive
        A coded attribute that nobody should learn; by default the class.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> diversity(release, ["Outlook"]).l, diversity(release, ["Wind"]).l
    (1, 2)
    """
    goal = sensitive or release.schema.target
    declared = release.anonymity.quasi if release.anonymity else release.schema.names
    names = [name for name in (quasi or declared) if name != goal]
    for name in (*names, goal):
        if name not in release.schema:
            there = ", ".join(release.schema.names)
            raise DataError(f"There is no attribute {name!r}; there are {there}.")
        if len(release.parts) != 1 or release.parts[0].channel(name) is not None:
            message = f"{name!r} is disguised, or the release has several parts: groups of records "
            raise DataError(message + "that look alike are not known.")
    coding = release.codings[goal]
    if coding is None:
        raise DataError(f"{goal!r} has exact numbers.", hint="release it in cells (bins).")
    table = release.parts[0].table.collect(release.rows)
    groups = groups_of([table.columns[name] for name in names])
    counts = np.zeros((len(groups.sizes), coding.size), np.int64)
    np.add.at(counts, (groups.member, table.columns[goal]), 1)
    return diversity_of(counts, ordered=not release.schema[goal].is_categorical)


def diversity_of(counts: NDArray[Any], *, ordered: bool = False) -> Diversity:
    """Measure groups × values of counts.

    >>> diversity = diversity_of(np.array([[4, 0], [1, 3]]))
    >>> diversity.k, diversity.l, diversity.t, diversity.homogeneous
    (4, 1, 0.375, 0.5)
    """
    sizes = counts.sum(axis=1)
    counts, sizes = counts[sizes > 0], sizes[sizes > 0]
    shares = counts / sizes[:, None]
    away = shares - counts.sum(axis=0) / sizes.sum()
    if ordered and counts.shape[1] > 1:
        distances = np.abs(np.cumsum(away, axis=1)).sum(axis=1) / (counts.shape[1] - 1)
    else:
        distances = np.abs(away).sum(axis=1) / 2
    logs = np.log(np.where(shares > 0, shares, 1.0))
    kinds = (counts > 0).sum(axis=1)
    return Diversity(
        int(sizes.min()),
        len(sizes),
        int(kinds.min()),
        float(np.exp(-(shares * logs).sum(axis=1)).min()),
        float(distances.max()),
        float(sizes[kinds == 1].sum() / sizes.sum()),
    )
