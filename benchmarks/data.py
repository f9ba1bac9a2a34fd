"""The data every benchmark shares: AS's F2, as float columns and as labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet import datasets

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["NAME", "columns", "fresh"]

NAME = "as-f2"
TRAIN_SEED, TEST_SEED = 1, 2


def fresh(rows: int, *, test: bool = False) -> pa.Table:
    """Return F2's records; those for testing have a seed of their own."""
    return datasets.load(NAME, rows=rows, seed=TEST_SEED if test else TRAIN_SEED)


def columns(table: pa.Table) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return nine float columns side by side, each contiguous, and labels 0 (A) and 1 (B)."""
    names = [name for name in table.column_names if name != "group"]
    X = np.empty((table.num_rows, len(names)), np.float64, order="F")
    for place, name in enumerate(names):
        X[:, place] = table[name].to_numpy()
    y = np.array(table["group"].to_numpy(zero_copy_only=False) == "B", dtype=np.int64)
    return X, y
