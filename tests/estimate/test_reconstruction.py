"""Reconstruction: the paper's step and the exact one, and what they must come to."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import privet as pv
from privet.channel import CoarseNoise, Noise
from privet.errors import DataError, InputError, MethodError
from privet.estimate.deconvolve import Banded, climb, count_noisy, count_slots
from privet.estimate.reconstruction import cells_of, deconvolved, intervals_for, reconstruct
from tests.twins import Floats, twin_climb, twin_count_noisy

NOISE = Noise.uniform("x", low=0, high=1, alpha=0.5)


def plateau(rng: np.random.Generator, rows: int) -> Floats:
    """AS's plateau: flat in the middle, falling to both sides."""
    tried = rng.random(3 * rows)
    kept = rng.random(3 * rows) < np.clip(np.minimum(tried - 0.125, 0.875 - tried) / 0.125, 0, 1)
    return tried[kept][:rows]


def stairs(rng: np.random.Generator, rows: int, cells: int) -> Floats:
    """Numbers spread evenly within cells of unequal shares, as a reconstruction takes them."""
    shares = 1 + np.arange(cells) % 3
    return (rng.choice(cells, rows, p=shares / shares.sum()) + rng.random(rows)) / cells


def noisy(rng: np.random.Generator, numbers: Floats, noise: Noise) -> Floats:
    words = rng.integers(0, 2**32, len(numbers), dtype=np.uint32)
    return noise.released(noise.draw(noise.codes(numbers), words))


def coarse(noise: Noise, cells: int) -> CoarseNoise:
    return CoarseNoise.of(noise, cells_of(noise, cells))


@settings(max_examples=25)
@given(st.integers(0, 2**30), st.integers(2, 30), st.booleans())
def test_the_likelihood_never_falls(seed: int, cells: int, uniform: bool) -> None:
    rng = np.random.default_rng(seed)
    noise = NOISE if uniform else Noise.gaussian("x", low=0, high=1, sigma=rng.uniform(0.05, 0.5))
    channel = coarse(noise, cells)
    observed = rng.multinomial(1000, rng.dirichlet(np.ones(channel.output_size))).astype(float)
    table = np.full(cells, 1000 / cells)
    before = -np.inf
    for _ in range(30):
        _, now = climb(observed, *Banded.of(channel.kernel), table, 1, -np.inf, 0.0, False)
        assert now >= before - 1e-9 * abs(now)
        assert table.sum() == pytest.approx(1000)
        before = now


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("how", ["kernel", "midpoints"])
def test_climb_is_its_twin(how: str, smooth: bool) -> None:
    channel = coarse(NOISE, 12)
    observed = np.random.default_rng(1).integers(0, 50, channel.output_size).astype(float)
    matrix = getattr(channel, how)
    table = np.full(12, observed.sum() / 12)
    steps, likelihood = climb(observed, *Banded.of(matrix), table, 40, -np.inf, 1e-3, smooth)
    expected = twin_climb(observed, matrix, 40, 1e-3, smooth=smooth)
    assert steps == expected[1]
    assert likelihood == pytest.approx(expected[2])
    assert table == pytest.approx(expected[0])


def test_count_noisy_is_its_twin() -> None:
    channel = coarse(NOISE, 10)
    numbers = np.random.default_rng(2).uniform(-1, 2, 5000)
    numbers[7] = np.nan
    out = np.zeros(channel.output_size, np.int64)
    assert count_noisy(numbers, 0.0, NOISE.step, NOISE.reach, channel.slots, out) == 1
    assert (out == twin_count_noisy(numbers, channel)).all()
    assert (count_slots(channel, numbers)[0] == out).all()


def test_no_noise_gives_the_plain_counts() -> None:
    """Noise → 0: the counts are those of the originals."""
    rng = np.random.default_rng(3)
    numbers = plateau(rng, 5000)
    truth = np.histogram(numbers, np.linspace(0, 1, 21))[0]
    for noise in (
        Noise.gaussian("x", low=0, high=1, sigma=1e-6),
        Noise.uniform("x", low=0, high=1, alpha=1e-6),
    ):
        found = reconstruct(noisy(rng, numbers, noise), noise, intervals=20)
        # A value on a cell's border may be put on a grid point of the next.
        assert np.abs(found.counts - truth).sum() <= 2 * 5000 * 20 * 3 / 4096


@pytest.mark.parametrize("kind", ["uniform", "gaussian"])
def test_the_error_falls_with_the_records(kind: str) -> None:
    """As 1/√n where the problem is well posed: tenfold for a hundred times the records."""
    rng = np.random.default_rng(4)
    noise = Noise.uniform("x", low=0, high=1, alpha=0.15)
    if kind == "gaussian":
        noise = Noise.gaussian("x", low=0, high=1, sigma=0.05)
    errors = []
    for rows in (1_000, 100_000):
        held = []
        for _ in range(8):
            numbers = stairs(rng, rows, 6)
            found = reconstruct(noisy(rng, numbers, noise), noise, intervals=6)
            truth = np.histogram(numbers, np.linspace(0, 1, 7))[0] / rows
            held.append(np.abs(found.shares - truth).sum())
        errors.append(np.mean(held))
    assert errors[0] / 18 < errors[1] < errors[0] / 5


def test_the_paper_reconstructs_a_plateau() -> None:
    """U[−0.5, 0.5] over [0, 1]: far nearer to the truth than what was released."""
    rng = np.random.default_rng(5)
    numbers = plateau(rng, 20_000)
    seen = noisy(rng, numbers, NOISE)
    truth = np.histogram(numbers, np.linspace(0, 1, 51))[0] / 20_000
    released = np.histogram(seen, np.linspace(0, 1, 51))[0] / 20_000
    for how, stop in (("paper", "paper"), ("exact", "paper"), ("exact", "held-out")):
        found = reconstruct(seen, NOISE, intervals=50, how=how, stop=stop)
        assert np.abs(found.shares - truth).sum() < np.abs(released - truth).sum() / 3
        assert found.steps < 200


def test_the_paper_stops_by_its_rule() -> None:
    """n·Σ(P′ − P)²/P < 1 % of χ²'s 95 % point: true of the last step and of none before."""
    rng = np.random.default_rng(6)
    channel = coarse(NOISE, 30)
    observed = count_slots(channel, noisy(rng, plateau(rng, 10_000), NOISE))[0].astype(float)
    found = deconvolved((channel,), observed, "paper", "paper")
    bound = 0.01 * 42.557  # χ²(0.95; 29)
    table = np.full(30, 10_000 / 30)
    moves = []
    for _ in range(found.steps):
        before = table.copy()
        climb(observed, *Banded.of(channel.midpoints), table, 1, -np.inf, 0.0, False)
        moves.append(((table - before) ** 2 / before).sum())
    assert moves[-1] < bound <= min(moves[:-1])


def paper(numbers: Floats, cells: int, noise: Noise) -> tuple[Floats, int]:
    """AS's algorithm written down once more: equal intervals, also past the range, f_Y between
    midpoints, shares from even ones until n·Σ(P′ − P)²/P is below 1 % of χ²'s 95 % point."""
    width = (noise.high - noise.low) / cells
    past = int(np.ceil(noise.reach * noise.step / width))
    edges = noise.low + width * np.arange(-past, cells + past + 1)
    counts = np.histogram(np.clip(numbers, edges[0], edges[-1]), edges)[0]
    midpoints = (edges[1:] + edges[:-1]) / 2
    apart = midpoints[:, None] - midpoints[past : past + cells]
    if noise.law == "gaussian":
        density = np.exp(-((apart / noise.deviation) ** 2) / 2)
    else:  # at the very end, half of it
        reach = noise.reach * noise.step
        density = ((np.abs(apart) < reach - 1e-9) + 1.0 * (np.abs(apart) < reach + 1e-9)) / 2
    shares = np.full(cells, 1 / cells)
    steps, moved = 0, np.inf
    while moved >= 0.01 * chi2.ppf(0.95, cells - 1):
        mixed = density @ shares
        ratio = np.divide(counts, mixed, out=np.zeros(len(mixed)), where=mixed > 0)
        after = shares * (density.T @ ratio) / counts.sum()
        moved = counts.sum() * ((after - shares) ** 2 / shares).sum()
        shares, steps = after, steps + 1
    return shares, steps


@pytest.mark.parametrize("cells", [30, 50])
@pytest.mark.parametrize(
    "noise",
    [
        Noise.gaussian("x", low=-1, high=1, sigma=0.25),
        Noise.uniform("x", low=-1, high=1, alpha=0.5),
        Noise.uniform("x", low=-1, high=1, alpha=0.33),
        Noise.uniform("x", low=-1, high=1, alpha=1.0),
    ],
)
def test_the_papers_step_is_the_papers(noise: Noise, cells: int) -> None:
    """AS's triangles: thin intervals past the range are intervals like all others."""
    rng = np.random.default_rng(9)
    numbers = np.concatenate([rng.triangular(at - 0.4, at, at + 0.4, 50_000) for at in (-0.5, 0.5)])
    seen = noisy(rng, numbers, noise)
    expected, steps = paper(seen, cells, noise)
    found = reconstruct(seen, noise, intervals=cells, how="paper")
    assert found.steps == pytest.approx(steps, abs=2)
    assert np.abs(found.shares - expected).sum() < (0.01 if noise.law == "gaussian" else 0.03)
    truth = np.histogram(numbers, np.linspace(-1, 1, cells + 1))[0] / len(numbers)
    assert np.abs(found.shares - truth).sum() < 1.1 * np.abs(expected - truth).sum()


def test_joined_intervals_lie_where_their_pieces_do() -> None:
    """A row of the paper's kernel for joined intervals is the sum of theirs, up to a factor."""
    noise = Noise.gaussian("x", low=0, high=1, sigma=0.25)
    whole = CoarseNoise.of(noise, cells_of(noise, 20), tails=False)
    joined = CoarseNoise.of(noise, cells_of(noise, 20))
    assert joined.output_size < whole.output_size
    first = np.searchsorted(whole.starts, joined.starts)
    expected = np.add.reduceat(whole.midpoints, first, axis=0)
    for row, wanted in zip(joined.midpoints, expected, strict=True):
        assert row / row.sum() == pytest.approx(wanted / wanted.sum(), abs=5e-3)


def test_error_bars_cover() -> None:
    """Cells of a well-posed reconstruction lie within their errors as often as they should."""
    rng = np.random.default_rng(7)
    noise = Noise.gaussian("x", low=0, high=1, sigma=0.05)
    away = []
    for _ in range(10):
        numbers = stairs(rng, 20_000, 8)
        found = reconstruct(noisy(rng, numbers, noise), noise, intervals=8)
        truth = np.histogram(numbers, np.linspace(0, 1, 9))[0]
        away += ((found.counts - truth) / found.errors).tolist()
    assert 0.4 < np.sqrt(np.mean(np.square(away))) < 1.6


def test_joint_reconstruction_finds_what_goes_together() -> None:
    rng = np.random.default_rng(8)
    one = plateau(rng, 30_000)
    two = np.clip(one + rng.normal(0, 0.05, len(one)), 0, 1)
    first, second = NOISE, Noise.gaussian("y", low=0, high=1, sigma=0.2)
    seen = [noisy(rng, one, first), noisy(rng, two, second)]
    found = reconstruct(seen, [first, second], intervals=6, stop="held-out")
    truth = np.histogram2d(one, two, np.linspace(0, 1, 7))[0] / len(one)
    apart = np.outer(truth.sum(1), truth.sum(0))
    assert found.counts.shape == (6, 6)
    assert np.abs(found.shares - truth).sum() < 0.6 * np.abs(apart - truth).sum()
    assert found.errors.shape == (6, 6)


def test_a_release_is_reconstructed_by_names() -> None:
    table, schema = pv.datasets.load("as-f1", rows=2_000, seed=1), pv.datasets.schema("as-f1")
    release = pv.AdditiveNoise(level=0.25).disguise(table, schema, seed=1)
    found = pv.reconstruct(release, "age")
    assert found.counts.sum() == pytest.approx(2_000)
    assert len(found.edges) == len(found.counts) + 1 == intervals_for(2_000) + 1
    assert pv.reconstruct(release, ["age", "elevel"]).counts.shape == (20, 5)
    with pytest.raises(MethodError, match="noise added"):
        pv.Distribution.of(release, "age")
    with pytest.raises(DataError, match="no noisy attribute"):
        pv.reconstruct(release, "group")


@pytest.mark.parametrize(
    ("values", "noise", "options", "error"),
    [
        ([0.1, np.nan], NOISE, {}, DataError),
        ([0.1, np.inf], NOISE, {}, DataError),
        ([], NOISE, {}, DataError),
        (["a"], NOISE, {}, DataError),
        ([[0.1, 0.2]], NOISE, {}, DataError),
        ([0.1], "uniform", {}, InputError),
        ([0.1], NOISE, {"how": "quick"}, InputError),
        ([0.1], NOISE, {"stop": "soon"}, InputError),
        ([0.1], NOISE, {"intervals": 0}, InputError),
        ([0.1], NOISE, {"intervals": 2.5}, InputError),
        ([[0.1]] * 5, [NOISE] * 5, {}, InputError),
        ([[0.1], [0.1, 0.2]], [NOISE] * 2, {}, DataError),
        ([[0.1]] * 2, [NOISE] * 2, {"how": "paper"}, InputError),
    ],
)
def test_bad_input(
    values: object, noise: object, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        reconstruct(values, noise, **options)
