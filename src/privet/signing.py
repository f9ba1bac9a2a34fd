"""Signatures: who made a release, told by Ed25519 over its card, which has all checksums.

A checksum finds accidents; whoever alters a release on purpose can compute it anew. Nobody but the
owner of a private key can make its signature. Whoever reads must have the public key from the
owner by another way than the release itself: a signature by a key that nobody named says only that
card and data belong together.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from privet.errors import InputError, ReleaseError
from privet.files.reading import cause, read_private, typed
from privet.files.sealed import Kind, seal
from privet.files.writing import new_file, new_private_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Signer: TypeAlias = "SigningKey | str | Path"  # a key, or the path of its file

__all__ = [
    "MOST",
    "SIGNATURE",
    "PublicKey",
    "Signer",
    "SigningKey",
    "check_signer",
    "sign",
    "signer_of",
]

SIGNATURE = "signature.json"
MOST = 4096  # bytes of a signature file, which has less than 400
_PREFIX = b"privet signature 1\n"  # so that a signature of ours means nothing anywhere else
_KEYGEN = "make one with: privet keygen --output FILE."
_ASK = "do not rely on it; ask its owner for a signed one, and for the public key."
_WRITTEN = Kind("privet signature", 1, ReleaseError, what="signature", indent=1, hint=_ASK)
_PUBLIC = Kind("privet public key", 1, InputError, what="public key", indent=1, hint=_KEYGEN)
_PRIVATE = Kind("privet signing key", 1, InputError, what="signing key", indent=1, hint=_KEYGEN)
_LENGTHS = {"public": 32, "private": 32, "signature": 64}


@dataclass(frozen=True)
class PublicKey:
    """What tells whose a signature is; it may be given to anybody.

    >>> import privet as pv
    >>> public = pv.SigningKey.new().public
    >>> len(str(public)), public == pv.PublicKey(public.data)
    (64, True)
    """

    data: bytes

    def __str__(self) -> str:
        return self.data.hex()

    def write(self, path: str | Path) -> None:
        """Write it to a file; never over another.

        >>> import tempfile
        >>> key = SigningKey.new().public
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     key.write(f"{folder}/key")
        ...     PublicKey.read(f"{folder}/key") == key
        True
        """
        form = {**_head(_PUBLIC), "public": str(self)}
        with _telling("public key", path), new_file(Path(path), overwrite=False) as made:
            made.write_bytes(seal(form, _PUBLIC.indent))

    @classmethod
    def read(cls, path: str | Path) -> PublicKey:
        """Read it from a file.

        >>> PublicKey.read("no-such.key")
        Traceback (most recent call last):
        privet.errors.InputError: ...
        """
        (data,) = _fields(_PUBLIC.read(path), _PUBLIC, path, "public")
        return cls(data)

    @classmethod
    def of(cls, key: PublicKey | str | Path) -> PublicKey:
        """Return a key as it is, or read it from a file.

        >>> key = SigningKey.new().public
        >>> PublicKey.of(key) is key
        True
        """
        return key if isinstance(key, PublicKey) else cls.read(key)


class SigningKey:
    """A private key that signs releases. Who has it can sign in its owner's name.

    >>> import tempfile, privet as pv
    >>> table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    >>> release = pv.RandomSubstitution(gamma=3).disguise(table, schema)
    >>> key = pv.SigningKey.new()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release.write(f"{folder}/weather.release", sign=key)
    ...     read = pv.Release.read(f"{folder}/weather.release", by=key.public)
    >>> read.signed_by == key.public
    True
    """

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __repr__(self) -> str:
        return f"<SigningKey of {self.public}>"

    def __reduce__(self) -> str:
        message = "A signing key cannot be pickled: it would leave the process."
        raise TypeError(message)

    @classmethod
    def new(cls) -> SigningKey:
        """Return a fresh key.

        >>> SigningKey.new().public == SigningKey.new().public
        False
        """
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.generate().private_bytes_raw())

    @cached_property
    def public(self) -> PublicKey:
        """The public key that belongs to it."""
        return PublicKey(self._opened().public_key().public_bytes_raw())

    def sign(self, data: bytes) -> bytes:
        """Return the signature of some bytes, which holds for privet alone.

        >>> len(SigningKey.new().sign(b"card"))
        64
        """
        return self._opened().sign(_PREFIX + data)

    def write(self, path: str | Path) -> None:
        """Write it to a file that only its owner may read; never over another.

        >>> import tempfile
        >>> key = SigningKey.new()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     key.write(f"{folder}/key")
        ...     SigningKey.read(f"{folder}/key").public == key.public
        True
        """
        form = {**_head(_PRIVATE), "private": self._data.hex(), "public": str(self.public)}
        with _telling("signing key", path):
            new_private_file(Path(path), seal(form, _PRIVATE.indent).decode())

    @classmethod
    def read(cls, path: str | Path) -> SigningKey:
        """Read it from a file, which others must not be able to read.

        >>> SigningKey.read("no-such.key")
        Traceback (most recent call last):
        privet.errors.InputError: ...
        """
        form = _PRIVATE.opened(read_private(path, "signing key"), str(path))
        private, public = _fields(form, _PRIVATE, path, "private", "public")
        key = cls(private)
        if key.public.data != public:
            raise _PRIVATE.altered(str(path))
        return key

    @classmethod
    def of(cls, key: Signer) -> SigningKey:
        """Return a key as it is, or read it from a file.

        >>> key = SigningKey.new()
        >>> SigningKey.of(key) is key
        True
        """
        return key if isinstance(key, SigningKey) else cls.read(key)

    def _opened(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._data)


def sign(card: bytes, key: SigningKey) -> bytes:
    """Return the signature file of a card."""
    form = {**_head(_WRITTEN), "public": str(key.public), "signature": key.sign(card).hex()}
    return seal(form, _WRITTEN.indent)


def signer_of(card: bytes, signature: bytes, where: Path) -> PublicKey:
    """Return whose signature of the card a signature file has; any other is an error."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    form = _WRITTEN.opened(signature, str(where))
    public, signed = _fields(form, _WRITTEN, where, "public", "signature")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signed, _PREFIX + card)
    except (InvalidSignature, ValueError):
        message = f"{where} is no signature of the card.json beside it: one of the two was altered."
        raise ReleaseError(message, hint=_ASK) from None
    return PublicKey(public)


def check_signer(folder: Path, signer: PublicKey | None, by: PublicKey | None) -> None:
    """Refuse what is not signed by a key that was named; if none was, anything goes."""
    if by is None or signer == by:
        return
    how = "is not signed" if signer is None else "is signed by another key"
    raise ReleaseError(f"{folder} {how}; asked for was a signature by {by}.", hint=_ASK)


def _head(kind: Kind) -> dict[str, Any]:
    return {"format": kind.mark, "version": kind.version, "algorithm": "Ed25519"}


def _fields(form: dict[str, Any], kind: Kind, path: str | Path, *names: str) -> list[bytes]:
    """Return the fields of a form, which must have just these, each of its length."""
    if list(form) != [*_head(kind), *names] or form["algorithm"] != "Ed25519":
        raise kind.altered(str(path))
    try:
        values = [bytes.fromhex(typed(form[name], str)) for name in names]
    except (TypeError, ValueError):
        raise kind.altered(str(path)) from None
    if [len(value) for value in values] != [_LENGTHS[name] for name in names]:
        raise kind.altered(str(path))
    return values


@contextmanager
def _telling(what: str, path: str | Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        message = f"{path} exists already: a {what} is never written over another file."
        raise InputError(message, hint="choose another name.") from None
    except OSError as error:
        raise InputError(f"The {what} cannot be written to {path}: {cause(error)}.") from None
