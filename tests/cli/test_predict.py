from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from privet.cli import tables
from privet.estimators import TreeClassifier
from privet.tree import Tree
from tests.cli.running import run, run_json


def expected(tree: Path, table: Path) -> list[str]:
    model = TreeClassifier.from_tree(Tree.read(tree))
    labels: list[str] = model.predict(pq.read_table(table)).tolist()
    return labels


def test_predictions_are_those_of_the_library(tree: Path, table: Path) -> None:
    assert run_json("predict", tree, table, "-o", "p.parquet")["rows"] == 3000
    held = pq.read_table("p.parquet")
    assert held.column_names == ["prediction"]
    assert held["prediction"].to_pylist() == expected(tree, table)


def test_a_stream_of_many_batches_keeps_the_order(
    tree: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.table.source.BATCH_ROWS", 700)
    run("predict", tree, table, "-o", "p.parquet")
    assert pq.read_table("p.parquet")["prediction"].to_pylist() == expected(tree, table)


def test_probabilities_and_csv(tree: Path, table: Path) -> None:
    run("predict", tree, table, "--proba", "-o", "p.csv")
    held = pc.read_csv("p.csv")
    assert held.column_names == ["prediction", "probability of A", "probability of B"]
    both = np.stack([held[1].to_numpy(), held[2].to_numpy()], axis=1)
    assert np.allclose(both.sum(1), 1)
    labels = np.array(["A", "B"])[both.argmax(1)]
    even = both[:, 0] == both[:, 1]
    assert ((labels == np.array(held[0].to_pylist())) | even).all()


def test_only_the_trees_columns_are_needed(tree: Path, table: Path) -> None:
    pq.write_table(pq.read_table(table).drop_columns(["group"]), "bare.parquet")
    run("predict", tree, "bare.parquet", "-o", "p.parquet")
    assert pq.read_table("p.parquet")["prediction"].to_pylist() == expected(tree, table)


def test_an_unseen_category_takes_the_branch_with_most_records(folder: Path) -> None:
    run("generate", "weather", "-o", "weather.csv", "--schema", "weather.toml")
    run("mine", "weather.csv", "--schema", "weather.toml", "--policy", "id3", "-o", "tree.json")
    text = Path("weather.csv").read_text()
    Path("odd.csv").write_text(text.replace("Rain", "Hail"))
    assert run_json("predict", "tree.json", "odd.csv", "-o", "p.csv")["rows"] == 14


def test_a_wrong_name_for_the_output(tree: Path, table: Path) -> None:
    assert "end it in" in run("predict", tree, table, "-o", "p.txt", code=2).stderr
    Path("p.csv").write_text("mine")
    assert "exists already" in run("predict", tree, table, "-o", "p.csv", code=2).stderr
    assert Path("p.csv").read_text() == "mine"


def test_a_complaint_tells_the_row_of_the_file(
    tree: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from privet.errors import DataError
    from privet.table.source import RawBatch

    batch = RawBatch(900, {}, Path("a.csv"), 400)
    with (
        pytest.raises(DataError, match=r"first in row 405 of a.csv\).*Hint: mend"),
        tables.placed(batch),
    ):
        raise DataError("A value is bad.", hint="mend it.", row=5)


def test_cells_that_a_spreadsheet_would_run_are_unarmed(tmp_path: Path) -> None:
    import pyarrow as pa

    from privet.cli.tables import write_batches

    cells = ["=1+1", "+x", "-1", "-1+1", "@sum", "\tx", "plain", "1e5", None]
    for kind in (".csv", ".parquet"):
        write_batches(tmp_path / f"p{kind}", kind, iter([pa.record_batch({"=a": cells})]))
    lines = (tmp_path / "p.csv").read_text().splitlines()
    wanted = ["=1+1", "+x", "-1", "-1+1", "@sum", "\tx", "plain", "1e5", ""]
    armed = {"=1+1", "+x", "-1+1", "@sum", "\tx"}
    assert [line.strip('"') for line in lines] == [
        "'=a",
        *("'" + cell if cell in armed else cell for cell in wanted),
    ]
    assert pq.read_table(tmp_path / "p.parquet")["=a"].to_pylist() == cells


def test_a_missing_number_is_predicted_as_the_library_does(tree: Path, table: Path) -> None:
    held = pq.read_table(table)
    gaps = held.set_column(
        held.column_names.index("age"), "age", pa.array([None] * len(held), pa.float64())
    )
    pq.write_table(gaps, "gaps.parquet")
    run("predict", tree, "gaps.parquet", "-o", "p.parquet")
    model = TreeClassifier.from_tree(Tree.read(tree))
    assert pq.read_table("p.parquet")["prediction"].to_pylist() == model.predict(gaps).tolist()
    pc.write_csv(gaps, "gaps.csv")
    run("predict", tree, "gaps.csv", "-o", "q.parquet")
    assert pq.read_table("q.parquet").equals(pq.read_table("p.parquet"))
    assert run_json("score", tree, "gaps.parquet")["accuracy"] == model.score(gaps)
