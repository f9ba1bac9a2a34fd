"""A table fitted in two parts: how far each goes, and what stays as it is."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from privet.estimate.em import Axis, em_up_to, expected, hurried, hurried_steps
from privet.estimate.parted import (
    Start,
    Steps,
    fit_parted,
    halved,
    margin_of,
    steps_by_halves,
)

if TYPE_CHECKING:
    from privet.coding import Floats

KEPT, OTHER = 0.6, 0.4 / 5


def disguised() -> Axis:
    """Six values; each is kept with a chance of 0.6, and is any other with 0.08."""
    return Axis(6, 6, matrix=np.where(np.eye(6) > 0, KEPT, OTHER))


AXES = (disguised(), disguised(), Axis(2, 2))


def truth(records: float) -> "Floats":
    """Records of two attributes that have to do with each other; a slanting border of classes."""
    place = np.arange(6)
    rows = np.exp(-((place[:, None] - place) ** 2) / 8.0)
    rows *= records / rows.sum()
    first = place[:, None] + place > 5
    return np.stack([rows * ~first, rows * first], axis=-1)


def seen(records: int, seed: int) -> "Floats":
    means = expected(AXES, truth(records))
    drawn: Floats = np.random.default_rng(seed).poisson(means).astype(np.float64)
    return drawn


def start_of(table: "Floats") -> Start:
    """A start that knows nothing of what the attributes have to do with each other."""
    shares = table / table.sum()
    return Start(np.outer(shares.sum((1, 2)), shares.sum((0, 2))), table.sum((0, 1)))


def test_a_start_has_the_same_shares_of_classes_everywhere() -> None:
    start = Start(np.array([[0.125, 0.125], [0.375, 0.375]]), np.array([1.0, 4.0]))
    rows = start.rows(80.0)
    np.testing.assert_allclose(rows, [[10.0, 10.0], [30.0, 30.0]])
    np.testing.assert_allclose(start.table(rows)[1, 0], [6.0, 24.0])


def test_halves_are_all_records_and_always_the_same() -> None:
    observed = seen(10_000, 1)
    first, second = halved(observed)
    np.testing.assert_array_equal(first + second, observed)
    assert abs(first.sum() - observed.sum() / 2) < 5 * np.sqrt(observed.sum()) / 2
    np.testing.assert_array_equal(halved(observed)[0], first)


def test_classes_add_up_to_the_rows_that_were_fitted_first() -> None:
    observed, start, steps = seen(10_000, 2), start_of(truth(1.0)), Steps(5, 7)
    table = fit_parted(AXES, observed, start, steps)
    alone = fit_parted(AXES, observed, start, Steps(5, 0))
    np.testing.assert_allclose(table.sum(-1), alone.sum(-1), rtol=1e-9)
    assert table.sum() == pytest.approx(observed.sum())
    path = hurried(AXES[:-1], observed.sum(-1), start.rows(observed.sum()))
    rows = [next(path)[0] for _ in range(6)][5]
    np.testing.assert_allclose(alone.sum(-1), rows, rtol=1e-9)


def test_without_a_step_nothing_but_the_start_is_known() -> None:
    observed, start = seen(1_000, 3), start_of(truth(1.0))
    table = fit_parted(AXES, observed, start, Steps(0, 0))
    np.testing.assert_allclose(table, start.table(start.rows(observed.sum())))


def test_what_was_counted_without_a_disguise_is_fitted_exactly() -> None:
    exact = (Axis(6, 6), Axis(6, 6), Axis(2, 2))
    observed = np.round(truth(50_000))
    steps = steps_by_halves(exact, observed, start_of(observed))
    np.testing.assert_allclose(fit_parted(exact, observed, start_of(observed), steps), observed)


def test_more_records_are_fitted_further() -> None:
    start = start_of(truth(1.0))
    few = [steps_by_halves(AXES, seen(300, seed), start).classes for seed in range(8)]
    many = [steps_by_halves(AXES, seen(1_000_000, seed), start).classes for seed in range(8)]
    assert np.mean(few) < np.mean(many)


def test_records_without_any_tie_take_no_step() -> None:
    """Attributes that have nothing to do with each other are known from their margins."""
    alike = start_of(truth(1.0))
    means = expected(AXES, alike.table(alike.rows(100_000.0)))
    taken = []
    for seed in range(10):
        observed = np.random.default_rng(seed).poisson(means).astype(np.float64)
        taken.append(steps_by_halves(AXES, observed, alike).rows)
    assert np.median(taken) <= 1


def test_twice_the_records_take_steps_times_the_root_of_two() -> None:
    assert Steps(10, 0).for_twice() == Steps(14, 0)
    assert Steps(5, 21).for_twice() == Steps(7, 30)


def test_many_cells_and_few_records_are_nearer_the_truth_than_in_one_go() -> None:
    """Three attributes of 16 values, two of them tied: how many records are put wrong."""
    axis = Axis(16, 16, matrix=np.where(np.eye(16) > 0, 0.35, 0.65 / 15))
    axes = (axis, axis, axis, Axis(2, 2))
    place = np.arange(16)
    tied = np.exp(-((place[:, None] - place) ** 2) / 60.0)
    rows = np.repeat(tied[..., None], 16, axis=-1)
    first = place[:, None, None] + place[:, None] + place > 22
    exact = np.stack([rows * ~first, rows * first], axis=-1)
    exact *= 20_000 / exact.sum()
    margins = [exact.sum(-1).sum(tuple({0, 1, 2} - {own})) for own in range(3)]
    cells = margins[0][:, None, None] * margins[1][:, None] * margins[2]
    start = Start(cells / cells.sum(), exact.sum((0, 1, 2)))
    wrong = np.zeros(2)
    for seed in range(3):
        observed = np.random.default_rng(seed).poisson(expected(axes, exact)).astype(np.float64)
        steps = steps_by_halves(axes, observed, start).for_twice()
        ways = fit_parted(axes, observed, start, steps), em_up_to(axes, observed, 200)
        wrong += [np.abs(table - exact).sum() for table in ways]
    assert wrong[0] < 0.7 * wrong[1]


def test_steps_are_chosen_by_shares_whatever_the_number_of_records_a_step_starts_from() -> None:
    """Hurried steps overshoot the number of records, which foretells nothing."""
    axis = Axis(8, 8, matrix=np.where(np.eye(8) > 0, 0.3, 0.1))
    shares = 1 / np.arange(1.0, 9)
    shares /= shares.sum()
    for seed in range(8):
        means = expected([axis], 50_000 * shares)
        fitted = margin_of(axis, np.random.default_rng(seed).poisson(means).astype(np.float64))
        assert np.abs(fitted / fitted.sum() - shares).sum() < 0.12


def test_an_even_margin_stays_nearly_even() -> None:
    """A free fit would bend it by chance."""
    axis = Axis(32, 32, matrix=np.where(np.eye(32) > 0, 0.1, 0.9 / 31))
    wrong = []
    for seed in range(8):
        observed = np.random.default_rng(seed).poisson(50_000 / 32, 32).astype(np.float64)
        fitted = margin_of(axis, observed)
        wrong.append(np.abs(fitted / fitted.sum() - 1 / 32).sum())
        free = np.abs(em_up_to([axis], observed, 200) / observed.sum() - 1 / 32).sum()
        assert wrong[-1] < free
    assert np.median(wrong) < 0.05


def test_a_margin_that_was_counted_is_exact() -> None:
    counts = np.array([3.0, 1.0, 6.0])
    np.testing.assert_array_equal(margin_of(Axis(3, 3), counts), counts)


def test_hurried_steps_with_rows_keep_the_rows() -> None:
    observed, rows = seen(5_000, 4), truth(5_000).sum(-1)
    path = hurried(AXES, observed, rows[..., None] * np.array([0.5, 0.5]), rows)
    for _, (table, means) in zip(range(5), path, strict=False):
        np.testing.assert_allclose(table.sum(-1), rows)
        assert means.sum() == pytest.approx(rows.sum())
    assert hurried_steps(150) == 30


def test_the_order_of_a_table_in_memory_changes_nothing() -> None:
    """Tables seen in pairs of cells are turned, and kernels see tables flat."""
    observed, start = seen(10_000, 5), start_of(truth(1.0))
    turned = start._replace(cells=np.asfortranarray(start.cells))
    assert steps_by_halves(AXES, observed, turned) == steps_by_halves(AXES, observed, start)
    begin = start.table(start.rows(10_000.0))
    one, other = (hurried(AXES, observed, table) for table in (begin, np.asfortranarray(begin)))
    for _, found, again in zip(range(4), one, other, strict=False):
        np.testing.assert_array_equal(found[0], again[0])
        np.testing.assert_array_equal(found[1], again[1])
