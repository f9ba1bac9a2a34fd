"""``privet reproduce``: run a paper's experiments anew and set its claims beside what is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import PATH, WORDS, examples, json_option

if TYPE_CHECKING:
    from pathlib import Path

    from privet.experiments import Findings, Lab

__all__ = ["command"]


def _papers() -> list[str]:
    from privet.experiments.registry import HOMES

    return list(HOMES)


@click.command(
    "reproduce",
    epilog=examples(
        "privet reproduce dxz --quick",
        "privet reproduce dxz --output docs/papers --seed 1",
    ),
)
@click.argument("name", type=WORDS(_papers), metavar="PAPER")
@click.option("--quick", is_flag=True, help="A small grid, to see that it works.")
@click.option("-o", "--output", type=PATH, help="A folder whose page PAPER.md takes the results.")
@click.option("--seed", type=click.IntRange(0), help="The base of all seeds; else drawn anew.")
@click.option("--runs", type=click.IntRange(1), help="Of each setting; else as in the paper.")
@click.option("--jobs", type=click.IntRange(1), help="Processes; else as many as cores.")
@click.option("--cache", type=PATH, help="Where results are kept, so that a run can go on.")
@click.option("--fresh", is_flag=True, help="Forget the results of an earlier run.")
@json_option
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
    """Run the experiments of a paper and set its claims beside ours.

    A run that was stopped goes on where it was when the command is given again.
    """
    from privet.cli.output import emit, note, say
    from privet.experiments import Lab, find, write_page
    from privet.experiments.lab import cache_folder

    found = find(name)
    lab = Lab(
        name,
        quick=quick,
        seed=seed,
        jobs=jobs,
        cache=cache or cache_folder(),
        fresh=fresh,
        version=found.version,
        repeats=runs,
    )
    findings = found.work(lab)
    written = [] if output is None else write_page(output, found, lab, findings)
    if as_json:
        emit(_form(lab, findings, written))
        return
    for section in findings.sections:
        say(f"{section.title or section.name}\n{section.text}\n")
    if findings.compared:
        say(findings.claims())
    note(f"{lab.runs} trials, {lab.resumed} of them remembered; again with: {lab.command}")
    if written:
        note(f"Written: {', '.join(map(str, written))}")


def _form(lab: Lab, findings: Findings, written: list[Path]) -> dict[str, Any]:
    return {
        "paper": lab.name,
        "quick": lab.quick,
        "seed": lab.seed,
        "trials": lab.runs,
        "compared": [
            {"paper": one.paper, "ours": one.ours, "holds": one.holds} for one in findings.compared
        ],
        "facts": dict(findings.facts),
        "written": [str(path) for path in written],
    }
