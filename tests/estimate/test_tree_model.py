"""A tree as a model: what it leads one to observe, its slopes, and where a fit brings it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.coding import Coding
from privet.estimate.em import Axis, expected
from privet.estimate.joint import Joint
from privet.estimate.tree_model import PURE, TreeModel, last_left
from privet.estimate.view import View, view
from privet.tree import Tree

Floats = NDArray[np.float64]
CELLS = {"x": 8, "z": 6}  # cells of numbers, and one code for missing ones
# Tests: attribute, last cell on the left, whether missing ones go left; and the children's places.
SHAPES: dict[str, list[tuple[int, int, bool] | None]] = {
    "one": [(0, 3, False), None, None],
    "two axes": [(0, 3, True), None, (1, 1, False), None, None],
    "twice": [(0, 5, False), (0, 2, False), None, None, None],
    "three": [(0, 3, False), (1, 1, True), (1, 3, False), None, None, None, None],
}
LABELS = {"one": [0, 1], "two axes": [0, 1, 0], "twice": [0, 0, 1], "three": [0, 1, 0, 1]}


def coding(name: str) -> Coding:
    edges = np.arange(CELLS[name] + 1.0)
    return Coding.cells(name, edges[:-1], edges[1:], missing=True)


def tree_of(shape: str, classes: int = 2) -> Tree:
    """A tree by hand: nodes level by level, leaves whose neighbours are of another class."""
    tests = SHAPES[shape]
    codings = tuple(map(coding, CELLS))
    size = len(tests)
    parent, child = np.full(size, -1), np.full(size, -1)
    attribute, threshold = np.full(size, -1), np.full(size, np.nan)
    routes: list[NDArray[np.int16] | None] = [None] * size
    below = 1
    for node, test in enumerate(tests):
        if test is not None:
            attribute[node], last, missing_left = test
            threshold[node] = last + 1.0
            route = (np.arange(codings[test[0]].size) > last).astype(np.int16)
            route[-1] = not missing_left
            routes[node], child[node] = route, below
            parent[below : below + 2] = node
            below += 2
    leaves = np.flatnonzero(child < 0)
    label = np.zeros(size, np.int64)
    label[leaves] = LABELS[shape]
    return Tree(
        codings=codings,
        classes=tuple(range(classes)),
        target="class",
        parent=parent,
        attribute=attribute,
        child=child,
        branches=np.where(child >= 0, 2, 0),
        threshold=threshold,
        around=np.stack([threshold, threshold], axis=1),
        routes=tuple(routes),
        counts=np.ones((size, classes)),
        errors=np.zeros((size, classes)),
        label=label,
        gain=np.zeros(size),
        z=np.zeros(size),
        size_errors=np.zeros(size),
    )


def kept(size: int, share: float) -> Axis:
    """An axis that keeps a code with some probability; the others go up more often than down."""
    if share == 1.0:
        return Axis(size, size)
    others = np.arange(1.0, size + 2)[:, None] + np.arange(size) % 2
    matrix = (1 - share) * others / others.sum(0)
    matrix[:size] += share * np.eye(size)
    return Axis(size, size + 1, matrix=matrix)


def model_of(
    shape: str,
    *,
    share: float = 1.0,
    label: float = 1.0,
    classes: int = 2,
    rows: float = 40_000.0,
    seed: int = 1,
) -> TreeModel:
    """A model of a table over all of x and z that is not even; nothing was observed yet."""
    rng = np.random.default_rng(seed)
    sizes = [size + 1 for size in CELLS.values()]
    table = rng.uniform(0.5, 1.5, sizes)
    table *= rows / table.sum()
    views = tuple(View(kept(size, share)) for size in sizes)
    whole = np.repeat(table[..., None] / classes, classes, axis=-1)
    seen = kept(classes, label)
    shape_of_observed = (*(one.axis.outputs for one in views), seen.outputs)
    joint = Joint(views, seen, np.zeros(shape_of_observed), whole)
    tree = tree_of(shape, classes)
    return TreeModel(tree, joint, (0, 1), np.flatnonzero(tree.child >= 0).tolist())


def put(model: TreeModel, off: Any, seed: int = 2) -> None:
    """Put thresholds so far from their borders, and shares anywhere."""
    rng = np.random.default_rng(seed)
    model.at = model._borders + off
    model.shares = rng.dirichlet(np.full(model.shares.shape[1], 0.7), len(model.shares))
    model.shares = 0.9 * model.shares + 0.1 / model.shares.shape[1]


def rows_of(model: TreeModel) -> Floats:
    """How many records of each class the model says there are in each cell."""
    pieces = model._pieces(np.ones_like(model.at))
    table = model._rows_of(pieces, np.concatenate([model.shares.ravel(), np.zeros_like(model.at)]))
    return np.asarray(table, np.float64)


def means_of(model: TreeModel) -> Floats:
    return expected(model._axes, rows_of(model))


def observing(model: TreeModel, observed: Floats) -> TreeModel:
    """The same model, from its start, of what was observed."""
    joint = replace(model._joint, observed=observed)
    return TreeModel(model._tree, joint, model._places, list(model._nodes))


@pytest.mark.parametrize("shape", SHAPES)
def test_at_its_borders_the_model_is_the_tree(shape: str) -> None:
    model = model_of(shape, classes=3)
    put(model, 0.0)
    tree = model._tree
    codes = np.indices(model._rows.shape).reshape(2, -1)
    node = np.zeros(codes.shape[1], np.int64)
    for _ in range(tree.depth):
        for at in range(tree.nodes):
            if tree.child[at] >= 0:
                here = node == at
                route = np.asarray(tree.routes[at])
                node[here] = tree.child[at] + route[codes[tree.attribute[at]][here]]
    shares = model.shares[np.searchsorted(tree.leaves, node)]
    np.testing.assert_allclose(
        rows_of(model).reshape(-1, 3), shares * model._rows.reshape(-1, 1), rtol=1e-12
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_every_record_is_in_one_leaf_wherever_thresholds_lie(shape: str, seed: int) -> None:
    """They may pass each other: then nothing is left between them, rather than less than that."""
    model = model_of(shape)
    put(model, np.random.default_rng(seed).uniform(-2.5, 2.5, len(model.at)))
    np.testing.assert_allclose(rows_of(model).sum(-1), model._rows, rtol=1e-12)


def test_a_threshold_inside_a_cell_divides_its_records() -> None:
    model = model_of("one")
    put(model, 0.3)
    model.shares = np.eye(2)
    left = rows_of(model)[..., 0].sum(1) / model._rows.sum(1)
    np.testing.assert_allclose(left, [1, 1, 1, 1, 0.3, 0, 0, 0, 0], atol=1e-12)  # missing: right


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("share", "label"), [(1.0, 1.0), (0.4, 1.0), (0.6, 0.7)])
def test_slopes_are_those_of_the_misfit(shape: str, share: float, label: float) -> None:
    """Against differences of the misfit itself, where no threshold is near the end of a cell."""
    model = model_of(shape, share=share, label=label, classes=3)
    put(model, 0.4, seed=3)
    truth = model_of(shape, share=share, label=label, classes=3)
    put(truth, -0.3, seed=4)
    observed = means_of(truth)
    weights = 1.0 / np.maximum(means_of(model), 0.5)

    def fit() -> float:
        return -0.5 * float((weights * (observed - means_of(model)) ** 2).sum())

    misfit = weights * (observed - means_of(model))
    pieces = model._pieces(np.ones_like(model.at))
    shares, at = model._parted(model._slope(pieces, misfit))
    step = 1e-4
    for number in range(len(model.at)):
        ends = []
        for by in (step, -step):
            model.at[number] += by
            ends.append(fit())
            model.at[number] -= by
        assert at[number] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-4)
    for leaf in range(len(shares)):
        for one, other in ((0, 1), (1, 2)):  # what one class wins another one loses
            ends = []
            for by in (step, -step):
                model.shares[leaf] += by * (np.eye(3)[one] - np.eye(3)[other])
                ends.append(fit())
                model.shares[leaf] -= by * (np.eye(3)[one] - np.eye(3)[other])
            slope = (ends[0] - ends[1]) / (2 * step)
            assert shares[leaf, one] - shares[leaf, other] == pytest.approx(
                slope, rel=1e-4, abs=1e-3
            )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_step_solves_its_equations(shape: str) -> None:
    model = model_of(shape, share=0.6)
    put(model, 0.2)
    pieces = model._pieces(np.ones_like(model.at))
    rows = rows_of(model)
    weights = 1.0 / np.maximum(means_of(model), 0.5)
    size = len(model._expected)
    bends = [
        model._slope(pieces, weights * expected(model._axes, model._rows_of(pieces, unit)))
        for unit in np.eye(size)
    ]
    whole = np.stack(bends, axis=1) + np.diag(model._expected)
    slope = model._slope(pieces, weights * np.random.default_rng(5).normal(0, 20, weights.shape))
    step = model._solved(pieces, weights, slope, model._sharpness(pieces, rows))
    exact = np.linalg.solve(whole, slope)
    assert np.abs(step - exact).max() < 0.02 * np.abs(exact).max()


@pytest.mark.parametrize("shape", SHAPES)
def test_sharpness_is_how_much_the_fit_bends_where_nothing_is_disguised(shape: str) -> None:
    """Steps are scaled by it; of a border between classes, too."""
    model = model_of(shape)
    model.at = model._borders + 0.3
    pieces, rows = model._pieces(np.ones_like(model.at)), rows_of(model)
    shares, at = model._parted(model._sharpness(pieces, rows))
    changes = [model._rows_of(pieces, unit) for unit in np.eye(len(model._expected))]
    bends = np.array([(change**2 / rows).sum() for change in changes])
    of_shares, of_at = model._parted(bends)
    np.testing.assert_allclose(shares, np.repeat(of_shares.mean(1)[:, None], 2, 1), rtol=1e-9)
    alike = shape in ("two axes", "three")  # some leaves on either side of a border say the same
    assert (at >= of_at).all()
    assert (at < (2.5 if alike else 1.05) * of_at).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_observed_shares_stay_shares_and_thresholds_near(shape: str, seed: int) -> None:
    model = model_of(shape, share=0.3, label=0.5, classes=3)
    rng = np.random.default_rng(seed)
    observed = rng.poisson(rng.exponential(300.0, model._joint.observed.shape)).astype(np.float64)
    model = observing(model, observed)
    model.fit()
    assert (model.shares > 0).all()
    np.testing.assert_allclose(model.shares.sum(1), 1.0)
    assert (np.abs(model.at - model._borders) <= 1.0).all()  # a cell


@pytest.mark.parametrize("last", [0, 6])
def test_a_threshold_stays_in_the_range(last: int) -> None:
    """All records of the cell at the end are on one side: the border is not moved beyond it."""
    model = model_of("one")
    route = (np.arange(9) > last).astype(np.int16)
    route[-1] = last == 0  # missing ones are on the other side
    tree = replace(model._tree, routes=(route, None, None))
    model = TreeModel(tree, model._joint, (0, 1), [0])
    alike = np.repeat(model._rows[..., None], 2, axis=-1) * (
        [0.0, 1.0] if last == 0 else [1.0, 0.0]
    )
    model = observing(model, alike)
    model.fit()
    assert 0.0 <= model.at[0] <= CELLS["x"]
    assert abs(model.at[0] - (last + 1)) > 0.3  # that way, but no farther


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("share", "label"), [(1.0, 1.0), (0.5, 1.0), (1.0, 0.6), (0.5, 0.6)])
@pytest.mark.parametrize("off", [0.3, -0.3])
def test_a_fit_finds_where_the_class_changes(
    shape: str, share: float, label: float, off: float
) -> None:
    """Whether attributes are disguised, or the class is, or both."""
    truth = model_of(shape, share=share, label=label)
    put(truth, off)
    truth.shares = truth._pure.copy()
    model = observing(truth, means_of(truth))
    model.fit()
    assert np.abs(model.at - truth.at).max() < 0.06
    assert np.abs(model.shares - truth.shares).max() < 0.03


@pytest.mark.parametrize("off", [0.8, -0.8])
def test_a_border_nearly_a_cell_away_is_reached(off: float) -> None:
    truth = model_of("one", share=0.5)
    put(truth, off)
    truth.shares = truth._pure.copy()
    model = observing(truth, means_of(truth))
    model.fit()
    assert model.at == pytest.approx(truth.at, abs=0.06)


def test_a_fit_ends_where_records_pull_as_much_as_what_is_expected() -> None:
    """A leaf is expected to be pure within 0.05, a threshold at its border within 0.6 cells."""
    truth = model_of("two axes", share=0.8, rows=1_500)
    put(truth, 0.35)
    truth.shares = np.where(truth._pure > 0.5, 0.8, 0.2)
    model = observing(truth, means_of(truth))
    for _ in range(8):
        model.fit()
    means = means_of(model)
    assert means.min() > 0.5
    pieces = model._pieces(np.ones_like(model.at))
    slope = model._slope(pieces, (model._joint.observed - means) / means)
    off = (model.shares - model._pure).ravel() / 0.05**2, (model.at - model._borders) / 0.6**2
    pull = np.concatenate(off)
    assert np.abs(pull).min() > 0.1
    np.testing.assert_allclose(slope, pull, rtol=0.03)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_before_anything_is_observed_leaves_are_nearly_pure(classes: int) -> None:
    model = model_of("three", classes=classes)
    np.testing.assert_allclose(model.shares.sum(1), 1.0)
    assert (model.shares.max(1) == PURE).all()
    assert model.shares.argmax(1).tolist() == LABELS["three"]


@pytest.mark.parametrize(("rows", "moves"), [(5.0, False), (400_000.0, True)])
def test_few_records_move_nothing_and_many_do(rows: float, moves: bool) -> None:
    truth = model_of("two axes", share=0.8, rows=rows)
    put(truth, 0.4)
    truth.shares = np.where(truth._pure > 0.5, 0.8, 0.2)
    model = observing(truth, means_of(truth))
    model.fit()
    shares, at = np.abs(model.shares - truth.shares), np.abs(model.at - truth.at)
    assert (shares.max() < 0.03) if moves else (shares.min() > 0.15)  # of 0.19
    assert (at.max() < 0.15) if moves else (at.min() > 0.3)  # of 0.4


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_a_coarse_view_and_a_fine_one_lead_to_the_same(share: float) -> None:
    """Records inside a group lie as the attribute's own distribution says, in both."""
    fine = model_of("two axes")
    rows = fine._rows.sum(1)[:, None] * fine._rows.sum(0) / fine._rows.sum()
    axes = [kept(size + 1, share) for size in CELLS.values()]
    views = [view(axis, 2, rows.sum(1 - place)) for place, axis in enumerate(axes)]
    table = np.repeat(rows[..., None] / 2, 2, axis=-1)
    groups = [np.arange(0, size + 1, 2) for size in CELLS.values()]

    outputs = [np.arange(0, axis.outputs, 2) for axis in axes]

    def grouped(cells: Floats, at: list[NDArray[np.int64]]) -> Floats:
        return np.asarray(np.add.reduceat(np.add.reduceat(cells, at[0], 0), at[1], 1))

    label = Axis(2, 2)
    tall = replace(fine._joint, views=tuple(map(View, axes)), table=table)
    small = Joint(tuple(views), label, np.zeros((*map(len, outputs), 2)), grouped(table, groups))
    models = [TreeModel(fine._tree, joint, (0, 1), [0, 2]) for joint in (tall, small)]
    for model in models:
        put(model, [0.3, -0.6])
    seen = grouped(means_of(models[0]), outputs)
    if share == 1.0:  # a group that is disguised forgets where in it the other class lies
        np.testing.assert_allclose(means_of(models[1]), seen, rtol=1e-4)
    np.testing.assert_allclose(means_of(models[1]).sum(-1), seen.sum(-1), rtol=1e-4)


def test_the_last_cell_on_the_left_is_a_cell() -> None:
    """Missing ones that go left are no cell."""
    tree = tree_of("two axes")
    assert last_left(tree, 0) == 3
    assert last_left(tree, 2) == 1
