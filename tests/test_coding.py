"""Codings: cells of numbers, categories, boxes."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privet.coding import Box, Coding, all_inside, code_type, code_values
from privet.errors import DataError, SchemaError
from privet.schema import Attribute
from tests import twins
from tests.strategies import finite

numbers = st.lists(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False),
        st.integers(-5, 5).map(float),
        st.floats(1e15, 1e15 + 100),
    ),
    min_size=1,
    max_size=40,
    unique=True,
)


# Cells


@given(numbers, st.booleans(), st.lists(st.floats(), max_size=30))
def test_find_cells_is_a_search_among_the_edges(
    values: list[float], missing: bool, probes: list[float]
) -> None:
    held = np.unique(np.array(values) + 0.0)
    coding = Coding.cells("x", held, held, missing=missing)
    above = np.nextafter(held[:-1], np.inf)
    near = np.concatenate([held, coding.edges, above, probes])
    near = near[~np.isnan(near)] if not missing else near
    codes = coding.encode(near)
    np.testing.assert_array_equal(codes, twins.find_cells(near, coding.edges))
    np.testing.assert_array_equal(codes[: len(held)], np.arange(len(held)))


@given(finite, st.floats(1e-6, 1e12), st.integers(1, 5000))
def test_cells_of_equal_width(low: float, width: float, bins: int) -> None:
    """Every cell's own bounds, and what lies just beside them, are coded as the edges say."""
    assume(low + width > low)
    attribute = Attribute.numeric("x", low=low, high=low + width, bins=bins)
    coding = attribute.coding()
    assert coding.size == bins
    assert coding.lower is not None
    assert coding.upper is not None
    assume((coding.lower < coding.upper).all())  # the floats there are not too few
    borders = np.concatenate([coding.lower, coding.upper])
    near = np.concatenate([borders, np.nextafter(borders, np.inf), np.nextafter(borders, -np.inf)])
    np.testing.assert_array_equal(coding.encode(near), twins.find_cells(near, coding.edges))
    # Closed on the right: a cell's largest value is its own, the smallest the cell's before.
    np.testing.assert_array_equal(coding.encode(coding.upper), np.arange(bins))
    np.testing.assert_array_equal(coding.encode(coding.lower), np.maximum(np.arange(bins) - 1, 0))


def test_the_widest_range_of_numbers() -> None:
    """A difference beyond the largest number sends nothing to a wrong cell."""
    numbers = np.array([-1.7e308, -1e308, 0.0, 1e308, 1.7e308])
    coding = Coding.cells("x", numbers, numbers)
    probes = np.array([-1.8e308 / 1.01, -1.2e308, -1.0, 0.9e308, 1.6e308])
    np.testing.assert_array_equal(coding.encode(numbers), np.arange(5))
    np.testing.assert_array_equal(coding.encode(probes), twins.find_cells(probes, coding.edges))


def test_numbers_outside_fall_into_the_nearest_cell() -> None:
    coding = Coding.cells("x", [0.0, 10.0], [10.0, 20.0])
    assert coding.encode(np.array([-np.inf, -5.0, 25.0, np.inf])).tolist() == [0, 0, 1, 1]


def test_many_cells_take_two_bytes() -> None:
    numbers = np.arange(300.0)
    assert Coding.cells("x", numbers, numbers).encode(numbers).dtype == np.uint16
    numbers = np.arange(65_536.0)
    coding = Coding.cells("x", numbers, numbers)
    np.testing.assert_array_equal(coding.encode(numbers), numbers)
    missing = Coding.cells("x", numbers[:-1], numbers[:-1], missing=True)
    assert missing.encode(np.array([np.nan, 65_534.0])).tolist() == [65_535, 65_534]
    assert code_type(256) is np.uint8
    assert code_type(257) is np.uint16
    with pytest.raises(SchemaError, match="65536"):
        code_type(65_537)


def test_a_missing_number() -> None:
    numbers = np.array([1.0, np.nan, np.nan])
    with pytest.raises(DataError, match=r"'x' has a missing value \(first in row 1\)"):
        Coding.cells("x", [0.0], [2.0]).encode(numbers)
    assert Coding.cells("x", [0.0], [2.0], missing=True).encode(numbers).tolist() == [0, 1, 1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20, unique=True), st.data())
def test_a_cut_keeps_codes_and_values_together(values: list[float], data: st.DataObject) -> None:
    """Between any two codes that occur: one threshold, on the same side of which all cells lie."""
    borders = np.sort(np.array(values))
    pairs = len(borders) // 2
    lower, upper = borders[0 : 2 * pairs : 2], borders[1 : 2 * pairs : 2]  # cells with gaps
    if data.draw(st.booleans()):
        lower, upper = borders[:-1], borders[1:]  # cells without gaps
    coding = Coding.cells("x", lower, upper)
    assume(coding.size > 1)
    left = data.draw(st.integers(0, coding.size - 2))
    right = data.draw(st.integers(left + 1, coding.size - 1))
    last, threshold = coding.cut(left, right)
    assert left <= last < right
    assert upper[last] <= threshold
    assert threshold < upper[last + 1]
    assert threshold <= lower[last + 1]
    inner = coding.decode(np.arange(coding.size))
    np.testing.assert_array_equal(inner <= threshold, np.arange(coding.size) <= last)
    assert coding.around(left, right) == (upper[left], lower[right])


def test_a_cut_lies_midway_between_what_occurs() -> None:
    numbers = np.array([1.0, 2.0, 10.0, 11.0])
    coding = Coding.cells("x", numbers, numbers)
    assert coding.cut(0, 3) == (1, 6.0)  # past the value 2, which does not occur
    assert coding.cut(0, 1) == (0, 1.5)
    assert coding.cut(2, 3) == (2, 10.5)
    whole = Coding.cells("x", [0, 10, 20, 30], [10, 20, 30, 40])
    assert whole.cut(0, 3) == (1, 20.0)
    assert whole.cut(0, 2) == (0, 10.0)  # the middle lies in a cell: at its border
    assert Coding.cells("x", [0], [1], missing=True).cut(0, 1) == (0, np.inf)


def test_neighbouring_floats_can_be_told_apart() -> None:
    low = 1.0
    high = float(np.nextafter(low, 2))
    coding = Coding.cells("x", [low, high], [low, high])
    assert coding.encode(np.array([low, high])).tolist() == [0, 1]
    assert coding.cut(0, 1)[1] == low


# Categories

VALUES = ("a", "b", "ccc")
COLUMNS: dict[str, Any] = {
    "array": np.array(["b", "a", "ccc", "a"]),
    "objects": np.array(["b", "a", "ccc", "a"], dtype=object),
    "arrow": pa.array(["b", "a", "ccc", "a"]),
    "large text": pa.array(["b", "a", "ccc", "a"], pa.large_string()),
    "chunks": pa.chunked_array([["b", "a"], ["ccc", "a"]]),
    "dictionary": pa.array(["b", "a", "ccc", "a"]).dictionary_encode(),
    "dictionaries": pa.chunked_array(
        [pa.array(["b", "a"]).dictionary_encode(), pa.array(["ccc", "a"]).dictionary_encode()]
    ),
    "pandas categories": pa.Array.from_pandas(pd.Series(["b", "a", "ccc", "a"], dtype="category")),
    "polars categories": pl.Series(["b", "a", "ccc", "a"], dtype=pl.Categorical).to_arrow(),
    "polars enumeration": pl.Series(
        ["b", "a", "ccc", "a"], dtype=pl.Enum(["ccc", "b", "a"])
    ).to_arrow(),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_categories_of_any_kind(column: Any) -> None:
    assert Coding.categories("x", VALUES).encode(column).tolist() == [1, 0, 2, 0]


def test_missing_categories() -> None:
    column = pa.array(["a", None, "b"])
    assert Coding.categories("x", VALUES, missing=True).encode(column).tolist() == [0, 3, 1]
    with pytest.raises(DataError, match=r"'x' has a missing value \(first in row 1\)"):
        Coding.categories("x", VALUES).encode(column)
    places = Coding.categories("x", VALUES).places
    assert code_values(column, places, "x", unknown=9).tolist() == [0, 9, 1]


def test_an_unknown_category_is_named_by_row_not_by_value() -> None:
    with pytest.raises(DataError) as caught:
        Coding.categories("x", VALUES).encode(pa.array(["a", "secret", "b"]))
    assert "row 1" in str(caught.value)
    assert "'a', 'b', 'ccc'" in str(caught.value)
    assert "secret" not in str(caught.value)
    with pytest.raises(DataError, match="the column holds int, the schema str"):
        Coding.categories("x", VALUES).encode(np.array([77, 78]))
    with pytest.raises(DataError) as mixed:
        Coding.categories("x", VALUES).encode(np.array(["a", 666], dtype=object))
    assert "666" not in str(mixed.value)


def test_a_narrow_dictionary_has_room_for_missing() -> None:
    names = [f"v{i}" for i in range(128)]
    indices = pa.array([0, None, 127], pa.int8())
    column = pa.DictionaryArray.from_arrays(indices, names)
    assert Coding.categories("x", names, missing=True).encode(column).tolist() == [0, 128, 127]


def test_many_categories() -> None:
    names = [f"v{i}" for i in range(300)]
    codes = Coding.categories("x", names).encode(np.array(names))
    assert codes.dtype == np.uint16
    np.testing.assert_array_equal(codes, np.arange(300))


def test_numbers_and_truth_as_categories() -> None:
    assert Coding.categories("x", [1, 2.5]).encode(np.array([2.5, 1.0])).tolist() == [1, 0]
    assert Coding.categories("x", [False, True]).encode(np.array([True, False])).tolist() == [1, 0]


def test_codes_are_written_where_asked() -> None:
    matrix = np.zeros((3, 2), np.uint8)
    Coding.categories("x", VALUES).encode(np.array(["a", "b", "a"]), out=matrix[:, 1])
    Coding.cells("x", [0.0, 2.0], [1.0, 3.0]).encode(np.array([0.0, 1.0, 3.0]), out=matrix[:, 0])
    assert matrix.tolist() == [[0, 0], [0, 1], [1, 0]]


# Back


def test_decoding() -> None:
    named = Coding.categories("x", VALUES, missing=True)
    assert named.decode(np.array([2, 3, 0], np.uint8)).tolist() == ["ccc", None, "a"]
    cells = Coding.cells("x", [0, 10], [10, 30], missing=True)
    np.testing.assert_array_equal(cells.decode(np.array([0, 1, 2])), [5.0, 20.0, np.nan])
    assert [named.label(code) for code in range(4)] == ["a", "b", "ccc", "missing"]
    assert [cells.label(code) for code in range(3)] == ["0 to 10", "10 to 30", "missing"]
    assert Coding.cells("x", [4], [4]).label(0) == "4"


@given(numbers, st.booleans())
def test_files(values: list[float], missing: bool) -> None:
    held = np.sort(np.array(values))
    for coding in (
        Coding.cells("x", held, held, missing=missing),
        Coding.categories("x", values, missing=missing),
    ):
        again = Coding.from_dict(coding.to_dict())
        assert again.to_dict() == coding.to_dict()
        assert (again.size, again.ordered, again.missing) == (coding.size, coding.ordered, missing)
        if coding.ordered:
            np.testing.assert_array_equal(again.edges, coding.edges)


def test_categories_have_no_edges() -> None:
    with pytest.raises(SchemaError, match="no cells"):
        _ = Coding.categories("x", VALUES).edges


# Boxes


def test_boxes_narrow() -> None:
    box = Box().narrowed("x", np.array([True, True, False]))
    both = box.narrowed("x", np.array([False, True, True])).narrowed("y", np.array([True]))
    assert both.mask("x", 3).tolist() == [False, True, False]
    assert box.mask("x", 3).tolist() == [True, True, False]
    assert box.mask("z", 2).tolist() == [True, True]


@given(
    st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0, 3.5, np.nan, np.inf]), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_all_inside_is_what_its_twin_says(values: list[float], whole: bool, missing: bool) -> None:
    numbers = np.array(values, np.float64)
    expected = twins.all_inside(numbers, 0.0, 3.0, whole, missing)
    assert all_inside(numbers, 0.0, 3.0, whole, missing) == expected


def test_a_category_that_is_not_declared_may_be_misspelt() -> None:
    with pytest.raises(DataError, match="outside its domain") as caught:
        Attribute.categorical("ward", ["surgery", "other"]).encode(pa.array(["surgry"]))
    assert "or correct the table if it is misspelt" in caught.value.hint
