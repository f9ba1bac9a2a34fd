"""The tree as text, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.tree.tree import Tree

__all__ = ["condition", "render"]


def render(tree: Tree, max_depth: int | None = None) -> str:
    """Return one line a node: the test that leads there, then records, class and its share."""
    return "\n".join(_lines(tree, 0, "", "", max_depth))


def _lines(tree: Tree, node: int, first: str, rest: str, left: int | None) -> Iterator[str]:
    kids = tree.children(node)
    hidden = bool(kids) and left == 0
    summary = _summary(tree, node)
    if not kids or hidden:
        summary = f"{tree.classes[tree.label[node]]}  {summary}"
    if hidden:
        inner = tree.nodes - 1 if node == 0 else _below(tree, node)
        summary += f"  … {inner} nodes below"
    name = condition(tree, node) if node else tree.target
    yield f"{first}{name}: {summary}"
    if hidden:
        return
    for kid in kids:
        last = kid == kids[-1]
        yield from _lines(
            tree,
            kid,
            rest + ("└─ " if last else "├─ "),
            rest + ("   " if last else "│  "),
            None if left is None else left - 1,
        )


def _below(tree: Tree, node: int) -> int:
    return sum(1 + _below(tree, kid) for kid in tree.children(node))


def _summary(tree: Tree, node: int) -> str:
    counts = np.maximum(tree.counts[node], 0.0)
    rows = counts.sum()
    error = float(np.sqrt((tree.errors[node] ** 2).sum()))
    size = f"{rows:,.0f}" + (f" ± {error:,.0f}" if error else "")
    share = tree.shares[node][tree.label[node]]
    return f"({size} records, {100 * share:.0f} % {tree.classes[tree.label[node]]})"


def condition(tree: Tree, node: int) -> str:
    """Say the test a record passes to come from the parent to this node."""
    parent = int(tree.parent[node])
    route = tree.routes[parent]
    coding = tree.codings[tree.attribute[parent]]
    branch = node - int(tree.child[parent])
    if coding.ordered:
        threshold = tree.threshold[parent]
        if np.isinf(threshold):
            return f"{coding.name} is {'not ' if branch == 0 else ''}missing"
        sign = "<=" if branch == 0 else ">"
        return f"{coding.name} {sign} {threshold:.10g}"
    codes = [] if route is None else [int(code) for code in np.flatnonzero(route == branch)]
    names = [coding.label(code) for code in codes]
    if len(names) == 1:
        return f"{coding.name} = {names[0]}"
    return f"{coding.name} in {{{', '.join(names)}}}"
