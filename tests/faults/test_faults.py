"""Every call of the file system fails, or is the last one: the old state is there, or the new one.

A few of the calls here; with PRIVET_FAULTS=all (``make faults``) every one, and a line per action.
"""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.driver import DIED, TOLD

pytestmark = [pytest.mark.needs("cc"), pytest.mark.xdist_group("faults")]

ROOT = Path(__file__).resolve().parents[2]
ALL = os.environ.get("PRIVET_FAULTS") == "all"
FEW = 12  # of so many calls one is tried


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that stands before the C library."""
    made = tmp_path_factory.mktemp("faults") / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", source, "-o", made, "-ldl"],
        check=True,
    )
    return made


def tried(library: Path, folder: Path, way: str, *names: str) -> list[dict[str, Any]]:
    """Run the driver and return its trials."""
    share = ["0", "1"] if ALL else [str(random.randrange(FEW)), str(FEW)]
    driven = subprocess.run(
        [sys.executable, "-m", "tests.faults.driver", way, *share, *names],
        cwd=folder,
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "PRIVET_THREADS": "1",  # a fork has no other
        },
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    return [json.loads(line) for line in driven.stdout.splitlines()]


def check(trials: list[dict[str, Any]]) -> None:
    """Check each trial, and tell how many there were."""
    ends: Counter[str] = Counter()
    for trial in trials:
        if "calls" in trial:
            continue
        assert "broken" not in trial, trial  # what is there is the old or the new
        if trial["mode"] == "fail" or trial["code"] == 0:
            assert trial["code"] in (0, TOLD), trial  # an error of ours, and no other
        else:
            assert trial["code"] == DIED, trial
        if trial["code"] == 0:  # who was told that it is done finds it done
            assert trial["state"] == "new", trial
        assert (trial["again"], trial["at last"]) == (0, "new"), trial
        assert trial["left at last"] == [], trial  # the next writer removes what one left
        ends[trial["action"]] += 1
    if ALL:
        for action, number in ends.items():
            (calls,) = (
                trial["calls"] for trial in trials if trial["action"] == action and "calls" in trial
            )
            sys.stdout.write(f"{action}: {calls} calls, {number} trials\n")


def test_the_old_or_the_new_whatever_call_fails(library: Path, tmp_path: Path) -> None:
    check(tried(library, tmp_path, "renameat2"))


def test_the_old_or_the_new_where_there_is_no_renameat2(library: Path, tmp_path: Path) -> None:
    check(tried(library, tmp_path, "two renames", "release", "party", "key"))
