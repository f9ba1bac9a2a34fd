"""The flip channel: exact words, closed forms, states against joint codes, bad input."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Channel, Flip, read_channel
from privet.coding import Box
from privet.errors import BugError, PlanError, ReleaseError
from privet.randomness import Randomness

NAMES = ("a", "b", "c")
thetas = st.one_of(
    st.floats(0, 0.49), st.floats(0.51, 1), st.fractions(0, Fraction(49, 100)), st.just(1)
)


@st.composite
def flips(draw: st.DrawFn) -> Flip:
    names = NAMES[: draw(st.integers(1, 3))]
    return Flip(names, draw(thetas), draw(st.sampled_from([32, 16])))


@st.composite
def boxes(draw: st.DrawFn, names: tuple[str, ...]) -> Box:
    """Conditions on some of the names; now and then both values, or none."""
    masks = {}
    for name in names:
        mask = draw(st.sampled_from([None, (1, 0), (0, 1), (1, 0), (0, 1), (1, 1), (0, 0)]))
        if mask is not None:
            masks[name] = np.array(mask, np.bool_)
    return Box(masks)


@pytest.mark.parametrize("theta", [0, 0.3, 0.49, 0.6, 0.75, Fraction(9, 10), 1])
@pytest.mark.parametrize("names", [("a",), ("a", "b"), NAMES])
def test_all_words_of_16_bits_give_the_matrix_exactly(names: tuple[str, ...], theta: Any) -> None:
    channel = Flip(names, theta, bits=16)
    words = np.arange(1 << 16, dtype=np.uint32)
    assert (channel.matrix().sum(axis=0) == 1 << 16).all()
    for code in range(channel.input_size):
        drawn = channel.draw(np.full(1 << 16, code, np.int64), words)
        counts = np.bincount(drawn, minlength=channel.input_size)
        assert np.array_equal(counts, channel.matrix()[:, code])


def test_the_papers_record_is_sent_or_its_opposite() -> None:
    channel = Flip(NAMES, 0.75)
    codes = channel.join({"a": np.array([1, 1]), "b": np.array([1, 1]), "c": np.array([0, 0])})
    sent = channel.part(channel.draw(codes, np.array([0, 2**32 - 1], np.uint32)))
    assert [sent[name].tolist() for name in NAMES] == [[1, 0], [1, 0], [0, 1]]


@given(flips())
def test_closed_forms_are_those_of_any_matrix(channel: Flip) -> None:
    assert channel.amplification() == Channel.amplification(channel)
    assert channel.entropy() == pytest.approx(Channel.entropy(channel), abs=1e-9)
    assert channel.condition() == pytest.approx(Channel.condition(channel), rel=1e-6)
    size = np.abs(channel.inverse()).max()
    assert np.abs(channel.inverse() - Channel.inverse(channel)).max() <= 1e-6 * size**2


@given(st.data(), flips())
def test_states_weigh_as_joint_codes_do(data: st.DataObject, channel: Flip) -> None:
    box = data.draw(boxes(channel.names))
    dense = channel.weights(box)
    for code, values in enumerate(product((0, 1), repeat=len(channel.names))):
        state = channel.states - 1
        for name, value in zip(channel.names, values, strict=True):
            state &= int(channel.marks(name, box.mask(name, 2))[value])
        assert dense[code] == pytest.approx(channel.state_weights(box)[state], rel=1e-12, abs=1e-12)
        for place, name in enumerate(channel.names):
            weights = channel.value_weights(box, name)
            for value in (0, 1):
                inner = box.narrowed(name, np.arange(2) == value)
                expected = channel.weights(inner)[code]
                assert weights[value, state, values[place]] == pytest.approx(
                    expected, rel=1e-12, abs=1e-12
                )


@given(flips(), st.data())
def test_untested_attributes_drop_out(channel: Flip, data: st.DataObject) -> None:
    """An event on some attributes weighs as in the flip channel of those alone."""
    box = data.draw(boxes(channel.names))
    tested = tuple(name for name in channel.names if name in box.masks)
    if not tested:
        assert channel.weights(box) == pytest.approx(np.ones(channel.output_size), abs=1e-12)
        return
    small = Flip(tested, channel.theta, channel.bits)
    parted = channel.part(np.arange(channel.output_size))
    parted = parted if len(channel.names) > 1 else {channel.names[0]: np.arange(2)}
    assert channel.weights(box) == pytest.approx(small.weights(box)[small.join(parted)], abs=1e-12)


def test_epsilon_of_a_bit_and_of_a_group() -> None:
    assert Flip(("a",), 0.75).epsilon() == pytest.approx(math.log(3), abs=1e-12)
    assert Flip(("a",), 0.25).epsilon() == pytest.approx(math.log(3), abs=1e-12)
    assert Flip(("a", "b"), 0.75).epsilon() == math.inf
    assert Flip(("a",), 1).epsilon() == math.inf
    assert Flip(("a",), 1).entropy() == 0


@given(thetas)
def test_a_bit_is_never_less_private_than_theta_says(theta: Any) -> None:
    channel = Flip(("a",), theta, bits=16)
    gamma, share = channel.amplification(), Fraction(theta)
    if gamma is not None:
        wanted = max(share, 1 - share) / min(share, 1 - share) if 0 < share < 1 else math.inf
        assert gamma <= wanted


def test_draws_follow_theta() -> None:
    channel = Flip(NAMES, 0.8)
    codes = np.arange(200_000) % 8
    drawn = channel.disguise(codes, Randomness.seeded("flip"), 0)
    kept = (drawn == codes).sum()
    assert (drawn[drawn != codes] == 7 - codes[drawn != codes]).all()
    assert abs(kept - 160_000) < 4.9 * math.sqrt(200_000 * 0.16)


def test_the_card_brings_the_channel_back() -> None:
    for theta in (0, 0.7, Fraction(2, 3), 1):
        channel = Flip(NAMES, theta, bits=24)
        assert read_channel(channel.to_dict()) == channel
    card = Flip(NAMES, 0.7).to_dict()
    lies: list[dict[str, Any]] = [
        {"keep": card["keep"] + 1},
        {"turn": card["turn"] - 1},
        {"theta": 0.6},
        {"theta": 0.5},
        {"attributes": ["a", "a"]},
        {"bits": 31},
    ]
    for lie in lies:
        with pytest.raises(ReleaseError):
            read_channel({**card, **lie})


@pytest.mark.parametrize("theta", [0.5, Fraction(1, 2)])
def test_a_half_says_why(theta: Any) -> None:
    with pytest.raises(PlanError, match="equally often, so that nothing about the originals"):
        Flip(("a",), theta)


@pytest.mark.parametrize("theta", [-0.1, 1.1, math.nan, "0.7", None, True])
def test_theta_is_a_probability(theta: Any) -> None:
    with pytest.raises(PlanError, match="theta must be a number from 0 to 1"):
        Flip(("a",), theta)


def test_other_bad_channels() -> None:
    with pytest.raises(PlanError, match="so near"):
        Flip(("a",), 0.5 + 1e-12)
    with pytest.raises(PlanError, match="each of its attributes once"):
        Flip(("a", "a"), 0.7)
    with pytest.raises(PlanError, match="at most 62"):
        Flip(tuple(f"x{i}" for i in range(63)), 0.7)
    assert len(Flip(tuple(f"x{i}" for i in range(62)), 0.7).names) == 62
    with pytest.raises(PlanError, match="bits"):
        Flip(("a",), 0.7, bits=40)
    with pytest.raises(BugError, match="outside its domain"):
        Flip(("a", "b"), 0.7).draw(np.array([4]), np.zeros(1, np.uint32))


def test_a_group_has_62_bits_at_most() -> None:
    names = tuple(f"x{place}" for place in range(63))
    assert Flip(names[:62], 0.8).input_size == 2**62
    with pytest.raises(PlanError, match="has 63 attributes; at most 62"):
        Flip(names, 0.8)


def test_theta_is_rounded_towards_a_half() -> None:
    """So that a single bit's ε is never above what θ says."""
    for theta, keep in ((0.7, 11), (0.3, 5), (0.75, 12), (0.25, 4), (0, 0), (1, 16)):
        channel = Flip(("a",), theta, bits=4)
        assert (channel.keep, channel.turn) == (keep, 16 - keep)
        assert channel.is_certain == (theta in (0, 1))
    for theta in (0.51, 0.49):
        with pytest.raises(PlanError, match=r"so near 0\.5"):
            Flip(("a",), theta, bits=4)


def test_what_lies_in_neither_weighs_nothing() -> None:
    channel = Flip(("a", "b"), 0.75, bits=4)
    assert channel.state_weights(Box()).tolist() == [0.0, 1.5, -0.5, 1.0]
