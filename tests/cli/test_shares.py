from pathlib import Path

from tests.cli.running import run, run_json


def test_shares_of_all_and_of_some(release: Path) -> None:
    said = run("shares", release).stdout
    assert "salary: 3,000 records" in said
    assert "group: 3,000 records" in said
    form = run_json("shares", release, "age", "--edges", "age=38,62", "--population")
    (age,) = form["shares"]
    assert age["about"] == "population"
    assert len(age["values"][0]) == 3
    assert abs(sum(age["shares"]) - 1) < 1e-9
    assert 45 < age["mean"]["value"] < 55
    assert "37.1429 to" in run("shares", release, "age", "--edges", "age=38,62").stdout


def test_two_together(release: Path) -> None:
    form = run_json("crosstab", release, "group", "age", "--edges", "age=38,62")
    assert form["independence"]["freedom"] == 2
    assert len(form["shares"]) == 2
    said = run("crosstab", release, "group", "elevel").stdout
    assert "the disguise allowed for" in said


def test_what_cannot_be(release: Path) -> None:
    assert "NAME=20,40,65" in run("shares", release, "--edges", "age", code=2).stderr
    assert "NAME=20,40,65" in run("shares", release, "--edges", "age=x", code=2).stderr
    said = run("shares", release, "age", "--edges", "salary=3", code=2).stderr
    assert "not asked for" in said
    assert "no attribute 'height'" in run("crosstab", release, "height", "age", code=2).stderr
