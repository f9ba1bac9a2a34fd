"""Where inside a cell a threshold lies.

Disguised numbers come in cells, and a split falls between two of them; the originals changed
their class somewhere near. A tree whose thresholds may cut cells says what one should observe, and
they are moved to where that fits best (``tree_model``).

Inside a cell records are taken to lie on either side of the border as densely as farther out on
that side: where classes are not equally frequent, densities change at borders too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privet.coding import Box
from privet.errors import BugError
from privet.estimate.tree_model import TreeModel, last_left

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privet.coding import Coding, Floats
    from privet.estimate.fitted import FittedEvidence
    from privet.estimate.joint import Joint
    from privet.tree import Tree

__all__ = ["settled"]

# Of a cell: a threshold that would move by less stays on its border. That costs no accuracy that
# shows, and counts on either side of a border need no cell to be divided.
STAYS = 0.1
DENSE = 3  # cells on either side that tell how densely records lie there


def settled(tree: Tree, evidence: FittedEvidence) -> Tree:
    """Return the tree with thresholds of disguised numbers moved inside their cells.

    The codes' own branches follow the thresholds: a cell goes where its centre goes. Where tests
    outnumber the borders of cells, they are steps along a slanting border, and stay.
    """
    nodes = [node for node in range(tree.nodes) if _can_move(tree, node, evidence)]
    if len(nodes) > sum(tree.codings[place].known - 1 for place in {*tree.attribute[nodes]}):
        return tree
    places = evidence.whole or tuple(np.unique(tree.attribute[tree.child >= 0]).tolist())
    joint = evidence.table_of(places) if nodes else None
    if joint is None:
        return tree
    model = TreeModel(tree, joint, places, nodes)
    model.fit()
    values = {}
    for node, at in zip(nodes, model.at.tolist(), strict=True):
        value, width = _value(tree, node, joint, places, at)
        if abs(value - tree.threshold[node]) > STAYS * width:
            values[node] = value
    return _moved(tree, values)


def _moved(tree: Tree, values: Mapping[int, float]) -> Tree:
    """Return the tree with new thresholds of some nodes; codes go to the side of their centre.

    A threshold stays where no code of its node would be left on one of its sides.
    """
    threshold, around = tree.threshold.copy(), tree.around.copy()
    routes, boxes = list(tree.routes), [Box()] * tree.nodes
    for node in np.flatnonzero(tree.child >= 0).tolist():
        coding = tree.codings[tree.attribute[node]]
        if node in values:
            right = ~(coding.decode(np.arange(coding.size)) <= values[node])  # if missing, too
            inside = right[boxes[node].mask(coding.name, coding.size)]
            if inside.any() and not inside.all():
                threshold[node] = around[node] = values[node]
                routes[node] = right.astype(np.int16)
        for branch, kid in enumerate(tree.children(node)):
            boxes[kid] = boxes[node].narrowed(coding.name, np.asarray(routes[node]) == branch)
    return replace(tree, threshold=threshold, around=around, routes=tuple(routes))


def _can_move(tree: Tree, node: int, evidence: FittedEvidence) -> bool:
    """Whether a node has a threshold of a disguised number, between cells that can be cut."""
    place = int(tree.attribute[node])
    if not np.isfinite(tree.threshold[node]) or not evidence.is_disguised(place):
        return False
    coding, last = tree.codings[place], last_left(tree, node)
    return not any(_is_single(coding, cell) for cell in (last, min(last + 1, coding.known - 1)))


def _value(
    tree: Tree, node: int, joint: Joint, places: tuple[int, ...], at: float
) -> tuple[float, float]:
    """Return the value so many cells from where the first one begins, and its cell's width."""
    coding = tree.codings[tree.attribute[node]]
    cell = min(int(at), coding.known - 1)
    begin, end = _span(coding, cell)
    wide = np.array([at - cell, cell + 1 - at])
    dense = _densities(tree, node, joint, places, cell)
    if dense.min() > 0:
        wide /= dense
    return float(begin + (end - begin) * wide[0] / wide.sum()), end - begin


def _densities(tree: Tree, node: int, joint: Joint, places: tuple[int, ...], cell: int) -> Floats:
    """Return how densely records lie left and right of a cell, of those that a border divides.

    Only cells count of which the tree says the same as next to the border; 0 if there are none.
    """
    place, last = int(tree.attribute[node]), last_left(tree, node)
    coding, own = tree.codings[place], places.index(place)
    near = range(cell - DENSE, cell), range(cell + 1, cell + 1 + DENSE)
    border = last, min(last + 1, coding.known - 1)
    asked = sorted({*border, *(c for cells in near for c in cells if 0 <= c < coding.known)})
    labels = dict(zip(asked, _labels(tree, node, joint, places, asked), strict=True))
    sides = [labels[c] for c in border]
    table = np.moveaxis(joint.rows, own, 0)
    apart = np.abs(sides[0] - sides[1]).sum(-1)
    rows = joint.views[own].fine(table.reshape(len(table), -1) @ apart.ravel())
    dense = np.zeros(2)
    for number, (side, cells) in enumerate(zip(sides, near, strict=True)):
        alike = [c for c in cells if 0 <= c < coding.known and np.array_equal(labels[c], side)]
        width = sum(end - begin for begin, end in (_span(coding, c) for c in alike))
        dense[number] = rows[alike].sum() / width if width > 0 else 0.0
    return dense


def _labels(
    tree: Tree, top: int, joint: Joint, places: tuple[int, ...], codes: Sequence[int]
) -> Floats:
    """Return what a node's leaves say of some of its codes: codes × other attributes × classes."""
    own = int(tree.attribute[top])
    others = [axis for axis, place in enumerate(places) if place != own]
    name, size = tree.codings[own].name, tree.codings[own].size
    labels = np.zeros(
        (len(codes), *(joint.table.shape[axis] for axis in others), len(tree.classes))
    )
    waiting = [top]
    while waiting:
        node = waiting.pop()
        waiting += tree.children(node)
        if tree.child[node] < 0:
            box = tree.boxes[node]
            inside: Floats = box.mask(name, size)[codes].astype(np.float64)
            for axis in others:
                coding = tree.codings[places[axis]]
                share = joint.views[axis].inside(box.mask(coding.name, coding.size))
                inside = inside[..., None] * share
            labels[..., tree.label[node]] += inside
    return labels


def _span(coding: Coding, cell: int) -> tuple[float, float]:
    """Return where a cell of numbers begins and ends."""
    if coding.lower is None or coding.upper is None:
        message = f"cells of {coding.name!r} are asked for, which has none"
        raise BugError(message)
    begin = coding.edges[cell - 1] if cell else coding.lower[0]
    end = coding.edges[cell] if cell + 1 < coding.known else coding.upper[-1]
    return float(begin), float(end)


def _is_single(coding: Coding, cell: int) -> bool:
    """Whether a cell holds one value only, a whole number say: it cannot be cut."""
    lower, upper = coding.lower, coding.upper
    return lower is None or upper is None or bool(lower[cell] == upper[cell])
