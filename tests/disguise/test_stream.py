"""Disguising files out of core gives what disguising in memory gives, in a uniform order."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2

from privet.disguise import Exact, Plan, Substitution, Withheld, stream
from privet.disguise.treatment import Treatment
from privet.errors import DataError, ReleaseError
from privet.randomness import Randomness
from privet.release import Release
from privet.schema import Schema
from privet.table import source as source_module
from privet.table.source import Source
from tests.disguise.people import SCHEMA, people
from tests.golden import golden

TREATMENTS: dict[str, Treatment] = {"kids": Withheld(), "rent": Exact()}
PLAN = Plan(TREATMENTS, default=Substitution(8))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make batches and buckets small, so that a small table has many."""
    monkeypatch.setattr(source_module, "BATCH_ROWS", 500)
    monkeypatch.setattr(stream, "BUCKET_ROWS", 400)


def sorted_rows(release: Release) -> list[tuple[object, ...]]:
    table = release.parts[0].table.collect(10**9)
    return sorted(zip(*(table.columns[name].tolist() for name in table.names), strict=True))


@pytest.mark.parametrize("form", ["parquet", "csv", "folder"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_files_give_the_rows_that_memory_gives(tmp_path: Path, form: str, shuffle: bool) -> None:
    raw = pa.table(people(3210))
    path = tmp_path / ("raw" if form == "folder" else f"raw.{form}")
    if form == "parquet":
        pq.write_table(raw, path, row_group_size=999)
    elif form == "csv":
        pc.write_csv(raw, path)
    else:
        path.mkdir()
        pq.write_table(raw.slice(0, 1000), path / "1.parquet")
        pc.write_csv(raw.slice(1000), path / "2.csv")
    out = PLAN.disguise(str(path), SCHEMA, to=tmp_path / "out", seed=5, shuffle=shuffle)
    memory = PLAN.disguise(people(3210), SCHEMA, seed=5, shuffle=shuffle)
    assert sorted_rows(out) == sorted_rows(memory)
    rents = out.parts[0].table.collect(10**9).columns["rent"]
    assert np.array_equal(rents, raw["rent"].to_numpy()) != shuffle
    assert out.shuffled == shuffle
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "card.json",
        "part-0.parquet",
    ]
    assert len([file for file in tmp_path.iterdir() if file.name.startswith(".")]) == 0


def test_the_same_again_gives_the_same_bytes(tmp_path: Path) -> None:
    pq.write_table(pa.table(people(3000)), tmp_path / "raw.parquet")
    for name in ("one", "two"):
        PLAN.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / name, seed=5)
    for file in ("card.json", "part-0.parquet"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_order_is_uniform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rows over four buckets: each of the six orders as often as another."""
    monkeypatch.setattr(stream, "BUCKET_ROWS", 1)
    raw = people(3)
    raw["rent"] = np.array([0.0, 1.0, 2.0])
    pq.write_table(pa.table(raw), tmp_path / "raw.parquet")
    recipe = PLAN.recipe(SCHEMA)
    raw_source = Source(tmp_path / "raw.parquet", [step.attribute for step in recipe.steps])
    places = {order: place for place, order in enumerate(permutations(range(3)))}
    counts, draws = np.zeros(6), 1200
    for seed in range(draws):
        with Randomness.seeded(seed) as words:
            batches = list(stream.shuffled(raw_source, recipe, words, tmp_path, 2))
        order = tuple(np.concatenate([batch["rent"] for batch in batches]).astype(int).tolist())
        counts[places[order]] += 1
    assert ((counts - draws / 6) ** 2 / (draws / 6)).sum() < chi2.isf(1e-6, 5)


def test_a_bad_value_late_in_a_file_leaves_nothing(tmp_path: Path) -> None:
    raw = people(3000)
    raw["age"][2345] = 99.5
    pq.write_table(pa.table(raw).slice(0, 700), tmp_path / "1.parquet")
    pq.write_table(pa.table(raw).slice(700), tmp_path / "2.parquet")
    out = tmp_path / "releases" / "out"
    with pytest.raises(
        DataError, match=r"outside its range; .* \(first in row 1645 of .*2\.parquet"
    ) as e:
        PLAN.disguise(tmp_path, SCHEMA, to=out)
    assert "99.5" not in str(e.value)
    assert "widen" in e.value.hint
    assert list((tmp_path / "releases").iterdir()) == []


def test_an_empty_file(tmp_path: Path) -> None:
    pq.write_table(pa.table(people(5)).slice(0, 0), tmp_path / "raw.parquet")
    for shuffle in (True, False):
        with pytest.raises(DataError, match="no rows"):
            PLAN.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / "out", shuffle=shuffle)
    assert not (tmp_path / "out").exists()


def test_a_release_in_the_way(tmp_path: Path) -> None:
    pq.write_table(pa.table(people(50)), tmp_path / "raw.parquet")
    PLAN.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / "out")
    with pytest.raises(ReleaseError, match="holds a release already"):
        PLAN.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / "out")
    PLAN.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / "out", overwrite=True)


def test_buckets_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    rows = (0, 1 << 20, (1 << 20) + 1, (1 << 21) + 1, (1 << 21) + 2, 1 << 27, 1 << 28, 1 << 60)
    assert [stream.bucket_bits(number) for number in rows] == [0, 0, 1, 1, 2, 7, 8, 8]


@pytest.mark.parametrize("shuffle", [True, False])
def test_a_file_of_one_row_and_one_column(tmp_path: Path, shuffle: bool) -> None:
    pq.write_table(pa.table({"car": ["fiat"]}), tmp_path / "raw.parquet")
    schema = Schema([SCHEMA["car"]])
    out = Plan({"car": Exact()}).disguise(
        tmp_path / "raw.parquet", schema, to=tmp_path / "out", shuffle=shuffle
    )
    assert out.to_frame()["car"].to_pylist() == ["fiat"]
    empty = pa.table({"car": pa.array([], pa.string())})
    pq.write_table(empty, tmp_path / "none.parquet")
    with pytest.raises(DataError, match="has no rows"):
        Plan({"car": Exact()}).disguise(
            tmp_path / "none.parquet", schema, to=tmp_path / "none", shuffle=shuffle
        )


def test_rows_of_a_seed_come_in_the_same_order_again(tmp_path: Path) -> None:
    pq.write_table(pa.table(people(1500)), tmp_path / "raw.parquet")
    plan = Plan({"age": Substitution(8, bins=6)}, default=Exact())
    out = plan.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / "out", seed=5)
    golden("settings", "files in order", out.parts[0].table.collect(1500).columns)
    waves = Plan({"age": Substitution(8, bins=6)}, default=Exact(), wave=0.5)
    out = waves.disguise(tmp_path / "raw.parquet", SCHEMA, to=tmp_path / "more", seed=5)
    golden("settings", "files in waves", [part.table.collect(1500).columns for part in out.parts])
