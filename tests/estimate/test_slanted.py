"""Classes by slanting borders: found through the channels, and taken only where they foretell."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from privet.coding import Coding
from privet.estimate.em import Axis, expected
from privet.estimate.means import expected_in_cells
from privet.estimate.parted import Start, Steps, fit_parted, steps_by_halves
from privet.estimate.slanted import Slant, features_of, slanted
from privet.estimate.view import View, view

if TYPE_CHECKING:
    from privet.coding import Floats, Mask

SIZE = 12
PLACE = np.arange(float(SIZE))
AGE = Coding.cells("age", PLACE, PLACE + 1)
SLANT = 2 * PLACE[:, None] - PLACE > 6
CROSSED = (PLACE[:, None] > 5) ^ (PLACE > 5)


def faint() -> Axis:
    """A number of twelve cells, each kept with a chance of 0.2, and any other with 0.8 / 11."""
    return Axis(SIZE, SIZE, matrix=np.where(np.eye(SIZE) > 0, 0.2, 0.8 / 11))


AXES = (faint(), faint(), Axis(2, 2))


def truth(first: "Mask", records: float, turned: float = 0.1) -> "Floats":
    """Records that lie evenly; one of ten has the other class."""
    shares = np.where(first, 1 - turned, turned)
    return np.stack([1 - shares, shares], axis=-1) * (records / SIZE**2)


def seen(first: "Mask", records: int, seed: int) -> "Floats":
    means = expected(AXES, truth(first, records))
    drawn: Floats = np.random.default_rng(seed).poisson(means).astype(np.float64)
    return drawn


def start_of(first: "Mask") -> Start:
    exact = truth(first, 1.0)
    margins = [exact.sum((1, 2)), exact.sum((0, 2))]
    features = [features_of(AGE, View(faint()), margin) for margin in margins]
    return Start(exact.sum(-1), exact.sum((0, 1)), features)


def right(table: "Floats", first: "Mask") -> float:
    """Return the share of cells whose commonest class is the right one."""
    return float((table.argmax(-1) == first).mean())


def test_a_number_counts_by_its_value_with_mean_0_and_variance_1() -> None:
    coding = Coding.cells("income", [0, 10, 30], [10, 30, 90])
    counts = np.array([4.0, 2.0, 2.0])
    features = features_of(coding, View(Axis(3, 3)), counts)
    assert features.shape == (3, 1)
    assert counts @ features[:, 0] == pytest.approx(0.0)
    assert counts @ features[:, 0] ** 2 == pytest.approx(counts.sum())
    ratio = (features[2, 0] - features[1, 0]) / (features[1, 0] - features[0, 0])
    inside = expected_in_cells(coding, counts)
    assert ratio == pytest.approx((inside[2] - inside[1]) / (inside[1] - inside[0]))
    assert inside[2] < 60  # most of a wide last cell lie where it begins


def test_groups_count_by_the_mean_of_their_records() -> None:
    counts = np.array([1.0, 3.0, 2.0, 2.0])
    coding = Coding.cells("income", [0, 10, 20, 30], [10, 20, 30, 40])
    grouped = view(Axis(4, 4), 2, counts)
    features = features_of(coding, grouped, grouped.groups(counts))[:, 0]
    middles = np.array([(5 + 3 * 15) / 4, 30.0])
    np.testing.assert_allclose(features, (middles - middles.mean()) / middles.std(), rtol=1e-5)


def test_categories_count_each_for_itself_and_the_rarer_the_more() -> None:
    coding = Coding.categories("job", ["a", "b", "c"])
    features = features_of(coding, View(Axis(3, 3)), np.array([1.0, 1.0, 2.0]))
    np.testing.assert_allclose(features, np.diag([2.0, 2.0, np.sqrt(2)]))


def test_a_category_nobody_has_counts_as_if_one_record_had_it() -> None:
    coding = Coding.categories("job", ["a", "b", "c"])
    features = features_of(coding, View(Axis(3, 3)), np.array([12.0, 4.0, 0.0]))
    np.testing.assert_allclose(features, np.diag([np.sqrt(16 / 12), 2.0, 4.0]))


def test_a_missing_number_has_no_value() -> None:
    coding = Coding.cells("income", [0, 10], [10, 20], missing=True)
    features = features_of(coding, View(Axis(3, 3)), np.array([3.0, 3.0, 2.0]))
    np.testing.assert_allclose(features, [[-np.sqrt(4 / 3), 0], [np.sqrt(4 / 3), 0], [0, 2]])


def test_a_number_of_one_cell_tells_nothing() -> None:
    coding = Coding.cells("income", [0, 10], [10, 20])
    features = features_of(coding, View(Axis(2, 2)), np.array([5.0, 0.0]))
    assert np.isfinite(features).all()
    assert features_of(coding, View(Axis(2, 2)), np.zeros(2)).shape == (2, 1)


def test_a_slant_with_no_weights_has_the_same_shares_everywhere() -> None:
    shares = np.array([0.2, 0.3, 0.5])
    features = [np.ones((4, 1)), np.eye(2)]
    slant = Slant((np.zeros((1, 3)), np.zeros((2, 3))), np.log(shares), shares, 0.1)
    rows = np.arange(8.0).reshape(4, 2)
    np.testing.assert_allclose(slant.table(rows, features), rows[..., None] * shares)


def test_each_attribute_adds_to_the_scores_along_its_own_axis() -> None:
    weights = np.array([[0.0, 1.0]]), np.array([[0.0, 2.0], [0.0, -1.0]])
    slant = Slant(weights, np.zeros(2), np.array([0.5, 0.5]), 0.2)
    features = [np.array([[1.0], [3.0], [-1.0]]), np.eye(2)]
    table = slant.table(np.ones((3, 2)), features)
    scores = np.array([1.0, 3.0, -1.0])[:, None] + np.array([2.0, -1.0])
    np.testing.assert_allclose(table[..., 1], 0.8 / (1 + np.exp(-scores)) + 0.1)
    np.testing.assert_allclose(table.sum(-1), 1.0)


def test_a_slanting_border_is_found_though_single_cells_show_nothing() -> None:
    """With 0.2 against 0.073 a cell says next to nothing; the border still shows."""
    start, rows = start_of(SLANT), truth(SLANT, 20_000.0).sum(-1)
    for seed in range(3):
        observed = seen(SLANT, 20_000, seed)
        slant = slanted(AXES, observed, rows, start.classes, start.features)
        assert right(slant.table(rows, start.features), SLANT) > 0.93
        assert 0.0 < slant.blind < 0.5


def test_the_likeliest_slant_is_likelier_than_the_slants_beside_it() -> None:
    start, observed = start_of(SLANT), seen(SLANT, 20_000, 5)
    rows = truth(SLANT, 20_000.0).sum(-1)
    found = slanted(AXES, observed, rows, start.classes, start.features)

    def likelihood(slant: Slant) -> float:
        means = expected(AXES, slant.table(rows, start.features))
        return float((observed * np.log(means)).sum())

    best = likelihood(found)
    for place in range(2):
        for factor in (0.7, 1.4):
            weights = list(found.weights)
            weights[place] = factor * weights[place]
            assert likelihood(found._replace(weights=tuple(weights))) < best
    assert likelihood(found._replace(lean=found.lean + np.array([0.0, 0.7]))) < best
    assert likelihood(found._replace(blind=0.45)) < best


def test_records_whose_class_hangs_on_nothing_are_counted() -> None:
    """One of ten in the other class are two of ten who have any; the border stays sharp."""
    clear = Axis(SIZE, SIZE, matrix=np.where(np.eye(SIZE) > 0, 0.8, 0.2 / 11))
    axes = (clear, clear, Axis(2, 2))
    start, rows = start_of(SLANT), truth(SLANT, 200_000.0).sum(-1)
    for turned, blind in ((0.1, 0.2), (0.0, 0.0)):
        observed = np.rint(expected(axes, truth(SLANT, 200_000.0, turned)))
        slant = slanted(axes, observed, rows, start.classes, start.features)
        assert slant.blind == pytest.approx(blind, abs=0.03)


def test_three_classes_lie_between_two_borders() -> None:
    label = np.digitize(PLACE[:, None] + PLACE, [8, 14])
    exact = (np.eye(3)[label] * 0.85 + 0.05) * (60_000 / SIZE**2)
    axes = (faint(), faint(), Axis(3, 3))
    observed = np.random.default_rng(1).poisson(expected(axes, exact)).astype(np.float64)
    features = start_of(SLANT).features
    slant = slanted(axes, observed, exact.sum(-1), exact.sum((0, 1)), features)
    found = slant.table(exact.sum(-1), features).argmax(-1)
    assert (found == label).mean() > 0.9


def test_a_disguised_class_is_no_obstacle() -> None:
    axes = (faint(), faint(), Axis(2, 2, matrix=np.array([[0.75, 0.25], [0.25, 0.75]])))
    observed = np.random.default_rng(2).poisson(expected(axes, truth(SLANT, 200_000.0)))
    start, rows = start_of(SLANT), truth(SLANT, 200_000.0).sum(-1)
    slant = slanted(axes, observed.astype(np.float64), rows, start.classes, start.features)
    assert right(slant.table(rows, start.features), SLANT) > 0.93


@pytest.mark.parametrize("far", [1.0, 1e3, 1e6])
def test_numbers_stay_numbers_where_a_class_is_rare_and_values_lie_far_out(far: float) -> None:
    """One record of a class that only the last cell has, and a value a thousand deviations out."""
    exact = Axis(SIZE, SIZE)
    axes = (exact, faint(), Axis(2, 2))
    observed = np.zeros((SIZE, SIZE, 2))
    observed[:, :, 0] = 7.0
    observed[-1, -1] = [0.0, 1.0]
    values = np.zeros((SIZE, 1))
    values[-1] = far
    slant = slanted(axes, observed, observed.sum(-1), observed.sum((0, 1)), [values, values])
    table = slant.table(observed.sum(-1), [values, values])
    assert np.isfinite(table).all()
    assert table.sum() == pytest.approx(observed.sum())


def test_halves_of_the_records_tell_a_slant_from_what_no_slant_can_be() -> None:
    for seed in range(4):
        slanting = steps_by_halves(AXES, seen(SLANT, 40_000, seed), start_of(SLANT))
        crossed = steps_by_halves(AXES, seen(CROSSED, 40_000, seed), start_of(CROSSED))
        assert slanting.slants
        assert not crossed.slants


def test_without_features_nothing_slants() -> None:
    start = start_of(SLANT)._replace(features=())
    assert not steps_by_halves(AXES, seen(SLANT, 40_000, 0), start).slants


def test_a_table_that_starts_from_a_slant_is_nearer_the_truth() -> None:
    start, closer = start_of(SLANT), []
    for seed in range(4):
        observed = seen(SLANT, 40_000, seed)
        alike = steps_by_halves(AXES, observed, start._replace(features=())).for_twice()
        slanting = steps_by_halves(AXES, observed, start).for_twice()
        tables = [fit_parted(AXES, observed, start, steps) for steps in (slanting, alike)]
        for table in tables:
            assert table.sum() == pytest.approx(observed.sum())
        closer.append([right(table, SLANT) for table in tables])
    slant, plain = np.mean(closer, axis=0)
    assert slant > plain + 0.02


def test_the_border_may_be_looked_for_in_pairs_of_cells() -> None:
    start, observed = start_of(SLANT), seen(SLANT, 40_000, 7)
    pairs = [view(axis, 2, np.ones(SIZE)) for axis in AXES[:-1]]
    begins = np.arange(0, SIZE, 2)
    fewer = np.add.reduceat(np.add.reduceat(observed, begins, 0), begins, 1)
    coarse = Start(
        np.add.reduceat(np.add.reduceat(start.cells, begins, 0), begins, 1),
        start.classes,
        [each.means(own) for each, own in zip(pairs, start.features, strict=True)],
    )
    axes = (*(each.axis for each in pairs), AXES[-1])
    table = fit_parted(AXES, observed, start, Steps(0, 0, slants=True), (axes, fewer, coarse))
    assert table.shape == (SIZE, SIZE, 2)
    assert right(table, SLANT) > 0.9


def test_twice_the_records_slant_as_well() -> None:
    assert Steps(10, 0, slants=True).for_twice() == Steps(14, 0, slants=True)
