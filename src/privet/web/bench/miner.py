"""The miner's screen: from a release to a tree."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.responses import JSONResponse, RedirectResponse, Response

from privet.errors import InputError
from privet.estimate.methods import METHODS
from privet.tree import Tree, draw, export
from privet.tree.onnx import to_onnx
from privet.tree.text import condition
from privet.tree.understand import compare, importances, steps
from privet.web.bench import commands
from privet.web.bench.forms import text_of, visible, whole_of
from privet.web.bench.screens import ReleaseScreen, form_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.requests import Request

    from privet.web.bench.jobs import Job
    from privet.web.bench.state import Opened

__all__ = ["FORMS", "MinerScreen"]

METHOD_WORDS = {
    "auto": "Automatic: what fits the release best",
    "joint": "Joint tables, fitted",
    "direct": "Counts, inverted",
    "global": "Reconstructed once for all",
    "by-class": "Reconstructed for each class",
    "local": "Reconstructed at each node",
    "naive": "None: released values are believed",
}


def _onnx(tree: Tree) -> bytes:
    model: bytes = to_onnx(tree).SerializeToString()
    return model


def _important(tree: Tree) -> str:
    return "".join(
        f"{importance.name}\t{importance.value:.4f}\t{importance.error:.4f}\n"
        for importance in importances(tree)
    )


# Everything that a tree can be kept as: the ending, the type, and what makes it.
FORMS: dict[str, tuple[str, str, Callable[[Tree], str | bytes]]] = {
    "json": ("json", "application/json", lambda tree: tree.to_json()),
    "html": ("html", "text/html", draw.page),
    "svg": ("svg", "image/svg+xml", draw.svg),
    "rules": ("txt", "text/plain", lambda tree: "\n".join(export.rules(tree)) + "\n"),
    "sql": ("sql", "text/plain", lambda tree: export.sql(tree) + "\n"),
    "dot": ("dot", "text/plain", export.dot),
    "onnx": ("onnx", "application/octet-stream", _onnx),
    "importances": ("tsv", "text/plain", _important),
}


class MinerScreen(ReleaseScreen):
    """Choose a release, see what is in it, grow trees."""

    name = "miner"

    def _page(self, template: str, step: str, **context: Any) -> Response:
        known = self.opened is not None and self.opened.facts is not None
        titles = (
            ("choose", "/miner?another", "Release", True),
            ("release", "/miner/release", "What is in it", self.opened is not None),
            ("tree", "/miner/tree", "Tree", known),
        )
        return self.page(template, step=step, steps=titles, opened=self.opened, **context)

    def choice(self, releases: list[Path]) -> Response:
        """Return the page that takes a release."""
        return self._page("choose.html", "choose", releases=releases)

    def release_page(self, opened: Opened) -> Response:
        """Return the page of what is in the release."""
        busy = not opened.job.over  # asked first: what is found after it is at least as new
        lost = opened.pairs is None or opened.pairs.state == "cancelled"
        if lost and opened.job.state == "done" and not self.bench.jobs.busy:
            title, given = "Testing what goes together", {"path": str(opened.path)}
            opened.pairs = self.bench.jobs.begin("pairs", title, given, quiet=True)
        return self._page(
            "inside.html",
            "release",
            busy=busy,
            facts=opened.facts,
            pairs=opened.pairs,
            pairing=opened.pairs is not None and not opened.pairs.over,
            command=commands.release(opened.shown),
        )

    # Trees

    def _grown(self, number: str | None) -> Job | None:
        """Return a tree's job by its number, else the last that was grown."""
        opened = self.opened
        done = [] if opened is None else [job for job in opened.trees if job.state == "done"]
        named = [job for job in done if str(job.number) == number]
        return next(iter(named or done[-1:]), None)

    async def tree_page(self, request: Request) -> Response:
        """Give the page of trees: what to grow, and what was grown."""
        opened = self.opened
        if opened is None or opened.facts is None:
            return RedirectResponse("/miner", 303)
        running = next((job for job in opened.trees if not job.over), None)
        job = self._grown(request.query_params.get("tree"))
        other = request.query_params.get("beside")
        context: dict[str, Any] = {"job": job, "running": running, "figure": "", "fields": []}
        failed = opened.trees[-1] if opened.trees and opened.trees[-1].state == "failed" else None
        if job is not None:
            context |= await asyncio.to_thread(self._drawn, job, other)
            context["command"] = commands.mine(opened.shown, job.given)
        return self._page(
            "tree.html",
            "tree",
            facts=opened.facts,
            methods={name: METHOD_WORDS.get(name, name) for name in METHODS},
            asked=opened.asked.get("tree", {}),
            done=[job for job in opened.trees if job.state == "done"],
            failed=failed,
            exports={name: commands.show(name, _file(name)) for name in FORMS},
            **context,
        )

    def _drawn(self, job: Job, other: str | None) -> dict[str, Any]:
        tree = Tree.read(job.given["to"])
        drawn: dict[str, Any] = {"figure": draw.figure(tree), "fields": _fields(tree)}
        second = self._grown(other) if other else None
        if second is not None and second is not job:
            changes = compare(tree, Tree.read(second.given["to"]))
            told = [
                (change.kind, change.path, change.text)
                for change in changes
                if change.kind != "same"
            ]
            same = len(changes) - len(told)
            drawn |= {"beside": second, "changes": told[:40], "same": same, "all": len(changes)}
        return drawn

    async def grow(self, request: Request) -> Response:
        """Grow a tree."""
        form = await form_of(request)
        opened = self.opened
        if opened is None or opened.facts is None:
            raise InputError("No release is open.")
        depth = whole_of(form, "depth", 1, 30)
        test = whole_of(form, "test", 0, 50)
        method = text_of(form, "method", "auto")
        target = text_of(form, "target") or None
        names = [
            attribute["name"] for attribute in opened.facts["attributes"] if attribute["classes"]
        ]
        if method not in METHODS or (target is not None and target not in names):
            raise InputError("There is no such method or class.")
        opened.asked["tree"] = form
        given = {
            "path": str(opened.path),
            "target": None if target == opened.facts["target"] else target,
            "method": method,
            "depth": depth,
            "test": (test or 0) / 100,
            "to": str(self.bench.private / f"tree-{secrets.token_hex(4)}.json"),
        }
        title = f"Growing a tree for {target or opened.facts['target']}"
        job = self.bench.jobs.begin("mine", title, given)
        opened.trees.append(job)
        return self.watch(job, f"/miner/tree?tree={job.number}")

    async def path(self, request: Request) -> Response:
        """Tell the way of a record through a tree; the record is not kept."""
        form = await form_of(request)
        job = self._grown(str(form.pop("tree", "")))
        if job is None:
            raise InputError("There is no tree yet.")
        return JSONResponse(await asyncio.to_thread(_way, Tree.read(job.given["to"]), form))

    async def export(self, request: Request) -> Response:
        """Give a tree as a file."""
        job = self.bench.jobs.get(request.path_params["number"])
        name = request.path_params["form"]
        if job is None or job.work != "mine" or job.state != "done" or name not in FORMS:
            raise InputError("There is no such tree.")
        _, kind, make = FORMS[name]
        made = await asyncio.to_thread(make, Tree.read(job.given["to"]))
        head = {"content-disposition": f'attachment; filename="{_file(name)}"'}
        return Response(made, media_type=kind, headers=head)


def _file(name: str) -> str:
    return f"{'importances' if name == 'importances' else 'tree'}.{FORMS[name][0]}"


def _fields(tree: Tree) -> list[dict[str, Any]]:
    """Return what is asked of a record to find its way."""
    tree = tree.plain
    used = sorted({int(place) for place in tree.attribute if place >= 0})
    return [
        {
            "place": place,
            "name": tree.codings[place].name,
            "values": None
            if tree.codings[place].values is None
            else [str(value) for value in tree.codings[place].values or ()],
        }
        for place in used
    ]


def _way(tree: Tree, form: dict[str, Any]) -> dict[str, Any]:
    tree = tree.plain
    values = np.full(len(tree.codings), np.nan)
    asked = [field["place"] for field in _fields(tree)]
    for place in asked:
        text = str(form.get(f"place:{place}", "")).strip()
        if not text:
            name = tree.codings[place].name
            raise InputError(f"{name!r} is needed to find the way.")
        try:
            values[place] = float(text)
        except ValueError:
            raise InputError(f"{tree.codings[place].name!r} must be a number.") from None
    way = steps(tree, values)
    said = " and ".join(condition(tree, step.node) for step in way[1:]) or "every record"
    last = way[-1]
    share = float(tree.shares[last.node].max())
    text = f"{said}: {last.label}, {100 * share:.0f} % of the records there."
    return {"path": [step.node for step in way], "text": visible(text)}
