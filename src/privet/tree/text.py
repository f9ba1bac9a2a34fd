"""The tree as text, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.tree.figures import border, counted, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.tree.tree import Tree

__all__ = ["categories", "condition", "render"]


def render(tree: Tree, max_depth: int | None = None) -> str:
    """Return one line per node: the test that leads there, then records, class and its share."""
    return "\n".join(_lines(tree, max_depth))


def _lines(tree: Tree, max_depth: int | None) -> Iterator[str]:
    below = _below(tree)
    waiting = [(0, "", "")]  # node, what stands before it, what stands before its children
    while waiting:
        node, first, rest = waiting.pop()
        kids = tree.children(node)
        hidden = bool(kids) and max_depth is not None and tree.depths[node] >= max_depth
        summary = _summary(tree, node)
        if not kids or hidden:
            summary = f"{tree.classes[tree.label[node]]}  {summary}"
        if hidden:
            summary += f"  … {below[node]} nodes below"
        name = condition(tree, node) if node else tree.target
        yield f"{first}{name}: {summary}"
        for kid in () if hidden else reversed(kids):
            last = kid == kids[-1]
            mark, space = ("└─ ", "   ") if last else ("├─ ", "│  ")
            waiting.append((kid, rest + mark, rest + space))


def _below(tree: Tree) -> list[int]:
    """Return how many nodes hang below each."""
    below = [0] * tree.nodes
    for node in range(tree.nodes - 1, 0, -1):
        below[int(tree.parent[node])] += 1 + below[node]
    return below


def _summary(tree: Tree, node: int) -> str:
    counts = np.maximum(tree.counts[node], 0.0)
    size = counted(counts.sum(), tree.size_errors[node])
    return f"({size} records, {percent(tree, node)} {tree.classes[tree.label[node]]})"


def condition(tree: Tree, node: int) -> str:
    """Say the test a record passes to come from the parent to this node."""
    tree = tree.plain
    parent = int(tree.parent[node])
    coding = tree.codings[tree.attribute[parent]]
    first = node == tree.child[parent]
    if coding.ordered:
        if np.isinf(tree.threshold[parent]):
            return f"{coding.name} is {'not ' if first else ''}missing"
        return f"{coding.name} {'<=' if first else '>'} {border(tree, parent)}"
    names = categories(tree, node)
    if len(names) == 1:
        return f"{coding.name} = {names[0]}"
    return f"{coding.name} in {{{', '.join(names)}}}"


def categories(tree: Tree, node: int) -> list[str]:
    """Name the categories that lead from the parent to this node, of those that come so far."""
    parent = int(tree.parent[node])
    coding = tree.codings[tree.attribute[parent]]
    taken = tree.boxes[node].mask(coding.name, coding.size)
    if not taken.any():  # nothing comes here: say what would have to
        taken = tree.routes[parent] == node - tree.child[parent]
    return [coding.label(code) for code in np.flatnonzero(taken).tolist()]
