"""The collector's work: join what the parties sent into one release that mines like any other.

Nothing here needs the parties' secret: records meet by their keyed hashes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.compiled import in_threads
from privet.errors import DataError, PlanError, ReleaseError
from privet.party.disguise import repeated
from privet.party.matching import common, unique
from privet.randomness import Randomness
from privet.release import Part, Release
from privet.table import MemoryTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Coding, Ints
    from privet.party.agreement import Agreement
    from privet.party.folder import PartyRelease
    from privet.schema import Attribute

__all__ = ["Joined", "Mismatch", "join"]


@dataclass(frozen=True)
class Mismatch:
    """What did not fit together: numbers of records, by party where it is one party's."""

    duplicates: dict[str, int] = field(default_factory=dict)
    unmatched: dict[str, int] = field(default_factory=dict)
    shared: int = 0
    classes: int = 0

    def __bool__(self) -> bool:
        return bool(self.duplicates or self.unmatched or self.shared or self.classes)

    def sentences(self) -> list[str]:
        """Say it in words."""
        said = [
            f"Party {party!r} sent {count:,} records whose id another of its records has."
            for party, count in self.duplicates.items()
        ]
        said += [
            f"Party {party!r} sent {count:,} records whose id is not with every other party."
            for party, count in self.unmatched.items()
        ]
        if self.shared:
            said.append(f"{self.shared:,} ids are with more than one party.")
        if self.classes:
            said.append(f"The parties name different classes for {self.classes:,} ids.")
        return said


@dataclass(frozen=True)
class Joined:
    """The joined release, and what had to be left out of it."""

    release: Release
    left_out: Mismatch


def join(
    parties: Sequence[PartyRelease],
    *,
    keep_matching: bool = False,
    seed: int | str | bytes | None = None,
) -> Joined:
    """Join the parties' records by their keys.

    What does not match is an error that says all of it; with ``keep_matching`` the records that
    do match in every way are kept and the rest is counted in ``left_out``. The rows of the release
    are in random order, so that their place says nothing to a party who knows the secret. The
    order of the parties and of their rows does not matter.
    """
    agreement, sent = _checked(parties)
    with Randomness.of(seed) as source:
        if agreement.split == "records":
            parts, left = _stacked(sent, source, keep=keep_matching)
        else:
            parts, left = _side_by_side(agreement, sent, source, keep=keep_matching)
    recipes = [agreement.recipe(party) for party in sent]
    codings: dict[str, Coding | None] = {}
    attributes: dict[str, Attribute] = {}
    treatments: dict[str, str] = {}
    for recipe in recipes:
        codings |= {step.name: step.coding for step in recipe.steps}
        attributes |= {step.name: step.released for step in recipe.steps}
        treatments |= recipe.treatments
    names = [name for name in agreement.schema.names if name in codings]
    release = Release(
        agreement.schema.with_attributes(attributes[name] for name in names),
        {name: codings[name] for name in names},
        tuple(
            Part(MemoryTable({name: part.table.columns[name] for name in names}), part.channels)
            for part in parts
        ),
        {name: treatments[name] for name in agreement.schema.names},
        seeded=seed is not None or any(release.seeded for release in sent.values()),
        shuffled=True,
    )
    return Joined(release, left)


@dataclass(frozen=True)
class _Rows:
    table: MemoryTable
    channels: tuple[Any, ...]


def _checked(parties: Sequence[PartyRelease]) -> tuple[Agreement, dict[str, PartyRelease]]:
    """Check that the files belong together; return them in the agreement's order."""
    if not parties:
        raise PlanError("There is nothing to join.", hint="give the folder of every party.")
    agreement = parties[0].agreement
    for release in parties:
        _same_agreement(parties[0], release)
    by_party = {release.party: release for release in parties}
    if len(by_party) < len(parties):
        twice = next(p.party for p in parties if [q.party for q in parties].count(p.party) > 1)
        raise ReleaseError(f"Party {twice!r} is there twice.", hint="give each folder once.")
    absent = [name for name in agreement.members if name not in by_party]
    if absent:
        message = f"The records of party {absent[0]!r} are not there; the agreement has "
        raise ReleaseError(message + f"{', '.join(agreement.members)}.")
    sent = {name: by_party[name] for name in agreement.members}
    for name, release in sent.items():
        if not release.rows:
            raise DataError(f"Party {name!r} sent no records.")
        if release.keys is None and agreement.split == "columns":
            raise ReleaseError(f"Party {name!r} sent records without keys: they cannot be joined.")
    marks = {name: release.secret for name, release in sent.items() if release.secret is not None}
    first = next(iter(marks), "")
    for name, mark in marks.items():
        if mark != marks[first]:
            message = f"Parties {first!r} and {name!r} keyed their records with different secrets: "
            message += "no id of theirs can be matched."
            raise ReleaseError(message, hint="one of them used a wrong secret; ask them.")
    return agreement, sent


def _same_agreement(first: PartyRelease, second: PartyRelease) -> None:
    if first.agreement.digest == second.agreement.digest:
        return
    mine, theirs = first.agreement.to_dict(), second.agreement.to_dict()
    if mine["schema"] != theirs["schema"]:
        what = "another schema"
        here, there = mine["schema"]["attributes"], theirs["schema"]["attributes"]
        differ = [name for name in {**here, **there} if here.get(name) != there.get(name)]
        what += f" (attribute {differ[0]!r})" if differ else ""
    elif mine["split"] != theirs["split"]:
        what = "another split"
    else:
        here, there = mine["parties"], theirs["parties"]
        differ = [name for name in {**here, **there} if here.get(name) != there.get(name)]
        what = f"another plan for party {differ[0]!r}" if differ else "another order of parties"
    message = f"Parties {first.party!r} and {second.party!r} disguised by different agreements: "
    message += f"there is {what}."
    raise PlanError(message, hint="all parties use one and the same agreement and schema.")


def _refuse(left: Mismatch, *, keep: bool) -> None:
    if left and not keep:
        message = "The parties' records do not all match. " + " ".join(left.sentences())
        hint = "ask the parties, or use keep_matching=True to leave those records out."
        raise DataError(message, hint=hint)


def _side_by_side(
    agreement: Agreement, sent: dict[str, PartyRelease], source: Randomness, *, keep: bool
) -> tuple[list[_Rows], Mismatch]:
    """Join parties that hold different columns of the same records: one part."""
    places, keys, duplicates = unique(sent)
    shared = next(iter(keys.values()))
    for theirs in keys.values():
        shared = shared[common(shared, theirs)[0]]
    unmatched = {
        name: len(theirs) - len(shared)
        for name, theirs in keys.items()
        if len(theirs) > len(shared)
    }
    for name, theirs in keys.items():
        places[name] = places[name][common(theirs, shared)[0]]
    target = agreement.schema.target
    labelled = [name for name, release in sent.items() if release.sends_class]
    label = sent[labelled[0]].table.columns[target][places[labelled[0]]]
    agree = np.ones(len(shared), np.bool_)
    for name in labelled[1:]:
        agree &= sent[name].table.columns[target][places[name]] == label
    left = Mismatch(duplicates, unmatched, classes=int(len(agree) - agree.sum()))
    _refuse(left, keep=keep)
    kept = int(agree.sum())
    if not kept:
        message = "No id is with every party, so that nothing is left to mine."
        raise DataError(message, hint="check that all parties use the same ids and secret.")
    order = source.permutation(0, kept).astype(np.int64)
    if kept < len(agree):
        order = np.flatnonzero(agree)[order]
    wanted = [
        (name, column, table)
        for name, table in ((name, release.table) for name, release in sent.items())
        for column in table.names
        if column != target or name == labelled[0]
    ]
    moved = {name: places[name][order] for name in sent} if _differ(places) else {}

    def take(asked: tuple[str, str, MemoryTable]) -> tuple[str, NDArray[Any]]:
        name, column, table = asked
        return column, table.columns[column].take(moved.get(name, order))

    columns = dict(in_threads(take, wanted))
    channels = tuple(channel for name in sent for channel in agreement.recipe(name).channels)
    return [_Rows(MemoryTable(columns), channels)], left


def _differ(places: dict[str, Ints]) -> bool:
    """Whether any party's records stand elsewhere than in the order of the shared keys."""
    return any(
        len(kept) and (kept[0] != 0 or kept[-1] != len(kept) - 1 or (np.diff(kept) != 1).any())
        for kept in places.values()
    )


def _stacked(
    sent: dict[str, PartyRelease], source: Randomness, *, keep: bool
) -> tuple[list[_Rows], Mismatch]:
    """Put the records of parties that hold the same columns together: one part each."""
    places, keys, duplicates = unique(sent)
    every = np.concatenate(list(keys.values())) if keys else np.empty((0, 2), np.uint64)
    every = every[np.lexsort((every[:, 1], every[:, 0]))]
    twice = np.unique(every[repeated(every)], axis=0)
    left = Mismatch(duplicates, shared=len(twice))
    _refuse(left, keep=keep)
    parts = []
    for number, (name, release) in enumerate(sent.items()):
        rows = places.get(name, np.arange(release.rows))
        if name in keys and len(twice):
            alone = np.ones(len(rows), np.bool_)
            alone[common(keys[name], twice)[0]] = False
            rows = rows[alone]
        if not len(rows):
            raise DataError(f"Of party {name!r} no record is left that no other party has.")
        order = rows[source.permutation(number, len(rows)).astype(np.int64)]
        parts.append(_Rows(release.table.take(order), release.agreement.recipe(name).channels))
    return parts, left
