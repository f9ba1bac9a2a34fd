"""Cells that are learned from plain numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.estimate import bins
from privet.estimate.bins import learn_cells

numbers = st.lists(
    st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1, max_size=60
)


@given(numbers)
def test_few_values_have_a_cell_each(held: list[float]) -> None:
    column = np.array(held)
    coding = learn_cells("x", column)
    distinct = np.unique(column + 0.0)
    assert coding.size == len(distinct)
    np.testing.assert_array_equal(coding.decode(coding.encode(column)), column + 0.0)
    inner = coding.edges
    assert ((inner >= distinct[:-1]) & (inner < distinct[1:])).all()


def test_cuts_lie_midway() -> None:
    assert learn_cells("x", np.array([1.0, 4.0, 2.0, 1.0])).edges.tolist() == [1.5, 3.0]


def test_many_values_are_grouped_by_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bins, "MAX_EXACT", 100)
    column = np.random.default_rng(1).permutation(5100.0 + np.arange(5100))
    coding = learn_cells("x", column)
    assert coding.size == bins.MAX_CELLS
    assert set(np.bincount(coding.encode(column))) == {20}


def test_a_long_column_keeps_few_values_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rare value that the sample of rows misses is found all the same."""
    monkeypatch.setattr(bins, "SAMPLE", 64)
    column = np.tile([1.0, 2.0], 500)
    column[777] = 7.5
    coding = learn_cells("x", column)
    assert coding.decode(np.arange(3)).tolist() == [1.0, 2.0, 7.5]
    column[:400] = np.arange(400)
    coding = learn_cells("x", column)
    assert coding.size <= bins.MAX_CELLS
    assert (np.diff(coding.edges) > 0).all()
    codes = coding.encode(column)
    assert (np.diff(codes[np.argsort(column, kind="stable")].astype(int)) >= 0).all()


@given(numbers, st.integers(1, 5))
def test_missing_numbers_have_a_cell_behind_all_others(held: list[float], number: int) -> None:
    column = np.array(held + [np.nan] * number)
    coding = learn_cells("x", column, missing=True)
    codes = coding.encode(column)
    assert set(codes[-number:]) == {coding.size - 1}
    assert (codes[:-number] < coding.size - 1).all()


def test_a_column_with_nothing_but_missing_numbers() -> None:
    coding = learn_cells("x", np.full(3, np.nan), missing=True)
    assert coding.encode(np.full(3, np.nan)).tolist() == [1, 1, 1]


@pytest.mark.parametrize(("values", "exact"), [(6, True), (7, False)])
def test_so_many_values_are_kept_apart_in_a_short_column(
    values: int, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bins, "MAX_EXACT", 6)
    monkeypatch.setattr(bins, "MAX_CELLS", 3)
    monkeypatch.setattr(bins, "SAMPLE", 8)
    found = learn_cells("x", np.resize(np.arange(values, dtype=float), 8))
    assert found.size == (values if exact else 3)


@pytest.mark.parametrize(("values", "exact"), [(3, True), (4, False)])
def test_so_many_values_are_kept_apart_in_a_long_column(
    values: int, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of nine rows, one more than are looked at, every other one is."""
    monkeypatch.setattr(bins, "MAX_CELLS", 3)
    monkeypatch.setattr(bins, "SAMPLE", 8)
    column = np.zeros(9)
    column[1 : 2 * values : 2][: values - 1] = np.arange(1, values)  # rows that are not looked at
    found = learn_cells("x", column)
    assert found.size == 3
    lower, upper = np.asarray(found.lower), np.asarray(found.upper)
    assert (lower == upper).all() == exact
    assert (lower[0], upper[-1]) == (0.0, values - 1)


def test_cells_of_equal_weight_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three cells of twelve records: a value goes where the third of those before it ends."""
    monkeypatch.setattr(bins, "MAX_EXACT", 2)
    monkeypatch.setattr(bins, "MAX_CELLS", 3)
    column = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [1, 4, 3, 1, 3])  # 0, 1, 5, 8 and 9 before
    found = learn_cells("x", column)
    assert np.asarray(found.lower).tolist() == [1.0, 3.0, 4.0]
    assert np.asarray(found.upper).tolist() == [2.0, 3.0, 5.0]


def test_negative_zero_is_zero() -> None:
    found = learn_cells("x", np.array([-0.0, 0.0, 1.0]))
    assert found.size == 2
    assert not np.signbit(np.asarray(found.lower)[0])


def test_sizes_of_cells() -> None:
    """A code of cells fits in a byte, with one left for what is missing."""
    assert bins.MAX_CELLS + 1 == 256
    assert learn_cells("x", np.arange(4096.0)).size == 4096
    assert learn_cells("x", np.arange(4097.0)).size == 255
    long = np.resize(np.arange(255.0), (1 << 15) + 1)
    assert learn_cells("x", long).size == 255
    assert learn_cells("x", np.resize(np.arange(4096.0), 1 << 15)).size == 4096
    assert learn_cells("x", np.resize(np.arange(4096.0), (1 << 15) + 1)).size == 255
