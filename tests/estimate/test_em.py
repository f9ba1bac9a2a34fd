"""EM: never less likely, right at the fixed point, linear-time factors as the written-out ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Band, GammaDiagonal
from privet.estimate.em import FEW, Axis, Product, em, em_up_to, expected, turned
from privet.estimate.kernels import MOST_AHEAD, gather, hurry, multiply, spread

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


@given(channels, st.integers(1, 40), st.integers(0, 999))
def test_running_sums_are_the_matrix(channel: GammaDiagonal | Band, wide: int, seed: int) -> None:
    axis = Axis.of(channel, channel.size)
    rng = np.random.default_rng(seed)
    table, seen = rng.random((axis.inputs, wide)), rng.random((axis.outputs, wide))
    np.testing.assert_allclose(axis.ahead(table).T, axis.dense @ table, rtol=1e-12)
    np.testing.assert_allclose(axis.behind(seen.T.copy()), axis.dense.T @ seen, rtol=1e-12)
    assert axis.levels is not None
    there, again = np.empty_like(seen), np.empty_like(table)
    spread(table, *axis.levels, there)
    gather(seen, *axis.levels, again)
    np.testing.assert_allclose(there, axis.dense @ table, rtol=1e-12)
    np.testing.assert_allclose(again, axis.dense.T @ seen, rtol=1e-12)
    np.testing.assert_allclose(axis.dense.sum(0), 1.0, atol=1e-8)


@given(channels, channels, st.integers(1, 3), st.integers(0, 999))
def test_a_joint_table_goes_through_the_product_of_its_channels(
    one: GammaDiagonal | Band, two: GammaDiagonal | Band, classes: int, seed: int
) -> None:
    axes = [Axis.of(one, one.size), Axis.of(two, two.size), Axis(classes, classes)]
    whole = np.kron(np.kron(axes[0].dense, axes[1].dense), np.eye(classes))
    rng = np.random.default_rng(seed)
    table = rng.random(tuple(axis.inputs for axis in axes))
    seen = rng.random(tuple(axis.outputs for axis in axes))
    np.testing.assert_allclose(expected(axes, table).ravel(), whole @ table.ravel(), rtol=1e-12)
    back = expected(axes, seen, back=True)
    np.testing.assert_allclose(back.ravel(), whole.T @ seen.ravel(), rtol=1e-12)


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
    fitted = em([axis], axis.dense @ truth, most=4000).table
    np.testing.assert_allclose(axis.dense @ fitted, axis.dense @ truth, rtol=2e-3)
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


def test_what_was_not_disguised_is_fitted_as_it_is() -> None:
    observed = np.array([[4.0, 0.0, 1.0], [2.0, 5.0, 3.0]])
    for axes, seen in (([Axis(2, 2), Axis(3, 3)], observed), ([Axis(3, 3)], observed[0])):
        fit = em(axes, seen, most=5)
        np.testing.assert_allclose(fit.table, seen)


@given(channels, channels, st.integers(0, 999))
def test_hurrying_comes_as_far_as_plain_steps(
    one: GammaDiagonal | Band, two: GammaDiagonal | Band, seed: int
) -> None:
    """Nearly as likely, in far fewer steps, and records stay as many as they are."""
    axes = [Axis.of(one, one.size), Axis.of(two, two.size), Axis(2, 2)]
    truth = np.random.default_rng(seed).gamma(0.5, 1000.0, tuple(axis.inputs for axis in axes))
    observed = expected(axes, truth)

    def likelihood(table: np.ndarray) -> float:
        return float((observed * np.log(np.maximum(expected(axes, table), 1e-300))).sum())

    even = likelihood(np.full(truth.shape, truth.mean()))
    plain = likelihood(em(axes, observed, most=200).table)
    fast = em_up_to(axes, observed, 200)
    assert likelihood(fast) - even >= 0.95 * (plain - even) - 1e-6 * abs(even)
    assert fast.min() >= 0
    assert fast.sum() == pytest.approx(truth.sum(), rel=1e-6)


def test_hurrying_twin() -> None:
    rng = np.random.default_rng(1)
    table, before, out = rng.random(40), rng.random(40), np.empty(40)
    hurry(table, before, 0.7, np.ones(0), out)
    came = np.minimum(table / before, MOST_AHEAD) - 1
    power = (1 + 0.85 * came) / (1 + 0.15 * came)
    np.testing.assert_allclose(out, table * power)
    np.testing.assert_allclose(power[came > -0.7], (came[came > -0.7] + 1) ** 0.7, rtol=0.1)


def test_classes_add_up_to_given_rows() -> None:
    rng = np.random.default_rng(2)
    table, before, factors = rng.random((3, 4, 7))
    rows = rng.random(4)
    for hurried in (True, False):
        free, bound = np.empty(28), np.empty(28)
        for given_rows, out in ((np.ones(0), free), (rows, bound)):
            if hurried:
                hurry(table.ravel(), before.ravel(), 0.4, given_rows, out)
            else:
                multiply(table.ravel(), factors.ravel(), given_rows, out)
        shares = free.reshape(4, 7) / free.reshape(4, 7).sum(1, keepdims=True)
        np.testing.assert_allclose(bound.reshape(4, 7), rows[:, None] * shares)
    multiply(table.ravel(), factors.ravel(), np.ones(0), free)
    np.testing.assert_array_equal(free, (table * factors).ravel())


WIDE = Band("a", FEW + 3, 4)


@pytest.mark.parametrize("last", [Axis(3, 3), asymmetric(3, 7)], ids=["plain class", "disguised"])
@pytest.mark.parametrize(
    "others",
    [
        [asymmetric(4, 1)],
        [Axis(5, 5), asymmetric(4, 1)],
        [Axis.of(WIDE, WIDE.size), Axis(2, 2)],
        [],
    ],
    ids=["one", "two, one of them exact", "running sums", "none"],
)
def test_products_in_their_own_memory_are_those_made_anew(last: Axis, others: list[Axis]) -> None:
    """Again and again, and whatever was asked before."""
    axes = [*others, last]
    product, rng = Product(axes), np.random.default_rng(3)
    for _ in range(2):
        table = rng.random(tuple(axis.inputs for axis in axes))
        seen = rng.random(tuple(axis.outputs for axis in axes))
        kept = table.copy()
        made = product.forward(table)
        np.testing.assert_allclose(made, turned(axes, expected(axes, table)), rtol=1e-12)
        back = product.back(turned(axes, seen))
        np.testing.assert_allclose(back, expected(axes, seen, back=True), rtol=1e-12)
        made *= 0.0
        np.testing.assert_array_equal(table, kept)
