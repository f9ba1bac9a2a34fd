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

from privet.estimate.kernels import divide, gather, hurry, multiply, spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.channel import Channel
    from privet.coding import Floats, Ints

__all__ = [
    "Axis",
    "Fit",
    "Product",
    "em",
    "em_up_to",
    "expected",
    "hurried",
    "hurried_steps",
    "log_likelihood",
    "rows_of",
    "summed_to",
    "turned",
]

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

    def ahead(self, table: Floats, out: Floats | None = None) -> Floats:
        """Return expected outputs of inputs, the first of two axes: it comes last in ``out``."""
        if self.is_exact:
            return table.T.copy()
        if self.levels is not None and self.inputs > FEW:
            spread_out = np.empty((self.outputs, table.shape[1]))
            spread(table, *self.levels, spread_out)
            return np.ascontiguousarray(spread_out.T)
        return np.matmul(table.T, self.dense.T, out=out)

    def behind(self, table: Floats, out: Floats | None = None) -> Floats:
        """Apply the transpose to outputs, the last of two axes: it comes first in ``out``."""
        if self.is_exact:
            return table.T.copy()
        if self.levels is not None and self.inputs > FEW:
            gathered = np.empty((self.inputs, len(table)))
            gather(np.ascontiguousarray(table.T), *self.levels, gathered)
            return gathered
        return np.matmul(self.dense.T, table.T, out=out)


def expected(axes: Sequence[Axis], table: Floats, *, back: bool = False) -> Floats:
    """Return what a joint table leads to observe: each factor in turn along its axis.

    ``back`` applies the transpose. The axis at work is always the first, or the last on the way
    back; each factor moves it to the other end, so that every product is one of two matrices.
    """
    for axis in reversed(axes) if back else axes:
        if back:
            table = axis.behind(table.reshape(-1, axis.outputs))
        else:
            table = axis.ahead(table.reshape(axis.inputs, -1))
    return table.reshape([axis.inputs if back else axis.outputs for axis in axes])


def rows_of(table: Floats) -> Floats:
    """Return sums over the classes: a product, because sums along a short axis are slow."""
    summed: Floats = table @ np.ones(table.shape[-1])
    return summed


def summed_to(table: Floats, axes: Sequence[int]) -> Floats:
    """Return sums over all axes but some.

    >>> summed_to(np.array([[1.0, 2.0], [3.0, 4.0]]), [1])
    array([4., 6.])
    """
    summed: Floats = table.sum(tuple({*range(table.ndim)} - {*axes}))
    return summed


@dataclass(frozen=True)
class Fit:
    """A fitted joint table, its log-likelihood, and how many steps it took."""

    table: Floats
    likelihood: float
    steps: int


def _last_stays(axes: Sequence[Axis]) -> bool:
    return len(axes) > 1 and axes[-1].is_exact


def turned(axes: Sequence[Axis], observed: Floats) -> Floats:
    """Return what was observed with its axes in the order that a ``Product`` gives."""
    return np.ascontiguousarray(np.moveaxis(observed, -1, 0) if _last_stays(axes) else observed)


class Product:
    """K and its transpose, applied again and again to tables of one shape, in memory of its own.

    What comes back is overwritten by the next call. It starts from zeros: a product may read what
    it overwrites, and warn of what no number is. Forward each axis in turn goes from the front
    to the end, back from the end to the front, so that no product has to be turned; a last axis
    that is exact stays in front of what is observed meanwhile.
    """

    def __init__(self, axes: Sequence[Axis]) -> None:
        stays = _last_stays(axes)
        self._axes = tuple(axes[:-1] if stays else axes)
        last = axes[-1].inputs if stays else 1
        sizes = [axis.inputs for axis in self._axes]
        self._ahead, self._behind = [], []
        for place, axis in enumerate(self._axes):
            sizes[place] = axis.outputs
            rest = last * math.prod(sizes) // axis.outputs
            self._ahead.append(np.zeros((rest, axis.outputs)))
            self._behind.append(np.zeros((axis.inputs, rest)))
        self._inputs = tuple(axis.inputs for axis in axes)
        outputs = tuple(axis.outputs for axis in self._axes)
        self._outputs = (last, *outputs) if stays else outputs

    def forward(self, table: Floats) -> Floats:
        """Return what a table leads to observe, with axes as in ``turned``."""
        for axis, out in zip(self._axes, self._ahead, strict=True):
            table = axis.ahead(table.reshape(axis.inputs, -1), out)
        return table.reshape(self._outputs)

    def back(self, observed: Floats) -> Floats:
        """Return the transpose, applied to something with axes as in ``turned``."""
        for axis, out in zip(self._axes[::-1], self._behind[::-1], strict=True):
            observed = axis.behind(observed.reshape(-1, axis.outputs), out)
        return observed.reshape(self._inputs)


def _begun(axes: Sequence[Axis], observed: Floats) -> tuple[Floats, Floats]:
    """Return what was observed as kernels take it, and an even table of as many records."""
    counts = np.ascontiguousarray(observed, np.float64)
    shape = tuple(axis.inputs for axis in axes)
    return counts, np.full(shape, counts.sum() / np.prod(shape))


def em(axes: Sequence[Axis], observed: Floats, *, most: int = 400, least_gain: float = 0.0) -> Fit:
    """Return the fitted table after ``most`` steps, or when a step gains less than ``least_gain``.

    ``observed`` has one axis per factor; the fit starts uniform. ``likelihood`` is that of the
    table before the last step.

    >>> axis = Axis(2, 2, matrix=np.array([[0.75, 0.25], [0.25, 0.75]]))
    >>> em([axis], np.array([70.0, 30.0])).table.round(3)
    array([90., 10.])
    """
    counts, table = _begun(axes, observed)
    product = Product(axes)
    counts = turned(axes, counts)
    likelihood = -np.inf
    steps = 0
    for steps in range(1, most + 1):
        ratio = product.forward(table)
        before = likelihood
        if least_gain > 0 or steps == most:  # a logarithm per cell costs as much as a step
            likelihood = log_likelihood(counts, ratio)
        divide(counts.ravel(), ratio.ravel())
        table = table * product.back(ratio)
        if least_gain > 0 and likelihood - before < least_gain:
            break
    return Fit(table, likelihood, steps)


def log_likelihood(observed: Floats, expected: Floats) -> float:
    """Return the logarithm of how likely what was observed is, but for a constant."""
    return float((observed * np.log(np.maximum(expected, 1e-300))).sum())


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
    Both are overwritten in later steps; ``table`` itself is left as it is.
    """
    product = Product(axes)
    counts = turned(axes, counts)
    cells = np.ones(0) if rows is None else np.ascontiguousarray(rows).ravel()
    table, before, ahead = (np.array(table, order="C") for _ in range(3))  # kernels see them flat
    for step in count():
        share = max(step - 1, 0) / (step + 2)
        hurry(table.ravel(), before.ravel(), share, cells, ahead.ravel())
        means = product.forward(ahead)
        yield table, means
        divide(counts.ravel(), means.ravel())
        table, before = before, table
        multiply(ahead.ravel(), product.back(means).ravel(), cells, table.ravel())
