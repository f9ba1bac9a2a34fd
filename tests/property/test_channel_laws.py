"""Laws of channels: what is drawn, claimed and inverted are the same whole numbers."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import GammaDiagonal, read_channel
from privet.coding import Box
from tests.property.strategies import channels


@given(channels())
def test_every_column_sums_to_the_scale(channel: GammaDiagonal) -> None:
    assert (channel.matrix().sum(axis=0) == 1 << channel.bits).all()
    assert channel.matrix().min() > 0


@given(channels())
def test_amplification_is_never_above_gamma(channel: GammaDiagonal) -> None:
    assert 1 < channel.amplification() <= Fraction(channel.gamma)


@given(channels(max_size=40))
def test_epsilon_is_the_largest_log_ratio_of_the_matrix(channel: GammaDiagonal) -> None:
    rows = channel.matrix().tolist()
    worst = max(math.log(max(row) / min(row)) for row in rows)
    assert math.isclose(channel.epsilon(), worst, rel_tol=1e-9)


@given(channels(max_size=60), st.data())
def test_apply_then_invert_returns_the_counts(channel: GammaDiagonal, data: st.DataObject) -> None:
    counts = data.draw(
        st.lists(st.integers(0, 10**6), min_size=channel.size, max_size=channel.size)
    )
    expected = channel.matrix() @ np.array(counts, float) / channel.scale
    error = np.abs(channel.inverse() @ expected - counts).max()
    assert error <= 1e-9 * channel.condition() * (1 + sum(counts))
    mask = np.array(
        data.draw(st.lists(st.booleans(), min_size=channel.size, max_size=channel.size))
    )
    weighed = channel.weights(Box({"a": mask})) @ expected
    assert abs(weighed - np.array(counts)[mask].sum()) <= (
        1e-9 * channel.condition() * (1 + sum(counts)) * channel.size
    )


@given(channels())
def test_a_channel_comes_back_from_its_card(channel: GammaDiagonal) -> None:
    assert read_channel(channel.to_dict()) == channel
