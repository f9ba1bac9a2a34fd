from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from privet.estimators import TreeClassifier
from privet.release import Release
from privet.schema import Attribute, Schema
from privet.tree import Tree
from tests.cli.running import run, run_json


def test_on_a_plain_table(tree: Path, table: Path) -> None:
    model = TreeClassifier.from_tree(Tree.read(tree))
    right = model.score(pq.read_table(table))
    form = run_json("score", tree, table)
    assert form == {"accuracy": right, "error": 0.0, "rows": 3000, "estimated": False}
    assert f"{100 * right:.2f} %" in run("score", tree, table).stdout


def test_on_a_release(tree: Path, table: Path) -> None:
    run("disguise", table, "--schema", "f2.toml", "--gamma", 50, "-o", "test.release")
    found = TreeClassifier.from_tree(Tree.read(tree)).accuracy(Release.read("test.release"))
    form = run_json("score", tree, "test.release")
    assert form["accuracy"] == pytest.approx(found.value)
    assert form["error"] == pytest.approx(found.error)
    assert form["estimated"]
    said = run("score", tree, "test.release").stdout
    assert f"± {100 * found.error:.2f} %" in said
    assert "not grown from these records" in said


def test_a_table_without_the_class(tree: Path, table: Path) -> None:
    pq.write_table(pq.read_table(table).drop_columns(["group"]), "bare.parquet")
    assert "has no column 'group'" in run("score", tree, "bare.parquet", code=2).stderr


def test_a_release_that_merged_takes_the_plain_table(tmp_path: Path) -> None:
    """Categories that are whole numbers in a CSV file, cut in two by the owner."""
    rng = np.random.default_rng(1)
    code, age = rng.choice([10, 20, 30, 40], 2000), rng.integers(0, 100, 2000)
    ill = np.where(np.isin(code, [10, 30]) ^ (rng.random(2000) < 0.05), "yes", "no")
    path, schema = tmp_path / "people.csv", tmp_path / "people.toml"
    pc.write_csv(pa.table({"code": code, "age": age, "ill": ill}), path)
    attributes = [
        Attribute.categorical("code", [10, 30, 20, 40]),
        Attribute.numeric("age", low=0, high=99, integer=True),
        Attribute.categorical("ill", ["no", "yes"]),
    ]
    Schema(attributes, target="ill").write(schema)
    plan = tmp_path / "plan.toml"
    plan.write_text('method = "randomized-response"\ngroups = [["code"], ["age"]]\ntheta = 0.9\n')
    run("disguise", path, "--schema", schema, "--plan", plan, "-o", tmp_path / "a.release")
    run("mine", tmp_path / "a.release", "-o", tmp_path / "tree.json")
    assert run_json("score", tmp_path / "tree.json", path)["accuracy"] > 0.9
    run("predict", tmp_path / "tree.json", path, "-o", tmp_path / "said.csv")
    said = pc.read_csv(tmp_path / "said.csv")["prediction"].to_numpy(zero_copy_only=False)
    assert (said == ill).mean() > 0.9
