"""The stream of words: by place, not by turn; secret; fair."""

import pickle
from itertools import permutations

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from privet.errors import BugError, InputError
from privet.randomness import CHUNK, Randomness, spread

KEY = bytes(range(32))


def by_blocks(key: bytes, stream: int, count: int) -> list[int]:
    """The same words from AES alone, block by block."""
    cipher = Cipher(algorithms.AES256(key), modes.ECB()).encryptor()  # noqa: S305 - the definition, spelled out
    words: list[int] = []
    for block in range(-(-count // 4)):
        block_words = cipher.update(stream.to_bytes(8, "big") + block.to_bytes(8, "big"))
        words += [int.from_bytes(block_words[i : i + 4], "little") for i in range(0, 16, 4)]
    return words[:count]


@pytest.mark.parametrize("column", [0, 1, 7, 2**40])
def test_words_are_aes_in_counter_mode(column: int) -> None:
    words = Randomness(KEY, seeded=False).words(column, 0, 103)
    assert words.dtype == np.uint32
    assert words.tolist() == by_blocks(KEY, column, 103)


def test_shuffles_have_streams_of_their_own() -> None:
    source = Randomness(KEY, seeded=False)
    assert source.shuffle_words(3, 0, 50).tolist() == by_blocks(KEY, 2**63 + 3, 50)
    with pytest.raises(BugError):
        source.words(2**63, 0, 1)


@given(
    start=st.integers(0, 2**40), cuts=st.lists(st.integers(0, 3 * CHUNK), min_size=1, max_size=4)
)
def test_words_do_not_depend_on_batches(start: int, cuts: list[int]) -> None:
    source = Randomness(KEY, seeded=False)
    whole = source.words(5, start, sum(cuts))
    parts, place = [], start
    for count in cuts:
        parts.append(source.words(5, place, count))
        place += count
    assert np.array_equal(whole, np.concatenate(parts))


def test_a_seed_gives_the_same_words_and_says_so() -> None:
    first, second = Randomness.seeded(7), Randomness.seeded(7)
    assert first.is_seeded
    assert np.array_equal(first.words(0, 0, 9), second.words(0, 0, 9))
    others = [Randomness.seeded(seed).words(0, 0, 9) for seed in (8, "7", b"7", -7)]
    assert len({tuple(words.tolist()) for words in [first.words(0, 0, 9), *others]}) == 5


def test_the_system_gives_fresh_words() -> None:
    first, second = Randomness.system(), Randomness.system()
    assert not first.is_seeded
    assert not np.array_equal(first.words(0, 0, 9), second.words(0, 0, 9))


@pytest.mark.parametrize("seed", [1.5, None, True])
def test_what_is_no_seed_is_refused(seed: object) -> None:
    with pytest.raises(InputError, match="A seed must be"):
        Randomness.seeded(seed)  # type: ignore[arg-type]


def test_a_closed_source_has_forgotten_its_key() -> None:
    with Randomness.seeded(1) as source:
        source.words(0, 0, 1)
        key = source._key
    assert key is not None
    assert bytes(key) == bytes(32)
    with pytest.raises(BugError, match="closed"):
        source.words(0, 0, 1)
    with pytest.raises(BugError, match="closed"):
        source.permutation(0, 3)
    source.close()


def test_neither_key_nor_seed_is_shown() -> None:
    source = Randomness.seeded("wisteria")
    assert repr(source) == "<Randomness seeded, open>"
    assert "wisteria" not in str(vars(source))
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(source)


def fisher_yates(words: list[int], count: int) -> list[int]:
    """The twin of the compiled shuffle, with whole numbers of any size."""
    order = list(range(count))
    for i, last in enumerate(range(count - 1, 0, -1)):
        wide = words[2 * i] + (words[2 * i + 1] << 32)
        other = wide * (last + 1) >> 64
        order[last], order[other] = order[other], order[last]
    return order


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, CHUNK, CHUNK + 3])
def test_permutation_matches_its_twin(count: int) -> None:
    source = Randomness.seeded(count)
    words = source.shuffle_words(2, 0, 2 * count).tolist()
    assert source.permutation(2, count).tolist() == fisher_yates(words, count)


@given(st.integers(0, 2000), st.integers(0, 2**32))
def test_a_permutation_is_one(count: int, seed: int) -> None:
    order = Randomness.seeded(seed).permutation(0, count)
    assert np.array_equal(np.sort(order), np.arange(count))


def test_every_order_is_as_likely_as_another() -> None:
    places = {order: place for place, order in enumerate(permutations(range(4)))}
    source, draws = Randomness.seeded("orders"), 12_000
    counts = np.zeros(24)
    for column in range(draws):
        counts[places[tuple(source.permutation(column, 4).tolist())]] += 1
    expected = draws / 24
    assert ((counts - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 23)


def test_buckets_are_the_first_bits_of_a_word() -> None:
    words = np.array([0, 2**31 - 1, 2**31, 2**32 - 1], np.uint32)
    assert spread(words, 1).tolist() == [0, 0, 1, 1]
    assert spread(words, 8).tolist() == [0, 127, 128, 255]
    assert spread(words, 0).tolist() == [0, 0, 0, 0]
