"""The tree for use elsewhere: sentences, a Graphviz graph, an SQL expression.

Each says what ``predict`` does, unknown categories and missing values included: a missing number is
never at most anything, and a category that the tree never saw takes the branch with most records.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import TreeError
from privet.tree.figures import border, counted, percent
from privet.tree.names import shown
from privet.tree.text import condition

if TYPE_CHECKING:
    from privet.coding import Coding, Mask, Value
    from privet.tree.tree import Tree

__all__ = ["dot", "path_to", "phrases", "rule", "rules", "sql"]

_NAMES = 8  # categories a sentence lists by name


# Sentences


def rules(tree: Tree) -> list[str]:
    """Return one sentence per leaf, the tests of its path drawn together attribute by attribute.

    >>> import privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> plain = pv.Plan({}, default=pv.Exact()).disguise(table, schema)
    >>> rules(pv.TreeClassifier(policy="c4.5").fit(plain).tree_)[0]
    'If Outlook is Overcast, then Play is Yes (4 of 4 records).'
    """
    return [rule(tree, int(leaf)) for leaf in tree.leaves]


def rule(tree: Tree, leaf: int) -> str:
    """Return the sentence of a leaf, or of a node as if it were a leaf."""
    tree = tree.plain
    counts = np.maximum(tree.counts[leaf], 0.0)
    rows, right = counts.sum(), counts[tree.label[leaf]]
    error = float(tree.errors[leaf][tree.label[leaf]])
    seen = f"{counted(right, error)} of {rows:,.0f} records"
    verdict = f"{shown(tree.target)} is {shown(tree.classes[tree.label[leaf]])} ({seen})."
    parts = phrases(tree, leaf)[0]
    return f"If {' and '.join(parts)}, then {verdict}" if parts else f"Always: {verdict}"


def phrases(tree: Tree, leaf: int) -> tuple[tuple[str, ...], Value]:
    """Return the tests of a leaf's sentence and its class: the rule without its counts."""
    tests = tuple(_phrase(tree, leaf, place) for place in _tested(tree, leaf))
    return tests, tree.classes[tree.label[leaf]]


def path_to(tree: Tree, node: int) -> list[int]:
    """Return the nodes from the root to a node, both included."""
    path = [node]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    return path[::-1]


def _tested(tree: Tree, leaf: int) -> list[int]:
    """Return the attributes tested on the way to a leaf, in order of their first test."""
    return list(dict.fromkeys(int(tree.attribute[node]) for node in path_to(tree, leaf)[:-1]))


def _phrase(tree: Tree, leaf: int, place: int) -> str:
    coding = tree.codings[place]
    mask = tree.boxes[leaf].mask(coding.name, coding.size)
    name = shown(coding.name)
    if not coding.ordered:
        return f"{name} is {_listed(coding, mask)}"
    steps = [pair for pair in pairwise(path_to(tree, leaf)) if tree.attribute[pair[0]] == place]
    above = [node for node, kid in steps if kid != tree.child[node]]
    below = [node for node, kid in steps if kid == tree.child[node]]
    low = max(above, key=lambda node: tree.threshold[node], default=-1)
    high = min(below, key=lambda node: tree.threshold[node], default=-1)
    missing = bool(coding.missing and mask[-1])
    if low >= 0 and np.isinf(tree.threshold[low]):
        return f"{name} is missing"
    bounds = [f"over {border(tree, low)}"] if low >= 0 else []
    if high >= 0 and np.isfinite(tree.threshold[high]):
        bounds.append(f"at most {border(tree, high)}")
    if not bounds:
        return f"{name} is not missing"
    return f"{name} is {' and '.join(bounds)}" + (" or missing" if missing else "")


def _listed(coding: Coding, mask: Mask) -> str:
    codes = np.flatnonzero(mask).tolist()
    sign = ""
    if len(codes) > _NAMES and coding.size - len(codes) < len(codes):
        sign, codes = "none of ", np.flatnonzero(~mask).tolist()
    names = [shown(coding.label(code)) for code in codes[:_NAMES]]
    if len(codes) > _NAMES:
        names.append(f"{len(codes) - _NAMES} more")
    if len(names) < 2 or sign:
        return sign + ", ".join(names)
    return ", ".join(names[:-1]) + f" or {names[-1]}"


# Graphviz


def dot(tree: Tree) -> str:
    """Return the tree in the language of Graphviz: ``dot -Tsvg tree.dot`` draws it."""
    tree = tree.plain
    lines = ["digraph tree {", '  node [shape=box, style=rounded, fontname="sans-serif"];']
    lines.append('  edge [fontname="sans-serif", fontsize=10];')
    for node in range(tree.nodes):
        rows = counted(np.maximum(tree.counts[node], 0.0).sum(), float(tree.size_errors[node]))
        leaf = tree.child[node] < 0
        head = tree.classes[tree.label[node]] if leaf else tree.codings[tree.attribute[node]].name
        label = f"{_quoted(shown(head))}\\n{rows} records, {percent(tree, node)} "
        label += _quoted(shown(tree.classes[tree.label[node]]))
        lines.append(f'  n{node} [label="{label}"{", style=filled" if leaf else ""}];')
        if node:
            edge = _quoted(shown(condition(tree, node), 60))
            lines.append(f'  n{tree.parent[node]} -> n{node} [label="{edge}"];')
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# SQL


def sql(tree: Tree) -> str:
    """Return an expression of standard SQL whose value is the predicted class of a row.

    Columns are named as the attributes and hold plain records, whatever categories a release
    merged; a missing value is NULL. One CASE, one WHEN a leaf, and no
    nesting, which databases bear only so deep: of a node's branches one comes last and needs no
    condition, as rows of the others were taken by a WHEN before.
    """
    tree = tree.plain
    whens = []
    waiting: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while waiting:
        node, tests = waiting.pop()
        if tree.child[node] < 0:
            whens.append((tests, _literal(tree.classes[tree.label[node]])))
            continue
        last = int(tree.heavy[node]) if np.isnan(tree.threshold[node]) else tree.children(node)[-1]
        others = [kid for kid in tree.children(node) if kid != last and _occurs(tree, node, kid)]
        waiting.append((last, tests))
        waiting += [(kid, (*tests, _test(tree, node, kid))) for kid in reversed(others)]
    *firsts, (_, final) = whens
    lines = [f"WHEN {' AND '.join(tests)} THEN {label}" for tests, label in firsts]
    return "\n".join(["CASE", *lines, f"ELSE {final} END"]) if lines else final


def _occurs(tree: Tree, node: int, kid: int) -> bool:
    route = tree.routes[node]
    return route is not None and bool((route == kid - tree.child[node]).any())


def _test(tree: Tree, node: int, kid: int) -> str:
    coding = tree.codings[tree.attribute[node]]
    name = '"' + _clean(coding.name).replace('"', '""') + '"'
    if coding.values is None:
        threshold = float(tree.threshold[node])
        return f"{name} IS NOT NULL" if np.isinf(threshold) else f"{name} <= {threshold!r}"
    route = tree.routes[node]
    codes = [] if route is None else np.flatnonzero(route == kid - tree.child[node]).tolist()
    known = [_literal(coding.values[code]) for code in codes if code < coding.known]
    tests = [f"{name} IN ({', '.join(known)})"] * bool(known)
    tests += [f"{name} IS NULL"] * (len(known) < len(codes))
    return f"({' OR '.join(tests)})" if len(tests) > 1 else tests[0]


def _literal(value: Value) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + _clean(value).replace("'", "''") + "'"
    return repr(value)


def _clean(text: str) -> str:
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        message = "A name of the tree holds a sign that no SQL text can hold (NUL, a surrogate)."
        raise TreeError(message, hint="rename the attribute or category in the schema.")
    return text
