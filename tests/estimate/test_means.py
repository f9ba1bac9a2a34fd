"""Means of cells, by hand and beside SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from privet.coding import Coding
from privet.estimate import means
from privet.estimate.means import mean_of_cells

WIDTHS = st.lists(st.floats(0.01, 100), min_size=1, max_size=12)


@given(WIDTHS, st.data())
def test_areas_are_those_under_scipys_monotone_cubic(
    widths: list[float], data: st.DataObject
) -> None:
    rises = data.draw(
        st.lists(
            st.sampled_from([0.0, 0.0, 0.001, 0.1, 0.2, 1.0]),
            min_size=len(widths),
            max_size=len(widths),
        )
    )
    gaps = data.draw(st.lists(st.floats(0, 0.9), min_size=len(widths), max_size=len(widths)))
    ends = np.cumsum([-5.0, *widths])
    heights = np.cumsum([0.0, *rises])
    lower, upper = ends[:-1] + np.array(gaps) * np.diff(ends), ends[1:]
    with np.errstate(divide="ignore"):
        areas = means._areas(ends, heights, lower, upper)
    curve = PchipInterpolator(ends, heights)
    wanted = [curve.integrate(low, high) for low, high in zip(lower, upper, strict=True)]
    np.testing.assert_allclose(areas, wanted, rtol=1e-9, atol=1e-9)


def test_what_is_missing_has_no_part_in_a_mean() -> None:
    coding = Coding.cells("kids", [1, 3], [1, 3], missing=True)
    shares = np.array([0.25, 0.25, 0.5])
    mean = mean_of_cells(coding, shares, shares, np.diag([0.01, 0.02, 0.5]))
    assert mean is not None
    value, error, shift = mean[:3]
    assert value == pytest.approx(2.0)  # (1 · ¼ + 3 · ¼) / ½
    assert error == pytest.approx(math.sqrt(4 * 0.01 + 4 * 0.02))  # slopes (1 − 2) / ½, (3 − 2) / ½
    assert shift == 0.0


@pytest.mark.parametrize("missing", [False, True])
def test_even_cells_have_their_mean_in_the_middle(missing: bool) -> None:
    coding = Coding.cells("age", [0, 10], [10, 20], missing=missing)
    shares = np.array([0.4, 0.4, 0.2] if missing else [0.5, 0.5])
    mean = mean_of_cells(coding, shares, shares, np.zeros((len(shares), len(shares))))
    assert mean is not None
    assert mean[:3] == pytest.approx((10.0, 0.0, 5.0))


def test_numbers_of_a_cell_lean_to_where_more_are() -> None:
    coding = Coding.cells("age", [0, 10, 20], [10, 20, 30])
    shares = np.array([0.1, 0.3, 0.6])
    mean = mean_of_cells(coding, shares, shares, np.zeros((3, 3)))
    assert mean is not None
    centres = float(shares @ [5.0, 15.0, 25.0])
    assert centres < mean[0] < float(shares @ [10.0, 20.0, 30.0])
    assert 5.0 < mean[2] < 10.0  # were all at the lower ends


def test_nobody_known_has_no_mean() -> None:
    coding = Coding.cells("age", [0, 10], [10, 20], missing=True)
    shares = np.array([0.0, 0.0, 1.0])
    assert mean_of_cells(coding, shares, shares, np.zeros((3, 3))) is None
