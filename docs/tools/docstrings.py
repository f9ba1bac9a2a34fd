"""Tell the API reference where examples begin.

Our docstrings end in an example without a heading of its own; a reader of NumPy-style docstrings
would take it for part of the section above it.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["Examples", "headed"]

_HEADING = "Examples\n--------\n"


def headed(text: str) -> str:
    """Return a docstring with a heading before its first example, if it has none."""
    if "Examples\n---" in text:
        return text
    return re.sub(r"^>>> ", lambda sign: _HEADING + sign.group(), text, count=1, flags=re.MULTILINE)


class Examples(griffe.Extension):
    """Head the examples of every docstring that is read."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Head the examples of one object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = headed(obj.docstring.value)
