from pathlib import Path

import pytest

from privet.disguise import Plan
from privet.schema import Attribute, Schema
from tests.cli.running import run, run_json


@pytest.fixture
def schema(folder: Path) -> Path:
    age = Attribute.numeric("age", low=20, high=80)
    declared = Schema([age, Attribute.categorical("play", ["Yes", "No"])], target="play")
    path = folder / "people.toml"
    path.write_text(declared.to_toml())
    return path


def test_advice_in_words_with_drawing_and_plan(schema: Path) -> None:
    common = ("advise", schema, "--records", 500, "--seed", 1)
    said = run(*common, "--gamma", 5, "--draw", "t.svg", "--plan", "p.toml").stdout
    assert said.startswith("γ = 5 for 500 records: ε = 1.61 for the one attribute")
    assert "The paper's guide" in said
    assert "afresh costs ε = 1: 1.61, 2: 3.22" in said
    assert Path("t.svg").read_text().startswith("<?xml")
    assert float(Plan.read("p.toml").claim(Schema.read(schema))["age"].gamma or 0) <= 5
    assert "exists already" in run(*common, "--plan", "p.toml", code=2).stderr


def test_json(schema: Path) -> None:
    form = run_json("advise", schema, "--records", 500, "--rho", 0.05, 0.5, "--theory")
    assert form["gamma"] == 19
    assert form["posterior"]["1/20"] == pytest.approx(0.5)
    assert form["attributes"][0]["attribute"] == "age"
    assert form["trade_off"] == []


def test_what_does_not_go_together(schema: Path) -> None:
    common = ("advise", schema, "--records", 500)
    both = run(*common, "--theory", "--draw", "t.svg", code=2)
    assert "--draw goes without" in both.stderr
    assert "three ways" in run(*common, "--gamma", 3, "--epsilon", 1, "--theory", code=2).stderr


def test_what_epsilon_means_is_said_and_categories_have_no_cells(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.advise.advice.GAMMAS", (8,))
    monkeypatch.setattr("privet.advise.advice.GUIDED", (5,))
    monkeypatch.setattr("privet.advise.advice.GUIDED_SIZES", (5,))
    names = [Attribute.categorical(name, ["a", "b", "c"]) for name in "xyz"]
    declared = Schema([*names, Attribute.categorical("play", ["Yes", "No"])], target="play")
    path = folder / "words.toml"
    path.write_text(declared.to_toml())
    said = run("advise", path, "--records", 300, "--epsilon", 4).stdout
    assert "ε = 4.00 for each of 3 attributes, 12.00 for a record." in said.splitlines()[0]
    assert "privet disguise --method subsets keeps a whole record" in said
    rows = [line.split() for line in said.splitlines() if line[:2] in ("8 ", "54")]
    assert [row[2] for row in rows] == ["–", "–"]
    assert "N = " not in said
