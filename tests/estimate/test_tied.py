"""What pairs of attributes hang together by: found through channels, and not where chance is."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.coding import Coding
from privet.estimate.em import Axis, expected
from privet.estimate.tied import raked, scores_of, tied
from privet.estimate.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.coding import Floats
    from privet.estimate.tied import Pairs, Sums

SIZE = 16
PLACE = np.arange(SIZE)


def faint(size: int = SIZE, kept: float = 0.2) -> Axis:
    """Each value is kept with a small chance, and is any other alike."""
    return Axis(size, size, matrix=np.where(np.eye(size) > 0, kept, (1 - kept) / (size - 1)))


def numbers(size: int = SIZE) -> Coding:
    return Coding.cells("age", np.arange(float(size)), np.arange(1.0, size + 1))


def alike(size: int) -> "Floats":
    return np.full(size, 1.0 / size)


def number_scores(shares: "Floats") -> "Floats":
    return scores_of(numbers(len(shares)), View(Axis(len(shares), len(shares))), shares)


def category_scores(shares: "Floats") -> "Floats":
    coding = Coding.categories("job", [f"v{place}" for place in range(len(shares))])
    return scores_of(coding, View(Axis(len(shares), len(shares))), shares)


def together(width: float) -> "Floats":
    """Two numbers that go up together, each evenly spread."""
    table = np.exp(-((PLACE[:, None] - PLACE) ** 2) / (2 * width**2))
    return raked(table / table.sum(), {(0,): alike(SIZE), (1,): alike(SIZE)})


def seen(axes: "Sequence[Axis]", shares: "Floats", records: int, seed: int) -> "Floats":
    means = expected(axes, records * shares)
    drawn: Floats = np.random.default_rng(seed).poisson(means).astype(np.float64)
    return drawn


def wrong(rows: "Floats", shares: "Floats") -> float:
    """Return twice the share of records that are put elsewhere."""
    return float(np.abs(rows / rows.sum() - shares).sum())


@given(st.lists(st.integers(0, 50), min_size=2, max_size=12), st.booleans())
def test_scores_have_mean_0_and_are_independent(counts: list[int], ordered: bool) -> None:
    shares = np.array(counts, np.float64) + 0.5
    shares /= shares.sum()
    scores = number_scores(shares) if ordered else category_scores(shares)
    assert scores.shape == (len(shares), 1 if ordered else len(shares) - 1)
    np.testing.assert_allclose(shares @ scores, 0.0, atol=1e-9)
    np.testing.assert_allclose(
        scores.T @ (shares[:, None] * scores), np.eye(scores.shape[1]), atol=1e-6
    )


@given(
    st.lists(st.sampled_from([0.0, 1e-9, 1.0, 1e6]), min_size=2, max_size=6),
    st.lists(st.sampled_from([0.0, 1e-9, 1.0, 1e6]), min_size=2, max_size=6),
    st.booleans(),
    st.integers(0, 100),
)
def test_shares_are_shares_however_rare_values_are(
    one: list[float], other: list[float], ordered: bool, seed: int
) -> None:
    margins = [np.array(one) + 1e-300, np.array(other) + 1e-300]
    axes = tuple(faint(len(margin), 0.5) for margin in margins)
    observed = np.random.default_rng(seed).poisson(30.0, (len(one), len(other))).astype(np.float64)
    scored = number_scores if ordered else category_scores
    scores = [scored(margin / margin.sum()) for margin in margins]
    rows = tied(axes, observed, margins, scores)
    assert (rows >= 0).all()
    assert rows.sum() == pytest.approx(1.0, abs=0.05)


def test_two_rare_values_that_go_together_have_odds() -> None:
    margin = np.array([1.0, 1e-9])
    scores = [category_scores(margin / margin.sum())] * 2
    rows = tied((Axis(2, 2), Axis(2, 2)), np.diag([1e6, 100.0]), [margin] * 2, scores)
    assert np.isfinite(rows).all()
    assert rows.sum() == pytest.approx(1.0)


def test_a_missing_number_has_a_score_of_its_own() -> None:
    coding = Coding.cells("age", [0, 1, 2], [1, 2, 3], missing=True)
    shares = np.array([0.3, 0.2, 0.3, 0.2])
    scores = scores_of(coding, View(Axis(4, 4)), shares)
    assert scores.shape == (4, 2)
    np.testing.assert_allclose(scores.T @ (shares[:, None] * scores), np.eye(2), atol=1e-9)


def test_a_single_value_has_no_score() -> None:
    assert category_scores(np.array([1.0])).shape == (1, 0)


def test_numbers_that_go_up_together_are_found_through_a_channel_that_hides_them() -> None:
    axes, shares = (faint(), faint()), together(5.0)
    scores = [number_scores(alike(SIZE))] * 2
    apart = np.outer(alike(SIZE), alike(SIZE))
    found = [
        wrong(tied(axes, seen(axes, shares, 40_000, seed), [alike(SIZE)] * 2, scores), shares)
        for seed in range(8)
    ]
    assert np.mean(found) < 0.75 * wrong(apart, shares)
    assert max(found) < 1.1 * wrong(apart, shares)


def test_margins_stay_where_few_numbers_say_all() -> None:
    """A pair that hangs together as normal numbers do starts from its margins, and ends near."""
    axes, margin = (faint(), faint()), np.arange(1.0, SIZE + 1)
    shares = raked(together(5.0), {(0,): margin / margin.sum(), (1,): alike(SIZE)})
    observed = seen(axes, shares, 40_000, 1)
    rows = tied(axes, observed, [margin, alike(SIZE)], [number_scores(margin / margin.sum())] * 2)
    assert rows.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(rows.sum(1) / rows.sum(), margin / margin.sum(), atol=0.02)


def test_what_no_rank_tells_is_found_in_the_table_of_the_pair() -> None:
    """One number is lowest wherever the other is high, and anything elsewhere."""
    shares = np.zeros((SIZE, SIZE))
    shares[8:, 0] = 1 / SIZE
    shares[:8, 1:] = 1 / (SIZE * (SIZE - 1))
    margins = [shares.sum(1), shares.sum(0)]
    axes = (faint(SIZE, 0.4),) * 2
    rows = tied(
        axes, seen(axes, shares, 60_000, 3), margins, [number_scores(margin) for margin in margins]
    )
    assert wrong(rows, shares) < 0.25 * wrong(np.outer(*margins), shares)


def test_a_pair_that_is_known_is_not_looked_at_again() -> None:
    axes, scores = (faint(), faint()), [number_scores(alike(SIZE))] * 2
    shares = together(4.0)
    known: Pairs = {}
    rows = tied(axes, seen(axes, shares, 40_000, 1), [alike(SIZE)] * 2, scores, known)
    assert set(known) == {(0, 1)}
    nothing = np.ones((SIZE, SIZE))
    np.testing.assert_array_equal(tied(axes, nothing, [alike(SIZE)] * 2, scores, known), rows)


def test_categories_that_go_together_are_found_whatever_their_order() -> None:
    shares = np.full((5, 5), 0.5 / 25)
    for first, second in enumerate((3, 0, 4, 2, 1)):
        shares[first, second] += 0.1
    axes = (faint(5, 0.4), faint(5, 0.4))
    scores = [category_scores(alike(5))] * 2
    apart = np.outer(alike(5), alike(5))
    for seed in range(4):
        rows = tied(axes, seen(axes, shares, 40_000, seed), [alike(5)] * 2, scores)
        assert wrong(rows, shares) < 0.75 * wrong(apart, shares)


def test_a_category_may_go_with_low_numbers() -> None:
    first = np.where(PLACE < 6, 0.8, 0.2)
    shares = np.stack([first, 1 - first], axis=1) / SIZE
    margins = [shares.sum(1), shares.sum(0)]
    axes = (faint(), faint(2, 0.7))
    scores = [number_scores(margins[0]), category_scores(margins[1])]
    for seed in range(4):
        rows = tied(axes, seen(axes, shares, 40_000, seed), margins, scores)
        assert wrong(rows, shares) < 0.65 * wrong(np.outer(*margins), shares)


def test_chance_ties_next_to_nothing() -> None:
    """Eight values each, hardly kept: 49 numbers that chance alone bends."""
    axes, apart = (faint(8), faint(8)), np.outer(alike(8), alike(8))
    scores = [category_scores(alike(8))] * 2
    found = [
        wrong(tied(axes, seen(axes, apart, 20_000, seed), [alike(8)] * 2, scores), apart)
        for seed in range(12)
    ]
    assert np.median(found) == 0.0
    assert max(found) < 0.5


def test_margins_that_are_off_tie_nothing() -> None:
    """Early stopping leaves margins short of what was observed: the pair mends them, untied."""
    margin = np.linspace(1, 3, SIZE) / np.linspace(1, 3, SIZE).sum()
    shares = np.outer(margin, margin)
    axes = (faint(SIZE, 0.6),) * 2
    even, scores = [alike(SIZE)] * 2, [number_scores(alike(SIZE))] * 2
    rows = tied(axes, expected(axes, 1e6 * shares), even, scores)
    assert wrong(rows, shares) < 0.02


def test_three_attributes_have_the_ties_of_their_pairs_and_no_more() -> None:
    """Each pair of three numbers hangs together as it does alone."""
    hidden = np.random.default_rng(0).normal(size=200_000)
    random = np.random.default_rng(1)
    codes = [
        np.clip(np.floor(SIZE / 2 + 3 * (0.7 * hidden + random.normal(size=200_000))), 0, SIZE - 1)
        for _ in range(3)
    ]
    shares = np.zeros((SIZE,) * 3)
    np.add.at(shares, tuple(code.astype(int) for code in codes), 1 / 200_000)
    margins = [shares.sum(tuple({0, 1, 2} - {own})) for own in range(3)]
    axes = (faint(SIZE, 0.4),) * 3
    rows = tied(
        axes, seen(axes, shares, 60_000, 2), margins, [number_scores(margin) for margin in margins]
    )
    apart = margins[0][:, None, None] * margins[1][:, None] * margins[2]
    assert wrong(rows, shares) < 0.6 * wrong(apart, shares)
    for other in range(3):
        pair = shares.sum(other)
        assert wrong(rows.sum(other), pair) < 0.6 * wrong(apart.sum(other), pair)


def test_what_was_counted_exactly_is_tied_as_it_was() -> None:
    shares = together(4.0)
    axes = (Axis(SIZE, SIZE), Axis(SIZE, SIZE))
    scores = number_scores(alike(SIZE))
    rows = tied(axes, 1e6 * shares, [alike(SIZE)] * 2, [scores] * 2)
    strength = float(scores[:, 0] @ shares @ scores[:, 0])
    assert float(scores[:, 0] @ rows @ scores[:, 0]) / rows.sum() == pytest.approx(
        strength, abs=0.03
    )


def test_a_single_attribute_lies_as_its_margin_says() -> None:
    margin = np.array([1.0, 1.0, 2.0])
    rows = tied((faint(3),), np.array([4.0, 4.0, 2.0]), [margin], [number_scores(margin / 4)])
    np.testing.assert_allclose(rows, [0.25, 0.25, 0.5])


def test_raking_keeps_odds_and_gives_sums() -> None:
    table = np.array([[4.0, 1.0], [2.0, 3.0]])
    sums: Sums = {(0,): np.array([0.3, 0.7]), (1,): np.array([0.6, 0.4])}
    found = raked(table, sums)
    np.testing.assert_allclose(found.sum(1), sums[0,], atol=0.01)
    np.testing.assert_allclose(found.sum(0), sums[1,], atol=0.01)
    odds = found[0, 0] * found[1, 1] / (found[0, 1] * found[1, 0])
    assert odds == pytest.approx(6.0)
