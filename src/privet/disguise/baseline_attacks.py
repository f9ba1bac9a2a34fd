"""Attacks on the two baselines: groups that agree, and order that is plain (methods.md §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.success import Success
from privet.release.anonymity import groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.release import Release

__all__ = ["background", "homogeneity", "interpolation", "rank_matching"]

CLOSE = 0.05  # of the range: how near a guessed number has to be


def homogeneity(release: Release, quasi: Sequence[str] | None = None, *, seed: int = 0) -> Success:
    """Find someone's group by their quasi-identifier; if it has one class, that is theirs."""
    return _by_groups(release, quasi, ruled_out=False, seed=seed)


def background(release: Release, quasi: Sequence[str] | None = None, *, seed: int = 0) -> Success:
    """The same by someone who can rule out one class: the first that is not the right one."""
    return _by_groups(release, quasi, ruled_out=True, seed=seed)


def _by_groups(
    release: Release, quasi: Sequence[str] | None, *, ruled_out: bool, seed: int
) -> Success:
    names = quasi or (release.anonymity.quasi if release.anonymity else release.schema.names)
    target = release.schema.target
    table = release.parts[0].table.collect(release.rows)
    labels = table.columns[target].astype(np.int64)
    member = groups_of([table.columns[name] for name in names if name != target]).member
    classes = len(release.schema.classes)
    rng = np.random.default_rng(seed)
    found = _alone(member, labels, classes, ruled_out=ruled_out)
    null = _alone(member, rng.permutation(labels), classes, ruled_out=ruled_out)
    blind = float(np.bincount(labels).max() / len(labels))
    return Success.counted(
        int(found.sum()),
        len(found),
        blind=blind,
        control=float(_alone(np.arange(len(labels)), labels, classes, ruled_out=ruled_out).mean()),
        null=float(null.mean()),
    )


def _alone(
    member: NDArray[np.int64], labels: NDArray[np.int64], classes: int, *, ruled_out: bool
) -> NDArray[np.bool_]:
    """Say for which records the class is the only one left in their group."""
    counts = np.zeros((int(member.max()) + 1, classes), np.int64)
    np.add.at(counts, (member, labels), 1)
    there = (counts > 0)[member]
    if ruled_out:
        others = there.copy()
        others[np.arange(len(labels)), labels] = False
        first = others.argmax(1)
        there[np.arange(len(labels)), first] &= ~others.any(1)
    alone: NDArray[np.bool_] = there.sum(1) == 1
    return alone


def rank_matching(
    disguised: Floats, original: Floats, prior: Floats, width: float, *, seed: int = 0
) -> Success:
    """Guess each value by its rank, from a sample of similar people; ``width`` is the range.

    Whoever tries both directions takes the better one: that is what is reported.
    """
    rng = np.random.default_rng(seed)

    def guess(seen: Floats) -> int:
        share = (np.argsort(np.argsort(seen, kind="stable"), kind="stable") + 0.5) / len(seen)
        ways = (np.quantile(prior, share), np.quantile(prior, 1 - share))
        return max(_hits(way, original, width) for way in ways)

    return Success.counted(
        guess(disguised),
        len(original),
        blind=_blind(original, prior, width),
        control=_hits(original, original, width) / len(original),
        null=guess(rng.permutation(disguised)) / len(original),
    )


def interpolation(
    disguised: Floats,
    original: Floats,
    known: NDArray[np.int64],
    width: float,
    *,
    seed: int = 0,
) -> Success:
    """Guess each value between those of ``known`` records, whose originals the attacker has."""
    rng = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(len(original)), known)

    def guess(seen: Floats) -> int:
        order = known[np.argsort(seen[known], kind="stable")]
        return _hits(np.interp(seen[others], seen[order], original[order]), original[others], width)

    return Success.counted(
        guess(disguised),
        len(others),
        blind=_blind(original[others], original[known], width),
        control=_hits(original[others], original[others], width) / len(others),
        null=guess(rng.permutation(disguised)) / len(others),
    )


def _hits(guess: Any, original: Floats, width: float) -> int:
    return int((np.abs(guess - original) <= CLOSE * width).sum())


def _blind(original: Floats, prior: Floats, width: float) -> float:
    """Return how often the one best guess from the prior alone is near enough."""
    tried = np.linspace(prior.min(), prior.max(), 201)
    best = max(tried, key=lambda value: _hits(value, prior, width))
    return _hits(best, original, width) / len(original)
