from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq

from tests.cli.running import run, run_json


def test_learn_write_test_and_predict(release: Path, table: Path) -> None:
    said = run("bayes", release, "-o", "model.json", "--test", table).stdout
    assert "salary:" in said
    assert "±" in said
    assert "Accuracy on" in said
    form = run_json("bayes", release, "--test", table)
    assert form["accuracy"] > 0.55
    assert "age" in form["attributes"]
    run("predict", "model.json", table, "-o", "told.csv", "--proba")
    told = pyarrow.csv.read_csv("told.csv").to_pandas()
    right = (told["prediction"] == pq.read_table(table)["group"].to_pandas()).mean()
    assert abs(right - form["accuracy"]) < 1e-9
    assert abs(told["probability of A"] + told["probability of B"] - 1).max() < 1e-9


def test_what_cannot_be(release: Path, tree: Path) -> None:
    assert "smoothing" in run("bayes", release, "--smoothing", 0, code=2).stderr
    assert "naive Bayes model" in run("bayes", tree, code=2).stderr
    assert "exists already" in run("bayes", release, "-o", tree, code=2).stderr
    run("bayes", release, "-o", "model.json")
    assert "nobody signs" in run("bayes", "model.json", "--by", tree, code=2).stderr
    assert "Error" in run("reconstruct", release, "-o", "made.csv", "--by", tree, code=2).stderr


def test_a_collector_is_drawn() -> None:
    hashes, numbers = [], []
    for name in ("clinic", "office"):
        said = run("party", "collector", "--new", name, "-o", f"{name}.number").stdout
        hashes += said.split()
        numbers += ["--number", f"{name}={Path(f'{name}.number').read_text().strip()}"]
        assert Path(f"{name}.number").stat().st_mode & 0o077 == 0
    said = run("party", "collector", *hashes, *numbers).stdout
    form = run_json("party", "collector", *hashes, *numbers)
    assert said == f"{form['collector']} collects.\n"
    again = run("party", "collector", "--new", "office", "-o", "office.number", code=2)
    assert "never replaced" in again.stderr
    swapped = [numbers[0], numbers[1], "--number", "office=" + "00" * 32]
    assert "'office'" in run("party", "collector", *hashes, *swapped, code=2).stderr
    assert "NAME=" in run("party", "collector", "--hash", "7", code=2).stderr
    assert "--output" in run("party", "collector", "--new", "clinic", code=2).stderr
