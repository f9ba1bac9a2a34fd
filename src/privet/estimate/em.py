"""Expectation–maximisation: the likeliest original counts behind observed ones (methods.md §0).

For observed = K · original with known K, the step ``x ← x ∘ Kᵀ(y / Kx)`` never lowers the
likelihood and keeps counts positive and their sum right. K is a Kronecker product, one factor an axis
of a joint table; a factor with two levels (γ-diagonal, band) is applied by running sums, in time
linear in the cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel import Channel
    from privet.coding import Floats

__all__ = ["Axis", "Fit", "em"]


@kernel
def spread(table: Floats, far: float, near: float, width: int, out: Floats) -> None:
    """Apply a two-level factor to the middle axis: inputs to outputs."""
    outer, inputs, inner = table.shape
    more = near - far
    if inner < 8:  # short rows: a running sum along the axis
        for o in range(outer):
            for i in range(inner):
                total = 0.0
                for v in range(inputs):
                    total += table[o, v, i]
                total *= far
                window = 0.0
                for u in range(out.shape[1]):
                    if u < inputs:
                        window += table[o, u, i]
                    if u >= width:
                        window -= table[o, u - width, i]
                    out[o, u, i] = total + more * max(window, 0.0)
        return
    sums = np.empty(inner)
    held = np.empty(inner)
    for o in range(outer):
        sums[:] = 0.0
        held[:] = 0.0
        for v in range(inputs):
            for i in range(inner):
                sums[i] += far * table[o, v, i]
        for u in range(out.shape[1]):
            if u < inputs:
                for i in range(inner):
                    held[i] += table[o, u, i]
            if u >= width:
                for i in range(inner):
                    held[i] -= table[o, u - width, i]
            for i in range(inner):
                out[o, u, i] = sums[i] + more * max(held[i], 0.0)


@kernel
def gather(table: Floats, far: float, near: float, width: int, out: Floats) -> None:
    """Apply the transpose of a two-level factor to the middle axis: outputs to inputs."""
    outer, outputs, inner = table.shape
    more = near - far
    if inner < 8:
        for o in range(outer):
            for i in range(inner):
                total = 0.0
                for u in range(outputs):
                    total += table[o, u, i]
                total *= far
                window = 0.0
                for u in range(width - 1):
                    window += table[o, u, i]
                for v in range(out.shape[1]):
                    window += table[o, v + width - 1, i]
                    out[o, v, i] = total + more * max(window, 0.0)
                    window -= table[o, v, i]
        return
    sums = np.empty(inner)
    held = np.empty(inner)
    for o in range(outer):
        sums[:] = 0.0
        held[:] = 0.0
        for u in range(outputs):
            for i in range(inner):
                sums[i] += far * table[o, u, i]
        for u in range(width - 1):
            for i in range(inner):
                held[i] += table[o, u, i]
        for v in range(out.shape[1]):
            for i in range(inner):
                held[i] += table[o, v + width - 1, i]
                out[o, v, i] = sums[i] + more * max(held[i], 0.0)
                held[i] -= table[o, v, i]


@kernel
def divide(observed: Floats, expected: Floats) -> float:
    """Put observed / expected in the place of the expected; return the log-likelihood."""
    likelihood = 0.0
    for i in range(len(observed)):
        if observed[i] > 0.0:
            mean = max(expected[i], 1e-300)
            likelihood += observed[i] * np.log(mean)
            expected[i] = observed[i] / mean
        else:
            expected[i] = 0.0
    return likelihood


@dataclass(frozen=True)
class Axis:
    """One factor of K: exact (nothing given), of two levels, or a matrix (outputs × inputs)."""

    inputs: int
    outputs: int
    levels: tuple[float, float, int] | None = None
    matrix: Floats | None = None

    @classmethod
    def of(cls, channel: Channel | None, size: int) -> Axis:
        """Return the factor of a channel; None is an exact attribute of ``size`` codes."""
        if channel is None:
            return cls(size, size)
        levels = channel.levels()
        matrix = None if levels else channel.matrix() / channel.scale
        return cls(channel.input_size, channel.output_size, levels, matrix)

    @property
    def dense(self) -> Floats:
        """The factor written out."""
        if self.matrix is not None:
            return self.matrix
        if self.levels is None:
            return np.eye(self.inputs)
        far, near, width = self.levels
        place = np.arange(self.outputs)[:, None] - np.arange(self.inputs)
        return np.where((place >= 0) & (place < width), near, far)

    def forward(self, table: Floats, axis: int) -> Floats:
        """Return expected outputs along one axis."""
        return self._apply(table, axis, self.outputs, back=False)

    def back(self, table: Floats, axis: int) -> Floats:
        """Apply the transpose along one axis."""
        return self._apply(table, axis, self.inputs, back=True)

    def _apply(self, table: Floats, axis: int, size: int, *, back: bool) -> Floats:
        if self.levels is None and self.matrix is None:
            return table
        shape = table.shape
        outer = int(np.prod(shape[:axis]))
        block = np.ascontiguousarray(table).reshape(outer, shape[axis], -1)
        out = np.empty((outer, size, block.shape[2]))
        if self.levels is not None:
            (gather if back else spread)(block, *self.levels, out)
        else:
            matrix = self.dense.T if back else self.dense
            np.matmul(matrix, block, out=out)
        return out.reshape(*shape[:axis], size, *shape[axis + 1 :])


@dataclass(frozen=True)
class Fit:
    """A fitted joint table, its log-likelihood, and how many steps it took."""

    table: Floats
    likelihood: float
    steps: int


def em(axes: Sequence[Axis], observed: Floats, *, most: int = 400, least_gain: float = 0.0) -> Fit:
    """Return the fitted table after ``most`` steps, or when a step gains less than ``least_gain``.

    ``observed`` has one axis a factor; the fit starts uniform. ``likelihood`` is that of the table
    before the last step.

    >>> axis = Axis(2, 2, matrix=np.array([[0.75, 0.25], [0.25, 0.75]]))
    >>> em([axis], np.array([70.0, 30.0])).table.round(6)
    array([90., 10.])
    """
    counts = np.ascontiguousarray(observed, np.float64)
    shape = tuple(axis.inputs for axis in axes)
    table = np.full(shape, counts.sum() / np.prod(shape))
    likelihood = -np.inf
    steps = 0
    for steps in range(1, most + 1):  # noqa: B007
        ratio = table
        for place, axis in enumerate(axes):
            ratio = axis.forward(ratio, place)
        if ratio is table:
            ratio = table.copy()
        now = float(divide(counts.ravel(), ratio.ravel()))
        for place, axis in enumerate(axes):
            ratio = axis.back(ratio, place)
        table = table * ratio
        if now - likelihood < least_gain:
            likelihood = now
            break
        likelihood = now
    return Fit(table, likelihood, steps)
