"""Tokens of calls: a call that is sent again counts once, while its token is remembered."""

from __future__ import annotations

import re
import time
import uuid
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from privet.errors import StoreError
from privet.store.layout import PURGED, calls

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["checked_token", "new_token", "remembered"]

_TOKEN = re.compile(r"(\d{10})-[0-9a-f]{32}")


def new_token() -> str:
    """Return a token that no other call has; it says when it was made."""
    return f"{int(time.time()):010d}-{uuid.uuid4().hex}"


def checked_token(token: str | None) -> str:
    """Return a token that is fit to be kept; a new token for None."""
    if token is None:
        return new_token()
    if not isinstance(token, str) or not 1 <= len(token) <= 200 or not token.isprintable():
        raise StoreError("A token is a text of 1 to 200 signs that can be printed.")
    return token


def remembered(
    connection: Connection, now: float, seconds: float, token: str, *, fresh: bool
) -> float:
    """Forget old tokens, refuse a token that may be among them, and return when it was made.

    Time is the database's, for all writers; tokens are kept for some ``seconds``. Nothing is
    forgotten by a clock that is ahead of the newest call, and up to when tokens were forgotten
    stays known: if the clock was wrong, a token from before is refused rather than counted twice.
    A ``fresh`` token is new for sure.
    """
    newest = select(func.max(calls.c.made)).where(calls.c.token != PURGED)
    oldest = min(now, connection.execute(newest).scalar_one() or now) - seconds
    # A token has whole seconds: what is forgotten must be refused by that count, too.
    old = calls.delete().where(calls.c.made < oldest - 1, calls.c.token != PURGED)
    if connection.execute(old).rowcount:
        connection.execute(calls.delete().where(calls.c.token == PURGED))
        connection.execute(calls.insert(), {"token": PURGED, "samples": 0, "made": oldest})
    purged = select(calls.c.made).where(calls.c.token == PURGED)
    forgotten = connection.execute(purged).scalar_one_or_none() or oldest
    told = _TOKEN.fullmatch(token)
    made = float(told[1]) if told else now
    if not fresh and made + 1 < max(forgotten, now - seconds):
        message = "The token is older than the store remembers: whether its call was counted "
        raise StoreError(message + "cannot be told.", hint="compare the number of samples.")
    return max(now, made)
