"""The secret stays secret, and keys are what HMAC says."""

import hashlib
import hmac
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import DataError, InputError
from privet.party.secret import fingerprint, keys_of, new_secret, read_secret
from tests.party.study import OTHER, SECRET


def test_a_secret_is_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "secret.key"
    new_secret(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(read_secret(file)) == 32
    with pytest.raises(InputError, match="never replaced"):
        new_secret(file)
    other = tmp_path / "other.key"
    new_secret(other)
    assert read_secret(file) != read_secret(other)
    file.chmod(0o644)
    with pytest.raises(InputError, match="can be read by others"):
        read_secret(file)


@pytest.mark.parametrize("text", ["", "00ff", "zz" * 32, "ä" * 64, "00" * 31])
def test_what_is_no_secret_is_not_shown(tmp_path: Path, text: str) -> None:
    file = tmp_path / "secret.key"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(InputError, match="does not hold a secret") as caught:
        read_secret(file)
    assert not text or text not in str(caught.value)
    with pytest.raises(InputError, match="cannot be read"):
        read_secret(tmp_path / "none.key")


def test_keys_are_hmac_of_the_ids_text() -> None:
    wanted = hmac.new(SECRET, b"privet id\x00p7", hashlib.sha256).digest()[:16]
    keys = keys_of(pa.array(["p7", "p8"]), SECRET, "id")
    assert keys.astype(">u8")[0].tobytes() == wanted
    assert keys.shape == (2, 2)
    assert not (keys == keys_of(pa.array(["p7", "p8"]), OTHER, "id")).any()


def test_numbers_and_their_text_are_one_id() -> None:
    ids: list[Any] = [np.array([7, 12]), np.array([7.0, 12.0]), pa.array(["7", "12"])]
    ids += [pa.array([7, 12]), pa.array([b"7", b"12"])]
    first, *others = [keys_of(column, SECRET, "id") for column in ids]
    assert all(np.array_equal(first, other) for other in others)
    assert not np.array_equal(first, keys_of(pa.array(["07", "12"]), SECRET, "id"))


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (pa.array(["a", None]), "missing in 1 records .first in row 1"),
        (np.array([1.0, np.nan]), "missing in 1 records"),
        (np.array([1.5, 2.0]), "not whole"),
        (pa.array([True, False]), "neither text nor whole"),
        (pa.array([1.5, 2.5]), "neither text nor whole"),
    ],
)
def test_bad_ids(ids: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        keys_of(ids, SECRET, "id")


def test_a_fingerprint_tells_secrets_apart() -> None:
    assert fingerprint(SECRET) == fingerprint(bytes(SECRET)) != fingerprint(OTHER)
    assert fingerprint(SECRET) not in SECRET.hex()
    whole = hmac.new(SECRET, b"privet party fingerprint", hashlib.sha256).hexdigest()
    assert fingerprint(SECRET) == whole[:16]  # on cards, so that it stays what it is


def test_numbers_that_are_ids_are_whole_to_the_last_digit() -> None:
    """From 2**53 on, two ids may be one number: who has it cannot be told."""
    last = 2.0**53 - 1
    for number in (last, -last):
        key = keys_of(np.array([number]), SECRET, "id")
        assert np.array_equal(key, keys_of(pa.array([str(int(number))]), SECRET, "id"))
    for number in (last + 1, -last - 1, np.inf):
        with pytest.raises(DataError, match="not whole"):
            keys_of(np.array([number]), SECRET, "id")
