"""Understanding a tree: what matters in it, why a record got its class, how two trees differ.

Counts of a tree may be estimates; what is said here carries their standard errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from privet.tree.export import path_to
from privet.tree.text import condition

if TYPE_CHECKING:
    from privet.coding import Floats
    from privet.tree.tree import Tree

__all__ = ["Change", "Importance", "Step", "compare", "importances", "steps"]


@dataclass(frozen=True)
class Importance:
    """The share of all that the tree's tests gain that one attribute's tests gain.

    ``error`` is its standard error: that of the gains, taken as independent of each other, with the
    whole gain as it is. It is zero where counts are exact.
    """

    name: str
    value: float
    error: float


def importances(tree: Tree) -> list[Importance]:
    """Return the importance of every attribute, the largest first; they sum to one.

    A test's gain a record is weighted by the records at its node.
    """
    rows = np.maximum(tree.counts, 0.0).sum(1)
    gain = rows * tree.gain
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(np.isfinite(tree.z) & (tree.z > 0), gain / tree.z, 0.0)
    tests = tree.attribute >= 0
    size = len(tree.codings)
    whole = np.bincount(tree.attribute[tests], gain[tests], size)
    squares = np.bincount(tree.attribute[tests], error[tests] ** 2, size)
    total = whole.sum() or 1.0
    order = np.argsort(-whole, kind="stable")
    return [
        Importance(tree.codings[a].name, whole[a] / total, float(np.sqrt(squares[a])) / total)
        for a in order
    ]


@dataclass(frozen=True)
class Step:
    """A node on a record's path, with the condition that led there and the evidence at it."""

    node: int
    condition: str  # empty at the root
    counts: Floats
    errors: Floats
    label: object
    z: float  # of the test made here, in standard errors of its gain; 0 at the leaf


def steps(tree: Tree, values: Floats) -> list[Step]:
    """Return the path of one record from the root to its leaf.

    ``values`` are the record's, as ``Tree.apply`` takes them.
    """
    (leaf,) = tree.apply(np.asarray(values, np.float64).reshape(1, -1)).tolist()
    return [
        Step(
            node=node,
            condition=condition(tree, node) if node else "",
            counts=tree.counts[node],
            errors=tree.errors[node],
            label=tree.classes[tree.label[node]],
            z=float(tree.z[node]),
        )
        for node in path_to(tree, leaf)
    ]


@dataclass(frozen=True)
class Change:
    """What became of a node of one tree in another one: nodes reached by the same branches.

    ``same``: the same test, or leaves of the same class. ``moved``: the same attribute with another
    threshold, or other categories together. ``label``: leaves of different classes. ``different``:
    another attribute, or a leaf where the other has a test; what is below is not compared.
    """

    kind: Literal["same", "moved", "label", "different"]
    first: int
    second: int
    path: tuple[str, ...]
    text: str


def compare(first: Tree, second: Tree) -> list[Change]:
    """Return what became of each node of the first tree, from the root down."""
    found = []
    waiting: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
    while waiting:
        one, other, path = waiting.pop()
        kind, text = _change(first, one, second, other)
        found.append(Change(kind, one, other, path, text))
        kids, others = first.children(one), second.children(other)
        if kind in ("same", "moved") and len(kids) == len(others):
            pairs = zip(reversed(kids), reversed(others), strict=True)
            waiting += [(a, b, (*path, condition(first, a))) for a, b in pairs]
    return found


def _change(
    first: Tree, one: int, second: Tree, other: int
) -> tuple[Literal["same", "moved", "label", "different"], str]:
    said, told = _says(first, one), _says(second, other)
    leaves = first.child[one] < 0, second.child[other] < 0
    if all(leaves):
        same = first.classes[first.label[one]] == second.classes[second.label[other]]
        return ("same", said) if same else ("label", f"{said} became {told}")
    if any(leaves):
        return "different", f"{said} became {told}"
    names = [tree.codings[tree.attribute[n]].name for tree, n in ((first, one), (second, other))]
    if names[0] != names[1] or first.branches[one] != second.branches[other]:
        return "different", f"{said} became {told}"
    if first.codings[first.attribute[one]].ordered:
        moved = first.threshold[one] != second.threshold[other]
    else:
        moved = _groups(first, one) != _groups(second, other)
    return ("moved", f"{said} became {told}") if moved else ("same", said)


def _groups(tree: Tree, node: int) -> list[set[str]]:
    coding, route = tree.codings[tree.attribute[node]], tree.routes[node]
    codes = range(0 if route is None else len(route))
    labels = [coding.label(code) for code in codes]
    branches = [] if route is None else route.tolist()
    return [
        {label for label, branch in zip(labels, branches, strict=True) if branch == wanted}
        for wanted in range(int(tree.branches[node]))
    ]


def _says(tree: Tree, node: int) -> str:
    if tree.child[node] < 0:
        return f"{tree.target} is {tree.classes[tree.label[node]]}"
    coding = tree.codings[tree.attribute[node]]
    if coding.ordered:
        return condition(tree, int(tree.child[node]))
    return f"a test of {coding.name}"
