"""Disguising at workers, without a cluster: a stand-in does in this process what Spark does."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.disguise import Plan, Substitution, cluster, stream
from privet.disguise.cluster import Workers
from privet.errors import DataError, PlanError
from privet.randomness import Randomness
from privet.release.card import FileEntry
from privet.schema import Schema
from privet.table import Batch, MemoryTable, ParquetTable
from privet.table.spark import SparkTable
from tests.disguise.people import SCHEMA, people

PLAN = Plan({}, default=Substitution(8))


class Stand(SparkTable):
    """Records in memory that are worked on in pieces, as workers would."""

    def __init__(self, columns: dict[str, Any], size: int) -> None:
        self._held = MemoryTable(columns)
        self._size = size

    names = property(lambda self: list(self._held.columns))
    rows = property(lambda self: self._held.rows)
    session = property(lambda _: None)

    def _batches(self) -> Iterator[Batch]:
        for start in range(0, self.rows, self._size):
            piece = slice(start, start + self._size)
            columns = {name: column[piece] for name, column in self._held.columns.items()}
            yield Batch(start, columns)

    def exchange(
        self,
        scatter: Callable[[Batch], Iterable[tuple[int, bytes]]],
        groups: int,
        gather: Callable[[int, Iterator[bytes]], bytes],
        label: str,
    ) -> list[bytes]:
        assert label == "disguising"
        sent: dict[int, list[bytes]] = {}
        for batch in self._batches():
            for group, data in scatter(batch):
                assert 0 <= group < groups
                assert data  # nothing is sent for nothing
                sent.setdefault(group, []).append(data)
        return [gather(group, iter(sent[group])) for group in sorted(sent)]

    def tasks(self, work: Callable[[int, Iterator[Batch]], bytes], label: str) -> list[bytes]:
        assert label == "disguising"
        return [work(number, iter([batch])) for number, batch in enumerate(self._batches())]


def _files(_: type, session: None, paths: list[Path]) -> ParquetTable:
    assert session is None
    return ParquetTable(paths)


@pytest.fixture(autouse=True)
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkTable, "files", classmethod(_files))


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("size", [7, 100, 300])
@pytest.mark.parametrize("bits", [0, 3])
def test_workers_release_what_a_file_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shuffle: bool, size: int, bits: int
) -> None:
    """No record is lost or told twice, whoever disguises which of them, and all are as drawn."""
    for module in (cluster, stream):
        monkeypatch.setattr(module, "bucket_bits", lambda _: bits)
    raw = {name: np.asarray(column) for name, column in people(300).items()}
    pq.write_table(pa.table(raw), tmp_path / "people.parquet")
    one, other = (
        PLAN.disguise(records, SCHEMA, seed=4, shuffle=shuffle, to=tmp_path / to)
        for records, to in ((tmp_path / "people.parquet", "file"), (Stand(raw, size), "workers"))
    )
    assert other.rows == 300
    columns = [release.parts[0].table.collect(300).columns for release in (one, other)]
    rows = [np.column_stack(list(held.values())).tolist() for held in columns]
    assert rows[0] == rows[1]
    named = {file.name for file in (tmp_path / "workers").iterdir()}
    number = 1 << bits if shuffle else -(-300 // size)
    pieces = [f"part-0-{at}.parquet" for at in range(number)] if number > 1 else ["part-0.parquet"]
    assert named == {"card.json", *pieces}


def test_people_are_not_counted_at_workers(tmp_path: Path) -> None:
    declared = Schema(list(SCHEMA), target=SCHEMA.target, unit="patient")
    raw = {name: np.asarray(column) for name, column in people(20).items()}
    with pytest.raises(PlanError, match="not counted by person"):
        PLAN.disguise(Stand(raw, 5), declared, to=tmp_path / "r")
    assert not (tmp_path / "r").exists()
    with pytest.raises(PlanError, match="disguised there"):
        PLAN.disguise(Stand(raw, 5), SCHEMA)


def test_a_single_file_has_the_name_that_it_has_everywhere(tmp_path: Path) -> None:
    with Randomness.seeded(1) as source:
        workers = Workers(Stand({"a": np.arange(3)}, 3), source, tmp_path)
    (tmp_path / "part-2-0.parquet").write_text("all")
    one, two = (
        FileEntry("part-2-0.parquet", 3, "0" * 64),
        FileEntry("part-2-1.parquet", 1, "1" * 64),
    )
    assert workers._named([one], 2) == [FileEntry("part-2.parquet", 3, "0" * 64)]
    assert (tmp_path / "part-2.parquet").read_text() == "all"
    assert workers._named([one, two], 2) == [one, two]
    with pytest.raises(DataError, match="too few rows"):
        workers._named([FileEntry("part-2-0.parquet", 0, "0" * 64)], 2)
