"""Writers of a release killed at any moment: what is there is whole, and leftovers are swept."""

import logging
import os
import time
from pathlib import Path

import numpy as np

from privet.release import Release
from tests.forked import processes
from tests.release.writer import RELEASES, write

KILLS = int(os.environ.get("PRIVET_RELEASE_KILLS", "5"))  # 1,000 in `make crash`


def shown(release: Release) -> list[list[int]]:
    return [column.tolist() for column in release.parts[0].table.collect(100).columns.values()]


def test_killed_writers_of_a_release(tmp_path: Path) -> None:
    path, mark = tmp_path / "r", tmp_path / "written"
    whole = [shown(release) for release in RELEASES]
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
    RELEASES[0].write(path, overwrite=True)
    assert {file.name for file in tmp_path.iterdir()} - {"written"} == {"r"}
    logging.getLogger(__name__).info("%d kills, %d left something to sweep", KILLS, left)
