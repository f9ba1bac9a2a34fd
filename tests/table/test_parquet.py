"""Parquet files that are not what they have to be."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import DataError
from privet.table import ParquetTable

CODES = np.arange(50_000, dtype=np.uint16)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.parquet cannot be read: No such file"):
        ParquetTable([tmp_path / "absent.parquet"])


def test_a_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": CODES}), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=r"t\.parquet cannot be read: it is no Parquet file"):
        ParquetTable([path])


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": CODES}), path, use_dictionary=False)
    table = ParquetTable([path])
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(DataError, match=r"t\.parquet"):
        list(table.batches())


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        ({"b": CODES}, "no column 'a'"),
        ({"a": CODES.astype(np.uint8)}, "another type of column 'a'"),
        ({"a": CODES.astype(np.int64)}, "of type int64"),
        ({"a": pa.array(["x"])}, "of type string"),
    ],
)
def test_a_file_with_another_schema_among_good_ones(
    tmp_path: Path, other: dict[str, object], complaint: str
) -> None:
    pq.write_table(pa.table({"a": CODES}), tmp_path / "1.parquet")
    pq.write_table(pa.table(other), tmp_path / "2.parquet")
    with pytest.raises(DataError, match=rf"2\.parquet.*{complaint}"):
        ParquetTable([tmp_path / "1.parquet", tmp_path / "2.parquet"], ["a"])


def test_other_columns_among_good_ones(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": CODES}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": CODES, "b": CODES}), tmp_path / "2.parquet")
    with pytest.raises(DataError, match=r"2\.parquet has other columns|2\.parquet has another"):
        ParquetTable([tmp_path / "1.parquet", tmp_path / "2.parquet"])


def test_a_missing_value_is_no_code(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([1, None], pa.uint8())}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"t\.parquet has a missing value in column 'a'"):
        list(ParquetTable([tmp_path / "t.parquet"]).batches())


def test_a_column_whose_name_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"name": [1.0, 2.0]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"name", b"na\x89e"))
    with pytest.raises(DataError, match=r"t\.parquet cannot be read: it is no Parquet file"):
        ParquetTable([path])


def test_row_groups_without_rows_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    full = pa.table({"a": CODES[:3]})
    with pq.ParquetWriter(path, full.schema) as writer:
        for table in (full.slice(0, 0), full.slice(0, 2), full.slice(0, 0), full.slice(2)):
            writer.write_table(table)
    assert pq.ParquetFile(path).metadata.num_row_groups == 4
    table = ParquetTable([path])
    doubled = table.map(lambda batch: replace(batch, columns={"a": 2 * batch.columns["a"]}))
    assert [piece.rows for piece in table.pieces] == [2, 1]
    for made, times in ((table, 1), (doubled, 2)):
        read = np.concatenate([batch.columns["a"] for batch in made.batches()])
        np.testing.assert_array_equal(read, times * CODES[:3])
