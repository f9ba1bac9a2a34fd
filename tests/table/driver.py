"""A driver in a process of its own: counts and disguises at once, slowly, on a given master."""

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import privet as pv
from privet import datasets
from privet.table.spark import SparkFiles, connect

SCHEMA = datasets.schema("as-f2", bins=8)


def work(batch: Any) -> tuple[np.ndarray[Any, Any], ...]:
    """Counts of ages, and a sum that depends on each row's place."""
    ages = np.asarray(batch.columns["age"]).astype(np.int64)
    places = np.arange(batch.start, batch.start + len(ages))
    return np.bincount(ages, minlength=100), np.array([(places * ages).sum()])


def slowly(folder: Path, kind: str, seconds: float) -> Callable[[Any], Any]:
    """Work that leaves a mark of who does which rows, and takes its time."""

    def slow(batch: Any) -> Any:
        (folder / f"{kind}-{batch.start}-{os.getpid()}").touch()
        time.sleep(seconds)
        return batch

    return slow


def main(master: str, folder: Path) -> None:
    """Run both jobs side by side and print what came of them."""
    marks = folder / "marks"
    with connect(master) as spark, ThreadPoolExecutor(2) as pool:
        records = SparkFiles(spark, folder / "raw.parquet").table(SCHEMA.attributes)
        counted = pool.submit(records.map(slowly(marks, "count", 0.3)).count, work)
        owner = pv.RandomSubstitution(gamma=8)
        to = folder / "spark.release"
        slow = records.map(slowly(marks, "disguise", 0.3))
        owner.disguise(slow, SCHEMA, to=to, seed=1)
        sys.stdout.write(json.dumps([array.tolist() for array in counted.result()]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
