"""Where the cards of a picture stand, and what is on them."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from privet.estimators import TreeClassifier
from privet.tree.draw import _flow, _words
from privet.tree.layout import (
    COLOURS,
    SIDE,
    SMALL,
    STEP,
    TALL,
    _certainty,
    _detail,
    _label,
    _opened,
    laid_out,
    leaves_below,
)
from privet.tree.measure import width_of
from tests.tree.test_draw import staircase


@pytest.mark.parametrize("wide", range(220, 640, 10))
def test_a_legend_stays_within_its_width(wide: int) -> None:
    entries = [(number, "name " * (1 + number % 4)) for number in range(20)]
    placed, end = _flow(entries, wide, 10.0)
    for x, y, _, name in placed:
        assert x == SIDE or x + 36 + width_of(name, SMALL) <= wide - SIDE + 0.1
        assert y < end
    # A line ends only where the next entry has no room.
    for (x, y, _, name), (_, below, _, after) in pairwise(placed):
        if below > y:
            behind = x + 36 + width_of(name, SMALL)
            assert behind + 36 + width_of(after, SMALL) > wide - SIDE - 0.1


def test_leaves_of_a_single_record_count_as_leaves() -> None:
    X, y = np.arange(32.0)[:, None], np.arange(32) % 2
    tree = TreeClassifier(policy="cart", min_samples_leaf=1).fit(X, y).tree_
    assert (tree.counts[tree.leaves].sum(1) == 1).all()
    for most in (4, 9, 16):
        opened = _opened(tree, most)
        assert len(opened) + 1 <= most
        assert len(opened) + 1 == min(most, len(tree.leaves))


def test_colours_are_as_full_as_the_class_is_sure() -> None:
    tree = staircase(2)
    assert tree.label[0] == 0
    counts = np.tile([60.0, 40.0], (tree.nodes, 1))
    for lead in (0.5, 1.0, 2.0):
        errors = np.full(counts.shape, 20 / lead / 2)
        full, whisker = _certainty(replace(tree, counts=counts, errors=errors), 0, 100.0)
        assert full == pytest.approx(1 - 0.75 * math.erfc(lead / math.sqrt(2)), abs=0.005)
        assert whisker is not None


def test_a_label_shows_as_many_categories_as_fit() -> None:
    names = np.array([f"category {number:02d}" for number in range(24)], object)
    held = np.column_stack([np.repeat(names, 4), np.repeat(["a", "b"], 48)])
    tree = TreeClassifier(policy="cart").fit(held[:, :1], held[:, 1]).tree_
    rows = tree.counts.sum(1)
    kid = tree.children(0)[0]
    label = " ".join(_label(tree, kid, rows))
    shown = label.count("category")
    assert f"+\u00a0{12 - shown}\u00a0more" in label
    assert shown == 3


def test_leaves_below_a_node_are_counted() -> None:
    tree = staircase(5)
    parents = tree.parent.tolist()

    def above(node: int) -> set[int]:
        return {node, *above(parents[node])} if node >= 0 else set()

    for node in range(tree.nodes):
        below = [leaf for leaf in tree.leaves.tolist() if leaf != node and node in above(leaf)]
        assert leaves_below(tree, node) == len(below)


def test_a_branch_without_records_says_so() -> None:
    tree = staircase(3)
    empty = tree.children(0)[0]
    rows = np.where(np.arange(tree.nodes) == empty, 0.0, 10.0)
    assert _detail(tree, empty, rows) == "no records"
    assert _detail(tree, 0, np.zeros(tree.nodes)).startswith("0")  # the root of an empty table


def test_the_first_leaf_is_at_the_top_and_no_line_is_left_empty() -> None:
    tree = staircase(7)
    picture = laid_out(tree, 40)
    tops = sorted(picture.height[leaf] for leaf in tree.leaves.tolist())
    assert tops == [SIDE + STEP * line for line in range(7)]
    assert picture.tall == math.ceil(tops[-1] + TALL + SIDE)


@pytest.mark.parametrize("classes", [2, COLOURS, COLOURS + 2])
def test_a_leaf_has_the_colour_that_the_legend_gives_its_class(classes: int) -> None:
    tree = staircase(classes, classes)
    names = dict(_words(tree)["classes"])
    for card in laid_out(tree, 40).cards:
        if card.kind == "leaf":
            label = str(tree.classes[tree.label[card.node]])
            more = int(label) >= COLOURS - 1 and classes > COLOURS
            assert names[card.colour] == (f"{classes - COLOURS + 1} more" if more else label)
            assert {colour for _, width, colour in card.parts if width} == {card.colour}
