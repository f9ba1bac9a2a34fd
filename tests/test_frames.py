"""Frames of any kind."""

from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.errors import DataError
from privet.frames import as_arrow, columns, distinct, holds_dates, is_frame, text_as_arrow

HELD = {"n": [1.5, 2.0], "i": [3, 4], "t": ["a", "b"]}
FRAMES: dict[str, Any] = {
    "dict": HELD,
    "dict of arrays": {name: np.array(column) for name, column in HELD.items()},
    "pandas": pd.DataFrame(HELD),
    "pandas with Arrow": pd.DataFrame(HELD).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, nullable": pd.DataFrame(HELD).convert_dtypes(),
    "polars": pl.DataFrame(HELD),
    "arrow": pa.table(HELD),
    "arrow in chunks": pa.concat_tables([pa.table(HELD).slice(0, 1), pa.table(HELD).slice(1)]),
    "record batch": pa.table(HELD).to_batches()[0],
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_every_kind_gives_the_same_columns(frame: Any) -> None:
    assert is_frame(frame)
    held = columns(frame)
    assert list(held) == ["n", "i", "t"]
    assert isinstance(held["n"], np.ndarray)
    assert held["n"].tolist() == [1.5, 2.0]
    assert isinstance(held["i"], np.ndarray)
    assert held["i"].tolist() == [3, 4]
    assert held["t"].to_pylist() == ["a", "b"]
    assert list(columns(frame, ["t", "n"])) == ["t", "n"]
    with pytest.raises(DataError, match="no column 'x'; it has 3 columns"):
        columns(frame, ["n", "x"])


def test_missing_numbers_are_nan() -> None:
    for frame in (
        {"a": [1, None]},
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pl.DataFrame({"a": [1, None]}),
        pa.table({"a": [1, None]}),
        pa.table({"a": pa.array([1, None], pa.decimal128(5, 2))}),
    ):
        np.testing.assert_array_equal(columns(frame)["a"], [1.0, np.nan])


def test_what_is_no_frame() -> None:
    for thing in (np.zeros((2, 2)), [[1]], "text", 3, None, {1, 2}):
        assert not is_frame(thing)
    for thing in (np.zeros((2, 2)), [[1]], 3, None):
        with pytest.raises(DataError, match="A table is expected"):
            columns(thing)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            "columns of the same name: columns 1 and 2",
        ),
        (pa.table([[1], [2]], names=["a", "a"]), "columns of the same name: columns 1 and 2"),
        ({"a": [1, 2], "b": [1]}, "differ in length"),
        ({"a": 3}, "arrays or lists"),
        ({"a": np.zeros((2, 2))}, "'a' mixes types"),
        ({"a": [["secret"], ["b"]]}, "neither text nor numbers"),
        ({"a": ["secret", 666]}, "'a' mixes types"),
        (pd.DataFrame({"a": ["secret", 666]}), "'a' mixes types"),
    ],
)
def test_tables_that_are_refused(frame: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        columns(frame)
    assert "secret" not in str(caught.value)
    assert "666" not in str(caught.value)


def test_distinct_values() -> None:
    assert distinct(pa.array(["b", "a", None, "b"])) == ["b", "a", None]
    assert distinct(np.array([2.0, np.nan, 1.0, 2.0])) == [2.0, None, 1.0]
    assert distinct(pa.array(["b", "a", "b"]).dictionary_encode()) == ["b", "a"]


def test_a_lazy_frame_says_how_to_collect_it() -> None:
    lazy = pl.LazyFrame({"age": [31, 40]})
    assert is_frame(lazy)
    with pytest.raises(DataError, match=r"not LazyFrame\. Hint: call \.collect\(\)"):
        columns(lazy)


def test_all_columns_that_are_absent_are_named() -> None:
    with pytest.raises(DataError, match=r"has no columns 'age', 'car'; it has 1 column\."):
        columns({"sex": ["f"]}, ["age", "sex", "car"])
    with pytest.raises(DataError, match=r"has no column 'age'; .* Hint: do this\."):
        columns({"sex": ["f"]}, ["age"], hint="do this.")


@pytest.mark.parametrize(
    ("column", "dated"),
    [
        ([date(2016, 1, 31), None], True),
        ([datetime(2016, 1, 31, 8)], True),  # noqa: DTZ001 - as frames have them
        ([None, "2016-01-31"], True),
        (["31.01.2016"], True),
        (["2016 or so"], False),
        ([2016, 2017], False),
        ([None, None], False),
    ],
)
def test_columns_of_dates(column: list[Any], dated: bool) -> None:
    assert holds_dates(columns({"born": column})["born"]) == dated


@pytest.mark.parametrize("nan_is_null", [False, True])
@pytest.mark.parametrize(
    "column",
    [
        np.arange(4, dtype=np.int64),
        np.arange(9, dtype=np.uint8)[::2],
        np.array([1.5, np.nan, -0.0]),
        np.array([0.5, np.nan], np.float32),
        np.array(["a", "", "Zürich"]),
        np.array([True, False]),
        np.array(["a", None], object),
        np.zeros((3, 2))[:, 1],
        np.array([], np.float64),
    ],
)
def test_as_arrow_is_what_arrow_makes(column: Any, nan_is_null: bool) -> None:
    made, wanted = (
        as_arrow(column, nan_is_null=nan_is_null),
        pa.array(column, from_pandas=nan_is_null),
    )
    made.validate(full=True)
    assert made.type == wanted.type
    assert made.null_count == wanted.null_count
    assert str(made.to_pylist()) == str(wanted.to_pylist())


def test_text_as_arrow() -> None:
    for words in ([], [""], ["NA", "", "–"]):
        assert text_as_arrow(words).equals(pa.array(words, pa.string()))
