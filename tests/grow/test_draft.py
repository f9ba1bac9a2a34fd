"""Nodes on their way to a tree, by hand: labels, numbers, and the arrays that are written."""

import numpy as np

from privet.coding import Coding
from privet.estimate.routed import routed
from privet.grow import grow
from privet.grow.draft import Known, _labels
from privet.split import Policy
from privet.split.scored import Scored
from privet.table import MemoryTable


def test_labels_by_hand() -> None:
    """An empty or unsure node takes its parent's class; of classes that lead together the first."""
    counts = [
        [2.0, 5.0, 1.0],
        [1.0, 0.0, 0.0],  # a single record is one
        [0.0, 0.0, 0.0],
        [3.0, 1.0, 0.0],  # unsure
        [1e6, 1e6 + 1e-7, 0.0],  # rounding
        [1e-6, 1.0001e-6, 0.0],  # no rounding
        [-4.0, 1.0, 2.0],  # less than nothing all together
        [0.0, 0.0, 0.1],
        [0.0, 0.0, 0.0],
    ]
    unsure = np.array([True, False, False, True, False, False, False, False, False])
    parent = np.array([-1, 0, 0, 0, 0, 0, 0, 1, 7])
    assert _labels(np.array(counts), unsure, parent).tolist() == [1, 0, 1, 1, 0, 1, 1, 2, 2]


def split_of(*counts: list[float]) -> Scored:
    held = np.array(counts)
    none = np.zeros(held.shape)
    branch = np.arange(len(held), dtype=np.int16)
    return Scored(
        0, branch, 0.1, np.inf, 0.1, held, none, none[:, 0], np.zeros(len(held), np.bool_)
    )


def test_nodes_of_one_name_and_depth_have_one_number() -> None:
    known = Known(shared=True)
    assert known.added(2) == [0, 1]
    numbers, fresh = known.numbered(3, ["a", "b", "a"], 1)
    assert numbers == [2, 3, 2]
    assert fresh.tolist() == [True, True, True]
    numbers, fresh = known.numbered(2, ["c", "b"], 1)
    assert numbers == [4, 3]
    assert fresh.tolist() == [True, False]
    assert known.numbered(1, ["b"], 2)[0] == [5]
    assert known.numbered(2, None, 2)[0] == [6, 7]
    assert len(known.splits) == len(known.below) == 8
    assert not Known().shared


def test_children_hang_below_their_split() -> None:
    """Two and three branches, of which the second, third and last stay open."""
    known = Known()
    nodes = known.added(3)
    first, second = split_of([1, 2], [3, 4]), split_of([1, 1], [2, 2], [3, 3])
    born = known.added(3)
    keep = np.array([False, True, True, False, True])
    known.hang(nodes, [first, None, second], keep, born)
    assert known.below[:3] == [[(1, 3)], [], [(0, 4), (2, 5)]]
    assert known.splits[:3] == [first, None, second]
    assert known.splits[3:] == [None] * 3


def test_arrays_of_a_tree_by_hand() -> None:
    """Four categories, then a number for those of b; a and d are pure, and c has no records."""
    names, numbers = Coding.categories("k", list("abcd")), Coding.cells("x", [0, 4, 9], [0, 4, 9])
    columns = {
        "k": np.array([0, 0, 1, 1, 1, 3], np.uint8),
        "x": np.array([2, 1, 0, 0, 2, 1], np.uint8),
        "class": np.array([0, 0, 0, 0, 1, 1], np.uint8),
    }
    tree = grow(
        routed(MemoryTable(columns), [names, numbers], "class", ("n", "y")),
        Policy.named("id3"),
        "z",
    )
    assert tree.target == "z"
    assert tree.attribute.tolist() == [0, -1, 1, -1, -1, -1, -1]
    assert tree.child.tolist() == [1, -1, 5, -1, -1, -1, -1]
    assert tree.parent.tolist() == [-1, 0, 0, 0, 0, 2, 2]
    assert tree.branches.tolist() == [4, 0, 2, 0, 0, 0, 0]
    assert tree.label.tolist() == [0, 0, 0, 0, 1, 0, 1]
    np.testing.assert_array_equal(tree.threshold, [np.nan] * 2 + [4.5] + [np.nan] * 4)
    np.testing.assert_array_equal(tree.around[2], [0, 9])
    assert np.isnan(np.delete(tree.around, 2, axis=0)).all()
    assert [route is None for route in tree.routes] == [not b for b in tree.branches]
    assert tree.z.tolist() == [np.inf, 0, np.inf, 0, 0, 0, 0]
    assert (tree.gain > 0).tolist() == [True, False, True, False, False, False, False]
    assert not tree.size_errors.any()
    assert tree.counts.sum(1).tolist() == [6, 2, 3, 0, 1, 2, 1]
