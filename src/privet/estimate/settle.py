"""Where inside a cell a threshold lies.

Disguised numbers come in cells, and a split falls between two of them; the originals changed
their class somewhere near. How many records of the cells round the border have the class of
either side tells where: a cell three tenths of which belong to the left is cut at three tenths.
Records are taken to lie on either side of the border as densely as farther out on that side: where
classes are not equally frequent, densities change at borders too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import BugError

if TYPE_CHECKING:
    from privet.coding import Coding, Floats
    from privet.estimate.fitted import FittedEvidence
    from privet.estimate.joint import Joint
    from privet.tree import Tree

__all__ = ["settled"]

NEAR = 1  # cells on either side whose counts place the border
FAR = 5  # cells beyond them that tell how clearly the sides differ, and how densely records lie
LEAST_STRETCH = 0.15  # of the cells, on either side until labels change again, or a border stays
LEAST_CLEAR = 0.2  # by which share of the records a side's class must lead, else the border stays


def settled(tree: Tree, evidence: FittedEvidence) -> Tree:
    """Return the tree with thresholds of disguised numbers moved inside their cells.

    The codes' own branches follow the thresholds: a cell goes where its centre goes.
    """
    nodes = [
        node
        for node in np.flatnonzero(np.isfinite(tree.threshold)).tolist()
        if evidence.is_disguised(int(tree.attribute[node]))
    ]
    sets = [evidence.whole] * tree.nodes if evidence.whole else _sets(tree)
    joints = evidence.joints(sets[node] for node in nodes)
    threshold, around, routes = tree.threshold.copy(), tree.around.copy(), list(tree.routes)
    for node in nodes:
        joint = joints.get(sets[node])
        border = None if joint is None else _border(tree, node, joint, sets[node])
        if border is not None:
            coding = tree.codings[tree.attribute[node]]
            threshold[node] = around[node] = border
            left = coding.decode(np.arange(coding.size)) <= border  # false for a missing number
            routes[node] = (~left).astype(np.int16)
    return replace(tree, threshold=threshold, around=around, routes=tuple(routes))


def _sets(tree: Tree) -> list[tuple[int, ...]]:
    """Return the attributes tested above, at and below each node."""
    below: list[set[int]] = [set() for _ in range(tree.nodes)]
    for node in reversed(range(tree.nodes)):
        if tree.child[node] >= 0:
            below[node].add(int(tree.attribute[node]))
        if node:
            below[tree.parent[node]] |= below[node]
    above: list[set[int]] = [set()]
    for node in range(1, tree.nodes):
        parent = int(tree.parent[node])
        above.append(above[parent] | {int(tree.attribute[parent])})
    return [tuple(sorted(one | other)) for one, other in zip(above, below, strict=True)]


def _border(tree: Tree, node: int, joint: Joint, places: tuple[int, ...]) -> float | None:
    """Return the value up to which records of a node belong to its left side.

    None where that cannot be told: the table shows the attribute coarsely, the sides say the same
    or say it of a few cells only, or records of the sides hardly differ.
    """
    place = int(tree.attribute[node])
    own = places.index(place)
    coding, route = tree.codings[place], tree.routes[node]
    if route is None or joint.views[own].step > 1:
        return None
    labels = _labels(tree, node, joint, places)
    left, right = _stretch(labels, int(np.flatnonzero(route == 0)[-1]), coding.known)
    if min(len(left), len(right)) < max(NEAR, LEAST_STRETCH * coding.known):
        return None
    # Of the records for which the sides say different things: how many there are in each cell,
    # and by how many the class of the left side leads.
    lead = labels[left[0]] - labels[right[0]]
    table = np.moveaxis(joint.table, own, 0)
    rows = table.sum(-1).reshape(len(table), -1) @ (np.abs(lead).sum(-1) / 2).ravel()
    leads = table.reshape(len(table), -1) @ lead.ravel()
    clear, dense = [], []
    for cells, sign in ((left, 1), (right, -1)):
        # The last cell of a stretch may be cut by the next border.
        far = cells[NEAR : min(NEAR + FAR, len(cells) - 1)] or cells[: NEAR + FAR]
        clear.append(sign * leads[far].sum() / max(rows[far].sum(), 1e-9))
        dense.append(rows[far].sum() / _width(coding, far))
    if min(clear) < LEAST_CLEAR or min(dense) <= 0:
        return None
    window = list(range(left[0] + 1 - NEAR, left[0] + 1 + NEAR))
    if any(_is_single(coding, cell) for cell in window):
        return None
    # How many records of the window are of the left side, and how wide each side's records lie
    # when they lie as densely as farther out.
    total = rows[window].sum()
    before = (leads[window].sum() + clear[1] * total) / sum(clear)
    wide = np.array([before, total - before]) / dense
    if wide.min() <= 0:
        return None
    begin = _span(coding, window[0])[0]
    return float(begin + _width(coding, window) * wide[0] / wide.sum())


def _labels(tree: Tree, top: int, joint: Joint, places: tuple[int, ...]) -> Floats:
    """Return what a node's leaves say of each cell: own codes × the other attributes × classes."""
    own = int(tree.attribute[top])
    others = [axis for axis, place in enumerate(places) if place != own]
    name, size = tree.codings[own].name, tree.codings[own].size
    labels = np.zeros((size, *(joint.table.shape[axis] for axis in others), len(tree.classes)))
    waiting = [top]
    while waiting:
        node = waiting.pop()
        waiting += tree.children(node)
        if tree.child[node] < 0:
            box = tree.boxes[node]
            inside: Floats = box.mask(name, size).astype(np.float64)
            for axis in others:
                coding = tree.codings[places[axis]]
                share = joint.views[axis].inside(box.mask(coding.name, coding.size))
                inside = inside[..., None] * share
            labels[..., tree.label[node]] += inside
    return labels


def _stretch(labels: Floats, last: int, known: int) -> tuple[list[int], list[int]]:
    """Return the cells on either side of a border, outwards, up to where labels change again."""
    if np.array_equal(labels[last], labels[last + 1]):
        return [], []
    left, right = [last], [last + 1]
    while left[-1] > 0 and np.array_equal(labels[left[-1] - 1], labels[last]):
        left.append(left[-1] - 1)
    while right[-1] + 1 < known and np.array_equal(labels[right[-1] + 1], labels[last + 1]):
        right.append(right[-1] + 1)
    return left, right


def _span(coding: Coding, cell: int) -> tuple[float, float]:
    """Return where a cell of numbers begins and ends."""
    if coding.lower is None or coding.upper is None:
        message = f"cells of {coding.name!r} are asked for, which has none"
        raise BugError(message)
    begin = coding.edges[cell - 1] if cell else coding.lower[0]
    end = coding.edges[cell] if cell + 1 < coding.known else coding.upper[-1]
    return float(begin), float(end)


def _width(coding: Coding, cells: list[int]) -> float:
    """Return how wide neighbouring cells are together."""
    return _span(coding, max(cells))[1] - _span(coding, min(cells))[0]


def _is_single(coding: Coding, cell: int) -> bool:
    """Whether a cell holds one value only, a whole number say: it cannot be cut."""
    lower, upper = coding.lower, coding.upper
    return lower is None or upper is None or bool(lower[cell] == upper[cell])
