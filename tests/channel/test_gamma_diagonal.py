"""The γ-diagonal channel: the paper's example, exact counts, closed forms, bad input."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2

from privet.channel import Channel, GammaDiagonal, read_channel
from privet.channel import base as channel_base
from privet.coding import Box
from privet.errors import BugError, MethodError, PlanError, ReleaseError, SchemaError
from privet.randomness import Randomness
from tests.property.strategies import channels

WEATHER = list("SSORRROSSRSOOR")  # Outlook, methods.md §3
VALUES = ["S", "O", "R"]


def by_cumulated_column(channel: GammaDiagonal, code: int, word: int) -> int:
    """The paper's own words: the first h with r <= the column summed up to h."""
    total = 0
    for h, share in enumerate(channel.matrix()[:, code].tolist()):
        total += share
        if word + 1 <= total:
            return h
    raise AssertionError


def test_the_papers_example() -> None:
    channel = GammaDiagonal("outlook", 3, 3)
    codes = np.array([VALUES.index(value) for value in WEATHER], np.uint8)
    words = np.array([math.ceil(Fraction(i, 14) * 2**32) - 1 for i in range(1, 15)], np.uint32)
    drawn = channel.draw(codes, words)
    assert " ".join(VALUES[code] for code in drawn) == "S S O O O R O S O R O R R R"
    counts = np.bincount(drawn, minlength=3)
    assert counts.tolist() == [3, 6, 5]
    assert channel.inverse() @ counts == pytest.approx([0.5, 8, 5.5], abs=1e-7)


@pytest.mark.parametrize(
    ("size", "gamma"), [(2, 3), (3, 1.5), (5, 8), (20, 8), (20, Fraction(19, 2)), (300, 50)]
)
def test_all_words_of_16_bits_give_the_matrix_exactly(size: int, gamma: Any) -> None:
    channel = GammaDiagonal("a", size, gamma, bits=16)
    words = np.arange(1 << 16, dtype=np.uint32)
    codes = range(size) if size <= 20 else [0, 1, 150, 298, 299]
    for code in codes:
        drawn = channel.draw(np.full(1 << 16, code, np.uint16), words)
        assert np.array_equal(np.bincount(drawn, minlength=size), channel.matrix()[:, code])
        assert (np.diff(drawn.astype(int)) >= 0).all()  # in the order of the values


@given(channels(), st.data())
def test_the_kernel_matches_its_twin(channel: GammaDiagonal, data: st.DataObject) -> None:
    code = data.draw(st.integers(0, channel.size - 1))
    begin = code * channel.off
    borders = [0, channel.off, begin, begin + channel.diagonal, channel.scale]
    near = st.sampled_from(borders).flatmap(lambda at: st.integers(at - 2, at + 2))
    word = data.draw(st.one_of(near, st.integers(0, channel.scale - 1)))
    word = min(max(word, 0), channel.scale - 1)
    drawn = channel.draw(np.array([code], np.uint16), np.array([word], np.uint32))
    assert drawn[0] == by_cumulated_column(channel, code, word)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    ("size", "gamma"), [(2, 1.5), (20, 8), (200, 1.001), (256, 3), (256, 32_500), (3, 2**17)]
)
def test_words_at_every_border_draw_the_cards_integers(size: int, gamma: float, kind: Any) -> None:
    """Many words at once, below and above the size from which a quotient is guessed by halves."""
    channel = GammaDiagonal("a", size, gamma)
    random = np.random.default_rng(size).integers(0, 1 << 32, 1000)
    for code in {0, 1, size // 2, size - 1}:
        ends = np.cumsum(channel.matrix()[:, code])
        near = (ends[:, None] + np.arange(-2, 2)).ravel()
        words = np.concatenate([near[(near >= 0) & (near < 1 << 32)], random])
        drawn = channel.draw(np.full(len(words), code, kind), words.astype(np.uint32))
        np.testing.assert_array_equal(drawn, np.searchsorted(ends, words, side="right"))


def test_draws_follow_the_matrix() -> None:
    channel = GammaDiagonal("a", 12, 5)
    source = Randomness.seeded("draws")
    for code in range(12):
        drawn = channel.disguise(np.full(60_000, code, np.uint8), source, code)
        expected = 60_000 * channel.matrix()[:, code] / channel.scale
        statistic = ((np.bincount(drawn, minlength=12) - expected) ** 2 / expected).sum()
        assert statistic < chi2.isf(1e-6 / 12, 11)


def test_a_long_column_is_disguised_as_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = GammaDiagonal("a", 300, 8)
    codes = np.arange(200_000, dtype=np.uint16) % 300
    with Randomness.seeded(3) as source:
        whole = channel.disguise(codes, source, 4)
        words = source.words(4, 0, len(codes))
        assert np.array_equal(whole, channel.draw(codes, words))
        cuts = [0, 1, 3, 70_001, len(codes)]
        pieces = [channel.disguise(codes[a:b], source, 4, a) for a, b in pairwise(cuts)]
        assert np.array_equal(whole, np.concatenate(pieces))
        monkeypatch.setattr(channel_base, "SPAN", 1 << 14)
        assert np.array_equal(whole, channel.disguise(codes, source, 4))
    assert channel.disguise(codes[:0], Randomness.seeded(3), 4).tolist() == []


def test_integers_of_the_design() -> None:
    channel = GammaDiagonal("a", 20, 8)
    assert channel.off == math.ceil(2**32 / 27)
    assert channel.diagonal == 2**32 - 19 * channel.off
    assert (channel.attributes, channel.inputs, channel.outputs) == (("a",), (20,), (20,))
    assert channel.words == 1


@pytest.mark.parametrize("event", [[], [0], [1, 2], [0, 1, 2, 3, 4]])
def test_weights_are_sums_of_the_inverse(event: list[int]) -> None:
    channel = GammaDiagonal("a", 5, 4)
    mask = np.isin(np.arange(5), event)
    weights = channel.weights(Box({"a": mask, "b": np.zeros(3, np.bool_)}))
    assert weights == pytest.approx(channel.inverse()[mask].sum(axis=0), abs=1e-12)
    lam = float(channel.amplification() - 1) / (float(channel.amplification()) + 4)
    assert channel.condition() == pytest.approx(1 / lam)


def test_a_free_attribute_weighs_one() -> None:
    assert GammaDiagonal("a", 5, 4).weights(Box()) == pytest.approx(np.ones(5), abs=1e-12)


def test_entropy_is_the_papers() -> None:
    gamma, size = 9.0, 20
    keep, other = gamma / (gamma + size - 1), 1 / (gamma + size - 1)
    paper = -keep * math.log2(keep) - (size - 1) * other * math.log2(other)
    assert GammaDiagonal("a", size, gamma).entropy() == pytest.approx(paper, abs=1e-6)


@given(channels(max_size=9))
def test_closed_forms_are_those_of_any_matrix(channel: GammaDiagonal) -> None:
    assert channel.amplification() == Channel.amplification(channel)
    assert channel.entropy() == pytest.approx(Channel.entropy(channel), rel=1e-9)
    assert channel.condition() == pytest.approx(Channel.condition(channel), rel=1e-6)
    largest = np.abs(channel.inverse()).max()
    assert np.abs(channel.inverse() - Channel.inverse(channel)).max() <= 1e-6 * largest
    box = Box({"a": np.arange(channel.size) % 2 == 0})
    assert np.abs(channel.weights(box) - Channel.weights(channel, box)).max() <= 1e-5 * largest


def test_the_card_brings_the_channel_back() -> None:
    for gamma in (8, 8.25, Fraction(19, 3)):
        channel = GammaDiagonal("a", 20, gamma, bits=24)
        assert read_channel(channel.to_dict()) == channel


CARD = GammaDiagonal("a", 20, 8).to_dict()


@pytest.mark.parametrize(
    "lie",
    [
        {"off": CARD["off"] + 1},
        {"diagonal": CARD["diagonal"] - 1},
        {"off": CARD["off"] - 1, "diagonal": CARD["diagonal"] + 19},
        {"gamma": 7},
        {"gamma": "a"},
        {"gamma": "1/0"},
        {"gamma": None},
        {"size": 21},
        {"size": "20"},
        {"bits": 31},
        {"bits": 99},
        {"kind": "unheard-of"},
        {"more": 1},
    ],
)
def test_integers_that_do_not_belong_together_are_refused(lie: dict[str, Any]) -> None:
    with pytest.raises(ReleaseError):
        read_channel({**CARD, **lie})


@pytest.mark.parametrize("key", list(CARD))
def test_a_card_without_a_number_is_refused(key: str) -> None:
    with pytest.raises(ReleaseError):
        read_channel({name: value for name, value in CARD.items() if name != key})


@pytest.mark.parametrize("gamma", [1, 0, -3, 0.5, math.inf, math.nan, "8", None, True])
def test_gamma_must_be_above_one(gamma: Any) -> None:
    with pytest.raises(PlanError, match="'age': gamma must be a finite number above 1"):
        GammaDiagonal("age", 5, gamma)


def test_other_bad_channels() -> None:
    with pytest.raises(PlanError, match="'age' has a single value"):
        GammaDiagonal("age", 1, 8)
    with pytest.raises(PlanError, match="so near 1"):
        GammaDiagonal("age", 5, 1 + 1e-12)
    with pytest.raises(PlanError, match="bits"):
        GammaDiagonal("age", 5, 8, bits=33)
    with pytest.raises(SchemaError, match="at most 65536"):
        GammaDiagonal("age", 70_000, 8)
    with pytest.raises(MethodError, match="cells"):
        GammaDiagonal("age", 5000, 8).matrix()
    with pytest.raises(MethodError, match="cells"):
        GammaDiagonal("age", 5000, 8).inverse()


def test_a_code_outside_the_domain_is_our_bug() -> None:
    codes: NDArray[np.uint8] = np.array([0, 5], np.uint8)
    with pytest.raises(BugError, match="outside its domain"):
        GammaDiagonal("age", 5, 8).draw(codes, np.zeros(2, np.uint32))


@given(st.integers(2, 12), st.integers(2, 40), st.integers(2, 6))
def test_disguising_a_release_again_only_loses(size: int, gamma: int, times: int) -> None:
    """DXZ, theorem 2: Mᵗ = λᵗ I + (1 − λᵗ)/N: its diagonal falls, the rest rises, to 1/N."""
    channel = GammaDiagonal("x", size, gamma)
    matrix = channel.matrix() / channel.scale
    kept = (gamma - 1) / (gamma + size - 1)
    power, more = (np.linalg.matrix_power(matrix, exponent) for exponent in (times, times + 1))
    assert np.allclose(power, kept**times * np.eye(size) + (1 - kept**times) / size, atol=1e-6)
    assert (np.diag(more) < np.diag(power)).all()
    assert (more - power)[~np.eye(size, dtype=bool)].min() > -1e-12
    assert np.allclose(np.linalg.matrix_power(matrix, 500), 1 / size, atol=1e-4)


@pytest.mark.parametrize("bits", [0, -1, 33])
def test_words_have_one_to_32_bits(bits: int) -> None:
    with pytest.raises(PlanError, match="bits must be from 1 to 32"):
        GammaDiagonal("age", 2, 3, bits=bits)
    assert GammaDiagonal("age", 2, 3, bits=32).scale == 2**32


def test_a_value_is_likelier_to_stay_than_to_become_another() -> None:
    """With two words of a bit each they would be equally likely."""
    with pytest.raises(PlanError, match="so near 1"):
        GammaDiagonal("age", 2, 3, bits=1)
    assert (
        GammaDiagonal("age", 2, 3, bits=2).off,
        GammaDiagonal("age", 2, 3, bits=2).diagonal,
    ) == (
        1,
        3,
    )
    with pytest.raises(PlanError, match="so near 1"):
        GammaDiagonal("age", 4, 1.5, bits=2)
