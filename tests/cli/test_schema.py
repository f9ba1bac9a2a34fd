from pathlib import Path

import numpy as np

from privet.schema import Schema
from tests.cli.running import run, run_json

CSV = "age,city,play\n20,Oslo,yes\n31,Rome,no\n44,,no\n"


def test_a_draft_says_loudly_that_it_is_learned(folder: Path) -> None:
    Path("people.csv").write_text(CSV)
    said = run("schema", "people.csv", "--target", "play", "--bins", 4)
    assert "LEARNED FROM DATA" in said.stderr
    Path("people.toml").write_text(said.stdout)
    schema = Schema.read("people.toml")
    assert schema.learned
    assert schema["age"].bins == 4
    assert schema["city"].missing == "category"


def test_a_draft_to_a_file(folder: Path) -> None:
    Path("people.csv").write_text(CSV)
    for name in ("people.toml", "people.json"):
        run("schema", "people.csv", "--target", "play", "--output", name)
        assert Schema.read(name).target == "play"
    run("schema", "people.csv", "--target", "play", "--output", "people.toml", code=2)
    run("schema", "people.csv", "--target", "play", "--output", "people.toml", "--overwrite")
    assert "end it in" in run("schema", "people.csv", "--target", "play", "-o", "x", code=2).stderr


def test_a_draft_as_json(folder: Path) -> None:
    Path("people.csv").write_text(CSV)
    assert Schema.from_dict(run_json("schema", "people.csv", "--target", "play")).learned


def test_a_column_that_looks_like_an_identifier_is_pointed_out(folder: Path) -> None:
    rows = "".join(f"name{i},{i % 3},{i % 2}\n" for i in range(150))
    Path("people.csv").write_text("who,age,play\n" + rows)
    said = run("schema", "people.csv", "--target", "play")
    assert "'who' is withheld: no two records have the same value." in said.stderr
    assert "name149" not in said.stdout


def test_numbers_that_may_tell_records_apart(folder: Path) -> None:
    numbers = np.random.default_rng(1).permutation(300)
    rows = "".join(f"{i},{i + 70},{1000 + 7 * i * i},{i % 90},{i % 2}\n" for i in numbers.tolist())
    Path("people.csv").write_text("case,Policy No,code,age,play\n" + rows)
    said = run("schema", "people.csv", "--target", "play")
    for name in ("case", "Policy No"):
        assert f"{name!r} is withheld: it numbers the records." in said.stderr
    assert "'code': each record has its own value" in said.stderr
    assert "is it an identifier?" in said.stdout
    assert "'age'" not in said.stderr


def test_checking_a_schema_and_a_table(table: Path) -> None:
    said = run("schema", "--check", "f2.toml").stdout
    assert "good schema: 9 attributes" in said
    assert "f2.parquet fits it: 3,000 records." in run("schema", "--check", "f2.toml", table).stdout
    assert run_json("schema", "--check", "f2.toml", table)["rows"] == 3000


def test_checking_a_table_says_how_many_values_do_not_fit(folder: Path) -> None:
    """Rows and numbers of them, never a value."""
    rows = [["Strong", "Yes", "7"], *[["wind?", "No", "8"]] * 5, ["Weak", "No", "99"]]
    Path("days.csv").write_text("wind,play,heat\n" + "".join(",".join(r) + "\n" for r in rows))
    Path("days.toml").write_text(
        'target = "play"\n[attributes.wind]\nvalues = ["Weak", "Strong"]\n'
        "[attributes.heat]\nlow = 0\nhigh = 40\n"
        '[attributes.play]\nvalues = ["Yes", "No"]\n'
    )
    said = run("schema", "--check", "days.toml", "days.csv", code=2).stderr
    assert "'wind': 5 values do not fit (rows 1, 2, 3 and 2 more)" in said
    assert "'heat': 1 value does not fit (row 6)." in said
    assert "Column 'wind' has a value outside its domain" in said
    assert "first in row 1 of days.csv" in said
    assert "wind?" not in said
    assert "99" not in said


def test_checking_a_learned_schema_says_so_again(folder: Path) -> None:
    Path("people.csv").write_text(CSV)
    run("schema", "people.csv", "--target", "play", "-o", "people.toml")
    assert "LEARNED FROM DATA" in run("schema", "--check", "people.toml").stdout


def test_what_does_not_go_together(table: Path) -> None:
    run("schema", table, code=2)
    run("schema", "--target", "group", code=2)
    run("schema", "--check", "f2.toml", "--target", "group", code=2)


def test_a_folder_of_files_is_one_table(folder: Path) -> None:
    Path("many").mkdir()
    Path("many/a.csv").write_text("age,play\n20,yes\n")
    Path("many/b.csv").write_text("age,play\n35.5,no\n")
    form = run_json("schema", "many", "--target", "play")
    assert (form["attributes"]["age"]["low"], form["attributes"]["age"]["high"]) == (20.0, 35.5)
    Path("many/c.csv").write_text("years,play\n35,no\n")
    assert "c.csv has other columns" in run("schema", "many", "--target", "play", code=2).stderr
