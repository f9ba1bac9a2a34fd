"""Readers and writers on one path: every read is of one release, whole; for a minute: make race."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = os.environ.get("PRIVET_RACE", "2")


@pytest.mark.parametrize("way", ["renameat2", "two renames"])
def test_no_reader_meets_a_mixture(tmp_path: Path, way: str) -> None:
    driven = subprocess.run(
        [sys.executable, "-m", "tests.release.racing", way, SECONDS, tmp_path],
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "PRIVET_THREADS": "1",
        },
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    tally: dict[str, Any] = json.loads(driven.stdout)
    sys.stdout.write(f"{way}: {tally}\n")
    assert tally["read"] > 0
    assert tally["written"] > 0
    assert "mixed" not in tally
    assert "raw" not in tally, tally
    assert not any("exists and" in told for told in tally), "a writer took another for a stranger"
    assert tally["left"] == []
    assert 0 <= tally["last"] < 3
