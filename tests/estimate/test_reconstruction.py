"""Reconstruction: the paper's step and the exact one, and what they must come to."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import privet as pv
from privet.channel import CoarseNoise, Noise
from privet.errors import DataError, InputError, MethodError
from privet.estimate import deconvolve
from privet.estimate import reconstruction as module
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


# By hand


def test_a_band_is_its_matrix_without_zeros() -> None:
    matrix = np.array(
        [[0.5, 0.0, 0.0], [0.5, 0.2, 0.0], [0.0, 0.3, 0.0], [0.0, 0.5, 0.6], [0.0, 0.0, 0.4]]
    )
    rows, first = Banded.of(matrix)
    assert rows.shape == (3, 3)  # as wide as the widest column
    assert first.tolist() == [0, 1, 2]  # the last begins earlier, so as to end with the matrix
    again = np.zeros_like(matrix)
    for cell in range(3):
        again[first[cell] : first[cell] + 3, cell] = rows[cell]
    assert again.tolist() == matrix.tolist()


def test_climbing_stops_at_the_first_small_gain() -> None:
    channel = coarse(NOISE, 12)
    observed = np.random.default_rng(3).integers(5, 50, channel.output_size).astype(float)
    band = Banded.of(channel.kernel)
    table = np.full(12, observed.sum() / 12)
    seen = [climb(observed, *band, table, 1, -np.inf, 0.0, False)[1] for _ in range(40)]
    gains = np.diff(seen)
    for least in (gains[5] * 1.001, gains[5] * 0.999, gains[20] * 1.001):
        table = np.full(12, observed.sum() / 12)
        steps, likelihood = climb(observed, *band, table, 40, least, 0.0, False)
        first = int(np.flatnonzero(gains < least)[0])
        assert steps == first + 2  # the gain of a step is known after the next one
        assert likelihood == pytest.approx(seen[first + 1])
    table = np.full(12, observed.sum() / 12)
    steps, likelihood = climb(observed, *band, table, 7, 0.0, 0.0, False)
    assert steps == 7
    assert likelihood == pytest.approx(seen[6])


def test_empty_cells_and_intervals_stay_empty() -> None:
    band = Banded.of(np.eye(3))
    table = np.array([0.0, 5.0, 5.0])
    steps, likelihood = climb(np.array([2.0, 0.0, 8.0]), *band, table, 1, -np.inf, 0.0, False)
    assert table.tolist() == [0.0, 0.0, 8.0]
    assert steps == 1
    assert likelihood == pytest.approx(2 * np.log(1e-300) + 8 * np.log(5))


def test_smoothing_is_a_mean_of_neighbours() -> None:
    """1 : 2 : 1, and the cells at the ends twice in place of what is beyond them."""
    band = Banded.of(np.eye(4))
    table = np.array([1.0, 1.0, 1.0, 1.0])
    climb(np.array([8.0, 4.0, 0.0, 12.0]), *band, table, 1, -np.inf, 0.0, True)
    assert table.tolist() == [7.0, 4.0, 4.0, 9.0]


def test_numbers_are_counted_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = coarse(NOISE, 10)
    numbers = np.random.default_rng(4).uniform(-1, 2, 1_000)
    numbers[::100] = np.nan
    whole = count_slots(channel, numbers)
    assert whole[1] == 10
    assert whole[0].sum() == 990
    monkeypatch.setattr(deconvolve, "PIECE", 64)
    pieces = count_slots(channel, numbers)
    assert pieces[1] == 10
    assert pieces[0].tolist() == whole[0].tolist()


def test_a_number_goes_to_its_nearest_point_and_those_beyond_to_the_last() -> None:
    """Outputs −1 … 4 in steps of one; a half goes up."""
    slots, out = np.arange(6), np.zeros(6, np.int64)
    numbers = np.array([-9.0, -0.6, -0.4, 0.5, 1.49, 3.6, 99.0, np.nan])
    assert count_noisy(numbers, 0.0, 1.0, 1, slots, out) == 1
    assert out.tolist() == [2, 1, 2, 0, 0, 2]


@pytest.mark.parametrize(("wanted", "points"), [(4, False), (5, True), (6, True)])
def test_a_grid_has_a_cell_a_point_at_most(wanted: int, points: bool) -> None:
    noise = Noise.uniform("x", low=0, high=8, alpha=2, steps=4)  # 0, 2, 4, 6, 8
    cells = cells_of(noise, wanted)
    assert np.asarray(cells.lower).tolist() == ([0, 2, 4, 6, 8] if points else [0, 2, 4, 6])
    assert np.asarray(cells.upper).tolist() == ([0, 2, 4, 6, 8] if points else [2, 4, 6, 8])


def test_how_many_cells_there_are() -> None:
    rng = np.random.default_rng(5)
    numbers = noisy(rng, plateau(rng, 300), NOISE)
    assert len(reconstruct(numbers, NOISE).counts) == 10
    assert reconstruct([numbers, numbers], [NOISE, NOISE], stop="paper").counts.shape == (20, 20)
    assert len(reconstruct(numbers, NOISE, intervals=1).counts) == 1
    four = reconstruct([numbers[:20]] * 4, [NOISE] * 4, intervals=2, stop="paper")
    assert four.counts.shape == (2, 2, 2, 2)
    assert four.counts.sum() == pytest.approx(20)
    for wrong in (True, 0, -1, 2.0):
        with pytest.raises(InputError, match="at least 1"):
            reconstruct(numbers, NOISE, intervals=wrong)  # type: ignore[arg-type]
    for how, smooth in (("paper", False), ("exact", True)):
        with pytest.raises(InputError, match="one attribute at a time"):
            reconstruct([numbers] * 2, [NOISE] * 2, how=how, smooth=smooth)


@pytest.mark.parametrize(("cells", "degrees"), [(1, 1), (2, 1), (3, 2), (30, 29)])
def test_the_papers_bound_has_a_degree_less_than_cells(cells: int, degrees: int) -> None:
    assert module._least_move(cells) == pytest.approx(0.01 * chi2.ppf(0.95, degrees))


def test_a_fifth_is_kept_apart() -> None:
    observed = np.array([10_000.0, 40_000.0, 0.0])
    kept, apart = module._thinned(observed)
    assert (kept + apart).tolist() == observed.tolist()
    assert np.abs(apart - 0.2 * observed).max() < 5 * np.sqrt(40_000 * 0.16)
    again = module._thinned(observed)
    assert again[1].tolist() == apart.tolist()


def test_what_the_stops_say() -> None:
    """Steps by likelihood, by the paper's rule and by records kept apart, of the same counts."""
    rng = np.random.default_rng(6)
    channel = coarse(NOISE, 20)
    observed = count_slots(channel, noisy(rng, plateau(rng, 5_000), NOISE))[0].astype(float)
    steps = {stop: deconvolved((channel,), observed, "exact", stop).steps for stop in module.STOPS}
    assert steps["paper"] < steps["converged"]
    assert steps["held-out"] < steps["converged"]
    smooth = deconvolved((channel,), observed, "exact", "converged", smooth=True)
    band = Banded.of(channel.kernel)
    before = smooth.counts.copy()
    climb(observed, *band, before, 1, -np.inf, 0.0, True)
    moved = ((before - smooth.counts) ** 2 / smooth.counts).sum()
    assert moved < 1e-6  # at rest
    table = np.full(20, observed.sum() / 20)
    climb(observed, *band, table, smooth.steps - 1, -np.inf, 0.0, True)
    last = table.copy()
    climb(observed, *band, last, 1, -np.inf, 0.0, True)
    assert last == pytest.approx(smooth.counts)
    once = table.copy()
    table = np.full(20, observed.sum() / 20)
    climb(observed, *band, table, smooth.steps - 2, -np.inf, 0.0, True)
    assert ((once - table) ** 2 / table).sum() >= 1e-6  # and not before


def test_parts_that_cannot_be_reconstructed() -> None:
    table, schema = pv.datasets.load("as-f1", rows=300, seed=1), pv.datasets.schema("as-f1")
    release = pv.AdditiveNoise(level=0.25).disguise(table, schema, seed=1)
    (part,) = release.parts
    for parts in ((part, part), (replace(part, sign=-1),)):
        with pytest.raises(DataError, match="a release of one part"):
            pv.reconstruct(replace(release, parts=parts), "age")
    with pytest.raises(InputError, match="At most 4"):
        pv.reconstruct(release, [])
    empty = module.Reconstruction((), np.zeros(2), np.zeros(2), 0, 0.0, ("exact", "paper", False))
    assert empty.shares.tolist() == [0.0, 0.0]
