"""Attacks on groups: where each succeeds, against blind guess, control and null."""

from typing import Any

import numpy as np
import pytest

from privet.audit import audit, guess_group
from privet.disguise import RandomizedResponse
from privet.errors import InputError, MethodError
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
    return wish.disguise(frame, SCHEMA, seed=8)


def test_one_known_value_gives_a_flip_group_away() -> None:
    frame = records(4000)
    found = guess_group(released(frame), frame, GROUPS[0], known=["b"], seed=1)
    assert found.value == found.high == found.control == 1.0
    assert found.blind == pytest.approx(0.25, abs=0.05)
    assert found.null == pytest.approx(0.25, abs=0.05)
    (one,) = audit(released(frame), frame, attacks=["known-value"], trees=False, seed=1).attacks
    assert (one.value, one.about) == (1.0, "a × b × c")


def test_a_joint_channel_does_not_fall_to_one_known_value() -> None:
    frame = records(4000)
    found = guess_group(released(frame, gamma=3), frame, GROUPS[0], known=["b"], seed=1)
    assert found.value < 0.6
    assert found.control == 1.0
    assert found.fits


def test_impossible_opposites() -> None:
    frame = records(4000, ordered=True)
    assert guess_group(released(frame), frame, GROUPS[0], seed=1).value == 1.0
    mixed = records(4000)
    free = guess_group(released(mixed), mixed, GROUPS[0], seed=1)
    assert free.value == pytest.approx(0.7, abs=0.05)
    assert free.blind == pytest.approx(1 / 8, abs=0.05)
    assert free.null == pytest.approx(1 / 8, abs=0.05)
    assert free.low < free.value < free.high
    (one,) = audit(released(frame), frame, attacks=["opposite"], trees=False, seed=1).attacks
    assert one.value == 1.0


def test_colluding_parties_know_more() -> None:
    frame = records(4000, ordered=True)
    wish = RandomizedResponse([["a"], ["b"], ["c"], ["d"], ["e"]], theta=0.7)
    release = wish.disguise(frame, SCHEMA, seed=8)
    alone = guess_group(release, frame, ["d"], seed=1)
    together = guess_group(release, frame, ["d"], known=["b", "e"], seed=1)
    assert together.value == together.blind == 1.0  # d is b: no report is needed
    assert alone.value == pytest.approx(0.7, abs=0.05)
    assert alone.control == 1.0
    asked = audit(release, frame, attacks=["collusion"], trees=False, seed=1)
    assert {one.about: one.value for one in asked.attacks}["d"] == 1.0


def test_the_plain_class_is_known_to_all() -> None:
    frame = records(4000)
    frame["a"] = frame["y"]
    found = guess_group(released(frame), frame, GROUPS[0], seed=1)
    assert found.value == 1.0


def test_what_cannot_be_attacked() -> None:
    frame = records(100)
    release = released(frame)
    with pytest.raises(InputError, match="not those of one channel"):
        guess_group(release, frame, ["a", "b"])
    with pytest.raises(InputError, match="'z' is not an attribute that can be known"):
        guess_group(release, frame, ["d"], known=["z"])


def test_too_much_may_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.audit.attacks.groups.WORK", 10)
    frame = records(100)
    with pytest.raises(MethodError, match="too many values"):
        guess_group(released(frame), frame, GROUPS[0], known=["d"])
