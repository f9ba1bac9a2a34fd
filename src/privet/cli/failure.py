"""How a command fails: one message on stderr, an exit code, no traceback.

2 is the user's to mend, 1 is a bug of ours, 130 is Ctrl-C, 143 a request to stop (SIGTERM). A
traceback could show a record's value; ``PRIVET_DEBUG=1`` asks for it all the same.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from privet.cli.output import json_text, one_line
from privet.errors import BugError, PlanError, PrivetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from privet.errors import Where

__all__ = [
    "BUG",
    "INTERRUPTED",
    "MISTAKE",
    "TERMINATED",
    "Failure",
    "Terminated",
    "failure_of",
    "in_options",
    "stop_cleanly",
]

BUG = 1
MISTAKE = 2
INTERRUPTED = 130
TERMINATED = 143

_REPORT = "this is a bug in privet; please report it. PRIVET_DEBUG=1 shows where it happened."


class Terminated(KeyboardInterrupt):
    """Someone asked the process to stop: as Ctrl-C does, it lets everything be cleaned up."""


def stop_cleanly() -> None:
    """Have SIGTERM (systemd, Kubernetes) and a closed terminal end a command as Ctrl-C does."""

    def stop(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # cleaning up is not interrupted again
        raise Terminated

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, stop)


class Failure(click.ClickException):
    """What went wrong, for people or for programs."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        where: Where | None = None,
        code: int = MISTAKE,
        as_json: bool = False,
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.where = where
        self.exit_code = code  # type: ignore[misc]  # click's own is for the class
        self.as_json = as_json

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message on stderr."""
        if self.as_json:
            form: dict[str, Any] = {"error": self.message, "hint": self.hint}
            place = {} if self.where is None else vars(self.where)
            known = {name: part for name, part in place.items() if part is not None}
            text = json_text(form | ({"where": known} if known else {}))
        else:
            text = f"Error: {one_line(self.message)}"
            if self.hint:
                text += f"\nHint: {one_line(self.hint)}"
        click.echo(text, file=file, err=file is None)


def failure_of(
    error: BaseException, *, as_json: bool, options: Mapping[str, str] | None = None
) -> Failure:
    """Return the failure that an exception means; never a text that is not ours."""
    message, hint, code = _told(error)
    if code == BUG and os.environ.get("PRIVET_DEBUG") == "1":
        raise error
    where = error.where if isinstance(error, PrivetError) else None
    hint = in_options(hint, options or {}, spaced=isinstance(error, PlanError))
    return Failure(message, hint=hint, where=where, code=code, as_json=as_json)


_VALUE = r"""("[^"]*"|'[^']*'|\[(?:[^][]|\[[^][]*\])*\]|\{.*\}|[\w.]*\w)"""
_SETTING = re.compile(rf"\b([a-z_]+)={_VALUE}")
_SPACED = re.compile(rf"(?<!\{{ )\b([a-z_]+) ?= ?{_VALUE}")  # as in TOML; not within a table


def in_options(hint: str, options: Mapping[str, str], *, spaced: bool = False) -> str:
    r"""Return a hint whose settings are those of a command instead of a call.

    ``options`` has the command's options by the names of settings. ``spaced`` takes settings as a
    plan has them for settings too, where the command has ``--set``.

    >>> in_options("use overwrite=True, or method='auto'.", {"overwrite": "--overwrite"})
    "use --overwrite, or method='auto'."
    >>> in_options("use method='auto'.", {"method": "--method"})
    'use --method auto.'
    >>> in_options('use groups=[["age"]].', {"set": "--set"})
    'use --set \'groups=[["age"]]\'.'
    >>> in_options("suppress = 0 keeps all.", {"set": "--set"}, spaced=True)
    '--set suppress=0 keeps all.'
    >>> in_options("rho = [0.05, 0.5].", {"set": "--set", "rho": "--rho"}, spaced=True)
    '--rho 0.05 0.5.'
    """

    def said(setting: re.Match[str]) -> str:
        name, value = setting[1], setting[2].strip("\"'")
        if name in options:
            value = value.strip("[]").replace(",", "") if value[:1] == "[" else value
            return options[name] if value == "True" else f"{options[name]} {value}"
        if "set" in options:
            return f"{options['set']} {shlex.quote(f'{name}={value}')}"
        return setting[0]

    return (_SPACED if spaced and "set" in options else _SETTING).sub(said, hint)


def _told(error: BaseException) -> tuple[str, str, int]:
    if isinstance(error, KeyboardInterrupt):
        asked = isinstance(error, Terminated)
        word, code = ("Stopped", TERMINATED) if asked else ("Interrupted", INTERRUPTED)
        return f"{word}; nothing half-written is left.", "", code
    if isinstance(error, BugError):
        return error.said, _REPORT, BUG
    if isinstance(error, PrivetError):
        return error.said, error.hint, MISTAKE
    if isinstance(error, OSError):
        cause = os.strerror(error.errno) if error.errno else "input/output error"
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{cause}.", "check the path, the rights and the space there.", MISTAKE
    if isinstance(error, MemoryError):
        return "There is not enough memory for this.", "take fewer rows or bins.", MISTAKE
    place = _place(error.__traceback__)
    return f"{type(error).__name__} at {place}, which should not happen.", _REPORT, BUG


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
