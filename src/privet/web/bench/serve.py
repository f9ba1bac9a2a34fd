"""Running a workbench: where it listens, what it opens, the folder that only it may see."""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import InputError
from privet.web.bench.app import bench_app
from privet.web.bench.owner import OwnerScreen
from privet.web.bench.state import Bench, is_release
from privet.web.serve import is_loopback, listening, run

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Asked", "serve"]


@dataclass(frozen=True)
class Asked:
    """Where a workbench listens, and who brings TLS if others can reach it."""

    host: str = "127.0.0.1"
    port: int = 0
    behind_proxy: bool = False
    certificate: Path | None = None
    certificate_key: Path | None = None

    @property
    def tls(self) -> bool:
        """Whether the server itself speaks TLS."""
        return self.certificate is not None

    def check(self) -> None:
        """Refuse to be reached by others without TLS.

        >>> Asked(host="192.0.2.1").check()
        Traceback (most recent call last):
        privet.errors.InputError: Others could reach the workbench at 192.0.2.1, and read what ...
        """
        if (self.certificate is None) != (self.certificate_key is None):
            raise InputError("TLS needs a certificate and its key.", hint="give both.")
        if not is_loopback(self.host) and not self.tls and not self.behind_proxy:
            message = f"Others could reach the workbench at {self.host}, and read what passes."
            hint = "use behind_proxy=True with a proxy that has TLS, or give a certificate."
            raise InputError(message, hint=hint)

    def hosts(self, port: int) -> set[str] | None:
        """Return the names that requests may call this server by; None if a proxy names it."""
        if self.behind_proxy:
            return None
        names = {self.host, "127.0.0.1", "localhost", "[::1]"} if is_loopback(self.host) else None
        if names is None:
            return None
        return {f"{name}:{port}" for name in names}


def serve(
    asked: Asked,
    thing: Path | None,
    folder: Path | None,
    say: Callable[[str], None],
    *,
    browser: bool,
) -> None:
    """Serve a workbench until someone asks to stop."""
    asked.check()
    place = (folder or Path.cwd()).resolve()
    if not place.is_dir():
        raise InputError(f"There is no folder {place}.", hint="make it first.")
    with ExitStack() as stack:
        at = stack.enter_context(listening(asked.host, asked.port))
        private = stack.enter_context(tempfile.TemporaryDirectory(prefix="privet-open-"))
        port = at.getsockname()[1]
        bench = Bench(place, Path(private))
        app, key = bench_app(
            bench, hosts=asked.hosts(port), secure=asked.tls or asked.behind_proxy,
            name=f"privet-{port}", first=_begun(bench, thing),
        )  # fmt: skip
        shown = f"[{asked.host}]" if ":" in asked.host else asked.host
        link = f"http{'s' * asked.tls}://{shown}:{port}/?key={key}"

        def ready() -> None:
            say(f"Workbench: {link}")
            say("The link works once. Everything stays on this machine; Ctrl-C stops.")
            if browser:
                threading.Timer(0.5, webbrowser.open, [link]).start()

        run(
            app, at, ready, behind_proxy=asked.behind_proxy,
            certificate=asked.certificate, key=asked.certificate_key,
        )  # fmt: skip


def _begun(bench: Bench, thing: Path | None) -> str:
    """Begin with what was named; where the first page is then."""
    if thing is None:
        return "/"
    path = thing.resolve()
    if is_release(path):
        bench.chosen = dict.fromkeys(("miner", "auditor"), bench.open_release(path))
        return "/miner"
    OwnerScreen(bench).begin(path, bench.shown(path))
    return "/owner/columns"  # which sends to the table's page until its columns are known
