"""What a command says: results on stdout, notes on stderr.

Names come from files of strangers, so a control sign among them is shown as its number and never
reaches the terminal.
"""

from __future__ import annotations

import json
import unicodedata
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from privet.errors import PrivetWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["emit", "json_text", "note", "one_line", "printable", "remark", "say", "warned"]


def say(text: str = "") -> None:
    """Print a result on stdout."""
    click.echo(printable(text))


def note(text: str) -> None:
    """Print a remark on stderr, where it disturbs no result; each once per command."""
    context = click.get_current_context(silent=True)
    told = set() if context is None else context.meta.setdefault("privet.told", set())
    if text not in told:
        told.add(text)
        click.echo(printable(text), err=True)


@contextmanager
def warned(put: Callable[[str], str] = str) -> Iterator[None]:
    """Tell our warnings on stderr, as ``put`` words them.

    What libraries warn of is for us, and quotes their files.
    """

    def tell(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, PrivetWarning):
            note(f"Warning: {put(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", PrivetWarning)
        warnings.showwarning = tell
        yield


def remark(text: str) -> None:
    """Print what a person may want to know on stderr; a program that asked for JSON is spared."""
    context = click.get_current_context(silent=True)
    if context is None or not context.params.get("as_json"):
        note(text)


def emit(form: Any) -> None:
    """Print a result on stdout for a program: one JSON text and nothing else."""
    click.echo(json_text(form, indent=2))


def json_text(form: Any, indent: int | None = None) -> str:
    r"""Return JSON in which signs that could steer a terminal stand as their numbers.

    >>> print(json_text({"name": "Rhône\u202e\x9b"}))
    {"name": "Rhône\u202e\u009b"}
    """
    text = json.dumps(form, indent=indent, ensure_ascii=False, allow_nan=False)
    if text.isprintable():
        return text
    return "".join(
        sign if _harmless(sign) or sign == "\n" else json.dumps(sign)[1:-1] for sign in text
    )


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
