"""Means of cells, by hand and beside SciPy; means of numbers, to the last digit."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

import privet as pv
from privet.channel import Noise
from privet.coding import Coding
from privet.estimate import means
from privet.estimate.means import Mean, mean_of_cells, mean_of_numbers, plain_digits
from privet.table import MemoryTable

Z = 1.959963984540054  # 97.5 % of normal numbers lie below
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


CELLS = st.lists(st.sampled_from([0.0, 0.02, 0.1, 0.3, 1.0]), min_size=2, max_size=6)


@settings(max_examples=40)
@given(CELLS, st.data())
def test_means_are_those_of_a_smooth_curve_through_the_shares(
    weights: list[float], data: st.DataObject
) -> None:
    """E(x) of each cell by SciPy's curve, whatever is missing beside the cells."""
    number = len(weights)
    widths = data.draw(st.lists(st.floats(0.5, 20), min_size=number, max_size=number))
    missing = data.draw(st.booleans())
    shares = np.array(weights) + 1e-3
    shares *= (0.7 if missing else 1.0) / shares.sum()
    ends = np.cumsum([-5.0, *widths])
    coding = Coding.cells("x", ends[:-1], ends[1:], missing=missing)
    fitted = np.append(shares, [0.3] * missing)
    mean = mean_of_cells(coding, fitted, fitted, np.zeros((len(fitted), len(fitted))))
    assert mean is not None
    density = PchipInterpolator(ends, np.cumsum([0.0, *shares / shares.sum()])).derivative()
    centres = []
    for low, high in itertools.pairwise(ends):
        at, by = np.polynomial.legendre.leggauss(4)  # exact for x times a parabola
        points = (low + high) / 2 + (high - low) / 2 * at
        dense = by * density(points)
        centres.append(float(points @ dense / dense.sum()))
    known = shares / shares.sum()
    assert mean.value == pytest.approx(known @ centres, rel=1e-6, abs=1e-6)
    shifts = known @ (np.array(centres) - ends[:-1]), known @ (ends[1:] - np.array(centres))
    assert mean.cells == pytest.approx(max(shifts), rel=1e-6)


def test_a_cell_without_a_share_has_its_middle() -> None:
    """Its count without bias may be other than zero all the same."""
    coding = Coding.cells("age", [0, 10, 20], [10, 20, 30])
    fitted, unbiased = np.array([0.5, 0.0, 0.5]), np.array([0.5, -0.25, 0.5])
    mean = mean_of_cells(coding, fitted, unbiased, np.zeros((3, 3)))
    assert mean is not None
    assert mean.value == pytest.approx(15.0)  # (0.5 x - 0.25 · 15 + 0.5 (30 - x)) / 0.75
    lone = mean_of_cells(coding, fitted, np.array([0.0, 1.0, 0.0]), np.zeros((3, 3)))
    assert lone is not None
    assert lone.value == 15.0


def test_single_numbers_among_ranges_stay_where_they_are() -> None:
    coding = Coding.cells("age", [0, 0, 10], [0, 10, 20])
    none = np.zeros((3, 3))
    mean = mean_of_cells(coding, np.array([0.2, 0.3, 0.5]), np.array([1.0, 0.0, 0.0]), none)
    assert mean is not None
    assert mean.value == 0.0
    two = mean_of_cells(coding, np.array([0.1, 0.2, 0.7]), np.array([0.0, 0.0, 1.0]), none)
    assert two is not None
    assert 15.0 < two.value < 20.0
    lone = mean_of_cells(Coding.cells("age", [7], [7]), np.ones(1), np.ones(1), np.zeros((1, 1)))
    assert lone == (7.0, 0.0, 0.0)
    wide = mean_of_cells(Coding.cells("age", [6], [8]), np.ones(1), np.ones(1), np.zeros((1, 1)))
    assert wide == (7.0, 0.0, 1.0)


def test_errors_of_means_know_how_shares_go_together() -> None:
    coding = Coding.cells("kids", [1, 3], [1, 3])
    half = np.array([0.5, 0.5])
    mean = mean_of_cells(coding, half, half, np.array([[0.02, -0.01], [-0.01, 0.02]]))
    assert mean is not None
    assert mean.error == pytest.approx(math.sqrt(0.06))  # slopes -1 and 1
    below = mean_of_cells(coding, half, half, np.array([[0.0, 0.01], [0.01, 0.0]]))
    assert below is not None
    assert below.error == 0.0  # of a variance below zero nothing is known


def test_numbers_are_told_in_as_many_digits_as_are_known() -> None:
    told = {
        (38.393, 0.0): "38.393",
        (38.4, 0.89): "38.40",
        (100_000.4, 0.0): "100,000",  # six digits, and no more
        (100_000, 0.0): "100,000",
        (82_917.44, 10.5): "82,917",
        (82_917.44, 9.5): "82,917.4",
        (3.7, math.inf): "4",
        (0.0, 0.0): "0",
        (1.5e-13, 0.0): "0",  # no more than twelve behind the point
        (-38.393, 0.0): "-38.393",
    }
    for (number, unit), text in told.items():
        assert plain_digits(number, unit) == text
    assert str(Mean(10.0, 1.2 / Z, 0.0)) == "10.0 (95 % interval 8.8 to 11.2; standard error 0.61)"
    assert str(Mean(10.0, 0.0, 0.5)) == (
        "10.00 (95 % interval 9.50 to 10.50; cells may shift it by up to 0.50)"
    )
    assert Mean(10.0, 0.5, 0.25).interval() == pytest.approx((10 - 0.5 * Z - 0.25, 11.2299910))


def test_sums_of_billions_of_numbers_fit_in_64_bits() -> None:
    fine, coarse = means._STEPS
    assert 2**33 * fine <= 2**63
    assert 2**33 * coarse**2 <= 2**63
    assert fine >= 2**30  # and numbers are told to a billionth of their range
    assert coarse >= 2**15


# Numbers that were released as such

SCHEMA = pv.Schema(
    [
        pv.Attribute.numeric("x", low=-3, high=9, missing="category"),
        pv.Attribute.numeric("kids", low=0, high=20, integer=True),
        pv.Attribute.categorical("y", ["a", "b"]),
    ],
    target="y",
)
RAW = np.array([0.1, 8.9999, -2.7182818284, 3.1415926535, 1 / 3, np.nan, 7.7])


def exact(numbers: Any) -> pv.Release:
    held = {
        "x": np.asarray(numbers, np.float64),
        "kids": np.arange(len(numbers)) % 21,
        "y": ["a"] * len(numbers),
    }
    return pv.Plan({}, default=pv.Exact()).disguise(held, SCHEMA, seed=1)


def test_exact_numbers_have_their_mean_to_the_last_digit() -> None:
    known = RAW[~np.isnan(RAW)]
    mean = mean_of_numbers(exact(RAW), "x", population=False)
    assert mean is not None
    assert mean.value == pytest.approx(math.fsum(known) / 6, rel=0, abs=1e-14)
    assert (mean.error, mean.cells) == (0.0, 0.0)
    sampled = mean_of_numbers(exact(RAW), "x", population=True)
    assert sampled is not None
    assert sampled.value == mean.value
    assert sampled.error == pytest.approx(known.std() / math.sqrt(6), rel=1e-3)
    one = mean_of_numbers(exact([2.5]), "x", population=True)
    assert one is not None
    assert one[:1] == pytest.approx((2.5,), abs=1e-14)
    assert mean_of_numbers(exact([np.nan, np.nan]), "x", population=False) is None


def test_parts_that_do_not_tell_are_estimated_by_those_that_do() -> None:
    """Records of the others make a sample, whose error is that of sampling."""
    first, second = exact(RAW), exact([1.0, 2.0])
    both = replace(first, parts=(*first.parts, *second.parts))
    told = mean_of_numbers(both, "x", population=False)
    assert told is not None
    assert told.value == pytest.approx((math.fsum(RAW[~np.isnan(RAW)]) + 3.0) / 8, abs=1e-14)
    assert told.error == 0.0
    columns = {name: np.array([0, 1], np.uint8) for name in ("kids", "y")}
    blind = replace(second.parts[0], table=MemoryTable(columns))
    some = replace(first, parts=(*first.parts, blind), drawn=True)
    alone, sampled = (mean_of_numbers(of, "x", population=of is first) for of in (first, some))
    assert sampled == alone
    assert (
        mean_of_numbers(replace(first, parts=(blind,), drawn=True), "x", population=False) is None
    )
    empty = replace(second.parts[0], table=MemoryTable({"x": np.empty(0), **{
        name: column[:0] for name, column in columns.items()}}))  # fmt: skip
    assert mean_of_numbers(replace(first, parts=(empty,)), "x", population=False) is None


@pytest.mark.parametrize("law", ["uniform", "gaussian"])
def test_noise_has_a_known_mean_and_variance(law: str) -> None:
    """Three outputs of noise on a grid: their mean less the noise's own, its error the noise's."""
    kind = Noise.uniform if law == "uniform" else Noise.gaussian
    amount = {"alpha": 3.0} if law == "uniform" else {"sigma": 2.0}
    for low, high, steps, name in ((-3, 9, 24, "x"), (0, 20, 20, "kids"), (0, 20, 8, "kids")):
        noise = kind(name, low=low, high=high, steps=steps, **amount)
        first = exact([2.0, 3.0, 4.0])
        outputs = noise.low + noise.step * np.array([0.0, 3.0, 5.0])
        columns = {**first.parts[0].table.collect(10).columns, name: outputs}
        part = replace(first.parts[0], table=MemoryTable(columns), channels=(noise,))
        mean = mean_of_numbers(replace(first, parts=(part,)), name, population=False)
        steps_, weights = np.arange(-noise.reach, noise.reach + 1), noise.weights_of_steps
        drift = float(weights @ steps_) / noise.scale * noise.step
        spread = float(weights @ steps_**2) / noise.scale * noise.step**2 - drift**2
        assert mean is not None
        assert mean.value == pytest.approx(outputs.mean() - drift, abs=1e-9)
        assert mean.error == pytest.approx(math.sqrt(spread / 3), rel=1e-6)
        whole = name == "kids" and noise.step == int(noise.step)
        assert mean.cells == pytest.approx(0.0 if whole else noise.step / 2)
        sampled = mean_of_numbers(replace(first, parts=(part,)), name, population=True)
        assert sampled is not None
        assert sampled.error == pytest.approx(outputs.std() / math.sqrt(3), rel=1e-2)
