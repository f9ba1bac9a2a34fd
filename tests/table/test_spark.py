"""Tables on Spark: the same disguises and trees as from files, and errors in our words."""

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet import datasets
from privet.disguise import stream
from privet.errors import BugError, DataError, PlanError, ReleaseError
from privet.progress import listening
from privet.release.card import CARD
from privet.table import Batch
from privet.table import spark as spark_module
from privet.table.spark import SparkFiles, SparkTable

pytestmark = [pytest.mark.needs("java"), pytest.mark.xdist_group("spark")]

ROWS = 20_000
SCHEMA = datasets.schema("as-f2", bins=8)
OWNER = pv.RandomSubstitution(gamma=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Raw records in a partitioned folder and in one file, and the release of a seed."""
    made: Path = tmp_path_factory.mktemp("raw")
    table = datasets.load("as-f2", rows=ROWS, seed=3)
    pq.write_table(table, made / "all.parquet", row_group_size=3000)
    parts = made / "parts"
    for group in ("A", "B"):
        (parts / f"group={group}").mkdir(parents=True)
        rows = table.filter(pa.compute.equal(table["group"], group)).drop_columns(["group"])
        pq.write_table(rows, parts / f"group={group}" / "0.parquet", row_group_size=4000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "BUCKET_ROWS", 4000)
        OWNER.disguise(made / "all.parquet", SCHEMA, to=made / "files.release", seed=1)
    return made


def rows_of(release: pv.Release) -> dict[str, Any]:
    return release.parts[0].table.collect(10 * ROWS).columns


def same(release: pv.Release, other: pv.Release) -> bool:
    rows, others = rows_of(release), rows_of(other)
    return list(rows) == list(others) and all(
        rows[name].dtype == others[name].dtype and np.array_equal(rows[name], others[name])
        for name in rows
    )


def test_a_disguise_is_that_of_files_row_by_row_and_so_is_the_tree(
    spark: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "BUCKET_ROWS", 4000)
    records = SparkFiles(spark, folder / "all.parquet")
    release = OWNER.disguise(records, SCHEMA, to=tmp_path / "r", seed=1)
    files = pv.Release.read(folder / "files.release")
    assert len(list((tmp_path / "r").glob("part-0-*.parquet"))) == 8
    assert isinstance(release.parts[0].table, SparkTable)
    assert same(files, release)
    before = release.passes
    trees = [
        pv.TreeClassifier(method="direct", max_depth=2).fit(source).tree_.to_json()
        for source in (files, release, pv.Release.read(tmp_path / "r"))
    ]
    assert trees[0] == trees[1] == trees[2]
    assert release.passes - before == 8  # two levels that can be split; six to measure the tree


def test_order_can_be_kept_and_frames_be_disguised(
    spark: Any, folder: Path, tmp_path: Path
) -> None:
    plain = OWNER.disguise(folder / "all.parquet", SCHEMA, to=tmp_path / "f", seed=1, shuffle=False)
    frame = spark.read.parquet(str(folder / "all.parquet"))
    for number, records in enumerate([SparkFiles(spark, folder / "all.parquet"), frame]):
        to = tmp_path / str(number)
        assert same(plain, OWNER.disguise(records, SCHEMA, to=to, seed=1, shuffle=False))
        assert 'shuffled": false' in (to / CARD).read_text()


def test_a_partitioned_folder_brings_its_keys(spark: Any, folder: Path, tmp_path: Path) -> None:
    plan = pv.Plan({}, default=pv.Exact())
    told = plan.disguise(SparkFiles(spark, folder / "parts"), SCHEMA, to=tmp_path / "s", seed=1)
    files = plan.disguise(folder / "parts", SCHEMA, to=tmp_path / "f", seed=1)
    assert same(told, files)
    # Cells of exact numbers are learned from the same rows wherever they are.
    trees = [
        pv.TreeClassifier(method="naive", max_depth=1).fit(source).tree_.to_json()
        for source in (told, files)
    ]
    assert trees[0] == trees[1]


def test_a_bit_that_flips_is_seen_at_the_workers(spark: Any, folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "r"
    OWNER.disguise(folder / "all.parquet", SCHEMA, to=to, seed=1)
    part = to / "part-0.parquet"
    data = bytearray(part.read_bytes())
    data[5000] ^= 1
    part.write_bytes(data)
    with pytest.raises(ReleaseError, match=r"part-0\.parquet is cut short, or was altered"):
        pv.Release.read(to, spark=spark)


class Ear:
    """Hears what is told of progress."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def start(self, label: str, total: int | None) -> None:
        self.heard.append((label, total))

    def advance(self, amount: int) -> None:
        self.heard.append(amount)

    def end(self) -> None:
        self.heard.append("end")


def test_progress_is_told_in_records(spark: Any, folder: Path) -> None:
    table = SparkFiles(spark, folder / "all.parquet").table(SCHEMA.attributes)
    ear = Ear()
    with listening(ear):
        table.count(lambda batch: (np.array([len(batch)]),), "counting")
    assert ear.heard[0] == ("counting", ROWS)
    assert ear.heard[-1] == "end"
    assert sum(heard for heard in ear.heard if isinstance(heard, int)) <= ROWS


def test_errors_of_workers_arrive_without_values(spark: Any, folder: Path) -> None:
    table = SparkFiles(spark, folder / "all.parquet").table(SCHEMA.attributes)

    def errs(batch: Batch) -> Any:
        raise ValueError("the secret 31")

    with pytest.raises(BugError, match="ValueError at ") as caught:
        table.count(errs)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_value_outside_its_domain_leaves_no_release(
    spark: Any, tmp_path: Path, folder: Path
) -> None:
    table = datasets.load("as-f2", rows=5000, seed=3)
    ages = table["age"].to_numpy().copy()
    ages[4321] = 987
    bad = table.set_column(table.column_names.index("age"), "age", pa.array(ages))
    pq.write_table(bad, tmp_path / "bad.parquet", row_group_size=1000)
    with pytest.raises(DataError, match=r"'age'.*first in row 4321 of .*bad\.parquet") as caught:
        OWNER.disguise(SparkFiles(spark, tmp_path / "bad.parquet"), SCHEMA, to=tmp_path / "r")
    assert "987" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.parquet"]


def test_files_that_change_or_differ(spark: Any, tmp_path: Path) -> None:
    for number in range(2):
        pq.write_table(
            pa.table({"a": np.arange(50, dtype=np.uint8)}), tmp_path / f"{number}.parquet"
        )
    paths = sorted(tmp_path.iterdir())
    table = SparkTable.files(spark, paths)
    pq.write_table(pa.table({"a": np.arange(60, dtype=np.uint8)}), paths[1])
    with pytest.raises(DataError, match=r"1\.parquet has changed since"):
        table.count(lambda batch: (np.array([len(batch)]),))
    paths[1].unlink()
    with pytest.raises(DataError, match=r"1\.parquet cannot be read: No such file"):
        table.count(lambda batch: (np.array([len(batch)]),))
    pq.write_table(pa.table({"b": np.arange(60, dtype=np.uint8)}), paths[1])
    with pytest.raises(DataError, match=r"1\.parquet has another type of column 'b'"):
        SparkTable.files(spark, paths)
    odd = pv.Attribute.numeric("c", low=0, high=100)
    with pytest.raises(DataError, match=r"0\.parquet has no column 'c'"):
        SparkFiles(spark, tmp_path).table([odd])


def test_frames_must_be_what_they_are_said_to_be(spark: Any) -> None:
    frame = spark.createDataFrame(
        pa.table({"id": [4, 2, 4], "n": [1, 2, 300], "t": ["x", "y", "z"]})
    )
    cases: list[tuple[dict[str, Any], str]] = [
        ({"row": "t"}, "must hold whole numbers to place rows by, not string"),
        ({"names": ["n", "m"]}, "no column 'm'"),
        ({"row": "k"}, "no column 'k'"),
    ]
    for arguments, said in cases:
        with pytest.raises(DataError, match=said):
            SparkTable.of(frame, **arguments)
    size = lambda batch: (np.array([len(batch)]),)  # noqa: E731 - a word for it
    with pytest.raises(DataError, match="has a number twice"):
        SparkTable.of(frame, ["n"], row="id").count(size)
    with pytest.raises(DataError, match="'n' of the Spark frame has values that are no codes"):
        SparkTable.of(frame, ["n"], types={"n": "uint8"}).count(size)
    with pytest.raises(DataError, match="no rows"):
        SparkTable.of(frame.where("n > 1000"), ["n"])


def test_what_works_in_memory_says_so(spark: Any, folder: Path, tmp_path: Path) -> None:
    records = SparkFiles(spark, folder / "all.parquet")
    with pytest.raises(DataError, match="works in memory, not on a cluster"):
        pv.RandomNoise().disguise(records, SCHEMA, to=tmp_path / "r")
    with pytest.raises(PlanError, match="give the folder to write the release to"):
        OWNER.disguise(records, SCHEMA)
    with pytest.raises(DataError, match="at most 99 rows"):
        records.table(SCHEMA.attributes).collect(99)


def test_the_examples_run(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    how = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    given = {"spark": spark, "table": SparkTable.of(spark.range(4))}
    failed, tried = doctest.testmod(spark_module, extraglobs=given, optionflags=how)
    assert not failed
    assert tried > 20
