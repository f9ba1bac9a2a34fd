"""Expectation–maximisation: the likeliest original counts behind observed ones.

For observed = K · original with known K, the step ``x ← x ∘ Kᵀ(y / Kx)`` never lowers the
likelihood and keeps counts positive and their sum right. K is a Kronecker product, one factor an
axis of a joint table; a factor with two levels (γ-diagonal, band) and many inputs is applied by
running sums, in time linear in the cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import TYPE_CHECKING

import numpy as np

from privet.estimate.kernels import divide, gather, hurry, log_likelihood, spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.channel import Channel
    from privet.coding import Floats, Ints

__all__ = ["Axis", "Fit", "em", "em_up_to", "expected", "hurried", "hurried_steps"]

FEW = 64  # inputs up to which a product with the whole matrix is faster than running sums


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

    def of_some(self, codes: Ints) -> Axis:
        """Return the factor of some of the inputs."""
        if len(codes) == self.inputs:
            return self
        return Axis(len(codes), self.outputs, matrix=self.dense[:, codes])

    @property
    def is_exact(self) -> bool:
        """Whether what was observed is what was."""
        return self.levels is None and self.matrix is None

    @cached_property
    def dense(self) -> Floats:
        """The factor written out."""
        if self.matrix is not None:
            return self.matrix
        if self.levels is None:
            return np.eye(self.inputs)
        far, near, width = self.levels
        place = np.arange(self.outputs)[:, None] - np.arange(self.inputs)
        return np.where((place >= 0) & (place < width), near, far)

    def applied(self, table: Floats, *, back: bool = False) -> Floats:
        """Return expected outputs of inputs (the first of two axes), or apply the transpose.

        The axis comes last in what is returned.
        """
        if self.is_exact:
            return table.T
        if self.levels is not None and self.inputs > FEW:
            out = np.empty((self.inputs if back else self.outputs, table.shape[1]))
            (gather if back else spread)(table, *self.levels, out)
            return out.T
        return table.T @ (self.dense if back else self.dense.T)


def expected(axes: Sequence[Axis], table: Floats, *, back: bool = False) -> Floats:
    """Return what a joint table leads to observe: each factor in turn along its axis.

    ``back`` applies the transpose. The axis at work is always the first; each factor moves it
    to the end, so that every product is one of two matrices.
    """
    shape = tuple(axis.inputs if back else axis.outputs for axis in axes)
    moved = table
    for axis in axes:
        rows = np.ascontiguousarray(moved).reshape(axis.outputs if back else axis.inputs, -1)
        moved = axis.applied(rows, back=back)
    return np.ascontiguousarray(moved).reshape(shape)


@dataclass(frozen=True)
class Fit:
    """A fitted joint table, its log-likelihood, and how many steps it took."""

    table: Floats
    likelihood: float
    steps: int


def _begun(axes: Sequence[Axis], observed: Floats) -> tuple[Floats, Floats]:
    """Return what was observed as kernels take it, and an even table of as many records."""
    counts = np.ascontiguousarray(observed, np.float64)
    shape = tuple(axis.inputs for axis in axes)
    return counts, np.full(shape, counts.sum() / np.prod(shape))


def _expected_apart(axes: Sequence[Axis], table: Floats) -> Floats:
    """Return what a table leads to observe, never in the table's own memory."""
    made = expected(axes, table)
    return made.copy() if np.may_share_memory(made, table) else made  # nothing was disguised


def em(axes: Sequence[Axis], observed: Floats, *, most: int = 400, least_gain: float = 0.0) -> Fit:
    """Return the fitted table after ``most`` steps, or when a step gains less than ``least_gain``.

    ``observed`` has one axis per factor; the fit starts uniform. ``likelihood`` is that of the
    table before the last step.

    >>> axis = Axis(2, 2, matrix=np.array([[0.75, 0.25], [0.25, 0.75]]))
    >>> em([axis], np.array([70.0, 30.0])).table.round(3)
    array([90., 10.])
    """
    counts, table = _begun(axes, observed)
    likelihood = -np.inf
    steps = 0
    for steps in range(1, most + 1):
        ratio = _expected_apart(axes, table)
        before = likelihood
        if least_gain > 0 or steps == most:  # a logarithm per cell costs as much as a step
            likelihood = float(log_likelihood(counts.ravel(), ratio.ravel()))
        divide(counts.ravel(), ratio.ravel())
        table = table * expected(axes, ratio, back=True)
        if least_gain > 0 and likelihood - before < least_gain:
            break
    return Fit(table, likelihood, steps)


def em_up_to(axes: Sequence[Axis], observed: Floats, steps: int) -> Floats:
    """Return the table about as far from even as ``steps`` steps of EM bring it, in far fewer.

    Every step starts ahead of the last table, by a growing share of the way it has just come
    (Nesterov, 1983; on logarithms, so that counts stay positive). Plain steps fit a difference that
    the channel keeps to a share σ once their number reaches 1 / σ², these once their number squared
    reaches 6 / σ²: ``steps`` says how much is left unfitted as it does for ``em``.

    >>> axis = Axis(2, 2, matrix=np.array([[0.75, 0.25], [0.25, 0.75]]))
    >>> em_up_to([axis], np.array([70.0, 30.0]), 150).round(1)
    array([90., 10.])
    """
    counts, table = _begun(axes, observed)
    path = hurried(axes, counts, table)
    return next(islice(path, hurried_steps(steps), None))[0]


def hurried_steps(steps: int) -> int:
    """Return how many hurried steps go as far as so many plain ones."""
    return math.ceil(math.sqrt(6 * steps))


def hurried(
    axes: Sequence[Axis], counts: Floats, table: Floats, rows: Floats | None = None
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the table after each hurried step, and what one observes where the next one starts.

    With ``rows`` only the classes, along the last axis, are fitted: each cell keeps its records.
    """
    before = table
    for step in count():
        ahead = table.copy()
        if step > 1:
            hurry(table.ravel(), before.ravel(), (step - 1) / (step + 2), ahead.ravel())
            ahead = _shared_out(ahead, rows)
        means = _expected_apart(axes, ahead)
        yield table, means
        divide(counts.ravel(), means.ravel())
        before = table
        table = _shared_out(ahead * expected(axes, means, back=True), rows)


def _shared_out(table: Floats, rows: Floats | None) -> Floats:
    """Return a table whose classes add up to ``rows`` in each cell, or the table as it is."""
    if rows is None:
        return table
    summed = table @ np.ones(table.shape[-1])  # sums along a short axis are slow
    shared: Floats = table * (rows / np.maximum(summed, 1e-300))[..., None]
    return shared
