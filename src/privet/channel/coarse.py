"""Noise as a miner's tables see it: from cells of the original to intervals of the noisy number.

K[s, p] is the chance that a value, any grid point of cell p being as likely, is observed in
interval s (integrated); the intervals cover all outputs, so columns sum to 1. The
paper takes the noise's density between midpoints instead: ``midpoints``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from privet.channel.base import Channel, whole_matrix
from privet.channel.card import read_exactly
from privet.channel.noise import Noise
from privet.coding import Coding
from privet.errors import MethodError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.coding import Floats, Ints, Mask

__all__ = ["CoarseNoise"]

LEAST = 0.25  # of a cell's share: an interval that is expected to hold less is joined to the next


@dataclass(frozen=True, eq=False)
class CoarseNoise(Channel):
    """Additive noise over the cells of a coding; ``starts`` are the first outputs of intervals.

    >>> from privet.channel import Noise
    >>> from privet.coding import Coding
    >>> noise = Noise.uniform("x", low=0, high=5, alpha=1, steps=5)
    >>> coarse = CoarseNoise.of(noise, Coding.cells("x", [0, 3], [2, 5]), fine=3)
    >>> (9 * coarse.kernel).round(6).T
    array([[1., 2., 3., 2., 1., 0., 0., 0.],
           [0., 0., 0., 1., 2., 3., 2., 1.]])
    """

    kind: ClassVar[str] = "coarse-noise"

    noise: Noise
    coding: Coding
    starts: Ints

    @classmethod
    def of(cls, noise: Noise, coding: Coding, *, fine: float = 1.0, tails: bool = True) -> Self:
        """Return the channel for intervals as wide as the mean cell, or ``fine`` times finer.

        Where every point of the grid is a cell of its own, every output is an interval of its own.
        Where ``tails`` are joined, no interval at the ends is expected to hold less than a
        quarter of what an even share of the originals is.
        """
        points = noise.input_size
        if coding.known > points:
            message = f"Attribute {noise.attribute!r} has {coding.known} cells for a grid of "
            raise MethodError(message + f"{points} points.", hint="use fewer cells.")
        width = max(1.0, points / coding.known / fine) if coding.known < points else 1.0
        # One interval ends where the range begins, so that those inside lie as the cells do.
        before = int(np.ceil(noise.reach / width))
        count = int(np.ceil((noise.output_size - noise.reach) / width)) + before
        starts = np.round(noise.reach + (np.arange(count) - before) * width).astype(np.int64)
        starts = np.unique(np.clip(starts, 0, noise.output_size - 1))
        if tails:
            starts = starts[_kept(noise, starts, LEAST / (coding.known * fine))]
        return cls(noise, coding, starts)

    @cached_property
    def cells(self) -> Ints:
        """The first grid point of each cell."""
        numbers = self.noise.released(np.arange(self.noise.input_size) + self.noise.reach)
        codes = self.coding.encode(np.clip(numbers, self.noise.low, self.noise.high))
        first = np.searchsorted(codes, np.arange(self.coding.known))
        if (np.diff(np.append(first, len(codes))) < 1).any():
            message = f"Attribute {self.noise.attribute!r}: a cell holds no point of the grid."
            raise MethodError(message, hint="use fewer cells.")
        return first

    @cached_property
    def kernel(self) -> Floats:
        """K, intervals × cells; columns sum to 1."""
        return _mass(self.noise, self.starts, self.cells)

    @cached_property
    def midpoints(self) -> Floats:
        """The paper's kernel: the noise's density from each cell's midpoint to each interval's.

        Its columns do not sum to 1. An interval of several joined ones is taken piece by piece,
        each as wide as a cell: its own midpoint would lie where hardly any of its records do.
        Distances are whole numbers of widths, whatever the grid, and the density at one is the
        mean of two steps: half at the very end of uniform noise.
        """
        width = self.noise.input_size / self.coding.known
        borders = (np.append(self.starts, self.noise.output_size) - self.noise.reach) / width
        borders[[0, -1]] = np.floor(borders[0]), np.ceil(borders[-1])  # as wide as all others
        borders = np.rint(borders).astype(np.int64)
        apart = np.arange(borders[0], borders[-1])[:, None] - np.arange(self.coding.known)
        steps = np.append(self.noise.weights_of_steps[self.noise.reach :], [0, 0]) / self.scale
        place = np.rint(np.abs(apart) * width).astype(np.int64).clip(max=self.noise.reach + 1)
        density = (steps[:-1] + steps[1:])[place] / 2
        return np.add.reduceat(density, borders[:-1] - borders[0], axis=0)

    @cached_property
    def slots(self) -> NDArray[Any]:
        """The interval of each output."""
        starts = np.zeros(self.noise.output_size, np.int64)
        starts[self.starts[1:]] = 1
        return np.cumsum(starts).astype(self._type)

    def observed(self, numbers: Floats) -> NDArray[Any]:
        """Return the interval that each noisy number falls in."""
        return np.asarray(self.slots[self.noise.observed(numbers)])

    # The channel

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute."""
        return self.noise.attributes

    @property
    def inputs(self) -> tuple[int, ...]:
        """The number of cells."""
        return (self.coding.known,)

    @property
    def outputs(self) -> tuple[int, ...]:
        """The number of intervals."""
        return (len(self.starts),)

    def _matrix(self) -> Ints:
        return whole_matrix(self.kernel, self.scale)

    def to_dict(self) -> dict[str, Any]:
        """Return the noise, the cells and where the intervals start."""
        return {
            "kind": self.kind,
            "noise": self.noise.to_dict(),
            "cells": self.coding.to_dict(),
            "starts": self.starts.tolist(),
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> CoarseNoise:
        """Read what ``to_dict`` wrote."""

        def make() -> CoarseNoise:
            coding = Coding.from_dict(form["cells"])
            return cls(Noise.from_dict(form["noise"]), coding, np.array(form["starts"], np.int64))

        return read_exactly(form, make)


def _mass(noise: Noise, starts: Ints, cells: Ints) -> Floats:
    """Return the chance of each interval for each cell, its points being equally likely."""
    heaped = np.concatenate([[0], np.cumsum(noise.weights_of_steps)]) / noise.scale
    # Twice heaped: the sum over a cell's points of what lies before an output.
    twice = np.concatenate([[0.0], np.cumsum(heaped)])
    ends = np.append(starts[1:], noise.output_size)
    lasts = np.append(cells[1:], noise.input_size)
    top = len(heaped) - 1

    def below(outputs: Ints) -> Floats:
        """Return the mean over a cell's points x of the chance to stay below each output."""
        first = outputs[:, None] - lasts + 1  # of the arguments output − x, from this …
        last = outputs[:, None] - cells  # … up to that
        inner_first, inner_last = np.clip(first, 0, top + 1), np.clip(last + 1, 0, top + 1)
        beyond = np.maximum(last + 1 - np.maximum(first, top + 1), 0)
        means: Floats = (twice[inner_last] - twice[inner_first] + beyond) / (lasts - cells)
        return means

    return np.asarray(np.maximum(below(ends) - below(starts), 0.0), np.float64)


def _kept(noise: Noise, starts: Ints, least: float) -> Mask:
    """Say which intervals begin anew once thin ones at either end are joined to the next."""
    shares = _mass(noise, starts, np.array([0]))[:, 0]
    left = int(np.searchsorted(np.cumsum(shares), least))
    right = len(shares) - 1 - int(np.searchsorted(np.cumsum(shares[::-1]), least))
    keep = np.ones(len(shares), np.bool_)
    if left < right:
        keep[1 : left + 1] = False
        keep[right + 1 :] = False
    return keep
