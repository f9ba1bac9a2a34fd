"""What a command says: results on stdout, notes on stderr.

Names come from files of strangers, so a control sign among them is shown as its number and never
reaches the terminal.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import click

__all__ = ["emit", "note", "one_line", "printable", "say"]


def say(text: str = "") -> None:
    """Print a result on stdout."""
    click.echo(printable(text))


def note(text: str) -> None:
    """Print a remark on stderr, where it disturbs no result."""
    click.echo(printable(text), err=True)


def emit(form: Any) -> None:
    """Print a result on stdout for a program: one JSON text and nothing else."""
    click.echo(json.dumps(form, indent=2, ensure_ascii=False, allow_nan=False))


def printable(text: str) -> str:
    r"""Return text without signs that could steer a terminal; line ends stay.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(sign if _harmless(sign) or sign == "\n" else _shown(sign) for sign in text)


def one_line(text: str) -> str:
    """Return text without such signs, line ends included."""
    return "".join(sign if _harmless(sign) else _shown(sign) for sign in text)


def _harmless(sign: str) -> bool:
    return sign.isprintable() or unicodedata.category(sign) == "Zs"


def _shown(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
