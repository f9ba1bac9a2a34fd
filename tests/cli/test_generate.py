from pathlib import Path

import pyarrow.csv as pc
import pyarrow.parquet as pq

from privet import datasets
from privet.schema import Schema
from tests.cli.running import run, run_json


def test_a_table_and_its_schema(table: Path) -> None:
    held = pq.read_table(table)
    assert held.equals(datasets.load("as-f2", rows=3000, seed=1))
    assert Schema.read("f2.toml") == datasets.schema("as-f2")


def test_csv_holds_the_same(table: Path) -> None:
    run("generate", "as-f2", "--rows", 3000, "--seed", 1, "-o", "f2.csv")
    csv, parquet = pc.read_csv("f2.csv"), pq.read_table(table)
    assert csv["group"].to_pylist() == parquet["group"].to_pylist()
    assert csv["salary"].to_pylist() == parquet["salary"].to_pylist()


def test_a_known_table(folder: Path) -> None:
    assert run_json("generate", "weather", "-o", "weather.csv")["rows"] == 14
    assert (
        "rows does not apply"
        in run("generate", "weather", "--rows", 5, "-o", "w.csv", code=2).stderr
    )


def test_list(folder: Path) -> None:
    said = run("generate", "--list").stdout
    assert "as-f2" in said
    assert "weather" in said
    assert run_json("generate", "--list")["generated"][0] == "as-f1"


def test_what_is_wrong(table: Path) -> None:
    assert "no table 'as-f9'" in run("generate", "as-f9", "-o", "x.parquet", code=2).stderr
    assert "end it in .parquet or .csv" in run("generate", "as-f2", "-o", "x.txt", code=2).stderr
    assert "exists already" in run("generate", "as-f2", "-o", table, code=2).stderr
    run("generate", "as-f2", code=2)
    run("generate", "as-f2", "--rows", 9, "-o", table, "--overwrite")
    assert pq.read_metadata(table).num_rows == 9
