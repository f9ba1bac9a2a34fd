"""What every channel has from its matrix alone, shown on a small joint one."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.channel import Band, Channel, Flip, GammaDiagonal, JointGammaDiagonal
from privet.channel.kernel import Kernel
from privet.coding import Box
from privet.errors import BugError, MethodError
from privet.randomness import Randomness


@dataclass(frozen=True)
class Shift(Channel):
    """Two attributes together: two words, and a joint code moved on by the smaller half of one."""

    kind: ClassVar[str] = "shift"
    words: ClassVar[int] = 2

    columns: tuple[tuple[int, ...], ...]
    sizes: tuple[int, int] = (2, 3)
    released: tuple[int, int] = (2, 3)

    @property
    def attributes(self) -> tuple[str, ...]:
        return ("a", "b")

    @property
    def inputs(self) -> tuple[int, ...]:
        return self.sizes

    @property
    def outputs(self) -> tuple[int, ...]:
        return self.released

    @property
    def scale(self) -> int:
        return 8

    def _matrix(self) -> NDArray[np.int64]:
        return np.array(self.columns, np.int64).T

    def _draw(self, codes: NDArray[Any], words: NDArray[np.uint32], out: NDArray[Any]) -> int:
        first, second = words.reshape(-1, 2).T
        out[:] = (codes + (first ^ second) % 8) % self.output_size
        return int(codes.max())

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "Shift":
        raise NotImplementedError


def around(*shares: int) -> tuple[tuple[int, ...], ...]:
    """Columns of a matrix that are one another, moved round."""
    return tuple(tuple(np.roll(shares, code).tolist()) for code in range(len(shares)))


def test_joint_codes_are_mixed_radix() -> None:
    channel = Shift(around(8, 0, 0, 0, 0, 0))
    columns = {"a": np.array([0, 1, 1], np.uint8), "b": np.array([2, 0, 2], np.uint8)}
    joint = channel.join(columns)
    assert joint.tolist() == [2, 3, 5]
    parted = channel.part(joint)
    assert {name: codes.tolist() for name, codes in parted.items()} == {
        "a": [0, 1, 1],
        "b": [2, 0, 2],
    }
    assert parted["a"].dtype == np.uint8


def test_weights_count_a_box_over_the_whole_group() -> None:
    channel = Shift(around(3, 1, 1, 1, 1, 1))
    inverse = channel.inverse()
    assert inverse @ (channel.matrix() / 8) == pytest.approx(np.eye(6), abs=1e-12)
    box = Box({"b": np.array([True, False, True])})
    assert channel.event(box).tolist() == [True, False, True] * 2
    assert channel.weights(box) == pytest.approx(inverse[[0, 2, 3, 5]].sum(axis=0))
    with pytest.raises(BugError, match="its channel 3"):
        channel.event(Box({"b": np.array([True])}))


def test_amplification_is_the_worst_ratio_in_a_row() -> None:
    channel = Shift(around(3, 1, 1, 1, 1, 1))
    assert channel.amplification() == 3
    assert channel.epsilon() == pytest.approx(np.log(3))
    uneven = Shift(((6, 2), (3, 5)), (1, 2), (1, 2))
    assert uneven.amplification() == Fraction(5, 2)


def test_a_zero_beside_a_possible_output_has_no_bound() -> None:
    channel = Shift(around(4, 4, 0, 0, 0, 0))
    assert channel.amplification() is None
    assert channel.epsilon() == float("inf")
    never = Shift(((5, 3, 0), (3, 5, 0)), (1, 2), (1, 3))
    assert never.amplification() == Fraction(5, 3)


def test_what_cannot_be_inverted_says_so() -> None:
    with pytest.raises(MethodError, match="look alike"):
        Shift(((4, 4), (4, 4)), (1, 2), (1, 2)).inverse()
    with pytest.raises(MethodError, match="look alike"):
        Shift(((4, 4), (2, 6), (1, 7)), (1, 3), (1, 2)).inverse()
    tall = Shift(((4, 2, 2), (2, 4, 2)), (1, 2), (1, 3))
    assert tall.inverse() @ tall.matrix() / 8 == pytest.approx(np.eye(2))


def test_entropy_is_weighted_by_the_prior() -> None:
    channel = Shift(((8, 0), (4, 4)), (1, 2), (1, 2))
    assert channel.entropy() == pytest.approx(0.5)
    assert channel.entropy([0.25, 0.75]) == pytest.approx(0.75)


def test_several_words_a_record_go_by_place() -> None:
    channel = Shift(around(8, 0, 0, 0, 0, 0))
    codes = np.arange(50_000) % 6
    source = Randomness.seeded(1)
    whole = channel.disguise(codes, source, 3, 10)
    words = source.words(3, 20, 100_000) >> np.uint32(29)  # words of three bits
    assert np.array_equal(whole, channel.draw(codes, words))
    assert np.array_equal(whole[17:40], channel.disguise(codes[17:40], source, 3, 27))


@pytest.mark.parametrize(
    "channel",
    [
        GammaDiagonal("a", 5, 3, bits=8),
        Band("a", 9, 4, 1, bits=12),
        Flip(("a",), 0.75, bits=6),
        JointGammaDiagonal(("a", "b"), (2, 3), 5, bits=10),
    ],
)
def test_words_of_fewer_bits_are_drawn_from(channel: Channel) -> None:
    """The first bits of each random word, so that nothing outside the domain is released."""
    codes = np.arange(2000) % channel.input_size
    with Randomness.seeded(5) as source:
        released = channel.disguise(codes, source, 0)
        words = source.words(0, 0, len(codes)) >> (33 - channel.scale.bit_length())
    assert int(released.max()) < channel.output_size
    assert np.array_equal(released, channel.draw(codes, words.astype(np.uint32)))
    assert set(released.tolist()) == set(range(channel.output_size))


def test_matrices_of_four_million_cells_are_written_out_and_no_larger_ones() -> None:
    assert GammaDiagonal("a", 2048, 3).matrix().shape == (2048, 2048)
    with pytest.raises(MethodError, match="at most 4,194,304 are written out"):
        GammaDiagonal("a", 2049, 3).matrix()


def test_a_square_matrix_is_inverted_as_it_is() -> None:
    """Four words of 2**32 tell two values apart: a condition of a billion, and no worse."""
    gap = 2 / 2**32
    channel = Kernel("a", np.array([[0.5 + gap, 0.5], [0.5 - gap, 0.5]]))
    assert channel.inverse() @ (channel.matrix() / channel.scale) == pytest.approx(
        np.eye(2), abs=1e-5
    )
    assert 1e8 < channel.condition() < 1e10
