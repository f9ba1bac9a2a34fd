"""Drawing the collector: the same for everyone, even if one party cheats, and cheats are named."""

import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InputError, PlanError
from privet.party import commitment, draw_collector, new_number

NAMES = ["clinic", "office", "council"]


def numbers() -> dict[str, str]:
    return {name: new_number() for name in NAMES}


def hashed(told: dict[str, str]) -> dict[str, str]:
    return {name: commitment(name, number) for name, number in told.items()}


@given(st.permutations(NAMES))
def test_the_order_of_parties_does_not_matter(order: list[str]) -> None:
    numbers = {name: commitment(name, "ab" * 32) for name in NAMES}  # any 64 digits will do
    told = {name: numbers[name] for name in order}
    assert draw_collector(order, hashed(told), told) == draw_collector(
        NAMES, hashed(numbers), numbers
    )


def test_every_party_is_as_likely() -> None:
    """Two parties always send the same numbers: the honest third makes it fair all the same."""
    drawn: Counter[str] = Counter()
    for _ in range(3_000):
        told = {"clinic": "00" * 32, "office": "11" * 32, "council": new_number()}
        drawn[draw_collector(NAMES, hashed(told), told)] += 1
    for name in NAMES:  # 4.9 standard deviations: once in a million runs
        assert abs(drawn[name] - 1_000) < 4.9 * (3_000 * 2 / 9) ** 0.5


def test_cheats_are_named() -> None:
    told = numbers()
    hashes = hashed(told)
    with pytest.raises(InputError, match="'office' is not the one whose hash"):
        draw_collector(NAMES, hashes, told | {"office": new_number()})
    copied = hashes | {"office": hashes["clinic"]}
    with pytest.raises(InputError, match="same hash"):
        draw_collector(NAMES, copied, told | {"office": told["clinic"]})
    with pytest.raises(InputError, match="number of party 'clinic' is not there"):
        draw_collector(NAMES, hashes, {name: told[name] for name in NAMES[1:]})
    with pytest.raises(InputError, match="no party"):
        draw_collector(NAMES[1:], hashes, told)
    with pytest.raises(PlanError, match="two parties"):
        draw_collector(["clinic"], {}, {})
    for number in ("7", "ab", "AB" * 32, "ab" * 31, "ab" * 33, "xy" * 32):
        with pytest.raises(InputError, match="not of 64 hexadecimal digits"):
            commitment("clinic", number)


def test_the_draw_is_the_same_at_everyone() -> None:
    """By hand: the hash of all numbers in order of names, as a number, modulo the parties."""
    for digit in "0123456789abcdef":
        told = {"b": digit * 64, "a": "0f" * 32, "ö": "1e" * 32}
        words = ["privet draw", *(f"{name} {told[name]}" for name in "abö")]
        seed = hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()
        assert draw_collector("öab", hashed(told), told) == "abö"[int(seed, 16) % 3]
    assert len(new_number()) == 64
