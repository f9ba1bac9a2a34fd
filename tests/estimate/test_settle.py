"""Thresholds inside cells: found where the class changes there, left alone elsewhere."""

from dataclasses import replace
from typing import TYPE_CHECKING
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.coding import Coding
from privet.estimate.fitted import FittedEvidence
from privet.estimate.methods import evidence_of
from privet.estimate.settle import DENSE, _can_move, _densities, _moved, _value, settled
from privet.grow import grow
from privet.split import POLICIES, Policy
from privet.tree import Tree
from tests.estimate.test_tree_model import model_of, tree_of

if TYPE_CHECKING:
    from privet.coding import Floats

CUTS = {"x": 0.43, "z": 0.27}


def schema(bins: int = 10) -> pv.Schema:
    numbers = [pv.Attribute.numeric(name, low=0, high=1, bins=bins) for name in ("x", "z")]
    return pv.Schema([*numbers, pv.Attribute.categorical("y", ["no", "yes"])], target="y")


def records(kind: str, rows: int = 40_000, seed: int = 5) -> pa.Table:
    rng = np.random.default_rng(seed)
    x, z = rng.random(rows), rng.beta(2, 3, rows)
    low = {"one": x <= CUTS["x"], "both": (x <= CUTS["x"]) ^ (z <= CUTS["z"])}[kind]
    return pa.table({"x": x, "z": z, "y": np.where(low, "no", "yes")})


def grown(table: pa.Table, gamma: float, *, exact: bool = False, bins: int = 10) -> Tree:
    held = schema(bins)
    release = (
        pv.Plan({}, default=pv.ValueClass(bins=bins)).disguise(table, held, seed=3)
        if exact
        else pv.RandomSubstitution(gamma=gamma, kind="band", wave=0).disguise(table, held, seed=3)
    )
    return grow(evidence_of(release, "joint").evidence, POLICIES["cart"].but(max_depth=3))


def moved(tree: Tree) -> dict[str, set[float]]:
    """Thresholds that are on no border of a tenth."""
    found: dict[str, set[float]] = {}
    for node in np.flatnonzero(np.isfinite(tree.threshold)):
        if abs(10 * tree.threshold[node] - round(10 * tree.threshold[node])) > 1e-9:
            name = tree.codings[tree.attribute[node]].name
            found.setdefault(name, set()).add(float(tree.threshold[node]))
    return found


@pytest.mark.parametrize(("gamma", "off"), [(1e6, 0.005), (20, 0.02)])
def test_a_border_inside_a_cell_is_found(gamma: float, off: float) -> None:
    found = moved(grown(records("one"), gamma))
    assert list(found) == ["x"]
    assert all(abs(cut - CUTS["x"]) < off for cut in found["x"])


def test_borders_are_found_where_the_other_side_says_the_opposite() -> None:
    """At the root the classes are almost as frequent on one side as on the other."""
    found = moved(grown(records("both"), 1e6))
    assert set(found) == {"x", "z"}
    for name, cuts in found.items():
        assert all(abs(cut - CUTS[name]) < 0.02 for cut in cuts)


def test_two_borders_near_each_other_are_both_found() -> None:
    """Less than two cells lie between them: no cell is of the class between them alone."""
    rng = np.random.default_rng(9)
    x = rng.random(40_000)
    inside = (x > CUTS["x"]) & (x <= CUTS["x"] + 0.08)
    table = pa.table({"x": x, "z": rng.random(len(x)), "y": np.where(inside, "yes", "no")})
    tree = grown(table, 1e6, bins=20)
    for border in (CUTS["x"], CUTS["x"] + 0.08):
        assert np.nanmin(np.abs(tree.threshold - border)) < 0.004


def test_noise_moves_no_border_far() -> None:
    """Where hardly anything shows, a threshold stays within half a cell of its border."""
    tree = grown(records("both", rows=4_000), 3)
    cuts = tree.threshold[np.isfinite(tree.threshold)]
    assert (np.abs(10 * cuts - np.round(10 * cuts)) <= 0.5).all()  # of any border
    assert all(0 < cut < 1 for cut in cuts)


def test_cells_that_were_released_as_they_are_keep_their_borders() -> None:
    assert moved(grown(records("one"), 8, exact=True)) == {}


def test_the_codes_of_a_moved_threshold_follow_their_centres_and_are_read_back() -> None:
    tree = grown(records("both"), 1e6)
    again = Tree.from_dict(tree.to_dict())
    assert again.same_as(tree)
    for node in np.flatnonzero(np.isfinite(tree.threshold)):
        coding, route = tree.codings[tree.attribute[node]], tree.routes[node]
        assert route is not None
        left = coding.decode(np.arange(coding.size)) <= tree.threshold[node]
        assert np.array_equal(route == 0, left)


def test_a_single_whole_number_is_never_cut() -> None:
    rng = np.random.default_rng(2)
    count = rng.integers(0, 6, 20_000)
    table = pa.table({"n": count, "y": np.where(count <= 2, "no", "yes")})
    held = pv.Schema(
        [
            pv.Attribute.numeric("n", low=0, high=5, integer=True),
            pv.Attribute.categorical("y", ["no", "yes"]),
        ],
        target="y",
    )
    release = pv.RandomSubstitution(gamma=20, kind="band", wave=0).disguise(table, held, seed=1)
    evidence = evidence_of(release, "joint").evidence
    assert isinstance(evidence, FittedEvidence)
    tree = grow(evidence, POLICIES["cart"])
    assert tree.threshold[0] == 2.5


def test_densities_change_at_a_border_where_classes_are_balanced() -> None:
    """Left of the border records are four times as rare as right of it."""
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.uniform(0, CUTS["x"], 4000), rng.uniform(CUTS["x"], 1, 20_000)])
    low = x <= CUTS["x"]
    table = pa.table({"x": x, "z": rng.random(len(x)), "y": np.where(low, "no", "yes")})
    found = moved(grown(table, 1e6, bins=5))
    assert all(abs(cut - CUTS["x"]) < 0.01 for cut in found["x"])


@pytest.mark.parametrize("gamma", [1e6, 20])
def test_a_border_between_two_cells_stays_there(gamma: float) -> None:
    rng = np.random.default_rng(4)
    x = rng.random(40_000)
    table = pa.table({"x": x, "z": rng.random(len(x)), "y": np.where(x <= 0.4, "no", "yes")})
    assert moved(grown(table, gamma)) == {}


@pytest.mark.parametrize(
    ("left", "right", "at", "value"),
    [
        (1, 1, 4.25, 9.0),  # in the cell from 8 to 12, by its width alone
        (1, 1, 4.0, 8.0),
        (1, 1, 3.5, 7.0),
        (1, 1, 8.0, 32.0),  # the end of the last cell
        (1, 4, 4.25, 8 + 4 * 1 / (1 + 0.75)),  # few records take as much room as many
        (1e-4, 4e-4, 4.25, 8 + 4 * 1 / (1 + 0.75)),  # only their ratio counts
        (4, 1, 4.25, 8 + 4 * 0.25 / (0.25 + 3)),
        (0, 1, 4.25, 9.0),  # nobody to the left: nothing is known of densities
    ],
)
def test_a_place_in_a_cell_is_a_value_by_widths_and_densities(
    left: float, right: float, at: float, value: float
) -> None:
    ends = np.array([0, 2, 4, 6, 8, 12, 18, 24, 32.0])
    cells = Coding.cells("x", ends[:-1], ends[1:], missing=True)
    model = model_of("one")
    tree = replace(model._tree, codings=(cells, model._tree.codings[1]))
    dense = np.repeat([left, right, 7.0], [4, 4, 1])  # and many missing ones
    rows = dense * np.append(np.diff(ends), 1.0)
    table = np.broadcast_to(rows[:, None, None], model._joint.table.shape)
    found, width = _value(tree, 0, replace(model._joint, table=table), (0, 1), at)
    assert found == pytest.approx(value)
    cell = min(int(at), 7)
    assert width == ends[cell + 1] - ends[cell]


def test_cells_go_where_their_centres_go_unless_no_side_were_left() -> None:
    tree = tree_of("twice")  # at 6, and left of it at 3
    first, second, *_ = _moved(tree, {0: 5.4, 1: 3.6}).routes
    assert first is not None
    assert second is not None
    assert first.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]  # 5.5 is the centre of the sixth cell
    assert second.tolist()[:5] == [0, 0, 0, 0, 1]
    first, *_ = _moved(tree, {0: 5.5}).routes
    assert first is not None
    assert first.tolist()[4:7] == [0, 0, 1]  # a centre that is the threshold itself goes left
    beyond = _moved(tree, {0: 5.4, 1: 5.45})  # right of all that the first test sends left
    assert beyond.routes[1] is tree.routes[1]
    assert beyond.threshold[:2].tolist() == [5.4, tree.threshold[1]]
    assert Tree.from_dict(beyond.to_dict()).same_as(beyond)  # a file's routes fit its thresholds
    assert _moved(tree, {0: 5.4}).routes[1] is tree.routes[1]  # a node that did not move


def test_settled_trees_are_read_back() -> None:
    """Few records and a weak channel: thresholds go where they leave hardly a code on a side."""
    rng = np.random.default_rng(11)
    for seed in range(6):
        x, z = rng.random(3000), rng.random(3000)
        table = pa.table({"x": x, "z": z, "y": np.where(x + z > 1, "no", "yes")})
        release = pv.RandomSubstitution(gamma=30, kind="band", wave=0).disguise(
            table, schema(8), seed=seed
        )
        tree = grow(evidence_of(release, "joint").evidence, POLICIES["cart"])
        assert Tree.from_dict(tree.to_dict()).same_as(tree)


def test_any_tree_can_be_settled_by_any_tables() -> None:
    """Those of a first look have no one table for all attributes: the tree's own are taken."""
    band = pv.RandomSubstitution(gamma=1e6, kind="band", wave=0)
    release = band.disguise(records("one"), schema(), seed=3)
    evidence = evidence_of(release, "joint").evidence
    assert isinstance(evidence, FittedEvidence)
    assert not evidence.whole
    tree = pv.TreeClassifier(method="naive", max_depth=1).fit(release).tree_
    assert moved(tree) == {}
    assert settled(tree, evidence).threshold[0] == pytest.approx(CUTS["x"], abs=0.005)


@pytest.mark.parametrize(("last", "can"), [(0, True), (1, False), (2, False), (3, True)])
def test_a_border_moves_only_if_the_cells_on_both_sides_can_be_cut(last: int, can: bool) -> None:
    """Of whole numbers, 10 is a cell by itself; right of the last cell are the missing ones."""
    cells = Coding.cells("x", [0, 5, 10, 11], [4, 9, 10, 15], missing=True)
    tree = tree_of("one")
    tree = replace(
        tree,
        codings=(cells, tree.codings[1]),
        routes=((np.arange(5) > last).astype(np.int16), None, None),
    )
    assert _can_move(tree, 0, Mock(is_disguised=lambda place: place == 0)) is can
    assert not _can_move(tree, 0, Mock(is_disguised=lambda _: False))
    assert not _can_move(tree, 1, Mock(is_disguised=lambda _: True))  # a leaf


@pytest.mark.parametrize("cell", range(8))
def test_three_cells_on_either_side_tell_how_densely_records_lie(cell: int) -> None:
    """The tree divides its eight cells in the middle: those of the other half do not count."""
    model = model_of("one")
    assert DENSE == 3
    ends = np.array([0, 1, 3, 6, 10, 15, 21, 28, 36.0])
    cells = Coding.cells("x", ends[:-1], ends[1:], missing=True)
    tree = replace(model._tree, codings=(cells, model._tree.codings[1]))
    rows = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 100])
    table = np.broadcast_to(rows[:, None, None], model._joint.table.shape)
    joint = replace(model._joint, table=table)
    last = int((np.asarray(tree.routes[0]) == 0).sum()) - 1
    left = [c for c in range(cell - 3, cell) if 0 <= c <= last]
    right = [c for c in range(cell + 1, cell + 4) if last < c < 8]
    found = _densities(tree, 0, joint, (0, 1), cell)
    widths = np.diff(ends)
    both = [rows[side].sum() / widths[side].sum() if side else 0.0 for side in (left, right)]
    scale = np.prod(table.shape[1:]) * 2.0  # cells of the other attribute and classes, told apart
    assert found.tolist() == pytest.approx([scale * dense for dense in both])


def test_steps_along_a_slanting_border_stay_on_borders_of_cells() -> None:
    """More tests than the fifteen borders of cells: each stands for a step, and cuts no cell."""
    names = ("x", "z", "w")
    numbers = [pv.Attribute.numeric(name, low=0, high=1, bins=6) for name in names]
    held = pv.Schema([*numbers, pv.Attribute.categorical("y", ["no", "yes"])], target="y")
    columns = np.random.default_rng(5).random((3, 40_000))
    labels = np.where(columns.sum(0) > 1.5, "yes", "no")
    table = pa.table({**dict(zip(names, columns, strict=True)), "y": labels})
    owner = pv.RandomSubstitution(gamma=200, kind="band", wave=0)
    evidence = evidence_of(owner.disguise(table, held, seed=3), "joint").evidence

    def cuts(policy: Policy) -> "Floats":
        threshold = grow(evidence, policy).threshold
        return threshold[np.isfinite(threshold)] * 6

    many, few = cuts(POLICIES["cart"]), cuts(POLICIES["cart"].but(max_depth=2))
    assert len(few) <= 15 < len(many)
    np.testing.assert_allclose(many, many.round(), atol=1e-9)
    assert np.abs(few - few.round()).max() > 0.01
