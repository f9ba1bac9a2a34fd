"""Points of ranges, drawn at random, and ranges of dates."""

import datetime as dt
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet.channel import Band, GammaDiagonal
from privet.coding import Coding
from privet.disguise import Complement, Exact, Plan, Substitution
from privet.errors import MethodError
from privet.release import Release
from privet.release.ranges import _random_points, as_date, near_cells, range_words
from privet.schema import Attribute, Schema


def test_every_whole_number_of_a_range_is_drawn_and_no_other() -> None:
    coding = Coding.cells("kids", [0, 3, 6], [2, 5, 9])
    first, last = np.zeros(3000, np.int64), np.ones(3000, np.int64)
    points = _random_points(coding, first, last, np.random.default_rng(1), whole=True)
    seen, often = np.unique(points, return_counts=True)
    assert seen.tolist() == [0, 1, 2, 3, 4, 5]
    assert often.min() > 350  # 500 each, give or take 20


def test_cells_of_dates_are_shown_as_dates() -> None:
    """Whether they went through a band, which releases ranges, or are cells themselves."""
    schema = Schema(
        [
            Attribute.numeric("day", low=dt.date(2022, 1, 1), high=dt.date(2022, 1, 31)),  # type: ignore[arg-type]
            Attribute.numeric("age", low=0, high=9, integer=True),
            Attribute.categorical("ill", ["no", "yes"]),
        ],
        target="ill",
    )
    days = (np.arange(60) % 31) + (dt.date(2022, 1, 1) - dt.date(1970, 1, 1)).days
    table = {"day": days, "age": np.arange(60) % 10, "ill": np.array(["no", "yes"] * 30)}
    for kind in ("band", "gamma-diagonal"):
        plan = Plan({"day": Substitution(8, bins=3, kind=kind)}, default=Substitution(8))
        shown = plan.disguise(table, schema, seed=1).head(60)
        assert all(
            re.fullmatch(r"2022-01-\d\d to 2022-01-\d\d", said) for said in shown["day"].to_pylist()
        )
        assert not any("-" in said for said in shown["age"].to_pylist())
    assert as_date(1e12) == "1e+12"


def test_points_of_a_range_lie_between_its_ends_and_missing_ones_stay_missing() -> None:
    coding = Coding.cells("pay", [0, 10, 20], [10, 20, 40], missing=True)
    first, last = np.array([0, 1, 2, 0, 3, 1]), np.array([0, 2, 2, 3, 3, 3])
    places = np.random.default_rng(4).random(6)
    points = _random_points(coding, first, last, np.random.default_rng(4), whole=False)
    begin, end = np.array([0, 10, 20, 0, np.nan, 10]), np.array([10, 40, 40, 40, np.nan, 40])
    assert np.allclose(points, begin + places * (end - begin), equal_nan=True)


def test_ranges_are_shown_by_random_points_of_them() -> None:
    """A released code of a band stands for several cells; a point is drawn from all of them."""
    schema = Schema(
        [
            Attribute.numeric("age", low=0, high=80, bins=8),
            Attribute.categorical("ill", ["no", "yes"]),
        ],
        target="ill",
    )
    ages = np.linspace(0, 80, 400)
    table = {"age": ages, "ill": np.array(["no", "yes"] * 200)}
    plan = Plan({"age": Substitution(5, kind="band"), "ill": Substitution(8)})
    release = plan.disguise(table, schema, seed=1)
    channel = release.parts[0].channel("age")
    assert channel is not None
    assert channel.output_size > channel.input_size
    codes = release.parts[0].table.collect(400).columns["age"]
    first, last = (cells[codes] for cells in near_cells(channel))
    points = release.to_frame(representative="random", seed=3)["age"].to_numpy()
    assert ((points >= 10 * first) & (points <= 10 * (last + 1))).all()
    assert len(np.unique(points)) == 400


def test_ranges_in_words() -> None:
    """Whole numbers from 0 to 2, then 3 alone, then from 4 on; some are missing."""
    cells = Coding.cells("kids", [0, 3, 4], [2, 3, 9], missing=True)
    assert range_words(cells, None).tolist() == ["0 to 2", "3", "4 to 9", "missing"]
    band = Band("kids", 4, 8, half=1)
    assert range_words(cells, band).tolist() == [
        "0 to 2",
        "0 to 3",
        "0 to 9",
        "3 to 9 or missing",
        "4 to 9 or missing",
        "missing",
    ]
    days = Coding.cells("day", [0, 31], [30, 58])
    said = ["1970-01-01 to 1970-01-31", "1970-02-01 to 1970-02-28"]
    assert range_words(days, None, days=True).tolist() == said


def test_codes_come_likeliest_from_where_the_law_is_largest() -> None:
    """Up to what sharing out words leaves over: a millionth is no difference."""
    kept = near_cells(GammaDiagonal("car", 5, 3))
    assert [side.tolist() for side in kept] == [[0, 1, 2, 3, 4]] * 2
    law = np.array(
        [
            [0.5, 0.5, 0.1, 0.1],
            [0.1, 0.2, 0.2 * (1 - 5e-7), 0.1],
            [0.1, 0.1, 0.4, 0.4 * (1 - 5e-6)],
            [0.3, 0.2, 0.3, 0.4],
        ]
    )
    channel: Any = SimpleNamespace(levels=lambda: None, matrix=lambda: law)
    assert [side.tolist() for side in near_cells(channel)] == [[0, 1, 2, 3], [1, 2, 2, 3]]
    band = Band("age", 4, 8, half=1)
    first, last = near_cells(band)
    assert first.tolist() == [0, 0, 0, 1, 2, 3]
    assert last.tolist() == [0, 1, 2, 3, 3, 3]


@pytest.mark.parametrize("rows", [-1, 0, 1, 5, 6, 9, 12, 50])
def test_the_first_records_are_those_of_the_first_part(rows: int) -> None:
    schema = Schema(
        [Attribute.categorical("car", ["a", "b", "c"]), Attribute.categorical("ill", ["n", "y"])],
        target="ill",
    )
    parts = [
        Plan({}, default=Substitution(8)).disguise(
            {"car": list("abcabc"), "ill": list("nynyny")}, schema, seed=seed
        )
        for seed in (1, 2)
    ]
    both = replace(parts[0], parts=(*parts[0].parts, *parts[1].parts))
    every = [record for one in parts for record in one.to_frame().to_pylist()]
    assert len(every) == 12
    assert both.head(rows).to_pylist() == every[: max(rows, 0)]
    assert both.head(rows).column_names == ["car", "ill"]
    assert both.to_frame().to_pylist() == every


def test_what_completes_a_table_is_no_table_of_records() -> None:
    schema = Schema(
        [Attribute.categorical("car", ["a", "b"]), Attribute.categorical("ill", ["n", "y"])],
        target="ill",
    )
    release = Complement().disguise({"car": list("ab"), "ill": list("ny")}, schema)
    with pytest.raises(MethodError, match="no records of its own"):
        release.to_frame()
    with pytest.raises(MethodError, match="no records of its own"):
        release.head(1)


def test_whole_points_of_a_range_reach_from_its_first_number_to_its_last() -> None:
    coding = Coding.cells("kids", [3, 6], [5, 9])
    rng, places = np.random.default_rng(2), np.random.default_rng(2).random(500)
    first = np.arange(500) % 2
    points = _random_points(coding, first, np.ones(500, np.int64), rng, whole=True)
    begin, count = np.where(first, 6, 3), np.where(first, 4, 7)
    assert points.tolist() == np.floor(begin + places * count).tolist()
    assert (set(points[::2]), set(points[1::2])) == ({*range(3, 10)}, {*range(6, 10)})


def test_missing_values_are_shown_as_none() -> None:
    """Exact numbers, centres of cells, random points of ranges, and ranges in words."""
    ages = [Attribute.numeric(name, low=0, high=9, bins=3, missing="category") for name in "abc"]
    schema = Schema([*ages, Attribute.categorical("ill", ["n", "y"])], target="ill")
    table = {name: np.array([np.nan, 5.0] * 30) for name in "abc"}
    plan = Plan(
        {
            "a": Exact(),
            "b": Substitution(1e9, kind="gamma-diagonal"),
            "c": Substitution(1e9, kind="band"),
        },
        default=Exact(),
    )
    made = plan.disguise({**table, "ill": np.array(["n", "y"] * 30)}, schema, seed=1)
    channel = made.parts[0].channel("c")
    assert channel is not None
    shown = made.to_frame(representative="random", seed=1)
    for name in "ab":
        assert shown[name].null_count == 30
        assert made.to_frame()[name].null_count == 30
    assert made.head(60)["b"].null_count == 30
    assert made.head(60)["a"].to_pylist().count(None) == 30


def test_random_points_of_missing_ranges_are_none() -> None:
    schema = Schema(
        [
            Attribute.numeric("c", low=0, high=9, bins=3, missing="category"),
            Attribute.categorical("ill", ["n", "y"]),
        ],
        target="ill",
    )
    channels = [Band("c", 4, 8, half=1)]
    rows = {"c": np.arange(6), "ill": np.zeros(6, np.int64)}
    made = Release.of_disguised(schema, channels, rows, shuffle=False)
    shown = made.to_frame(representative="random", seed=1)["c"]
    assert [value is None for value in shown.to_pylist()] == [False] * 5 + [True]
    assert made.to_frame()["c"].to_pylist()[-1] is None
