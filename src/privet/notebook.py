"""What notebooks show of a value: a heading, a small table, sentences. Every text is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["shown"]

MOST = 30  # rows of a table: a page is no place for a thousand


def shown(
    title: str,
    *,
    heads: Sequence[str] = (),
    rows: Sequence[Sequence[object]] = (),
    sentences: Iterable[str] = (),
) -> str:
    """Return HTML for a notebook.

    >>> shown("Two attributes", sentences=["a < b"])
    '<p><b>Two attributes</b></p><ul><li>a &lt; b</li></ul>'
    """
    parts = [f"<p><b>{escape(title)}</b></p>"]
    if rows:
        head = "".join(f"<th>{escape(text)}</th>" for text in heads)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:MOST])
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        if len(rows) > MOST:
            parts.append(f"<p>… and {len(rows) - MOST:,} more.</p>")
    listed = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return "".join(parts) + (f"<ul>{listed}</ul>" if listed else "")


def _cell(value: object) -> str:
    return f"<td><bdi>{escape(str(value))}</bdi></td>"
