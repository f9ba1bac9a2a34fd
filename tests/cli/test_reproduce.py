from pathlib import Path
from typing import Any

import pytest

from privet.experiments import Compared, Findings, Lab, Section, experiment, grid, table
from privet.experiments.registry import HOMES
from tests.cli.running import run, run_json
from tests.experiments.trials import noted


@experiment("toy", title="A toy")
def toy(lab: Lab) -> Findings:
    rows = lab.run(noted, grid(x=[1, 2]), runs=1 if lab.quick else 2)
    text = table(["x", "double"], [[row["x"], row["double"]] for row in rows])
    return Findings([Section("doubles", text)], [Compared("two", "two", holds=True)], {"n": 2})


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(HOMES, "toy", "privet.experiments")  # registered above


def _run(*arguments: Any) -> str:
    result = run("reproduce", "toy", "--jobs", 1, "--cache", "cache", *arguments)
    return str(result.stdout + result.stderr)


def test_tables_claims_and_the_command() -> None:
    said = _run("--seed", 4)
    assert "| 2 | 4 |" in said
    assert "| two | two | yes |" in said
    assert "4 trials, 0 of them remembered; again with: privet reproduce toy --seed 4" in said
    assert "4 of them remembered" in _run("--seed", 4)
    assert "0 of them remembered" in _run("--seed", 4, "--fresh")


def test_pages_and_json() -> None:
    form = run_json(
        *("reproduce", "toy", "--quick", "--jobs", 1, "--cache", "cache", "-o", "papers")
    )
    assert form["trials"] == 2
    assert form["facts"] == {"n": 2}
    assert form["compared"] == [{"paper": "two", "ours": "two", "holds": True}]
    assert "<!-- reproduce: doubles -->" in Path("papers/toy.md").read_text()


def test_all_papers_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.experiments.registry.HOMES", {"toy": "privet.experiments"})
    arguments = ("reproduce", "all", "--jobs", 1, "--cache", "cache", "--seed", 4, "-o", "papers")
    result = run(*arguments)
    assert "toy: A toy (1 of 1)" in result.stderr
    assert "All 1 papers in 0 s: toy 0 s." in result.stderr
    assert "Time of the processor: 0 s." in result.stderr
    assert "| 2 | 4 |" in result.stdout
    assert Path("papers/toy.md").exists()
    form = run_json(*arguments)
    (paper,) = form["papers"]
    assert paper["remembered"] == paper["trials"] == 4
    assert form["seconds"] >= paper["seconds"] >= 0
    assert form["processor_seconds"] >= paper["processor_seconds"] >= 0


def test_an_unknown_paper() -> None:
    assert "there are as, dxz" in run("reproduce", "nature", code=2).stderr
