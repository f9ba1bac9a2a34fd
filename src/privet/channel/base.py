"""What a channel is: the known random change of one independent group of attributes.

Column k of a channel's matrix is the law of what is released for the value k, in whole numbers
that sum to ``2**bits``. The same numbers are drawn from, are on the card, make the claim and are
inverted by the miner.

The values of a group of several attributes are numbered in mixed radix, the last attribute
fastest: its *joint codes*.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from privet.channel.card import read_exactly, read_fields, written
from privet.coding import Box, code_type
from privet.compiled import side_by_side, threads
from privet.errors import BugError, MethodError
from privet.randomness import CHUNK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privet.channel.breach import Interval
    from privet.coding import Floats, Ints, Mask
    from privet.randomness import Randomness

    Codes = NDArray[Any]
    Matrix = Ints

__all__ = ["MAX_CELLS", "Channel", "Single", "Stated", "log", "whole_matrix"]

MAX_CELLS = 1 << 22  # of a matrix that is written out
WORD_BITS = 32
SPAN = 1 << 19  # rows that are worth a thread


class Channel(ABC):
    """The known random change of one independent group of attributes.

    A frozen value. ``words`` is the number of 32-bit random words it takes per record.
    """

    kind: ClassVar[str]
    card: ClassVar[tuple[str, ...]]  # what a card says of it: every field, and what follows
    words: ClassVar[int] = 1
    numbers: ClassVar[bool] = False  # whether numbers are released, not codes
    bits: int = WORD_BITS  # of a word

    # What each kind has to say

    @property
    @abstractmethod
    def attributes(self) -> tuple[str, ...]:
        """The names of the group."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[int, ...]:
        """How many codes each attribute has before."""

    @abstractmethod
    def _matrix(self) -> Matrix:
        """Return the matrix, whatever its size."""

    # What follows from that; a kind with a closed form has its own

    @property
    def outputs(self) -> tuple[int, ...]:
        """How many codes each attribute has after: as many as before."""
        return self.inputs

    @property
    def scale(self) -> int:
        """What every column of the matrix sums to: ``2**bits``.

        >>> from privet.channel import GammaDiagonal
        >>> GammaDiagonal("wind", 2, 3, bits=8).scale
        256
        """
        return 1 << self.bits

    @property
    def input_size(self) -> int:
        """The number of joint codes before.

        >>> from privet.channel import JointGammaDiagonal
        >>> JointGammaDiagonal(("sky", "wind"), (3, 2), 4).input_size
        6
        """
        return math.prod(self.inputs)

    @property
    def output_size(self) -> int:
        """The number of joint codes after.

        >>> from privet.channel import Band
        >>> Band("age", 24, 8).output_size
        28
        """
        return math.prod(self.outputs)

    def draw(self, codes: Codes, words: NDArray[np.uint32], out: Codes | None = None) -> Codes:
        """Return what is released for joint ``codes``, by whole numbers only.

        ``words`` are below ``2**bits``, as many per record as the kind takes. The result is
        written to ``out`` if that is given.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> len(channel.draw(np.array([0, 1]), np.array([0, 2**31], np.uint32)))
        2
        """
        if out is None:
            out = np.empty(len(codes), self._type)
        if len(codes) and self._draw(codes, words, out) >= self.input_size:
            raise BugError(f"a code of {self._name} is outside its domain")
        return out

    def _draw(self, codes: Codes, words: NDArray[np.uint32], out: Codes) -> int:
        """Write what is released for joint ``codes`` to ``out``; return the largest code.

        By the matrix: the first output whose cumulated column is above the word. The kinds that
        owners use do it faster, and in constant time.
        """
        ends = np.cumsum(self.matrix(), axis=0)
        values = np.unique(codes)
        for value in values[values < self.input_size]:
            rows = codes == value
            out[rows] = np.searchsorted(ends[:, value], words[rows], "right")
        return int(values[-1])

    def matrix(self) -> Matrix:
        """Return the integer matrix, (outputs, inputs); every column sums to ``2**bits``.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.matrix() / channel.scale
        array([[0.75, 0.25],
               [0.25, 0.75]])
        """
        cells = self.input_size * self.output_size
        if cells > MAX_CELLS:
            message = f"The matrix of {self._name} has {cells:,} cells; "
            message += f"at most {MAX_CELLS:,} are written out."
            raise MethodError(message, hint="use fewer bins, or smaller groups.")
        return self._matrix()

    def inverse(self) -> Floats:
        """Return the inverse of the matrix over ``2**bits``, (inputs, outputs).

        Where there are more outputs than inputs it is the left inverse whose estimates vary least
        for inputs that are equally common (weighted least squares).

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.inverse()
        array([[ 1.5, -0.5],
               [-0.5,  1.5]])
        """
        matrix = self.matrix().astype(np.float64) / self.scale
        alike = f"The channel of {self._name} cannot be inverted: some values look alike."
        if self.output_size < self.input_size:
            raise MethodError(alike, hint="use a method that fits by EM.")
        tall = self.output_size > self.input_size
        scaled = matrix / np.maximum(matrix.mean(axis=1), 1e-300)[:, None] if tall else matrix
        normal = matrix.T @ scaled if tall else matrix
        if np.linalg.cond(normal) > 1 / np.finfo(np.float64).eps:
            raise MethodError(alike, hint="use a method that fits by EM.")
        inverse = np.linalg.solve(normal, scaled.T) if tall else np.linalg.inv(matrix)
        return np.asarray(inverse, np.float64)

    def weights(self, event: Box) -> Floats:
        """Return, for each joint output u, the sum over v in ``event`` of inverse[v, u].

        Summed over records, the weights count the originals in the event without bias. An
        attribute without a mask is free.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.weights(Box()).tolist()
        [1.0, 1.0]
        """
        weights: Floats = self.event(event).astype(np.float64) @ self.inverse()
        return weights

    def event(self, box: Box) -> Mask:
        """Return which joint input codes lie in a box.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.event(Box()).tolist()
        [True, True]
        """
        inside = np.ones(1, np.bool_)
        for name, size in zip(self.attributes, self.inputs, strict=True):
            mask = box.mask(name, size)
            if len(mask) != size:
                message = f"a box has {len(mask)} codes for {name!r}, its channel {size}"
                raise BugError(message)
            inside = (inside[:, None] & mask[None, :]).ravel()
        return inside

    def levels(self) -> tuple[float, float, int] | None:
        """Return (far, near, width) if a value's near outputs are just ``width`` neighbours.

        Output u is near input v if v ≤ u < v + width; EM is then linear in the cells. None for
        a channel of another shape.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> Channel.levels(channel) is None
        True
        """
        return None

    def marginal(self, names: Sequence[str]) -> Floats:
        """Return the matrix of some attributes of the group, over one: the others are summed out.

        A group whose released values of some attributes depend on true values of others has none.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.marginal(["wind"]).shape
        (2, 2)
        """
        if tuple(names) == self.attributes:
            return self.matrix() / self.scale
        message = f"The channel of {self._name} says nothing of some of its attributes alone."
        raise MethodError(message, hint="ask for the whole group.")

    def amplification(self) -> Fraction | None:
        """Return the worst ratio within a row of the matrix; None if it has no bound.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.amplification()
        Fraction(3, 1)
        """
        worst = Fraction(1)
        for row in self.matrix():
            high, low = int(row.max()), int(row.min())
            if high and not low:
                return None
            if high:
                worst = max(worst, Fraction(high, low))
        return worst

    def epsilon(self) -> float:
        """Return the local differential privacy of the group: the largest log ratio in a row.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> round(channel.epsilon(), 2)
        1.1
        """
        worst = self.amplification()
        return math.inf if worst is None else log(worst)

    def interval(self) -> Interval | None:
        """Return how wide an interval holds the true number, where that is what is promised.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.interval() is None
        True
        """
        return None

    def entropy(self, prior: Sequence[float] | None = None) -> float:
        """Return the entropy of the output given the input, in bits (DXZ §2.3).

        Without a ``prior`` over the inputs they are equally likely.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> round(channel.entropy(), 2)
        0.81
        """
        shares = self.matrix() / self.scale
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        columns = -(shares * logs).sum(axis=0)
        return float(columns.mean() if prior is None else columns @ np.asarray(prior))

    def condition(self) -> float:
        """Return the condition number: how much inverting multiplies relative errors.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> round(channel.condition(), 2)
        2.0
        """
        return float(np.linalg.cond(self.matrix() / self.scale))

    # Groups

    def join(self, columns: Mapping[str, Codes]) -> Codes:
        """Return the joint codes of the group's columns.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.join({"wind": np.array([1, 0])}).tolist()
        [1, 0]
        """
        joint = columns[self.attributes[0]]
        if len(self.attributes) == 1:
            return joint
        joint = joint.astype(np.int64)
        for name, size in zip(self.attributes[1:], self.inputs[1:], strict=True):
            joint = joint * size + columns[name]
        return joint

    def part(self, joint: Codes) -> dict[str, Codes]:
        """Return the columns of joint output codes.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> channel.part(np.array([1, 0]))["wind"].tolist()
        [1, 0]
        """
        if len(self.attributes) == 1:
            return {self.attributes[0]: joint}
        columns = {}
        for name, size in zip(reversed(self.attributes), reversed(self.outputs), strict=True):
            joint, codes = np.divmod(joint, size)
            columns[name] = codes.astype(code_type(size))
        return columns

    def disguise(self, codes: Codes, randomness: Randomness, column: int, start: int = 0) -> Codes:
        """Return what is released for joint ``codes``, those of rows ``start`` on.

        The words come from the stream of ``column`` by the rows' places. Long arrays run on all
        threads; one of at most ``SPAN`` rows stays in the thread of the caller, so work that is in
        threads already may call this.
        """
        out = np.empty(len(codes), self._type)
        spare = WORD_BITS - (self.scale.bit_length() - 1)  # of a word's bits, which are all random
        length = max(SPAN, -(-len(codes) // threads()))  # a cipher costs as much as 2**16 words
        spans = [slice(i, i + length) for i in range(0, len(codes), length)]

        def disguise_span(span: slice) -> None:
            reader = randomness.reader(column, (start + span.start) * self.words)
            rows = max(1, CHUNK // self.words)
            source, target = codes[span], out[span]
            for i in range(0, len(source), rows):
                piece = source[i : i + rows]
                words = reader.chunk(len(piece) * self.words)
                if spare:
                    words = words >> np.uint32(spare)
                self.draw(piece, words, target[i : i + rows])

        if spans:
            side_by_side(disguise_span, spans)
        return out

    # The card

    def to_dict(self) -> dict[str, Any]:
        """Return what the card says: the kind, and every integer of the channel.

        >>> from privet.channel import GammaDiagonal
        >>> GammaDiagonal("wind", 2, 3, bits=2).to_dict()["diagonal"]
        3
        """
        return {"kind": self.kind, **{name: written(getattr(self, name)) for name in self.card}}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Self:
        """Read what ``to_dict`` wrote; integers that do not belong together are an error.

        >>> from privet.channel import GammaDiagonal
        >>> channel = GammaDiagonal("wind", 2, 3)
        >>> GammaDiagonal.from_dict(channel.to_dict()) == channel
        True
        """
        return read_exactly(form, lambda: cls(**read_fields(cls, form)))

    @property
    def _type(self) -> type[np.generic]:
        """The type of joint output codes."""
        return code_type(self.output_size) if len(self.attributes) == 1 else np.int64

    @property
    def _name(self) -> str:
        return " × ".join(repr(name) for name in self.attributes)


class Single(Channel):
    """A channel of an attribute."""

    attribute: str

    @property
    def attributes(self) -> tuple[str, ...]:
        """The one attribute.

        >>> from privet.channel import Band
        >>> Band("age", 24, 8).attributes
        ('age',)
        """
        return (self.attribute,)


class Stated(Channel):
    """A channel of a group that may be large: few states in place of all joint codes.

    The weight of an output depends only on the state it has in an event, one of ``states``: the
    bitwise *and* of one mark per attribute. So no table of all joint codes is needed.
    """

    states: ClassVar[int]
    names: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the group."""
        return self.names

    @abstractmethod
    def marks(self, name: str, mask: Mask) -> NDArray[np.uint8]:
        """Return the mark of each output code of an attribute, of which ``mask`` is asked."""

    @abstractmethod
    def state_weights(self, event: Box) -> Floats:
        """Return the weight of each state for an event of the group."""

    @abstractmethod
    def value_weights(self, event: Box, name: str) -> Floats:
        """Return (values, states, outputs of ``name``): weights of each value inside the event."""


def whole_matrix(law: Floats, scale: int) -> Matrix:
    """Return a law in whole numbers: sums down a column are rounded, not its cells."""
    heaped = np.rint(np.cumsum(law, axis=0) * scale).astype(np.int64)
    heaped[-1] = scale
    return np.diff(heaped, axis=0, prepend=0)


def log(ratio: Fraction) -> float:
    """Return the natural logarithm of a ratio of whole numbers of any size."""
    return math.log(ratio.numerator) - math.log(ratio.denominator)
