"""Whether disguised records of a leaf speak of an attribute that a tree does not test."""

import math

import numpy as np
import pytest

from privet.coding import Coding
from privet.estimate.coder import Coder
from privet.estimate.routed import WalkedEvidence, routed
from privet.estimate.suspects import seems_to_divide
from privet.grow import grow
from privet.split import POLICIES
from privet.table import MemoryTable
from privet.tree import Tree

CODINGS = tuple(Coding.categories(name, ["n", "y"]) for name in ("a", "b", "c"))
CLASSES = ("no", "yes")
# Where a is 0 all are of the first class. Where it is 1, b decides for 60 of 80; c never does.
A = np.repeat([0, 1], [200, 80])
B = np.concatenate([np.tile([0, 1], 100), np.repeat([0, 1], 40)])
C = np.tile([0, 1], 140)
LABEL = np.concatenate([np.zeros(200), np.repeat([0, 1, 0, 1], [30, 10, 10, 30])])
BITS = 80 - 2 * 40 * -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))  # by b, where a is 1


def records() -> WalkedEvidence:
    columns = {"a": A, "b": B, "c": C, "class": LABEL}
    table = MemoryTable({name: column.astype(np.uint8) for name, column in columns.items()})
    return WalkedEvidence(table, Coder(CODINGS, "class", 2), CLASSES)


def stump() -> Tree:
    columns = {"a": A, "b": B, "c": C, "class": LABEL}
    table = MemoryTable({name: column.astype(np.uint8) for name, column in columns.items()})
    tree = grow(routed(table, CODINGS, "class", CLASSES), POLICIES["cart"].but(max_depth=1))
    assert tree.attribute[0] == 0
    return tree


def test_leaves_hold_the_records_that_reach_them() -> None:
    tree = stump()
    mixed = int(tree.counts.min(1)[1:].argmax()) + 1
    tables = records().at(tree, [mixed]).at(0)
    np.testing.assert_array_equal(tables[0].mean, [[0, 0], [40, 40]])
    np.testing.assert_array_equal(tables[1].mean, [[30, 10], [10, 30]])
    np.testing.assert_array_equal(tables[2].mean, [[20, 20], [20, 20]])
    both = records().at(tree, tree.leaves.tolist())
    sizes = [both.at(place)[0].mean.sum() for place in range(2)]
    np.testing.assert_array_equal(sizes, tree.counts[tree.leaves].sum(1))


def test_an_attribute_that_divides_a_leaf_is_seen_up_to_its_likelihood() -> None:
    tree = stump()
    leaves = tree.leaves.tolist()
    z = math.sqrt(2 * math.log(2) * BITS)
    assert seems_to_divide(records(), tree, leaves, [1, 2], 0.999 * z)
    assert not seems_to_divide(records(), tree, leaves, [1, 2], 1.001 * z)


def test_nothing_is_seen_of_other_leaves_and_attributes() -> None:
    tree = stump()
    pure = int(tree.counts.min(1)[1:].argmin()) + 1
    mixed = 3 - pure
    assert seems_to_divide(records(), tree, [mixed], [1], 1.0)
    assert not seems_to_divide(records(), tree, [pure], [1], 1.0)
    assert not seems_to_divide(records(), tree, [mixed], [2], 1.0)


@pytest.mark.parametrize(("leaves", "others"), [([], [1]), ([1, 2], [])])
def test_nobody_is_asked_about_nothing(leaves: list[int], others: list[int]) -> None:
    assert not seems_to_divide(records(), stump(), leaves, others, 0.0)
