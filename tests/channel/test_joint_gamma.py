"""The joint γ-diagonal channel: FRAPP's closed forms over a product domain."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.channel import Channel, GammaDiagonal, JointGammaDiagonal, read_channel
from privet.coding import Box
from privet.errors import PlanError, ReleaseError, SchemaError

CHANNEL = JointGammaDiagonal(("a", "b"), (2, 3), 4)


@st.composite
def joints(draw: st.DrawFn) -> JointGammaDiagonal:
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=2, max_size=3)))
    names = ("a", "b", "c")[: len(sizes)]
    if math.prod(sizes) < 2:
        sizes = (2, *sizes[1:])
    return JointGammaDiagonal(
        names, sizes, draw(st.integers(2, 50)), draw(st.sampled_from([32, 16]))
    )


@st.composite
def boxes(draw: st.DrawFn, channel: JointGammaDiagonal) -> Box:
    masks = {}
    for name, size in zip(channel.names, channel.sizes, strict=True):
        if draw(st.booleans()):
            masks[name] = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    return Box(masks)


def test_it_is_the_gamma_diagonal_of_the_tuples() -> None:
    flat = GammaDiagonal("t", 6, 4)
    assert (CHANNEL.off, CHANNEL.diagonal) == (flat.off, flat.diagonal)
    assert np.array_equal(CHANNEL.matrix(), flat.matrix())
    assert CHANNEL.epsilon() == pytest.approx(math.log(4), abs=1e-8)
    assert CHANNEL.amplification() <= 4
    words = np.arange(0, 1 << 32, 1 << 20, dtype=np.uint32)
    codes = np.arange(len(words)) % 6
    assert np.array_equal(CHANNEL.draw(codes, words), flat.draw(codes, words))


def test_all_words_of_16_bits_give_the_matrix_exactly() -> None:
    channel = JointGammaDiagonal(("a", "b", "c"), (2, 3, 2), 5, bits=16)
    words = np.arange(1 << 16, dtype=np.uint32)
    for code in range(12):
        drawn = channel.draw(np.full(1 << 16, code), words)
        assert np.array_equal(np.bincount(drawn, minlength=12), channel.matrix()[:, code])


@given(st.data(), joints())
def test_frapps_weights_are_sums_of_the_inverse(
    data: st.DataObject, channel: JointGammaDiagonal
) -> None:
    box = data.draw(boxes(channel))
    inside = channel.event(box)
    gamma, size = float(channel.amplification()), channel.input_size
    frapp = ((gamma + size - 1) * inside - inside.sum()) / (gamma - 1)
    assert channel.weights(box) == pytest.approx(frapp, rel=1e-6, abs=1e-6)
    largest = np.abs(channel.inverse()).max()
    assert np.abs(channel.weights(box) - Channel.weights(channel, box)).max() <= 1e-5 * largest


@given(st.data(), joints())
def test_states_weigh_as_joint_codes_do(data: st.DataObject, channel: JointGammaDiagonal) -> None:
    box = data.draw(boxes(channel))
    dense = channel.weights(box)
    for code, values in enumerate(product(*map(range, channel.sizes))):
        state = channel.states - 1
        for name, value in zip(channel.names, values, strict=True):
            size = channel.sizes[channel.names.index(name)]
            state &= int(channel.marks(name, box.mask(name, size))[value])
        close: dict[str, Any] = {"rel": 1e-12, "abs": 1e-12}
        assert dense[code] == pytest.approx(channel.state_weights(box)[state], **close)
        for place, (name, size) in enumerate(zip(channel.names, channel.sizes, strict=True)):
            weights = channel.value_weights(box, name)
            for value in np.flatnonzero(box.mask(name, size)).tolist():
                inner = box.narrowed(name, np.arange(size) == value)
                expected = channel.weights(inner)[code]
                assert weights[value, state, values[place]] == pytest.approx(expected, **close)


def test_the_card_brings_the_channel_back() -> None:
    assert read_channel(CHANNEL.to_dict()) == CHANNEL
    card = CHANNEL.to_dict()
    for lie in ({"off": card["off"] + 1}, {"sizes": [3, 3]}, {"gamma": 5}, {"attributes": ["a"]}):
        with pytest.raises(ReleaseError):
            read_channel({**card, **lie})


def test_bad_channels() -> None:
    with pytest.raises(PlanError, match="gamma must be a finite number above 1"):
        JointGammaDiagonal(("a", "b"), (2, 2), 1)
    with pytest.raises(PlanError, match="at most 1,073,741,824"):
        JointGammaDiagonal(("a", "b", "c"), (60_000, 60_000, 2), 8)
    with pytest.raises(PlanError, match="so near 1"):
        JointGammaDiagonal(("a", "b"), (30_000, 30_000), 1.5)
    with pytest.raises(SchemaError, match="at most 65536"):
        JointGammaDiagonal(("a",), (70_000,), 8)
    with pytest.raises(PlanError, match="single value"):
        JointGammaDiagonal(("a",), (1,), 8)
    with pytest.raises(PlanError, match="a list of names"):
        JointGammaDiagonal((), (), 8)


def test_a_group_has_a_billion_tuples_at_most() -> None:
    assert JointGammaDiagonal(("a", "b"), (32_768, 32_768), 10**9).input_size == 2**30
    with pytest.raises(PlanError, match="1,073,774,592 tuples of values; at most 1,073,741,824"):
        JointGammaDiagonal(("a", "b"), (32_768, 32_769), 10**9)
    with pytest.raises(PlanError, match="has 1 sizes of domains"):
        JointGammaDiagonal(("a", "b"), (3,), 4)
    for names in ((), ("a", "a"), ("a", 1)):
        with pytest.raises(PlanError, match="a group"):
            JointGammaDiagonal(names, (2,) * len(names), 4)  # type: ignore[arg-type]


def test_the_law_of_some_attributes_is_the_joint_one_summed() -> None:
    channel = JointGammaDiagonal(("a", "b", "c"), (2, 3, 4), 7)
    law = (channel.matrix() / channel.scale).reshape(2, 3, 4, 2, 3, 4)
    for place, name in enumerate("abc"):
        others = tuple(axis for axis in range(3) if axis != place)
        summed = law.sum(axis=others)  # over what is released of the others
        alone = np.moveaxis(summed, 1 + place, 1).reshape(
            channel.sizes[place], channel.sizes[place], -1
        )
        assert alone[:, :, 0] == pytest.approx(channel.marginal([name]))
        assert np.ptp(alone, axis=2).max() < 1e-12  # whatever they truly are
    assert channel.marginal(["a", "b", "c"]) == pytest.approx(channel.matrix() / channel.scale)
