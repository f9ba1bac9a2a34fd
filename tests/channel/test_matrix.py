"""A channel written out: exact columns, any shape that can be inverted."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import privet as pv
from privet import datasets
from privet.channel import WrittenMatrix, read_channel
from privet.errors import PlanError, ReleaseError
from privet.estimate.em import Axis, em

ASYMMETRIC = [[0.7, 0.2, 0.05], [0.2, 0.5, 0.15], [0.1, 0.3, 0.8]]


@st.composite
def matrices(draw: st.DrawFn, bits: int = 32) -> WrittenMatrix:
    size = draw(st.integers(2, 9))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    shares = rng.dirichlet(np.ones(size), size).T
    shares[rng.random((size, size)) < 0.2] = 0.0
    assume((shares.sum(0) > 0).all())
    shares /= shares.sum(0)
    assume(np.linalg.cond(shares) < 1e4)
    return WrittenMatrix.of("a", shares.tolist(), bits)


@given(matrices())
def test_columns_sum_exactly_and_zeros_stay(channel: WrittenMatrix) -> None:
    matrix = channel.matrix()
    assert (matrix.sum(0) == 2**32).all()
    assert read_channel(channel.to_dict()) == channel
    assert (channel.amplification() is None) == ((matrix == 0) & (matrix.max(1) > 0)[:, None]).any()


@given(matrices(bits=16))
def test_enumerating_all_words_gives_the_matrix(channel: WrittenMatrix) -> None:
    words = np.arange(1 << 16, dtype=np.uint32)
    for code in range(channel.input_size):
        drawn = channel.draw(np.full(len(words), code, np.uint8), words)
        assert (
            np.bincount(drawn, minlength=channel.output_size) == channel.matrix()[:, code]
        ).all()
        assert (np.diff(drawn.astype(int)) >= 0).all()


@given(matrices(), st.integers(0, 99))
def test_apply_then_invert_and_fit_give_the_counts_back(channel: WrittenMatrix, seed: int) -> None:
    counts = np.random.default_rng(seed).integers(50, 500, channel.input_size).astype(float)
    seen = channel.matrix() / 2**32 @ counts
    np.testing.assert_allclose(channel.inverse() @ seen, counts, rtol=1e-6)
    axis = Axis.of(channel, channel.input_size)
    fit = em([axis], seen, most=2000).table
    np.testing.assert_allclose(axis.dense @ fit, seen, rtol=0.02, atol=1.0)


def test_an_asymmetric_matrix_is_not_taken_for_its_transpose() -> None:
    channel = WrittenMatrix.of("a", ASYMMETRIC)
    counts = np.array([100.0, 500.0, 1400.0])
    seen = np.array(ASYMMETRIC) @ counts
    fit = em([Axis.of(channel, 3)], seen, most=5000).table
    np.testing.assert_allclose(fit, counts, rtol=1e-3)
    assert channel.epsilon() == pytest.approx(math.log(0.7 / 0.05))


def test_a_plan_takes_one_and_a_tree_learns_from_it() -> None:
    schema = datasets.schema("weather")
    sky = next(attribute for attribute in schema.inputs if len(attribute.values or ()) == 3)
    plan = pv.Plan({sky.name: pv.Substitution(matrix=ASYMMETRIC)}, default=pv.Exact())
    release = plan.disguise(datasets.load("weather"), schema, seed=1)
    assert release.parts[0].channels[0].kind == "matrix"
    for method in ("direct", "joint", "naive"):
        assert pv.TreeClassifier(method=method).fit(release).tree_.nodes >= 1


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[0.5, 0.5]], "as many rows as columns"),
        ([[0.5, 0.2], [0.5]], "as many rows as columns"),
        ([[0.9, -0.1], [0.1, 1.1]], "probabilities"),
        ([[0.9, 0.3], [0.2, 0.7]], "sum to 1"),
        ([[0.5, 0.5], [0.5, 0.5]], "cannot be inverted"),
        ([[1.0]], "2 to 256"),
    ],
)
def test_what_is_no_channel_is_refused(matrix: list[list[float]], says: str) -> None:
    with pytest.raises(PlanError, match=says):
        WrittenMatrix.of("a", matrix)


def test_a_card_with_another_number_is_refused() -> None:
    form = WrittenMatrix.of("a", ASYMMETRIC).to_dict()
    form["columns"][0][0] += 1
    with pytest.raises(ReleaseError, match="do not belong together"):
        read_channel(form)


def test_a_matrix_says_all() -> None:
    schema = datasets.schema("weather")
    sky = next(attribute for attribute in schema.inputs if len(attribute.values or ()) == 3)
    with pytest.raises(PlanError, match="beside it"):
        pv.Substitution(gamma=3, matrix=ASYMMETRIC).channel(sky)
    with pytest.raises(PlanError, match="one row and one column per value"):
        pv.Substitution(matrix=[[0.9, 0.1], [0.1, 0.9]]).channel(sky)


def kept(size: int) -> tuple[tuple[int, ...], ...]:
    """Columns that keep every value, in words of eight bits."""
    return tuple(tuple(256 * (row == column) for row in range(size)) for column in range(size))


def test_a_matrix_has_2_to_256_values() -> None:
    channel = WrittenMatrix("a", kept(256), 8)
    codes = np.arange(256, dtype=np.uint8)
    assert channel.draw(codes, np.full(256, 255, np.uint32)).tolist() == list(range(256))
    assert WrittenMatrix("a", kept(2), 8).size == 2
    for size in (1, 257):
        with pytest.raises(PlanError, match=f"has {size} values"):
            WrittenMatrix("a", kept(size), 8)


def test_words_of_a_matrix_have_eight_bits_at_least() -> None:
    columns = tuple(tuple(128 * (row == column) for row in range(2)) for column in range(2))
    with pytest.raises(PlanError, match="bits must be from 8 to 32"):
        WrittenMatrix("a", columns, 7)
    assert WrittenMatrix("a", kept(2), 8).scale == 256


@pytest.mark.parametrize(
    "columns", [((256, 0), (0, 255)), ((256, 0), (-1, 257)), ((256, 0), (0, 256, 0))]
)
def test_columns_hold_words_that_sum_up(columns: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(PlanError, match="each column must hold 2 whole numbers"):
        WrittenMatrix("a", columns, 8)


def test_what_is_left_over_goes_to_the_largest_remainders() -> None:
    """Thirds of 256 are 85 and a third, and 170 and two; a zero stays one."""
    shares = [[0, 1 / 3, 1 / 2], [1 / 3, 1 / 3, 1 / 2], [2 / 3, 1 / 3, 0]]
    assert WrittenMatrix.of("a", shares, 8).columns == ((0, 85, 171), (86, 85, 85), (128, 128, 0))


def test_columns_sum_to_one_up_to_a_billionth() -> None:
    WrittenMatrix.of("a", [[0.9, 0.3], [0.1 + 5e-10, 0.7]])
    for wrong in (0.1 + 2e-9, 0.1 - 2e-9):
        with pytest.raises(PlanError, match="sum to 1"):
            WrittenMatrix.of("a", [[0.9, 0.3], [wrong, 0.7]])
    for wrong in (math.nan, math.inf):
        with pytest.raises(PlanError, match="probabilities"):
            WrittenMatrix.of("a", [[0.9, 0.3], [wrong, 0.7]])
