"""From nothing to a scored tree by commands alone."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.running import run_json as command


def test_generate_disguise_mine_show_predict_score(folder: Path) -> None:
    for name, rows, seed in (("train", 100_000, 1), ("test", 20_000, 2)):
        more = ["--schema", "f1.toml"] if name == "train" else []
        output = f"{name}.parquet"
        command("generate", "as-f1", "--rows", rows, "--seed", seed, "--output", output, *more)
    for name in ("train", "test"):
        common = ("--schema", "f1.toml", "--gamma", 8, "--output", f"{name}.release")
        made = command("disguise", f"{name}.parquet", *common)
        assert made["claim"]["private"]
    assert command("show", "train.release")["rows"] == 100_000

    mined = command("mine", "train.release", "--output", "tree.json")
    assert mined["method"] == "joint"
    shown = command("show", "tree.json")
    # AS's F1 asks for the age alone: A below 40 and from 60.
    assert shown["nodes"][0]["attribute"] == "age"

    command("predict", "tree.json", "test.parquet", "--output", "predictions.parquet")
    guessed = pq.read_table("predictions.parquet")["prediction"].to_pylist()
    truth = pq.read_table("test.parquet")["group"].to_pylist()
    right = sum(map(str.__eq__, guessed, truth)) / len(truth)
    assert right > 0.9

    scored = command("score", "tree.json", "test.parquet")
    assert scored["accuracy"] == pytest.approx(right)
    estimated = command("score", "tree.json", "test.release")
    # Five standard errors: once in a million runs; and what cells that thresholds cut do not tell.
    assert abs(estimated["accuracy"] - right) < 5 * estimated["error"] + estimated["cut"]
    assert estimated["cut"] < 0.3
