"""A writer that replaces a release by another until it is killed."""

from pathlib import Path

import privet as pv
from privet.release import Release

SEEDS = (1, 2)


def made(seed: int) -> Release:
    """One of the releases."""
    table, schema = pv.datasets.load("weather"), pv.datasets.schema("weather")
    return pv.RandomSubstitution(gamma=3).disguise(table, schema, seed=seed)


RELEASES = [made(seed) for seed in SEEDS]


def write(path: Path) -> None:
    """Replace a release by another for ever."""
    while True:
        for release in RELEASES:
            release.write(path, overwrite=True)
            (path.parent / "written").touch()
