"""Groups disguised together: one known value, impossible opposites, parties that collude."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.guess import has_channels
from privet.audit.attacks.joint import CELLS, TESTED, guessed
from privet.channel import Flip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privet.audit.world import Case, Group, World
    from privet.channel import Channel

    Floats = NDArray[np.float64]

__all__ = ["collusion", "known_value", "opposite"]

KNOWN = 256  # values of an attribute that may be known


def _together(case: Case) -> list[Group]:
    """Return the groups of several attributes that went through one channel."""
    return [group for group in case.hidden if len(group.names) > 1]


def _has_groups(case: Case) -> str:
    return has_channels(case) or (
        "" if _together(case) else "no attributes were disguised together"
    )


def _informed(world: World, group: Group, side: NDArray[np.int64], detail: str = "") -> Trial:
    """Guess a group from its report and something known of each record.

    The likeliest x is that with the largest A(y|x)·P(x, s), right as often as these sum up to; it
    is chosen once for each report y and each s.
    """
    case = world.case
    law = world.law(group)
    truth = case.truth[group.about].astype(np.int64)
    sides = int(side.max()) + 1
    cells = np.bincount(side * group.size + truth, minlength=sides * group.size)
    usual = cells.reshape(sides, -1) / case.rows
    best = np.empty((sides, len(law)), np.int64)
    right = 0.0
    for one, prior in enumerate(usual):
        # A report that what is known rules out leaves what is usual.
        best[one] = np.argmax(law * prior + 1e-12 * prior, axis=1)
        right += float((law * prior).max(axis=1).sum())
    hits = int((best[side, world.draw(group)] == truth).sum())
    blind = float(usual.max(axis=1).sum())
    expected = None if world.kind == "independent" else right
    return Trial.counted(group.about, hits, case.rows, blind, expected=expected, detail=detail)


@attack(
    "known-value",
    title="Name a group from its report and one known value",
    needs="one true value of a person, the release, its card, and how common values are",
    remedy="a joint channel (gamma=) for the group instead of turning it round, or groups of one",
    applies=_has_groups,
)
def known_value(world: World) -> Iterator[Trial]:
    """Know the attribute that gives most away: of a flip group it gives all (methods.md §6)."""
    case = world.case
    for group in _together(case):
        channel = cast("Channel", group.channel)
        law = channel.matrix() / channel.scale * case.shares(group)
        parts = channel.part(np.arange(group.size))
        told = {
            name: sum(float(law[:, codes == value].max(axis=1).sum()) for value in np.unique(codes))
            for name, codes in parts.items()
            if len(np.unique(codes)) <= KNOWN
        }
        if told:
            name = max(told, key=lambda one: told[one])
            side = parts[name].astype(np.int64)[case.truth[group.about]]
            yield _informed(world, group, side, f"knowing {name!r}")


@attack(
    "opposite",
    title="Name a group that is turned round from what is usual",
    needs="the release, its card, and how common groups of values are in each class",
    remedy="a joint channel (gamma=) for the group, or groups whose opposites are as common",
    applies=lambda case: (
        has_channels(case)
        or (
            ""
            if any(isinstance(one.channel, Flip) for one in _together(case))
            else "no attributes are turned round together"
        )
    ),
)
def opposite(world: World) -> Iterator[Trial]:
    """Where the opposite of a report is impossible, the report is the truth (methods.md §6)."""
    case = world.case
    target = case.release.schema.target
    for group in _together(case):
        if not isinstance(group.channel, Flip):
            continue
        shares = case.shares(group)
        alone = float(shares[shares[::-1] == 0].sum())  # the opposite of x is the last less x
        side = np.zeros(case.rows, np.int64)
        if target in case.truth and case.part.channel(target) is None:
            side = case.truth[target].astype(np.int64)
        yield _informed(
            world, group, side, f"{100 * alone:.1f} % of records have an opposite that nobody has"
        )


def _has_others(case: Case) -> str:
    flips = any(isinstance(group.channel, Flip) for group in case.hidden)
    if not flips and not _together(case):
        return "no attributes were disguised together"
    return "there is one group only" if len(case.groups) < 2 else has_channels(case)


@attack(
    "collusion",
    title="Name one party's group when all others collude",
    needs="the true values of all other groups of a person, the release and its card, and how "
    "attributes go together",
    remedy="put attributes that go together into one group with a joint channel",
    applies=_has_others,
    real=True,
)
def collusion(world: World) -> Iterator[Trial]:
    """Guess by P(x | x_C)·A(y | x) over the most telling of the others (methods.md §6).

    Blind are the same colluders without the report.
    """
    case = world.case
    order = case.rng.permutation(case.rows)
    taught, held = order[: case.rows // 2], order[case.rows // 2 :][:TESTED]
    tried = taught[:TESTED]
    true = {name: (codes[tried], codes[held]) for name, codes in case.truth.items()}
    for group in case.hidden:
        limit = max(100, CELLS // group.size)
        seen = {**true, group.about: (world.draw(group, tried), world.draw(group, held))}
        truth = case.truth[group.about][held[:limit]]
        rows = tried[:limit]
        best = guessed(world, group, taught, rows, seen, limit, known=True)
        blind = guessed(world, group, taught, rows, seen, limit, known=True, silent=True)
        hits = int((best == truth).sum())
        yield Trial.counted(group.about, hits, len(truth), float((blind == truth).mean()))
