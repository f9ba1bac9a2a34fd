"""The tables of experiments: training and test records by name, fresh for every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet import datasets
from privet.errors import PrivetError

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.experiments.lab import Seeds

__all__ = ["is_present", "parts"]

TESTED = 3  # of a table without a test part, one record in so many is held out


def parts(name: str, rows: int, test_rows: int, seeds: Seeds) -> tuple[pa.Table, pa.Table]:
    """Return training and test records.

    A made-up table is made anew; Adult has its own test part (complete records only); of any
    other table a random third is held out.
    """
    if datasets.is_generated(name):
        test = datasets.load(name, rows=test_rows, seed=seeds("test"))
        return datasets.load(name, rows=rows, seed=seeds("train")), test
    if name == "adult":
        train = datasets.load(name, complete=True)
        return train, datasets.load(name, split="test", complete=True)
    table = datasets.load(name)
    order = seeds.generator("split").permutation(table.num_rows)
    cut = table.num_rows // TESTED
    return table.take(order[cut:]), table.take(order[:cut])


def is_present(name: str) -> bool:
    """Whether a table can be had here: UCI tables need a data folder, or the network."""
    if datasets.is_generated(name):
        return True
    try:
        datasets.load(name)
    except PrivetError:
        return False
    return True
