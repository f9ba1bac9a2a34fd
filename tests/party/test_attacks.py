"""Attacks on groups: where each succeeds, against blind guess, control and null."""

from typing import Any

import numpy as np
import pytest

from privet.disguise import RandomizedResponse
from privet.errors import DataError, InputError, MethodError
from privet.party.attacks import collusion, guess_group, impossible_opposite, known_value
from privet.release import Release
from privet.schema import Attribute, Schema

NAMES = ["a", "b", "c", "d", "e"]
SCHEMA = Schema(
    [*(Attribute.categorical(name, [0, 1]) for name in NAMES), Attribute.categorical("y", [0, 1])],
    target="y",
)
GROUPS = [["a", "b", "c"], ["d"], ["e"]]


def records(rows: int, *, ordered: bool = False) -> dict[str, Any]:
    """Independent bits; or a ≤ b ≤ c, so that most opposites never occur, and d = a."""
    rng = np.random.default_rng(8)
    made = {name: rng.integers(0, 2, rows) for name in [*NAMES, "y"]}
    if ordered:
        level = rng.integers(1, 3, rows)
        made |= {name: (level > k).astype(int) for k, name in ((2, "a"), (1, "b"), (0, "c"))}
        made["d"] = made["b"]
    return made


def released(frame: dict[str, Any], **told: Any) -> Release:
    wish = RandomizedResponse(GROUPS, **(told or {"theta": 0.7}))
    return wish.disguise(frame, SCHEMA, seed=8, shuffle=False)


def test_one_known_value_gives_a_flip_group_away() -> None:
    frame = records(4000)
    found = known_value(released(frame), frame, "b")
    assert found.value == 1.0
    assert found.interval[1] == 1.0
    assert found.control == 1.0
    assert found.blind == pytest.approx(0.25, abs=0.05)
    assert found.null == pytest.approx(0.25, abs=0.05)
    assert found.records == 4000


def test_a_joint_channel_does_not_fall_to_one_known_value() -> None:
    frame = records(4000)
    found = known_value(released(frame, gamma=3), frame, "b")
    assert found.value < 0.6
    assert found.control == 1.0


def test_impossible_opposites() -> None:
    frame = records(4000, ordered=True)
    release = released(frame)
    assert impossible_opposite(release, frame, ["a", "b", "c"]).value == 1.0
    mixed = records(4000)
    free = impossible_opposite(released(mixed), mixed, ["a", "b", "c"])
    assert free.value == pytest.approx(0.7, abs=0.05)
    assert free.blind == pytest.approx(1 / 8, abs=0.05)
    assert free.null == pytest.approx(1 / 8, abs=0.05)
    assert free.interval[0] < free.value < free.interval[1]


def test_colluding_parties_know_more() -> None:
    frame = records(4000, ordered=True)
    wish = RandomizedResponse([["a"], ["b"], ["c"], ["d"], ["e"]], theta=0.7)
    release = wish.disguise(frame, SCHEMA, seed=8, shuffle=False)
    alone = guess_group(release, frame, ["d"])
    together = collusion(release, frame, ["d"], ["b", "e"])
    assert together.value == together.blind == 1.0  # d is b: no report is needed
    assert alone.value == pytest.approx(0.7, abs=0.05)
    assert alone.control == 1.0


def test_a_prior_may_come_from_elsewhere() -> None:
    frame = records(4000)
    found = guess_group(released(frame), frame, ["a", "b", "c"], prior=records(200, ordered=True))
    assert 0.2 < found.value < 0.8


def test_what_cannot_be_attacked() -> None:
    frame = records(100)
    release = released(frame)
    with pytest.raises(InputError, match="not those of one channel"):
        guess_group(release, frame, ["a", "b"])
    with pytest.raises(InputError, match="no group of two or more"):
        known_value(release, frame, "d")
    with pytest.raises(InputError, match="of the group that is attacked"):
        collusion(release, frame, ["a", "b", "c"], ["a"])
    with pytest.raises(DataError, match="not as many"):
        guess_group(release, records(99), ["a", "b", "c"])
    mixed = RandomizedResponse(GROUPS, theta=0.7).disguise(frame, SCHEMA)
    with pytest.raises(MethodError, match="in the order of the originals"):
        guess_group(mixed, frame, ["a", "b", "c"])
