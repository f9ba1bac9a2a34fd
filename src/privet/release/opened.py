"""A folder kept open: whatever takes its name meanwhile, the files of the same folder are read."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from privet.errors import ReleaseError
from privet.files.reading import LIMIT, cause, digest, read_bytes
from privet.files.writing import recover
from privet.signing import MOST, SIGNATURE, check_signer, signer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from privet.files.reading import Stamp
    from privet.signing import PublicKey

__all__ = ["Opened", "check_digest", "look_steadily", "read_steadily"]

TRIES = 10  # of reading a folder that others replace meanwhile
Result = TypeVar("Result")


def read_steadily(folder: Path, read: Callable[[Path], Result]) -> Result:
    """Return ``read(folder)``; if another folder takes its place meanwhile, that of the other."""
    return _steadily(folder, read, mend=True)


def look_steadily(folder: Path, look: Callable[[Path], Result]) -> Result:
    """Return ``look(folder)`` likewise; what a dead writer left behind stays as it is."""
    return _steadily(folder, look, mend=False)


def _steadily(folder: Path, read: Callable[[Path], Result], *, mend: bool) -> Result:
    """Read a folder again as long as it is another folder after an error than before."""
    for _ in range(TRIES):
        before = _looks(folder)
        if before is None and mend:  # a writer may be between its two renames, or have died there
            recover(folder)
            before = _looks(folder)
        try:
            return read(folder)
        except ReleaseError:
            if _looks(folder) == before:
                raise
    message = f"{folder} was replaced {TRIES} times while it was read."
    raise ReleaseError(message, hint="read it again when nobody writes to it.")


def _looks(folder: Path) -> tuple[int, int, int] | None:
    """Return what tells a folder from another under the same name; None if there is none."""
    try:
        seen = folder.stat()
    except OSError:
        return None
    return seen.st_dev, seen.st_ino, seen.st_ctime_ns


@dataclass(frozen=True)
class Opened:
    """A folder and its descriptor. No link in it is followed; what goes wrong names the file."""

    folder: Path
    handle: int

    @classmethod
    @contextmanager
    def at(cls, folder: Path, what: str) -> Iterator[Opened]:
        """Open a folder for a while; an error about one that is not there calls it ``what``."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            raise ReleaseError(f"There is no {what} {folder}.") from None
        try:
            yield cls(folder, handle)
        finally:
            os.close(handle)

    @property
    def names(self) -> set[str]:
        """The names in it."""
        with os.scandir(self.handle) as entries:
            return {entry.name for entry in entries}

    def read(self, name: str, most: int = LIMIT) -> bytes:
        """Return a file as a whole; one of more than ``most`` bytes is an error."""
        try:
            return read_bytes(name, most=most, folder=self.handle, follow=False)
        except OSError as error:
            raise ReleaseError(f"{self.folder / name} cannot be read: {cause(error)}.") from None

    def signer(self, card: bytes, by: PublicKey | None) -> PublicKey | None:
        """Return who signed the card, None if nobody did; ``by`` is who must have."""
        signer = None
        if SIGNATURE in self.names:
            signer = signer_of(card, self.read(SIGNATURE, MOST), self.folder / SIGNATURE)
        check_signer(self.folder, signer, by)
        return signer

    def check_names(self, listed: set[str]) -> None:
        """Check that there are the files that a card lists, and no others but its signature."""
        there = self.names - {SIGNATURE}
        for name in sorted(listed - there):
            raise ReleaseError(f"The release {self.folder} lacks its file {name}.")
        for name in sorted(there - listed):
            message = f"The release {self.folder} holds a file that its card does not list: {name}."
            raise ReleaseError(message, hint="remove it if you know where it comes from.")

    def check(self, name: str, checksum: str) -> Stamp:
        """Check a file; return the stamp of the bytes that were checked."""
        return check_digest(self.folder / name, checksum, self.handle)


def check_digest(path: Path, checksum: str, handle: int | None = None) -> Stamp:
    """Check a file, of an open folder if its descriptor is given; return the stamp."""
    try:
        computed, stamp = digest(path if handle is None else path.name, folder=handle)
    except OSError as error:
        raise ReleaseError(f"{path} cannot be read: {cause(error)}.") from None
    if computed != checksum:
        message = f"{path} is cut short, or was altered after it was written: "
        message += "its checksum is not the card's."
        raise ReleaseError(message, hint="ask the owner for the release again.")
    return stamp
