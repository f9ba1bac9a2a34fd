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
from privet.release import Part
from privet.release.card import FileEntry
from privet.release.folder import new_folder, part_name, seal, sha256
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

__all__ = ["disguise_table"]


def disguise_table(
    table: SparkTable,
    recipe: Recipe,
    source: Randomness,
    to: str | Path,
    *,
    overwrite: bool,
    shuffle: bool,
) -> None:
    """Disguise a raw table to a release folder, written as a whole or not at all."""
    key = source.carried()
    bits = bucket_bits(table.rows)

    def disguised(batch: Batch, words: Randomness) -> dict[str, NDArray[Any]]:
        row, where = (batch.row, batch.where) if isinstance(batch, RawBatch) else (batch.start, "")
        return recipe.work(batch.columns, words, batch.start, row, where)

    def scatter(batch: Batch) -> Iterator[tuple[int, bytes]]:
        with key.opened() as words:
            held = packed(disguised(batch, words), recipe, words, batch.start, bits)
        begin = 0
        for bucket, end in enumerate(held.ends.tolist()):
            if begin < end:
                yield bucket, held.rows[begin:end].tobytes()
            begin = end

    with new_folder(to, overwrite=overwrite) as made:
        folder = made.resolve()

        def gather(bucket: int, data: Iterator[bytes]) -> bytes:
            rows = np.frombuffer(b"".join(data), row_type(recipe))
            with key.opened() as words:
                rows = mixed(rows, words, bucket)
            return _written(folder, bucket, [{name: rows[name] for name in recipe.types}], recipe)

        def in_order(number: int, batches: Iterator[Batch]) -> bytes:
            with key.opened() as words:
                held = (disguised(batch, words) for batch in batches)
                return _written(folder, number, held, recipe)

        if shuffle:
            told = table.exchange(scatter, 1 << bits, gather, "disguising")
        else:
            told = table.tasks(in_order, "disguising")
        files = [FileEntry(**json.loads(one)) for one in told]
        if len(files) == 1:  # under the name that it has everywhere
            (file,) = files
            (folder / file.name).rename(folder / part_name(0))
            files = [FileEntry(part_name(0), file.rows, file.sha256)]
        parts = SparkTable.files(table.session, [folder / file.name for file in files])
        release = recipe.release(
            [Part(parts, recipe.channels)], seeded=source.is_seeded, shuffled=shuffle
        )
        seal(release, folder, [files])


def _written(
    folder: Path, number: int, batches: Iterable[Mapping[str, NDArray[Any]]], recipe: Recipe
) -> bytes:
    """Write a file of the part and tell of it; two tasks at the same one do no harm."""
    path = folder / part_name(0, number)
    begun = folder / f".{path.name}.{uuid.uuid4().hex}"
    try:
        rows = write_parquet(begun, batches, recipe.types)
        told = {"name": path.name, "rows": rows, "sha256": sha256(begun)}
        begun.replace(path)
    finally:
        begun.unlink(missing_ok=True)
    return json.dumps(told).encode()
