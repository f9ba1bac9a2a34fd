"""Describe every method that a plan can name, with its settings, from the methods themselves."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["described"]


def described() -> str:
    """Return all methods as Markdown, in alphabetical order."""
    from privet.disguise.base import METHODS

    return "\n".join(line for word in sorted(METHODS) for line in _method(word, METHODS[word]))


def _method(word: str, kind: type) -> Iterator[str]:
    from privet.disguise.settings import settings_of

    yield f"### {word}"
    yield ""
    first = inspect.getdoc(kind) or ""
    yield f"{_line(first.split(chr(10) * 2)[0])} (`{kind.__name__}`)"
    yield ""
    yield "| setting | default | meaning |"
    yield "|---|---|---|"
    for setting in settings_of(word):
        yield f"| `{setting.name}` | {_line(setting.default)} | {_line(setting.about)} |"
    yield ""


def _line(text: str) -> str:
    return " ".join(text.replace("``", "`").split()).replace("|", "\\|")


if __name__ == "__main__":
    print(described())
