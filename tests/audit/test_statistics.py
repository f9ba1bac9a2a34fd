"""Intervals that hold, and lower bounds of ε that no right channel exceeds."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from privet.audit.statistics import binomial_interval, epsilon_bound, epsilon_from_counts
from privet.channel import Band, Channel, Flip, GammaDiagonal, JointGammaDiagonal
from privet.errors import InputError
from privet.randomness import Randomness

# γ ≥ 5 and N ≤ 20, where draws can tell.
GAMMAS = (5, 5.5, 6, 7.25, 8, 10, 12, 15, 19, 25, 50)
SIZES = (2, 3, 5, 7, 10, 13, 17, 20)
CHANNELS: list[Channel] = [
    *(GammaDiagonal("a", size, gamma) for gamma, size in product(GAMMAS, SIZES)),
    *(JointGammaDiagonal(("a", "b"), (2, size), gamma) for gamma, size in product((5, 8), (2, 7))),
    *(Band("a", size, gamma) for gamma, size in product((5, 8, 19), (5, 10, 20))),
    *(Flip(("a",), theta) for theta in (0.9, 0.95, 0.1)),
]
DRAWS = 100_000  # of each channel, over all its values
FAMILY = 1e-6


@given(st.integers(1, 3000), st.floats(0, 1))
def test_an_interval_is_exact(trials: int, share: float) -> None:
    hits = round(trials * share)
    low, high = binomial_interval(hits, trials, 0.02)
    assert 0 <= low <= hits / trials <= high <= 1
    if hits:
        assert binom.sf(hits - 1, trials, low) == pytest.approx(0.01, rel=1e-6)
    if hits < trials:
        assert binom.cdf(hits, trials, high) == pytest.approx(0.01, rel=1e-6)


def test_no_channel_draws_above_its_claim() -> None:
    assert len(CHANNELS) >= 100
    near = []
    with Randomness.seeded("claims") as source:
        for place, channel in enumerate(CHANNELS):
            draws = max(1000, DRAWS // channel.input_size)
            error = FAMILY / len(CHANNELS)
            bound = epsilon_bound(channel, source, draws=draws, error=error, column=place)
            assert bound.value <= channel.epsilon(), channel
            if channel.kind == "gamma-diagonal":
                near.append(bound.value / channel.epsilon())
    # The bounds would see a claim that is 5 % too small.
    assert min(near) > 0.95


@pytest.mark.parametrize(("size", "gamma"), [(2, 8), (10, 5), (20, 8)])
def test_a_claim_five_per_cent_too_small_is_seen(size: int, gamma: int) -> None:
    stronger = GammaDiagonal("a", size, gamma**1.06)
    with Randomness.seeded("five") as source:
        bound = epsilon_bound(stronger, source, draws=DRAWS // size, error=1e-8)
    assert bound.value > math.log(gamma)


def test_a_single_leaking_cell_is_seen() -> None:
    counts = np.full((4, 4), 2500)
    counts[0, 0] = 9000  # one input shows in one output; the others are all alike
    counts[1:, 0] = 333
    favoured = np.arange(4)
    assert epsilon_from_counts(counts, favoured, 1e-6) > math.log(3)
    assert epsilon_from_counts(np.full((4, 4), 2500), favoured, 1e-6) == 0


def test_certainty_has_no_bound() -> None:
    assert epsilon_from_counts(np.eye(3, dtype=int) * 10**6, np.arange(3), 1e-6) > 10


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"error": 0}, {"error": 1.5}])
def test_bad_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="draws must be at least 1"):
        epsilon_bound(GammaDiagonal("a", 3, 5), Randomness.seeded(1), **wrong)
