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
    pages = {
        "/": home.home,
        "/owner": owner.table,
        "/owner/columns": owner.columns,
        "/owner/plan": owner.plan,
        "/owner/plan/beside": owner.side_by_side,
        "/owner/disguise": owner.disguise_page,
        "/owner/release": owner.release,
        "/auditor": auditor.choose_page,
        "/auditor/release": auditor.release,
        "/audits/{number:int}.{form}": auditor.report,
        "/miner": miner.choose_page,
        "/miner/release": miner.release,
        "/miner/tree": miner.tree_page,
        "/trees/{number:int}/{form}": miner.export,
        "/jobs/{number:int}/events": jobs.events,
    }
    deeds = {
        "/owner/upload": owner.upload,
        "/owner/table": owner.choose,
        "/owner/columns": owner.change_column,
        "/owner/plan": owner.change_plan,
        "/owner/plan/keep": owner.keep,
        "/owner/plan/recall": owner.recall,
        "/owner/plan/compare": owner.compare,
        "/owner/disguise": owner.disguise,
        "/owner/audit": owner.audit,
        "/auditor": auditor.choose,
        "/auditor/attack": auditor.attack,
        "/miner": miner.choose,
        "/miner/tree": miner.grow,
        "/miner/way": miner.path,
        "/jobs/{number:int}/cancel": jobs.cancel,
    }
    routes = [
        *(Route(path, show) for path, show in pages.items()),
        *(Route(path, do, methods=["POST"]) for path, do in deeds.items()),
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
