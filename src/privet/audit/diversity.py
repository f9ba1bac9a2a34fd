"""What groups of a release that look alike disclose: k, l-diversity and t-closeness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.errors import DataError
from privet.release.anonymity import counted, groups_of
from privet.release.diversity import Diversity, diversity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.release import Release

__all__ = ["Diversity", "diversity", "diversity_of"]


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
        attributes but the sensitive.
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
    counts = counted(groups, table.columns[goal], coding.size)
    return diversity_of(counts, ordered=not release.schema[goal].is_categorical)
