"""Where the cards of a picture stand, and what is on them."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from privet.estimators import TreeClassifier
from privet.tree import Tree
from privet.tree.draw import _flow, _words
from privet.tree.layout import (
    COLOURS,
    HEAD,
    LONGEST,
    NARROWEST,
    SIDE,
    SMALL,
    STEP,
    TALL,
    WIDEST,
    Whisker,
    _certainty,
    _detail,
    _label,
    _opened,
    branch_text,
    laid_out,
    leaves_below,
    parts_of,
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


def wide(names: list[str], empty: int = 0) -> Tree:
    """A test of categories with a branch each, ten records in each; nobody is in the last."""
    held = np.repeat(np.array(names, object), 10)
    labels = np.array(["u", "v"])[np.repeat(np.arange(len(names)) % 2, 10)]
    tree = TreeClassifier(policy="id3").fit(held[:, None], labels).tree_
    assert tree.nodes == len(names) + 1
    counts = tree.counts.copy()
    counts[tree.nodes - empty :] = 0.0
    return replace(tree, counts=counts)


@pytest.mark.parametrize(
    ("empty", "said"), [(1, "e"), (2, "2 other values"), (3, "3 other values")]
)
def test_one_line_stands_for_all_branches_without_records(empty: int, said: str) -> None:
    picture = laid_out(wide(list("abcde"), empty), 40)
    *_, rest = picture.cards
    assert [card.node for card in picture.cards] == list(range(7 - empty))
    assert (rest.kind, rest.detail, rest.lines) == ("rest", "no records", (said,))
    assert (rest.parts, rest.whisker, rest.weight) == ((), None, 1.0)
    assert [card.kind for card in picture.cards[:-1]] == ["test", *["leaf"] * (5 - empty)]
    assert [picture.height[node] for node in range(1, 7 - empty)] == [
        SIDE + STEP * line for line in range(6 - empty)
    ]
    assert picture.height[0] == SIDE + STEP * (5 - empty) / 2


def test_branches_without_records_are_one_line_of_those_that_are_left() -> None:
    """A first test of two branches, and below each one of three, of which two hold nobody."""
    held = np.array([[a, b] for a in "xy" for b in "pqr" for _ in range(10)], object)
    labels = ["u" if (a == "x") == (b == "p") else "v" for a, b in held]
    tree = TreeClassifier(policy="id3").fit(held, labels).tree_
    assert tree.branches.tolist()[:3] == [2, 3, 3]
    assert [len(_opened(tree, leaves)) for leaves in range(1, 7)] == [1, 1, 1, 2, 2, 3]
    counts = tree.counts.copy()
    for test in (1, 2):
        counts[tree.children(test)[1:]] = 0.0
    gone = replace(tree, counts=counts)
    assert [len(_opened(gone, leaves)) for leaves in range(1, 6)] == [1, 1, 2, 3, 3]
    counts[1] *= 0.5
    assert _opened(replace(tree, counts=counts), 3) == {0, 2}  # that of most records first


def test_texts_are_cut_to_the_room_they_have() -> None:
    """A W is 14.3 pixels wide in bold. A card has 250, of which 20 are kept free and 26 folded."""
    tree = replace(staircase(2), classes=("W" * 60, "M" * 60))
    coding = replace(tree.codings[0], name="W" * 60)
    root, leaf, _ = laid_out(replace(tree, codings=(coding,)), 40).cards
    assert root.head == "W" * 13 + "…"  # 14 signs in 204 pixels
    assert root.below == "+ 2 leaves"  # 61 pixels in small letters
    assert root.folded_head == "W" * 9 + "…"
    assert leaf.head == leaf.folded_head == "W" * 15 + "…"  # 16 signs in 230 pixels
    assert leaf.below == ""
    assert root.detail.startswith("20 · 50 % WWW")
    assert width_of(root.detail, SMALL) <= WIDEST - 20


def test_a_column_is_as_wide_as_its_longest_text() -> None:
    short = laid_out(staircase(2), 40)
    assert short.widths[1] == NARROWEST
    assert short.lefts[0] == SIDE
    said = max(width_of(card.lines[0], SMALL) for card in short.cards[1:])
    assert short.lefts[1] == math.ceil(SIDE + short.widths[0] + 38 + 12 + said)
    assert short.wide == short.lefts[1] + NARROWEST + SIDE
    tree = replace(staircase(2), classes=("a" * 20, "b"))
    widths = laid_out(tree, 40).widths
    assert widths[1] == math.ceil(width_of("a" * 20, HEAD, bold=True) + 20)
    # The root's head stands beside how many leaves are folded away, and the fold's button.
    needed = width_of("a" * 20, HEAD, bold=True) + width_of("+ 2 leaves", SMALL) + 26
    assert widths[0] == min(math.ceil(needed + 20), WIDEST)
    named = replace(tree, classes=("ok", "no"))
    needed = width_of("ok", HEAD, bold=True) + width_of("+ 2 leaves", SMALL) + 26
    needed = max(needed, width_of("20 · 50 % ok", SMALL))
    assert laid_out(named, 40).widths[0] == max(NARROWEST, math.ceil(needed + 20))


def test_branches_are_as_thick_as_they_have_records() -> None:
    tree = staircase(2)
    tree = replace(tree, counts=np.array([[60.0, 40.0], [36.0, 0.0], [24.0, 40.0]]))
    assert [card.weight for card in laid_out(tree, 40).cards] == [6.0, 4.0, 5.0]
    nobody = replace(tree, counts=np.zeros((3, 2)))
    assert laid_out(nobody, 40).cards[0].weight == 1.0


@pytest.mark.parametrize(("z", "unsure"), [(1.9, True), (-1.9, True), (2.0, False), (-3.0, False)])
def test_what_may_be_by_chance_is_dashed_and_said(z: float, unsure: bool) -> None:
    tree = staircase(2)
    root, *leaves = laid_out(replace(tree, z=np.array([z, 0.0, 0.0])), 40).cards
    assert not root.unsure
    assert [leaf.unsure for leaf in leaves] == [unsure] * 2
    assert root.tip.endswith(f"gains only {z} standard errors: it may be one by chance.") is unsure
    assert not any("by chance" in leaf.tip for leaf in leaves)


def test_whiskers_reach_as_far_as_the_interval() -> None:
    """1.96 errors of 5 in 100 records are a tenth of the bar, less a little."""
    tree = staircase(2)
    counts, errors = np.tile([60.0, 40.0], (3, 1)), np.full((3, 2), 5.0)
    measured = replace(tree, counts=counts, errors=errors)
    assert tree.label[0] == 0
    assert _certainty(measured, 0, 100.0)[1] == Whisker(50.2, 69.8)  # round the end at 60
    last = replace(measured, counts=counts[:, ::-1], label=np.array([1, 0, 1]))
    assert _certainty(last, 0, 100.0)[1] == Whisker(30.2, 49.8)  # round the start at 40
    far = replace(measured, errors=errors * 8)
    assert _certainty(far, 0, 50.0)[1] == Whisker(0.0, 50.0)
    behind = replace(measured, label=np.array([1, 0, 1]))
    assert _certainty(behind, 0, 100.0)[0] == 0.25  # a class that does not lead
    even = replace(measured, counts=np.full((3, 2), 50.0))
    assert _certainty(even, 0, 100.0)[0] == 0.25


def test_a_runner_up_is_the_largest_of_the_others() -> None:
    tree = staircase(3, 3)
    counts = np.tile([50.0, 10.0, 40.0], (tree.nodes, 1))
    errors = np.tile([3.0, 100.0, 2.0], (tree.nodes, 1))
    assert tree.label[0] == 0
    full, whisker = _certainty(replace(tree, counts=counts, errors=errors), 0, 100.0)
    assert full == round(1 - 0.75 * math.erfc(2 / math.sqrt(2)), 2)  # ahead by 10, two errors of 5
    assert whisker == Whisker(44.1, 55.9)


def test_where_nothing_is_unsure_there_is_no_whisker() -> None:
    tree = staircase(2)
    counts = np.tile([60.0, 40.0], (3, 1))
    errors = np.full((3, 2), 5.0)
    lone = replace(tree, classes=("0",), counts=counts[:, :1], errors=errors[:, :1])
    for sure in (
        replace(tree, counts=counts),
        replace(tree, counts=counts, errors=np.array([[5.0, np.nan]] * 3)),
        replace(tree, counts=-counts, errors=errors),
        replace(lone, label=np.zeros(3, np.int64)),
    ):
        assert _certainty(sure, 0, 100.0) == (1.0, None)


def test_a_bar_has_a_piece_per_class_and_one_for_the_rest() -> None:
    tree = staircase(10, 10)
    counts = np.tile([30.0, 0.0, 20.0, *[10.0] * 4, 5.0, 4.0, 1.0], (tree.nodes, 1))
    ends = [0, 30, 50, 60, 70, 80, 90, 100]
    parts = parts_of(replace(tree, counts=counts, chances=None), 0, 100.0)
    assert [part[0] for part in parts] == pytest.approx(ends[:-1])
    assert [part[1] for part in parts] == pytest.approx(np.diff(ends).tolist())
    assert [part[2] for part in parts] == [0, 2, 3, 4, 5, 6, 7]


def test_names_of_a_branch_stand_on_two_lines_or_the_first_is_cut() -> None:
    def said(*names: str) -> tuple[str, ...]:
        held = np.repeat(np.array([*names, "other"], object), 10)
        tree = TreeClassifier(policy="cart").fit(held[:, None], held == "other").tree_
        (kid,) = (kid for kid in tree.children(0) if tree.label[kid] == 0)
        return _label(tree, kid, tree.counts.sum(1))

    assert said("a") == ("a",)
    assert said("a", "b") == ("a, b",)
    long = "m" * 39
    (cut,) = said(long)
    assert cut.endswith("…")
    assert width_of(cut, SMALL) <= LONGEST
    assert said(long, long + "n") == (cut, "+ 1 more")
    assert said("a", long, long + "n") == ("a", "+ 2 more")
    letters = [f"{number:02d}" for number in range(14)]
    assert " ".join(said(*letters)).endswith("11 +\u00a02\u00a0more")  # twelve at most
    assert " ".join(said(*letters[:12])).endswith("10, 11")


@pytest.mark.parametrize("tree", [wide(list("abcde"), 2), staircase(9, 3)], ids=["wide", "tall"])
def test_parts_of_a_record_are_drawn_as_records_are(tree: Tree) -> None:
    """A picture goes by shares: a thousandth of everything looks the same but for its numbers."""
    errors = np.where(tree.counts > 0, 3.0, 1.0)
    tree = replace(tree, errors=errors)
    small = replace(tree, counts=tree.counts / 1000, errors=errors / 1000)
    for one, other in zip(laid_out(tree, 6).cards, laid_out(small, 6).cards, strict=True):
        assert replace(other, detail=one.detail, tip=one.tip, parts=one.parts) == one
        assert [place for *_, place in one.parts] == [place for *_, place in other.parts]
        assert (one.detail == "no records") == (other.detail == "no records")


def test_a_folded_branch_can_be_unfolded_up_to_what_is_drawn() -> None:
    tree = staircase(8)
    picture = laid_out(tree, 3, 5)
    kinds = [card.kind for card in picture.cards if not card.away]
    assert kinds.count("leaf") + kinds.count("folded") == 3
    assert set(picture.height) == {card.node for card in picture.cards if not card.away}
    drawn = {card.node: card for card in picture.cards}
    parents = {card.parent for card in picture.cards}
    assert len(drawn) - len(parents - {-1}) == 5
    for card in picture.cards:
        assert card.foldable == (card.node in parents)
        above = drawn.get(card.parent)
        hidden = above is not None and (above.kind == "folded" or above.away)
        assert card.away == hidden
        assert card.kind != "leaf" or tree.child[card.node] < 0


def test_a_branch_is_drawn_from_the_middle_of_a_card_to_that_of_the_next() -> None:
    picture = laid_out(staircase(4), 40)
    cards = {card.node: card for card in picture.cards}
    for card in picture.cards[1:]:
        above = cards[card.parent]
        right = picture.lefts[above.depth] + picture.widths[above.depth]
        start, end = (picture.height[node] + TALL / 2 for node in (above.node, card.node))
        path = picture.line(card)
        assert path.startswith(f"M{right:g} {start:g}C")
        assert path.endswith(f" {end:g}H{picture.lefts[card.depth]:g}")
    deepest = max(cards.values(), key=lambda card: card.depth).depth
    assert picture.wide == picture.lefts[deepest] + picture.widths[deepest] + SIDE


def test_bars_are_eight_pixels_from_either_end_of_a_card() -> None:
    tree = replace(staircase(2), counts=np.full((3, 2), 1.0), errors=np.full((3, 2), 9.0))
    picture = laid_out(tree, 40)
    for card in picture.cards:
        start, width, _ = card.parts[-1]
        assert start + width == pytest.approx(picture.widths[card.depth] - 16, abs=0.1)
        assert card.whisker == Whisker(0.0, picture.widths[card.depth] - 16)


def test_a_branch_of_numbers_says_its_side() -> None:
    tree = staircase(2)
    rows = tree.counts.sum(1)
    assert [_label(tree, node, rows) for node in range(3)] == [(), ("≤ 9.5",), ("> 9.5",)]
    gone = replace(tree, threshold=np.array([np.inf, np.nan, np.nan]))
    assert [branch_text(gone, node) for node in (1, 2)] == ["not missing", "missing"]


def test_a_label_names_twelve_categories_at_most_however_short() -> None:
    letters = "abcdefghijklmn"
    held = np.repeat(np.array([*letters, "other"], object), 10)
    tree = TreeClassifier(policy="cart").fit(held[:, None], held == "other").tree_
    (kid,) = (kid for kid in tree.children(0) if tree.label[kid] == 0)
    said = " ".join(_label(tree, kid, tree.counts.sum(1)))
    assert said == ", ".join(letters[:12]) + " +\u00a02\u00a0more"


def test_a_thin_piece_of_a_bar_is_drawn_if_it_can_be_seen() -> None:
    tree = staircase(3, 3)
    counts = np.tile([995.6, 4.0, 0.4], (tree.nodes, 1))
    parts = parts_of(replace(tree, counts=counts, chances=None), 0, 100.0)
    assert parts == ((0.0, 99.6, 0), (99.6, 0.4, 1))  # the third, of 0.04 pixels, is not


@pytest.mark.parametrize(("name", "fits"), [("m" * 16, True), ("m" * 16 + "i", False)])
def test_a_class_that_just_fits_a_leaf_is_not_cut(name: str, fits: bool) -> None:
    """Sixteen wide letters are 228.8 pixels, of 230 that the widest card has for text."""
    assert WIDEST - 20 - 1.3 < width_of("m" * 16, HEAD, bold=True) <= WIDEST - 20
    tree = replace(staircase(2), classes=(name, "b"))
    (leaf,) = (card for card in laid_out(tree, 9).cards if card.kind == "leaf" and card.colour == 0)
    assert (leaf.head == name) == (leaf.folded_head == name) == fits
    assert leaf.head.endswith("…") != fits


def test_a_single_leaf_is_a_picture() -> None:
    picture = laid_out(staircase(3).take([0]), 40)
    (card,) = picture.cards
    assert (card.node, card.parent, card.depth, card.kind) == (0, -1, 0, "leaf")
    assert (card.lines, card.below, card.away, card.foldable, card.unsure) == (
        (),
        "",
        False,
        False,
        False,
    )
    assert card.weight == 6.0
    assert picture.height == {0: SIDE}
    assert picture.lefts == (SIDE,)
    assert picture.tall == SIDE + TALL + SIDE
    assert picture.wide == SIDE + math.ceil(picture.widths[0]) + SIDE


def test_a_branch_bends_before_its_label() -> None:
    """A curve over 36 pixels from card to label, its handles 28 behind and 28 before its ends."""
    picture = laid_out(staircase(2), 40)
    first, second, third = picture.cards
    x = picture.lefts[0] + picture.widths[0]
    middle = picture.height[first.node] + TALL / 2
    for card in (second, third):
        y = picture.height[card.node] + TALL / 2
        assert picture.line(card) == (
            f"M{x:g} {middle:g}C{x + 28:g} {middle:g} {x + 8:g} {y:g} {x + 36:g} {y:g}"
            f"H{picture.lefts[1]:g}"
        )
    assert picture.height[third.node] - picture.height[second.node] == STEP
    room = max(width_of(line, SMALL) for line in (*second.lines, *third.lines))
    assert picture.lefts[1] == math.ceil(x + 38 + 12 + room)
