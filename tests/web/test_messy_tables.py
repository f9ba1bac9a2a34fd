"""The workbench with files as offices have them: semicolons, decimal commas, misspelt values."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.disguise import Plan, Substitution
from privet.disguise.planfile import plan_to_toml
from privet.errors import DataError
from privet.schema import Attribute, Files, Schema
from privet.web.bench import commands
from privet.web.bench.looks import look_at
from privet.web.bench.misfits import with_rows
from privet.web.bench.serve import _begun
from privet.web.bench.work import WORK
from tests.web.benching import benched, people

WRONG = (33, 812)
SCHEMA = Schema(
    [
        Attribute.numeric("Größe", low=150, high=200, bins=4),
        Attribute.categorical("Geschlecht", ["männlich", "weiblich"]),
        Attribute.categorical("krank", ["ja", "nein"]),
    ],
    target="krank",
)


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that pandas does not read by itself, with two misspelt values."""
    monkeypatch.chdir(tmp_path)
    lines = ["Größe;Geschlecht;krank"]
    for place in range(900):
        kind = "mänlich" if place in WRONG else ("männlich", "weiblich")[place % 2]
        lines.append(f"{150 + place % 50},5;{kind};{('ja', 'nein')[place % 3 == 0]}")
    path = tmp_path / "klinik.csv"
    path.write_text("\n".join(lines) + "\n", encoding="cp1252")
    return path


def test_the_python_shown_reads_the_file(clinic: Path) -> None:
    look = look_at(Files(clinic))
    shown = commands.schema(clinic.name, "krank", "klinik.toml", look["format"])
    assert "sep=';', decimal=',', encoding='cp1252'" in shown.python
    exec(shown.python, {})  # noqa: S102 - what the page tells people to run
    assert Schema.read("klinik.toml").names == SCHEMA.names
    assert not Schema.read("klinik.toml")["Größe"].is_categorical
    plain = commands.schema("a.csv", "b", "c", {"sep": ",", "decimal": ".", "encoding": "utf-8"})
    assert "pd.read_csv('a.csv')" in plain.python


def test_a_failure_names_the_rows_to_correct(clinic: Path, tmp_path: Path) -> None:
    SCHEMA.write(tmp_path / "s.toml")
    plan = Plan({name: Substitution(5) for name in SCHEMA.names})
    (tmp_path / "p.toml").write_text(plan_to_toml(plan), encoding="utf-8")
    given: dict[str, Any] = {
        "path": str(clinic),
        "schema": str(tmp_path / "s.toml"),
        "plan": str(tmp_path / "p.toml"),
        "to": str(tmp_path / "r"),
        "seed": None,
    }
    with pytest.raises(DataError) as caught:
        WORK["disguise"](given, None)
    assert "Rows 35, 814 of klinik.csv (row 1 has the names)." in caught.value.message
    assert "save it and open it again" in caught.value.hint
    assert "mänlich" not in str(caught.value)
    lines = clinic.read_text(encoding="cp1252").splitlines()
    assert all("mänlich" in lines[row - 1] for row in (35, 814))


def test_rows_of_other_files_and_mistakes(clinic: Path, tmp_path: Path) -> None:
    kinds = ["männlich", "x"] * 10
    table = {"Größe": [160.0] * 20, "Geschlecht": kinds, "krank": ["ja"] * 20}
    pq.write_table(pa.table(table), tmp_path / "k.parquet")
    wrong = DataError("It is wrong.", column="Geschlecht", row=1)
    told = with_rows(wrong, Files(tmp_path / "k.parquet"), SCHEMA)
    assert "Rows 1, 3, 5, 7, 9, 11, 13, 15 and 2 more of k.parquet (counted from 0)." in str(told)
    elsewhere = DataError("It is wrong.", column="other", row=1)
    assert with_rows(elsewhere, Files(clinic), SCHEMA) is elsewhere
    assert with_rows(DataError("No rows."), Files(clinic), SCHEMA).message == "No rows."


def test_a_table_that_was_named_opens_at_its_columns(tmp_path: Path) -> None:
    table = people(tmp_path / "people.csv", 60)
    with benched(tmp_path, tmp_path / "private") as running:
        running.enter()
        assert _begun(running.bench, table) == "/owner/columns"
        (job,) = [running.bench.owner.jobs["look"]]
        assert running.wait(job.number).state == "done"
        status, _, page = running.call("/owner/columns")
        assert status == 200
        assert b"hours_per_week" in page
        _, _, first = running.call("/owner")
        assert b"A file that you name is only read." in first
        (tmp_path / "odd.csv").write_text("name\na\nb\n")
        _, told = running.post("/owner/table", {"path": "odd.csv"})
        assert running.wait(told["job"]).state == "failed"
        _, _, page = running.call("/owner")
        assert f'data-job="{told["job"]}"'.encode() in page  # whose failure is told again
