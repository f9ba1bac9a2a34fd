"""Additive noise: whole numbers that sum up, a public grid, and what a number tells at the edge."""

import math
from decimal import Decimal, localcontext
from itertools import accumulate
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.channel import CoarseNoise, Noise, read_channel
from privet.channel.breach import (
    Interval,
    interval_of,
    posterior_widths,
    shares_of_outputs,
    supports,
)
from privet.channel.noise_law import gaussian_weights, uniform_weights
from privet.coding import Coding
from privet.errors import BugError, PlanError, ReleaseError
from privet.randomness import Randomness


@st.composite
def noises(draw: st.DrawFn, bits: int = 32) -> Noise:
    low = draw(st.integers(-50, 50))
    high = low + draw(st.integers(1, 100))
    steps = draw(st.integers(1, 60))
    if draw(st.booleans()):
        spread: float = draw(st.integers(1, 80))
        return Noise("a", "uniform", float(low), float(high), steps, spread, bits)
    spread = draw(st.floats(0.05, 30))
    return Noise("a", "gaussian", float(low), float(high), steps, spread, bits)


@given(noises())
def test_columns_sum_exactly(noise: Noise) -> None:
    assert (noise.matrix().sum(axis=0) == 2**32).all()
    assert noise.matrix().shape == (noise.output_size, noise.input_size)


@given(noises())
def test_no_hole_in_the_support(noise: Noise) -> None:
    """An output possible for a value is possible for its neighbour, but at the edge."""
    assert noise.weights_of_steps.min() > 0
    assert noise.epsilon() == math.inf


@settings(max_examples=20)
@given(noises(bits=14))
def test_enumerating_all_words_gives_the_matrix(noise: Noise) -> None:
    words = np.arange(1 << 14, dtype=np.uint32)
    for code in (0, noise.steps):
        drawn = noise.draw(np.full(len(words), code, np.uint8), words)
        counts = np.bincount(drawn, minlength=noise.output_size)
        assert (counts == noise.matrix()[:, code]).all()


@given(noises())
def test_a_card_brings_it_back(noise: Noise) -> None:
    assert read_channel(noise.to_dict()) == noise


@pytest.mark.parametrize(("key", "value"), [("reach", 3), ("middle", 5), ("spread", 6), ("law", 1)])
def test_a_card_with_another_number_is_refused(key: str, value: object) -> None:
    form = Noise.uniform("a", low=0, high=10, alpha=5, steps=10).to_dict()
    form[key] = value
    with pytest.raises(ReleaseError):
        read_channel(form)


def test_gaussian_weights_are_gaussian() -> None:
    weights = gaussian_weights(1000.0, 32) / 2**32
    reach = len(weights) // 2
    places = np.arange(-reach, reach + 1) / 1000
    assert reach > 5000
    assert np.sqrt((weights * places**2).sum()) == pytest.approx(1, abs=1e-4)
    inside = weights[np.abs(places) <= 1].sum()
    assert inside == pytest.approx(2 * NormalDist().cdf(1.0005) - 1, abs=1e-6)
    assert (weights == weights[::-1]).all()


def test_weights_do_not_depend_on_floating_point() -> None:
    """Golden integers: a card read elsewhere must find the same."""
    half = [4, 29, 145, 575, 1769, 4244, 7929, 11537]
    assert gaussian_weights(2.0, 16)[:8].tolist() == half
    assert uniform_weights(2, 8).tolist() == [52, 51, 51, 51, 51]


@given(noises(), st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(0, 2**30))
def test_released_numbers_lie_on_the_grid(noise: Noise, parts: list[float], seed: int) -> None:
    numbers = noise.low + np.array(parts) * (noise.high - noise.low)
    with Randomness.seeded(seed) as source:
        noisy = noise.disguise(numbers, source, 0)
    assert noise.outside(noisy) == 0
    steps = (noisy - noise.low) / noise.step
    assert np.abs(steps - np.rint(steps)).max() < 1e-6
    away = np.abs(noisy - numbers).max()
    assert away <= (noise.reach + 0.5) * noise.step * (1 + 1e-9) + 1e-9
    assert noise.outside(noisy + noise.step / 3) == len(noisy)
    assert (
        noise.outside(np.array([np.nan, np.inf, noise.high + (noise.reach + 1) * noise.step])) == 3
    )


def test_a_noisy_value_carries_no_digits_of_the_original() -> None:
    """Two originals of one grid point are released alike, digit for digit."""
    noise = Noise.gaussian("a", low=0, high=1, sigma=0.1)
    first, second = np.full(1000, 0.5), np.full(1000, 0.5 + 0.4 / 4096)
    with Randomness.seeded(1) as source:
        assert (noise.disguise(first, source, 0) == noise.disguise(second, source, 0)).all()


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_widths_are_those_of_the_paper(confidence: float) -> None:
    uniform = Noise.uniform("a", low=0, high=1, alpha=0.5)
    assert uniform.width(confidence) == pytest.approx(confidence, abs=2 / 4096)
    gaussian = Noise.gaussian("a", low=0, high=1, sigma=0.25)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    assert gaussian.width(confidence) == pytest.approx(0.5 * z, abs=3 / 4096)


def test_age_125_is_a_breach() -> None:
    """Ages with U[−50, 50] added: 125 says that the age is 75 at least (AS)."""
    age = Noise.uniform("age", low=0, high=90, alpha=50, steps=90)
    first, last = supports(age)
    output = int(age.observed(np.array([125.0]))[0])
    assert (first[output], last[output]) == (75, 90)
    interval = interval_of(age)
    assert posterior_widths(age, 0.95)[output] < 0.5 * interval.widths[1]
    assert 0.2 < interval.narrow < 0.6
    assert "Warning" in interval.sentence("'age'")


@given(noises())
def test_posterior_widths_are_the_narrowest(noise: Noise) -> None:
    matrix = noise.matrix()
    widths = np.rint(posterior_widths(noise, 0.9) / noise.step).astype(int)
    for output in range(0, noise.output_size, 5):
        heaped = np.concatenate([[0], np.cumsum(matrix[output])])
        wanted = math.ceil(0.9 * heaped[-1])
        ends = np.searchsorted(heaped, heaped + wanted)
        fits = ends < len(heaped)
        best = int((ends[fits] - np.flatnonzero(fits)).min()) - 1
        # One word more in a weight of a uniform law may move an end by one point.
        assert best <= widths[output] <= best + (noise.law == "uniform")


@given(noises(), st.integers(0, 2**30))
def test_shares_of_outputs_are_the_matrix_times_shares(noise: Noise, seed: int) -> None:
    shares = np.random.default_rng(seed).dirichlet(np.ones(noise.input_size))
    expected = noise.matrix() @ shares / noise.scale
    assert np.abs(shares_of_outputs(noise, shares) - expected).max() < 1e-12


# Coarse noise


@given(noises(), st.integers(1, 20), st.sampled_from([0.5, 1.0, 2.0]), st.booleans())
def test_the_coarse_kernel_is_the_matrix_summed(
    noise: Noise, cells: int, fine: float, tails: bool
) -> None:
    cells = min(cells, noise.input_size)
    borders = np.linspace(noise.low, noise.high, cells + 1)
    coding = Coding.cells("a", borders[:-1], borders[1:])
    if cells == noise.input_size:
        points = noise.released(np.arange(cells) + noise.reach)
        coding = Coding.cells("a", points, points)
    coarse = CoarseNoise.of(noise, coding, fine=fine, tails=tails)
    place = np.searchsorted(coarse.cells, np.arange(noise.input_size), "right") - 1
    summed = np.zeros((coarse.output_size, cells))
    for point in range(noise.input_size):
        np.add.at(summed[:, place[point]], coarse.slots, noise.matrix()[:, point] / noise.scale)
    assert np.abs(summed / np.bincount(place) - coarse.kernel).max() < 1e-9
    assert (coarse.matrix().sum(axis=0) == 2**32).all()


@pytest.mark.parametrize("fine", [0.5, 0.7, 1.0, 3.0])
def test_few_whole_numbers_are_observed_one_by_one(fine: float) -> None:
    """Five values and noise of up to two steps: nine numbers are released, nine are told apart."""
    noise = Noise.uniform("a", low=0, high=4, alpha=2, steps=4)
    coding = Coding.cells("a", np.arange(5.0), np.arange(5.0))
    assert CoarseNoise.of(noise, coding, fine=fine, tails=False).output_size == 9


@pytest.mark.parametrize(
    ("law", "steps", "spread"),
    [("cauchy", 10, 1), ("uniform", 0, 1), ("uniform", 10, 0), ("uniform", 10, 1.5)],
)
def test_what_cannot_be(law: str, steps: int, spread: float) -> None:
    with pytest.raises(PlanError):
        Noise("a", law, 0.0, 1.0, steps, spread)


@pytest.mark.parametrize("amount", [0, -1, math.nan, math.inf, True])
def test_amounts_of_noise_are_finite_and_positive(amount: float) -> None:
    with pytest.raises(PlanError, match="alpha"):
        Noise.uniform("a", low=0, high=1, alpha=amount)
    with pytest.raises(PlanError, match="sigma"):
        Noise.gaussian("a", low=0, high=1, sigma=amount)


def test_too_much_noise_for_the_grid_is_refused() -> None:
    with pytest.raises(PlanError, match="too large"):
        Noise.gaussian("a", low=0, high=1, sigma=1000)


def test_coarse_noise_is_a_channel_like_others() -> None:
    """What it draws follows its matrix, word by word, and it comes back from its own form."""
    noise = Noise.gaussian("x", low=0, high=1, sigma=0.2, steps=40)
    coarse = CoarseNoise.of(noise, Coding.cells("x", [0, 0.5], [0.5, 1]))
    words = np.linspace(0, 2**32 - 1, 2000).astype(np.uint32)
    for cell in (0, 1):
        drawn = coarse.draw(np.full(2000, cell), words)
        ends = np.cumsum(coarse.matrix()[:, cell])
        assert (drawn == [int((ends <= word).sum()) for word in words.tolist()]).all()
    with pytest.raises(BugError, match="outside its domain"):
        coarse.draw(np.array([2]), words[:1])
    back = CoarseNoise.from_dict(coarse.to_dict())
    assert (back.matrix() == coarse.matrix()).all()
    with pytest.raises(ReleaseError, match="do not belong together"):
        CoarseNoise.from_dict({**coarse.to_dict(), "starts": "none"})


@pytest.mark.parametrize("deviation", [0.4, 0.6, 0.9, 1.3, 2.0, 3.1, 7.0])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_tail_ends_where_a_step_would_get_less_than_a_word(deviation: float, bits: int) -> None:
    law = np.exp(-(np.arange(400) ** 2) / (2 * deviation**2))
    words = law / (law[0] + 2 * law[1:].sum()) * 2.0**bits
    weights = gaussian_weights(deviation, bits)
    assert len(weights) // 2 == np.flatnonzero(words >= 1)[-1]
    assert weights.sum() == 2**bits
    np.testing.assert_allclose(weights[len(weights) // 2 :], words[: len(weights) // 2 + 1], atol=2)


@pytest.mark.parametrize("deviation", [0.3, 0.5, 0.75, 1.0, 1.7, 2.0, 5.5, 31.0])
@pytest.mark.parametrize("bits", [4, 8, 16, 31, 32])
def test_sums_from_the_middle_outward_are_rounded(deviation: float, bits: int) -> None:
    """To the last word, worked out in decimal digits: what a card says is the same anywhere."""
    with localcontext() as context:
        context.prec = 80
        rate = 1 / (2 * Decimal(deviation) ** 2)
        law = [(-rate * place * place).exp() for place in range(1 + int(12 * deviation + 12))]
        whole = Decimal(2) ** bits
        while len(law) > 1 and law[-1] * whole < law[0] + 2 * sum(law[1:]):
            law.pop()
        total = law[0] + 2 * sum(law[1:])
        sums = list(accumulate([law[0], *(2 * one for one in law[1:])]))
        ends = [int(one / total * whole / 2 + Decimal("0.5")) for one in sums]
    right = np.diff(ends).tolist()
    weights = gaussian_weights(deviation, bits)
    assert weights.tolist() == [*right[::-1], 2 * ends[0], *right]
    assert int(weights.sum()) == 2**bits


def test_weights_are_shared_so_that_nobody_may_change_them() -> None:
    for weights in (gaussian_weights(1.5, 16), uniform_weights(3, 16)):
        assert not weights.flags.writeable


@pytest.mark.parametrize("half", [1, 2, 3, 10, 100])
@pytest.mark.parametrize("bits", [8, 31, 32])
def test_uniform_weights_differ_by_a_word_at_most(half: int, bits: int) -> None:
    weights = uniform_weights(half, bits)
    assert len(weights) == 2 * half + 1
    ends = [-(-place * 2**bits // len(weights)) for place in range(1, len(weights) + 1)]
    assert np.cumsum(weights).tolist() == ends


@pytest.mark.parametrize(
    ("law", "steps", "spread", "bits"),
    [
        ("uniform", 1, 2**19 - 1, 32),
        ("uniform", 3, 2, 3),
        ("gaussian", 15, 2**20 / 12 - 1.5, 32),
        ("gaussian", 3, 1.0, 4),
    ],
)
def test_noise_and_grid_must_fit_into_words(law: str, steps: int, spread: float, bits: int) -> None:
    """From end to end fewer steps than 2**20, and than words; a Gaussian has twelve deviations."""
    Noise("a", law, 0.0, 1.0, steps, spread, bits)
    more = {"uniform": 1, "gaussian": 3 if bits == 32 else 1}[law]
    with pytest.raises(PlanError, match="too large for a grid"):
        Noise("a", law, 0.0, 1.0, steps + more, spread, bits)


@pytest.mark.parametrize("steps", [0, -1, 2**20, 5.0, None])
def test_a_grid_has_a_whole_number_of_steps(steps: Any) -> None:
    with pytest.raises(PlanError, match="whole number of steps from 1 to 1048575"):
        Noise("a", "uniform", 0.0, 1.0, steps, 1)


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 0.0), (1.0, 0.0), (math.nan, 1.0), (0.0, math.inf), (-math.inf, 0.0)]
)
def test_noise_needs_a_range(low: float, high: float) -> None:
    with pytest.raises(PlanError, match="finite range of more than one number"):
        Noise("a", "uniform", low, high, 10, 1)


@pytest.mark.parametrize("spread", [0, -1, math.nan, math.inf])
def test_a_spread_is_finite_and_positive(spread: float) -> None:
    with pytest.raises(PlanError, match="finite number above 0"):
        Noise("a", "gaussian", 0.0, 1.0, 10, spread)


def test_outputs_of_many_steps_have_room() -> None:
    words = np.array([0, 2**32 - 1], np.uint32)
    for steps, kind in ((65_529, np.uint16), (65_530, np.int32)):
        noise = Noise("a", "uniform", 0.0, 1.0, steps, 3)
        assert noise.output_size == steps + 7
        drawn = noise.draw(np.array([0, steps]), words)
        assert drawn.dtype == kind
        assert drawn.tolist() == [0, steps + 6]
        assert noise.observed(noise.released(drawn)).tolist() == drawn.tolist()


@pytest.mark.parametrize("bits", [6, 11, 12, 13])
@pytest.mark.parametrize("deviation", [0.4, 1.3, 3.0])
def test_every_word_of_few_bits_leads_where_the_law_says(bits: int, deviation: float) -> None:
    noise = Noise("a", "gaussian", 0.0, 1.0, 2, deviation, bits)
    words = np.arange(1 << bits, dtype=np.uint32)
    drawn = noise.draw(np.ones(len(words), np.uint8), words).astype(int)
    assert np.bincount(drawn, minlength=noise.output_size).tolist() == noise.matrix()[:, 1].tolist()
    assert (np.diff(drawn) >= 0).all()


def test_just_the_outputs_are_no_strangers() -> None:
    noise = Noise.uniform("a", low=20, high=80, alpha=7, steps=12)
    every = noise.released(np.arange(noise.output_size))
    assert noise.outside(every) == 0
    beyond = np.array([every[0] - noise.step, every[-1] + noise.step, every[3] + 1e-9])
    assert noise.outside(np.concatenate([every, beyond])) == 3
    assert noise.observed(beyond).tolist() == [0, noise.output_size - 1, 3]
    assert noise.codes(np.array([-1e9, 19.0, 22.4, 22.6, 99.0])).tolist() == [0, 0, 0, 1, 12]


@pytest.mark.parametrize("steps", [6, 9, 14])
@pytest.mark.parametrize("spread", range(1, 11))
def test_the_share_of_breaches_is_that_of_narrow_outputs(spread: int, steps: int) -> None:
    """An interval of just half the promised width is no breach yet."""
    noise = Noise("a", "uniform", 0.0, float(steps), steps, spread)
    widths = posterior_widths(noise, 0.95)
    likely = noise.matrix().sum(axis=1) / noise.scale / noise.input_size
    told = interval_of(noise)
    assert told.narrow == pytest.approx(likely[widths < noise.width(0.95) / 2].sum())
    assert told.narrowest == widths.min()
    assert told.widths == tuple(noise.width(share) for share in (0.5, 0.95, 0.999))


def test_a_warning_is_for_those_who_need_it() -> None:
    safe = Interval("uniform", (1.0, 2.0, 3.0), 0.0, 2.0)
    assert "Warning" not in safe.sentence("'a'")
    assert "width 1 at 50 % and 2 at 95 %" in safe.sentence("'a'")
    assert "for 50 % of records, and 0.25 at worst" in safe._replace(
        narrow=0.5, narrowest=0.25
    ).sentence("'a'")
    assert safe.to_dict()["width"] == {"50 %": 1.0, "95 %": 2.0, "99.9 %": 3.0}


def test_an_interval_of_all_points_is_certain() -> None:
    noise = Noise.uniform("a", low=0, high=9, alpha=2, steps=9)
    assert noise.width(1.0) == 4.0
    assert noise.width(0.2) == 0.0  # the first point has a word more than a fifth
    assert noise.width(0.21) == 1.0


def test_numbers_are_disguised_by_the_words_of_their_rows() -> None:
    noise = Noise.uniform("a", low=0, high=9, alpha=2, steps=9)
    numbers = np.arange(10.0)
    with Randomness.seeded(4) as source:
        whole = noise.disguise(numbers, source, 3)
        words = source.words(3, 0, 10)
        assert whole.tolist() == noise.released(noise.draw(np.arange(10), words)).tolist()
        assert noise.disguise(numbers[4:], source, 3, 4).tolist() == whole[4:].tolist()
        codes = noise.disguise(np.arange(10), source, 3)
        assert noise.released(codes).tolist() == whole.tolist()
