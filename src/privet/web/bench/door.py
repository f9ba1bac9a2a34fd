"""Who may come in: whoever has the one-time key, and then the cookie it was changed for.

A cookie alone is not enough to change anything: a request that does must carry the page's token,
which other sites cannot read, and come from this very address. Names of other hosts are refused, so
that no name that someone else controls can be pointed at this machine.
"""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from privet.web.guard import refusal

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Door"]

TOKEN = "x-privet"  # noqa: S105 - the name of the header
_CHANGING = ("POST", "PUT", "PATCH", "DELETE")


class Door:
    """Lets requests through to the application that carry the cookie.

    ``token`` is what pages carry and send back; ``hosts`` are the names this server goes by, None
    behind a proxy, which has others. The key leads to the page ``first``.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: Collection[str] | None,
        secure: bool = False,
        name: str = "privet",
        locked: str = "",
        first: str = "/",
    ) -> None:
        self.app = app
        self.key = secrets.token_urlsafe(24)
        self.token = token
        self.hosts = None if hosts is None else frozenset(hosts)
        self._cookie = secrets.token_urlsafe(32)
        self._name = name
        self._secure = secure
        self._locked = locked
        self._used = False
        self._first = first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = self._refused(Request(scope))
        await (self.app if answer is None else answer)(scope, receive, send)

    def _refused(self, request: Request) -> Response | None:
        """Return the answer to whoever may not come in, or comes in with the key."""
        if self.hosts is not None and request.headers.get("host", "") not in self.hosts:
            return refusal(421, "This server does not go by that name.")
        if request.url.path == "/" and "key" in request.query_params and request.method == "GET":
            return self._exchanged(request)
        if request.url.path.startswith("/static/"):
            return None
        if not self._knows(request):
            return HTMLResponse(self._locked, 401)
        if request.method in _CHANGING and not self._ours(request):
            return refusal(403, "The request does not come from the workbench's own page.")
        return None

    def _exchanged(self, request: Request) -> Response:
        """Change the key for the cookie, once."""
        if not self._knows(request):
            given = request.query_params["key"]
            if self._used or not hmac.compare_digest(given.encode(), self.key.encode()):
                return HTMLResponse(self._locked, 401)
            self._used = True
        answer = RedirectResponse(self._first, 303)
        answer.set_cookie(
            self._name, self._cookie, httponly=True, samesite="strict", secure=self._secure
        )
        return answer

    def _knows(self, request: Request) -> bool:
        given = request.cookies.get(self._name, "")
        return hmac.compare_digest(given.encode(), self._cookie.encode())

    def _ours(self, request: Request) -> bool:
        given = request.headers.get(TOKEN, "")
        origin = request.headers.get("origin")
        near = origin is None or origin.split("://")[-1] == request.headers.get("host")
        site = request.headers.get("sec-fetch-site", "same-origin")
        return (
            near
            and site in ("same-origin", "none")
            and hmac.compare_digest(given.encode(), self.token.encode())
        )
