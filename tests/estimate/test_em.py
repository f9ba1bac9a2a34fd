"""EM: never less likely, right at the fixed point, linear-time factors as the written-out ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Band, GammaDiagonal
from privet.estimate.em import Axis, em

channels = st.one_of(
    st.builds(
        lambda size, gamma: GammaDiagonal("a", size, gamma),
        st.integers(2, 9),
        st.sampled_from([2, 8]),
    ),
    st.builds(
        lambda size, half: Band("a", size, 5, min(half, size - 1)),
        st.integers(2, 9),
        st.integers(0, 3),
    ),
)


def asymmetric(size: int, seed: int) -> Axis:
    matrix = np.random.default_rng(seed).dirichlet(np.ones(size), size).T
    return Axis(size, size, matrix=matrix + 0.0)


@given(channels, st.integers(1, 4), st.integers(1, 12), st.integers(0, 999))
def test_running_sums_are_the_matrix(
    channel: GammaDiagonal | Band, outer: int, inner: int, seed: int
) -> None:
    axis = Axis.of(channel, channel.size)
    rng = np.random.default_rng(seed)
    table = rng.random((outer, axis.inputs, inner))
    expected = np.einsum("uv,ovi->oui", axis.dense, table)
    np.testing.assert_allclose(axis.forward(table, 1), expected, rtol=1e-12)
    seen = rng.random((outer, axis.outputs, inner))
    np.testing.assert_allclose(
        axis.back(seen, 1), np.einsum("uv,oui->ovi", axis.dense, seen), rtol=1e-12
    )
    np.testing.assert_allclose(axis.dense.sum(0), 1.0, atol=1e-8)


@given(channels, channels, st.integers(0, 999))
def test_a_step_never_lowers_the_likelihood(
    one: GammaDiagonal | Band, two: GammaDiagonal | Band, seed: int
) -> None:
    axes = [Axis.of(one, one.size), Axis.of(two, two.size), Axis(2, 2)]
    shape = tuple(axis.outputs for axis in axes)
    observed = np.random.default_rng(seed).poisson(3.0, shape).astype(float)
    observed[0, 0, 0] += 1
    found = [em(axes, observed, most=steps).likelihood for steps in range(1, 12)]
    assert (np.diff(found) >= -1e-9 * abs(found[0])).all()


@given(channels, st.integers(0, 999))
def test_expected_counts_are_a_fixed_point(channel: GammaDiagonal | Band, seed: int) -> None:
    """Apply the channel, then fit: the original counts come back."""
    axis = Axis.of(channel, channel.size)
    truth = np.random.default_rng(seed).integers(5, 50, axis.inputs).astype(float)
    fitted = em([axis], axis.dense @ truth, most=20_000).table
    np.testing.assert_allclose(axis.dense @ fitted, axis.dense @ truth, rtol=1e-3)
    assert fitted.sum() == pytest.approx(truth.sum())


def test_an_asymmetric_matrix_against_the_exact_answer() -> None:
    """Where inversion gives positive counts it is the likeliest answer, and EM must reach it."""
    axis = asymmetric(4, 7)
    truth = np.array([400.0, 300.0, 200.0, 100.0])
    observed = axis.dense @ truth
    fitted = em([axis], observed, most=50_000).table
    np.testing.assert_allclose(fitted, np.linalg.solve(axis.dense, observed), rtol=1e-3)


def test_exact_axes_return_what_was_observed() -> None:
    observed = np.array([[3.0, 0.0], [1.0, 5.0]])
    np.testing.assert_array_equal(em([Axis(2, 2), Axis(2, 2)], observed, most=1).table, observed)
