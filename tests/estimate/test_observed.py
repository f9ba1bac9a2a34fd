"""How released columns are seen: cells, ranges, borders and weights, by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.channel import CoarseNoise, GammaDiagonal, Noise
from privet.coding import Coding
from privet.errors import DataError, MethodError
from privet.estimate import observed as module
from privet.estimate.observed import Column, Cut, cuts_of, groups_of, seen
from privet.estimate.reconstruction import cells_of
from privet.estimate.shares import shares
from privet.release import Part
from privet.table import MemoryTable

ROWS = 12
AGE = pv.Attribute.numeric("age", low=0, high=12, bins=6)
KIDS = pv.Attribute.numeric("kids", low=0, high=5, integer=True)
SCHEMA = pv.Schema(
    [
        AGE,
        KIDS,
        pv.Attribute.categorical("sky", ["sun", "rain", "snow"]),
        pv.Attribute.numeric("weight", low=0, high=8),
        pv.Attribute.numeric("debt", low=-4, high=8),
        pv.Attribute.categorical("ill", ["0", "1"]),
    ],
    target="ill",
)
EXACT = pv.Plan({}, default=pv.Exact())


def records(rows: int = ROWS) -> dict[str, Any]:
    places = np.arange(rows)
    return {
        "age": 0.5 + places % 12,
        "kids": places % 6,
        "sky": np.array(["sun", "rain", "snow"])[places % 3],
        "weight": 1.0 + places % 4,
        "debt": 1.0 + places % 4,
        "ill": np.array(["0", "1"])[places % 2],
    }


def column(coding: Coding, ranges: int = 10) -> Column:
    return Column(
        coding.name, coding, coding.size, None, lambda batch: batch.columns["x"], (), ranges
    )


# Ranges


@pytest.mark.parametrize("missing", [False, True])
def test_cells_are_shown_in_at_most_ten_ranges(missing: bool) -> None:
    def groups(cells: int, ranges: int = 10) -> list[int]:
        coding = Coding.cells("x", range(cells), range(1, cells + 1), missing=missing)
        found: list[int] = groups_of(column(coding, ranges), None).tolist()
        if missing:
            assert found.pop() == found[-1] + 1
        return found

    assert groups(3) == [0, 1, 2]
    assert groups(10) == list(range(10))
    assert groups(12) == [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert groups(5, ranges=2) == [0, 0, 0, 1, 1]
    sky = Coding.categories("x", ["a", "b", "c"], missing=missing)
    assert groups_of(column(sky), None).tolist() == list(range(3 + missing))


@pytest.mark.parametrize("missing", [False, True])
def test_borders_go_to_the_nearest_end_of_a_cell(missing: bool) -> None:
    coding = Coding.cells("x", [0, 2, 4, 6], [2, 4, 6, 8], missing=missing)

    def groups(*edges: float) -> list[int]:
        found: list[int] = groups_of(column(coding), edges).tolist()
        return found

    last = [1] * missing
    assert groups(2) == [0, 1, 1, 1, *[2] * missing]
    assert groups(2.9) == [0, 1, 1, 1, *[2] * missing]
    assert groups(3.1) == [0, 0, 1, 1, *[2] * missing]
    assert groups(7.9) == [0, 0, 0, 1, *[2] * missing]
    assert groups(2, 6) == [0, 1, 1, 2, *[3] * missing]
    assert groups(1.9, 2.1) == [0, 1, 1, 1, *[2] * missing]  # one border
    one = Coding.cells("x", [0], [8], missing=missing)
    assert groups_of(column(one), [3.0]).tolist() == [0, *last]


def test_cuts_say_where_edges_went() -> None:
    coding = AGE.coding()  # borders at 2, 4, 6, 8, 10
    assert cuts_of(AGE, coding, None) == ()
    assert cuts_of(AGE, Coding.cells("age", [0], [12]), [3.0]) == ()
    found = cuts_of(AGE, coding, [2, 4.9, 5.1, 6 + 1e-13])
    assert [(cut.asked, cut.border) for cut in found[:3]] == [(2, 2), (4.9, 4), (5.1, 6)]
    assert [cut.moved for cut in found] == [False, True, True, False]
    assert found[0] == Cut("age", 2.0, 2.0)
    whole = KIDS.coding()  # between 0 and 1, and so on
    found = cuts_of(KIDS, whole, [0, 1.7, 4.2])
    assert not any(cut.moved for cut in found)
    assert [cut.border for cut in found] == [0, 1.7, 4.2]
    coarse = Coding.cells("kids", [0, 3], [2, 5])
    assert [cut.border for cut in cuts_of(KIDS, coarse, [1, 2.9])] == [2.0, 2.9]


def test_cells_are_cut_at_the_borders_asked_for_as_well() -> None:
    assert module._cells(AGE, 3, None).edges.tolist() == [4, 8]
    found = module._cells(AGE, 3, [0.0, 1.5, 4.0, 12.0, 13.0])
    assert found.edges.tolist() == [0.0, 1.5, 4.0, 8.0]  # none at the end or beyond
    whole = module._cells(KIDS, 2, [0.5, 3.9])
    assert np.asarray(whole.upper).tolist() == [0, 2, 3, 5]


# Columns


def test_exact_numbers_have_256_cells() -> None:
    (part,) = seen(EXACT.disguise(records(), SCHEMA), ("weight",), {})
    assert part.columns[0].outputs == part.columns[0].coding.size == 256
    assert part.factors == (None,)
    assert part.counts.weights.sum() == part.counts.rows == ROWS
    assert part.counts.squares is part.counts.weights


@pytest.mark.parametrize(("sigma", "rows"), [(0.5, 100), (2.0, 1_000), (2.0, 30_000), (6.0, 50)])
def test_noisy_numbers_have_as_many_ranges_as_can_be_told(sigma: float, rows: int) -> None:
    """The most for which no share's error, were numbers even, is above a twentieth."""
    noise = Noise.gaussian("age", low=0, high=12, sigma=sigma)
    held = {name: np.zeros(rows, np.uint8) for name in SCHEMA.names} | {"age": np.zeros(rows)}
    made = module._noisy(Part(MemoryTable(held), (noise,)), noise, AGE, None)
    told = [
        ranges
        for ranges in (10, 5, 4, 3, 2)
        if module._told(CoarseNoise.of(noise, AGE.coding(2 * ranges), fine=2.0), rows)
    ]
    assert made.ranges == (told[0] if told else 2)
    assert made.coding.known == 2 * made.ranges
    cut = module._noisy(Part(MemoryTable(held), (noise,)), noise, AGE, [5.3])
    assert 5.3 in cut.coding.edges
    assert cut.ranges == made.ranges
    assert made.outputs == len(np.asarray(made.matrix))


def test_what_can_be_told_is_told_by_enough_records() -> None:
    """Hardly any noise: a fifth of n records has the error √(n / 5 · 4 / 5) at most."""
    coarse = CoarseNoise.of(*(noise := Noise.uniform("age", low=0, high=12, alpha=1e-6),
                              cells_of(noise, 10)))  # fmt: skip
    # √(n / 5) ≤ n / 20, as outputs are taken to vary like Poisson's: from n = 80 on.
    assert module._told(coarse, 82)
    assert not module._told(coarse, 78)
    alike = CoarseNoise.of(
        wide := Noise.uniform("age", low=0, high=12, alpha=6), cells_of(wide, 10)
    )
    assert not module._told(alike, 82)


def test_parts_with_other_cells_than_the_largest_are_left_out() -> None:
    release = pv.RandomSubstitution(gamma=9, wave=0).disguise(records(), SCHEMA, seed=1)
    first = release.parts[0]
    columns = {name: column[:4] for name, column in first.table.collect(99).columns.items()}
    halves = Coding.cells("age", [0, 6], [6, 12])
    columns["age"] = (columns["age"] % 2).astype(np.uint8)
    channels = tuple(c for c in first.channels if c.attributes != ("age",))
    other = Part(
        MemoryTable(columns), (*channels, GammaDiagonal("age", 2, 5)), codings={"age": halves}
    )
    both = replace(release, parts=(other, first), drawn=True)
    assert [part.counts.rows for part in seen(both, ("age",), {})] == [ROWS]
    assert [part.counts.rows for part in seen(both, ("sky",), {})] == [4, ROWS]
    assert shares(both, "age").rows == ROWS


def test_two_columns_of_one_group_have_one_law() -> None:
    plan = pv.Plan({}, default=pv.Exact(), groups=[pv.JointGroup(["sky", "kids"], gamma=8, bins=2)])
    release = plan.disguise(records(), SCHEMA, seed=1)
    (both,) = seen(release, ("kids", "sky"), {})
    assert len(both.factors) == 1
    assert np.asarray(both.factors[0]).shape == (6, 6)
    (other,) = seen(release, ("kids", "ill"), {})
    assert other.factors[1] is None
    assert np.asarray(other.factors[0]).shape == (2, 2)
    (plain,) = seen(release, ("weight", "ill"), {})
    assert plain.factors == (None, None)
    groups = [
        pv.JointGroup(["sky", "kids"], gamma=8, bins=2),
        pv.JointGroup(["age", "debt"], gamma=8, bins=2),
    ]
    apart = pv.Plan({}, default=pv.Exact(), groups=groups)
    (two,) = seen(apart.disguise(records(), SCHEMA, seed=1), ("kids", "age"), {})
    assert [np.asarray(factor).shape for factor in two.factors] == [(2, 2), (2, 2)]


def test_nothing_to_count() -> None:
    release = EXACT.disguise(records(), SCHEMA)
    empty = replace(release, parts=(replace(release.parts[0], table=MemoryTable(
        {name: column[:0] for name, column in release.parts[0].table.collect(99).columns.items()}
    )),))  # fmt: skip
    with pytest.raises(DataError, match="has no rows"):
        shares(empty, "sky")
    columns = release.parts[0].table.collect(99).columns
    blind = replace(
        release.parts[0], table=MemoryTable({n: c for n, c in columns.items() if n != "sky"})
    )
    with pytest.raises(DataError, match="no record that tells of sky and ill"):
        seen(replace(release, parts=(blind,), drawn=True), ("sky", "ill"), {})


# Weights


def test_weights_are_counted_to_a_65536th_of_the_largest() -> None:
    release = EXACT.disguise(records(), SCHEMA)
    (part,) = seen(release, ("sky", "ill"), {}, "weight")
    weight, held = records()["weight"], records()
    first, second = np.zeros((3, 2)), np.zeros((3, 2))
    places = ["sun", "rain", "snow"].index
    codes = [places(one) for one in held["sky"].tolist()], held["ill"].astype(int)
    np.add.at(first, codes, weight)
    np.add.at(second, codes, weight**2)
    assert part.counts.weights == pytest.approx(first)
    assert part.counts.squares == pytest.approx(second)
    assert part.counts.rows == ROWS
    assert 2**31 * module._UNIT**2 <= 2**63  # squares of two billion records fit
    assert module._UNIT >= 2**16


def test_weights_must_be_exact_numbers_from_zero() -> None:
    release = EXACT.disguise(records(), SCHEMA)
    for wrong in ("debt", "sky"):
        with pytest.raises(MethodError, match="exact numbers from 0"):
            shares(release, "sky", weights=wrong)
    noisy = pv.Plan({"weight": pv.AdditiveNoise(level=0.5)}, default=pv.Exact())
    with pytest.raises(MethodError, match="exact numbers from 0"):
        shares(noisy.disguise(records(), SCHEMA, seed=1), "sky", weights="weight")
    zero = pv.Attribute.numeric("weight", low=0, high=0, integer=True)
    nothing = SCHEMA.with_attributes(zero if one.name == "weight" else one for one in SCHEMA)
    held = records() | {"weight": np.zeros(ROWS, int)}
    with pytest.raises(MethodError, match="exact numbers from 0"):
        shares(EXACT.disguise(held, nothing), "sky", weights="weight")
    one = pv.Attribute.numeric("weight", low=0, high=1, integer=True)
    some = SCHEMA.with_attributes(one if two.name == "weight" else two for two in SCHEMA)
    held = records() | {"weight": np.arange(ROWS) % 2}
    assert shares(EXACT.disguise(held, some), "ill", weights="weight").shares.tolist() == [0, 1]
    with pytest.raises(DataError, match="weight above 0"):
        shares(
            EXACT.disguise(records() | {"weight": np.zeros(ROWS)}, SCHEMA), "sky", weights="weight"
        )


def test_edges_lie_inside_the_range() -> None:
    release = EXACT.disguise(records(), SCHEMA)
    assert shares(release, "age", edges=[0.0, 11.99]).labels[0][0] == "0"
    for outside in ([-0.01], [12.0], [3.0, 12.5]):
        with pytest.raises(DataError, match="outside its range, 0 to 12"):
            shares(release, "age", edges=outside)
