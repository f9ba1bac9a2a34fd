"""One test body for every kind of table: the same rows give the same answers."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from privet.errors import DataError
from privet.table import Batch, MemoryTable, ParquetTable, Table
from privet.table import parquet as parquet_module
from privet.table.parquet import write_parquet
from privet.table.spark import SparkTable

ROWS = 300_000
Maker = Callable[[Mapping[str, NDArray[Any]]], Table]


def columns(rows: int = ROWS) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(4)
    return {
        "small": rng.integers(0, 7, rows, dtype=np.uint8),
        "wide": rng.integers(0, 900, rows, dtype=np.uint16),
        "number": rng.normal(size=rows),
    }


def on_spark(kind: str) -> Any:
    """A kind of table that needs Spark; all its tests run in one process, after one start."""
    return pytest.param(kind, marks=[pytest.mark.needs("java"), pytest.mark.xdist_group("spark")])


@pytest.fixture(
    params=["memory", "one file", "many files", on_spark("spark files"), on_spark("spark frame")]
)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Maker:
    """How to make a table of each kind."""

    def in_files(data: Mapping[str, NDArray[Any]]) -> Table:
        rows = len(data["small"])
        cuts = [0, rows] if request.param == "one file" else [0, 1, rows // 3, rows // 3, rows]
        types = {name: column.dtype for name, column in data.items()}
        paths = []
        for number, (begin, end) in enumerate(pairwise(cuts)):
            paths.append(tmp_path / f"{number}.parquet")
            write_parquet(
                paths[-1], [{name: column[begin:end] for name, column in data.items()}], types
            )
        if request.param == "spark files":
            return SparkTable.files(request.getfixturevalue("spark"), paths)
        return ParquetTable(paths)

    def in_frame(data: Mapping[str, NDArray[Any]]) -> Table:
        return frame_table(request.getfixturevalue("spark"), len(data["small"]))

    if request.param == "memory":
        return MemoryTable
    return in_frame if request.param == "spark frame" else in_files


@cache
def frame_table(spark: Any, rows: int) -> SparkTable:
    """The columns, from a frame of Spark's; that is made once, being slow."""
    frame = spark.createDataFrame(pa.table(signed(columns(rows)))).cache()
    return SparkTable.of(frame, types={"small": "uint8", "wide": "uint16"})


def signed(data: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The columns as Spark can hold them: it has no unsigned numbers."""
    return {
        name: column.astype(np.int32) if column.dtype.kind == "u" else column
        for name, column in data.items()
    }


def work(batch: Batch) -> tuple[NDArray[np.int64], ...]:
    """Counts, and a sum that depends on each row's place."""
    joint = batch.columns["small"].astype(np.int64) * 900 + batch.columns["wide"]
    places = np.arange(batch.start, batch.start + len(batch))
    return (
        np.bincount(joint, minlength=6300),
        np.array([(places * (1 + batch.columns["small"].astype(np.int64))).sum()]),
    )


def whole(data: Mapping[str, NDArray[Any]]) -> tuple[NDArray[np.int64], ...]:
    return work(Batch(0, data))


def test_counts_are_the_same_whatever_the_table(make: Maker) -> None:
    data = columns()
    table = make(data)
    assert (table.names, table.rows) == (list(data), ROWS)
    for got, expected in zip(table.count(work), whole(data), strict=True):
        assert np.array_equal(got, expected)


def test_rows_come_back_in_order_and_in_small_batches(make: Maker) -> None:
    data = columns()
    place = 0
    for batch in make(data).batches():
        assert batch.start == place
        assert 0 < len(batch) <= 1 << 17
        for name, column in data.items():
            assert batch.columns[name].dtype == column.dtype
            assert np.array_equal(batch.columns[name], column[place : place + len(batch)])
        place += len(batch)
    assert place == ROWS


@pytest.mark.parametrize(
    ("start", "stop"), [(0, ROWS), (5, 6), (99_999, 262_200), (262_144, ROWS), (7, 7)]
)
def test_a_slice_is_a_table_of_its_own(make: Maker, start: int, stop: int) -> None:
    data = columns()
    cut = make(data).slice(start, stop)
    assert cut.rows == stop - start
    if stop > start:
        expected = whole({name: column[start:stop] for name, column in data.items()})
        for got, wanted in zip(cut.count(work), expected, strict=True):
            assert np.array_equal(got, wanted)
        again = cut.slice(0, 1).collect(1).columns
        assert again["number"][0] == data["number"][start]


def placed(batch: Batch) -> Batch:
    places = np.arange(batch.start, batch.start + len(batch))
    return Batch(batch.start, {"place": places, "small": batch.columns["small"]})


def doubled(batch: Batch) -> Batch:
    return Batch(batch.start, {name: 2 * column for name, column in batch.columns.items()})


def test_maps_compose_and_know_their_rows_places(make: Maker) -> None:
    data = columns()
    table = make(data).map(placed).map(doubled)
    assert table.names == ["place", "small"]
    cut = table.slice(150_000, 290_000).collect(ROWS)
    assert np.array_equal(cut.columns["place"], 2 * np.arange(150_000, 290_000))
    assert np.array_equal(cut.columns["small"], 2 * data["small"][150_000:290_000])
    # A map on a slice counts from the slice's own beginning.
    late = make(data).slice(100, 200).map(placed).collect(ROWS)
    assert np.array_equal(late.columns["place"], np.arange(100))


@pytest.mark.needs("java")
@pytest.mark.xdist_group("spark")
def test_rows_of_a_frame_are_where_their_numbers_say(spark: Any) -> None:
    data = columns(50_000)
    order = np.random.default_rng(5).permutation(50_000)
    mixed = {name: column[order] for name, column in signed(data).items()}
    frame = spark.createDataFrame(pa.table({**mixed, "id": 3 * order - 7})).repartition(3)
    table = SparkTable.of(frame, row="id", types={"small": "uint8", "wide": "uint16"})
    assert (table.names, table.rows) == (list(data), 50_000)
    for got, expected in zip(table.count(work), whole(data), strict=True):
        assert np.array_equal(got, expected)
    cut = table.slice(10, 30_000).collect(50_000).columns
    assert np.array_equal(cut["number"], data["number"][10:30_000])


def test_an_empty_table_cannot_be_counted(make: Maker) -> None:
    with pytest.raises(DataError, match="no rows"):
        make(columns(10)).slice(3, 3).count(work)


def test_collecting_from_disk_has_a_limit(tmp_path: Path) -> None:
    data = columns(100)
    write_parquet(tmp_path / "t.parquet", [data], {n: c.dtype for n, c in data.items()})
    table = ParquetTable([tmp_path / "t.parquet"], ["wide"])
    assert table.names == ["wide"]
    assert np.array_equal(table.collect(100).columns["wide"], data["wide"])
    with pytest.raises(DataError, match="at most 99 rows"):
        table.collect(99)


def test_bytes_do_not_depend_on_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_module, "GROUP_ROWS", 1000)
    data = columns(5432)
    types = {name: column.dtype for name, column in data.items()}
    for name, size in [("one", 5432), ("many", 777), ("tiny", 13)]:
        cuts = range(0, 5432, size)
        batches = ({n: c[i : i + size] for n, c in data.items()} for i in cuts)
        assert write_parquet(tmp_path / name, batches, types) == 5432
    written = (tmp_path / "one").read_bytes()
    assert written == (tmp_path / "many").read_bytes() == (tmp_path / "tiny").read_bytes()
    assert len(ParquetTable([tmp_path / "one"]).shards()) == 6
