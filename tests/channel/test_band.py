"""The band channel: exact integers, order kept, the same γ."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Band, read_channel
from privet.channel.band import half_width
from privet.coding import Box
from privet.errors import PlanError, ReleaseError

sizes = st.integers(2, 12)
gammas: st.SearchStrategy[float | Fraction] = st.sampled_from([1.5, 2, 3, 8, 20, Fraction(7, 2)])


@st.composite
def bands(draw: st.DrawFn, bits: int = 32) -> Band:
    size = draw(sizes)
    return Band("a", size, draw(gammas), draw(st.integers(0, size - 1)), bits)


@given(bands())
def test_columns_sum_exactly_and_amplify_at_most_gamma(channel: Band) -> None:
    matrix = channel.matrix()
    assert (matrix.sum(0) == 2**32).all()
    worst = max(Fraction(int(row.max()), int(row.min())) for row in matrix)
    assert worst <= channel.amplification() <= Fraction(channel.gamma)
    assert channel.epsilon() == pytest.approx(
        math.log(channel.amplification().numerator / channel.amplification().denominator)
    )


@given(bands(bits=16))
def test_enumerating_all_words_gives_the_matrix(channel: Band) -> None:
    words = np.arange(1 << 16, dtype=np.uint32)
    for code in range(channel.size):
        drawn = channel.draw(np.full(len(words), code, np.uint8), words)
        assert (
            np.bincount(drawn, minlength=channel.output_size) == channel.matrix()[:, code]
        ).all()
        assert (np.diff(drawn.astype(int)) >= 0).all()  # the paper's order: by cumulated column


@given(bands())
def test_two_levels_are_the_matrix_but_for_what_is_left_over(channel: Band) -> None:
    far, near, width = channel.levels()
    place = np.arange(channel.output_size)[:, None] - np.arange(channel.size)
    matrix = np.where((place >= 0) & (place < width), near, far)
    assert np.abs(matrix - channel.matrix() / 2**32).max() <= width / 2**32


@given(bands())
def test_a_card_brings_it_back(channel: Band) -> None:
    assert read_channel(channel.to_dict()) == channel


def test_a_card_with_another_number_is_refused() -> None:
    form = Band("a", 5, 8).to_dict()
    form["high"] += 1
    with pytest.raises(ReleaseError):
        read_channel(form)


def test_half_width() -> None:
    """b = ⌊N(εγ − γ + 1) / (2γ(γ − 1 − ε))⌋, ε = ln γ; half the range at γ = 1."""
    assert half_width(100, 8) == 12
    assert half_width(100, 3) == 23
    # The limit near γ = 1 meets the formula where one gives way to the other, at ε = 0.01.
    assert half_width(10_000, 1.01) == pytest.approx(half_width(10_000, 1.0101), abs=3)
    assert half_width(10_000, 1.000_001) == 4999
    assert half_width(10, 20) == 0


@pytest.mark.parametrize(
    ("size", "gamma", "half"), [(1, 8, None), (5, 1, None), (5, 8, 5), (5, 8, -1)]
)
def test_what_cannot_be(size: int, gamma: float, half: int | None) -> None:
    with pytest.raises(PlanError):
        Band("a", size, gamma, half)


def test_a_band_has_a_left_inverse() -> None:
    channel = Band("age", 24, 8)
    inverse = channel.inverse()
    assert inverse.shape == (24, 28)
    assert inverse @ (channel.matrix() / channel.scale) == pytest.approx(np.eye(24))
    event = Box({"age": np.arange(24) < 12})
    assert channel.weights(event) == pytest.approx(inverse[:12].sum(axis=0))
