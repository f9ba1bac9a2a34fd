"""Means of cells."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from privet.estimate import means

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
