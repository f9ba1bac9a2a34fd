from pathlib import Path

import pyarrow.parquet as pq
import pytest

from privet.estimators import TreeClassifier
from privet.release import Release
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
