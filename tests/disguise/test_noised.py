"""Words made into numbers between 0 and 1, and noise that follows from them, by plain twins."""

from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.disguise.forest_framework import check_noise, dealt
from privet.disguise.noised import normals, uniforms
from privet.errors import PlanError
from privet.randomness import Randomness
from privet.table import MemoryTable

SCHEMA = pv.Schema(
    [
        pv.Attribute.numeric("age", low=20, high=80),
        pv.Attribute.numeric("kids", low=1, high=6, integer=True),
        pv.Attribute.categorical("sky", ["sun", "rain", "snow", "fog"]),
        pv.Attribute.categorical("one", ["only"]),
        pv.Attribute.categorical("ill", ["no", "yes"]),
    ],
    target="ill",
)


class Words:
    """A source whose words are known."""

    def __init__(self, *words: int) -> None:
        self.held = np.array(words, np.uint32)
        self.asked: list[tuple[int, int, int]] = []

    def words(self, stream: int, start: int, count: int) -> Any:
        self.asked.append((stream, start, count))
        return self.held[start : start + count]


def test_numbers_between_0_and_1_by_hand() -> None:
    """The upper 53 of 64 bits and a half, over 2⁵³: never 0 and never 1."""
    most = 2**32 - 1
    source: Any = Words(0, 0, 2**31, 0, 1, 2**11, most, 2**31, most, most)
    drawn = uniforms(source, 7, 5)
    assert source.asked == [(7, 0, 10)]
    assert drawn.tolist() == [
        2.0**-54,
        0.5 + 2.0**-54,
        2.0**-32 + 1.5 * 2.0**-53,
        (most * 2**21 + 2**20 + 0.5) / 2**53,
        1 - 2.0**-53,
    ]
    assert normals(source, 7, 5)[0] == pytest.approx(-8.29236, abs=1e-5)
    assert normals(source, 7, 5)[1] == pytest.approx(0, abs=1e-12)


def people(rows: int) -> MemoryTable:
    rng = np.random.default_rng(6)
    return MemoryTable(
        {
            "age": rng.uniform(20, 80, rows),
            "kids": rng.integers(1, 7, rows).astype(np.float64),
            "sky": rng.integers(0, 4, rows).astype(np.uint8),
            "one": np.zeros(rows, np.uint8),
            "ill": rng.integers(0, 2, rows).astype(np.uint8),
        }
    )


@pytest.mark.parametrize(("noise", "change"), [(0.1, 0.3), (0.6, 1.0), (0.05, 0.0), (0.25, 0.9)])
def test_uniform_noise_is_its_plain_twin(noise: float, change: float) -> None:
    table, rows = people(300), 300
    with Randomness.seeded(8) as source:
        made = pv.RandomNoise(noise, change).perturb(table, SCHEMA, source).columns
        drawn = {name: uniforms(source, place, rows) for place, name in enumerate(SCHEMA.names)}
    for name, size in (("sky", 4), ("one", 1), ("ill", 2)):
        for row in range(rows):
            code, part = int(table.columns[name][row]), float(drawn[name][row])
            if part < change and size > 1:
                code = (code + 1 + int(part / change * (size - 1))) % size
            assert made[name][row] == code
        assert made[name].dtype == table.columns[name].dtype
    if change == 1:
        assert (made["sky"] != table.columns["sky"]).all()
    shift = noise * 60 * (2 * drawn["age"] - 1)
    inside = 80 - np.mod(80 - table.columns["age"] - shift, 60)
    assert made["age"] == pytest.approx(inside)
    moved = np.rint(table.columns["kids"] + noise * 5 * (2 * drawn["kids"] - 1))
    assert made["kids"].tolist() == (1 + np.mod(moved - 1, 6)).tolist()


@pytest.mark.parametrize(
    ("noise", "mean", "said"),
    [
        (0, 0.0, "noise must be a number above 0"),
        (-1, 0.0, "noise must be a number above 0"),
        (True, 0.0, "noise must be a number above 0"),
        ("1", 0.0, "noise must be a number above 0"),
        (float("inf"), 0.0, "noise must be a number above 0"),
        (float("nan"), 0.0, "noise must be a number above 0"),
        (0.1, float("inf"), "mean must be a finite number"),
        (0.1, True, "mean must be a finite number"),
        (0.1, "0", "mean must be a finite number"),
    ],
)
def test_noise_that_cannot_be(noise: object, mean: object, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        check_noise("RandomNoise", noise, SCHEMA, mean)


def test_noise_that_can_be() -> None:
    for noise, mean in ((0.5, 0), (1e9, -3.5), (np.float64(2), np.int64(1))):
        check_noise("RandomNoise", noise, SCHEMA, mean)
    flat = pv.Attribute.numeric("flat", low=3, high=3)
    with pytest.raises(PlanError, match="'flat' is a single number"):
        check_noise("RandomNoise", 0.5, pv.Schema([flat, SCHEMA["ill"]], target="ill"))


@pytest.mark.parametrize("groups", [3, 65_535, 65_536, 65_537])
def test_records_change_hands_inside_their_group_only(groups: int) -> None:
    """Also where the numbers of groups take more than two bytes: the first and last are large."""
    member = np.concatenate([np.zeros(40, np.int64), np.arange(groups), np.full(30, groups - 1)])
    codes = (np.arange(len(member)) % 4).astype(np.uint8)
    schema = pv.Schema([SCHEMA["sky"], SCHEMA["ill"]], target="ill")
    table = MemoryTable({"sky": codes, "ill": codes % 2})
    with Randomness.seeded(1) as source:
        made = dealt(member, table, ["sky"], schema, source)["sky"]
    alone = (member > 0) & (member < groups - 1)
    assert np.array_equal(made[alone], codes[alone])
    for group in (0, groups - 1):
        inside = member == group
        assert np.array_equal(np.bincount(made[inside]), np.bincount(codes[inside]))
        assert not np.array_equal(made[inside], codes[inside])
