"""The auditor's screen: claims, attacks on demand, and the report."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import FileResponse

from privet.audit import ATTACKS
from privet.errors import InputError
from privet.web.bench import commands
from privet.web.bench.forms import names_of, text_of
from privet.web.bench.screens import ReleaseScreen, form_of
from privet.web.bench.state import is_table

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from privet.web.bench.jobs import Job
    from privet.web.bench.state import Opened

__all__ = ["AuditorScreen", "report_of"]

_FORMS = {"html": "text/html", "json": "application/json"}


def report_of(job: Job | None) -> str:
    """Return the inside of an audit's report; nothing before it is done."""
    if job is None or job.state != "done":
        return ""
    return Path(job.given["to"]).with_suffix(".body").read_text(encoding="utf-8")


class AuditorScreen(ReleaseScreen):
    """Choose a release, see what it claims, attack it."""

    name = "auditor"

    def release_page(self, opened: Opened) -> Response:
        """Return the page of claims and attacks."""
        opening, attacking = not opened.job.over, opened.audit is not None and not opened.audit.over
        made = self.bench.owner.release == opened.path
        if made and opened.original_path is None and not opened.asked.get("audit"):
            opened.original_path, opened.original = self.bench.owner.path, self.bench.owner.shown
        command = None
        if opened.audit is not None:
            command = commands.audit(opened.shown, opened.audit.given, opened.original)
        return self.page(
            "audit_release.html",
            opened=opened,
            opening=opening,
            attacking=attacking,
            facts=opened.facts,
            attacks=ATTACKS,
            asked=opened.asked.get("audit", {}),
            report=report_of(opened.audit),
            command=command,
        )

    async def attack(self, request: Request) -> Response:
        """Run the attacks that were chosen."""
        form = await form_of(request)
        opened = self.opened
        if opened is None or opened.facts is None:
            raise InputError("No release is open.")
        given = self._given(form, opened)
        opened.asked["audit"] = form
        job = self.bench.jobs.begin("audit", f"Attacking {opened.path.name}", given)
        opened.audit = job
        return self.watch(job, "/auditor/release#report")

    def _given(self, form: dict[str, Any], opened: Opened) -> dict[str, Any]:
        named = text_of(form, "original")
        if named and named != opened.original:
            path = self.bench.named(named)
            if not is_table(path) and not path.is_dir():
                raise InputError(
                    f"There is no table {path}.", hint="leave it empty if you have none."
                )
            opened.original, opened.original_path = self.bench.shown(path), path
        elif not named:
            opened.original = opened.original_path = None
        chosen = names_of(form, "attacks", ATTACKS)
        if not chosen:
            raise InputError("No attack is chosen.")
        facts = opened.facts or {}
        target = text_of(form, "target") or None
        return {
            "path": str(opened.path),
            "original": None if opened.original_path is None else str(opened.original_path),
            "target": None if target == facts.get("target") else target,
            "agreed": names_of(form, "agreed", facts["disclosed"]),
            "attacks": None if len(chosen) == len(ATTACKS) else chosen,
            "trees": bool(form.get("trees", True)),
            "seed": None,
            "to": str(self.bench.private / f"audit-{secrets.token_hex(4)}"),
        }

    async def report(self, request: Request) -> Response:
        """Give the report as a file to keep."""
        number, form = request.path_params["number"], request.path_params["form"]
        job = self.bench.jobs.get(number)
        if form not in _FORMS or job is None or job.work != "audit" or job.state != "done":
            raise InputError("There is no such report.")
        path = Path(job.given["to"]).with_suffix(f".{form}")
        return FileResponse(path, media_type=_FORMS[form], filename=f"audit.{form}")
