"""The survey as an ASGI application: the respondent's page, the inbox, the researcher's results."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from privet.errors import BugError, PrivetError, StoreError
from privet.files.reading import parse_json
from privet.store.answers import Said, Verdict
from privet.survey.results import CLEAR, Results, pack
from privet.tree.draw import ASSETS
from privet.web.guard import Rate, Shield, allowed, body_of, broken, refusal
from privet.web.inbox import Inbox
from privet.web.render import Pages, language_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from privet.store.answers import Answers
    from privet.survey import Questionnaire

__all__ = ["STATIC", "survey_app"]

STATIC = Path(__file__).with_name("static")
RATE = 120  # submissions per minute and address: a class or an office may share an address
TOKEN = range(16, 129)  # characters of a token
SLOWEST = 30.0  # seconds until a submission must be here whole
_CODE = 8  # bytes that a code and its comma take at most
_HEAD = 512  # bytes of a submission beside its codes


class Survey:
    """One survey's endpoints; ``key`` opens the researcher's."""

    def __init__(
        self, questionnaire: Questionnaire, answers: Answers, key: str, *, rate: int = RATE
    ) -> None:
        self.questionnaire = questionnaire
        self.answers = answers
        self.key = key
        self.pages = Pages(questionnaire, invited=answers.invited)
        self.rate = Rate(rate)
        self.inbox: Inbox | None = None
        self.sizes = _sizes(questionnaire)
        self.most = _HEAD + _CODE * len(self.sizes)
        self._results = Results(questionnaire, {})
        self._fresh = asyncio.Lock()

    # Respondents

    async def page(self, request: Request) -> Response:
        """Give the page in the language asked for."""
        language = language_of(request, self.questionnaire.languages)
        return HTMLResponse(self.pages.respondent(language))

    async def worker(self, request: Request) -> Response:
        """Give the service worker from the top, so that it may serve the page without a network."""
        del request
        text = (STATIC / "worker.js").read_text(encoding="utf-8")
        return Response(
            text.replace("DIGEST", self.questionnaire.digest[:16]), media_type="text/javascript"
        )

    async def submit(self, request: Request) -> Response:
        """Take one disguised answer; it is on disk when the caller hears "received"."""
        said = await self._read(request)
        return said if isinstance(said, Response) else await self._store(said, _address(request))

    async def _read(self, request: Request) -> Said | Response:
        """Return what was submitted, or why it is not taken."""
        if request.headers.get("content-type") != "application/json":
            return refusal(415, "A submission is JSON.")
        # Of invited people only what is refused counts: an office may answer all at once.
        address = _address(request)
        within = self.rate.within if self.answers.invited else self.rate.takes
        if not within(address):
            return refusal(
                429, "Too many answers from this address; try again in a minute.", retry_after="60"
            )
        try:
            async with asyncio.timeout(SLOWEST):
                body = await body_of(request, self.most)
        except TimeoutError:
            return refusal(408, "The submission took too long; it will be sent again.")
        if body is None:
            return refusal(413, "The submission is too long.")
        said = self.understood(body)
        if said is None:
            return refusal(422, "The submission does not fit this survey.")
        return said

    async def _store(self, said: Said, address: str) -> Response:
        if self.inbox is None:
            raise BugError("an answer arrives before the inbox is open")
        try:
            verdict = await self.inbox.put(said)
        except (PrivetError, RuntimeError):
            verdict = None
        if verdict is None:
            return refusal(
                503, "The answer could not be stored now; it will be sent again.", retry_after="5"
            )
        if verdict is Verdict.UNINVITED:
            self.rate.takes(address)
            return refusal(403, "This link is not an invitation to this survey.")
        if verdict is Verdict.CLOSED:
            return refusal(410, "The survey is closed.")
        return JSONResponse({"received": True})

    def understood(self, body: bytes) -> Said | None:
        """Return what a submission says; None unless all of it fits the survey."""
        try:
            form = parse_json(body.decode())
            token, codes = form["token"], form["codes"]
            fits = (
                set(form) == {"survey", "token", "codes"}
                and form["survey"] == self.questionnaire.digest
                and isinstance(token, str)
                and len(token) in TOKEN
                and token.isascii()
                and isinstance(codes, list)
                and len(codes) == len(self.sizes)
                and all(type(code) is int for code in codes)
                and all(0 <= c < size for c, size in zip(codes, self.sizes.values(), strict=True))
            )
        except (ValueError, TypeError, LookupError):
            return None
        if not fits:
            return None
        named = dict(zip(self.sizes, codes, strict=True))
        return Said(token.encode(), pack(named, self.questionnaire))

    # The researcher

    async def results_page(self, request: Request) -> Response:
        """Give the page of results: an empty page, which asks for its numbers with the key."""
        return HTMLResponse(self.pages.results(language_of(request, self.questionnaire.languages)))

    async def results(self, request: Request) -> Response:
        """Give every question's shares."""
        language = language_of(request, self.questionnaire.languages)
        return await self._answered(request, lambda results: results.to_dict(language))

    async def crosstab(self, request: Request) -> Response:
        """Give how two questions go together."""
        names = [request.query_params.get(word, "") for word in ("first", "second")]
        language = language_of(request, self.questionnaire.languages)
        return await self._answered(request, lambda results: self._cross(results, names, language))

    async def tree(self, request: Request) -> Response:
        """Give the tree of a question."""
        name = request.query_params.get("target", "")
        return await self._answered(request, lambda results: _tree(results, name))

    def _cross(self, results: Results, names: list[str], language: str) -> dict[str, Any]:
        table = results.crosstab(*names)
        inside, errors = table.given_rows()
        form = table.to_dict()
        spoken = [self.questionnaire.values(name, language) for name in names]
        return form | {
            "values": [  # as they were read, unless cells were put together
                texts if len(texts) == len(values) else values
                for texts, values in zip(spoken, form["values"], strict=True)
            ],
            "clear": CLEAR,
            "more_answers": results.more_for(table.independence, *names),
            "rows": [[None if x != x else x for x in row] for row in inside.tolist()],  # noqa: PLR0124 - NaN
            "row_errors": [[None if x != x else x for x in row] for row in errors.tolist()],  # noqa: PLR0124
        }

    async def _answered(self, request: Request, work: Any) -> Response:
        if not allowed(request, self.key):
            return refusal(401, "The researcher's key is needed.")
        try:
            results = await self._current()
            return JSONResponse(await asyncio.to_thread(work, results))
        except StoreError:
            return refusal(503, "The database cannot be read now.")
        except PrivetError as error:
            return refusal(422, error.message)

    async def _current(self) -> Results:
        """Return what counts now; results of the same answers are kept."""
        async with self._fresh:
            tally = await asyncio.to_thread(self.answers.tally)
            if tally.counted != self._results.rows:
                self._results = Results(self.questionnaire, tally.counts)
            return self._results

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Keep the inbox open while the application runs."""
        del app
        self.inbox = Inbox(self.answers)
        try:
            yield
        finally:
            await asyncio.to_thread(self.inbox.stop)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _sizes(questionnaire: Questionnaire) -> dict[str, int]:
    """Return how many codes each attribute has once it is disguised."""
    sizes = {
        name: size
        for channel in questionnaire.channels
        for name, size in zip(channel.attributes, channel.outputs, strict=True)
    }
    return {name: sizes[name] for name in questionnaire.schema.names}


def _tree(results: Results, name: str) -> dict[str, Any]:
    """Return the tree of a question, drawn; a tree without tests says what is missing."""
    from privet.tree.draw import figure

    tree = results.tree(name)
    nearest, more = results.more_for_tree(name) if tree.nodes == 1 else ("", 0)
    label = (
        results.questionnaire.label(nearest, results.questionnaire.languages[0]) if nearest else ""
    )
    return {
        "target": name,
        "figure": figure(tree),
        "nodes": tree.nodes,
        "nearest": label,
        "more_answers": more,
    }


def survey_app(
    questionnaire: Questionnaire, answers: Answers, key: str, *, rate: int = RATE
) -> Shield:
    """Return the application of a survey."""
    survey = Survey(questionnaire, answers, key, rate=rate)
    routes = [
        Route("/", survey.page),
        Route("/answers", survey.submit, methods=["POST"]),
        Route("/worker.js", survey.worker),
        Route("/results", survey.results_page),
        Route("/results/shares", survey.results),
        Route("/results/crosstab", survey.crosstab),
        Route("/results/tree", survey.tree),
        Mount("/static", StaticFiles(directory=STATIC)),
        Mount("/tree", StaticFiles(directory=ASSETS)),
    ]
    handlers: dict[Any, Any] = {Exception: broken}
    return Shield(Starlette(routes=routes, lifespan=survey.lifespan, exception_handlers=handlers))
