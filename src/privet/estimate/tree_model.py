"""A tree as a model of what was observed.

Inside a leaf all records have the same shares of classes, and a cell that a threshold cuts belongs
to either side by so much. Thresholds and shares are moved to where they fit best what was observed,
all together, by least squares: Gauss-Newton steps, each solved by conjugate gradients, so that
nothing larger than the table of what was observed is ever held.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.errors import BugError
from privet.estimate.em import expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privet.coding import Floats
    from privet.estimate.joint import Joint
    from privet.tree import Tree

__all__ = ["TreeModel", "last_left"]

ROUNDS, STEPS = 2, 8  # of Gauss and Newton, and of conjugate gradients in each
NEAR = 0.6  # cells: how far from its border a threshold is expected, as a standard deviation
FAR = 1.0  # cells: no threshold goes farther
# Shares of classes that a leaf is expected to have before anything is observed: nearly pure, give
# or take so much. A fitted table is blurred, so what it says of a leaf of few cells is too mixed.
PURE, IMPURE = 0.99, 0.05
WIDE = 0.25  # cells over which the slope at a threshold is taken
NONE = 0.001  # the least share of a class
ENOUGH = 1e-6  # of the first slope: what is left of it when a step is exact
TINY = 1e-300
LEAST = 0.5  # records: what is expected where hardly any are, so that weights stay finite


class _Piece(NamedTuple):
    """Part of the table that a change of one number changes: where, by how much, which number."""

    cells: tuple[slice | NDArray[np.int64], ...]
    volume: Floats
    leaf: int
    threshold: int  # -1: the shares of the leaf


class TreeModel:
    """A tree as a model of a joint table: shares of classes in leaves, and where borders lie.

    ``at`` says where thresholds lie, in cells: 2.3 is three tenths into the third cell.
    """

    def __init__(
        self, tree: Tree, joint: Joint, places: tuple[int, ...], nodes: Sequence[int]
    ) -> None:
        self._tree, self._joint, self._places = tree, joint, places
        self._nodes = {node: number for number, node in enumerate(nodes)}
        self._borders = np.array([last_left(tree, node) + 1.0 for node in nodes])
        known = np.array([tree.codings[tree.attribute[node]].known for node in nodes])
        self._ends = np.maximum(self._borders - FAR, 0), np.minimum(self._borders + FAR, known)
        self.at = self._borders.copy()
        self._leaves = np.flatnonzero(tree.child < 0).tolist()
        labels, classes = tree.label[self._leaves], len(tree.classes)
        self._pure = np.full((len(self._leaves), classes), (1 - PURE) / max(classes - 1, 1))
        self._pure[np.arange(len(labels)), labels] = PURE
        self.shares = self._pure.copy()
        self._expected = np.concatenate(
            [np.full(self.shares.size, IMPURE**-2), np.full(len(nodes), NEAR**-2)]
        )
        self._rows = joint.rows
        self._axes = (*(view.axis for view in joint.views), joint.label)
        self._paths = [self._path(leaf) for leaf in self._leaves]

    def _path(self, leaf: int) -> tuple[list[Floats], list[tuple[int, int, bool]]]:
        """Return which codes a leaf has along each axis by tests that stay, and those that move.

        Of a test that moves: its number, its axis and whether the leaf is on its left.
        """
        tree = self._tree
        inside = [np.ones(tree.codings[place].size) for place in self._places]
        moving = []
        node = leaf
        while node:
            parent = int(tree.parent[node])
            branch, axis = (
                node - int(tree.child[parent]),
                self._places.index(tree.attribute[parent]),
            )
            mask = np.asarray(tree.routes[parent]) == branch
            if parent in self._nodes:
                known = tree.codings[tree.attribute[parent]].known
                inside[axis][known:] *= mask[known:]
                moving.append((self._nodes[parent], axis, branch == 0))
            else:
                inside[axis] *= mask
            node = parent
        return inside, moving

    def fit(self) -> None:
        """Move thresholds and shares to where they fit best."""
        right, still = np.ones_like(self.at), np.zeros_like(self.at)
        for _ in range(ROUNDS):
            pieces = self._pieces(right)
            rows = self._rows_of(pieces, _joined(self.shares, still))
            means = expected(self._axes, rows)
            weights = 1.0 / np.maximum(means, LEAST)
            misfit = weights * (self._joint.observed - means)
            # The slope differs from side to side where a threshold lies between two cells.
            up = self._parted(self._slope(pieces, misfit))[1]
            down = -self._parted(self._slope(self._pieces(-right), misfit))[1]
            pieces = self._pieces(np.where(np.maximum(up, 0) >= down, right, -right))
            off = _joined(self.shares - self._pure, self.at - self._borders)
            slope = self._slope(pieces, misfit) - self._expected * off
            step = self._solved(pieces, weights, slope, self._sharpness(pieces, rows))
            shares, at = self._parted(step)
            self.at = np.clip(self.at + np.clip(at, -FAR / 2, FAR / 2), *self._ends)
            self.shares = np.clip(self.shares + shares, NONE, 1 - NONE)
            self.shares /= self.shares.sum(1, keepdims=True)

    def _solved(
        self, pieces: list[_Piece], weights: Floats, slope: Floats, sharpness: Floats
    ) -> Floats:
        """Return the step to the bottom of the parabola, by conjugate gradients.

        ``sharpness`` says how much the fit would bend with each number if nothing were disguised;
        of that, a disguise leaves about the same share for all.
        """

        def bent(step: Floats) -> Floats:
            seen = expected(self._axes, self._rows_of(pieces, step))
            return self._slope(pieces, weights * seen)

        ahead = slope / (sharpness + self._expected)
        curve = bent(ahead)
        left = max(float(ahead @ curve) / max(float(ahead @ (sharpness * ahead)), TINY), 0.0)
        scale = left * sharpness + self._expected
        step, rest, ahead = np.zeros_like(slope), slope, slope / scale
        norm = enough = float(rest @ ahead)
        for _ in range(STEPS):
            if norm <= ENOUGH * enough:
                break
            curve = bent(ahead) + self._expected * ahead
            by = norm / max(float(ahead @ curve), TINY)
            step, rest = step + by * ahead, rest - by * curve
            scaled = rest / scale
            norm, before = float(rest @ scaled), norm
            ahead = scaled + norm / max(before, TINY) * ahead
        return step

    def _parted(self, step: Floats) -> tuple[Floats, Floats]:
        shares, at = np.split(step, [self.shares.size])
        return shares.reshape(self.shares.shape), at

    def _pieces(self, towards: Floats) -> list[_Piece]:
        """Return the parts of the table that each number changes, as thresholds lie now.

        ``towards`` says in which direction each threshold goes.
        """
        pieces: list[_Piece] = []
        at = self.at.tolist()
        for leaf, (inside, moving) in enumerate(self._paths):
            spans = self._spans(at, moving)
            along = [
                self._along(axis, own, *span)
                for axis, (own, span) in enumerate(zip(inside, spans, strict=True))
            ]
            _put(pieces, along, leaf, -1)
            for number, axis, is_left in moving:
                low, high = spans[axis]
                if at[number] != (high if is_left else low):
                    continue  # another threshold is nearer
                ends = [
                    self._along(axis, inside[axis], low, end)
                    if is_left
                    else self._along(axis, inside[axis], end, high)
                    for end in (at[number], at[number] + towards[number] * WIDE)
                ]
                changed = [*along]
                changed[axis] = (ends[1] - ends[0]) / (towards[number] * WIDE)
                _put(pieces, changed, leaf, number)
        return pieces

    def _spans(
        self, at: Sequence[float], moving: list[tuple[int, int, bool]]
    ) -> list[tuple[float, float]]:
        """Return from where to where a leaf reaches along each axis."""
        spans = [(-math.inf, math.inf)] * len(self._places)
        for number, axis, is_left in moving:
            low, high = spans[axis]
            end = at[number]
            spans[axis] = (low, min(high, end)) if is_left else (max(low, end), high)
        return spans

    def _along(self, axis: int, inside: Floats, low: float, high: float) -> Floats:
        """Return by how much each group of an axis is inside."""
        known = self._tree.codings[self._places[axis]].known
        cells = np.arange(known)
        inside = inside.copy()
        inside[:known] *= np.clip(np.minimum(cells + 1, high) - np.maximum(cells, low), 0, 1)
        spread = self._joint.views[axis].spread
        return inside if spread is None else inside @ spread

    def _rows_of(self, pieces: list[_Piece], step: Floats) -> Floats:
        """Return how many records of each class a step of the numbers brings to each cell."""
        shares, at = self._parted(step)
        table = np.zeros(self._joint.table.shape)
        for cells, volume, leaf, threshold in pieces:
            change = shares[leaf] if threshold < 0 else at[threshold] * self.shares[leaf]
            table[cells] += volume[..., None] * change
        table *= self._rows[..., None]
        return table

    def _slope(self, pieces: list[_Piece], seen: Floats) -> Floats:
        """Return how the fit changes with each number, by what it changes in what is observed."""
        table = expected(self._axes, seen, back=True) * self._rows[..., None]
        shares, at = np.zeros_like(self.shares), np.zeros_like(self.at)
        for cells, volume, leaf, threshold in pieces:
            slope = volume.ravel() @ table[cells].reshape(volume.size, -1)
            if threshold < 0:
                shares[leaf] = slope
            else:
                at[threshold] += slope @ self.shares[leaf]
        return _joined(shares - shares.mean(1, keepdims=True), at)  # shares always add up to 1

    def _sharpness(self, pieces: list[_Piece], rows: Floats) -> Floats:
        """Return how much the fit bends with each number where nothing is disguised."""
        table = self._rows[..., None] ** 2 / np.maximum(rows, LEAST)
        shares, at = np.zeros_like(self.shares), np.zeros_like(self.at)
        for cells, volume, leaf, threshold in pieces:
            bend = volume.ravel() ** 2 @ table[cells].reshape(volume.size, -1)
            if threshold < 0:
                shares[leaf] = bend.mean()
            else:
                at[threshold] += bend @ self.shares[leaf] ** 2
        return _joined(shares, at)


def _put(pieces: list[_Piece], along: Sequence[Floats], leaf: int, threshold: int) -> None:
    """Add a piece, unless there is nothing of it."""
    cells = [np.flatnonzero(axis) for axis in along]
    if all(map(len, cells)):
        volume = np.ones(())
        for axis, inside in zip(along, cells, strict=True):
            volume = volume[..., None] * axis[inside]
        pieces.append(_Piece(_places(cells), volume, leaf, threshold))


def _places(cells: Sequence[NDArray[np.int64]]) -> tuple[slice | NDArray[np.int64], ...]:
    """Return where a block is in a table; ranges wherever cells lie side by side, which is fast."""
    if all(inside[-1] - inside[0] + 1 == len(inside) for inside in cells):
        return tuple(slice(int(inside[0]), int(inside[-1]) + 1) for inside in cells)
    return np.ix_(*cells)


def _joined(shares: Floats, at: Floats) -> Floats:
    return np.concatenate([shares.ravel(), at])


def last_left(tree: Tree, node: int) -> int:
    """Return the last cell on the left side of a node's border."""
    route, known = tree.routes[node], tree.codings[tree.attribute[node]].known
    if route is None:
        message = "a threshold without a route"
        raise BugError(message)
    return int(np.flatnonzero(route[:known] == 0)[-1])
