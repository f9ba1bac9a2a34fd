"""Files and folders that are written as a whole, and for good, or not at all.

What is written has another name until its last byte is on disk; then it takes its name in one step.
So whoever looks finds the old or the new, never a part or nothing, whatever dies in between. What a
killed writer leaves under the other name is removed by the next writer of the same path.

A folder takes another's place by ``renameat2`` where the system has it. Elsewhere there are two
renames under a lock of the folder above; ``recover`` mends what a kill between them leaves.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import secrets
import shutil
import stat
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.files.reading import cause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.errors import PrivetError

__all__ = ["flush", "locked", "new_file", "new_folder", "new_private_file", "recover", "sweep"]

_NOREPLACE, _EXCHANGE = 1, 2  # flags of renameat2
_HERE = -100  # AT_FDCWD
_UNABLE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


@contextmanager
def complaining(what: str, error: type[PrivetError]) -> Iterator[None]:
    """Make an ``error`` of what goes wrong when files are written; ``what`` begins it."""
    try:
        yield
    except OSError as failed:
        hint = "free space there, or choose a folder you may write to."
        raise error(f"{what}: {cause(failed)}.", hint=hint) from None


@contextmanager
def new_file(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """Give a new file beside ``path`` that takes its name when the block ends well.

    If it ends in any other way, an interrupt included, the file is removed. All that goes wrong
    is an ``OSError``; without ``overwrite`` that is so if there is a file of the name already.
    """
    with _begun(path, folder=False) as made:
        yield made
        made.chmod(0o666 & _usual(path))
        flush(made)
        _put_file(made, path, overwrite=overwrite)
        _flush_names(path.parent)


@contextmanager
def new_folder(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a new folder beside ``path`` that takes its name when the block ends well.

    As ``new_file``; only an empty folder is replaced without ``overwrite``.
    """
    recover(path)
    with _begun(path, folder=True) as made:
        yield made
        made.chmod(0o777 & _usual(made / path.name))
        for file in made.iterdir():
            flush(file)
        flush(made)
        _put_folder(made, path, overwrite=overwrite)
        _flush_names(path.parent)


def new_private_file(path: Path, text: str) -> None:
    """Write a file that only its owner may read; never over another."""
    with _begun(path, folder=False) as made:
        made.write_text(text, encoding="utf-8")
        flush(made)
        _put_file(made, path, overwrite=False)
        _flush_names(path.parent)


@contextmanager
def locked(path: Path, *, must: bool = False) -> Iterator[int]:
    """Keep everyone else out who asks for the same file or folder; give its descriptor.

    Where there are no locks it does nothing, or is an ``OSError`` if there ``must`` be a lock.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if not _lock(handle) and must:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(path))
        yield handle
    finally:
        os.close(handle)


def recover(path: Path) -> None:
    """Undo a replacement of a folder that was cut off between its two renames."""
    if not _left(path, "old"):
        return
    with locked(path.parent):
        left = _left(path, "old")
        if left and not os.path.lexists(path):
            left.pop().rename(path)
    for old in left:
        shutil.rmtree(old, ignore_errors=True)


def sweep(path: Path) -> None:
    """Remove what killed writers of a path left; a living writer keeps a lock on what it makes."""
    for left in _left(path, "part"):
        with contextlib.suppress(OSError):
            handle = os.open(left, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                if _lock(handle, wait=False):
                    _remove(left)
            finally:
                os.close(handle)


def flush(path: Path) -> None:
    """Bring a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_names(folder: Path) -> None:
    try:
        flush(folder)
    except OSError as error:
        if error.errno not in _UNABLE:  # not every file system can flush a folder
            raise


# What is not finished


@contextmanager
def _begun(path: Path, *, folder: bool) -> Iterator[Path]:
    """Give a new, locked file or folder under another name, and remove it at the end."""
    sweep(path)
    handle = -1
    while handle < 0:
        # Named before it is made: an interrupt right after finds it to remove it.
        made = _other(path, "part")
        try:
            if folder:
                made.mkdir(0o700)
            else:
                os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            handle = _held(made)
        except BaseException:
            _remove(made)
            raise
    try:
        yield made
    finally:
        _remove(made)
        os.close(handle)


def _held(made: Path) -> int:
    """Lock what was just made; -1 if someone swept it away before."""
    try:
        handle = os.open(made, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return -1
    try:
        _lock(handle)
        if os.fstat(handle).st_nlink and made.exists():
            return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return -1


def _other(path: Path, ending: str) -> Path:
    return path.parent / f".{path.name}.{secrets.token_hex(8)}.{ending}"


def _left(path: Path, ending: str) -> list[Path]:
    """Return what lies beside a path under its other names, in the order it was last changed."""
    fits = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-z_]+\.{ending}")
    try:
        with os.scandir(path.parent) as beside:
            left = [
                (entry.stat(follow_symlinks=False).st_mtime_ns, entry.path)
                for entry in beside
                if fits.fullmatch(entry.name)
            ]
    except OSError:  # there is no such folder, or it changes as we look
        return []
    return [Path(name) for _, name in sorted(left)]


def _remove(made: Path) -> None:
    if made.is_dir() and not made.is_symlink():
        shutil.rmtree(made, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            made.unlink(missing_ok=True)


def _usual(path: Path) -> int:
    """Return the rights that this process gives to new files: those of a file made and removed.

    Asking for the umask would change it for all threads for a moment. A kill leaves the file to
    the next writer of the path, who sweeps it away; a writer at work just now may do so, too.
    """
    probe = _other(path, "part")
    handle = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
    try:
        return stat.S_IMODE(os.fstat(handle).st_mode)
    finally:
        os.close(handle)
        probe.unlink(missing_ok=True)


# Taking a name


def _put_file(made: Path, path: Path, *, overwrite: bool) -> None:
    if overwrite:
        made.replace(path)
    elif not _renamed(made, path, _NOREPLACE):
        with locked(path.parent):
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            made.rename(path)


def _put_folder(made: Path, path: Path, *, overwrite: bool) -> None:
    """Give a folder its name; what had it is then under the other name, to be removed."""
    while True:
        try:
            able = _renamed(made, path, _NOREPLACE)
            break
        except FileExistsError:
            if not overwrite and any(path.iterdir()):
                raise
        try:
            able = _renamed(made, path, _EXCHANGE)
            break
        except FileNotFoundError:
            continue  # it was there a moment ago
    if not able:
        _put_under_lock(made, path, overwrite=overwrite)


def _put_under_lock(made: Path, path: Path, *, overwrite: bool) -> None:
    """Do it by two renames, with the old folder back if the second fails."""
    old = _other(path, "old")
    with locked(path.parent):
        if os.path.lexists(path):
            if not overwrite and any(path.iterdir()):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            path.rename(old)
        try:
            made.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise
    shutil.rmtree(old, ignore_errors=True)


def _renamed(old: Path, new: Path, flag: int) -> bool:
    """Rename by ``renameat2``; False where system or file system cannot do that."""
    library = _library()
    if library is None:
        return False
    if library.renameat2(_HERE, os.fsencode(old), _HERE, os.fsencode(new), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNABLE:
        return False
    raise OSError(number, os.strerror(number), str(old), None, str(new))


@cache
def _library() -> Any:
    """Return the C library, if it has ``renameat2``."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        library.renameat2  # noqa: B018 - AttributeError where it is not there
    except (OSError, AttributeError, TypeError):
        return None
    return library


def _lock(handle: int, *, wait: bool = True) -> bool:
    """Lock an open file or folder until it is closed; say whether that was possible."""
    try:
        import fcntl
    except ImportError:  # no POSIX system
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another has it, or this file system has no locks
        return False
    return True
