"""Disguising files out of core, with a uniform shuffle that needs no more memory than a bucket.

Every released row is put into one of 2**b buckets by secure words, and every bucket is put in
random order by itself: together a uniformly random order of all rows. Buckets are files in the
release's own temporary folder and hold disguised rows only.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.compiled import in_threads
from privet.errors import DataError
from privet.progress import track
from privet.randomness import spread
from privet.release import Part
from privet.release.folder import new_folder, part_name, seal
from privet.table import ParquetTable
from privet.table.parquet import write_parquet
from privet.table.raw import RawTable
from privet.table.source import Source, is_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from privet.disguise.recipe import Recipe
    from privet.randomness import Randomness
    from privet.table.source import RawBatch

__all__ = ["bucket_bits", "disguise_files", "mixed", "packed", "row_type"]

BUCKET_ROWS = 1 << 20  # about as many rows are put in random order at a time
MAX_BITS = 8
_BUCKET_STREAM = 1  # of the streams for shuffles: which bucket; those behind it: order in each


@dataclass(frozen=True)
class Packed:
    """Released rows, sorted by bucket: ``ends[b]`` is where bucket b ends."""

    rows: NDArray[np.void]
    ends: NDArray[np.int64]


def disguise_files(
    path: str | Path,
    recipe: Recipe,
    source: Randomness,
    to: str | Path,
    *,
    overwrite: bool,
    shuffle: bool,
) -> None:
    """Disguise raw files to a release folder, written as a whole or not at all."""
    raw = Source(path, [step.attribute for step in recipe.steps])
    bits = bucket_bits(raw.row_bound()) if shuffle else 0
    with new_folder(to, overwrite=overwrite) as folder:
        part = folder / part_name(0)
        if shuffle:
            batches = shuffled(raw, recipe, source, folder, bits)
        else:
            batches = _in_order(raw, recipe, source)
        rows = write_parquet(part, batches, recipe.types)
        if rows == 0:
            raise DataError(f"The table {path} has no rows.")
        made = Part(ParquetTable([part]), recipe.channels)
        seal(recipe.release([made], seeded=source.is_seeded, shuffled=shuffle), folder)


def bucket_bits(rows: int) -> int:
    """Return the logarithm of the number of buckets for so many rows."""
    bits = 0
    while rows >> bits > BUCKET_ROWS and bits < MAX_BITS:
        bits += 1
    return bits


def _in_order(raw: Source, recipe: Recipe, source: Randomness) -> Iterator[dict[str, NDArray[Any]]]:
    def one(batch: RawBatch) -> dict[str, NDArray[Any]]:
        return recipe.work(batch.columns, source, batch.start, batch.row, batch.where)

    made = in_threads(one, _batches(raw))
    size = recipe.steps[0].name
    yield from track(made, "disguising", _rows(raw), lambda columns: len(columns[size]))


def shuffled(
    raw: Source, recipe: Recipe, source: Randomness, folder: Path, bits: int
) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the released rows in random order, a bucket at a time."""

    def one(batch: RawBatch) -> Packed:
        columns = recipe.work(batch.columns, source, batch.start, batch.row, batch.where)
        return packed(columns, recipe, source, batch.start, bits)

    paths = [folder / f"bucket-{number}" for number in range(1 << bits)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        made = in_threads(one, _batches(raw))
        for held in track(made, "disguising", _rows(raw), lambda held: len(held.rows)):
            begin = 0
            for file, end in zip(files, held.ends.tolist(), strict=True):
                file.write(held.rows[begin:end].tobytes())
                begin = end

    def one_bucket(number: int) -> NDArray[np.void]:
        rows = np.fromfile(paths[number], row_type(recipe))
        paths[number].unlink()
        return mixed(rows, source, number)

    buckets = in_threads(one_bucket, range(len(paths)))
    for rows in track(buckets, "shuffling", len(paths)):
        if len(rows):
            yield {name: rows[name] for name in recipe.types}


def _rows(raw: Source) -> int | None:
    """Return the number of rows where files tell it."""
    return raw.row_bound() if all(map(is_parquet, raw.paths)) else None


def _batches(raw: Source) -> Iterator[RawBatch]:
    """Yield all batches in order; text in Parquet comes as dictionaries, which is quicker."""
    if not all(map(is_parquet, raw.paths)):
        return raw.batches()
    shards: Any = RawTable(raw, []).shards()
    return (batch for shard in shards for batch in shard())


def row_type(recipe: Recipe) -> np.dtype[np.void]:
    """Return the type of a released row."""
    return np.dtype([(name, kind) for name, kind in recipe.types.items()])


def packed(
    columns: dict[str, NDArray[Any]], recipe: Recipe, source: Randomness, start: int, bits: int
) -> Packed:
    """Return the released rows from ``start`` on, put into buckets by their places' words."""
    length = len(next(iter(columns.values())))
    rows = np.empty(length, row_type(recipe))
    for name, column in columns.items():
        rows[name] = column
    words = source.shuffle_words(_BUCKET_STREAM, start, length)
    bucket = spread(words, bits).astype(np.uint8 if bits <= 8 else np.uint16)
    order = np.argsort(bucket, kind="stable")
    return Packed(rows[order], np.cumsum(np.bincount(bucket, minlength=1 << bits)))


def mixed(rows: NDArray[np.void], source: Randomness, bucket: int) -> NDArray[np.void]:
    """Return the rows of a bucket, which come in the order of the table, in random order."""
    return rows[source.permutation(_BUCKET_STREAM + 1 + bucket, len(rows))]
