"""The workbench as an ASGI application, and its server."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import FileResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from privet.audit.report.html import STYLE
from privet.errors import PrivetError
from privet.tree.draw import ASSETS
from privet.web.bench.auditor import AuditorScreen
from privet.web.bench.door import Door
from privet.web.bench.miner import MinerScreen
from privet.web.bench.owner import OwnerScreen
from privet.web.bench.render import rendered
from privet.web.bench.screens import JobScreen, Screen, failure
from privet.web.guard import Shield, broken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from starlette.requests import Request
    from starlette.responses import Response

    from privet.web.bench.state import Bench

__all__ = ["Home", "bench_app"]

STATIC = Path(__file__).with_name("static")
BORROWED = {
    "report.css": STYLE,
    "icon.svg": STATIC.parent.parent / "static" / "icon.svg",
    "tree.css": ASSETS / "tree.css",
    "view.js": ASSETS / "view.js",
}


class Home(Screen):
    """The first page asks who you are."""

    name = "home"

    async def home(self, request: Request) -> Response:
        """Give the three doors, and what lies in the folder."""
        del request
        tables, releases = self.bench.listed()
        return self.page("home.html", tables=tables, releases=releases)

    async def borrowed(self, request: Request) -> Response:
        """Give a file that reports, trees and surveys have too."""
        return FileResponse(BORROWED[request.url.path.rpartition("/")[2]])


def bench_app(
    bench: Bench,
    *,
    hosts: Collection[str] | None,
    secure: bool = False,
    name: str = "privet",
    first: str = "/",
) -> tuple[Shield, str]:
    """Return the application of a workbench, and the key that opens it once, at ``first``."""
    home, owner, auditor = Home(bench), OwnerScreen(bench), AuditorScreen(bench)
    miner, jobs = MinerScreen(bench), JobScreen(bench)
    routes = [
        Route("/", home.home),
        Route("/owner", owner.table),
        Route("/owner/upload", owner.upload, methods=["POST"]),
        Route("/owner/table", owner.choose, methods=["POST"]),
        Route("/owner/columns", owner.columns),
        Route("/owner/columns", owner.change_column, methods=["POST"]),
        Route("/owner/plan", owner.plan),
        Route("/owner/plan", owner.change_plan, methods=["POST"]),
        Route("/owner/plan/keep", owner.keep, methods=["POST"]),
        Route("/owner/plan/recall", owner.recall, methods=["POST"]),
        Route("/owner/plan/beside", owner.side_by_side),
        Route("/owner/plan/compare", owner.compare, methods=["POST"]),
        Route("/owner/disguise", owner.disguise_page),
        Route("/owner/disguise", owner.disguise, methods=["POST"]),
        Route("/owner/release", owner.release),
        Route("/owner/audit", owner.audit, methods=["POST"]),
        Route("/auditor", auditor.choose_page),
        Route("/auditor", auditor.choose, methods=["POST"]),
        Route("/auditor/release", auditor.release),
        Route("/auditor/attack", auditor.attack, methods=["POST"]),
        Route("/audits/{number:int}.{form}", auditor.report),
        Route("/miner", miner.choose_page),
        Route("/miner", miner.choose, methods=["POST"]),
        Route("/miner/release", miner.release),
        Route("/miner/tree", miner.tree_page),
        Route("/miner/tree", miner.grow, methods=["POST"]),
        Route("/miner/way", miner.path, methods=["POST"]),
        Route("/trees/{number:int}/{form}", miner.export),
        Route("/jobs/{number:int}/events", jobs.events),
        Route("/jobs/{number:int}/cancel", jobs.cancel, methods=["POST"]),
        *(Route(f"/static/{name}", home.borrowed) for name in BORROWED),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        bench.jobs.warm()
        try:
            yield
        finally:
            await asyncio.to_thread(bench.jobs.close)

    handlers: dict[Any, Any] = {PrivetError: failure, Exception: broken}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    locked = rendered("locked.html")
    door = Door(
        app, token=bench.token, hosts=hosts, secure=secure, name=name, locked=locked, first=first
    )
    return Shield(door), door.key
