"""Counts of one attribute: inverted, repaired, rescaled, projected and fitted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet import datasets
from privet.channel import Band, Channel, GammaDiagonal
from privet.channel.kernel import Kernel
from privet.disguise import Exact, Plan, Substitution
from privet.errors import DataError, MethodError
from privet.estimate.distribution import (
    REPAIRS,
    Distribution,
    estimation_error,
    invert,
    left_inverse,
    project,
    rescale,
)
from privet.release import Release
from tests.property.strategies import channels

Floats = NDArray[np.float64]
counts_of = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30).map(np.array)


def _observed(channel: Channel, originals: Floats) -> Floats:
    return channel.matrix() @ originals / channel.scale


def test_the_thesis_example() -> None:
    found = Distribution(np.array([3.0, 6.0, 5.0]), GammaDiagonal("Outlook", 3, 3))
    assert np.allclose(found.inverted, [0.5, 8.0, 5.5], atol=1e-6)


@given(channels(max_size=60), st.integers(0, 2**32 - 1))
def test_expected_counts_invert_to_the_originals(channel: GammaDiagonal, seed: int) -> None:
    originals = np.random.default_rng(seed).integers(0, 1000, channel.size).astype(float)
    found = invert(channel, _observed(channel, originals))
    assert np.abs(found - originals).max() <= 1e-9 * channel.condition() * (1 + originals.sum())
    assert np.allclose(found.sum(), originals.sum())


@pytest.mark.parametrize("channel", [GammaDiagonal("a", 12, 5), Band("a", 12, 5)])
def test_every_estimate_finds_the_originals_of_expected_counts(channel: Channel) -> None:
    originals = np.random.default_rng(1).integers(50, 1000, 12).astype(float)
    found = Distribution(_observed(channel, originals), channel)
    for how in REPAIRS:
        close = 0.05 if how == "em" else 1e-6
        assert estimation_error(found.counts(how), originals) < close, how


@given(counts_of, st.floats(1, 1e6))
def test_the_projection_is_the_nearest_point_of_the_simplex(counts: Floats, total: float) -> None:
    found = project(counts, total)
    assert found.min() >= 0
    assert np.isclose(found.sum(), total)
    # Kuhn and Tucker: what is kept moved by one amount, what became zero would move by more.
    moved = counts - found
    level = moved[found > 0].mean()
    slack = 1e-6 * (1 + np.abs(counts).max() + total)
    assert np.allclose(moved[found > 0], level, atol=slack)
    assert (moved[found == 0] <= level + slack).all()


@given(counts_of, st.floats(1, 1e6))
@example(np.array([5e-308]), 4.0)
def test_rescaled_counts_have_the_sum_and_no_negatives(counts: Floats, total: float) -> None:
    found = rescale(counts, total)
    assert found.min() >= 0
    assert np.isclose(found.sum(), total)


@given(st.integers(2, 20), st.integers(0, 2**32 - 1))
def test_the_papers_repair_never_raises_the_error(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    channel = GammaDiagonal("a", size, 2)
    originals = rng.integers(0, 30, size).astype(float)
    observed = rng.multinomial(300, np.ones(size) / size).astype(float)
    found = Distribution(observed, channel)
    error = [np.abs(found.counts(how) - originals).sum() for how in ("paper", "none")]
    assert error[0] <= error[1] + 1e-9


@pytest.mark.parametrize("channel", [GammaDiagonal("a", 4, 5), Band("a", 6, 5)])
def test_the_covariance_is_that_of_many_disguises(channel: Channel) -> None:
    rng = np.random.default_rng(7)
    originals = np.array([400, 100, 300, 200, 250, 50][: channel.input_size])
    shares = channel.matrix() / channel.scale
    draws = 4000
    observed = sum(rng.multinomial(n, shares[:, k], draws) for k, n in enumerate(originals))
    laws = [Distribution(one.astype(float), channel) for one in np.asarray(observed)]
    seen = np.cov(np.array([law.inverted for law in laws]).T)
    said = np.mean([law.covariance for law in laws[:200]], axis=0)
    deviation = np.sqrt(np.outer(np.diag(seen), np.diag(seen)))
    # A sample covariance is off by about deviation·√(2/draws): six of these.
    assert (np.abs(seen - said) < 6 * deviation * np.sqrt(2 / draws)).all()
    assert np.allclose(laws[0].errors, np.sqrt(np.diag(laws[0].covariance)))
    assert laws[0].condition == channel.condition()


def _release() -> Release:
    table, schema = datasets.load("as-f1", rows=2000, seed=1), datasets.schema("as-f1")
    plan = Plan({"car": Substitution(gamma=9)}, default=Exact())
    return plan.disguise(table, schema, seed=1)


def test_a_released_attribute_and_one_released_exactly() -> None:
    release = _release()
    found = Distribution.of(release, "car")
    assert found.rows == 2000
    assert found.counts("simplex").sum() == pytest.approx(2000)
    plain = Distribution.of(release, "group")
    assert (plain.counts("em") == plain.observed).all()
    assert not plain.covariance.any()
    assert plain.condition == 1


def test_what_cannot_be_estimated_says_why() -> None:
    release = _release()
    with pytest.raises(DataError, match="no attribute 'shoe'"):
        Distribution.of(release, "shoe")
    with pytest.raises(MethodError, match="exact numbers"):
        Distribution.of(release, "age")
    with pytest.raises(DataError, match="2 observed counts"):
        Distribution(np.ones(2), GammaDiagonal("a", 3, 3))
    with pytest.raises(MethodError, match="'simplex'"):
        Distribution.of(release, "car").counts("magic")


# By hand


@pytest.mark.parametrize(
    ("counts", "total", "expected"),
    [
        ([3.0, 1.0], 4.0, [3.0, 1.0]),
        ([3.0, 1.0], 2.0, [2.0, 0.0]),  # two less each, and none below zero
        ([5.0, 4.0, -1.0], 8.0, [4.5, 3.5, 0.0]),
        ([2.0, 2.0], 0.0, [0.0, 0.0]),
        ([-3.0, -4.0], 0.0, [0.0, 0.0]),
        ([-3.0, -4.0], 2.0, [1.5, 0.5]),
        ([7.0], 3.0, [3.0]),
    ],
)
def test_the_projection_by_hand(counts: list[float], total: float, expected: list[float]) -> None:
    assert project(np.array(counts), total).tolist() == pytest.approx(expected)


def test_rescaling_nothing_is_even() -> None:
    assert rescale(np.array([-1.0, -2.0]), 8.0).tolist() == [4.0, 4.0]
    assert rescale(np.array([0.0, 0.0, 0.0, 0.0]), 2.0).tolist() == [0.5] * 4
    assert rescale(np.array([-1.0, 0.25]), 8.0).tolist() == [0.0, 8.0]


def test_matrices_with_more_outputs_have_a_left_inverse_unless_values_look_alike() -> None:
    tall = Kernel("a", np.array([[0.5, 0.25], [0.25, 0.25], [0.25, 0.5]]))
    weights = left_inverse(tall)
    assert weights @ tall.shares == pytest.approx(np.eye(2), abs=1e-6)
    assert weights == pytest.approx(np.linalg.pinv(tall.shares), abs=1e-6)
    observed = np.array([6.0, 4.0, 2.0])
    found = Distribution(observed, tall)
    assert found.inverted == pytest.approx(weights @ observed)
    wanted = (weights * observed) @ weights.T - np.diag(weights @ observed)
    assert found.covariance == pytest.approx(wanted)
    for alike in (np.full((3, 2), 1 / 3), np.array([[0.5, 0.25, 0.0], [0.5, 0.75, 1.0]])):
        with pytest.raises(MethodError, match="some values look alike"):
            left_inverse(Kernel("a", alike))
    near = np.array([[0.5, 0.5 - 1e-3], [0.25, 0.25 + 1e-3], [0.25, 0.25]])
    assert np.isfinite(left_inverse(Kernel("a", near))).all()


def test_what_the_norm_proves() -> None:
    """Inverted −4.5, 8 and 10.5 of 14 records: at least 9 of them are wrong."""
    channel = GammaDiagonal("a", 3, 3)
    found = Distribution(np.array([1.0, 6.0, 7.0]), channel)
    assert found.norm == pytest.approx(23.0)
    assert found.detected == pytest.approx(9 / 14)
    assert found.rows == 14
    assert Distribution(np.array([5.0, 5.0, 4.0]), channel).detected == pytest.approx(0, abs=1e-9)
    assert Distribution(np.zeros(3), channel).detected == 0.0
    assert Distribution(np.array([2.0, 1.0]), None).norm == 3.0
    assert Distribution(np.array([2.0, 1.0]), None).errors.tolist() == [0.0, 0.0]
    assert found.errors == pytest.approx(np.sqrt(np.maximum(np.diag(found.covariance), 0)))
    negative = Distribution(np.array([0.0, 0.0, 14.0]), channel)
    assert np.diag(negative.covariance).min() < 0 or negative.errors.min() > 0
    assert np.isfinite(negative.errors).all()


def test_one_part_that_is_added() -> None:
    release = _release()
    (one,) = release.parts
    for parts in ((one, one), (replace(one, sign=-1),)):
        with pytest.raises(MethodError, match="a release of one part"):
            Distribution.of(replace(release, parts=parts), "car")
    counts = Distribution.of(release, "group").observed
    codes = one.table.collect(5000).columns["group"]
    assert counts.tolist() == np.bincount(codes, minlength=2).tolist()
