"""The parties' secret, and the keys of records: keyed hashes of their ids.

Every party hashes its ids by HMAC-SHA-256 with one secret that the collector does not have. Equal
ids then have equal keys, and nobody without the secret can tell whose they are, not even by trying
all ids.
"""

from __future__ import annotations

import hmac
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, InputError
from privet.files.reading import cause, read_private
from privet.files.writing import new_private_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.coding import Mask
    from privet.frames import Column

__all__ = ["Keys", "fingerprint", "keys_of", "new_secret", "read_secret"]

BYTES = 32
WIDTH = 16  # bytes of a key: two of a billion records collide once in 10^20 tries

Keys = np.ndarray  # records × 2 of uint64, the more significant half first


def new_secret(path: str | Path) -> None:
    """Write a fresh secret to a file that only its owner may read; never over another."""
    file = Path(path)
    try:
        new_private_file(file, secrets.token_hex(BYTES) + "\n")
    except FileExistsError:
        message = f"{file} exists already: a secret is never replaced."
        raise InputError(message, hint="choose another name.") from None
    except OSError as error:
        raise InputError(f"The secret cannot be written to {file}: {cause(error)}.") from None


def read_secret(path: str | Path) -> bytes:
    """Read a secret; a file that others may read is refused."""
    text = read_private(path, "secret")
    try:
        secret = bytes.fromhex(text.decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) < BYTES:
        message = f"{path} does not hold a secret of {BYTES} bytes in hexadecimal digits."
        raise InputError(message, hint="make one with: privet party keygen --output FILE.")
    return secret


def fingerprint(secret: bytes) -> str:
    """Return a short text that equal secrets share, and that tells nothing about the secret."""
    return hmac.digest(secret, b"privet party fingerprint", "sha256")[:8].hex()


def keys_of(ids: Column, secret: bytes, name: str) -> NDArray[np.uint64]:
    """Return the key of every id, records × 2 of uint64.

    Whole numbers and text are taken: 7 and "7" are the same id, " 7" and "07" are others.
    """
    texts = _texts(ids, name)
    digest = hmac.digest
    digests = b"".join([digest(secret, b"privet id\0" + text, "sha256")[:WIDTH] for text in texts])
    keys = np.frombuffer(digests, ">u8").astype(np.uint64)
    return keys.reshape(-1, 2)


def _texts(ids: Column, name: str) -> list[bytes]:
    if isinstance(ids, np.ndarray):
        if ids.dtype.kind == "f":
            _refuse(np.isnan(ids), name)
            if not (np.floor(ids) == ids).all() or np.abs(ids).max(initial=0) >= 2.0**53:
                message = f"The ids in column {name!r} are numbers that are not whole."
                raise DataError(message, hint="use whole numbers or text.")
            ids = ids.astype(np.int64)
        return [b"%d" % value for value in ids.tolist()]
    _refuse(np.asarray(ids.is_null()), name)
    return [_bytes(value, name) for value in ids.to_pylist()]


def _bytes(value: Any, name: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    message = f"The ids in column {name!r} are neither text nor whole numbers."
    raise DataError(message)


def _refuse(missing: Mask, name: str) -> None:
    if missing.any():
        row = int(np.argmax(missing))
        message = f"The id {name!r} is missing in {int(missing.sum()):,} records."
        hint = "a record without an id cannot be joined; fill or drop it."
        raise DataError(message, hint=hint, column=name, row=row)
