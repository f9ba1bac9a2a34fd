"""Raw files of an owner: any mix of Parquet and CSV, read in order, complaints without values."""

import gzip
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from privet.errors import DataError
from privet.schema import Attribute
from privet.table.raw import RawTable
from privet.table.source import Source

AGE = Attribute.numeric("age", low=0, high=100)
CAR = Attribute.categorical("car", ["a", "b", "NA"])
KIDS = Attribute.categorical("kids", [0, 1, 2], missing="category")
TAME = Attribute.categorical("tame", [True, False])
TABLE = pa.table(
    {
        "name": ["x"] * 5,
        "age": [1.5, 20, 30, 40, 100],
        "car": ["a", "b", "a", "NA", "b"],
        "kids": [0, 1, None, 2, 0],
        "tame": [True, False, False, True, True],
    }
)


def read(path: Path, *attributes: Attribute) -> tuple[list[int], dict[str, list[object]]]:
    source = Source(path, attributes or [AGE, CAR, KIDS, TAME])
    starts, columns = [], {name: [] for name in source.names}  # type: ignore[var-annotated]
    for batch in source.batches():
        starts.append(batch.start)
        for name, column in batch.columns.items():
            columns[name] += (
                column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()
            )
    assert len(columns["age"]) <= source.row_bound()
    return starts, columns


@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz"])
def test_a_file_gives_the_columns_asked_for(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"raw.{form}"
    if form == "parquet":
        pq.write_table(TABLE, path)
    else:
        plain = tmp_path / "plain.csv"
        pc.write_csv(TABLE, plain)
        path.write_bytes(gzip.compress(plain.read_bytes()) if "gz" in form else plain.read_bytes())
    starts, columns = read(path)
    assert starts == [0]
    assert columns["age"] == [1.5, 20, 30, 40, 100]
    assert columns["car"] == ["a", "b", "a", "NA", "b"]
    assert columns["tame"] == [True, False, False, True, True]
    assert [columns["kids"][i] for i in (0, 1, 3, 4)] == [0, 1, 2, 0]
    assert columns["kids"][2] != columns["kids"][2]


@pytest.mark.parametrize("form", ["tsv", "tsv.gz"])
def test_a_file_of_tabs_is_read_by_its_name(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"raw.{form}"
    text = b"age\tcar\tkids\ttame\n1,5\ta\t0\ttrue\n20,5\tb\t1\tfalse\n"
    path.write_bytes(gzip.compress(text) if "gz" in form else text)
    _, columns = read(path)
    assert columns["age"] == [1.5, 20.5]
    assert columns["car"] == ["a", "b"]
    assert read(tmp_path) == ([0], columns)
    # A single column says nothing of what parts it: the name does.
    path.write_bytes(gzip.compress(b"age\n1,5\n2,5\n") if "gz" in form else b"age\n1,5\n2,5\n")
    assert read(path, AGE)[1]["age"] == [1.5, 2.5]


def test_a_folder_is_read_in_order_of_names(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "b.parquet")
    pc.write_csv(TABLE.slice(0, 2), tmp_path / "a.csv")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.csv").write_text("nonsense")
    starts, columns = read(tmp_path)
    assert starts == [0, 2]
    assert columns["age"] == [1.5, 20, 1.5, 20, 30, 40, 100]


def test_empty_text_is_missing_unless_declared(tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    path.write_text("age,car\n1,a\n2,\n")
    assert read(path, AGE, CAR)[1]["car"] == ["a", None]
    with_empty = Attribute.categorical("car", ["a", ""])
    assert read(path, AGE, with_empty)[1]["car"] == ["a", ""]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("age,car\n1,a\nsecret,b\n", "'age' has 1 value that is not of its declared type"),
        ("age,car\n1,a\nsecret\n", "not well-formed CSV"),
        ("age,cart\n1,a\n", "no column 'car'"),
        ("age,car,car\n1,a,b\n", "two columns named 'car'"),
        ("", "is empty"),
    ],
)
def test_bad_csv_is_named_without_its_values(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "raw.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=complaint) as caught:
        read(path, AGE, CAR)
    assert "raw.csv" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_bad_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file or folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"holds no \.parquet, \.csv or \.tsv"):
        read(tmp_path)
    (tmp_path / "t.xlsx").write_text("")
    with pytest.raises(DataError, match=r"neither \.parquet nor \.csv"):
        read(tmp_path / "t.xlsx")
    (tmp_path / "t.parquet").write_bytes(b"PAR1nonsense")
    with pytest.raises(DataError, match=r"t\.parquet cannot be read"):
        read(tmp_path / "t.parquet")
    pq.write_table(TABLE.select(["age"]), tmp_path / "u.parquet")
    with pytest.raises(DataError, match=r"u\.parquet has no columns 'car', 'kids', 'tame'"):
        read(tmp_path / "u.parquet")


def test_a_packed_file_with_a_flipped_bit_is_unreadable_or_the_same(tmp_path: Path) -> None:
    path = tmp_path / "raw.csv.gz"
    good = gzip.compress(b"age,car\n" + b"1,a\n2,b\n" * 20, mtime=0)
    path.write_bytes(good)
    whole, refused = read(path, AGE, CAR), 0
    for bit in range(8 * 10, 8 * len(good)):  # after gzip's own head
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bad)
        try:
            assert read(path, AGE, CAR) == whole  # a bit that only fills up a byte
        except DataError as error:
            assert "raw.csv.gz" in str(error)  # noqa: PT017 - most are refused, not all
            refused += 1
    assert refused > 200


def test_a_pattern_takes_what_fits_it(tmp_path: Path) -> None:
    for name in ("b", "a", "other"):
        pq.write_table(TABLE.slice(0, 2), tmp_path / f"{name}.parquet")
    (tmp_path / "c").mkdir()
    pc.write_csv(TABLE.slice(2, 1), tmp_path / "c" / "x.csv")
    starts, columns = read(tmp_path / "[abc]*")
    assert starts == [0, 2, 4]
    assert columns["age"] == [1.5, 20, 1.5, 20, 30]
    with pytest.raises(DataError, match="fits the pattern"):
        read(tmp_path / "z*.parquet")
    # A name that looks like a pattern is first of all a name.
    pq.write_table(TABLE, tmp_path / "[ab].parquet")
    assert len(read(tmp_path / "[ab].parquet")[1]["age"]) == 5


def test_a_link_to_nowhere_is_refused_by_name(tmp_path: Path) -> None:
    pc.write_csv(TABLE, tmp_path / "a.csv")
    (tmp_path / "b.csv").symlink_to("nowhere")
    source = Source(tmp_path, [AGE])
    for look in (source.row_bound, lambda: source.rows_up_to(99), lambda: list(source.batches())):
        with pytest.raises(DataError, match=r"b\.csv cannot be read: No such file"):
            look()


def test_links_that_lead_back_up_are_not_followed_without_end(tmp_path: Path) -> None:
    pc.write_csv(TABLE, tmp_path / "a.csv")
    for name in ("left=1", "right=1"):  # followed, they would make 2⁴⁰ files of the one
        (tmp_path / name).symlink_to(tmp_path)
    with pytest.raises(DataError, match="read before, by another name") as caught:
        read(tmp_path)
    assert "remove the link" in str(caught.value)
    for pattern in ("**", "**/*.parquet"):
        with pytest.raises(DataError, match="is a link, which"):
            read(tmp_path / pattern)
    (tmp_path / "left=1").unlink()
    (tmp_path / "right=1").unlink()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "a.csv").rename(tmp_path / "deep" / "er" / "a.csv")
    assert len(read(tmp_path / "**" / "*.csv")[1]["age"]) == 5


def test_folders_named_by_key_and_value_give_columns(tmp_path: Path) -> None:
    missing = "__HIVE_DEFAULT_PARTITION__"
    for kids, car in [("2", "b"), ("0", "NA"), (missing, "a")]:
        folder = tmp_path / f"kids={kids}" / f"car={car}"
        folder.mkdir(parents=True)
        pq.write_table(TABLE.select(["age", "tame"]).slice(0, 2), folder / "0.parquet")
    (tmp_path / "kids=0" / "_temporary").mkdir()
    (tmp_path / "drafts").mkdir()
    pq.write_table(TABLE, tmp_path / "drafts" / "0.parquet")
    _, columns = read(tmp_path)
    assert columns["kids"][:4] == [0, 0, 2, 2]
    assert columns["car"] == ["NA", "NA", "b", "b", "a", "a"]
    assert columns["kids"][4] is None or columns["kids"][4] != columns["kids"][4]
    whole = RawTable(Source(tmp_path, [AGE, CAR, KIDS]), [])
    assert [len(batch) for batch in whole.batches()] == [2, 2, 2]
    with pytest.raises(DataError, match="a value that is not of its type") as caught:
        read(tmp_path, AGE, Attribute.numeric("car", low=0, high=1))
    assert "NA" not in str(caught.value).replace(str(tmp_path), "").partition("0.parquet")[2]


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_file_that_changes_while_pieces_are_read(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"raw.{form}"
    write = pq.write_table if form == "parquet" else pc.write_csv
    write(TABLE, path)
    table = RawTable(Source(path, [AGE]), [5])
    (batch,) = table.batches()
    assert (batch.start, len(batch)) == (0, 5)
    os.utime(path, ns=(1, 1))  # the same size, but written again
    with pytest.raises(DataError, match=rf"raw\.{form} has changed since"):
        list(table.batches())
