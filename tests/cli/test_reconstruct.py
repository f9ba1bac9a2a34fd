from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq

from privet.estimate.reconstructed import stamp_of
from tests.cli.running import run, run_json


def test_a_table_is_written_and_stamped(release: Path) -> None:
    said = run("reconstruct", release, "-o", "made.parquet")
    assert "3,000 rows" in said.stdout
    assert "No row is a record" in said.stdout
    stamp = stamp_of(pq.read_schema("made.parquet"))
    assert stamp is not None
    assert stamp["representative"] == "centre"
    run("mine", "made.parquet", "--schema", "f2.toml", "-o", "made.json")  # any miner, ours too


def test_options_and_csv(release: Path) -> None:
    form = run_json(
        "reconstruct", release, "-o", "made.csv", "--method", "by-class",
        "--representative", "random", "--seed", 1,
    )  # fmt: skip
    assert form["rows"] == 3000
    assert form["method"] == "by-class"
    assert pyarrow.csv.read_csv("made.csv").num_rows == 3000
    said = run("reconstruct", release, "-o", "made.csv", "--overwrite")
    assert "CSV has no place" in said.stderr


def test_what_cannot_be(release: Path) -> None:
    Path("there.csv").write_text("")
    assert "exists already" in run("reconstruct", release, "-o", "there.csv", code=2).stderr
    assert ".parquet or .csv" in run("reconstruct", release, "-o", "made.txt", code=2).stderr
    assert "Missing option" in run("reconstruct", release, code=2).stderr
