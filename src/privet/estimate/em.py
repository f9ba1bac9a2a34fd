"""Expectation–maximisation: the likeliest original counts behind observed ones (methods.md §0).

For observed = K · original with known K, the step ``x ← x ∘ Kᵀ(y / Kx)`` never lowers the
likelihood and keeps counts positive and their sum right. K is a Kronecker product, one factor an
axis of a joint table; a factor with two levels (γ-diagonal, band) is applied by running sums, in
time linear in the cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet.estimate.kernels import divide, gather, multiply, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privet.channel import Channel
    from privet.coding import Floats

__all__ = ["Axis", "Fit", "em", "expected"]


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

    def apply(self, table: Floats, *, back: bool = False) -> Floats:
        """Return expected outputs of inputs (the first of two axes), or apply the transpose."""
        if self.levels is None and self.matrix is None:
            return table
        out = np.empty((self.inputs if back else self.outputs, table.shape[1]))
        if self.levels is not None:
            (gather if back else spread)(table[None], *self.levels, out[None])
        else:
            multiply(self._transposed if back else self._contiguous, table, out)
        return out

    @cached_property
    def _contiguous(self) -> Floats:
        return np.ascontiguousarray(self.dense)

    @cached_property
    def _transposed(self) -> Floats:
        return np.ascontiguousarray(self.dense.T)


def expected(axes: Sequence[Axis], table: Floats, *, back: bool = False) -> Floats:
    """Return what a joint table leads one to observe: each factor in turn along its axis.

    ``back`` applies the transpose. The axis at work is always the first one; after each factor it
    is moved to the end, so that every product is one of two matrices.
    """
    shape = tuple(axis.inputs if back else axis.outputs for axis in axes)
    held = table
    for axis in axes:
        rows = np.ascontiguousarray(held).reshape(axis.outputs if back else axis.inputs, -1)
        held = axis.apply(rows, back=back).T
    return np.ascontiguousarray(held).reshape(shape)


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
    >>> em([axis], np.array([70.0, 30.0])).table.round(3)
    array([90., 10.])
    """
    counts = np.ascontiguousarray(observed, np.float64)
    shape = tuple(axis.inputs for axis in axes)
    table = np.full(shape, counts.sum() / np.prod(shape))
    likelihood = -np.inf
    steps = 0
    for steps in range(1, most + 1):  # noqa: B007
        ratio = expected(axes, table)
        if ratio is table:
            ratio = table.copy()
        now = float(divide(counts.ravel(), ratio.ravel()))
        table = table * expected(axes, ratio, back=True)
        if now - likelihood < least_gain:
            likelihood = now
            break
        likelihood = now
    return Fit(table, likelihood, steps)
