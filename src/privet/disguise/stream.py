"""Disguising files out of core, with a uniform shuffle that needs no more memory than a bucket.

Every released row is put into one of 2**b buckets by secure words, and every bucket is put in
random order by itself: together a uniformly random order of all rows. Buckets hold disguised rows
in the order of the table; they are files without a name, so that a kill leaves none of them.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.compiled import in_threads
from privet.disguise.recipe import Lot, stream_of
from privet.errors import DataError
from privet.progress import track
from privet.randomness import spread
from privet.release.folder import part_name
from privet.table import ParquetTable
from privet.table.parquet import write_parquet
from privet.table.raw import RawTable
from privet.table.source import Source, is_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from privet.coding import Ints
    from privet.disguise.recipe import Recipe
    from privet.randomness import Randomness
    from privet.schema import Attribute, Files
    from privet.table.source import RawBatch

__all__ = ["FileParts", "bucket_bits", "mixed", "packed", "row_type"]

BUCKET_ROWS = 1 << 20  # about as many rows are put in random order at a time
MAX_BITS = 8
_BUCKET_STREAM = 1  # of the streams for shuffles: which bucket; those behind it: order in each


@dataclass(frozen=True)
class Packed:
    """Released rows, sorted by bucket: ``ends[b]`` is where bucket b ends."""

    rows: NDArray[np.void]
    ends: Ints


class FileParts:
    """Raw files that are disguised to a release folder, part by part."""

    def __init__(
        self, files: Files, attributes: Sequence[Attribute], source: Randomness, folder: Path
    ) -> None:
        self.files = files
        self.raw = Source(files, attributes)
        self.source = source
        self.folder = folder

    def part(self, recipe: Recipe, number: int, *, shuffle: bool) -> ParquetTable:
        """Write a part and return its table; the records of its lot are read on the way."""
        path = self.folder / part_name(number)
        if shuffle:
            expected = self.raw.row_bound() * recipe.lot.share
            bits = bucket_bits(round(expected))
            batches = shuffled(self.raw, recipe, self.source, self.folder, bits, number)
        else:
            batches = _in_order(self.raw, recipe, self.source)
        if write_parquet(path, batches, recipe.types) == 0:
            rows = "no rows" if recipe.lot == Lot() else "too few rows for several parts"
            raise DataError(f"The table {self.files} has {rows}.")
        return ParquetTable([path])


def bucket_bits(rows: int) -> int:
    """Return the logarithm of the number of buckets for so many rows."""
    bits = 0
    while rows >> bits > BUCKET_ROWS and bits < MAX_BITS:
        bits += 1
    return bits


def _in_order(raw: Source, recipe: Recipe, source: Randomness) -> Iterator[dict[str, NDArray[Any]]]:
    def worked(batch: RawBatch) -> dict[str, NDArray[Any]]:
        return recipe.work(batch.columns, source, batch.start, batch.row, batch.path)

    made = in_threads(worked, _batches(raw))
    size = recipe.steps[0].name
    yield from track(made, "disguising", _rows(raw, recipe), lambda columns: len(columns[size]))


def shuffled(
    raw: Source, recipe: Recipe, source: Randomness, folder: Path, bits: int, part: int = 0
) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the released rows in random order, a bucket at a time."""

    def worked(batch: RawBatch) -> Packed:
        columns = recipe.work(batch.columns, source, batch.start, batch.row, batch.path)
        return packed(columns, recipe, source, (batch.start, batch.rows), bits, part)

    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in range(1 << bits)]
        made = in_threads(worked, _batches(raw))
        for packed_rows in track(
            made, "disguising", _rows(raw, recipe), lambda packed_rows: len(packed_rows.rows)
        ):
            begin = 0
            for file, end in zip(files, packed_rows.ends.tolist(), strict=True):
                file.write(packed_rows.rows[begin:end].tobytes())
                begin = end

        def one_bucket(number: int) -> NDArray[np.void]:
            with files[number] as file:
                file.seek(0)
                rows = np.frombuffer(file.read(), row_type(recipe))
            return mixed(rows, source, number, part)

        buckets = in_threads(one_bucket, range(len(files)))
        for rows in track(buckets, "shuffling", len(files)):
            if len(rows):
                yield {name: rows[name] for name in recipe.types}


def _rows(raw: Source, recipe: Recipe) -> int | None:
    """Return the number of rows of a recipe's lot, about, where files tell it."""
    known = all(map(is_parquet, raw.paths))
    return round(raw.row_bound() * recipe.lot.share) if known else None


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
    columns: dict[str, NDArray[Any]],
    recipe: Recipe,
    source: Randomness,
    batch: tuple[int, int],
    bits: int,
    part: int,
) -> Packed:
    """Return the released rows of a batch (its start and length), put into buckets at random."""
    rows = np.empty(len(next(iter(columns.values()))), row_type(recipe))
    for name, column in columns.items():
        rows[name] = column
    words = source.shuffle_words(stream_of(part, _BUCKET_STREAM), *batch)
    chosen = recipe.chosen(source, *batch)
    bucket = spread(words if chosen is None else words[chosen], bits)
    bucket = bucket.astype(np.uint8 if bits <= 8 else np.uint16)
    order = np.argsort(bucket, kind="stable")
    return Packed(rows[order], np.cumsum(np.bincount(bucket, minlength=1 << bits)))


def mixed(
    rows: NDArray[np.void], source: Randomness, bucket: int, part: int = 0
) -> NDArray[np.void]:
    """Return the rows of a bucket, which come in the order of the table, in random order."""
    return rows[source.permutation(stream_of(part, _BUCKET_STREAM + 1 + bucket), len(rows))]
