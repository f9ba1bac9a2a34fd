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
from privet.table.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from privet.disguise.recipe import Recipe
    from privet.randomness import Randomness
    from privet.table.source import RawBatch

__all__ = ["disguise_files"]

BUCKET_ROWS = 1 << 20  # about as many rows are put in random order at a time
MAX_BITS = 8
_BUCKET_STREAM = 1  # of the streams for shuffles: which bucket; those behind it: order in each


@dataclass(frozen=True)
class _Packed:
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
    bits = _bucket_bits(raw.row_bound()) if shuffle else 0
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


def _bucket_bits(rows: int) -> int:
    bits = 0
    while rows >> bits > BUCKET_ROWS and bits < MAX_BITS:
        bits += 1
    return bits


def _in_order(raw: Source, recipe: Recipe, source: Randomness) -> Iterator[dict[str, NDArray[Any]]]:
    def one(batch: RawBatch) -> dict[str, NDArray[Any]]:
        return recipe.work(batch.columns, source, batch.start, batch.row, batch.where)

    yield from track(in_threads(one, raw.batches()), "disguising")


def shuffled(
    raw: Source, recipe: Recipe, source: Randomness, folder: Path, bits: int
) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the released rows in random order, a bucket at a time."""
    kind = np.dtype([(name, type_) for name, type_ in recipe.types.items()])

    def one(batch: RawBatch) -> _Packed:
        columns = recipe.work(batch.columns, source, batch.start, batch.row, batch.where)
        rows = np.empty(batch.rows, kind)
        for name, column in columns.items():
            rows[name] = column
        words = source.shuffle_words(_BUCKET_STREAM, batch.start, batch.rows)
        bucket = spread(words, bits).astype(np.uint8 if bits <= 8 else np.uint16)
        order = np.argsort(bucket, kind="stable")
        return _Packed(rows[order], np.cumsum(np.bincount(bucket, minlength=1 << bits)))

    paths = [folder / f"bucket-{number}" for number in range(1 << bits)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        for packed in track(in_threads(one, raw.batches()), "disguising"):
            begin = 0
            for file, end in zip(files, packed.ends.tolist(), strict=True):
                file.write(packed.rows[begin:end].tobytes())
                begin = end

    def mixed(number: int) -> NDArray[np.void]:
        rows = np.fromfile(paths[number], kind)
        paths[number].unlink()
        order = source.permutation(_BUCKET_STREAM + 1 + number, len(rows))
        return rows[order]

    buckets = in_threads(mixed, range(len(paths)))
    for rows in track(buckets, "shuffling", len(paths)):
        if len(rows):
            yield {name: rows[name] for name in recipe.types}
