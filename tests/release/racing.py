"""Writers and readers of one release folder, each a process, for some seconds; told as JSON.

Each writer's release has a γ of its own on its card, and the same number in every record's rent,
which is released as it is: data that do not belong to their card are found out.
"""

import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from privet.disguise import Exact, Plan, Substitution
from privet.errors import PrivetError
from privet.files import writing
from privet.release import Release
from tests.disguise.people import SCHEMA, people

WRITERS, READERS = 3, 3
ROWS = 300
GAMMA = 8  # of the first writer; each further one has one more
processes = multiprocessing.get_context("fork")


def release(number: int) -> Release:
    frame = people(ROWS)
    frame["rent"] = np.full(ROWS, float(GAMMA + number))
    plan = Plan({"rent": Exact()}, default=Substitution(GAMMA + number))
    return plan.disguise(frame, SCHEMA, seed=number)


def gamma(release: Release) -> float:
    """The γ on the card, which is a whole number."""
    bound = release.claim["age"].gamma
    assert bound is not None
    return float(round(bound))


def write(number: int, path: Path, tally: Counter[str]) -> None:
    RELEASES[number].write(path, overwrite=True)
    tally["written"] += 1


def read(_: int, path: Path, tally: Counter[str]) -> None:
    back = Release.read(path)
    rents: set[float] = set()
    rows = 0
    for batch in back.parts[0].table.batches():
        rents |= set(batch.columns["rent"].tolist())
        rows += len(batch)
    whole = rows == ROWS and rents == {gamma(back)}
    tally["read" if whole else "mixed"] += 1


RELEASES = [release(number) for number in range(WRITERS)]


def again_and_again(work: Callable[..., None], number: int, path: Path, end: float) -> Counter[str]:
    """Work until the end; count what becomes of it."""
    tally: Counter[str] = Counter()
    while time.monotonic() < end:
        try:
            work(number, path, tally)
        except PrivetError as error:
            tally["refused"] += 1
            tally[f"refused: {str(error).replace(str(path.parent), '')[:60]}"] += 1
        except Exception as error:  # noqa: BLE001 - for the test to tell
            tally["raw"] += 1
            tally[f"raw: {type(error).__name__}: {error}"] += 1
    return tally


def run(told: Any, *arguments: Any) -> None:
    """Do it, and send the count."""
    told.put(again_and_again(*arguments))


def main() -> None:
    """Race in the folder and for the seconds that are named."""
    way, seconds, folder = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])
    if way == "two renames":
        writing._renamed = lambda *_: False
    path = folder / "r"
    RELEASES[0].write(path)
    read(0, path, Counter())  # so that nothing is compiled or imported in a fork
    told = processes.Queue()
    end = time.monotonic() + seconds
    crowd: list[tuple[Callable[..., None], int]] = [(write, number) for number in range(WRITERS)]
    crowd += [(read, number) for number in range(READERS)]
    racers = [
        processes.Process(target=run, args=(told, work, number, path, end))
        for work, number in crowd
    ]
    for racer in racers:
        racer.start()
    total: Counter[str] = Counter()
    for _ in racers:
        total += told.get(timeout=seconds + 120)
    for racer in racers:
        racer.join()
    left = [file.name for file in folder.iterdir() if file.name != "r"]
    last = gamma(Release.read(path)) - GAMMA
    sys.stdout.write(json.dumps({**total, "left": left, "last": last}) + "\n")


if __name__ == "__main__":
    main()
