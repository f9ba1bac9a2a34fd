"""Which records of parties are the same person's: those with the same keyed hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.compiled import kernel
from privet.party.disguise import repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Ints
    from privet.party.folder import PartyRelease

    Keys = NDArray[np.uint64]

__all__ = ["common", "unique"]


@kernel
def match(ours: Keys, theirs: Keys, places: Ints, others: Ints) -> int:
    """Write where the keys that two sorted lists share stand in each; return how many there are."""
    i = j = matches = 0
    while i < len(ours) and j < len(theirs):
        if ours[i, 0] == theirs[j, 0] and ours[i, 1] == theirs[j, 1]:
            places[matches] = i
            others[matches] = j
            matches += 1
            i += 1
            j += 1
        elif ours[i, 0] < theirs[j, 0] or (
            ours[i, 0] == theirs[j, 0] and ours[i, 1] < theirs[j, 1]
        ):
            i += 1
        else:
            j += 1
    return matches


def unique(
    sent: dict[str, PartyRelease],
) -> tuple[dict[str, Ints], dict[str, Keys], dict[str, int]]:
    """Return the places and keys of records whose id is unique at their party, sorted by key."""
    places: dict[str, Ints] = {}
    keys: dict[str, Keys] = {}
    duplicates = {}
    for name, release in sent.items():
        if release.keys is None:
            continue
        order: Ints = np.arange(release.rows)
        own = release.keys
        if not _is_sorted(own):
            order = np.lexsort((own[:, 1], own[:, 0]))
            own = own[order]
        twice = repeated(own)
        if twice.any():
            duplicates[name] = int(twice.sum())
            order, own = order[~twice], own[~twice]
        places[name], keys[name] = order, own
    return places, keys, duplicates


def _is_sorted(keys: Keys) -> bool:
    upper = keys[:, 0]
    if (upper[1:] > upper[:-1]).all():
        return True
    same = upper[1:] == upper[:-1]
    return bool(((upper[1:] > upper[:-1]) | (same & (keys[1:, 1] >= keys[:-1, 1]))).all())


def common(ours: Keys, theirs: Keys) -> tuple[Any, Any]:
    """Return where the keys of two sorted lists meet; slices where the lists are one."""
    if len(ours) == len(theirs) and np.array_equal(ours, theirs):
        return slice(None), slice(None)
    room = min(len(ours), len(theirs))
    places, others = np.empty(room, np.int64), np.empty(room, np.int64)
    matches = match(ours, theirs, places, others)
    return places[:matches], others[:matches]
