"""What the server refuses, and what it tells browsers to refuse: sizes, rates, headers, keys."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import secrets
import time
import traceback
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Rate", "Shield", "allowed", "body_of", "broken", "refusal"]

_log = logging.getLogger(__name__)
_HEADERS = {
    # Scripts, styles and connections of this server only; no form is ever sent.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
MINUTE = 60.0
MOST_CALLERS = 100_000  # that are remembered for a minute


class Shield:
    """Puts the headers on every answer of the application, and keeps quiet about what breaks.

    A traceback may quote what was sent. So of our own mistakes the kind and the place are told,
    and nothing at all of callers who go away.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                more = [(name.encode(), text.encode()) for name, text in _HEADERS.items()]
                more += [(b"cache-control", b"no-store")]
                message["headers"] += [pair for pair in more if pair[0] not in given]
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, receive, shielded)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - a bug is told by its kind, never by a value
            kind, place = type(error).__name__, traceback.extract_tb(error.__traceback__)[-1]
            _log.error("%s at %s:%s", kind, place.filename, place.lineno)


class Rate:
    """At most so many submissions per minute from one address, or one home's network of IPv6.

    Addresses are known by a hash under a key of this process, for a minute, in memory only.
    """

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._key = secrets.token_bytes(32)
        self._seen: dict[bytes, int] = {}
        self._until = 0.0

    def takes(self, address: str) -> bool:
        """Count a submission, and say whether it is still within the rate."""
        caller = self._caller(address)
        self._seen[caller] = self._seen.get(caller, 0) + 1
        return self._seen[caller] <= self.per_minute

    def within(self, address: str) -> bool:
        """Say whether another would be within the rate, without counting it."""
        return self._seen.get(self._caller(address), 0) < self.per_minute

    def _caller(self, address: str) -> bytes:
        now = time.monotonic()
        if now >= self._until or len(self._seen) >= MOST_CALLERS:
            self._seen, self._until = {}, now + MINUTE
        return hmac.digest(self._key, _network(address).encode(), "sha256")


def _network(address: str) -> str:
    """Return what stands for a caller: of IPv6 the first 64 bits, the rest is theirs to choose.

    >>> _network("2001:db8:0:7::1234"), _network("192.0.2.7")
    ('2001:db8:0:7::', '192.0.2.7')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4 or parsed.ipv4_mapped is not None:
        return str(parsed if parsed.version == 4 else parsed.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(parsed) >> 64 << 64))


async def body_of(request: Request, most: int) -> bytes | None:
    """Return a request's body; None as soon as it has more than ``most`` bytes."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            return None
    return bytes(body)


def allowed(request: Request, key: str) -> bool:
    """Whether a request carries the researcher's key, in a header and never in the address."""
    given = request.headers.get("authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {key}".encode())


async def broken(request: Request, error: Exception) -> JSONResponse:
    """Tell the caller of a mistake of ours by its kind."""
    del request
    return refusal(500, f"This is a mistake of privet ({type(error).__name__}).")


def refusal(status: int, error: str, **headers: str) -> JSONResponse:
    """Return an answer that says what is wrong, and nothing of what was sent."""
    return JSONResponse(
        {"error": error}, status, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )
