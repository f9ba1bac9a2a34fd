from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from privet.datasets import agrawal
from privet.errors import InputError
from privet.schema import Schema

EVERY = [(family, f) for family, fs in agrawal.FAMILIES.items() for f in range(1, len(fs) + 1)]
PERSON = {
    "salary": 60_000.0,
    "commission": 20_000.0,
    "age": 30.0,
    "elevel": 2,
    "car": 5,
    "zipcode": 4,
    "hvalue": 500_000.0,
    "hyears": 10.0,
    "loan": 100_000.0,
}


def verdict(family: str, function: int, **changes: float) -> str:
    person = {**PERSON, **changes}
    people = {name: np.array([value]) for name, value in person.items()}
    return "A" if agrawal.is_a(family, function, people)[0] else "B"


# (family, function, changes to PERSON, class): every function on both sides of its borders.
HAND_MADE: list[tuple[str, int, dict[str, float], str]] = [
    ("as", 1, {"age": 39.9}, "A"),
    ("as", 1, {"age": 40}, "B"),
    ("as", 1, {"age": 59.9}, "B"),
    ("as", 1, {"age": 60}, "A"),
    ("as", 2, {"age": 39, "salary": 50_000}, "A"),
    ("as", 2, {"age": 39, "salary": 49_999}, "B"),
    ("as", 2, {"age": 39, "salary": 100_000}, "A"),
    ("as", 2, {"age": 40, "salary": 74_999}, "B"),
    ("as", 2, {"age": 40, "salary": 125_000}, "A"),
    ("as", 2, {"age": 60, "salary": 25_000}, "A"),
    ("as", 2, {"age": 60, "salary": 75_001}, "B"),
    ("as", 3, {"age": 30, "elevel": 1, "salary": 25_000}, "A"),
    ("as", 3, {"age": 30, "elevel": 1, "salary": 75_001}, "B"),
    ("as", 3, {"age": 30, "elevel": 3, "salary": 100_000}, "A"),
    ("as", 3, {"age": 30, "elevel": 4, "salary": 60_000}, "B"),
    ("as", 3, {"age": 50, "elevel": 0, "salary": 80_000}, "B"),
    ("as", 3, {"age": 50, "elevel": 1, "salary": 50_000}, "A"),
    ("as", 3, {"age": 50, "elevel": 4, "salary": 50_000}, "B"),
    ("as", 3, {"age": 50, "elevel": 4, "salary": 125_000}, "A"),
    ("as", 3, {"age": 70, "elevel": 0, "salary": 50_000}, "B"),
    ("as", 3, {"age": 70, "elevel": 1, "salary": 25_000}, "A"),
    ("as", 3, {"age": 70, "elevel": 4, "salary": 100_000}, "A"),
    ("as", 3, {"age": 70, "elevel": 4, "salary": 25_000}, "B"),
    # 0.67 · 80,000 = 53,600; minus 10,000 leaves 43,600, which a loan of 218,000 eats up.
    ("as", 4, {"loan": 217_999}, "A"),
    ("as", 4, {"loan": 218_001}, "B"),
    # Five years of equity: 0.2 · 0.1 · 500,000 · 5 = 50,000, worth a loan of 250,000.
    ("as", 5, {"hyears": 25, "loan": 467_999}, "A"),
    ("as", 5, {"hyears": 25, "loan": 468_001}, "B"),
    ("as", 5, {"hyears": 20, "loan": 218_001}, "B"),
    ("agrawal", 1, {"age": 40}, "B"),
    ("agrawal", 1, {"age": 60}, "A"),
    ("agrawal", 2, {"age": 40, "salary": 75_000}, "A"),
    ("agrawal", 2, {"age": 60, "salary": 76_000}, "B"),
    ("agrawal", 3, {"age": 30, "elevel": 1}, "A"),
    ("agrawal", 3, {"age": 30, "elevel": 2}, "B"),
    ("agrawal", 3, {"age": 50, "elevel": 0}, "B"),
    ("agrawal", 3, {"age": 50, "elevel": 3}, "A"),
    ("agrawal", 3, {"age": 50, "elevel": 4}, "B"),
    ("agrawal", 3, {"age": 70, "elevel": 1}, "B"),
    ("agrawal", 3, {"age": 70, "elevel": 4}, "A"),
    ("agrawal", 4, {"age": 30, "elevel": 0, "salary": 25_000}, "A"),
    ("agrawal", 4, {"age": 30, "elevel": 4, "salary": 25_000}, "B"),
    ("agrawal", 4, {"age": 30, "elevel": 4, "salary": 60_000}, "A"),
    ("agrawal", 4, {"age": 50, "elevel": 2, "salary": 50_000}, "A"),
    ("agrawal", 4, {"age": 50, "elevel": 0, "salary": 125_000}, "A"),
    ("agrawal", 4, {"age": 70, "elevel": 2, "salary": 25_000}, "B"),
    ("agrawal", 4, {"age": 70, "elevel": 0, "salary": 25_000}, "A"),
    ("agrawal", 5, {"age": 30, "salary": 60_000, "loan": 100_000}, "A"),
    ("agrawal", 5, {"age": 30, "salary": 60_000, "loan": 300_001}, "B"),
    ("agrawal", 5, {"age": 30, "salary": 20_000, "loan": 400_000}, "A"),
    ("agrawal", 5, {"age": 50, "salary": 75_000, "loan": 200_000}, "A"),
    ("agrawal", 5, {"age": 50, "salary": 60_000, "loan": 200_000}, "B"),
    ("agrawal", 5, {"age": 50, "salary": 60_000, "loan": 500_000}, "A"),
    ("agrawal", 5, {"age": 70, "salary": 25_000, "loan": 300_000}, "A"),
    ("agrawal", 5, {"age": 70, "salary": 90_000, "loan": 300_001}, "B"),
    ("agrawal", 6, {"age": 30, "salary": 80_000, "commission": 20_000}, "A"),
    ("agrawal", 6, {"age": 30, "salary": 80_000, "commission": 20_001}, "B"),
    ("agrawal", 6, {"age": 50, "salary": 70_000, "commission": 0}, "B"),
    ("agrawal", 6, {"age": 50, "salary": 70_000, "commission": 10_000}, "A"),
    ("agrawal", 6, {"age": 70, "salary": 60_000, "commission": 20_000}, "B"),
    # 53,600 − 20,000 = 33,600: a loan of 168,000.
    ("agrawal", 7, {"loan": 167_999}, "A"),
    ("agrawal", 7, {"loan": 168_001}, "B"),
    # 0.67 · 44,776 is just under 30,000.
    ("agrawal", 8, {"salary": 24_776, "elevel": 2}, "B"),
    ("agrawal", 8, {"salary": 24_777, "elevel": 2}, "A"),
    ("agrawal", 8, {"salary": 24_776, "elevel": 1}, "A"),
    # 53,600 − 10,000 − 10,000 = 33,600 at level 2.
    ("agrawal", 9, {"loan": 167_999}, "A"),
    ("agrawal", 9, {"loan": 168_001}, "B"),
    ("agrawal", 9, {"loan": 168_001, "elevel": 1}, "A"),
    # 0.67 · 40,000 = 26,800 less 30,000 at level 4; equity makes up for it.
    ("agrawal", 10, {"salary": 20_000, "elevel": 4}, "B"),
    ("agrawal", 10, {"salary": 20_000, "elevel": 4, "hyears": 21}, "A"),
    ("agrawal", 10, {"salary": 20_000, "elevel": 3}, "A"),
]


@pytest.mark.parametrize(("family", "function", "changes", "group"), HAND_MADE)
def test_class_of_a_hand_made_person(
    family: str, function: int, changes: dict[str, float], group: str
) -> None:
    assert verdict(family, function, **changes) == group


def test_hand_made_people_cover_every_function_with_both_classes() -> None:
    assert {(family, f, group) for family, f, _, group in HAND_MADE} == {
        (family, f, group) for family, f in EVERY for group in "AB"
    }


def make(family: str, function: int, rows: int, seed: int | None, **more: Any) -> pa.Table:
    return pa.Table.from_batches(agrawal.batches(family, function, rows, seed, **more))


def numbers(table: pa.Table) -> dict[str, np.ndarray[Any, Any]]:
    return {name: table[name].to_numpy() for name in table.column_names if name != "group"}


@pytest.mark.parametrize(("family", "function"), EVERY)
def test_classes_are_halved_and_follow_the_function(family: str, function: int) -> None:
    table = make(family, function, 3_001, 7)
    group = np.array(table["group"].to_pylist())
    assert (group == "A").sum() == 1_501
    assert ((group == "A") == agrawal.is_a(family, function, numbers(table))).all()


@pytest.mark.parametrize("balanced", [True, False])
def test_rows_of_both_classes_are_mixed(balanced: bool) -> None:
    group = np.array(make("as", 3, 10_000, 5, balanced=balanced)["group"].to_pylist())
    halves = [(half == "A").mean() for half in np.split(group, 2)]
    # A difference of 5 standard deviations at most.
    assert abs(halves[0] - halves[1]) < 5 * np.sqrt(0.25 * 2 / 5_000)


def test_unbalanced_tables_have_the_natural_shares() -> None:
    group = np.array(make("as", 1, 90_000, 11, balanced=False)["group"].to_pylist())
    assert abs((group == "A").mean() - 2 / 3) < 5 * np.sqrt(2 / 9 / 90_000)


def test_a_seed_gives_the_same_table_and_none_a_fresh_one() -> None:
    assert make("as", 2, 5_000, 1).equals(make("as", 2, 5_000, 1))
    assert not make("as", 2, 5_000, 1).equals(make("as", 2, 5_000, 2))
    assert not make("as", 2, 5_000, None).equals(make("as", 2, 5_000, None))


def test_functions_have_tables_of_their_own_names() -> None:
    assert agrawal.as_functions(4, 2_000, 3).equals(make("as", 4, 2_000, 3))
    assert agrawal.agrawal(4, 2_000, 3).equals(make("agrawal", 4, 2_000, 3))
    assert not agrawal.agrawal(4, 2_000, 3).equals(agrawal.as_functions(4, 2_000, 3))


@pytest.mark.parametrize("batch_rows", [999, 50_000, 65_536, 131_072, 10_000_000])
def test_streaming_gives_the_whole(batch_rows: int) -> None:
    rows = 150_001  # three chunks, the last one short and odd
    parts = list(agrawal.batches("as", 2, rows, 9, batch_rows))
    assert all(part.num_rows == batch_rows for part in parts[:-1])
    assert 0 < parts[-1].num_rows <= batch_rows
    whole = pa.Table.from_batches(parts).combine_chunks()
    assert whole.equals(agrawal.as_functions(2, rows, 9).combine_chunks())


def test_chunks_differ() -> None:
    salary = agrawal.as_functions(2, 131_072, 9)["salary"].to_numpy()
    assert len(np.unique(salary)) == len(salary)


def test_values_have_the_ranges_and_types_of_the_schema() -> None:
    table = agrawal.as_functions(5, 50_000, 2)
    schema: Schema = agrawal.schema()
    assert table.column_names == schema.names
    for attribute in schema.inputs:
        column = table[attribute.name]
        assert pa.types.is_integer(column.type) == attribute.integer
        attribute.encode(column.to_numpy())
        low, high = attribute.range
        near = (high - low) / 100
        assert pc.min(column).as_py() < low + near
        assert pc.max(column).as_py() > high - near


def test_commission_and_house_value_depend_on_salary_and_zipcode() -> None:
    people = numbers(make("as", 1, 50_000, 4, balanced=False))
    paid = people["salary"] >= 75_000
    assert (people["commission"][paid] == 0).all()
    assert (people["commission"][~paid] >= 10_000).all()
    k = 9 - people["zipcode"]
    assert (people["hvalue"] >= 50_000 * k).all()
    assert (people["hvalue"] <= 150_000 * k).all()


def test_margin_widens_real_ranges_outwards_only() -> None:
    plain, wide = agrawal.schema(), agrawal.schema(margin=0.1, seed=5)
    assert wide == agrawal.schema(margin=0.1, seed=5)
    assert wide != agrawal.schema(margin=0.1, seed=6)
    for attribute in plain.inputs:
        (low, high), (lower, higher) = attribute.range, wide[attribute.name].range
        if attribute.integer:
            assert (low, high) == (lower, higher)
        else:
            assert 0 < low - lower <= 0.1 * (high - low)
            assert 0 < higher - high <= 0.1 * (high - low)


def test_bins_are_for_every_attribute() -> None:
    assert {attribute.bins for attribute in agrawal.schema(bins=30).inputs} == {30}


@pytest.mark.parametrize(
    ("family", "function", "rows", "seed", "batch_rows", "where"),
    [
        ("as", 6, 10, 1, 10, "function"),
        ("as", 0, 10, 1, 10, "function"),
        ("agrawal", 11, 10, 1, 10, "function"),
        ("sa", 1, 10, 1, 10, "family"),
        ("as", 1, 0, 1, 10, "rows"),
        ("as", 1, 10, -1, 10, "seed"),
        ("as", 1, 10, 1, 0, "batch_rows"),
    ],
)
def test_bad_settings_are_named(
    family: str, function: int, rows: int, seed: int, batch_rows: int, where: str
) -> None:
    with pytest.raises(InputError, match=where):
        agrawal.batches(family, function, rows, seed, batch_rows)


def test_a_negative_margin_is_refused() -> None:
    with pytest.raises(InputError, match="margin"):
        agrawal.schema(margin=-0.1)
