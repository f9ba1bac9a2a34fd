"""The one door to randomness: ``words(column, row)`` by seekable AES-256 in counter mode.

A disguise takes its random words by place, not by turn: the words of a row are the same in
whatever batch, order or process the row is worked on, so a batch that is retried gives the same
bytes. The key comes from the operating system. A seed is possible for tests and experiments; what
is drawn from one is not private, and says so.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from privet.compiled import kernel
from privet.errors import BugError, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint32]

__all__ = ["CHUNK", "Carried", "Randomness", "Reader", "fresh_words", "spread"]

CHUNK = 1 << 19  # words made at a time: few long calls, so that threads seldom wait for the lock
_SHUFFLE = 1 << 63  # stream ids from here on are for shuffles, those below for columns
_BLOCK_WORDS = 4  # a block of AES is 16 bytes
_LIMIT = 1 << 32  # rows that one permutation can order
_ZEROS = memoryview(bytes(4 * CHUNK))


@kernel
def shuffle(order: NDArray[np.uint32], words: Words, last: int) -> None:
    """Go on with Fisher and Yates from place ``last`` down, two words per place.

    The place is the upper half of a 64-bit word times the number of places, so no place is
    likelier than another by more than one part in 2**64. The product needs 96 bits: it is made
    in two halves.
    """
    for i in range(len(words) // 2):
        place = last - i
        count = np.uint64(place + 1)
        low = (np.uint64(words[2 * i]) * count) >> np.uint64(32)
        other = np.int64((np.uint64(words[2 * i + 1]) * count + low) >> np.uint64(32))
        swapped = order[place]
        order[place] = order[other]
        order[other] = swapped


class Reader:
    """The words of one stream from some place on, in the order of the stream."""

    def __init__(self, key: bytearray, stream: int, start: int) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        block, skip = divmod(start, _BLOCK_WORDS)
        counter = stream.to_bytes(8, "big") + block.to_bytes(8, "big")
        self._cipher: Any = Cipher(algorithms.AES256(key), modes.CTR(counter)).encryptor()
        self._buffer = np.empty(0, np.uint8)
        if skip:
            self._cipher.update(_ZEROS[: 4 * skip])

    def chunk(self, count: int) -> Words:
        """Return the next ``count <= CHUNK`` words: a view that the next call overwrites."""
        if len(self._buffer) < 4 * count + 16:  # the cipher asks for a block more
            self._buffer = np.empty(4 * count + 16, np.uint8)
        self._cipher.update_into(_ZEROS[: 4 * count], self._buffer)
        return self._buffer[: 4 * count].view("<u4").astype(np.uint32, copy=False)


class Randomness:
    """A source of random words, one endless stream per column, read at any place.

    Made by ``Randomness.system()`` or ``Randomness.seeded(seed)``, and to be closed at the end:
    the key is then forgotten, and nobody, not even the owner, can draw the same words again.

    >>> source = Randomness.seeded(1)
    >>> whole, part = source.words(0, 0, 8), source.words(0, 5, 3)
    >>> bool((whole[5:] == part).all())
    True
    """

    def __init__(self, key: bytes, *, seeded: bool) -> None:
        self._key: bytearray | None = bytearray(key)
        self.is_seeded = seeded

    @classmethod
    def system(cls) -> Randomness:
        """Return a source with a fresh key from the operating system."""
        return cls(secrets.token_bytes(32), seeded=False)

    @classmethod
    def seeded(cls, seed: int | str | bytes) -> Randomness:
        """Return the source of a seed, for tests and experiments: not private."""
        if isinstance(seed, bool) or not isinstance(seed, int | str | bytes):
            message = f"A seed must be a whole number, text or bytes, not {type(seed).__name__}."
            raise InputError(message)
        text = seed if isinstance(seed, bytes) else str(seed).encode()
        kind = type(seed).__name__.encode()
        return cls(hashlib.sha256(b"privet seed\0" + kind + b"\0" + text).digest(), seeded=True)

    @classmethod
    def of(cls, seed: int | str | bytes | None) -> Randomness:
        """Return the source of a seed, or a fresh source if there is none."""
        return cls.system() if seed is None else cls.seeded(seed)

    def __repr__(self) -> str:
        state = "closed" if self._key is None else "open"
        return f"<Randomness {'seeded' if self.is_seeded else 'system'}, {state}>"

    def __reduce__(self) -> str:
        message = "A source of randomness cannot be pickled: its key would leave the process."
        raise TypeError(message)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def carried(self) -> Carried:
        """Return what workers on other machines need to draw the same words: the key itself.

        Whoever may read what goes to the workers may read the key; close it as soon as they end.
        """
        if self._key is None:
            message = "a closed source of randomness is asked for its key"
            raise BugError(message)
        return Carried(bytes(self._key), seeded=self.is_seeded)

    def close(self) -> None:
        """Forget the key."""
        if self._key is not None:
            self._key[:] = bytes(len(self._key))
        self._key = None

    def reader(self, column: int, start: int = 0) -> Reader:
        """Return a reader of a column's words from ``start`` on."""
        if not 0 <= column < _SHUFFLE:
            message = f"column {column} is outside the streams for columns"
            raise BugError(message)
        return self._reader(column, start)

    def _reader(self, stream: int, start: int) -> Reader:
        if self._key is None:
            message = "a closed source of randomness is asked for words"
            raise BugError(message)
        return Reader(self._key, stream, start)

    def words(self, column: int, start: int, count: int) -> Words:
        """Return the words at places ``start`` up to ``start + count`` of a column's stream."""
        out = np.empty(count, np.uint32)
        _fill(self.reader(column, start), out)
        return out

    def shuffle_words(self, column: int, start: int, count: int) -> Words:
        """Return words of a stream for shuffles, which are apart from those for columns."""
        out = np.empty(count, np.uint32)
        _fill(self._reader(_SHUFFLE | column, start), out)
        return out

    def permutation(self, column: int, count: int) -> NDArray[np.uint32]:
        """Return the numbers below ``count`` in a uniformly random order.

        >>> sorted(Randomness.seeded(1).permutation(0, 4).tolist())
        [0, 1, 2, 3]
        """
        if count > _LIMIT:
            message = f"At most {_LIMIT:,} rows can be shuffled in memory."
            raise InputError(message, hint="disguise from a file to a folder.")
        order = np.arange(count, dtype=np.uint32)
        reader = self._reader(_SHUFFLE | column, 0)
        last = count - 1
        while last > 0:
            places = min(last, CHUNK // 2)
            shuffle(order, reader.chunk(2 * places), last)
            last -= places
        return order


class Carried:
    """The key of a source on its way to workers; unlike a source it can be pickled."""

    def __init__(self, key: bytes, *, seeded: bool) -> None:
        self._key = key
        self._seeded = seeded

    def __repr__(self) -> str:
        return "<Carried randomness>"

    def opened(self) -> Randomness:
        """Return the source, at the worker's."""
        return Randomness(self._key, seeded=self._seeded)


def _fill(reader: Reader, out: Words) -> None:
    for start in range(0, len(out), CHUNK):
        part = out[start : start + CHUNK]
        part[:] = reader.chunk(len(part))


def fresh_words(count: int) -> Words:
    """Return a few words straight from the operating system, for a single record."""
    return np.frombuffer(secrets.token_bytes(4 * count), "<u4").astype(np.uint32)


def spread(words: Words, bits: int) -> NDArray[np.uint16]:
    """Return the first ``bits <= 16`` bits of each word: a fair choice among 2**bits buckets."""
    if bits == 0:
        return np.zeros(len(words), np.uint16)
    return (words >> np.uint32(32 - bits)).astype(np.uint16)
