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

__all__ = ["Change", "Importance", "Step", "compare", "importances", "needs", "steps", "untold"]


@dataclass(frozen=True)
class Importance:
    """The share of all that the tree's tests gain that one attribute's tests gain.

    ``error`` is its standard error over the disguise, all gains taken together. It is zero where
    counts are exact, NaN where the gain of some test is not known from the release.
    """

    name: str
    value: float
    error: float


def importances(tree: Tree) -> list[Importance]:
    """Return the importance of every attribute, the largest first; they sum to 1.

    A test's gain a record is weighted by the records at its node.
    """
    size = len(tree.codings)
    if tree.weight is not None and np.isfinite(tree.weight).all():
        shares, errors = tree.weight.T
    else:
        tests = tree.attribute >= 0
        gain = np.maximum(tree.counts, 0.0).sum(1) * tree.gain
        whole = np.bincount(tree.attribute[tests], gain[tests], size)
        shares = whole / (whole.sum() or 1.0)
        errors = np.full(size, 0.0 if not tree.errors.any() else np.nan)
    order = np.argsort(-shares, kind="stable")
    return [Importance(tree.codings[a].name, float(shares[a]), float(errors[a])) for a in order]


Z = 1.959963984540054  # of a 95 % interval


def needs(tree: Tree) -> Floats:
    """Return how many records a release like the tree's needs to tell each node, and its class.

    An error shrinks with the root of the number of records. The number is 0 where the release
    tells the node's size and, at a leaf, that the predicted class is the most frequent there; it is
    NaN where no number of such records would do: an attribute of the path cannot be read.
    """
    if tree.needed is None:
        return np.where(np.isnan(tree.size_errors), np.nan, 0.0)
    needed = tree.needed.copy()
    rows = tree.counts[0].sum()
    if tree.share_errors is None:
        return needed
    for leaf in tree.leaves.tolist():
        error = tree.share_errors[leaf]
        if needed[leaf] == 0 and error > 0 and (size := tree.counts[leaf].sum()) > 0:
            shares = tree.counts[leaf] / size
            own = shares[tree.label[leaf]]
            lead = (own - np.delete(shares, tree.label[leaf]).max(initial=0.0)) / 2
            if lead < Z * error:
                needed[leaf] = np.ceil(rows * (Z * error / lead) ** 2) if lead > 0 else np.nan
    return needed


def untold(tree: Tree) -> str:
    """Say what the release could not tell, and how many records would; nothing if all is known."""
    needed = needs(tree)
    if not needed.any() or tree.nodes == 1:  # NaN is something, too
        return ""
    sizes = int(np.isnan(tree.size_errors).sum())
    classes = int((needed != 0)[tree.leaves].sum() - np.isnan(tree.size_errors[tree.leaves]).sum())
    parts = [f"the sizes of {sizes} of {tree.nodes} nodes (≈)"] if sizes else []
    if classes:
        leaves = "one leaf" if classes == 1 else f"{classes} leaves"
        parts.append(f"which class leads at {leaves}")
    text = f"Not known from this release: {' and '.join(parts)}"
    told = np.sort(needed[needed > 0])
    if not len(told):
        return text + "."
    half, all_of = (_rounded(float(told[place])) for place in (len(told) // 2, -1))
    if half == all_of or len(told) == 1:
        return text + f"; about {all_of} records like these would tell."
    return text + f"; about {half} records like these would tell half of that, {all_of} all."


def _rounded(number: float) -> str:
    """Return a number with two digits that say something."""
    digits = max(0, len(f"{number:.0f}") - 2)
    return f"{round(number, -digits):,.0f}"


@dataclass(frozen=True)
class Step:
    """A node on a record's path, with the condition that led there and the evidence at it."""

    node: int
    condition: str  # empty at the root
    counts: Floats
    errors: Floats
    label: object
    z: float  # of the test made here, in standard errors of its gain; 0 at the leaf, NaN: not known


def steps(tree: Tree, values: Floats) -> list[Step]:
    """Return the path of a record from the root to its leaf.

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
    """What became of a tree's node in another tree: nodes reached by the same branches.

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
    first, second = first.plain, second.plain
    changes = []
    waiting: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
    while waiting:
        node, other, path = waiting.pop()
        kind, text = _change(first, node, second, other)
        changes.append(Change(kind, node, other, path, text))
        kids, others = first.children(node), second.children(other)
        if kind in ("same", "moved") and len(kids) == len(others):
            pairs = zip(reversed(kids), reversed(others), strict=True)
            waiting += [(a, b, (*path, condition(first, a))) for a, b in pairs]
    return changes


def _change(
    first: Tree, node: int, second: Tree, other: int
) -> tuple[Literal["same", "moved", "label", "different"], str]:
    said, told = _says(first, node), _says(second, other)
    leaves = first.child[node] < 0, second.child[other] < 0
    if all(leaves):
        same = first.classes[first.label[node]] == second.classes[second.label[other]]
        return ("same", said) if same else ("label", f"{said} became {told}")
    if any(leaves):
        return "different", f"{said} became {told}"
    names = [tree.codings[tree.attribute[n]].name for tree, n in ((first, node), (second, other))]
    if names[0] != names[1] or first.branches[node] != second.branches[other]:
        return "different", f"{said} became {told}"
    if first.codings[first.attribute[node]].ordered:
        moved = first.threshold[node] != second.threshold[other]
    else:
        moved = _groups(first, node) != _groups(second, other)
        told = "one with other categories together"
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
