"""Releases in memory: what they hold, splitting, showing, verifying."""

import re
from dataclasses import replace

import numpy as np
import pytest

from privet.channel import Band, GammaDiagonal, Noise
from privet.disguise import Exact, Plan, RandomSubstitution, Substitution
from privet.errors import MethodError, ReleaseError
from privet.release import Part, Release
from privet.release.folds import folds
from privet.table import MemoryTable
from tests.disguise.people import SCHEMA, people

PLAN = Plan({"rent": Exact()}, default=Substitution(8))


def release(rows: int = 1000, *, shuffle: bool = True) -> Release:
    return PLAN.disguise(people(rows), SCHEMA, seed=1, shuffle=shuffle)


def rents(made: Release) -> list[float]:
    numbers: list[float] = made.parts[0].table.collect(10**9).columns["rent"].tolist()
    return numbers


def test_it_says_what_it_is() -> None:
    made = release()
    assert made.rows == 1000
    assert repr(made) == "<Release of 1,000 records, 5 columns, NOT PRIVATE: drawn from a seed>"
    assert "NOT" not in repr(PLAN.disguise(people(9), SCHEMA))
    assert made.parts[0].channel("rent") is None
    assert isinstance(made.parts[0].channel("age"), Band)
    assert isinstance(made.parts[0].channel("car"), GammaDiagonal)


@pytest.mark.parametrize("shuffle", [True, False])
def test_a_split_deals_out_every_record_once(shuffle: bool) -> None:
    made = release(shuffle=shuffle)
    first, second = made.split(0.3)
    assert (first.rows, second.rows) == (300, 700)
    assert sorted(rents(first) + rents(second)) == sorted(rents(made))
    assert first.claim == made.claim
    if shuffle:
        assert rents(first) == rents(made)[:300]
    else:
        assert rents(first) != rents(made)[:300]


@pytest.mark.parametrize("fraction", [0, 1, -1, 1.0, 1.5, float("nan")])
def test_a_split_is_by_a_fraction(fraction: float) -> None:
    with pytest.raises(ReleaseError, match="above 0 and below 1"):
        release(10).split(fraction)


@pytest.mark.parametrize("fraction", [0, 1, -1, float("nan"), 0.0001])
def test_a_split_leaves_both_sides_some(fraction: float) -> None:
    with pytest.raises(ReleaseError):
        release().split(fraction)


def test_parts_that_belong_together_are_not_split() -> None:
    made = release()
    negative = replace(made, parts=(replace(made.parts[0], sign=-1),))
    with pytest.raises(ReleaseError, match="negative parts"):
        negative.split(0.5)
    assert negative.claim.private is False
    with pytest.raises(MethodError, match="no records of its own"):
        negative.to_frame()


def test_people_see_categories_and_centres() -> None:
    made = RandomSubstitution(gamma=1e9, bins=6).disguise(people(50), SCHEMA, shuffle=False)
    shown = made.to_frame()
    assert shown.column_names == SCHEMA.names
    assert shown["car"].to_pylist() == people(50)["car"].tolist()
    centres = 25 + 10 * np.floor((people(50)["age"] - 20) / 10)
    assert shown["age"].to_pylist() == centres.tolist()


def test_or_random_points_of_cells() -> None:
    made = RandomSubstitution(gamma=1e9, bins=6).disguise(people(500), SCHEMA, shuffle=False)
    shown, again = (made.to_frame(representative="random", seed=1) for _ in range(2))
    assert shown.equals(again)
    assert not shown.equals(made.to_frame(representative="random"))
    points = shown["age"].to_numpy()
    codes = made.parts[0].table.collect(500).columns["age"]
    assert (made.codings["age"].encode(points) == codes).all()  # type: ignore[union-attr]
    assert len(set(points.tolist())) > 400
    kids = shown["kids"].to_numpy()
    assert (kids == np.floor(kids)).all()
    assert set(kids) == set(people(500)["kids"])
    with pytest.raises(MethodError, match="'centre', 'endpoint', 'random', 'range'"):
        made.to_frame(representative="end")


@pytest.mark.parametrize(
    ("name", "value"), [("age", 6), ("risk", 2), ("rent", 5001), ("rent", np.nan)]
)
def test_values_outside_their_domain_are_found(name: str, value: float) -> None:
    made = release()
    made.verify()
    columns = {key: column.copy() for key, column in made.parts[0].table.collect(1).columns.items()}
    columns[name][7] = value
    part = Part(MemoryTable(columns), made.parts[0].channels)
    with pytest.raises(ReleaseError, match=f"1 values of '{name}' outside"):
        replace(made, parts=(part,)).verify()


def test_channels_and_columns_must_fit() -> None:
    made = release()
    odd = replace(made.parts[0], channels=(GammaDiagonal("age", 7, 8),))
    with pytest.raises(ReleaseError, match="channel of 'age' does not fit"):
        replace(made, parts=(odd,))
    on_numbers = replace(made.parts[0], channels=(GammaDiagonal("rent", 7, 8),))
    with pytest.raises(ReleaseError, match="channel of 'rent' does not fit"):
        replace(made, parts=(on_numbers,))
    with pytest.raises(ReleaseError, match="columns of a part"):
        replace(made, parts=(replace(made.parts[0], table=MemoryTable({"age": np.zeros(3)})),))


@pytest.mark.parametrize("number", [2, 3, 10])
def test_folds_deal_out_every_record_once(number: int) -> None:
    made = release(10)
    pairs = list(folds(made, number, seed=1))
    assert len(pairs) == number
    for rest, own in pairs:
        assert own.rows in (10 // number, 10 // number + 1)
        assert sorted(rents(rest) + rents(own)) == sorted(rents(made))
        assert rest.shuffled
    assert sorted(rent for _, own in pairs for rent in rents(own)) == sorted(rents(made))
    assert [rents(own) for _, own in folds(made, number, seed=1)] == [
        rents(own) for _, own in pairs
    ]


@pytest.mark.parametrize("number", [-1, 0, 1, 11])
def test_there_are_two_folds_at_least_and_a_record_in_each(number: int) -> None:
    with pytest.raises(ReleaseError, match="number of folds"):
        next(folds(release(10), number, seed=1))


@pytest.mark.parametrize(("fraction", "rows"), [(0.5, 2), (0.34, 1), (0.4, 1), (0.6, 2), (0.7, 2)])
def test_a_split_rounds_to_the_nearest_record(fraction: float, rows: int) -> None:
    first, second = release(3).split(fraction)
    assert (first.rows, second.rows) == (rows, 3 - rows)


def test_the_first_records_are_those_of_the_first_part() -> None:
    one, other = release(3), release(5)
    both = replace(one, parts=(one.parts[0], other.parts[0]))
    for rows in (1, 3, 4, 8, 20):
        shown = both.head(rows)["rent"].to_pylist()
        assert shown == (rents(one) + rents(other))[:rows]


def test_a_table_without_records_has_its_columns_still() -> None:
    made = release(3)
    for rows in (0, -1):
        assert made.head(rows).column_names == SCHEMA.names
        assert made.head(rows).num_rows == 0
    assert release(20).head().num_rows == 10


def test_what_is_taken_away_from_others_promises_nothing() -> None:
    made = PLAN.disguise(people(9), SCHEMA)
    assert made.claim.formal
    assert not replace(made, parts=(replace(made.parts[0], sign=-1),)).claim.formal
    both = replace(made, parts=(made.parts[0], replace(made.parts[0], sign=-1)))
    assert not both.claim.formal
    plain = Release(made.schema, made.codings, made.parts, made.treatments)
    assert (plain.shuffled, plain.seeded, plain.drawn, plain.tuned) == (True, False, False, False)


def test_a_notebook_shows_what_is_promised_of_each_column() -> None:
    html = release(1000)._repr_html_()
    assert ">Release of 1,000 records, 5 columns, NOT PRIVATE: drawn from a seed<" in html
    shown = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", html)
    told = {re.sub("<.*?>", "", name): re.sub("<.*?>", "", how) for name, _, how in shown}
    assert told == {"age": "2.08", "kids": "2.08", "rent": "none", "car": "2.08", "risk": "none"}


def test_a_single_record_outside_its_domain_is_found() -> None:
    made = release(1)
    made.verify()
    columns = {
        name: column.copy() for name, column in made.parts[0].table.collect(1).columns.items()
    }
    columns["risk"][0] = 2
    part = Part(MemoryTable(columns), made.parts[0].channels)
    with pytest.raises(ReleaseError, match="Part 0 of the release has 1 values of 'risk' outside"):
        replace(made, parts=(part,)).verify()


def test_noise_is_for_exact_numbers_of_its_range() -> None:
    made = release(3)
    low, high = SCHEMA["rent"].range
    fits = Noise.uniform("rent", low=low, high=high, alpha=100, steps=50)
    replace(made, parts=(replace(made.parts[0], channels=(fits,)),))
    low, high = SCHEMA["age"].range
    coded = Noise.uniform("age", low=low, high=high, alpha=5, steps=50)
    with pytest.raises(ReleaseError, match="channel of 'age' does not fit the column's codes"):
        replace(made, parts=(replace(made.parts[0], channels=(coded,)),))
    low, high = SCHEMA["rent"].range
    for odd in ((low, high + 1), (low - 1, high)):
        wide = Noise.uniform("rent", low=odd[0], high=odd[1], alpha=100, steps=50)
        with pytest.raises(ReleaseError, match="does not fit the attribute's range"):
            replace(made, parts=(replace(made.parts[0], channels=(wide,)),))


def test_words_must_say_what_is_there() -> None:
    made = release(3)
    with pytest.raises(ReleaseError, match="'rent' is called 'withheld', but is there"):
        replace(made, treatments={**made.treatments, "rent": "withheld"})
    with pytest.raises(ReleaseError, match="'zip' is called 'exact', but is not there"):
        replace(made, treatments={**made.treatments, "zip": "exact"})
    assert "zip" in replace(made, treatments={**made.treatments, "zip": "withheld"}).treatments


def test_only_parts_that_were_drawn_lack_columns() -> None:
    made = release(4)
    table = made.parts[0].table.collect(4)
    narrow = MemoryTable(
        {name: table.columns[name] for name in made.schema.names if name != "rent"}
    )
    part = replace(made.parts[0], table=narrow)
    with pytest.raises(ReleaseError, match="columns of a part"):
        replace(made, parts=(made.parts[0], part))
    both = replace(made, parts=(made.parts[0], part), drawn=True)
    assert both.lacking(part) == ["rent"]
    both.verify()
    few = MemoryTable({"risk": table.columns["risk"]})
    with pytest.raises(ReleaseError, match="channel of 'age' is of no use in its part"):
        replace(made, parts=(replace(part, table=few),), drawn=True)
