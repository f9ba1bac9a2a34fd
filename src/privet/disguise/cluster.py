"""Disguising on a cluster: every worker disguises its rows and writes its files.

The key of the run goes to the workers, in what Spark sends them. Words are taken by row, so a task
that is run again writes the same bytes; files take their names only when they are complete, and
the folder its name only when the card is written. The order of rows is that of ``stream``.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disguise.stream import bucket_bits, mixed, packed, row_type
from privet.errors import DataError
from privet.files.reading import digest
from privet.release.card import FileEntry
from privet.release.folder import part_name
from privet.table.parquet import write_parquet
from privet.table.source import RawBatch
from privet.table.spark import SparkTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from privet.disguise.recipe import Recipe
    from privet.randomness import Randomness
    from privet.table import Batch

__all__ = ["Workers"]


class Workers:
    """A raw table on a cluster that is disguised to a release folder, part by part.

    ``files`` tells what was written for each part.
    """

    def __init__(self, table: SparkTable, source: Randomness, folder: Path) -> None:
        self.table = table
        self.key = source.carried()
        self.folder = folder.resolve()
        self.files: dict[int, list[FileEntry]] = {}

    def part(self, recipe: Recipe, number: int, *, shuffle: bool) -> SparkTable:
        """Write a part at the workers' and return its table."""
        key, folder = self.key, self.folder
        bits = bucket_bits(round(self.table.rows * recipe.lot.share))

        def disguised(batch: Batch, words: Randomness) -> dict[str, NDArray[Any]]:
            row, file = batch.start, None
            if isinstance(batch, RawBatch):
                row, file = batch.row, batch.path
            return recipe.work(batch.columns, words, batch.start, row, file)

        def scatter(batch: Batch) -> Iterator[tuple[int, bytes]]:
            with key.opened() as words:
                place = (batch.start, len(batch))
                rows = packed(disguised(batch, words), recipe, words, place, bits, number)
            begin = 0
            for bucket, end in enumerate(rows.ends.tolist()):
                if begin < end:
                    yield bucket, rows.rows[begin:end].tobytes()
                begin = end

        def gather(bucket: int, data: Iterator[bytes]) -> bytes:
            rows = np.frombuffer(b"".join(data), row_type(recipe))
            with key.opened() as words:
                rows = mixed(rows, words, bucket, number)
            columns = [{name: rows[name] for name in recipe.types}]
            return _written(folder / part_name(number, bucket), columns, recipe)

        def in_order(piece: int, batches: Iterator[Batch]) -> bytes:
            with key.opened() as words:
                made = (disguised(batch, words) for batch in batches)
                return _written(folder / part_name(number, piece), made, recipe)

        if shuffle:
            told = self.table.exchange(scatter, 1 << bits, gather, "disguising")
        else:
            told = self.table.tasks(in_order, "disguising")
        self.files[number] = self._named([FileEntry(**json.loads(entry)) for entry in told], number)
        paths = [folder / file.name for file in self.files[number]]
        return SparkTable.files(self.table.session, paths)

    def _named(self, files: list[FileEntry], number: int) -> list[FileEntry]:
        """Return the files of a part; a single file gets the name that it has everywhere."""
        if not sum(file.rows for file in files):
            raise DataError("The table has too few rows.")
        if len(files) == 1:
            (file,) = files
            (self.folder / file.name).rename(self.folder / part_name(number))
            return [FileEntry(part_name(number), file.rows, file.sha256)]
        return files


def _written(path: Path, batches: Iterable[Mapping[str, NDArray[Any]]], recipe: Recipe) -> bytes:
    """Write a file of a part and tell of it; two tasks at the same file do no harm."""
    begun = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        rows = write_parquet(begun, batches, recipe.types)
        told = {"name": path.name, "rows": rows, "sha256": digest(begun)[0]}
        begun.replace(path)
    finally:
        begun.unlink(missing_ok=True)
    return json.dumps(told).encode()
