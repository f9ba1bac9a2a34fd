"""Groups disguised together: one known value, impossible opposites, parties that collude."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from privet.audit.attacks.base import Attack, Trial, attack, run_attack
from privet.audit.attacks.guess import has_channels
from privet.audit.attacks.joint import CELLS, dealt, guessed
from privet.audit.original import read_original
from privet.audit.world import Case, generator
from privet.channel import Flip
from privet.errors import InputError, MethodError
from privet.randomness import Randomness
from privet.release.anonymity import groups_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.audit.attacks.base import Outcome
    from privet.audit.world import Group, World
    from privet.channel import Channel
    from privet.coding import Ints
    from privet.release import Release


__all__ = ["collusion", "guess_group", "known_value", "opposite"]

KNOWN = 256  # values of an attribute that may be known
WORK = 1 << 30  # products of what is known, reports and values of a group that are gone through


def _together(case: Case) -> list[Group]:
    """Return the groups of several attributes that went through one channel."""
    return [group for group in case.hidden if len(group.names) > 1]


def _has_groups(case: Case) -> str:
    return has_channels(case) or (
        "" if _together(case) else "no attributes were disguised together"
    )


def _known(case: Case, names: Sequence[str]) -> Ints:
    """Number the records by what is known of them: some attributes, and the class if it is plain.

    An attribute of a group is known as the group's channel sees it.
    """
    target = case.release.schema.target
    plain = target in case.truth and case.part.channel(target) is None
    columns = []
    for name in [*names, *([target] if plain and target not in names else [])]:
        group = next(group for group in case.groups if name in group.names)
        codes = case.truth[group.about]
        columns.append(codes if group.channel is None else group.channel.part(codes)[name])
    return groups_of(columns).member if columns else np.zeros(case.rows, np.int64)


def _informed(world: World, group: Group, known: Sequence[str], detail: str = "") -> Trial:
    """Guess a group from its report and what is known of each record.

    The likeliest x is that with the largest A(y|x)·P(x, s), right as often as these sum up to; it
    is chosen once for each report y and each s. Blind is the best guess without the report.
    """
    case = world.case
    law = world.law(group)
    truth = case.truth[group.about].astype(np.int64)
    side = _known(case, known)
    sides = int(side.max()) + 1
    cells = np.bincount(side * group.size + truth, minlength=sides * group.size)
    usual = cells.reshape(sides, -1) / case.rows
    best = np.empty((sides, len(law)), np.int64)
    right = 0.0
    for code, prior in enumerate(usual):
        # A report that what is known rules out leaves what is usual.
        best[code] = np.argmax(law * prior + 1e-12 * prior, axis=1)
        right += float((law * prior).max(axis=1).sum())
    hits = int((best[side, world.draw(group)] == truth).sum())
    blind = float(usual.max(axis=1).sum())
    expected = None if world.kind == "independent" else right
    return Trial.counted(group.about, hits, case.rows, blind, expected=expected, detail=detail)


def guess_group(
    release: Release,
    original: Any,
    group: Sequence[str],
    *,
    known: Sequence[str] = (),
    seed: int | str | bytes | None = None,
) -> Outcome:
    """Guess the values of one group of every record, knowing some other values already.

    The attacker knows the channel, what is usual among the originals, the class if it is plain,
    and the true values of ``known``: attributes of the group itself, or of others whose parties
    collude. Reports are drawn afresh, as the card says. Of a flip group one known value gives
    away the rest.

    Parameters
    ----------
    release
        A release of groups that were disguised together.
    original
        The records that it was made from.
    group
        The attributes of one channel.
    known
        The attributes whose true values the attacker has.
    seed
        For the same outcome each time; by default system randomness.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> pair = ["Humidity", "Wind"]
    >>> response = pv.RandomizedResponse([pair], theta=0.8, rest="withheld")
    >>> release = response.disguise(table, schema)
    >>> guess_group(release, table, pair, known=["Wind"]).value
    1.0
    """
    with Randomness.of(seed) as source:
        original = read_original(original, release, generator(source))
        case = Case.of(release, original, source, frozenset({release.schema.target}))
        asked = [joint for joint in case.hidden if set(joint.names) == set(group)]
        if not asked:
            groups = "; ".join(", ".join(group.names) for group in case.hidden) or "none"
            message = "The attributes to guess are not those of one channel of the release."
            raise InputError(message, hint=f"its groups are: {groups}.")
        absent = [name for name in known if not any(name in group.names for group in case.groups)]
        if absent:
            raise InputError(f"{absent[0]!r} is not an attribute that can be known.")
        if (int(_known(case, known).max()) + 1) * asked[0].size ** 2 > WORK:
            raise MethodError("What is known takes too many values.", hint="know fewer attributes.")
        wanted = Attack(
            "guess-group",
            "Name a group from its report and what is known",
            "the release, its card, what is usual" + (f", and {', '.join(known)}" if known else ""),
            "a joint channel (gamma=) for the group, or groups of one",
            lambda world: [_informed(world, asked[0], known)],
            has_channels,
        )
        return run_attack(case, wanted)[0]


@attack("known-value", applies=_has_groups)
def known_value(world: World) -> Iterator[Trial]:
    """Name a group from its report and one known value.

    Needs: one true value of a person, the release, its card, and how common values are.
    Remedy: a joint channel (gamma=) for the group instead of turning it round, or groups of one.

    Know the attribute that gives most away: of a flip group it gives all.
    """
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
            name = max(told, key=lambda name: told[name])
            yield _informed(world, group, [name], f"knowing {name!r}")


@attack(
    "opposite",
    applies=lambda case: (
        has_channels(case)
        or (
            ""
            if any(isinstance(group.channel, Flip) for group in _together(case))
            else "no attributes are flipped together"
        )
    ),
)
def opposite(world: World) -> Iterator[Trial]:
    """Name a group that is flipped from what is usual.

    Needs: the release, its card, and how common groups of values are in each class.
    Remedy: a joint channel (gamma=) for the group, or groups whose opposites are as common.

    Where the opposite of a report is impossible, the report is the truth.
    """
    case = world.case
    for group in _together(case):
        if not isinstance(group.channel, Flip):
            continue
        shares = case.shares(group)
        alone = float(shares[shares[::-1] == 0].sum())  # the opposite of x is the last less x
        detail = f"{100 * alone:.1f} % of records have an opposite that nobody has"
        yield _informed(world, group, (), detail)


def _has_others(case: Case) -> str:
    flips = any(isinstance(group.channel, Flip) for group in case.hidden)
    if not flips and not _together(case):
        return "no attributes were disguised together"
    return "there is one group only" if len(case.groups) < 2 else has_channels(case)


@attack("collusion", applies=_has_others, real=True)
def collusion(world: World) -> Iterator[Trial]:
    """Name one party's group when all others collude.

    Needs: the true values of all other groups of a person, the release and its card, and how
    attributes go together.
    Remedy: put attributes that go together into one group with a joint channel.

    Guess by P(x | x_C)·A(y | x) over the most telling of the others.

    Blind are the same colluders without the report.
    """
    case = world.case
    taught, tried, tested = dealt(case)
    true = {name: (codes[tried], codes[tested]) for name, codes in case.truth.items()}
    for group in case.hidden:
        limit = max(100, CELLS // group.size)
        seen = {**true, group.about: (world.draw(group, tried), world.draw(group, tested))}
        truth = case.truth[group.about][tested[:limit]]
        rows = tried[:limit]
        best = guessed(world, group, taught, rows, seen, limit, known=True)
        blind = guessed(world, group, taught, rows, seen, limit, known=True, silent=True)
        hits = int((best == truth).sum())
        yield Trial.counted(group.about, hits, len(truth), float((blind == truth).mean()))
