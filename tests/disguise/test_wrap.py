"""Noise that wraps round: exact at both ends, by hand and for any numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.disguise.wrap import wrap

Floats = NDArray[np.float64]
finite = st.floats(-1e12, 1e12, allow_subnormal=False)


def real(value: float, noise: float, lower: float, upper: float) -> float:
    return float(wrap(*(np.array([x]) for x in (value, noise, lower, upper)))[0])


def whole(value: float, noise: float, lower: float, upper: float) -> float:
    return float(wrap(*(np.array([x]) for x in (value, noise, lower, upper)), whole=True)[0])


def real_twin(values: Floats, noise: Floats, lower: Floats, upper: Floats) -> Floats:
    """The same without loops."""
    width = upper - lower
    moved = upper - np.mod(upper - values - noise, np.where(width > 0, width, 1.0))
    moved = np.where(moved <= lower, np.nextafter(lower, np.inf), np.minimum(moved, upper))
    return np.where(width > 0, moved, values)


def whole_twin(values: Floats, noise: Floats, lower: Floats, upper: Floats) -> Floats:
    """The same without loops."""
    low = np.floor(lower) + 1
    kinds = np.maximum(np.floor(upper) - low + 1, 1)
    return np.asarray(low + np.mod(np.rint(values + noise) - low, kinds))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 50.0]))
def test_the_kernels_are_their_plain_twins(seed: int, wide: float) -> None:
    rng = np.random.default_rng(seed)
    lower = np.rint(rng.uniform(-50, 50, 9)) - 0.5
    upper = lower + np.rint(rng.uniform(0, 9, 9))
    member = rng.integers(0, 9, 200)
    low, high = lower[member], upper[member]
    noise = wide * rng.normal(size=200)
    values = np.maximum(low + rng.uniform(0, 1, 200) * (high - low), low)
    expected = real_twin(values, noise, low, high)
    assert np.array_equal(wrap(values, noise, lower, upper, member), expected)
    values = np.floor(low) + 1 + np.floor(rng.uniform(0, 1, 200) * (high - low))
    values[:5] = np.nan
    expected = whole_twin(values, noise, low, high)
    wrapped = wrap(values, noise, lower, upper, member, whole=True)
    assert np.array_equal(wrapped, expected, equal_nan=True)


def test_reals_by_hand() -> None:
    assert real(7.5, 0.25, 6, 8) == 7.75
    assert real(7.5, 1.0, 6, 8) == 6.5  # over the top: in at the bottom
    assert real(6.5, -1.0, 6, 8) == 7.5  # under the bottom: in at the top
    assert real(7.0, 1.0, 6, 8) == 8  # the upper end is inside
    assert real(7.0, -1.0, 6, 8) == 8  # the lower end is not: it is the upper one
    assert real(7.0, 40.0, 6, 8) == 7.0  # many times round


def test_whole_numbers_by_hand() -> None:
    """A > 5 and A <= 8: six, seven and eight (FI §3, step 2)."""
    assert [whole(6, e, 5, 8) for e in (0, 1, 2, 3, -1, -2, -3)] == [6, 7, 8, 6, 8, 7, 6]
    assert [whole(7, e, 5.5, 8.5) for e in (0.4, 0.6, -0.6)] == [7, 8, 6]
    assert whole(7, 123.4, 6.5, 7.5) == 7  # a single number stays


def test_rounding_does_not_reach_the_open_end() -> None:
    """1 + 2⁻⁵³ lies inside (1, 2], but the nearest float is 1."""
    assert real(1 + 2**-52, -(2**-53), 1, 2) == 1 + 2**-52
    assert real(1 + 2**-52, -(2**-53), 1, 2) > 1


def test_no_room_leaves_the_number() -> None:
    assert real(3.25, 10.0, 3.25, 3.25) == 3.25


@given(finite, st.floats(0, 1), st.floats(1e-9, 1e12), st.floats(-1e13, 1e13))
def test_a_real_never_leaves_its_interval(
    lower: float, share: float, width: float, noise: float
) -> None:
    upper = lower + width
    if upper <= lower:
        return
    value = min(max(lower + share * width, np.nextafter(lower, np.inf)), upper)
    assert lower < real(value, noise, lower, upper) <= upper


@given(st.integers(-10_000, 10_000), st.integers(1, 500), st.data(), st.floats(-1e6, 1e6))
def test_a_whole_number_never_leaves_its_interval(
    low: int, kinds: int, data: st.DataObject, noise: float
) -> None:
    value = data.draw(st.integers(low, low + kinds - 1))
    wrapped = whole(value, noise, low - 0.5, low + kinds - 0.5)
    assert low <= wrapped <= low + kinds - 1
    assert wrapped == low + (int(np.rint(value + noise)) - low) % kinds
