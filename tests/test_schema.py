"""Schemas: declaring, coding, files, and what is refused."""

import json
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import DataError, SchemaError
from privet.frames import columns
from privet.schema import Attribute, Schema
from tests.strategies import attributes, schemas

WIND = Attribute.categorical("wind", ["Weak", "Strong"])
PLAY = Attribute.categorical("play", ["Yes", "No"])
SCHEMA = Schema([WIND, PLAY], target="play")

# Files


@given(schemas())
def test_every_form_gives_the_schema_back(schema: Schema) -> None:
    assert Schema.from_dict(schema.to_dict()) == schema
    assert Schema.from_dict(json.loads(schema.to_json())) == schema
    assert Schema.from_dict(tomllib.loads(schema.to_toml())) == schema
    # The order of attributes is kept: it breaks ties.
    assert Schema.from_dict(tomllib.loads(schema.to_toml())).names == schema.names


@given(schemas(), st.sampled_from(["a.toml", "a.json"]))
def test_files(tmp_path_factory: pytest.TempPathFactory, schema: Schema, name: str) -> None:
    path = tmp_path_factory.mktemp("schema") / name
    schema.write(path)
    assert Schema.read(path) == schema


def test_a_file_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "weather.toml"
    path.write_text(
        'target = "play"\n'
        '[attributes.wind]\nvalues = ["Weak", "Strong"]\n'
        "[attributes.age]\nlow = 0\nhigh = 99\ninteger = true\nbins = 10\nmissing = 'category'\n"
        '[attributes.play]\nvalues = ["Yes", "No"]\n'
    )
    age = Attribute.numeric("age", low=0, high=99, bins=10, integer=True, missing="category")
    assert Schema.read(path) == Schema([WIND, age, PLAY], target="play")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "target = ", "is not valid TOML"),
        ("a.json", "{", "is not valid JSON"),
        ("a.json", "[]", "must be a table"),
        ("a.json", "{}", "needs a table of attributes"),
        ("a.json", '{"target": "a", "attributes": []}', "needs a table of attributes"),
        ("a.json", '{"target": "a", "attributes": {"a": 3}}', "'a' must be a table"),
        ("a.json", '{"target": "a", "attributes": {}, "extra": 1}', "unknown word 'extra'"),
        ("a.toml", 'target = "a"\n[attributes.a]\nvalue = [1]', "'value' is not a known word"),
    ],
)
def test_files_that_are_no_schemas(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(SchemaError, match=message):
        Schema.read(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"absent\.toml cannot be read"):
        Schema.read(tmp_path / "absent.toml")
    with pytest.raises(SchemaError, match="cannot be written"):
        SCHEMA.write(tmp_path / "no" / "folder.toml")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    with pytest.raises(SchemaError, match="not text in UTF-8"):
        Schema.read(tmp_path / "bytes.json")


# What is refused

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "either values"),
    "no high": ({"low": 1}, "either values"),
    "text for a number": ({"low": "a", "high": 2}, "must be numbers"),
    "truth for a number": ({"low": True, "high": 2}, "must be numbers"),
    "low above high": ({"low": 3, "high": 2}, "low is above high"),
    "an infinite range": ({"low": 0, "high": float("inf")}, "finite"),
    "no number": ({"low": float("nan"), "high": 1}, "finite"),
    "a range too wide": ({"low": -1.7e308, "high": 1.7e308}, "finite"),
    "bins of text": ({"low": 1, "high": 2, "bins": "x"}, "bins must be a whole number"),
    "half a bin": ({"low": 1, "high": 2, "bins": 2.5}, "bins must be a whole number"),
    "true bins": ({"low": 1, "high": 2, "bins": True}, "bins must be a whole number"),
    "no bins": ({"low": 1, "high": 2, "bins": 0}, "from 1 to 65536"),
    "too many bins": ({"low": 1, "high": 2, "bins": 65_537}, "from 1 to 65536"),
    "integer of text": ({"low": 1, "high": 2, "integer": "yes"}, "true or false"),
    "integers from a half": ({"low": 0.5, "high": 2, "integer": True}, "whole numbers"),
    "values as text": ({"values": "abc"}, "must be a list"),
    "values as a number": ({"values": 5}, "must be a list"),
    "no values": ({"values": []}, "empty"),
    "a value twice": ({"values": ["a", "a"]}, "listed twice"),
    "a number twice": ({"values": [1, 1.0]}, "listed twice"),
    "a value that is none": ({"values": ["a", None]}, "text, numbers"),
    "a value that is a list": ({"values": [["a"]]}, "text, numbers"),
    "a value that is no number": ({"values": [1.0, float("nan")]}, "not a finite number"),
    "values and a range": ({"values": ["a"], "low": 1, "high": 2}, "cannot have low"),
    "values and bins": ({"values": ["a"], "bins": 2}, "cannot have low"),
    "values that are integers": ({"values": [1], "integer": True}, "cannot have low"),
    "an unknown word": ({"values": ["a"], "kind": "x"}, "'kind' is not a known word"),
    "another way to miss": ({"values": ["a"], "missing": "drop"}, "'error' or 'category'"),
    "a list to miss": ({"values": ["a"], "missing": ["x"]}, "'error' or 'category'"),
}


@pytest.mark.parametrize(("form", "message"), BAD.values(), ids=BAD.keys())
def test_declarations_that_are_refused(form: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        Attribute.from_dict("age", form)
    assert "'age'" in str(caught.value)


def test_names_that_are_refused() -> None:
    for name in ("", 3, None):
        with pytest.raises(SchemaError, match="name must be text"):
            Attribute.categorical(name, ["a"])  # type: ignore[arg-type]


SCHEMAS: dict[str, tuple[Callable[[], Schema], str]] = {
    "a name twice": (
        lambda: Schema([WIND, WIND, PLAY], target="play"),
        "names attribute 'wind' twice",
    ),
    "no class": (lambda: Schema([WIND, PLAY], target="other"), "'other' is not among"),
    "a class of numbers": (
        lambda: Schema([WIND, Attribute.numeric("age", low=0, high=1)], target="age"),
        "must be categorical",
    ),
    "a class that may be missing": (
        lambda: Schema(
            [WIND, Attribute.categorical("play", ["Yes"], missing="category")], target="play"
        ),
        "cannot have missing",
    ),
    "only a class": (lambda: Schema([PLAY], target="play"), "no attribute to learn"),
}


@pytest.mark.parametrize(("make", "message"), SCHEMAS.values(), ids=SCHEMAS.keys())
def test_schemas_that_are_refused(make: Callable[[], Schema], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        make()


def test_looking_up() -> None:
    assert SCHEMA["wind"] is WIND
    assert "wind" in SCHEMA
    assert "rain" not in SCHEMA
    assert SCHEMA.classes == ("Yes", "No")
    assert [attribute.name for attribute in SCHEMA] == SCHEMA.names == ["wind", "play"]
    with pytest.raises(SchemaError, match="no attribute 'rain'; it has wind, play"):
        _ = SCHEMA["rain"]
    with pytest.raises(SchemaError, match="no range"):
        _ = WIND.range


def test_bins_for_all_numbers() -> None:
    schema = Schema(
        [Attribute.numeric("a", low=0, high=1), WIND, PLAY], target="play", learned=True
    )
    changed = schema.with_bins(7)
    assert changed["a"].bins == 7
    assert changed["wind"] == WIND
    assert changed.learned


# Coding


@given(st.integers(-1000, 1000), st.integers(0, 3000), st.integers(1, 400))
def test_bins_of_integers_share_them_out(low: int, width: int, bins: int) -> None:
    """Every whole number lies in just one cell; cells differ by one number at most."""
    attribute = Attribute.numeric("x", low=low, high=low + width, bins=bins, integer=True)
    coding = attribute.coding()
    everything = np.arange(low, low + width + 1)
    assert coding.size == min(bins, width + 1)
    codes = attribute.encode(everything)
    sizes = np.bincount(codes, minlength=coding.size)
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1
    assert (np.diff(codes.astype(int)) >= 0).all()
    assert coding.lower is not None
    assert coding.upper is not None
    assert (coding.lower[codes] <= everything).all()
    assert (coding.upper[codes] >= everything).all()
    if coding.size == width + 1:
        np.testing.assert_array_equal(coding.decode(codes), everything)


def test_edges_are_closed_on_the_right() -> None:
    attribute = Attribute.numeric("x", low=0, high=30, bins=3)
    values = np.array([0.0, 10.0, np.nextafter(10, 11), 20.0, 30.0])
    assert attribute.encode(values).tolist() == [0, 0, 1, 1, 2]


def test_ten_bins_by_default() -> None:
    assert Attribute.numeric("x", low=0, high=1).coding().size == 10
    assert Attribute.numeric("x", low=0, high=1, bins=4).coding(6).size == 6
    assert Attribute.numeric("x", low=3, high=3).coding().size == 1
    assert Attribute.numeric("x", low=3, high=3).encode([3.0]).tolist() == [0]


@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    """A category comes back as it was, a number as the centre of its cell."""
    attribute = data.draw(attributes("x"))
    coding = attribute.coding()
    if attribute.values is not None:
        drawn = [data.draw(st.sampled_from(attribute.values)) for _ in range(5)]
        kinds = {isinstance(value, str) for value in drawn}
        if len(kinds) == 1:
            column = pa.array(drawn if kinds == {True} else [float(value) for value in drawn])
            assert coding.decode(attribute.encode(column)).tolist() == drawn
        return
    low, high = attribute.range
    held_ = np.array([data.draw(st.floats(low, high)) for _ in range(5)])
    if attribute.integer:
        held_ = np.floor(held_)
    codes = attribute.encode(held_)
    if attribute.integer and coding.known == high - low + 1:
        np.testing.assert_array_equal(coding.decode(codes), held_)
    width = (high - low) / coding.known + (1 if attribute.integer else 0)
    rounding = 1e-12 * max(abs(low), abs(high))
    assert (np.abs(coding.decode(codes) - held_) <= width / 2 + rounding).all()


def test_missing_values() -> None:
    age = Attribute.numeric("age", low=0, high=10, bins=2)
    ages = np.array([1.0, np.nan, 9.0])
    with pytest.raises(DataError, match=r"'age' has a missing value \(first in row 1\)"):
        age.encode(ages)
    category = Attribute.numeric("age", low=0, high=10, bins=2, missing="category")
    assert category.encode(ages).tolist() == [0, 2, 1]
    sky = Attribute.categorical("sky", ["a", "b"], missing="category")
    assert sky.encode(pa.array(["b", None])).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.array([1.0, 77.5]), r"outside its range; allowed is 0 to 10 \(first in row 1\)"),
        (np.array([-77.5, 1.0]), r"outside its range; .* \(first in row 0\)"),
        (np.array([1.0, np.inf]), r"outside its range; .* \(first in row 1\)"),
        (np.array([1.0, 7.75]), r"not whole \(first in row 1\)"),
        (np.array(["77"]), "does not hold numbers"),
        (np.array([True, False]), "does not hold numbers"),
        (pa.array(["77"]), "does not hold numbers"),
    ],
)
def test_numbers_that_do_not_fit(column: Any, message: str) -> None:
    """An error says where, and never the value."""
    age = Attribute.numeric("age", low=0, high=10, integer=True)
    with pytest.raises(DataError, match=message) as caught:
        age.encode(column)
    assert "'age'" in str(caught.value)
    assert "77" not in str(caught.value)
    assert "7.75" not in str(caught.value)


def test_the_first_of_several_faults_is_told() -> None:
    age = Attribute.numeric("age", low=0, high=10, integer=True)
    with pytest.raises(DataError, match=r"missing value \(first in row 1\)"):
        age.encode(np.array([1.0, np.nan, 50.0]))


# Infer


def test_infer_reads_domains_and_says_so() -> None:
    frame = pd.DataFrame(
        {
            "age": [30, 41, 22],
            "size": [1.5, 2.0, np.nan],
            "sky": ["b", None, "a"],
            "wet": [True, False, True],
            "kind": pd.Categorical(["x", "y", "x"]),
            "class": [1, 0, 1],
        }
    )
    schema = Schema.infer(frame, target="class", bins=6)
    assert schema.learned
    assert schema.to_dict()["learned_from_data"] is True
    assert schema["age"] == Attribute.numeric("age", low=22, high=41, bins=6, integer=True)
    assert schema["size"] == Attribute.numeric(
        "size", low=1.5, high=2.0, bins=6, missing="category"
    )
    assert schema["sky"] == Attribute.categorical("sky", ["a", "b"], missing="category")
    assert schema["wet"].values == (False, True)
    assert schema["kind"].values == ("x", "y")
    assert schema["class"].values == (0, 1)
    for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert Schema.infer(other, target="class", bins=6) == schema
    assert not SCHEMA.learned


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [1.0], "b": ["x"]}, "no column 'class'"),
        ({"a": np.array([np.nan]), "class": ["x"]}, "'a': it has no value"),
        ({"a": [1.0, np.inf], "class": ["x", "y"]}, "infinite"),
        ({"a": [1.0, 2.0], "class": ["x", None]}, "cannot have missing"),
        ({"a": [[1], [2]], "class": ["x", "y"]}, "neither text nor numbers"),
        ({"class": ["x", "y"]}, "no attribute to learn"),
        ({"a": [], "class": []}, "has no rows"),
        ({"a": [1.0, 2.0], "class": [None, None]}, "'class' has no value in any record"),
        ({"a": [1.0], "class": ["x", "y"]}, "differ in length"),
    ],
)
def test_tables_that_cannot_be_read_off(frame: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, SchemaError), match=message):
        Schema.infer(frame, target="class")


def test_more_values_than_codes_are_refused_when_declared() -> None:
    Attribute.categorical("x", range(1 << 16))
    with pytest.raises(SchemaError, match="'x' has 65,537 values; at most 65,536 are possible"):
        Attribute.categorical("x", range((1 << 16) + 1))
    with pytest.raises(SchemaError, match="at most"):
        Attribute.categorical("x", range(1 << 16), missing="category")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("s.toml", b"target = " + b"[" * 50_000),
        ("s.json", b"[" * 50_000),
        ("s.toml", b'target = "caf\xe9"'),
        ("s.json", b'{"target": "\\ud800", "attributes": {}}'),
        ("s.json", b'{"target": "y", "attributes": {"x": {"low": 0, "high": NaN}}}'),
    ],
)
def test_hostile_files_are_refused(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SchemaError, match=name.replace(".", r"\.")):
        Schema.read(tmp_path / name)


# Dates


def test_dates_in_a_file_are_days(tmp_path: Path) -> None:
    path = tmp_path / "visits.toml"
    path.write_text(
        "[attributes.first]\nlow = 2016-01-01\nhigh = 2016-12-31\ninteger = true\n"
        "edges = [2016-04-01, 2016-07-01]\n"
        "[attributes.at]\nlow = 2016-01-01T12:00:00\nhigh = 2016-01-02T01:00:00+01:00\n"
        'unit = "days since 1970-01-01"\n'
    )
    schema = Schema.read(path)
    first, at = schema["first"], schema["at"]
    assert (first.low, first.high, first.edges) == (16801, 17166, (16892, 16983))
    assert (at.low, at.high) == (16801.5, 16802)
    assert first.unit == at.unit == "days since 1970-01-01"
    assert Schema.from_dict(tomllib.loads(schema.to_toml())) == schema


def test_dates_in_python_are_days() -> None:
    first = Attribute.numeric("first", low=date(2016, 1, 1), high=date(2016, 12, 31))  # type: ignore[arg-type]
    assert first.range == (16801, 17166)
    later = first.with_cells(edges=[date(2016, 4, 1)])  # type: ignore[list-item]
    assert later.coding().edges.tolist() == [16892]
    with pytest.raises(SchemaError, match="edges must be a list"):
        first.with_cells(edges=date(2016, 4, 1))  # type: ignore[arg-type]


def test_a_date_in_another_unit_is_refused_with_the_number() -> None:
    form = {"low": date(2016, 1, 1), "high": 60, "unit": "weeks"}
    with pytest.raises(SchemaError, match=r"low is a date.*'weeks'.*(?s:.)*2016-01-01 is 16801"):
        Attribute.from_dict("first", form)


@pytest.mark.parametrize("column", [[date(2016, 1, 31)], ["2016-01-31"]])
def test_dates_where_numbers_are_declared(column: list[Any]) -> None:
    age = Attribute.numeric("age", low=0, high=100)
    with pytest.raises(DataError, match="'age' holds dates, and the schema declares numbers"):
        age.encode(columns({"age": column})["age"])
    born = Attribute.from_dict("born", {"low": date(2017, 1, 1), "high": date(2020, 1, 1)})
    with pytest.raises(DataError, match="outside its range"):
        born.encode(columns({"born": [date(2016, 1, 31)]})["born"])


@pytest.mark.parametrize(
    "words", [{"high": 10**400}, {"low": -(10**400)}, {"edges": [10**400]}, {"edges": [1, 10**400]}]
)
def test_whole_numbers_beyond_all_floats_are_refused(words: dict[str, object]) -> None:
    form = {"attributes": {"a": {"low": 0, "high": 9, **words}, "c": {"values": ["x", "y"]}}}
    with pytest.raises(SchemaError, match="'a'"):
        Schema.from_dict({**form, "target": "c"})
