"""Files that commands write: whole or not at all, and never over another unless told to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from privet.errors import InputError
from privet.files import writing

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
        raise InputError(f"{path} exists already.", hint="choose another name, or use --overwrite.")
    if not path.parent.is_dir():
        message = f"{path} cannot be written: there is no folder {path.parent}."
        raise InputError(message, hint="make the folder first.")


@contextmanager
def new_file(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a temporary file beside ``path`` that takes its name when the block ends well.

    If it ends in any other way, an interrupt included, the temporary file is removed.
    """
    check_free(path, overwrite=overwrite)
    with (
        writing.complaining(f"{path} cannot be written", InputError),
        writing.new_file(path, overwrite=overwrite) as made,
    ):
        yield made


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file."""
    with new_file(path, overwrite=overwrite) as made:
        made.write_text(text, encoding="utf-8")
