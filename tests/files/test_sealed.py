"""Sealed texts: no flipped bit goes unseen, and what has no checksum says so."""

import json
from typing import Any

import pytest

from privet.errors import InputError, PrivetWarning
from privet.files.sealed import Kind, seal
from tests.flips import flipped

KIND = Kind("test", 2, InputError, what="thing", unsealed=1)
FORM = {"format": "test", "version": 2, "numbers": [1, 2.5], "name": "Rhône"}


def test_what_is_sealed_comes_back() -> None:
    assert KIND.opened(seal(FORM), "x") == FORM
    assert Kind("test", 2, InputError, what="thing", indent=1).opened(seal(FORM, 1), "x") == FORM


def test_every_flipped_bit_is_noticed_and_the_file_named() -> None:
    for bad in flipped(seal(FORM)):
        with pytest.raises(InputError, match=r"thing\.json"):
            KIND.opened(bad, "thing.json")


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"\xff", b"[" * 100_000, seal(FORM)[:-1], seal(FORM) + b"\n", seal(FORM, 1)],
)
def test_what_is_not_as_it_was_written(data: bytes) -> None:
    with pytest.raises(InputError, match=r"x is (cut short|no thing)"):
        KIND.opened(data, "x")


def test_a_text_from_before_is_taken_with_a_warning() -> None:
    old: dict[str, Any] = {**FORM, "version": 1}
    with pytest.warns(PrivetWarning, match="x has no checksum"):
        assert KIND.opened(json.dumps(old), "x") == old
    with pytest.raises(InputError, match="altered"):  # a version that has one must have it
        KIND.opened(json.dumps(FORM), "x")
    with pytest.raises(InputError, match="altered"):
        KIND.opened(json.dumps({**old, "checksum": "0"}), "x")


def test_a_newer_text_asks_for_an_upgrade() -> None:
    with pytest.raises(InputError, match=r"version 3; this privet reads up to version 2.*upgrade"):
        KIND.opened(seal({**FORM, "version": 3}), "x")
    for version in (0, True, "1", None):
        with pytest.raises(InputError, match="no thing"):
            KIND.opened(seal({**FORM, "version": version}), "x")
