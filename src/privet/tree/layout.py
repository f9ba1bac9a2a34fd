"""Where every mark of a tree's picture goes: cards of nodes, their columns, the branches between.

A tree is read from left to right. Columns are as wide as the longest of their texts, within
bounds, so that nothing is cut beside free space and nothing runs over its box.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.tree.export import rule
from privet.tree.figures import border, counted, percent
from privet.tree.measure import cut, folded_lines, width_of
from privet.tree.names import shown
from privet.tree.text import categories

if TYPE_CHECKING:
    from privet.tree.tree import Tree

__all__ = ["COLOURS", "Card", "Picture", "branch_text", "laid_out", "leaves_below", "parts_of"]

COLOURS = 8  # of Okabe and Ito, told apart by most colour-blind people; the last for the rest
TALL, STEP, SIDE = 46, 56, 10  # a card, rows apart, the margin, in pixels
NARROWEST, WIDEST = 112, 250  # cards
CURVE = 38  # room in which a branch bends, before its label
LONGEST = 165  # a label's line
HEAD, SMALL = 13, 11  # sizes of text
UNSURE = 2.0  # standard errors: a split that gains less than that may be one by chance
_PADDING = 20  # of a card's text
_FOLD = 26  # a fold's button


@dataclass(frozen=True)
class Whisker:
    """Where on a bar the share of the predicted class ends, and its 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Card:
    """A node and the branch that leads to it, ready to be drawn."""

    node: int
    parent: int
    depth: int
    kind: str  # test, leaf, folded or rest (branches without records)
    head: str
    folded_head: str
    detail: str
    below: str
    lines: tuple[str, ...]
    tip: str
    parts: tuple[tuple[float, float, int], ...]  # start, width, colour
    whisker: Whisker | None
    sure: float  # how full the bar's colours are: 1 where the class is sure
    colour: int
    weight: float
    unsure: bool  # the test that leads here
    away: bool  # below a folded node
    foldable: bool


@dataclass(frozen=True)
class Picture:
    """Cards in the order of reading, with places; columns from left to right."""

    cards: tuple[Card, ...]
    height: dict[int, float]
    lefts: tuple[float, ...]
    widths: tuple[float, ...]

    @property
    def wide(self) -> int:
        """The picture's width, all columns in it."""
        return math.ceil(self.lefts[-1] + self.widths[-1] + SIDE)

    @property
    def tall(self) -> int:
        """The picture's height as it is folded now."""
        return math.ceil(max(self.height.values()) + TALL + SIDE)

    def line(self, card: Card) -> str:
        """Return the path of the branch that leads to a card."""
        x, y = self.lefts[card.depth], self.height.get(card.node, 0.0) + TALL / 2
        left = self.lefts[card.depth - 1] + self.widths[card.depth - 1]
        start = self.height.get(card.parent, 0.0) + TALL / 2
        return (
            f"M{left:g} {start:g}C{left + 28:g} {start:g} {left + 8:g} {y:g} {left + 36:g} {y:g}"
            f"H{x:g}"
        )


def laid_out(tree: Tree, leaves: int, drawn: int | None = None) -> Picture:
    """Return the picture of a tree, folded to so many leaves; up to ``drawn`` can be unfolded."""
    opened = _opened(tree, max(leaves, 1))
    tests = opened if drawn is None else _opened(tree, max(leaves, drawn))
    opened &= tests
    rows = np.maximum(tree.counts, 0.0).sum(1)
    order, waiting = [], [(0, False)]
    kids_of: dict[int, list[int]] = {}
    while waiting:  # from the root, first child first
        node, away = waiting.pop()
        order.append((node, away))
        if node in tests:
            kids = [kid for kid in tree.children(node) if rows[kid] > 0]
            empty = [kid for kid in tree.children(node) if rows[kid] <= 0]
            kids_of[node] = kids + empty[:1]  # one line stands for all branches without records
            waiting += [(kid, away or node not in opened) for kid in reversed(kids_of[node])]
    height: dict[int, float] = {}
    line = 0
    for node, away in order:
        if not away and node not in opened:
            height[node] = SIDE + line * STEP
            line += 1
    for node, away in reversed(order):
        if not away and node in opened:
            height[node] = (height[kids_of[node][0]] + height[kids_of[node][-1]]) / 2
    widths = _widths(tree, [node for node, _ in order], tests, rows)
    lefts = [float(SIDE)]
    for depth in range(1, len(widths)):
        room = (
            CURVE
            + 12
            + max(
                width_of(line, SMALL)
                for node, _ in order
                if tree.depths[node] == depth
                for line in _label(tree, node, rows)
            )
        )
        lefts.append(math.ceil(lefts[-1] + widths[depth - 1] + room))
    cards = tuple(_card(tree, node, opened, tests, rows, widths, away=away) for node, away in order)
    return Picture(cards, height, tuple(lefts), tuple(widths))


def _opened(tree: Tree, leaves: int) -> set[int]:
    """Return the tests whose branches are drawn: those of most records, while leaves are left."""
    rows = np.maximum(tree.counts, 0.0).sum(1)
    opened: set[int] = set()
    waiting = [(-rows[0], 0)] if tree.child[0] >= 0 else []
    used = 1
    while waiting:
        _, node = heapq.heappop(waiting)
        kids = tree.children(node)
        lines = sum(rows[kid] > 0 for kid in kids) + any(rows[kid] <= 0 for kid in kids)
        if opened and used + lines - 1 > leaves:
            continue
        opened.add(node)
        used += int(lines) - 1
        for kid in kids:
            if tree.child[kid] >= 0:
                heapq.heappush(waiting, (-rows[kid], kid))
    return opened


# Cards


def _widths(tree: Tree, nodes: list[int], tests: set[int], rows: np.ndarray) -> list[float]:
    """Return the width of each column: that of its longest text, within bounds."""
    widths = [float(NARROWEST)] * (1 + max(int(tree.depths[node]) for node in nodes))
    for node in nodes:
        open_head, folded_head = _heads(tree, node)
        heads = [folded_head] if node not in tests else [open_head, folded_head]
        needed = max(width_of(head, HEAD, bold=True) for head in heads)
        if tree.child[node] >= 0:
            needed += width_of(_below(tree, node), SMALL) + _FOLD
        needed = max(needed, width_of(_detail(tree, node, rows), SMALL)) + _PADDING
        depth = int(tree.depths[node])
        widths[depth] = min(max(widths[depth], math.ceil(needed)), WIDEST)
    return widths


def _card(
    tree: Tree,
    node: int,
    opened: set[int],
    tests: set[int],
    rows: np.ndarray,
    widths: list[float],
    *,
    away: bool,
) -> Card:
    parent, depth = int(tree.parent[node]), int(tree.depths[node])
    width = widths[depth]
    kind = "test" if node in opened else "folded" if tree.child[node] >= 0 else "leaf"
    if parent >= 0 and rows[node] <= 0:
        kind = "rest"
    is_test = tree.child[node] >= 0
    below = _below(tree, node) if is_test else ""
    room = width - _PADDING - (_FOLD if is_test else 0)
    beside = room - (width_of(below, SMALL) if is_test else 0)
    head, folded_head = _heads(tree, node)
    sure, whisker = _certainty(tree, node, width - 16)
    return Card(
        node=node,
        parent=parent,
        depth=depth,
        kind=kind,
        head=cut(head, room, HEAD, bold=True),
        folded_head=cut(folded_head, beside, HEAD, bold=True),
        detail=cut(_detail(tree, node, rows), width - _PADDING, SMALL),
        below=below,
        lines=_label(tree, node, rows),
        tip=_tip(tree, node),
        parts=() if kind == "rest" else parts_of(tree, node, width - 16),
        whisker=None if kind == "rest" else whisker,
        sure=sure,
        colour=min(int(tree.label[node]), COLOURS - 1),
        weight=round(1 + 5 * float(np.sqrt(rows[node] / max(rows[0], 1e-300))), 1),
        unsure=parent >= 0 and bool(abs(tree.z[parent]) < UNSURE),
        away=away,
        foldable=node in tests,
    )


def _heads(tree: Tree, node: int) -> tuple[str, str]:
    """Return what stands on a card while its branches are shown, and while they are not."""
    label = shown(tree.classes[tree.label[node]])
    test = tree.child[node] >= 0
    return (shown(tree.codings[tree.attribute[node]].name) if test else label), label


def _detail(tree: Tree, node: int, rows: np.ndarray) -> str:
    if tree.parent[node] >= 0 and rows[node] <= 0:
        return "no records"
    size = counted(float(rows[node]), float(tree.size_errors[node]))
    text = f"{size} · {percent(tree, node)}"
    if tree.child[node] >= 0:
        text += " " + shown(tree.classes[tree.label[node]], 16)
    return text


def _label(tree: Tree, node: int, rows: np.ndarray) -> tuple[str, ...]:
    """Return the lines beside a branch: of many categories, as many as fit and how many more."""
    parent = int(tree.parent[node])
    if parent < 0:
        return ()
    empty = int(sum(rows[kid] <= 0 for kid in tree.children(parent)))
    if rows[node] <= 0 and empty > 1:
        return (f"{empty} other values",)
    if tree.codings[tree.attribute[parent]].ordered:
        return folded_lines(branch_text(tree, node), LONGEST, SMALL)
    names = [shown(name) for name in categories(tree, node)]
    for kept in range(min(len(names), 12), 1, -1):
        more = len(names) - kept
        text = ", ".join(names[:kept]) + f" +\u00a0{more}\u00a0more" * bool(more)
        lines = folded_lines(text, LONGEST, SMALL)
        if " ".join(lines) == text:
            return lines
    if len(names) == 1:
        return folded_lines(names[0], LONGEST, SMALL)
    return cut(names[0], LONGEST, SMALL), f"+ {len(names) - 1} more"


def branch_text(tree: Tree, node: int) -> str:
    """Say the parent's answer that leads here, without the attribute's name."""
    parent = int(tree.parent[node])
    coding = tree.codings[tree.attribute[parent]]
    if coding.ordered:
        first = node == tree.child[parent]
        if np.isinf(tree.threshold[parent]):
            return "not missing" if first else "missing"
        return f"{'≤' if first else '>'} {border(tree, parent)}"
    return ", ".join(categories(tree, node))


def _below(tree: Tree, node: int) -> str:
    return f"+ {leaves_below(tree, node)} leaves"


def leaves_below(tree: Tree, node: int) -> int:
    """Return how many leaves hang below a node."""
    leaves, waiting = 0, list(tree.children(node))
    while waiting:
        kids = tree.children(waiting.pop())
        leaves += not kids
        waiting += kids
    return leaves


def parts_of(tree: Tree, node: int, width: float) -> tuple[tuple[float, float, int], ...]:
    """Return a node's bar: a piece per class, those beyond the colours together."""
    shares = tree.shares[node]
    if len(shares) > COLOURS:
        shares = np.append(shares[: COLOURS - 1], shares[COLOURS - 1 :].sum())
    ends = np.round(np.cumsum(shares) * width, 1)
    starts = np.concatenate([[0.0], ends[:-1]])
    pieces = zip(starts.tolist(), (ends - starts).round(1).tolist(), strict=True)
    return tuple((start, size, place) for place, (start, size) in enumerate(pieces) if size > 0)


# Uncertainty


def _certainty(tree: Tree, node: int, width: float) -> tuple[float, Whisker | None]:
    """Return how sure a node's class is, as fullness of colour, and the interval of its share.

    Sure is the chance that the class leads the runner-up, their errors taken at their worst
    together. Where errors are zero or not known, colours are full and there is no whisker.
    """
    label, errors = int(tree.label[node]), tree.errors[node]
    counts = np.maximum(tree.counts[node], 0.0)
    total = float(counts.sum())
    if total <= 0 or len(counts) < 2 or not np.isfinite(errors).all() or not errors[label] > 0:
        return 1.0, None
    rival = max((place for place in range(len(counts)) if place != label), key=counts.__getitem__)
    lead = float(counts[label] - counts[rival]) / float(errors[label] + errors[rival])
    doubt = math.erfc(abs(lead) / math.sqrt(2)) if lead > 0 else 1.0
    shares = tree.shares[node]
    last = label == len(shares) - 1
    end = float(shares[:label].sum() if last else shares[: label + 1].sum())
    reach = 1.96 * float(errors[label]) / total
    low, high = max(end - reach, 0.0) * width, min(end + reach, 1.0) * width
    return round(1 - 0.75 * doubt, 2), Whisker(round(low, 1), round(high, 1))


def _tip(tree: Tree, node: int) -> str:
    text = rule(tree, node)
    z = float(tree.z[node])
    if tree.child[node] >= 0 and abs(z) < UNSURE:
        text += f" The split below gains only {z:.1f} standard errors: it may be one by chance."
    return text
