"""Running an application: a socket, Uvicorn, and links that are printed once."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
from typing import TYPE_CHECKING

import uvicorn

from privet.errors import SurveyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.types import ASGIApp

__all__ = ["is_loopback", "listening", "new_tokens", "run"]

CONCURRENT = 2_000  # connections at once; more are turned away with 503


def new_tokens(number: int) -> list[str]:
    """Return tokens that nobody can guess: 128 random bits each."""
    return [secrets.token_hex(16) for _ in range(number)]


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        at = socket.create_server((host, port), family=family, backlog=CONCURRENT)
    except OSError as error:
        message = f"The server cannot listen at {host}:{port}: {os.strerror(error.errno or 5)}."
        raise SurveyError(message, hint="choose another --port, or stop what uses it.") from None
    # asyncio sets it only for sockets that name their protocol; connections take it from here.
    at.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return at


def run(
    app: ASGIApp,
    at: socket.socket,
    ready: Callable[[], None],
    *,
    behind_proxy: bool = False,
    log: bool = False,
    certificate: Path | None = None,
    key: Path | None = None,
) -> None:
    """Serve until someone asks to stop; what arrived is stored before that.

    Nothing is logged of requests unless ``log`` is set. Behind a proxy on this machine the address
    it forwards counts for the rate; it is kept nowhere.
    """
    config = uvicorn.Config(
        app,
        access_log=log,
        log_level="info" if log else "warning",
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1",
        limit_concurrency=CONCURRENT,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=5,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    _Server(config, ready).run(sockets=[at])


class _Server(uvicorn.Server):
    """Says that it is ready when it listens to requests, and to signals that ask it to stop.

    A signal that comes while modules are imported may be lost: Python drops what is raised in a
    callback. So nobody hears of the server before.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, and say so."""
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()
