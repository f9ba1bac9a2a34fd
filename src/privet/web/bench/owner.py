"""The owner's screen: from a table to a release."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, RedirectResponse

from privet.audit.report.html import body
from privet.disguise.planfile import plan_to_toml
from privet.errors import InputError
from privet.files.reading import parse_toml
from privet.release.folder import check_free
from privet.web.bench import commands
from privet.web.bench.auditor import report_of
from privet.web.bench.columns import ROLES
from privet.web.bench.forms import text_of, whole_of
from privet.web.bench.plans import STEPS, chart_of, curve_plans
from privet.web.bench.screens import Screen, form_of
from privet.web.bench.state import TABLES, Owner, is_table, stem_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from privet.disguise import Plan
    from privet.web.bench.jobs import Job

__all__ = ["OwnerScreen"]

_STEPS = (
    ("table", "/owner", "Table"),
    ("columns", "/owner/columns", "Columns"),
    ("plan", "/owner/plan", "Plan"),
    ("disguise", "/owner/disguise", "Disguise"),
    ("release", "/owner/release", "Release"),
)


_LONGEST = 100  # characters of a name that a dropped table keeps
_SEEDS = 2**63  # that can be entered


def form_of_plan(plan: Plan) -> dict[str, Any]:
    """Return a plan as a worker is told of it."""
    form: dict[str, Any] = parse_toml(plan_to_toml(plan))
    return form


class OwnerScreen(Screen):
    """Table, columns, plan, disguise, release."""

    name = "owner"

    @property
    def owner(self) -> Owner:
        """The owner's way so far."""
        return self.bench.owner

    def _page(self, template: str, step: str, **context: Any) -> Response:
        reached = {"table": True, "columns": bool(self.owner.columns)}
        reached |= {"plan": reached["columns"], "disguise": reached["columns"]}
        reached["release"] = self.owner.made is not None
        steps = [(name, link, text, reached[name]) for name, link, text in _STEPS]
        return self.page(template, step=step, steps=steps, owner=self.owner, **context)

    def _ready(self) -> Response | None:
        """Send whoever comes too early to the first step."""
        return None if self.owner.columns else RedirectResponse("/owner", 303)

    # The table

    async def table(self, request: Request) -> Response:
        """Give the page that takes a table."""
        del request
        tables, _ = self.bench.listed()
        job = self.owner.jobs.get("look")
        busy = job if job is not None and (not job.over or job.state == "failed") else None
        return self._page("table.html", "table", tables=tables, busy=busy)

    async def upload(self, request: Request) -> Response:
        """Take a table, piece by piece, into the private folder."""
        name = Path(unquote(request.headers.get("x-name", ""))).name
        if not name.endswith(TABLES):
            raise InputError(f"A table ends in {', '.join(TABLES)}.")
        ending = next(ending for ending in TABLES if name.endswith(ending))
        # Each in a folder of its own: a drop that breaks off leaves an earlier table as it was.
        folder = self.bench.private / f"table-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        path = folder / f"{stem_of(name)[:_LONGEST]}{ending}"
        try:
            with path.open("wb") as file:
                async for chunk in request.stream():
                    await asyncio.to_thread(file.write, chunk)
        except (OSError, ClientDisconnect) as error:
            shutil.rmtree(folder, ignore_errors=True)
            cause = os.strerror(error.errno or 5) if isinstance(error, OSError) else "it broke off"
            raise InputError(f"The table could not be taken: {cause}.") from None
        return self.watch(self.begin(path, name), "/owner/columns")

    async def choose(self, request: Request) -> Response:
        """Take a table by its path."""
        path = self.bench.named(text_of(await form_of(request), "path"))
        if not is_table(path) and not path.is_dir():
            message = f"There is no table {path}."
            raise InputError(message, hint=f"a table is a file ending in {', '.join(TABLES)}.")
        return self.watch(self.begin(path, self.bench.shown(path)), "/owner/columns")

    def begin(self, path: Path, shown: str) -> Job:
        """Begin with another table; its columns are known when the job is done."""
        fresh = Owner(path=path, shown=shown)

        def seen(look: dict[str, Any]) -> None:
            fresh.seen(look)
            self.bench.owner = fresh

        job = self.bench.jobs.begin(
            "look", f"Looking at {Path(shown).name}", {"path": str(path)}, then=seen
        )
        fresh.jobs["look"] = self.owner.jobs["look"] = job
        return job

    # Columns

    async def columns(self, request: Request) -> Response:
        """Give the page of columns."""
        del request
        early = self._ready()
        return early or self._page("columns.html", "columns", roles=ROLES, **self._schema())

    async def change_column(self, request: Request) -> Response:
        """Take what was entered of a column."""
        form = await form_of(request)
        self.owner.change_column(str(form.pop("name", "")), form)
        return self.part("schema.html", owner=self.owner, **self._schema())

    def _schema(self) -> dict[str, Any]:
        owner = self.owner
        try:
            schema, text, wrong = owner.schema, owner.schema_text, ""
        except InputError as error:
            return {"text": "", "wrong": f"{error.message} {error.hint}", "command": None}
        file = f"{owner.stem}.schema.toml"
        command = commands.schema(owner.shown, schema.target, file, owner.look.get("format"))
        return {"text": text, "wrong": wrong, "command": command}

    # Plan

    async def plan(self, request: Request) -> Response:
        """Give the page of the plan, and begin to grow trees on made-up tables."""
        del request
        early = self._ready()
        if early is not None:
            return early
        self._simulate()
        return self._page("plan.html", "plan", **self._preview())

    def _simulate(self) -> None:
        owner = self.owner
        schema = owner.schema
        roles = [(column.name, column.role) for column in owner.columns]
        key = f"{schema.to_json()}{roles}"
        job = owner.jobs.get("simulate")
        if key != owner.tried:
            owner.tried, owner.curve = key, {}
        elif job is not None and job.state == "cancelled":  # for something that was waited for
            owner.curve = owner.simulated
        elif job is not None:
            return
        if not self.bench.jobs.busy:
            plans = curve_plans(owner.columns, schema, owner.rows)
            given = {
                "schema": schema.to_dict(),
                "records": owner.rows,
                "plans": {name: form_of_plan(plan) for name, plan in plans.items()},
            }
            title = "Growing trees on made-up tables"
            owner.jobs["simulate"] = self.bench.jobs.begin("simulate", title, given, quiet=True)

    async def change_plan(self, request: Request) -> Response:
        """Take the wish as it is moved, and tell what to expect."""
        self.owner.wish.change(await form_of(request))
        self._simulate()
        return self.part("preview.html", owner=self.owner, **self._preview())

    def _preview(self) -> dict[str, Any]:
        owner = self.owner
        preview = owner.preview()
        file, to = f"{owner.stem}.schema.toml", f"{owner.stem}.plan.toml"
        command = commands.plan(file, owner.rows, float(preview.gamma), to)
        return {
            "preview": preview,
            "plan_text": plan_to_toml(preview.plan),
            "command": command,
            "simulation": owner.jobs.get("simulate"),
            "gammas": STEPS,
            **self._side_by_side(),
        }

    def _side_by_side(self) -> dict[str, Any]:
        owner = self.owner
        job = owner.jobs.get("kept")
        points = {} if job is None or job.result is None else job.result["points"]
        for plan in owner.kept:
            plan["accuracy"] = points.get(plan["name"], plan["accuracy"])
        chart = owner.own or chart_of(owner.kept, owner.plain_accuracy, owner.rows)
        plans = [f"{plan['file']}" for plan in owner.kept]
        return {
            "chart": None if chart is None else body(chart),
            "trying": job if job is not None and not job.over else None,
            "comparing": owner.jobs.get("compare"),
            "compare_command": commands.compare(plans, owner.shown, f"{owner.stem}.schema.toml")
            if plans
            else None,
        }

    async def keep(self, request: Request) -> Response:
        """Put the plan beside the others."""
        name = text_of(await form_of(request), "name")[:40]
        owner = self.owner
        preview = owner.preview()
        letter = f"Plan {chr(65 + len(owner.kept) % 26)}"
        same = (
            "different γ" if len(set(preview.gammas.values())) > 1 else f"γ {_round(preview.gamma)}"
        )
        name = name or f"{letter}, {same}"
        if any(plan["name"] == name for plan in owner.kept):
            raise InputError("A plan of that name is there already.")
        worst = preview.worst
        owner.kept.append(
            {
                "name": name,
                "file": f"{stem_of(name)}.toml",
                "plan": form_of_plan(preview.plan),
                "accuracy": None,
                "risk": preview.risk,
                "guess": worst.guess,
                "blind": worst.blind,
                "about": worst.attribute,
                "epsilon": preview.epsilon,
                "wish": {**vars(owner.wish), "each": dict(owner.wish.each)},
            }
        )
        owner.own = None
        given = {
            "schema": owner.schema.to_dict(),
            "records": owner.rows,
            "plans": {plan["name"]: plan["plan"] for plan in owner.kept},
        }
        job = self.bench.jobs.begin("simulate", "Trying the plans on made-up tables", given)
        owner.jobs["kept"] = job
        return self.watch(job, "")

    async def side_by_side(self, request: Request) -> Response:
        """Give the chart of kept plans as it stands."""
        del request
        return self.part("beside.html", owner=self.owner, **self._side_by_side())

    async def recall(self, request: Request) -> Response:
        """Go back to a kept plan."""
        name = (await form_of(request)).get("name")
        for plan in self.owner.kept:
            if plan["name"] == name:
                vars(self.owner.wish).update({**plan["wish"], "each": dict(plan["wish"]["each"])})
                return JSONResponse({"then": "/owner/plan"})
        raise InputError("There is no such plan.")

    async def compare(self, request: Request) -> Response:
        """Try the kept plans on the owner's own records, because she says so."""
        if not (await form_of(request)).get("agreed"):
            raise InputError("Say first that your own records may be used for it.")
        owner = self.owner
        if not owner.kept:
            raise InputError("No plan was kept yet.", hint="keep one, or several, to compare.")
        file = self.bench.private / "schema.toml"
        file.write_text(owner.schema_text, encoding="utf-8")
        given = {
            "plans": {plan["name"]: plan["plan"] for plan in owner.kept},
            "schema": str(file),
            "path": str(owner.path),
            "plain": [column.name for column in owner.columns if column.role == "plain"],
        }
        title = "Trying the plans on your records"
        job = self.bench.jobs.begin("compare", title, given, then=owner.compared)
        owner.jobs["compare"] = job
        return self.watch(job, "")

    # Disguise

    async def disguise_page(self, request: Request) -> Response:
        """Give the page before the release is made."""
        del request
        early = self._ready()
        if early is not None:
            return early
        owner = self.owner
        preview = owner.preview()
        to = self.bench.fresh(owner.stem, ".release")
        job = owner.jobs.get("disguise")
        return self._page(
            "disguise.html",
            "disguise",
            preview=preview,
            sentences=preview.plan.claim(owner.schema).sentences(),
            to=self.bench.shown(to),
            busy=job if job is not None and not job.over else None,
        )

    async def disguise(self, request: Request) -> Response:
        """Write schema and plan, and make the release."""
        form = await form_of(request)
        owner = self.owner
        to = self.bench.named(text_of(form, "to"))
        check_free(to, overwrite=False)
        owner.seed = seed = whole_of(form, "seed", 0, _SEEDS - 1)
        stem = to.name.removesuffix(".release")
        beside = {word: to.parent / f"{stem}.{word}.toml" for word in ("schema", "plan")}
        to.parent.mkdir(parents=True, exist_ok=True)
        texts = {"schema": owner.schema_text, "plan": plan_to_toml(owner.preview().plan)}
        undo = self.bench.write({beside[word]: text for word, text in texts.items()})
        given = {
            "path": str(owner.path),
            "to": str(to),
            "seed": seed,
            **{word: str(path) for word, path in beside.items()},
        }

        def made(facts: dict[str, Any]) -> None:
            owner.made, owner.release = {**facts, "seed": seed}, to
            owner.jobs.pop("audit", None)

        title = f"Disguising {owner.shown}"
        job = self.bench.jobs.begin("disguise", title, given, then=made, undo=undo)
        owner.jobs["disguise"] = job
        return self.watch(job, "/owner/release")

    # Release

    async def release(self, request: Request) -> Response:
        """Give the page of the release: where it is, what it promises, how it stood attacks."""
        del request
        owner, bench = self.owner, self.bench
        if owner.made is None or owner.release is None:
            return RedirectResponse("/owner/disguise" if owner.columns else "/owner", 303)
        stem = owner.release.name.removesuffix(".release")
        files = [bench.shown(owner.release.parent / f"{stem}.{w}.toml") for w in ("schema", "plan")]
        to = bench.shown(owner.release)
        command = commands.disguise(owner.shown, files[0], files[1], to, owner.made["seed"])
        job = owner.jobs.get("audit")
        attacking = job is not None and not job.over
        return self._page(
            "release.html", "release", facts=owner.made, to=to, files=files, command=command,
            audit=job,
            attacking=attacking, report=report_of(job),
        )  # fmt: skip

    async def audit(self, request: Request) -> Response:
        """Audit the release with the originals."""
        del request
        owner = self.owner
        if owner.release is None:
            raise InputError("There is no release yet.")
        given = {
            "path": str(owner.release),
            "original": str(owner.path),
            "target": None,
            "agreed": [column.name for column in owner.columns if column.role == "plain"],
            "attacks": None,
            "trees": True,
            "seed": None,
            "to": str(self.bench.private / f"audit-{secrets.token_hex(4)}"),
        }
        owner.jobs["audit"] = job = self.bench.jobs.begin("audit", "Attacking the release", given)
        return self.watch(job, "/owner/release")


def _round(gamma: object) -> str:
    return f"{float(str(gamma)) if not hasattr(gamma, '__float__') else float(gamma):.3g}"
