"""``privet store`` and ``privet decode``: from an empty database to a tree, mistakes told."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pc
import pytest
from click.testing import CliRunner

from privet import datasets
from privet.cli import cli

DAYS = datasets.load("weather")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    datasets.schema("weather").write("days.toml")
    pc.write_csv(DAYS, "days.csv")
    return tmp_path


def privet(*words: str, given: str = "", code: int = 0) -> str:
    done = CliRunner().invoke(cli, list(words), input=given)
    assert done.exit_code == code, done.output
    return done.output


def told(*words: str, given: str = "") -> Any:
    return json.loads(privet(*words, "--json", given=given))


def test_the_whole_way(place: Path) -> None:
    planned = privet("store", "plan", "--schema", "days.toml", "days.csv", "--draw", "loss.svg")
    assert "24 records" in planned
    assert "leaked record(s) match" in planned
    assert (place / "loss.svg").stat().st_size > 1000
    assert "give every collected record back" in privet(
        "store", "create", "s.db", "--schema", "days.toml"
    )
    receipt = told("store", "add", "s.db", "days.csv")
    assert "earlier call" in privet("store", "add", "s.db", "days.csv", "--token", receipt["token"])
    line = json.dumps(DAYS.to_pylist()[0])
    assert told("store", "add", "s.db", "-", given=f"{line}\n\n{line}\n")["samples"] == 2
    status = told("store", "status", "s.db")
    assert (status["samples"], status["tokens"]) == (16, 2)
    assert "T^P" in privet("store", "status", "s.db")
    assert told("store", "verify", "s.db")["intact"]
    assert "16 samples" in privet("store", "verify", "s.db")
    assert "Outlook = Overcast" in privet(
        "store", "mine", "s.db", "--policy", "id3", "-o", "t.json"
    )
    assert told("store", "mine", "s.db")["method"] == "direct"
    privet("store", "export", "s.db", "-o", "s.release")
    assert "Outlook" in privet("mine", "s.release", "--policy", "id3")
    assert "complement" in privet("show", "s.release")
    said = privet("store", "export", "s.db", "-o", "back.csv", "--originals")
    assert "AS THEY WERE COLLECTED" in said
    assert pc.read_csv("back.csv").num_rows == 16


@pytest.mark.parametrize(
    ("pick", "said"),
    [("dummy", "T^P alone gives every"), ("random", "T^P alone is enough to guess many")],
)
def test_it_warns_of_one_whole_table(place: Path, pick: str, said: str) -> None:
    how = ("--schema", "days.toml", "--pick", pick)
    assert said in privet("store", "plan", *how)
    assert said in privet("store", "create", "s.db", *how)
    assert said in privet("store", "status", "s.db")
    assert said in " ".join(told("store", "status", "s.db")["sentences"])


def test_mistakes_are_told_without_values(place: Path) -> None:
    assert "no store" in privet("store", "status", "s.db", code=2)
    privet("store", "create", "s.db", "--schema", "days.toml", "--pick", "dummy", "--dummy", "Wind")
    assert "exists already" in privet("store", "create", "s.db", "--schema", "days.toml", code=2)
    assert "'last' is not one of" in privet(
        "store", "plan", "--schema", "days.toml", "--pick", "last", code=2
    )
    assert "--draw needs" in privet(
        "store", "plan", "--schema", "days.toml", "--draw", "x.svg", code=2
    )
    said = privet("store", "add", "s.db", "-", given='{"Outlook": "Gale"}\n', code=2)
    assert "Line 1" in said
    assert "Gale" not in said
    assert "no samples yet" in privet("store", "mine", "s.db", code=2)
    other = datasets.schema("weather").to_toml().replace("Overcast", "Cloudy")
    (place / "other.toml").write_text(other)
    assert "another schema" in privet(
        "store", "add", "s.db", "days.csv", "--schema", "other.toml", code=2
    )


def test_a_monotone_tree_is_decoded(place: Path) -> None:
    rng = np.random.default_rng(1)
    ages = rng.integers(0, 100, 200)
    rows = "\n".join(f"{age},{'High' if age > 40 else 'Low'}" for age in ages)
    (place / "people.csv").write_text(f"age,risk\n{rows}\n")
    (place / "people.toml").write_text(
        'target = "risk"\n[attributes.age]\nlow = 0\nhigh = 100\ninteger = true\n'
        '[attributes.risk]\nvalues = ["High", "Low"]\n'
    )
    (place / "plan.toml").write_text('method = "monotone"\nkey = "people.key"\n')
    words = ("people.csv", "--schema", "people.toml", "--plan", "plan.toml", "-o", "people.release")
    assert "keeps order" in privet("disguise", *words)
    privet("mine", "people.release", "-o", "tree.json")
    below, above = ages[ages <= 40].max(), ages[ages > 40].min()
    said = privet("decode", "tree.json", "--key", "people.key", "-o", "plain.json")
    assert f"age <= {(below + above) / 2:g}" in said
    assert told("decode", "tree.json", "--key", "people.key")["format"] == "privet-tree"
