"""How wide text is drawn, so that it can be fitted into its place before any browser sees it."""

from __future__ import annotations

import unicodedata

__all__ = ["cut", "folded_lines", "width_of"]

# Widths in ems of DejaVu Sans, the widest of the fonts that systems show by default: what fits in
# it fits in the others. Bold; the plain face is narrower by a tenth.
_GROUPS = {
    0.36: " \u00a0'-ijlI|",
    0.42: ",./:;\\·Jf",
    0.50: '!"()[]`_rt*',
    0.62: "?csz^",
    0.68: "aekxvyEFLT$",
    0.73: "0123456789bdghnopquCPSYZ{}",
    0.78: "AKRVXB#",
    0.86: "DGHNOQU+=<>~&±≤",
    1.10: "%@MWmw…",
}
_BOLD = {sign: width for width, signs in _GROUPS.items() for sign in signs}
_PLAIN = 0.92  # of the bold face's width


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return how wide a line of text is at most, in pixels, at a font size in pixels.

    >>> width_of("will", 10) < width_of("Wimp", 10) < width_of("Wimp", 10, bold=True)
    True
    """
    return sum(map(_sign, text)) * size * (1.0 if bold else _PLAIN)


def _sign(sign: str) -> float:
    if sign in _BOLD:
        return _BOLD[sign]
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.decomposition(sign) and not unicodedata.decomposition(sign).startswith("<"):
        return _sign(chr(int(unicodedata.decomposition(sign).split()[0], 16)))
    return 1.1 if unicodedata.east_asian_width(sign) in "WF" or sign.isupper() else 0.9


def cut(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """Return as much of a text as fits into some pixels, with … where an end is missing.

    >>> cut("some words", 1000, 11), cut("some words", 45, 11)
    ('some words', 'some…')
    """
    if width_of(text, size, bold=bold) <= room:
        return text
    end = len(text)
    while end > 1 and width_of(text[:end].rstrip() + "…", size, bold=bold) > room:
        end -= 1
    return text[:end].rstrip(" ,") + "…"


def folded_lines(text: str, room: float, size: float) -> tuple[str, ...]:
    """Return a text on one line if it fits, else on two, broken at a space; the rest is cut.

    >>> folded_lines("Husband, Wife", 1000, 11), folded_lines("Husband, Wife", 60, 11)
    (('Husband, Wife',), ('Husband,', 'Wife'))
    """
    if width_of(text, size) <= room:
        return (text,)
    spaces = [place for place, sign in enumerate(text) if sign == " "]
    fitting = [place for place in spaces if width_of(text[:place], size) <= room]
    if not fitting:
        return (cut(text, room, size),)
    return text[: fitting[-1]], cut(text[fitting[-1] + 1 :], room, size)
