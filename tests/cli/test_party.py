"""``privet party``: from three tables to one tree, and every mistake on the way."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pytest

from privet.estimators import TreeClassifier
from privet.release import Release
from privet.tree import Tree
from tests.cli.running import run, run_json
from tests.party.study import SCHEMA, people, some

COLUMNS = """
[parties.clinic]
groups = [["smoker", "cough"]]
theta = 0.8
[parties.office]
groups = [["age"], ["trade"]]
theta = 0.9
class = false
[parties.council]
groups = [["town"]]
theta = 1
"""
RECORDS = """
split = "records"
[parties.north]
groups = [["smoker", "cough"], ["age", "trade", "town"]]
theta = 0.8
[parties.south]
groups = [["smoker", "cough"], ["age", "trade", "town"]]
theta = [0.7, 0.95]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    SCHEMA.write(tmp_path / "all.toml")
    (tmp_path / "columns.toml").write_text(COLUMNS)
    (tmp_path / "records.toml").write_text(RECORDS)
    frame = people(6000)
    pc.write_csv(pa.table(frame), tmp_path / "all.csv")
    pc.write_csv(pa.table(some(frame, slice(0, 2000))), tmp_path / "north.csv")
    pc.write_csv(pa.table(some(frame, slice(2000, None))), tmp_path / "south.csv")
    run("party", "keygen", "--output", tmp_path / "secret.key")
    return tmp_path


def agreed(study: Path, name: str = "columns") -> list[object]:
    return ["--schema", study / "all.toml", "--plan", study / f"{name}.toml"]


def sent(study: Path, party: str, table: str = "all", name: str = "columns") -> Path:
    output = study / f"{party}.party"
    key = ["--id", "person", "--secret", study / "secret.key"]
    told = ["--party", party, *key, "--output", output, "--overwrite"]
    run("party", "disguise", study / f"{table}.csv", *agreed(study, name), *told)
    return output


def test_three_parties_one_tree(study: Path) -> None:
    folders = [sent(study, party) for party in ("clinic", "office", "council")]
    output = study / "all.release"
    form = run_json("party", "join", *folders, "--output", output)
    assert form["rows"] == 6000
    assert form["left_out"]["unmatched"] == {}
    model = TreeClassifier(policy="id3").fit(Release.read(output))
    assert model.tree_.nodes > 1
    tree = study / "tree.json"
    run("mine", output, "--policy", "id3", "--output", tree)
    assert "Accuracy" in run("score", tree, output).stdout


def test_a_partys_folder_is_known_for_what_it_is(study: Path) -> None:
    folder = sent(study, "clinic")
    for command in (["show"], ["mine"], ["audit"]):
        said = run(*command, folder, code=2).stderr
        assert "is a party's folder, not a release" in said
        assert "privet verify" in said
        assert "privet party join" in said


def test_the_plan_warns(study: Path) -> None:
    result = run("party", "plan", *agreed(study))
    assert "no finite ε" in result.stderr
    assert "gamma = 4" in result.stderr
    form = run_json("party", "plan", *agreed(study))
    assert list(form["parties"]) == ["clinic", "office", "council"]


def test_what_does_not_match_is_said_or_left_out(study: Path) -> None:
    folders = [sent(study, "clinic"), sent(study, "office"), sent(study, "council", "north")]
    result = run("party", "join", *folders, "--output", study / "r", code=2)
    assert "Party 'clinic' sent 4,000 records whose id is not with every other" in result.stderr
    assert not (study / "r").exists()
    result = run("party", "join", *folders, "--output", study / "r", "--keep-matching")
    assert "2,000 records of 3 parties" in result.stdout
    assert "Left out: Party 'office' sent 4,000" in result.stdout


def test_a_secret_that_others_can_read_is_refused(study: Path) -> None:
    (study / "secret.key").chmod(0o644)
    told = ["--party", "clinic", "--id", "person", "--secret", study / "secret.key"]
    output = ["--output", study / "c.party"]
    table = study / "all.csv"
    result = run("party", "disguise", table, *agreed(study), *told, *output, code=2)
    assert "can be read by others" in result.stderr
    assert (study / "secret.key").read_text().strip() not in result.stderr


def test_terms_instead_of_data(study: Path) -> None:
    folders = {party: sent(study, party, party, "records") for party in ("north", "south")}
    answers, question, output = study / "answers", study / "question.json", study / "tree.json"
    answers.mkdir()
    told = ["--answers", answers, "--question", question, "--output", output]
    for turn in range(20):
        run("party", "grow", *agreed(study, "records"), *told)
        if output.exists():
            break
        for party, folder in folders.items():
            run("party", "count", question, folder, "--output", answers / f"{party}-{turn}.json")
    run("party", "join", *folders.values(), "--output", study / "all.release")
    joined = TreeClassifier(policy="id3").fit(Release.read(study / "all.release"))
    assert Tree.read(output).same_as(joined.tree_)
