"""Homogeneity: rows alike in all that is plain may all have one class; then the class is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.diversity import diversity_of
from privet.audit.notions import is_readable
from privet.release.anonymity import groups_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.audit.world import Case, World
    from privet.coding import Ints
    from privet.release import Part, Release
    from privet.release.anonymity import Groups

__all__ = ["has_plain", "homogeneity", "plain_names", "shown_groups"]

ROWS = 2_000_000  # of a release that are compared; rows are in random order


def plain_names(release: Release, part: Part) -> list[str]:
    """Return the attributes, the class among them, whose released values are the true ones."""
    return [
        name
        for name in release.schema.names
        if name in part.table.names
        and part.channel(name) is None
        and is_readable(release.treatments.get(name, "exact"))
    ]


def has_plain(case: Case) -> str:
    """Say why no row stands out by what is plain, if so."""
    plain = plain_names(case.release, case.part)
    if case.release.schema.target not in plain:
        return "the class is disguised"
    return "" if len(plain) > 1 else "no attribute but the class is plain, so no row stands out"


def shown_groups(world: World) -> tuple[Ints, Groups, Ints] | None:
    """Return each row's class, the rows that look alike, and the classes shown for them, counted.

    Alike are rows with the same quasi-identifier under k-anonymity, and with the same values of
    all that is plain elsewhere. Without a disguise all attributes tell rows apart, and without
    k-anonymity each row stands alone. None where that is not known.
    """
    case = world.case
    target = case.release.schema.target
    released = case.part.table.slice(0, ROWS).collect(ROWS).columns
    label = released[target].astype(np.int64)
    anonymity = case.release.anonymity
    names = plain_names(case.release, case.part) if anonymity is None else anonymity.quasi
    columns = [released[name] for name in names if name != target]
    if world.kind == "plain":
        if anonymity is not None:
            columns = [np.arange(len(label))]
        elif case.real:
            label = case.truth[target].astype(np.int64)
            groups = [group for group in case.groups if target not in group.names]
            columns = [case.truth[group.about] for group in groups]
        else:
            return None
    shown = label[case.rng.permutation(len(label))] if world.kind == "independent" else label
    alike, classes = groups_of(columns), len(case.release.schema.classes)
    table = np.bincount(alike.member * classes + shown, minlength=len(alike.sizes) * classes)
    return label, alike, table.reshape(-1, classes)


@attack("homogeneity", applies=has_plain)
def homogeneity(world: World) -> Iterator[Trial]:
    """Know the class from attributes that are plain.

    Needs: the plain attributes of a person, and the release.
    Remedy: disguise the class, or coarsen the plain attributes until every group has both classes.

    Guess the commonest class among rows that look alike.
    """
    scene = shown_groups(world)
    if scene is None:
        return
    label, alike, table = scene
    hits = int((np.argmax(table, axis=1)[alike.member] == label).sum())
    blind = float(np.bincount(label).max() / len(label))
    target, detail = world.case.release.schema.target, diversity_of(table).sentence()
    yield Trial.counted(target, hits, len(label), blind, detail=detail)
