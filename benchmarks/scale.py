"""20M × 9 records from Parquet: generated, disguised and mined, each in a process of its own.

``python -m benchmarks.scale disguise FOLDER ROWS`` is one such process; it prints one line of JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import THREADS
from benchmarks.data import NAME, TRAIN_SEED
from benchmarks.harness import Goal, Report

ROWS, GAMMA, BINS, DEPTH = 20_000_000, 8, 20, 10
MEMORY_GOAL = 2048.0  # MiB
STEPS = ("generate", "disguise", "mine")


def generate(folder: Path, rows: int) -> None:
    """Write F2's records batch by batch."""
    import pyarrow.parquet as pq

    from privet.datasets.agrawal import batches

    writer = None
    for batch in batches("as", 2, rows, TRAIN_SEED, 1 << 18):
        writer = writer or pq.ParquetWriter(folder / "records.parquet", batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()


def disguise(folder: Path, _: int) -> None:
    """Disguise the file to a release folder."""
    import privet as pv
    from privet import datasets

    schema = datasets.schema(NAME, bins=BINS)
    owner = pv.RandomSubstitution(gamma=GAMMA)
    owner.disguise(folder / "records.parquet", schema, to=folder / "release")


def mine(folder: Path, _: int) -> None:
    """Read the release and learn a tree from it."""
    import privet as pv

    release = pv.Release.read(folder / "release")
    pv.TreeClassifier(method="direct", max_depth=DEPTH).fit(release)


def peak() -> float:
    """Return the most memory this process ever held, in MiB.

    Linux's own mark is taken where there is one: ``ru_maxrss`` of a child starts at what its parent
    held when it was started.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def step(name: str, folder: Path, rows: int) -> dict[str, float]:
    """Run one step in a process of its own and return what it measured."""
    command = [sys.executable, "-m", "benchmarks.scale", name, str(folder), str(rows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(*, peers_only: bool = False) -> Report:
    """Run the three steps in a temporary folder."""
    report = Report("scale", f"F2, {ROWS:,} × 9 from Parquet, γ = {GAMMA}, {THREADS} threads")
    with tempfile.TemporaryDirectory(prefix="privet-scale-") as name:
        for work in STEPS[: 1 if peers_only else None]:
            found = step(work, Path(name), ROWS)
            speed = ROWS / found["seconds"]
            report.facts[work] = f"{found['seconds']:.1f} s, {speed:,.0f} records a second"
            what = f"peak resident memory, {work}"
            report.goals.append(Goal(what, found["peak"], MEMORY_GOAL, at_most=True, unit=" MiB"))
    return report


def main() -> None:
    """Run one step here and print its measures."""
    work, folder, rows = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    begin = time.perf_counter()
    {"generate": generate, "disguise": disguise, "mine": mine}[work](folder, rows)
    print(json.dumps({"seconds": time.perf_counter() - begin, "peak": peak()}))


if __name__ == "__main__":
    main()
