"""How a command fails: one message on stderr, an exit code, no traceback.

2 is the user's to mend, 1 is a bug of ours, 130 is Ctrl-C. A traceback could show a record's value;
``PRIVET_DEBUG=1`` asks for it all the same.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from privet.cli.output import one_line
from privet.errors import BugError, PrivetError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["BUG", "INTERRUPTED", "MISTAKE", "Failure", "failure_of"]

BUG = 1
MISTAKE = 2
INTERRUPTED = 130

_REPORT = "this is a bug in privet; please report it. PRIVET_DEBUG=1 shows where it happened."


class Failure(click.ClickException):
    """What went wrong, for people or for programs."""

    def __init__(
        self, message: str, *, hint: str = "", code: int = MISTAKE, as_json: bool = False
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.exit_code = code  # type: ignore[misc]  # click's own is for the class
        self.as_json = as_json

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message on stderr."""
        if self.as_json:
            text = json.dumps({"error": self.message, "hint": self.hint}, ensure_ascii=False)
        else:
            text = f"Error: {one_line(self.message)}"
            if self.hint:
                text += f"\nHint: {one_line(self.hint)}"
        click.echo(text, file=file, err=file is None)


def failure_of(error: BaseException, *, as_json: bool) -> Failure:
    """Return the failure that an exception means; never the text of one we did not write."""
    message, hint, code = _told(error)
    if code == BUG and os.environ.get("PRIVET_DEBUG") == "1":
        raise error
    return Failure(message, hint=hint, code=code, as_json=as_json)


def _told(error: BaseException) -> tuple[str, str, int]:
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted; nothing half-written is left.", "", INTERRUPTED
    if isinstance(error, BugError):
        return _bare(error), _REPORT, BUG
    if isinstance(error, PrivetError):
        return _bare(error), error.hint, MISTAKE
    if isinstance(error, OSError):
        cause = os.strerror(error.errno) if error.errno else "input/output error"
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{cause}.", "check the path, the rights and the space there.", MISTAKE
    if isinstance(error, MemoryError):
        return "There is not enough memory for this.", "take fewer rows or bins.", MISTAKE
    place = _place(error.__traceback__)
    return f"{type(error).__name__} at {place}, which should not happen.", _REPORT, BUG


def _bare(error: PrivetError) -> str:
    return str(error).removesuffix(f" Hint: {error.hint}")


def _place(traceback: TracebackType | None) -> str:
    """Name the innermost line of ours that a traceback passes."""
    home = Path(__file__).resolve().parent.parent
    place = "an unknown place"
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        if home in file.parents:
            place = f"privet/{file.relative_to(home).as_posix()}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
