"""``privet audit`` and ``privet compare``: what they print, write and return."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pytest
from click.testing import CliRunner, Result

from privet.cli import cli
from privet.disguise import RandomSubstitution
from tests.audit.people import SCHEMA, people

QUICK = ["--attack", "guess", "--no-trees", "--seed", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("audit")
    pc.write_csv(pa.table(people(2000)), made / "people.csv")
    SCHEMA.write(made / "people.toml")
    RandomSubstitution(gamma=8).disguise(people(2000), SCHEMA, to=made / "people.release")
    for gamma in (2, 40):
        text = f'method = "random-substitution"\ngamma = {gamma}\n'
        (made / f"gamma{gamma}.toml").write_text(text)
    return made


def run(folder: Path, *words: str) -> Result:
    held = [str(folder / word) if (folder / word).exists() else word for word in words]
    return CliRunner().invoke(cli, held)


def test_audit_tells_the_verdict_and_writes_a_page(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    asked = ["--original", "people.csv", "--html", str(page), "--seed", "1"]
    done = run(folder, "audit", "people.release", *asked)
    assert done.exit_code == 0, done.output
    assert "The worst attack run" in done.stdout
    assert page.read_text().startswith("<!doctype html>")
    again = run(folder, "audit", "people.release", *asked)
    assert again.exit_code == 2
    assert "exists already" in again.stderr


def test_bounds_decide_the_exit_code(folder: Path) -> None:
    asked = ("audit", "people.release", *QUICK)
    assert run(folder, *asked, "--max-epsilon", "7").exit_code == 0
    done = run(folder, *asked, "--max-epsilon", "6")
    assert done.exit_code == 1
    assert "EXCEEDED: The ε of a record is 6.238; allowed are 6." in done.stderr
    done = run(folder, *asked, "--max-attack", "0.05", "--json")
    assert done.exit_code == 1
    form = json.loads(done.stdout)
    assert form["exceeded"][0].startswith("The attack 'guess'")
    assert form["worst"]["attack"] == "guess"


def test_mistakes_exit_with_2(folder: Path) -> None:
    assert run(folder, "audit", "people.release", "--attack", "magic").exit_code == 2
    assert run(folder, "audit", "nowhere.release").exit_code == 2
    assert run(folder, "audit", "people.release", "--allow-plain", "magic").exit_code == 2
    assert run(folder, "compare", "gamma2.toml", "--data", "people.csv").exit_code == 2


def test_compare_names_the_front(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "plans.html"
    asked = ["--data", "people.csv", "--schema", "people.toml", "--seed", "1", "--html", str(page)]
    done = run(folder, "compare", "gamma2.toml", "gamma40.toml", *asked)
    assert done.exit_code == 0, done.output
    assert "Worth choosing from, the most private first: gamma2" in done.stdout
    assert "<svg" in page.read_text()
    done = run(folder, "compare", "gamma2.toml", *asked[:-2], "--json")
    assert json.loads(done.stdout)["front"] == ["gamma2"]


def test_help_lists_both_under_the_auditor() -> None:
    done = CliRunner().invoke(cli, ["--help"])
    assert "Auditor" in done.stdout
    assert "compare" in done.stdout
