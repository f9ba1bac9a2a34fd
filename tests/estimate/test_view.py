"""Attributes seen coarsely in joint tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Band, GammaDiagonal
from privet.estimate.em import Axis
from privet.estimate.view import View, outputs_at, view


@given(st.integers(2, 40), st.integers(1, 9), st.booleans(), st.integers(0, 999))
def test_groups_hold_what_their_codes_hold(size: int, step: int, band: bool, seed: int) -> None:
    """Coarse outputs are sums of fine ones, if records lie in groups as the counts say."""
    channel = Band("a", size, 6) if band else GammaDiagonal("a", size, 6)
    axis = Axis.of(channel, size)
    rng = np.random.default_rng(seed)
    counts = rng.random(size) + 0.01
    seen = view(axis, step, counts)
    assert seen.axis.outputs == outputs_at(axis, step)
    groups = np.bincount(np.arange(size) // step, counts).astype(np.float64)
    fine = seen.fine(groups)
    np.testing.assert_allclose(fine, counts, rtol=1e-4)
    observed = np.add.reduceat(axis.dense @ fine, np.arange(0, axis.outputs, step))
    np.testing.assert_allclose(seen.axis.dense @ groups, observed, rtol=1e-9)
    np.testing.assert_allclose(seen.axis.dense.sum(0), 1.0, atol=1e-8)
    mask = rng.random(size) < 0.5
    np.testing.assert_allclose(seen.inside(mask) @ groups, fine[mask].sum(), rtol=1e-9, atol=1e-12)


@given(st.integers(2, 30), st.integers(1, 5), st.integers(0, 99))
def test_the_inverse_gives_back_expected_counts(size: int, step: int, seed: int) -> None:
    counts = np.random.default_rng(seed).random(size) + 0.01
    seen = view(Axis.of(GammaDiagonal("a", size, 6), size), step, counts)
    groups = np.bincount(np.arange(size) // step, counts).astype(np.float64)
    assert seen.inverse is not None
    np.testing.assert_allclose(
        seen.inverse @ (seen.axis.dense @ groups), seen.fine(groups), rtol=1e-6, atol=1e-9
    )


def test_an_exact_attribute_seen_finely_needs_nothing() -> None:
    held = View(Axis(5, 5))
    assert held.inverse is None
    assert held.inside(np.array([True, False, True, False, False])).tolist() == [1, 0, 1, 0, 0]
