"""Attributes seen coarsely in joint tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Band, GammaDiagonal
from privet.estimate.em import Axis
from privet.estimate.view import View, coarser, outputs_at, paired, view


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


def test_groups_of_codes_by_hand() -> None:
    """Five codes in groups of two: the last group has one; an empty group is spread evenly."""
    seen = view(Axis(5, 5), 2, np.array([1.0, 3.0, 0.0, 0.0, 9.0]))
    assert seen.spread is not None
    expected = np.array([[0.25, 0, 0], [0.75, 0, 0], [0, 0.5, 0], [0, 0.5, 0], [0, 0, 1]])
    np.testing.assert_allclose(seen.spread, expected, atol=1e-5)
    assert (seen.step, seen.axis.inputs, seen.axis.outputs) == (2, 3, 3)
    assert seen.axis.is_exact
    np.testing.assert_allclose(seen.groups(np.array([1.0, 3.0, 0.0, 2.0, 9.0])), [4, 2, 9])
    assert seen.inverse is seen.spread
    assert [outputs_at(Axis(5, 5), step) for step in (1, 2, 3, 5, 6)] == [5, 3, 2, 1, 1]
    alone = view(Axis(5, 5), 1, np.ones(5))
    assert alone.spread is None
    counts = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert alone.groups(counts) is counts
    assert alone.fine(counts) is counts
    nobody = view(Axis(4, 4), 2, np.zeros(4))
    np.testing.assert_allclose(np.asarray(nobody.spread), np.repeat(np.eye(2), 2, axis=0) / 2)


def test_faint_differences_are_left_out_of_an_inverse() -> None:
    """A twentieth of the largest, for matrices that are no two-level law."""
    for faint, rank in ((0.06, 2), (0.04, 1)):
        matrix = np.array([[(1 + faint) / 2, (1 - faint) / 2], [(1 - faint) / 2, (1 + faint) / 2]])
        found = View(Axis(2, 2, matrix=matrix)).inverse
        assert found is not None
        assert np.linalg.matrix_rank(found) == rank


def test_pairs_of_outputs_stand_for_single_ones_where_a_band_is_wide() -> None:
    """Three quarters of a narrow band's χ² are not enough; what is exact stays as it is."""
    for channel, step in (
        (Band("a", 36, 8), 2),
        (Band("a", 16, 8), 1),
        (GammaDiagonal("a", 9, 8), 1),
    ):
        axis = Axis.of(channel, channel.size)
        seen = paired(View(axis))
        assert seen.step == step
        assert seen.axis.inputs == channel.size
        assert seen.spread is None
        starts = np.arange(0, axis.outputs, step)
        np.testing.assert_allclose(seen.axis.dense, np.add.reduceat(axis.dense, starts, axis=0))
    exact = View(Axis(5, 5))
    assert paired(exact) is exact


def test_pairs_of_outputs_of_groups() -> None:
    axis = Axis.of(Band("a", 36, 8), 36)
    groups = view(axis, 2, np.ones(36))
    seen = paired(groups)
    assert (seen.step, seen.axis.inputs, seen.axis.outputs) == (4, 18, 11)
    assert seen.spread is groups.spread
    np.testing.assert_allclose(seen.axis.dense.sum(0), 1.0, atol=1e-8)


def test_pairs_of_codes_have_as_many_outputs() -> None:
    counts = np.arange(1.0, 37.0)
    axis = Axis.of(Band("a", 36, 8), 36)
    pairs = paired(View(axis)).axis
    for each, step in ((axis, 2), (pairs, 1)):
        seen = coarser(each, counts)
        assert (seen.axis.inputs, seen.axis.outputs, seen.step) == (18, 22, step)
        np.testing.assert_allclose(seen.groups(counts), counts.reshape(18, 2).sum(1))
    alike = coarser(axis, counts).axis.dense, coarser(pairs, counts).axis.dense
    np.testing.assert_allclose(alike[0], alike[1], rtol=1e-6)
    assert coarser(Axis(6, 6), np.ones(6)).axis.is_exact
