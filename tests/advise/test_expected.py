import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.advise.expected import best_channel, count_error, cut_error, expected, repeated
from privet.channel import Band, Channel, GammaDiagonal
from privet.estimate.distribution import Distribution, estimation_error


@pytest.mark.parametrize("channel", [GammaDiagonal("a", 8, 5), Band("a", 8, 5)])
def test_the_count_error_is_what_disguises_show(channel: Channel) -> None:
    rng = np.random.default_rng(1)
    originals = np.full(8, 1000.0)
    law = channel.matrix() / channel.scale
    errors = []
    for _ in range(300):
        observed = sum(rng.multinomial(1000, law[:, k]) for k in range(8))
        found = Distribution(np.asarray(observed, np.float64), channel)
        errors.append(estimation_error(found.inverted, originals))
    # Least squares is a little worse than the best there is for a band.
    assert np.mean(errors) == pytest.approx(count_error(channel, 8000), rel=0.1)


def test_the_cut_error_is_what_disguises_show() -> None:
    channel, rng = GammaDiagonal("a", 8, 5), np.random.default_rng(2)
    law = channel.matrix() / channel.scale
    shares = []
    for _ in range(1000):
        observed = sum(rng.multinomial(1000, law[:, k]) for k in range(8))
        found = Distribution(np.asarray(observed, np.float64), channel)
        shares.append(np.cumsum(found.inverted)[:-1] / 8000)
    noise = np.std(shares, axis=0).mean()
    assert cut_error(channel, 8000) - 0.25 / 8 == pytest.approx(noise, rel=0.1)


def test_the_cut_error_below_a_path_is_that_of_products_of_weights() -> None:
    rng, size, rows = np.random.default_rng(3), 4, 4000
    channel = GammaDiagonal("a", size, 6)
    law = channel.matrix() / channel.scale
    weights = channel.inverse()
    half = weights[:2].sum(0)
    cuts = np.cumsum(weights, axis=0)[:-1]
    cells = np.stack(np.unravel_index(np.arange(rows) % size**2, (size, size)))
    found = []
    for _ in range(600):
        seen = [
            (rng.random(rows)[:, None] > np.cumsum(law, axis=0).T[codes]).sum(1) for codes in cells
        ]
        path = half[seen[0]]
        found.append([(path * cut[seen[1]]).sum() / (rows / 2) for cut in cuts])
    noise = np.std(found, axis=0).mean()
    assert cut_error(channel, rows, path=1) - 0.25 / size == pytest.approx(noise, rel=0.1)


def test_numbers_of_one_channel() -> None:
    found = expected(GammaDiagonal("age", 10, 19), 10_000)
    assert found.guess == pytest.approx(19 / 28)
    assert found.blind == 0.1
    assert found.condition == pytest.approx(28 / 18)
    keep = 19 / 28
    bits = -keep * math.log2(keep) - 9 / 28 * math.log2(1 / 28)
    assert found.entropy == pytest.approx(bits)
    assert found.to_dict()["values"] == 10


def test_more_records_allow_more_cells_and_small_domains_bound_them() -> None:
    for band in (False, True):
        sizes = [best_channel("a", None, 8, n, band=band).input_size for n in (10**3, 10**5, 10**7)]
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[-1]
        assert best_channel("a", 3, 8, 10**7, band=band).input_size == 3
    assert isinstance(best_channel("a", None, 8, 10**5, band=True), Band)


@given(st.integers(2, 60), st.floats(1.1, 100), st.integers(1, 6))
def test_repeated_perturbation_is_a_power_of_the_matrix(
    size: int, gamma: float, times: int
) -> None:
    matrix = (np.ones((size, size)) + (gamma - 1) * np.eye(size)) / (gamma + size - 1)
    power = np.linalg.matrix_power(matrix, times)
    found = repeated(size, gamma, times)
    assert found["gamma_again"] == pytest.approx(power[0, 0] / power[1, 0], rel=1e-6)
    assert found["epsilon_fresh"] == pytest.approx(times * math.log(gamma))
    assert found["gamma_again"] <= gamma * (1 + 1e-9)
