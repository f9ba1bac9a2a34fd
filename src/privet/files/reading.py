"""Files of strangers, read within bounds: regular files of a size that fits, parsed or refused.

What stands in a file may be hostile: a pipe that never ends, a link to somewhere else, brackets
nested a million deep. Whoever reads a file reads it through here.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import stat
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import BufferedReader
    from pathlib import Path

    from privet.errors import PrivetError

__all__ = [
    "LIMIT",
    "OddFileError",
    "Stamp",
    "cause",
    "check_words",
    "digest",
    "open_regular",
    "parse_json",
    "parse_toml",
    "read_bytes",
    "read_private",
    "read_text",
    "read_toml",
    "typed",
]

Kind = TypeVar("Kind")
PIECE = 1 << 20  # bytes that are read at once
LIMIT = 1 << 28  # bytes of a text that is read as a whole: a tree of a million nodes has as many
_LINK = "it is a link, which may lead anywhere"
_ODD = "it is no regular file"
# A dotted key of TOML with more than a hundred parts; no file of ours has more than four.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")


class OddFileError(OSError):
    """A file that the system would give us, and that we do not take; it says why."""


@dataclass(frozen=True)
class Stamp:
    """What tells one file from another under the same name, and from itself once it has changed.

    Only on one machine do two looks see the same number of a file.
    """

    size: int
    time: int
    number: int
    machine: str

    @classmethod
    def of(cls, handle: int) -> Stamp:
        """Return the stamp of an open file."""
        status = os.fstat(handle)
        return cls(status.st_size, status.st_mtime_ns, status.st_ino, _machine())

    def fits(self, other: Stamp) -> bool:
        """Whether two looks saw the same file, unchanged."""
        alike = (self.size, self.time) == (other.size, other.time)
        return alike and (self.machine != other.machine or self.number == other.number)


@cache
def _machine() -> str:
    import platform

    return platform.node()


def open_regular(
    path: str | Path, *, folder: int | None = None, follow: bool = True, pipes: bool = False
) -> BufferedReader:
    """Open a regular file for reading; anything else is an ``OSError``, at once.

    ``folder`` is the descriptor of a folder that ``path`` is in. A link is not followed unless
    asked for; with ``pipes`` a pipe is as good as a file, for what people name themselves.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC
    flags |= 0 if pipes else os.O_NONBLOCK  # of a pipe: or opening it would wait for a writer
    flags |= 0 if follow else os.O_NOFOLLOW
    try:
        handle = os.open(path, flags, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise OddFileError(errno.ELOOP, _LINK, str(path)) from None
        raise
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode) or (pipes and stat.S_ISFIFO(mode)):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OddFileError(errno.EINVAL, _ODD, str(path))


def read_bytes(
    path: str | Path,
    *,
    most: int = LIMIT,
    folder: int | None = None,
    follow: bool = True,
    pipes: bool = False,
) -> bytes:
    """Return a file as a whole; more than ``most`` bytes are an ``OSError``."""
    with open_regular(path, folder=folder, follow=follow, pipes=pipes) as file:
        data = b"".join(_pieces(file, most))
    if len(data) > most:
        raise OddFileError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return data


def _pieces(file: BufferedReader, most: int) -> Iterator[bytes]:
    """Read a file piece by piece until more than ``most`` bytes are read: no room is made ahead."""
    left = most
    while left >= 0 and (piece := file.read(PIECE)):
        left -= len(piece)
        yield piece


def read_private(path: str | Path, what: str) -> bytes:
    """Return a file that only its owner may read, or refuse it."""
    try:
        with open_regular(path) as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            data = file.read(LIMIT)
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read: {cause(error)}.") from None
    if os.name == "posix" and mode & 0o077:
        message = f"The {what} {path} can be read by others than its owner."
        raise InputError(message, hint=f"chmod 600 {path}, and consider making a new one.")
    return data


def digest(path: str | Path, *, folder: int | None = None) -> tuple[str, Stamp]:
    """Return the checksum of a file, and the stamp of just the bytes it was computed from."""
    with open_regular(path, folder=folder, follow=False) as file:
        before = Stamp.of(file.fileno())
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
        if Stamp.of(file.fileno()) != before:
            raise OddFileError(errno.EAGAIN, "someone writes to it", str(path))
    return checksum, before


def cause(error: OSError) -> str:
    """Return why a file cannot be read or written, in a few words and without its name."""
    if isinstance(error, OddFileError):
        return str(error.strerror)
    return os.strerror(error.errno) if error.errno else "input/output error"


def read_text(path: str | Path, what: str, error: type[PrivetError], *, pipes: bool = False) -> str:
    """Return a text file as a whole; what goes wrong is an ``error`` about ``what``."""
    try:
        return read_bytes(path, pipes=pipes).decode()
    except OSError as failed:
        raise error(f"The {what} {path} cannot be read: {cause(failed)}.") from None
    except UnicodeDecodeError:
        message = f"The {what} {path} is not text in UTF-8."
        raise error(message, hint="save it as UTF-8.") from None


def parse_json(text: str) -> Any:
    r"""Return what a JSON text says; all that is no JSON, or no text, is a ``ValueError``.

    Numbers are finite, and text can be written again: there are no halves of signs.

    >>> parse_json('{"gain": 1e999}')
    Traceback (most recent call last):
    ValueError: a number is not finite
    """
    try:
        form = json.loads(text, parse_constant=_not_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if "\\ud" in text.lower():
        json.dumps(form, ensure_ascii=False).encode()  # UnicodeEncodeError is a ValueError
    return form


def typed(value: Any, kind: type[Kind]) -> Kind:
    """Return a value that is just of a kind, True being no number; else ``TypeError``."""
    if type(value) is not kind:
        raise TypeError
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text says; all that is no TOML is a ``ValueError``.

    Keys of many parts are refused: the time they take grows with the square of their number.
    """
    if _LONG_KEY.search(text):
        raise ValueError("it is nested too deeply")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_toml(path: str | Path, what: str, error: type[PrivetError]) -> dict[str, Any]:
    """Return what a TOML file says; what goes wrong is an ``error`` about ``what``."""
    text = read_text(path, what, error, pipes=True)
    try:
        return parse_toml(text)
    except ValueError as wrong:
        raise error(f"The {what} {path} is not valid TOML: {wrong}.") from None


def check_words(
    form: Iterable[str], known: Sequence[str], what: str, error: type[PrivetError]
) -> None:
    """Raise an ``error`` about ``what`` if a plain form has a word that is not known.

    >>> check_words({"low": 0}, ["low", "high"], "range", InputError)
    """
    unknown = sorted(set(form) - set(known))
    if unknown:
        message = f"The {what} has the unknown word {unknown[0]!r}; "
        raise error(message + f"known are {', '.join(known)}.")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _not_finite(digits)


def _not_finite(_: str) -> NoReturn:
    raise ValueError("a number is not finite")
