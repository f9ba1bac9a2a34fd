from pathlib import Path

import pytest

from privet.release import Release
from tests.cli.running import run, run_json


def test_the_claim_is_said_in_words(table: Path) -> None:
    said = run("disguise", table, "--schema", "f2.toml", "--gamma", 8, "-o", "f2.release").stdout
    assert "3,000 records" in said
    assert "ε = 2.08" in said
    assert "The class 'group' is among them" in said
    assert Release.read("f2.release").claim.sentences()[0] in said


def test_the_claim_as_json(table: Path) -> None:
    form = run_json("disguise", table, "--schema", "f2.toml", "--gamma", 8, "-o", "f2.release")
    assert form["claim"] == Release.read("f2.release").claim.to_dict()
    assert form["seeded"] is False


def test_a_plan(table: Path) -> None:
    Path("plan.toml").write_text('default = "withheld"\n[attributes]\nage = "exact"\n')
    run("disguise", table, "--schema", "f2.toml", "--plan", "plan.toml", "-o", "f2.release")
    assert Release.read("f2.release").schema.names == ["age", "group"]


def test_a_seed_stamps_and_repeats(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "--gamma", 8, "--seed", 7)
    assert "NOT PRIVATE" in run(*common, "-o", "a.release").stdout
    run(*common, "-o", "b.release")
    a, b = Path("a.release/part-0.parquet"), Path("b.release/part-0.parquet")
    assert a.read_bytes() == b.read_bytes()


def test_bins_and_order(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "--gamma", 2.5)
    run(*common, "--bins", 5, "--in-order", "-o", "a.release")
    release = Release.read("a.release")
    assert not release.shuffled
    assert release.schema["age"].bins == 5


def test_other_wishes(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "--bins", 5)
    run(*common, "--epsilon", 2, "-o", "a.release")
    assert Release.read("a.release").claim["age"].epsilon == pytest.approx(2)
    run(*common, "--rho", 0.05, 0.5, "-o", "b.release")
    assert float(Release.read("b.release").claim["age"].gamma or 0) == pytest.approx(19)


def test_csv_is_disguised_as_well(folder: Path) -> None:
    run("generate", "as-f1", "--rows", 500, "-o", "f1.csv", "--schema", "f1.toml")
    run("disguise", "f1.csv", "--schema", "f1.toml", "--gamma", 8, "-o", "f1.release")
    assert Release.read("f1.release").rows == 500


def test_overwriting(release: Path, table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "--gamma", 8, "-o", release)
    assert "holds a release already" in run(*common, code=2).stderr
    run(*common, "--overwrite")


def test_what_does_not_go_together(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "-o", "x.release")
    assert "either --plan or --gamma" in run(*common, code=2).stderr
    assert "either --plan" in run(*common, "--plan", "f2.toml", "--gamma", 8, code=2).stderr
    assert "go with no plan" in run(*common, "--plan", "f2.toml", "--bins", 8, code=2).stderr


def test_a_method_for_the_whole_table(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "-o", "f2.release")
    said = run(*common, "--method", "forest-framework", "--set", "noise=0.05").stdout
    assert "No formal guarantee" in said
    release = Release.read("f2.release")
    assert release.unbounded is not None
    assert release.unbounded.settings["noise"] == 0.05
    assert release.rows == 3000


def test_a_table_without_a_class_gets_one(table: Path) -> None:
    text = Path("f2.toml").read_text()
    Path("open.toml").write_text(text.replace('target = "group"', ""))
    common = ("disguise", table, "--schema", "open.toml", "-o", "f2.release")
    forest = (*common, "--method", "forest-framework")
    assert "--target NAME" in run(*forest, code=2).stderr
    run(*forest, "--target", "age", "--classes", 3)
    release = Release.read("f2.release")
    assert release.schema.target == "age"
    assert release.schema["age"].values == ("20 to 40", "40 to 60", "60 to 80")
    assert "group" in [attribute.name for attribute in release.schema.inputs]
    run(*forest, "--target", "group", "--overwrite")
    assert Release.read("f2.release").schema.target == "group"
    assert "goes with --target" in run(*forest, "--classes", 3, "--overwrite", code=2).stderr
    assert "must be categorical" in run(*forest, "--target", "age", "--overwrite", code=2).stderr


def test_settings_of_a_method(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "-o", "f2.release")
    gadp = (*common, "--method", "gadp", "--set", 'confidential=["age"]')
    bad = (*common, "--method", "gadp", "--set", "nose=1")
    form = run_json(*gadp, "--set", "proximity=0.5", "--set", "keep_domain=true")
    assert "age" not in form["claim"]["disclosed"]
    assert "salary" in form["claim"]["disclosed"]
    assert "does not take 'nose'" in run(*bad, code=2).stderr


def test_settings_that_do_not_go_together(table: Path) -> None:
    common = ("disguise", table, "--schema", "f2.toml", "-o", "f2.release")
    assert "does not take 'a'" in run(*common, "--gamma", 8, "--set", "a=1", code=2).stderr
    assert "NAME=VALUE" in run(*common, "--method", "gadp", "--set", "a", code=2).stderr
    said = run(*common, "--method", "gadp", "--bins", 3, code=2).stderr
    assert "'gadp' does not take 'bins'" in said
    assert "'nothing' is not one of" in run(*common, "--method", "nothing", code=2).stderr


def test_a_warning_is_a_note(table: Path) -> None:
    """F2's commission and salary are no copies, but a column declared twice is."""
    rows = ["a,b,c,k"] + [f"{i % 7},{2 * (i % 7)},{i % 5},{'xy'[i % 2]}" for i in range(60)]
    Path("twice.csv").write_text("\n".join(rows) + "\n")
    numeric = "".join(f"[attributes.{n}]\nlow = 0\nhigh = 20\n" for n in "abc")
    Path("twice.toml").write_text(f'target = "k"\n{numeric}[attributes.k]\nvalues = ["x", "y"]\n')
    common = ("disguise", "twice.csv", "--schema", "twice.toml", "-o", "twice.release")
    done = run(*common, "--method", "gadp", "--set", 'confidential=["c"]')
    assert "Warning: The covariance has no inverse" in done.stderr


@pytest.mark.parametrize("name", ["substitution", "random-substitution"])
def test_one_method_two_names_and_its_settings(table: Path, name: str) -> None:
    edges = "edges={ age = [30, 50, 70] }"
    common = ("disguise", table, "--schema", "f2.toml", "--set", "kind=band", "--set", edges)
    run(*common, "--gamma", 8, "-o", "a.release")
    run(*common, "--method", name, "--set", "gamma=8", "-o", "b.release")
    a, b = Release.read("a.release"), Release.read("b.release")
    assert a.parts[0].channels == b.parts[0].channels
    channel = a.parts[0].channel("age")
    assert channel is not None
    assert (channel.kind, channel.inputs) == ("band", (4,))
    assert a.schema["age"].edges == (30, 50, 70)


def test_one_attribute_is_not_called_several(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("smoker,ill\n" + "0,1\n1,0\n" * 50)
    (tmp_path / "s.toml").write_text(
        'target = "ill"\n[attributes.smoker]\nvalues = [0, 1]\n[attributes.ill]\nvalues = [0, 1]\n'
    )
    table, schema = tmp_path / "t.csv", tmp_path / "s.toml"
    made = run("disguise", table, "--schema", schema, "--gamma", 8, "-o", tmp_path / "r")
    assert "100 records, 1 attribute and the class" in made.stdout
    assert "1 attribute (" in run("schema", "--check", schema).stdout
