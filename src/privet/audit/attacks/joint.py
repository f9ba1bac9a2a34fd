"""Guessing a value from the whole record: attributes that go together betray each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.audit.attacks.base import Trial, attack
from privet.audit.attacks.guess import has_channels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privet.audit.world import Case, Group, World
    from privet.coding import Floats, Ints


__all__ = ["CELLS", "dealt", "guessed", "joint"]

TESTED = 10_000  # records that are guessed; as many are used to choose how
HELPERS = 8  # of the other attributes, the most telling ones
CELLS = 1 << 22  # of a table of scores, at a time


def _applies(case: Case) -> str:
    if len(case.groups) < 2:
        return "there is one attribute only"
    return has_channels(case)


@attack("joint", applies=_applies, real=True)
def joint(world: World) -> Iterator[Trial]:
    """Best guess of one value from the whole disguised record.

    Needs: the release, its card, and how the attributes go together (a miner learns it from the
    release).
    Remedy: a smaller γ for the attributes that go together, or withhold one of them.

    Guess by a naive Bayes posterior over the most telling attributes.

    Half of the records teach the attacker how attributes go together and how many to use; the
    other half is guessed.
    """
    case = world.case
    taught, tried, tested = dealt(case)
    seen = {
        group.about: (world.draw(group, tried), world.draw(group, tested)) for group in case.groups
    }
    right = np.ones(len(tested), np.bool_)
    true: list[NDArray[Any]] = []
    for group in case.hidden:
        limit = max(100, CELLS // group.size)
        best = guessed(world, group, taught, tried[:limit], seen, limit)
        truth = case.truth[group.about][tested[:limit]]
        hits = best == truth
        right[: len(hits)] &= hits
        true.append(case.truth[group.about][tested])
        blind = float(np.bincount(truth, minlength=group.size).max() / len(truth))
        yield Trial.counted(group.about, int(hits.sum()), len(truth), blind)
    if len(true) > 1:
        shortest = min(len(tested), *(max(100, CELLS // group.size) for group in case.hidden))
        whole = np.stack(true, axis=1)[:shortest]
        _, counts = np.unique(whole, axis=0, return_counts=True)
        blind = float(counts.max() / len(whole))
        yield Trial.counted(
            "record",
            int(right[:shortest].sum()),
            shortest,
            blind,
            detail="every disguised attribute of the record right at once",
        )


def dealt(case: Case) -> tuple[Ints, Ints, Ints]:
    """Deal the rows at random: those that teach, those among them that are tried, those tested."""
    order = case.rng.permutation(case.rows)
    taught, others = order[: case.rows // 2], order[case.rows // 2 :]
    return taught, taught[:TESTED], others[:TESTED]


def guessed(
    world: World,
    group: Group,
    taught: Ints,
    tried: Ints,
    seen: dict[str, tuple[Any, Any]],
    limit: int,
    *,
    known: bool = False,
    silent: bool = False,
) -> Ints:
    """Return the guesses for the tested rows, with as many helpers as served best on the tried.

    ``known`` helpers are seen as they are, not as they are released; a ``silent`` group's own
    report is not looked at.
    """
    case = world.case
    with np.errstate(divide="ignore"):
        own = np.log((1.0 if silent else world.law(group)) * case.shares(group))
    if silent:
        own = np.broadcast_to(own, (max(group.size, len(world.law(group))), group.size))
    scores = [own[seen[group.about][side][:limit]] for side in (0, 1)]
    truth = case.truth[group.about][tried]
    best: Ints = np.argmax(scores[1], axis=1)
    most = (np.argmax(scores[0], axis=1) == truth).mean()
    for other, table in _helpers(world, group, taught, known=known):
        for side in (0, 1):
            scores[side] = scores[side] + table[seen[other][side][:limit]]
        accuracy = (np.argmax(scores[0], axis=1) == truth).mean()
        if accuracy > most:
            best, most = np.argmax(scores[1], axis=1), accuracy
    return best


def _helpers(world: World, group: Group, taught: Ints, *, known: bool) -> list[tuple[str, Floats]]:
    """Return log P(output of another | value of this), outputs × values, most telling first."""
    case = world.case
    own = case.truth[group.about][taught].astype(np.int64)
    helpers = []
    for other in case.groups:
        if other is group or other.size * group.size > CELLS:
            continue
        if other.channel is not None and other not in case.hidden:
            continue  # its matrix is too large to be written out
        cells = own * other.size + case.truth[other.about][taught]
        table = np.bincount(cells, minlength=group.size * other.size).astype(np.float64)
        table = table.reshape(group.size, other.size)
        if other.channel is not None and world.kind != "plain" and not known:
            table = table @ world.law(other).T
        # One record's worth of the other's own shares: no value is ever taken to be impossible.
        table += (table.sum(axis=0) + 1e-9) / table.sum()
        given = table / table.sum(axis=1, keepdims=True)
        shares = table.sum(axis=1) / table.sum()
        telling = float((shares[:, None] * given * np.log(given / (shares @ given))).sum())
        helpers.append((telling, other.about, np.log(given).T))
    helpers.sort(key=lambda helper: -helper[0])
    return [(about, table) for _, about, table in helpers[:HELPERS]]
