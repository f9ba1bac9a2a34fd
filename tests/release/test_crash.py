"""Writers of a release killed at any moment: what is there is whole, and leftovers are swept."""

import logging
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np

import privet as pv
from privet.release import Release

KILLS = int(os.environ.get("PRIVET_RELEASE_KILLS", "5"))  # 1,000 in `make crash`
SEEDS = (1, 2)

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.release.test_crash"])


def made(seed: int) -> Release:
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    return pv.RandomSubstitution(gamma=3).disguise(table, schema, seed=seed)


def write(path: Path) -> None:
    """Replace a release by another for ever."""
    releases = [made(seed) for seed in SEEDS]
    while True:
        for release in releases:
            release.write(path, overwrite=True)
            (path.parent / "written").touch()


def shown(release: Release) -> list[list[int]]:
    return [column.tolist() for column in release.parts[0].table.collect(100).columns.values()]


def test_killed_writers_of_a_release(tmp_path: Path) -> None:
    path, mark = tmp_path / "r", tmp_path / "written"
    whole = [shown(made(seed)) for seed in SEEDS]
    rng = np.random.default_rng()
    left = 0
    for _ in range(KILLS):
        mark.unlink(missing_ok=True)
        writer = processes.Process(target=write, args=(path,), daemon=True)
        writer.start()
        end = time.monotonic() + 60
        while not mark.exists():
            assert time.monotonic() < end, "the writer does not get on"
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.03))
        writer.kill()
        writer.join()
        assert shown(Release.read(path)) in whole
        left += sum(file.name.startswith(".r.") for file in tmp_path.iterdir())
    made(1).write(path, overwrite=True)
    assert {file.name for file in tmp_path.iterdir()} - {"written"} == {"r"}
    logging.getLogger(__name__).info("%d kills, %d left something to sweep", KILLS, left)
