"""The parties' secret, and the keys of records: keyed hashes of their ids.

Every party hashes its ids by HMAC-SHA-256 with one secret that the collector does not have. Equal
ids then have equal keys, and nobody without the secret can tell whose they are, not even by trying
all ids.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.frames import Column

__all__ = ["Keys", "fingerprint", "keys_of", "new_secret", "read_secret"]

BYTES = 32
WIDTH = 16  # bytes of a key: two of a billion records collide once in 10^20 tries

Keys = np.ndarray  # records × 2 of uint64, the more significant half first


def new_secret(path: str | Path) -> None:
    """Write a fresh secret to a file that only its owner may read; never over another."""
    file = Path(path)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(secrets.token_hex(BYTES) + "\n")
    except FileExistsError:
        message = f"{file} exists already: a secret is never replaced."
        raise InputError(message, hint="choose another name.") from None
    except OSError as error:
        raise InputError(f"The secret cannot be written to {file}: {error.strerror}.") from None


def read_secret(path: str | Path) -> bytes:
    """Read a secret; a file that others may read is refused."""
    file = Path(path)
    try:
        mode = file.stat().st_mode
        text = file.read_bytes()
    except OSError as error:
        raise InputError(f"The secret {file} cannot be read: {error.strerror}.") from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        message = f"The secret {file} can be read by others than its owner."
        raise InputError(message, hint=f"chmod 600 {file}, and consider making a new one.")
    try:
        held = bytes.fromhex(text.decode("ascii").strip())
    except ValueError:
        held = b""
    if len(held) < BYTES:
        message = f"{file} does not hold a secret of {BYTES} bytes in hexadecimal digits."
        raise InputError(message, hint="make one with: privet party keygen --output FILE.")
    return held


def fingerprint(secret: bytes) -> str:
    """Return a short text that equal secrets share, and that tells nothing about the secret."""
    return hmac.digest(secret, b"privet party fingerprint", "sha256")[:8].hex()


def keys_of(ids: Column, secret: bytes, name: str) -> NDArray[np.uint64]:
    """Return the key of every id, records × 2 of uint64.

    Whole numbers and text are taken: 7 and "7" are the same id, " 7" and "07" are others.
    """
    texts = _texts(ids, name)
    digest = hmac.digest
    held = b"".join([digest(secret, b"privet id\0" + text, "sha256")[:WIDTH] for text in texts])
    keys = np.frombuffer(held, ">u8").astype(np.uint64)
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


def _refuse(missing: NDArray[np.bool_], name: str) -> None:
    if missing.any():
        row = int(np.argmax(missing))
        message = f"The id {name!r} is missing in {int(missing.sum()):,} records "
        message += f"(first in row {row})."
        raise DataError(message, hint="a record without an id cannot be joined; fill or drop it.")
