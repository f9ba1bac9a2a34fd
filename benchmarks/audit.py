"""Audits of Adult in memory and of 1M records from Parquet, each in a process of its own.

``python -m benchmarks.audit adult FOLDER`` is one such process; it prints one line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import THREADS
from benchmarks.data import NAME
from benchmarks.harness import Goal, Report
from benchmarks.scale import generate, peak
from privet.experiments.tables import is_present

GAMMA, MILLION = 8, 1_000_000
SECONDS, MINUTES = 60.0, 300.0
MEMORY = 1536.0  # MiB for a million records


def adult(_: Path) -> dict[str, float]:
    """Audit Adult's complete records with their originals."""
    import pyarrow as pa

    import privet as pv

    parts = [pv.datasets.load("adult", split=split, complete=True) for split in ("train", "test")]
    table, schema = pa.concat_tables(parts), pv.datasets.schema("adult", complete=True)
    release = pv.RandomSubstitution(gamma=GAMMA).disguise(table, schema)
    begin = time.perf_counter()
    found = pv.audit(release, table)
    size = len(found.to_html().encode())
    return {"seconds": time.perf_counter() - begin, "rows": release.rows, "bytes": size}


def million(folder: Path) -> dict[str, float]:
    """Audit a release on disk with its originals on disk."""
    import privet as pv

    generate(folder, MILLION)
    schema = pv.datasets.schema(NAME, bins=20)
    owner = pv.RandomSubstitution(gamma=GAMMA)
    release = owner.disguise(folder / "records.parquet", schema, to=folder / "release")
    begin = time.perf_counter()
    found = pv.audit(release, folder / "records.parquet")
    size = len(found.to_html().encode())
    return {"seconds": time.perf_counter() - begin, "rows": release.rows, "bytes": size}


STEPS = {"adult": adult, "million": million}


def run(*, peers_only: bool = False) -> Report:
    """Run both audits, the first one twice: compiling is told apart."""
    report = Report("audit", f"audits with originals, γ = {GAMMA}, {THREADS} threads")
    if peers_only:
        return report
    here = is_present("adult")
    steps = ["adult", "adult", "million"] if here else ["million"]
    if not here:
        report.facts["adult"] = "SKIPPED: its table is not here"
    with tempfile.TemporaryDirectory(prefix="privet-audit-") as name:
        for turn, step in enumerate(steps):
            command = [sys.executable, "-m", "benchmarks.audit", step, name]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found = json.loads(done.stdout.splitlines()[-1])
            limit = SECONDS if step == "adult" else MINUTES
            what = (
                f"{step}, {int(found['rows']):,} records, {'later' if turn == 1 else 'first'} run"
            )
            report.goals.append(Goal(what, found["seconds"], limit, at_most=True, unit=" s"))
            report.facts[what] = (
                f"page of {int(found['bytes']):,} bytes, peak {found['peak']:.0f} MiB"
            )
            if step == "million":
                memory = Goal(
                    "peak memory, million", found["peak"], MEMORY, at_most=True, unit=" MiB"
                )
                report.goals.append(memory)
    return report


def main() -> None:
    """Run one audit here and print its measures."""
    step, folder = sys.argv[1], Path(sys.argv[2])
    print(json.dumps({**STEPS[step](folder), "peak": peak()}))


if __name__ == "__main__":
    main()
