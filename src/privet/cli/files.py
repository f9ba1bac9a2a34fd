"""Files that commands write: whole or not at all, and never over another unless told to."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["check_free", "new_file", "write_text"]


def check_free(path: Path | None, *, overwrite: bool) -> None:
    """Complain before any work is done if a file could not be written in the end."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder.", hint="give the name of a file.")
    if path.exists() and not overwrite:
        raise InputError(f"{path} exists already.", hint="choose another name, or say --overwrite.")
    if not path.parent.is_dir():
        message = f"{path} cannot be written: there is no folder {path.parent}."
        raise InputError(message, hint="make the folder first.")


@contextmanager
def new_file(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a temporary file beside ``path`` that takes its name when the block ends well.

    If it ends in any other way, an interrupt included, the temporary file is removed.
    """
    check_free(path, overwrite=overwrite)
    # Named before it is made: an interrupt right after finds it to remove it.
    made = path.parent / f".{path.name}.{secrets.token_hex(8)}.part"
    try:
        made.touch(0o600, exist_ok=False)
        yield made
        _settle(made)
        made.replace(path)
    except OSError as error:
        cause = os.strerror(error.errno) if error.errno else "input/output error"
        message = f"{path} cannot be written: {cause}."
        hint = "free space there, or choose a folder you may write to."
        raise InputError(message, hint=hint) from None
    finally:
        made.unlink(missing_ok=True)


def _settle(made: Path) -> None:
    """Bring the bytes to disk and give the file the rights it would have had ordinarily."""
    mask = os.umask(0)
    os.umask(mask)
    made.chmod(0o666 & ~mask)
    with made.open("rb") as file:
        os.fsync(file.fileno())


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file."""
    with new_file(path, overwrite=overwrite) as made:
        made.write_text(text, encoding="utf-8")
