"""``privet reproduce``: run a paper's experiments anew and set its claims beside what is found."""

from __future__ import annotations

import os
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.experiments import Findings, Lab

__all__ = ["command"]

ALL = "all"


def _papers() -> list[str]:
    from privet.experiments.registry import HOMES

    return [*HOMES, ALL]


@options.command(
    "privet reproduce dxz --quick",
    "privet reproduce dxz --output docs/papers --seed 1",
    "privet reproduce all --quick",
)
@click.argument("name", type=options.WORDS(_papers), metavar="PAPER")
@click.option("--quick", is_flag=True, help="A small grid, to see that it works.")
@click.option(
    "-o", "--output", type=options.PATH, help="A folder whose page PAPER.md takes the results."
)
@click.option(
    "--seed", type=click.IntRange(0), help="The base of all seeds; drawn at random by default."
)
@click.option(
    "--runs", type=click.IntRange(1), help="Runs of each setting; as in the paper by default."
)
@click.option("--jobs", type=click.IntRange(1), help="Processes; one per core by default.")
@click.option(
    "--cache", type=options.PATH, help="Where results are kept, so that a stopped run can go on."
)
@click.option("--fresh", is_flag=True, help="Forget the results of an earlier run.")
@options.as_json
def command(
    name: str,
    quick: bool,
    output: Path | None,
    seed: int | None,
    runs: int | None,
    jobs: int | None,
    cache: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Run the experiments of a paper, or of all of them, and set their claims beside ours.

    A run that was stopped goes on where it was when the command is given again.
    """
    from privet.cli.bar import lines
    from privet.cli.output import emit, note
    from privet.experiments import Lab, find, write_page
    from privet.experiments.memory import cache_folder
    from privet.experiments.registry import HOMES

    names = list(HOMES) if name == ALL else [name]
    forms = []
    begun, used = monotonic(), _processor()
    for place, paper in enumerate(names, 1):
        experiment = find(paper)
        if name == ALL:
            note(f"{paper}: {experiment.title} ({place} of {len(names)})")
        lab = Lab(
            paper,
            quick=quick,
            seed=seed,
            jobs=jobs,
            cache=cache or cache_folder(),
            fresh=fresh,
            version=experiment.version,
            repeats=runs,
        )
        since, spent = monotonic(), _processor()
        with lines():
            findings = experiment.work(lab)
        written = [] if output is None else write_page(output, experiment, lab, findings)
        times = {"seconds": monotonic() - since, "processor_seconds": _processor() - spent}
        forms.append(_form(lab, findings, written, times))
        if not as_json:
            _show(lab, findings, written)
    if as_json:
        total = {"seconds": monotonic() - begun, "processor_seconds": _processor() - used}
        emit({"papers": forms, **total} if name == ALL else forms[0])
        return
    if name == ALL:
        each = ", ".join(f"{form['paper']} {_time(form['seconds'])}" for form in forms)
        note(f"All {len(names)} papers in {_time(monotonic() - begun)}: {each}.")
    note(f"Time of the processor: {_time(_processor() - used)}.")


def _processor() -> float:
    """Return the processor's seconds of this process and of those it waited for."""
    return sum(os.times()[:4])


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _show(lab: Lab, findings: Findings, written: list[Path]) -> None:
    from privet.cli.output import note, say

    for section in findings.sections:
        say(f"{section.title or section.name}\n{section.text}\n")
    if findings.compared:
        say(findings.claims())
    note(f"{lab.runs} trials, {lab.resumed} of them remembered; again with: {lab.command}")
    if written:
        note(f"Written: {', '.join(map(str, written))}")


def _form(
    lab: Lab, findings: Findings, written: list[Path], times: dict[str, float]
) -> dict[str, Any]:
    return {
        "paper": lab.name,
        "quick": lab.quick,
        "seed": lab.seed,
        "trials": lab.runs,
        "remembered": lab.resumed,
        **times,
        "compared": [
            {"paper": claim.paper, "ours": claim.ours, "holds": claim.holds}
            for claim in findings.compared
        ],
        "facts": dict(findings.facts),
        "written": [str(path) for path in written],
    }
