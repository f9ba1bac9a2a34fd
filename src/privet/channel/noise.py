"""Additive noise: a number is released with a random amount added (Agrawal and Srikant, 2000).

A value is put on a fixed public grid first and the noise is a whole number of its steps, drawn by
whole numbers only, so what is released carries no trace of the original's floating-point digits.
The outputs are the grid, longer by the noise's reach on either side. There is no finite ε: a
value near the end of the support is impossible for originals far away from it.

A grid has thousands of points, so its matrix is rarely written out: mining works on coarse cells
(``coarse``), and what is observed is then the interval that the noisy number falls in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.channel.base import Single
from privet.channel.breach import Interval, interval_of
from privet.channel.card import register
from privet.channel.gamma_diagonal import MAX_BITS, check_bits
from privet.channel.noise_law import LAWS, MOST_STEPS, gaussian_weights, uniform_weights
from privet.coding import code_type
from privet.compiled import kernel
from privet.errors import PlanError

if TYPE_CHECKING:
    from privet.channel.base import Codes
    from privet.coding import Floats, Ints
    from privet.randomness import Randomness, Words

__all__ = ["STEPS", "Noise", "check_amount"]

STEPS = 4096  # of the grid over a range of real numbers
_TAILS = 12  # standard deviations from end to end of a Gaussian, at most
_BUCKETS = 12  # bits of a word that say where to begin to look for its step


@kernel
def draw_uniform(codes: Codes, words: Words, count: int, bits: int, out: Codes) -> int:
    """Write each code plus a step below ``count``; return the largest code."""
    top = np.int64(0)
    for i in range(len(codes)):
        code = np.int64(codes[i])
        top = max(top, code)
        step = (np.uint64(words[i]) * np.uint64(count)) >> np.uint64(bits)
        out[i] = code + np.int64(step)
    return int(top)


@kernel
def draw_by_table(
    codes: Codes, words: Words, ends: Ints, begin: Ints, shift: int, out: Codes
) -> int:
    """Write each code plus the first step whose cumulated weight is above the word."""
    top = np.int64(0)
    for i in range(len(codes)):
        code, word = np.int64(codes[i]), np.int64(words[i])
        top = max(top, code)
        step = begin[word >> shift]
        while word >= ends[step]:
            step += 1
        out[i] = code + step
    return int(top)


@register
@dataclass(frozen=True)
class Noise(Single):
    """Add noise to the numbers of an ``attribute``, both on a grid of ``steps`` over its range.

    ``spread`` is in steps: the half width of uniform noise, the standard deviation of Gaussian
    noise. Protects by an interval: at a confidence c the true value lies in no narrower one than
    ``width(c)``, for someone who knows nothing else; near the ends of the range, and for someone
    who knows how values are spread, it is narrower. There is no finite ε.

    >>> age = Noise.uniform("age", low=20, high=80, alpha=25, steps=60)
    >>> age.output_size, age.width(0.95)
    (111, 48.0)
    """

    kind: ClassVar[str] = "noise"
    card: ClassVar[tuple[str, ...]] = (
        *("attribute", "law", "low", "high", "steps", "spread"),
        *("reach", "middle", "bits"),  # the weights follow from these exactly
    )
    numbers: ClassVar[bool] = True

    attribute: str
    law: str
    low: float
    high: float
    steps: int
    spread: float
    bits: int = MAX_BITS

    def __post_init__(self) -> None:
        where = f"Attribute {self.attribute!r}"
        if self.law not in LAWS:
            raise PlanError(f"{where}: the kind of noise must be 'uniform' or 'gaussian'.")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            message = f"{where}: noise needs a finite range of more than one number."
            raise PlanError(message, hint="release it as 'exact' or 'withheld'.")
        if not isinstance(self.steps, int) or not 1 <= self.steps < MOST_STEPS:
            message = f"{where}: the grid must have a whole number of steps from 1 to "
            raise PlanError(message + f"{MOST_STEPS - 1}.")
        if not (self.spread > 0 and math.isfinite(self.spread)):
            raise PlanError(f"{where}: the noise must be a finite number above 0.")
        check_bits(self.bits, where)
        if self.law == "uniform" and self.spread != int(self.spread):
            raise PlanError(f"{where}: uniform noise reaches over a whole number of steps.")
        length = (2 if self.law == "uniform" else _TAILS) * self.spread + self.steps
        if length >= min(MOST_STEPS, 1 << self.bits):
            message = f"{where}: the noise is too large for a grid of {self.steps} steps."
            raise PlanError(message, hint="use less noise, or fewer steps.")

    @classmethod
    def uniform(
        cls, attribute: str, *, low: float, high: float, alpha: float, steps: int = STEPS
    ) -> Noise:
        """Return noise that is uniform on [−alpha, alpha], rounded up to whole steps.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.output_size
        14
        """
        check_amount(alpha, "alpha", f"Attribute {attribute!r}")
        half = math.ceil(alpha / ((high - low) / steps) * (1 - 1e-12))
        return cls(attribute, "uniform", float(low), float(high), steps, half)

    @classmethod
    def gaussian(
        cls, attribute: str, *, low: float, high: float, sigma: float, steps: int = STEPS
    ) -> Noise:
        """Return Gaussian noise with standard deviation ``sigma``.

        >>> Noise.gaussian("age", low=0, high=9, sigma=1, steps=9).law
        'gaussian'
        """
        check_amount(sigma, "sigma", f"Attribute {attribute!r}")
        spread = sigma / ((high - low) / steps)
        return cls(attribute, "gaussian", float(low), float(high), steps, spread)

    # The law

    @cached_property
    def weights_of_steps(self) -> Ints:
        """How many of the ``2**bits`` words lead to each step, −reach … reach."""
        if self.law == "uniform":
            return uniform_weights(int(self.spread), self.bits)
        return gaussian_weights(float(self.spread), self.bits)

    @property
    def reach(self) -> int:
        """The largest number of steps that is ever added.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.reach
        2
        """
        return len(self.weights_of_steps) // 2

    @property
    def middle(self) -> int:
        """How many of the words add nothing.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.middle
        858993459
        """
        return int(self.weights_of_steps[self.reach])

    @property
    def step(self) -> float:
        """The width of a step of the grid.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.step
        1.0
        """
        return (self.high - self.low) / self.steps

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> round(noise.deviation, 3)
        1.414
        """
        places = np.arange(-self.reach, self.reach + 1, dtype=np.float64)
        return self.step * math.sqrt(float(self.weights_of_steps @ places**2) / self.scale)

    def width(self, confidence: float) -> float:
        """Return AS's privacy: the width of the narrowest interval that holds the true value.

        By the noise alone: for someone to whom all originals are equally likely, and far from
        the ends of the range. For uniform noise c·2α, for Gaussian noise 2z((1+c)/2)·σ, on the
        grid: the distance between the ends of the fewest neighbouring points that hold c.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.width(0.95) > 0
        True
        """
        heaped = np.concatenate([[0], np.cumsum(self.weights_of_steps)])
        wanted = math.ceil(confidence * self.scale)
        ends = np.searchsorted(heaped, heaped + wanted, "left")
        fits = ends < len(heaped)
        points = ends[fits] - np.flatnonzero(fits)
        return float((points.min() - 1) * self.step)

    def interval(self) -> Interval:
        """Return how wide an interval is promised, and where it is narrower.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.interval() is None
        False
        """
        return interval_of(self)

    def entropy(self, prior: Any = None) -> float:
        """Return the entropy of the noise in bits; it is the same for every value.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> round(noise.entropy(), 2)
        2.32
        """
        del prior
        shares = self.weights_of_steps / self.scale
        return float(-(shares * np.log2(shares)).sum())

    def amplification(self) -> None:
        """Return None: at the support's edge outputs are impossible for some originals.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.amplification() is None
        True
        """
        return

    # Numbers and codes

    def codes(self, numbers: Floats) -> Codes:
        """Return the grid point of each number of the range.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.codes(np.array([0.0, 9.0])).tolist()
        [0, 9]
        """
        places = np.rint((np.asarray(numbers, np.float64) - self.low) / self.step)
        return np.asarray(np.clip(places, 0, self.steps).astype(_kind(self.input_size)))

    def released(self, outputs: Codes) -> Floats:
        """Return the numbers that outputs stand for.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.released(np.array([2, 11]))
        array([0., 9.])
        """
        return self.low + (outputs.astype(np.float64) - self.reach) * self.step

    def observed(self, numbers: Floats) -> Codes:
        """Return the output nearest to each noisy number; beyond all outputs it is the last.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.observed(np.array([0.0, 9.0])).tolist()
        [2, 11]
        """
        places = np.rint((np.asarray(numbers, np.float64) - self.low) / self.step) + self.reach
        return np.asarray(np.clip(places, 0, self.output_size - 1).astype(_kind(self.output_size)))

    def outside(self, numbers: Floats) -> int:
        """Return how many numbers are not outputs: beyond all of them, or off the grid.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.outside(np.array([0.0, 30.0]))
        1
        """
        with np.errstate(invalid="ignore", over="ignore"):
            places = np.rint((numbers - self.low) / self.step) + self.reach
            fine = (places >= 0) & (places < self.output_size)
            fine &= self.released(np.where(fine, places, 0.0)) == numbers
        return int(len(numbers) - fine.sum())

    def disguise(self, codes: Codes, randomness: Randomness, column: int, start: int = 0) -> Codes:
        """Return what is released: noisy numbers for numbers, outputs for codes of the grid.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> from privet.randomness import Randomness
        >>> with Randomness.of(1) as words:
        ...     len(noise.disguise(np.array([0, 9]), words, 0))
        2
        """
        if codes.dtype.kind != "f":
            return super().disguise(codes, randomness, column, start)
        return self.released(super().disguise(self.codes(codes), randomness, column, start))

    # The channel

    @property
    def inputs(self) -> tuple[int, ...]:
        """The number of points of the grid.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.inputs
        (10,)
        """
        return (self.steps + 1,)

    @property
    def outputs(self) -> tuple[int, ...]:
        """The number of points, and the noise's reach more on either side.

        >>> noise = Noise.uniform("age", low=0, high=9, alpha=2, steps=9)
        >>> noise.outputs
        (14,)
        """
        return (self.steps + 1 + 2 * self.reach,)

    @property
    def _type(self) -> type[np.generic]:
        return _kind(self.output_size)

    def _draw(self, codes: Codes, words: Words, out: Codes) -> int:
        if self.law == "uniform":
            return draw_uniform(codes, words, len(self.weights_of_steps), self.bits, out)
        return draw_by_table(codes, words, *self._table, out)

    @cached_property
    def _table(self) -> tuple[Ints, Ints, int]:
        ends = np.cumsum(self.weights_of_steps)
        shift = max(0, self.bits - _BUCKETS)
        first = np.arange(1 << (self.bits - shift), dtype=np.int64) << shift
        return ends, np.searchsorted(ends, first, "right").astype(np.int64), shift

    def _matrix(self) -> Ints:
        weights = self.weights_of_steps
        matrix = np.zeros((self.output_size, self.input_size), np.int64)
        for point in range(self.input_size):
            matrix[point : point + len(weights), point] = weights
        return matrix


def check_amount(amount: object, name: str, where: str) -> None:
    """Refuse an amount of noise that is no finite number above zero."""
    if isinstance(amount, int | float) and not isinstance(amount, bool) and 0 < amount < math.inf:
        return
    raise PlanError(f"{where}: {name} must be a finite number above 0.")


def _kind(size: int) -> type[np.generic]:
    return code_type(size) if size <= 1 << 16 else np.int32
