"""Names of strangers, fit to be shown: short, on one line, steering neither terminal nor page."""

from __future__ import annotations

__all__ = ["LONGEST", "shown"]

LONGEST = 40


def shown(name: object, longest: int = LONGEST) -> str:
    r"""Return a name for people: control and direction signs by number, the end of a long name cut.

    >>> shown("a\x1b[2J\u202eb"), shown("x" * 50, 5)
    ('a\\x1b[2J\\u202eb', 'xxxx…')
    """
    text = str(name)
    cut = len(text) > longest
    start = text[: longest - 1] if cut else text
    safe = "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in start
    )
    return safe + "…" if cut else safe
