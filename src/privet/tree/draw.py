"""The tree as a picture: an SVG that needs nothing else, and a page that finds a record's path.

Read from left to right. Each node shows its test or its class, how many records it holds (± the
standard error where that is estimated) and the shares of the classes as a bar. Where a tree has
more leaves than fit, subtrees of few records are folded. Names are strangers': all are escaped.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.tree.export import rule
from privet.tree.names import shown

if TYPE_CHECKING:
    from jinja2 import Environment

    from privet.tree.tree import Tree

__all__ = ["notebook", "page", "svg"]

LEAVES = 40  # drawn before subtrees are folded
COLOURS = 8  # of Okabe and Ito, told apart by most colour-blind people; the last one for the rest
CARD, TALL, EDGE, STEP = 168, 44, 132, 54  # sizes of a node, room for a branch, rows apart
TOP, SIDE = 44, 10
_LETTER = 6.3  # the mean width of a sign of the small text


@dataclass(frozen=True)
class Card:
    """A node and the branch that leads to it, ready to be drawn."""

    node: int
    x: float
    y: float
    kind: str  # test, leaf, folded or rest
    head: str
    detail: str
    label: str
    tip: str
    parts: tuple[tuple[float, float, int], ...]  # start, width, colour
    colour: int
    line: str
    weight: float
    below: str


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def svg(tree: Tree, leaves: int = LEAVES) -> str:
    """Return the picture as one SVG; subtrees of few records are folded beyond ``leaves``."""
    return _environment().get_template("tree.svg").render(**_picture(tree, leaves), standalone=True)


def notebook(tree: Tree) -> str:
    """Return the picture for a notebook's page."""
    held = _picture(tree, LEAVES)
    inner = _environment().get_template("tree.svg").render(**held, standalone=False)
    return f'<div style="overflow:auto;max-height:80vh">{inner}</div>'


def page(tree: Tree, leaves: int = LEAVES) -> str:
    """Return an HTML page: the picture, all of the tree as an outline, and a search for a record.

    The page needs no network. What is typed stays in it; ``#age=30&sex=Male`` behind its address
    fills the search in.
    """
    return (
        _environment()
        .get_template("page.html")
        .render(
            **_picture(tree, leaves),
            standalone=False,
            outline=_outline(tree),
            fields=_fields(tree),
            walk=_walk(tree),
        )
    )


# The picture


def _picture(tree: Tree, leaves: int) -> dict[str, Any]:
    opened = _opened(tree, max(leaves, 1))
    cards = _cards(tree, opened)
    depth = max((int(tree.depths[card.node]) for card in cards), default=0)
    wide = 2 * SIDE + (depth + 1) * CARD + depth * EDGE
    deepest = max((card.y for card in cards), default=0.0) + TALL
    names = [shown(name, 24) for name in tree.classes[: COLOURS - 1]]
    if len(tree.classes) == COLOURS:
        names.append(shown(tree.classes[-1], 24))
    elif len(tree.classes) > COLOURS:
        names.append(f"{len(tree.classes) - COLOURS + 1} more")
    legend, x = [], SIDE + _LETTER * (len(shown(tree.target)) + 3)
    for colour, name in enumerate(names):
        legend.append((round(x, 1), colour, name))
        x += 26 + _LETTER * (len(name) + 1)
    return {
        "cards": cards,
        "legend": legend,
        "target": shown(tree.target),
        "wide": round(max(wide, x + SIDE)),
        "tall": round(deepest + SIDE),
        "sentence": _sentence(tree),
        "card": CARD,
    }


def _sentence(tree: Tree) -> str:
    return (
        f"A decision tree for {shown(tree.target)}: {tree.nodes} nodes, {len(tree.leaves)} leaves, "
        f"depth {tree.depth}, {_records(tree, 0)}."
    )


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


def _cards(tree: Tree, opened: set[int]) -> list[Card]:
    rows = np.maximum(tree.counts, 0.0).sum(1)
    drawn: dict[int, list[int]] = {}
    order, waiting = [], [0]
    while waiting:  # from the root, first child first
        node = waiting.pop()
        order.append(node)
        if node in opened:
            kids = [kid for kid in tree.children(node) if rows[kid] > 0]
            empty = [kid for kid in tree.children(node) if rows[kid] <= 0]
            drawn[node] = kids + empty[:1]  # one line stands for all branches without records
            waiting += drawn[node][::-1]
    height: dict[int, float] = {}
    line = 0
    for node in order:
        if node not in drawn:
            height[node] = TOP + line * STEP
            line += 1
    for node in reversed(order):
        if node in drawn:
            height[node] = (height[drawn[node][0]] + height[drawn[node][-1]]) / 2
    return [_card(tree, node, height, node in drawn, rows) for node in order]


def _card(tree: Tree, node: int, height: dict[int, float], is_open: bool, rows: Any) -> Card:  # noqa: FBT001 - by place
    x, y = SIDE + int(tree.depths[node]) * (CARD + EDGE), height[node]
    parent = int(tree.parent[node])
    label = line = below = ""
    if parent >= 0:
        label = _branch(tree, node)
        left, middle = x - EDGE, y + TALL / 2
        start = height[parent] + TALL / 2
        line = f"M{left} {start:g}C{left + 34} {start:g} {left + 10} {middle:g} {left + 44} "
        line += f"{middle:g}H{x}"
    test = tree.child[node] >= 0
    kind = "test" if is_open else "folded" if test else "leaf"
    head = tree.codings[tree.attribute[node]].name if is_open else tree.classes[tree.label[node]]
    detail = _records(tree, node, short=True)
    if parent >= 0 and rows[node] <= 0:
        empty = int(sum(rows[kid] <= 0 for kid in tree.children(parent)))
        kind = "rest"
        label = f"{empty} other values" if empty > 1 else label
        detail = "no records"
    if kind == "folded":
        below = f"+ {_leaves_below(tree, node)} leaves"
    share = 100 * tree.shares[node][tree.label[node]]
    if kind != "rest":
        detail += f" · {share:.0f} %"
        if is_open:
            detail += " " + shown(tree.classes[tree.label[node]], 10)
    return Card(
        node=node,
        x=x,
        y=y,
        kind=kind,
        head=shown(head, 22 if not below else 14),
        detail=shown(detail, 30),
        label=shown(label, 15),
        tip=rule(tree, node),
        parts=() if kind == "rest" else _parts(tree, node),
        colour=min(int(tree.label[node]), COLOURS - 1),
        line=line,
        weight=round(1 + 5 * float(np.sqrt(rows[node] / max(rows[0], 1e-300))), 1),
        below=below,
    )


def _parts(tree: Tree, node: int) -> tuple[tuple[float, float, int], ...]:
    """Return the bar: one piece a class, those beyond the colours together."""
    shares = tree.shares[node]
    if len(shares) > COLOURS:
        shares = np.append(shares[: COLOURS - 1], shares[COLOURS - 1 :].sum())
    ends = np.round(np.cumsum(shares) * (CARD - 16), 1)
    starts = np.concatenate([[0.0], ends[:-1]])
    pieces = zip(starts.tolist(), (ends - starts).round(1).tolist(), strict=True)
    return tuple((start, width, place) for place, (start, width) in enumerate(pieces) if width > 0)


def _branch(tree: Tree, node: int) -> str:
    """Say the parent's answer that leads here, without the attribute's name."""
    parent = int(tree.parent[node])
    coding, route = tree.codings[tree.attribute[parent]], tree.routes[parent]
    branch = node - int(tree.child[parent])
    if coding.ordered:
        threshold = tree.threshold[parent]
        if np.isinf(threshold):
            return "missing" if branch else "not missing"
        return f"{'>' if branch else '≤'} {threshold:,.6g}"
    codes = [] if route is None else np.flatnonzero(route == branch).tolist()
    return ", ".join(coding.label(code) for code in codes)


def _records(tree: Tree, node: int, *, short: bool = False) -> str:
    rows = float(np.maximum(tree.counts[node], 0.0).sum())
    error = float(np.sqrt((tree.errors[node] ** 2).sum()))
    text = f"{rows:,.0f}" + (f" ± {error:,.0f}" if error else "")
    return text if short else f"{text} records"


def _leaves_below(tree: Tree, node: int) -> int:
    found, waiting = 0, [node]
    while waiting:
        kids = tree.children(waiting.pop())
        found += not kids
        waiting += kids
    return found - (not tree.children(node))


# The page


def _outline(tree: Tree) -> list[dict[str, Any]]:
    """Return all nodes from the root down, each saying how many lists end behind it."""
    found, waiting = [], [(0, 0)]
    while waiting:
        node, closes = waiting.pop()
        kids = tree.children(node)
        found.append(_entry(tree, node) | {"closes": 0 if kids else closes})
        waiting += [(kid, closes + 1 if kid == kids[-1] else 0) for kid in reversed(kids)]
    return found


def _entry(tree: Tree, node: int) -> dict[str, Any]:
    parent = int(tree.parent[node])
    test = tree.child[node] >= 0
    name = ""
    if parent >= 0:
        attribute = shown(tree.codings[tree.attribute[parent]].name)
        sign = "" if tree.codings[tree.attribute[parent]].ordered else "= "
        name = f"{attribute} {sign}{shown(_branch(tree, node), 60)}"
    return {
        "node": node,
        "name": name,
        "test": test,
        "class": shown(tree.classes[tree.label[node]]),
        "detail": f"{_records(tree, node)}, {100 * tree.shares[node][tree.label[node]]:.0f} %",
        "parts": _parts(tree, node),
        "open": int(tree.depths[node]) < 3,
    }


def _tested(tree: Tree) -> list[int]:
    return sorted({int(place) for place in tree.attribute if place >= 0})


def _fields(tree: Tree) -> list[dict[str, Any]]:
    found = []
    for place in _tested(tree):
        coding = tree.codings[place]
        values = None
        if coding.values is not None:
            values = [(code, shown(value)) for code, value in enumerate(coding.values)]
        found.append(
            {
                "place": place,
                "name": shown(coding.name),
                "values": values,
                "missing": coding.missing,
                "last": coding.known,
            }
        )
    return found


def _walk(tree: Tree) -> dict[str, Any]:
    """Return what the page's script walks on: numbers only, names by place."""
    nodes: list[dict[str, Any]] = []
    for node in range(tree.nodes):
        route = tree.routes[node]
        if route is None:
            nodes.append({"label": int(tree.label[node])})
            continue
        threshold = float(tree.threshold[node])
        number = not np.isnan(threshold)
        nodes.append(
            {
                "a": int(tree.attribute[node]),
                "child": int(tree.child[node]),
                "heavy": int(tree.heavy[node]),
                "at": ("inf" if np.isinf(threshold) else threshold) if number else None,
                "route": None if number else route.tolist(),
            }
        )
    return {
        "nodes": nodes,
        "rules": [rule(tree, node) for node in range(tree.nodes)],
        "names": {str(place): tree.codings[place].name for place in _tested(tree)},
        "values": {
            str(place): [str(value) for value in tree.codings[place].values or ()]
            for place in _tested(tree)
        },
    }
