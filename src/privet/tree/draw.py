"""The tree as a picture: an SVG that needs nothing else, and a page that finds a record's path.

Each node shows its test or its class, how many records it holds (± the standard error where that
is estimated) and the shares of the classes as a bar. What is not sure looks so: bars fade,
whiskers show 95 % intervals, branches of splits that may be there by chance are dashed. Where a
tree has more leaves than fit, subtrees of few records are folded. Names are strangers': all are
escaped.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.tree.export import rule
from privet.tree.figures import counted, percent
from privet.tree.layout import COLOURS, SIDE, SMALL, TALL, UNSURE, branch_text, laid_out, parts_of
from privet.tree.measure import cut, folded_lines, width_of
from privet.tree.names import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment

    from privet.tree.layout import Picture
    from privet.tree.tree import Tree

__all__ = ["ASSETS", "figure", "notebook", "page", "svg", "templates"]

LEAVES = 40  # drawn before subtrees are folded
UNFOLDED = 400  # leaves that a page can unfold in its picture; its outline has all
ASSETS = Path(__file__).parent / "templates"  # a page that shows a figure needs tree.css, view.js
_LINE = 18  # of the legend


def templates(*folders: Path, finalize: Callable[[Any], Any] | None = None) -> Environment:
    """Return the templates of some folders: all that is filled in is escaped, and must be known."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )


@cache
def _environment() -> Environment:
    return templates(ASSETS)


def svg(tree: Tree, leaves: int = LEAVES) -> str:
    """Return the picture as one SVG; subtrees of few records are folded beyond ``leaves``."""
    tree = tree.plain
    picture = laid_out(tree, leaves)
    words = _words(tree)
    wide = max(picture.wide, 420)
    title = folded_lines(words["title"], wide - 2 * SIDE, 16)
    notes = [cut(words["origin"], wide - 2 * SIDE, SMALL)]
    legend, lines = _flow(words["classes"], wide, 2 * SIDE + 20 * len(title) + _LINE)
    keys, bottom = _flow(words["keys"], wide, lines) if words["keys"] else ([], lines)
    return _render(
        "tree.svg",
        **_drawn(tree, picture),
        words=words,
        title=title,
        notes=notes,
        legend=legend,
        keys=keys,
        head=bottom + 4,
        wide=wide,
        live=False,
    )


def figure(tree: Tree, leaves: int = LEAVES, *, live: bool = True) -> str:
    """Return the picture with its legend as a piece of HTML, for a page that brings ``ASSETS``.

    ``tree.css`` gives it its look, and ``view.js``, a module without imports, folds, zooms and
    fits it: ``treeView(document.querySelector("figure.privet-tree"))``. The piece holds neither
    scripts nor styles, so that it goes into a page under any content security policy.
    """
    tree = tree.plain
    return _render("figure.html", **_figure(tree, leaves, live=live), titled=True)


def notebook(tree: Tree) -> str:
    """Return the picture for a notebook's page: its look with it, and no scripts."""
    style = _render("tree.css")
    return f"<style>\n{style}</style>\n{figure(tree, live=False)}"


def page(tree: Tree, leaves: int = LEAVES) -> str:
    """Return an HTML page: the picture, all of the tree as an outline, and a search for a record.

    The page needs no network. What is typed stays in it; ``#age=30&sex=Male`` behind its address
    fills the search in.
    """
    tree = tree.plain
    return _render(
        "page.html",
        **_figure(tree, leaves, live=True),
        titled=False,
        outline=_outline(tree),
        fields=_fields(tree),
        walk=_walk(tree),
    )


def _render(name: str, **context: Any) -> str:
    return _environment().get_template(name).render(**context)


def _figure(tree: Tree, leaves: int, *, live: bool) -> dict[str, Any]:
    picture = laid_out(tree, leaves, UNFOLDED if live else None)
    return _drawn(tree, picture) | {
        "words": _words(tree),
        "wide": picture.wide,
        "head": 0,
        "live": live,
    }


def _drawn(tree: Tree, picture: Picture) -> dict[str, Any]:
    """Return what every template of the picture is given."""
    return {
        "picture": picture,
        "cards": picture.cards,
        "sentence": _sentence(tree),
        "target": shown(tree.target),
        "box": TALL,
    }


# Words


def _words(tree: Tree) -> dict[str, Any]:
    """Return the title, where the tree comes from, the classes' names and what marks mean."""
    names = [shown(name, 24) for name in tree.classes[: COLOURS - 1]]
    if len(tree.classes) == COLOURS:
        names.append(shown(tree.classes[-1], 24))
    elif len(tree.classes) > COLOURS:
        names.append(f"{len(tree.classes) - COLOURS + 1} more")
    rows = float(np.maximum(tree.counts[0], 0.0).sum())
    origin = [f"from {shown(tree.source, 60)}"] * bool(tree.source)
    if tree.method:
        plain = tree.method in ("naive", "plain")
        origin.append("counts as they are" if plain else f"method {shown(tree.method)}")
    origin += [_plural(tree.nodes, "node"), _plural(len(tree.leaves), "leaf", "leaves")]
    return {
        "title": f"A decision tree for {shown(tree.target)}, from {_plural(rows, 'record')}",
        "origin": " · ".join([*origin, f"depth {tree.depth}"]),
        "classes": list(enumerate(names)),
        "keys": _keys(tree),
    }


def _plural(number: float, word: str, words: str = "") -> str:
    return f"{number:,.0f} {word if round(number) == 1 else words or word + 's'}"


def _keys(tree: Tree) -> list[tuple[str, str]]:
    """Return the marks of uncertainty that a tree has, each with what it means."""
    tests = tree.child >= 0
    if np.isnan(tree.errors).any():
        return [("unknown", "this method does not say how sure its counts are")]
    keys = []
    if (tree.errors > 0).any():
        keys = [("fade", "faded: class not sure"), ("whisker", "whisker: 95 % interval")]
    if (np.abs(tree.z[tests]) < UNSURE).any():
        keys.append(("dash", f"dashed: a split of less than {UNSURE:g} standard errors"))
    return keys


def _flow(
    entries: list[tuple[Any, str]], wide: float, top: float
) -> tuple[list[tuple[float, float, Any, str]], float]:
    """Return places of a legend's entries, on as many lines as they need, and where they end."""
    placed, x, y = [], float(SIDE), top
    for mark, name in entries:
        needed = 22 + width_of(name, SMALL) + 14
        if x > SIDE and x + needed > wide - SIDE:
            x, y = float(SIDE), y + _LINE
        placed.append((round(x, 1), y, mark, name))
        x += needed
    return placed, y + _LINE


def _sentence(tree: Tree) -> str:
    return (
        f"A decision tree for {shown(tree.target)}: {tree.nodes} nodes, {len(tree.leaves)} leaves, "
        f"depth {tree.depth}, {_records(tree, 0)}."
    )


def _records(tree: Tree, node: int) -> str:
    rows = float(np.maximum(tree.counts[node], 0.0).sum())
    return f"{counted(rows, float(tree.size_errors[node]))} records"


# The page


def _outline(tree: Tree) -> list[dict[str, Any]]:
    """Return all nodes from the root down, each saying how many lists end behind it."""
    entries, waiting = [], [(0, 0)]
    while waiting:
        node, closes = waiting.pop()
        kids = tree.children(node)
        entries.append(_entry(tree, node) | {"closes": 0 if kids else closes})
        waiting += [(kid, closes + 1 if kid == kids[-1] else 0) for kid in reversed(kids)]
    return entries


def _entry(tree: Tree, node: int) -> dict[str, Any]:
    parent = int(tree.parent[node])
    test = tree.child[node] >= 0
    name = ""
    if parent >= 0:
        attribute = shown(tree.codings[tree.attribute[parent]].name)
        sign = "" if tree.codings[tree.attribute[parent]].ordered else "= "
        name = f"{attribute} {sign}{shown(branch_text(tree, node), 60)}"
    return {
        "node": node,
        "name": name,
        "test": test,
        "class": shown(tree.classes[tree.label[node]]),
        "detail": f"{_records(tree, node)}, {percent(tree, node)}",
        "parts": parts_of(tree, node, 152),
        "open": int(tree.depths[node]) < 3,
    }


def _tested(tree: Tree) -> list[int]:
    return sorted({int(place) for place in tree.attribute if place >= 0})


def _fields(tree: Tree) -> list[dict[str, Any]]:
    fields = []
    for place in _tested(tree):
        coding = tree.codings[place]
        values = None
        if coding.values is not None:
            values = [(code, shown(value)) for code, value in enumerate(coding.values)]
        fields.append(
            {
                "place": place,
                "name": shown(coding.name),
                "values": values,
                "missing": coding.missing,
                "last": coding.known,
            }
        )
    return fields


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
