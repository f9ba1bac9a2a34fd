"""People of several records: promises add up, and at most so many of theirs are kept."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.disguise.units import _STREAM, counted, kept_rows
from privet.errors import DataError, PlanError, SchemaError
from privet.randomness import Randomness
from privet.release import Release
from privet.release.people import People
from privet.schema import Attribute, Schema
from tests.golden import golden

ATTRIBUTES = [
    Attribute.numeric("age", low=0, high=100, bins=5),
    Attribute.categorical("ill", ["no", "yes"]),
]


def schema(**unit: Any) -> Schema:
    return Schema(ATTRIBUTES, target="ill", **unit)


def visits(rows: int, people: int, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "patient": np.array([f"p{number}" for number in rng.integers(0, people, rows)]),
        "age": rng.uniform(0, 100, rows),
        "ill": np.array(["no", "yes"])[rng.integers(0, 2, rows)],
    }


@given(st.integers(1, 5), st.integers(1, 300), st.integers(1, 60))
@settings(max_examples=30, deadline=None)
def test_nobody_keeps_more_than_so_many(most: int, rows: int, people: int) -> None:
    table = visits(rows, people)
    with Randomness.system() as source:
        kept = kept_rows(table, schema(unit="patient", rows_per_unit=most), source)
    ids, before = np.unique(table["patient"], return_counts=True)
    assert kept.rows is not None
    times = dict(zip(*np.unique(table["patient"][kept.rows], return_counts=True), strict=True))
    assert {patient: times.get(patient, 0) for patient in ids} == dict(
        zip(ids, np.minimum(before, most), strict=True)
    )
    assert kept.people is not None
    assert kept.people.left_out == rows - kept.rows.sum()


def test_which_are_kept_is_drawn_at_random() -> None:
    table = visits(300, 1)
    counts = np.zeros(300)
    for _ in range(200):
        with Randomness.system() as source:
            kept = kept_rows(table, schema(unit="patient", rows_per_unit=30), source)
        assert kept.rows is not None
        counts += kept.rows
    # Each is kept in 20 of 200 runs on average; chance keeps none in fewer than 1 or more than 46.
    assert counts.min() >= 1
    assert counts.max() <= 46


def test_promises_are_per_person() -> None:
    table = visits(400, 50)
    declared = pv.RandomSubstitution(8).disguise(table, schema(rows_per_unit=4))
    assert declared.rows == 400
    assert declared.claim.to_dict()["person"]["rows"] == 4
    kept = pv.RandomSubstitution(8).disguise(table, schema(unit="patient", rows_per_unit=2))
    assert kept.rows < 400
    assert kept.people is not None
    assert kept.rows + kept.people.left_out == 400
    said = " ".join(kept.claim.sentences())
    assert "up to 2 records" in said
    assert f"ε = {2 * kept.claim['age'].epsilon:.2f} for an attribute" in said
    counted = pv.RandomSubstitution(8).disguise(table, schema(unit="patient"))
    assert counted.people is not None
    assert counted.people.rows == np.unique(table["patient"], return_counts=True)[1].max()
    assert "itself a fact about them" in " ".join(counted.claim.sentences())
    plain = pv.RandomSubstitution(8).disguise(table, schema())
    assert "for a record. Of a person with several" in " ".join(plain.claim.sentences())
    assert pv.RandomSubstitution(8).claim(schema(rows_per_unit=4)).people == declared.people


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_files_keep_what_memory_keeps(tmp_path: Path, ending: str) -> None:
    table = visits(900, 100)
    path = tmp_path / f"visits.{ending}"
    if ending == "csv":
        pyarrow.csv.write_csv(pa.table(table), path)
    else:
        pq.write_table(pa.table(table), path, row_group_size=200)
    declared = schema(unit="patient", rows_per_unit=3)
    memory = pv.RandomSubstitution(8).disguise(table, declared, seed=1, shuffle=False)
    files = pv.RandomSubstitution(8).disguise(
        path, declared, seed=1, shuffle=False, to=tmp_path / "r"
    )
    columns = [release.parts[0].table.collect(10**6).columns for release in (memory, files)]
    assert columns[0]["age"].tolist() == columns[1]["age"].tolist()
    assert files.people == memory.people
    assert files.people is not None
    assert files.people.left_out == 900 - files.rows
    again = Release.read(tmp_path / "r")
    assert again.claim == files.claim
    card = (tmp_path / "r" / "card.json").read_text()
    assert "patient" not in card  # the column is never released, nor its name
    assert json.loads(card)["people"] == {"rows_per_person": 3, "counted": False}


def test_two_waves_keep_to_it_too() -> None:
    table = visits(9_000, 1_000)
    declared = Schema(
        [Attribute.numeric("age", low=0, high=100), ATTRIBUTES[1]],
        target="ill",
        unit="patient",
        rows_per_unit=5,
    )
    release = pv.RandomSubstitution(8).disguise(table, declared)
    assert len(release.parts) == 2
    # The wave is a share of the records that are kept: a thousand of them, give or take.
    assert 800 < release.parts[1].table.rows < 1_200
    expected = np.minimum(np.unique(table["patient"], return_counts=True)[1], 5).sum()
    assert release.rows == expected


def test_what_cannot_be() -> None:
    with pytest.raises(SchemaError, match="declares 'age', and names it as the unit"):
        schema(unit="age")
    for most in (0, -1, True, 1.5):
        with pytest.raises(SchemaError, match="whole number from 1"):
            schema(rows_per_unit=most)
    with pytest.raises(SchemaError, match="name of a column"):
        schema(unit=3)
    table = visits(20, 5)
    with pytest.raises(DataError, match="no column 'person'"):
        pv.RandomSubstitution(8).disguise(table, schema(unit="person"))
    table["patient"] = pa.array([None, *table["patient"][1:]])
    with pytest.raises(DataError, match="tells people apart, has a missing value"):
        pv.RandomSubstitution(8).disguise(table, schema(unit="patient"))
    with pytest.raises(PlanError, match="does not count records by person"):
        pv.KAnonymity(k=2).disguise(visits(20, 5), schema(unit="patient"))


def test_schemas_keep_the_unit(tmp_path: Path) -> None:
    declared = schema(unit="patient", rows_per_unit=2)
    declared.write(tmp_path / "s.toml")
    read = Schema.read(tmp_path / "s.toml")
    assert (read.unit, read.rows_per_unit) == ("patient", 2)
    assert read.with_target("ill").unit == "patient"
    assert read.with_attributes(ATTRIBUTES).unit is None


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_persons_records_with_the_lowest_words_are_kept(most: int) -> None:
    """A record's word is that of its row: a seed keeps the same records wherever they are read."""
    table = visits(200, 40)
    with Randomness.seeded(9) as source:
        kept = kept_rows(table, schema(unit="patient", rows_per_unit=most), source)
        words = source.shuffle_words(_STREAM, 0, 200)
    assert kept.rows is not None
    expected = [
        (words[table["patient"] == person] < word).sum() < most
        for person, word in zip(table["patient"], words, strict=True)
    ]
    assert kept.rows.tolist() == expected
    assert kept.people is not None
    assert kept.people.left_out == expected.count(False) == 200 - kept.of(200)


def test_without_a_column_of_people_what_was_declared_is_believed() -> None:
    table = visits(20, 5)
    with Randomness.seeded(9) as source:
        assert kept_rows(table, schema(), source).people is None
        declared = kept_rows(table, schema(rows_per_unit=3), source)
    assert declared.people is not None
    assert (declared.people.rows, declared.people.counted) == (3, False)
    assert declared.rows is None
    assert declared.of(20) == 20


def test_people_are_counted_once_at_least() -> None:
    assert counted({"patient": []}, "patient").rows == 1
    assert counted({"patient": ["a"]}, "patient") == People(1, counted=True)
    assert counted({"patient": ["a", "b", "a", "a", "b"]}, "patient").rows == 3
    coded = pa.array(["a", "b", "a"]).dictionary_encode()
    assert counted({"patient": coded}, "patient").rows == 2
    assert counted({"patient": np.array([7, 8, 7, 7])}, "patient").rows == 3
    with pytest.raises(DataError, match="has a missing value"):
        counted({"patient": np.array([1.0, np.nan])}, "patient")


def test_which_records_of_a_seed_are_kept_is_the_same_again() -> None:
    table = visits(60, 9)
    with Randomness.seeded(9) as source:
        kept = kept_rows(table, schema(unit="patient", rows_per_unit=2), source)
        none = kept_rows({"patient": []}, schema(unit="patient", rows_per_unit=2), source)
    assert kept.rows is not None
    assert none.rows is not None
    assert len(none.rows) == 0
    golden("settings", "kept of people", np.flatnonzero(kept.rows).tolist())
