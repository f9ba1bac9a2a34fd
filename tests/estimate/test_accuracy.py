"""Accuracy about the originals from disguised records, where thresholds cut cells."""

import math
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.coding import Box, Coding
from privet.errors import DataError, MethodError, TreeError
from privet.estimate import accuracy as module
from privet.estimate.accuracy import Accuracy, _shared, accuracy
from privet.estimate.voted import Right
from privet.tree import Tree
from tests.estimate.test_settle import records, schema
from tests.tree.test_diagram import tree_of

X, Z = (Coding.cells(name, range(4), range(1, 5)) for name in "xz")
PURITY = (0.9, 0.8, 0.7, 0.6)


def chain(*tests: tuple[int, float]) -> Tree:
    """Tests that hang below one another on the second branch: attribute, threshold.

    Leaves say "no" and "yes" in turn, and are as pure as ``PURITY`` says.
    """
    nodes = 2 * len(tests) + 1
    parent, child = np.full(nodes, -1), np.full(nodes, -1)
    attribute, threshold = np.full(nodes, -1), np.full(nodes, np.nan)
    routes: list[np.ndarray | None] = [None] * nodes
    for number, (place, cut) in enumerate(tests):
        node, first = 2 * number, 2 * number + 1
        child[node], attribute[node], threshold[node] = first, place, cut
        parent[first : first + 2] = node
        routes[node] = (np.arange(4) + 0.5 > cut).astype(np.int16)
    label = np.zeros(nodes, np.int64)
    counts = np.full((nodes, 2), 50.0)
    leaves = [*range(1, nodes, 2), nodes - 1]
    for number, leaf in enumerate(leaves):
        label[leaf] = number % 2
        counts[leaf] = 100 * (1 - PURITY[number])
        counts[leaf, label[leaf]] = 100 * PURITY[number]
    zeros = np.zeros(nodes)
    return Tree(
        (X, Z), ("no", "yes"), "y", parent, attribute, child, np.where(child >= 0, 2, 0),
        threshold, np.zeros((nodes, 2)), tuple(routes), counts, np.zeros((nodes, 2)), label,
        zeros, zeros, zeros,
    )  # fmt: skip


def right_in(tree: Tree, x: int, z: int = 0) -> list[list[float]]:
    """What the only region of a cell says by class: the odds, what is sure, what may be."""
    inside = [
        region
        for region in module._regions(tree)
        if region.box.mask("x", 4)[x] and region.box.mask("z", 4)[z]
    ]
    (region,) = inside
    said: list[list[float]] = region.right(tree).T.tolist()
    return said


def test_a_cut_cell_is_right_by_the_odds_of_its_sides() -> None:
    """A quarter of the cell says "no", of which nine tenths are; three quarters say "yes"."""
    tree = chain((0, 1.25))
    no = 0.25 * 0.9 / (0.25 * 0.9 + 0.75 * 0.2)
    yes = 0.75 * 0.8 / (0.25 * 0.1 + 0.75 * 0.8)
    odds, sure, maybe = right_in(tree, 1)
    assert odds == pytest.approx([no, yes])
    assert (sure, maybe) == ([0, 0], [1, 1])
    assert right_in(tree, 0) == [[1, 0]] * 3
    assert right_in(tree, 2) == [[0, 1]] * 3


def test_two_thresholds_inside_a_cell_leave_a_piece_between_them() -> None:
    odds, _, _ = right_in(chain((0, 1.25), (0, 1.75)), 1)
    widths, classes = np.array([0.25, 0.5, 0.25]), np.array([0, 1, 0])
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    weights = widths[:, None] * shares
    wanted = [weights[classes == label, label].sum() / weights[:, label].sum() for label in (0, 1)]
    assert odds == pytest.approx(wanted)


def test_cells_cut_along_two_attributes_have_pieces_by_area() -> None:
    odds, _, _ = right_in(chain((0, 1.25), (1, 2.5)), 1, 2)
    weights = np.array([0.25, 0.375, 0.375])[:, None] * [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]
    wanted = [(weights[0, 0] + weights[2, 0]) / weights[:, 0].sum()]
    wanted.append(weights[1, 1] / weights[:, 1].sum())
    assert odds == pytest.approx(wanted)


def test_a_cell_without_an_end_is_halved() -> None:
    coding = Coding.cells("x", [-np.inf, 1], [1, np.inf])
    for cell, threshold in ((0, 0.3), (1, 7.0)):
        below, above = module._sides(coding, cell, threshold, {})
        assert (below[0], above[0]) == (0.5, 0.5)
        assert below[1][1] == above[1][0] == threshold


@pytest.mark.parametrize("most", [1, 2_000])
def test_regions_divide_all_cells(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they are too many to be told apart: then a cut cell belongs to a subtree."""
    monkeypatch.setattr(module, "MOST_REGIONS", most)
    tree = chain((0, 1.25), (1, 2.5), (0, 2.0))
    for x, z in product(range(4), range(4)):
        odds, sure, maybe = np.array(right_in(tree, x, z))
        assert (sure <= odds).all()
        assert (odds <= maybe).all()
        assert (sure >= 0).all()
        assert (maybe <= 1).all()
    tests = sum(len(region.nodes) for region in module._regions(tree))
    assert tests == {1: 7, 2_000: 12}[most]


@pytest.mark.parametrize("threshold", [0.43, 0.47])
def test_plain_cells_say_what_the_tree_is_right_about(threshold: float) -> None:
    """Leaves are nearly pure: records of the cut cell are on the side of their class, and right.

    Taken whole, the cell would be wrong about three in ten or more of its records.
    """
    fresh, cells = records("one", 20_000, seed=6), pv.Plan({}, default=pv.ValueClass(bins=10))
    release = cells.disguise(fresh, schema(), seed=1)
    model = pv.TreeClassifier(max_depth=1).fit(release)
    tree = model.tree_
    tree.threshold[0] = threshold
    told = accuracy(tree, release)
    x = fresh["x"].to_numpy()
    assert told.error == 0.0
    assert 0.996 < told.value < 1.0
    assert told.cut == pytest.approx(((x > 0.4) & (x <= 0.5)).mean(), abs=0.005)
    low, high = told.interval()
    assert low < model.score(fresh) <= high


def test_a_disguised_test_counts_cut_cells_by_odds_and_says_how_many_there_are() -> None:
    owner, fresh = pv.RandomSubstitution(gamma=50, kind="band", wave=0), records("one", seed=6)
    grown_on = owner.disguise(records("one"), schema(), seed=3)
    test = owner.disguise(fresh, schema(), seed=8)
    model = pv.TreeClassifier(max_depth=1).fit(grown_on)
    found = model.accuracy(test)
    x = fresh["x"].to_numpy()
    (threshold,) = model.tree_.threshold[np.isfinite(model.tree_.threshold)]
    cell = (x > np.floor(10 * threshold) / 10) & (x <= np.ceil(10 * threshold) / 10)
    assert 0.02 < found.cut < cell.mean() + 6 * found.error  # right or wrong for some of the cell
    assert abs(found.value - model.score(fresh)) < 5 * found.error + 0.005
    assert f"{100 * found.cut:.1f} %" in found.doubt()
    at_borders = pv.TreeClassifier(method="direct", max_depth=1).fit(grown_on).accuracy(test)
    assert at_borders.cut == 0.0
    assert not at_borders.doubt()


@pytest.mark.parametrize(
    ("told", "rows", "every", "expected"),
    [
        (Right(80.0, 4.0, 70.0, 85.0), 100, 100, (0.8, 0.02, 0.1)),
        (Right(80.0, 4.0, 79.0, 95.0), 100, 100, (0.8, 0.02, 0.15)),
        (Right(80.0, 4.0, 80.0, 80.0), 100, 100, (0.8, 0.02, 0.0)),
        (Right(80.0, -1.0, 90.0, 70.0), 100, 100, (0.8, 0.0, 0.0)),
        (Right(80.0, 4.0, -300.0, 90.0), 100, 100, (0.8, 0.02, 1.0)),  # no more than all of them
        (Right(40.0, 1.0, 40.0, 40.0), 50, 100, (0.8, math.sqrt(1 / 2500 + 0.16 / 100), 0.0)),
        (Right(60.0, 1.0, 60.0, 60.0), 50, 100, (1.2, 0.02, 0.0)),
    ],
)
def test_numbers_become_shares(told: Right, rows: int, every: int, expected: Any) -> None:
    release: Any = SimpleNamespace(rows=every)
    found = _shared(told, rows, release)
    assert (found.value, found.error, found.cut) == pytest.approx(expected)


@pytest.mark.parametrize(
    "tree",
    [
        chain((0, 1.25), (1, 2.5), (0, 2.0)),
        tree_of((0, 0, 1.25), (1, 1, 2.5), (2, 1, 0.5)),  # tests on both sides of a cut cell
        tree_of((0, 0, 1.25), (2, 1, 0.5), (1, 0, 0.5), (3, 1, 1.25)),
    ],
)
def test_the_pieces_of_a_cell_make_up_all_of_it(tree: Tree) -> None:
    for region in module._regions(tree):
        widths = [width for _, width, _ in region.nodes]
        assert sum(widths) == pytest.approx(1)
        assert min(widths) > 0
        nodes = [node for node, _, _ in region.nodes]
        assert len(set(nodes)) == len(nodes)
        assert (tree.child[nodes] < 0).all()


def test_a_piece_that_a_threshold_leaves_whole_goes_one_way() -> None:
    """Right of 1.75 nothing is left of 1.25."""
    tree = chain((0, 1.75), (0, 1.25))
    (region,) = (one for one in module._regions(tree) if one.box.mask("x", 4)[1])
    assert [(node, width) for node, width, _ in region.nodes] == [(1, 0.75), (4, 0.25)]


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_leaves_of_a_subtree_count_by_their_records(scale: float) -> None:
    """Leaves of 100, 300 and 600 records say "no", "yes" and "no"; also where they are parts."""
    tree = chain((0, 1.25), (0, 1.75))
    leaves = [1, 3, 4]
    counts = tree.counts.copy()
    counts[leaves] *= np.array([[1.0], [3.0], [6.0]]) * scale
    tree = replace(tree, counts=counts)
    odds, sure, maybe = module._Region(Box(), ((0, 1.0, {}),)).right(tree).T.tolist()
    no, yes = 0.1 * 0.9 + 0.6 * 0.7, 0.3 * 0.8
    assert odds == pytest.approx([no / (no + 0.3 * 0.2), yes / (yes + 0.1 * 0.1 + 0.6 * 0.3)])
    assert (sure, maybe) == ([0, 0], [1, 1])


@pytest.mark.parametrize("missing", [False, True])
def test_other_cells_go_to_the_side_of_their_centres(missing: bool) -> None:
    """Their centres are 0.5, 1.5 and 4; what is missing goes where the tree sent it before."""
    before = replace(X, missing=missing)
    tree = chain((0, 1.5), (1, 2.0), (0, 2.0))
    route = np.array([0, 0, 1, 1, *[0] * missing], np.int16)
    routes = (route, *tree.routes[1:4], route, *tree.routes[5:])
    tree = replace(tree, codings=(before, Z), routes=routes)
    cells = Coding.cells("x", [0, 1, 2], [1, 2, 6], missing=missing)
    other = module._with_cells(tree, 0, cells)
    first, second, third = (other.routes[node] for node in (0, 2, 4))
    assert first is not None
    assert third is not None
    assert second is tree.routes[2]
    assert first.tolist() == [0, 0, 1, *[0] * missing]  # a centre that is the threshold goes left
    assert third.tolist() == [0, 0, 1, *[0] * missing]
    assert other.codings == (cells, Z)


# Words and what does not fit


def test_intervals_end_at_nothing_and_all() -> None:
    assert Accuracy(0.5, 0.1, 0.02).interval() == pytest.approx(
        (0.48 - 0.1 * 1.959963984540054, 0.52 + 0.1 * 1.959963984540054)
    )
    assert Accuracy(0.5, 0.1, 0.02).interval(1.0) == pytest.approx((0.38, 0.62))
    assert Accuracy(0.9, 0.1).interval(2.0) == pytest.approx((0.7, 1.0))
    assert Accuracy(0.1, 0.1).interval(2.0) == pytest.approx((0.0, 0.3))
    assert Accuracy(1.5, 0.1).interval(1.0) == (1.0, 1.0)
    assert not Accuracy(0.5, 0.3).told
    assert Accuracy(0.5, 0.25).told
    assert Accuracy(0.1, 0.2).told
    assert Accuracy(0.9, 0.2).told


def test_accuracies_in_words() -> None:
    assert Accuracy(0.859, 0.0).words() == "85.9 %"
    assert Accuracy(0.8594, 0.0101).words(2) == "85.94 ± 1.01 % (95 % interval 84.0 to 87.9 %)"
    assert Accuracy(0.8594, 0.0, 0.01).words() == "85.9 % (95 % interval 84.9 to 86.9 %)"
    assert Accuracy(-0.3, 0.0).words() == "0.0 %"
    assert Accuracy(1.3, 0.0).words() == "100.0 %"
    assert "cannot tell" in Accuracy(0.5, 0.3).doubt()
    assert Accuracy(0.8, 0.01, 0.00049).doubt() == ""
    assert "0.1 %" in Accuracy(0.8, 0.01, 0.0005).doubt()
    assert Accuracy(0.8, 0.01).doubt() == ""


def fitting(tree: Tree, **codings: Coding | None) -> Tree:
    known = {"x": X, "z": Z} | codings
    release: Any = SimpleNamespace(schema={**known, "y": None}, codings=known)
    return module._fitting(tree, release)


def test_trees_over_the_cells_of_a_release() -> None:
    tree = chain((0, 1.25), (1, 2.0))
    assert fitting(tree).codings == (X, Z)
    assert fitting(tree, x=None).codings == (X, Z)  # numbers have no cells to fit
    coarse = Coding.cells("x", [0, 2], [2, 4])
    found = fitting(tree, x=coarse)
    assert found.codings == (coarse, Z)
    assert np.asarray(found.routes[0]).tolist() == [0, 1]
    longer = Coding.cells("x", [0, 1, 2, 3], [1, 2, 3, 9])  # the same borders between cells
    assert fitting(tree, x=longer).codings == (X, Z)
    with pytest.raises(TreeError, match="otherwise than the tree"):
        fitting(tree, x=Coding.cells("x", [0, 2], [2, 4], missing=True))
    several = replace(tree, threshold=np.full(5, np.nan))
    with pytest.raises(TreeError, match="otherwise than the tree"):
        fitting(several, x=coarse)
    with pytest.raises(TreeError, match="for numbers, the release for categories"):
        fitting(tree, z=Coding.categories("z", ["a", "b", "c", "d"]))
    release: Any = SimpleNamespace(schema={"x": X}, codings={"x": X})
    with pytest.raises(TreeError, match="tests 'z', which is not in the release"):
        module._fitting(tree, release)


def test_what_accuracy_is_not_measured_on() -> None:
    tree = pv.TreeClassifier(max_depth=1).fit(
        pv.Plan({}, default=pv.ValueClass(bins=10)).disguise(records("one", 300), schema(), seed=1)
    ).tree_  # fmt: skip
    noisy = pv.AdditiveNoise(level=0.5).disguise(records("one", 300), schema(), seed=1)
    with pytest.raises(MethodError, match="added noise cannot be inverted"):
        accuracy(tree, noisy)
    subsets = pv.RandomSubsets(4, 1).disguise(records("one", 300), schema(), seed=1)
    with pytest.raises(MethodError, match="lack attributes"):
        accuracy(tree, subsets)
    plain = pv.Plan({}, default=pv.Exact()).disguise(records("one", 300), schema(), seed=1)
    with pytest.raises(TreeError, match="class is not the tree's"):
        accuracy(replace(tree, target="other"), plain)
    with pytest.raises(TreeError, match="class is not the tree's"):
        accuracy(replace(tree, classes=("no", "so")), plain)
    with pytest.raises(DataError, match="no records"):
        module._check_fits(tree, SimpleNamespace(rows=0))  # type: ignore[arg-type]


def test_leaves_below_a_node() -> None:
    tree = chain((0, 1.25), (1, 2.5), (0, 2.0))
    assert sorted(module._leaves(tree, 0)) == [1, 3, 5, 6]
    assert sorted(module._leaves(tree, 2)) == [3, 5, 6]
    assert module._leaves(tree, 1) == [1]


def test_cells_are_told_apart_up_to_two_thousand_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    """One region at a time: those that are done, and those that wait, count alike."""
    tree = chain((0, 1.25), (1, 2.5), (0, 2.0))
    assert module.MOST_REGIONS == 2_000
    sizes = []
    for most in range(8):
        monkeypatch.setattr(module, "MOST_REGIONS", most)
        regions = module._regions(tree)
        sizes.append(len(regions))
        crowded = [r for r in regions if any(tree.child[node] >= 0 for node, _, _ in r.nodes)]
        assert all(len(region.nodes) > 1 for region in crowded)
        assert not crowded or len(regions) > most
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
