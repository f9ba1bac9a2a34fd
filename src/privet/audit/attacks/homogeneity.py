"""Homogeneity: rows alike in all that is plain may all have one class; then the class is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.notions import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from privet.audit.world import Case, World
    from privet.release import Part, Release

__all__ = ["Alike", "alike", "has_plain", "homogeneity", "plain_names", "shown_groups"]

ROWS = 2_000_000  # of a release that are compared; rows are in random order


@dataclass(frozen=True)
class Alike:
    """Rows in groups that are alike in some columns."""

    group: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def smallest(self) -> int:
        """The size of the smallest group: k of k-anonymity."""
        return int(self.sizes.min())


def plain_names(release: Release, part: Part) -> list[str]:
    """Return the attributes, the class among them, whose released values are the true ones."""
    return [
        name
        for name in release.schema.names
        if part.channel(name) is None and is_readable(release.treatments.get(name, "exact"))
    ]


def alike(columns: Sequence[NDArray[Any]]) -> Alike:
    """Group rows by the values of some columns.

    >>> alike([np.array([1, 1, 2]), np.array([0, 0, 0])]).sizes.tolist()
    [2, 1]
    """
    group = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, codes = np.unique(column, return_inverse=True)
        _, group = np.unique(group * (int(codes.max()) + 1) + codes, return_inverse=True)
    return Alike(group, np.bincount(group))


def has_plain(case: Case) -> str:
    """Say why no row stands out by what is plain, if so."""
    plain = plain_names(case.release, case.part)
    if case.release.schema.target not in plain:
        return "the class is disguised"
    return "" if len(plain) > 1 else "no attribute but the class is plain, so no row stands out"


def shown_groups(
    world: World,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Alike] | None:
    """Return each row's class, the class shown for it, and the rows alike in all that is plain.

    Without a disguise all attributes tell rows apart, and without k-anonymity each row stands
    alone. None where that is not known.
    """
    case = world.case
    target = case.release.schema.target
    held = case.part.table.slice(0, ROWS).collect(ROWS).columns
    label = held[target].astype(np.int64)
    columns = [held[name] for name in plain_names(case.release, case.part) if name != target]
    if world.kind == "plain":
        if case.release.anonymity is not None:
            columns = [np.arange(len(label))]
        elif case.real:
            label = case.truth[target].astype(np.int64)
            groups = [group for group in case.groups if target not in group.names]
            columns = [case.truth[group.about] for group in groups]
        else:
            return None
    shown = label[case.rng.permutation(len(label))] if world.kind == "independent" else label
    return label, shown, alike(columns)


@attack(
    "homogeneity",
    title="Know the class from attributes that are plain",
    needs="the plain attributes of a person, and the release",
    remedy="disguise the class, or coarsen the plain attributes until every group has both classes",
    applies=has_plain,
)
def homogeneity(world: World) -> Iterator[Trial]:
    """Guess the commonest class among rows that are alike in all that is plain."""
    held = shown_groups(world)
    if held is None:
        return
    label, shown, found = held
    schema = world.case.release.schema
    classes = len(schema.classes)
    table = np.bincount(found.group * classes + shown, minlength=len(found.sizes) * classes)
    table = table.reshape(-1, classes)
    hits = int((np.argmax(table, axis=1)[found.group] == label).sum())
    sure = float(found.sizes[table.max(axis=1) == found.sizes].sum() / len(label))
    blind = float(np.bincount(label).max() / len(label))
    yield Trial.counted(
        schema.target,
        hits,
        len(label),
        blind,
        detail=f"{100 * sure:.1f} % of records are in groups of one class; "
        f"the smallest group has {found.smallest:,}",
    )
