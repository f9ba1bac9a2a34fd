"""What the three screens share: pages, forms that are sent as JSON, jobs to watch."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, StreamingResponse

from privet.errors import InputError
from privet.files.reading import parse_json
from privet.web.bench.forms import text_of, visible
from privet.web.bench.render import rendered
from privet.web.guard import body_of, refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from privet.web.bench.jobs import Job
    from privet.web.bench.state import Bench, Opened

__all__ = ["ReleaseScreen", "Screen", "failure", "form_of"]

MOST = 4 << 20  # bytes of a form: long lists of categories included


async def form_of(request: Request) -> dict[str, Any]:
    """Return what a page sends."""
    body = await body_of(request, MOST)
    try:
        form = parse_json((body or b"").decode())
    except ValueError:
        form = None
    if not isinstance(form, dict):
        raise InputError("The form could not be read.")
    return form


async def failure(request: Request, error: Exception) -> Response:
    """Tell what is wrong: to a script as JSON, to a person as a page."""
    message = getattr(error, "message", "Something is wrong.")
    hint = getattr(error, "hint", "") or ""
    if request.method == "GET":
        return HTMLResponse(rendered("wrong.html", message=message, hint=hint), 422)
    return JSONResponse({"error": visible(message), "hint": visible(hint)}, 422)


class Screen:
    """The pages of a role."""

    name = ""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def page(self, template: str, **context: Any) -> HTMLResponse:
        """Return a whole page."""
        bench = self.bench
        base = {"bench": bench, "token": bench.token, "screen": self.name, "step": "", "steps": ()}
        return HTMLResponse(rendered(template, **{**base, **context}))

    @staticmethod
    def part(template: str, **context: Any) -> HTMLResponse:
        """Return a part of a page, which the page puts in its place."""
        return HTMLResponse(rendered(template, **context))

    @staticmethod
    def watch(job: Job, then: str) -> JSONResponse:
        """Return a job to watch, and where to go when it is done."""
        return JSONResponse({"job": job.number, "title": visible(job.title), "then": then})


class ReleaseScreen(Screen, ABC):
    """The pages of a role that opens a release."""

    @property
    def opened(self) -> Opened | None:
        """The release that is open."""
        number = self.bench.chosen.get(self.name)
        return None if number is None else self.bench.releases[number]

    def choice(self, releases: list[Path]) -> Response:
        """Return the page that takes a release."""
        return self.page("choose.html", releases=releases, opened=self.opened)

    async def choose_page(self, request: Request) -> Response:
        """Give the page that takes a release, or lead to the open release."""
        if self.opened is not None and "another" not in request.query_params:
            return RedirectResponse(f"/{self.name}/release", 303)
        _, releases = self.bench.listed()
        return self.choice(releases)

    async def choose(self, request: Request) -> Response:
        """Open a release."""
        path = self.bench.named(text_of(await form_of(request), "path"))
        self.bench.chosen[self.name] = self.bench.open_release(path)
        return JSONResponse({"then": f"/{self.name}/release"})

    async def release(self, request: Request) -> Response:
        """Give the page of the open release, or lead to the page that takes it."""
        del request
        if self.opened is None:
            return RedirectResponse(f"/{self.name}", 303)
        return self.release_page(self.opened)

    @abstractmethod
    def release_page(self, opened: Opened) -> Response:
        """Return the page of the open release."""


class JobScreen(Screen):
    """Jobs: news as they come, and an end to them."""

    def _asked(self, request: Request) -> int:
        number = int(request.path_params["number"])
        if self.bench.jobs.get(number) is None:
            raise InputError("There is no such job.")
        return number

    async def events(self, request: Request) -> Response:
        """Stream what happens to a job."""
        number = self._asked(request)

        async def lines() -> AsyncIterator[str]:
            async for news in self.bench.jobs.watched(number):
                yield f"data: {json.dumps(news)}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def cancel(self, request: Request) -> Response:
        """Stop a job."""
        number = self._asked(request)
        self.bench.jobs.cancel(number)
        return JSONResponse(self.bench.jobs[number].to_dict())

    async def absent(self, request: Request) -> Response:
        """Tell that there is nothing here."""
        del request
        return refusal(404, "There is nothing here.")
