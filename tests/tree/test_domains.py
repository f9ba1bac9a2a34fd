"""Sub-domains of leaves and of intersections, by hand and by FI's figure 1."""

import numpy as np
import pytest

from privet.coding import Coding
from privet.errors import TreeError
from privet.tree import Tree
from privet.tree.domains import intersect, limits_of

A, B, D = (Coding.cells(name, range(11), range(11)) for name in "ABD")
TOWN = Coding.categories("town", ["x", "y"])
CODINGS = (A, B, D, TOWN)


def chain(*tests: tuple[int, float | None]) -> Tree:
    """A tree whose tests hang below one another on the second branch: attribute, threshold."""
    nodes = 2 * len(tests) + 1
    parent, child = np.full(nodes, -1), np.full(nodes, -1)
    attribute, threshold = np.full(nodes, -1), np.full(nodes, np.nan)
    routes: list[np.ndarray | None] = [None] * nodes
    node = 0
    for number, (place, cut) in enumerate(tests):
        first = 2 * number + 1
        child[node], attribute[node] = first, place
        parent[first : first + 2] = node
        size = CODINGS[place].size
        if cut is None:
            routes[node] = np.arange(size, dtype=np.int16)
        else:
            threshold[node] = cut
            routes[node] = (np.arange(size) > cut).astype(np.int16)
        node = first + 1
    zeros = np.zeros((nodes, 2))
    return Tree(
        CODINGS,
        ("c1", "c2"),
        "class",
        parent,
        attribute,
        child,
        np.where(child >= 0, 2, 0),
        threshold,
        np.zeros((nodes, 2)),
        tuple(routes),
        zeros + 1.0,
        zeros,
        np.zeros(nodes, np.int64),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(nodes),
    )


def test_the_intersection_of_figure_1() -> None:
    """A > 7 and B > 6 in one tree, D > 6 in the other: the segment has all three (FI §1, §3)."""
    trees = chain((0, 7), (1, 6)), chain((2, 6))
    records = np.array([[8.0, 7, 7, 0], [8, 7, 6, 0], [3, 9, 9, 1], [9, 10, 8, 1]])
    found = intersect(trees, records)
    assert found.number == 3
    assert found.member[0] == found.member[3]
    row = int(found.member[0])
    limits = found.limits
    assert limits.lower[row].tolist() == [7, 6, 6, -np.inf]
    assert np.isinf(limits.upper[row]).all()
    assert limits.tested[row].tolist() == [True, True, True, False]


def test_two_rules_of_one_attribute_leave_an_interval() -> None:
    """A > 5 with A <= 8 is A from 6 to 8 among whole numbers (FI §3, step 2)."""
    found = intersect((chain((0, 5)), chain((0, 8))), np.array([[6.0, 0, 0, 0], [5, 0, 0, 0]]))
    row = found.member[0]
    assert (found.limits.lower[row, 0], found.limits.upper[row, 0]) == (5, 8)
    assert (found.limits.lower[found.member[1], 0]) == -np.inf
    closed = found.limits.within(np.zeros(4), np.full(4, 10.0))
    assert closed.lower.min() == 0
    assert closed.upper.max() == 10


def test_only_intersections_that_hold_records_are_made() -> None:
    trees = [chain((0, cut), (1, cut), (2, cut)) for cut in (2, 5, 8)]
    found = intersect(trees, np.array([[1.0, 1, 1, 0], [9, 9, 9, 0]]))
    assert found.number == 2
    assert found.leaves.shape == (2, 3)


def test_a_category_is_tested_but_has_no_limits() -> None:
    limits = limits_of(chain((3, None), (0, 4)))
    assert limits.tested[:, 3].tolist() == [False, True, True, True, True]
    assert np.isinf(limits.lower[:, 3]).all()
    assert limits.upper[3, 0] == 4


def test_no_tree_is_an_error() -> None:
    with pytest.raises(TreeError, match="no tree"):
        intersect([], np.zeros((1, 4)))
