"""Attacks on groups that are disguised together: what a curious reader makes of them.

An attacker knows the channel, what is usual among people (a prior over the group's values) and
some values of the victim: one value of the group, or what colluding parties hold. The best guess
is the likeliest original given all of it: P(x | y, x_C) ∝ P(x | x_C) · A(y | x) (methods.md §6).
Every attack comes with the blind guess (all but the report), a control (no disguise at all) and a
null (a report that has nothing to do with the record).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, InputError, MethodError
from privet.frames import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.channel import Channel
    from privet.release import Release

__all__ = ["Outcome", "collusion", "guess_group", "impossible_opposite", "known_value"]

MAX_VALUES = 1 << 12  # joint values of a group that is attacked


@dataclass(frozen=True)
class Outcome:
    """How often an attack names the whole group's values rightly, and what to compare it with.

    ``interval`` is Wilson's at 95 %. ``blind`` is the success without the report, ``control`` with
    the originals in its place, ``null`` with the report of another record.
    """

    name: str
    value: float
    interval: tuple[float, float]
    blind: float
    control: float
    null: float
    records: int


def _outcome(name: str, hits: dict[str, NDArray[np.bool_]]) -> Outcome:
    right = hits["attack"]
    n, share = len(right), float(right.mean())
    z = 1.959963984540054
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    blind, control, null = (float(hits[key].mean()) for key in ("blind", "control", "null"))
    interval = max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
    return Outcome(name, share, interval, blind, control, null, n)


def guess_group(
    release: Release,
    original: Any,
    group: Sequence[str],
    *,
    known: Sequence[str] = (),
    prior: Any = None,
    name: str = "guess a group",
) -> Outcome:
    """Guess the values of one group of every record, knowing some attributes of it already.

    Parameters
    ----------
    release
        A release of one part whose rows are in the order of ``original``: disguise with
        ``shuffle=False``.
    original
        The original records, cut as the release shows them where it cuts.
    group
        The attributes of one channel.
    known
        Attributes whose true values the attacker has, of this group or of others. The class, if
        it is released plainly, is always known.
    prior
        Records to learn from what is usual; by default the originals, the strongest attacker.
    """
    part, channel = _channel(release, group)
    size = channel.input_size
    if size > MAX_VALUES:
        message = f"The group has {size:,} joint values; at most {MAX_VALUES:,} are attacked."
        raise MethodError(message, hint="attack a smaller group.")
    held = _codes(release, original)
    usual = held if prior is None else _codes(release, prior)
    rows = part.table.rows
    if len(next(iter(held.values()))) != rows:
        raise DataError("The originals are not as many as the released records.")
    released = part.table.collect(rows).columns
    target = release.schema.target
    fixed = [*known, *([] if part.channel(target) or target in known else [target])]
    truth = channel.join(held).astype(np.int64)
    seen = channel.join(released).astype(np.int64)
    # The likelihood of what is known of the group itself is 0 or 1.
    inside = [one for one in fixed if one in group]
    outside = [one for one in fixed if one not in group]
    scene, usual_scene = _scene(held, usual, outside, release)
    table = np.zeros((int(max(scene.max(), usual_scene.max())) + 1, size))
    np.add.at(table, (usual_scene, channel.join(usual).astype(np.int64)), 1.0)
    overall = table.sum(0)
    empty = table.sum(1) == 0
    table[empty] = overall
    parts = channel.part(np.arange(size))
    law = channel.matrix() / channel.scale
    other = np.roll(seen, 1)
    hits: dict[str, list[NDArray[np.bool_]]] = {
        key: [] for key in ("attack", "blind", "control", "null")
    }
    for start in range(0, rows, 1 << 14):
        span = slice(start, start + (1 << 14))
        belief = table[scene[span]].copy()
        for one in inside:
            belief *= parts[one][None, :] == held[one][span, None]
        goal = truth[span]
        identity = np.eye(size)
        for key, likelihood in (
            ("attack", law[seen[span]]),
            ("blind", np.ones((1, size))),
            ("control", identity[goal]),
            ("null", law[other[span]]),
        ):
            # Ties, and a prior that never saw the truth, go to what the report itself says.
            posterior = belief * likelihood + 1e-9 * likelihood
            hits[key].append(posterior.argmax(1) == goal)
    return _outcome(name, {key: np.concatenate(found) for key, found in hits.items()})


def known_value(release: Release, original: Any, attribute: str, *, prior: Any = None) -> Outcome:
    """Guess a group from its report and the true value of one of its attributes.

    A flip group is then given away whole: the one value says whether the report was turned round.
    """
    part = _single(release)
    channel = part.channel(attribute)
    if channel is None or len(channel.attributes) < 2:
        message = f"{attribute!r} is in no group of two or more."
        raise InputError(message, hint="name an attribute of a group that is disguised together.")
    name = "one known value"
    group = channel.attributes
    return guess_group(release, original, group, known=[attribute], prior=prior, name=name)


def impossible_opposite(
    release: Release, original: Any, group: Sequence[str], *, prior: Any = None
) -> Outcome:
    """Guess a flip group from its report and what is usual.

    Where the opposite of a report never occurs, the report is the truth.
    """
    return guess_group(release, original, group, prior=prior, name="impossible opposites")


def collusion(
    release: Release,
    original: Any,
    group: Sequence[str],
    colluders: Sequence[str],
    *,
    prior: Any = None,
) -> Outcome:
    """Guess one party's group when other parties put their true values on the table.

    ``colluders`` are the attributes those parties hold.
    """
    inside = sorted(set(colluders) & set(group))
    if inside:
        message = f"{inside[0]!r} is of the group that is attacked, not of a colluding party."
        raise InputError(message)
    return guess_group(
        release, original, group, known=list(colluders), prior=prior, name="colluding parties"
    )


def _single(release: Release) -> Any:
    if len(release.parts) != 1 or release.shuffled:
        message = "An attack is measured on a release of one part in the order of the originals."
        raise MethodError(message, hint="disguise with shuffle=False to measure it.")
    return release.parts[0]


def _channel(release: Release, group: Sequence[str]) -> tuple[Any, Channel]:
    part = _single(release)
    for channel in part.channels:
        if set(channel.attributes) == set(group):
            return part, channel
    message = "The attributes to guess are not those of one channel of the release."
    groups = "; ".join(", ".join(channel.attributes) for channel in part.channels)
    raise InputError(message, hint=f"its groups are: {groups}.")


def _codes(release: Release, records: Any) -> dict[str, NDArray[Any]]:
    raw = columns(records, release.schema.names)
    held = {}
    for name, coding in release.codings.items():
        if coding is not None:
            held[name] = release.schema[name].encode(raw[name], coding)
    return held


def _scene(
    held: dict[str, NDArray[Any]],
    usual: dict[str, NDArray[Any]],
    names: Sequence[str],
    release: Release,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the combinations of what is known outside the group, alike in both tables."""
    absent = [name for name in names if name not in held]
    if absent:
        raise InputError(f"{absent[0]!r} is not a coded attribute of the release.")
    both = {name: np.concatenate([held[name], usual[name]]).astype(np.int64) for name in names}
    scene = np.zeros(len(next(iter(held.values()))) + len(next(iter(usual.values()))), np.int64)
    for name, column in both.items():
        coding = release.codings[name]
        scene = scene * (1 if coding is None else coding.size) + column
        _, scene = np.unique(scene, return_inverse=True)
    rows = len(next(iter(held.values())))
    return scene[:rows], scene[rows:]
