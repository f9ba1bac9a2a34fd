"""Fuzz every reader: ``python -m tests.fuzz [--seconds 600] [target ...]``; ``make fuzz`` for all.

Each target runs in a process of its own, which has a bound on memory. What is found is put into the
corpus beside this file, and from then on the ordinary tests read it. A line is printed as soon as a
target is done.
"""

import argparse
import ast
import inspect
import multiprocessing
import os
import resource
import secrets
import sys
import tempfile
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import coverage
from rich.console import Console
from rich.table import Table

from tests.fuzz.run import CORPUS, Generator, HangError, Input, bounded
from tests.fuzz.targets import TARGETS, Target
from tests.fuzz.unreachable import lines_without

processes = multiprocessing.get_context("fork")  # nothing is loaded a second time
MEMORY = 2 << 30  # bytes that reading may take beyond what loading the libraries took
TRACED = 40  # one of so many inputs is looked at closer: does it go new ways?
MEASURED = 15.0  # seconds at most, and a fifth of the time, for the slow pass that counts branches
SHORT_LIVED = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - quicker than a disk
MOST_FOUND = 20  # different places of failure until a target is given up
HEAD = ("target", "inputs", "per second", "taken", "findings", "branches", "left out", "memory")


class Ways:
    """Steps from line to line in the files of the parsers, as far as they were seen."""

    def __init__(self, target: Target) -> None:
        self.files = {inspect.getsourcefile(inspect.unwrap(_plain(p))) for p in target.parsers}
        self.seen: set[tuple[Any, int, int]] = set()

    def new(self, one: Input, target: Target) -> bool:
        """Whether reading the input goes a new way."""
        before = len(self.seen)

        def call(frame: FrameType, event: str, argument: object) -> Any:
            if frame.f_code.co_filename not in self.files:
                return None
            last = 0

            def line(frame: FrameType, event: str, argument: object) -> Any:
                nonlocal last
                self.seen.add((frame.f_code, last, frame.f_lineno))
                last = frame.f_lineno
                return line

            return line

        sys.settrace(call)
        try:
            one.read(target)
        finally:
            sys.settrace(None)
        return len(self.seen) > before


def _plain(parser: Any) -> Any:
    return getattr(parser, "__func__", parser)


def lines_of(target: Target) -> dict[str, set[int]]:
    """The lines of the parsers, by file."""
    held: dict[str, set[int]] = {}
    for parser in map(_plain, target.parsers):
        file = str(inspect.getsourcefile(inspect.unwrap(parser)))
        if inspect.ismodule(parser):
            tree = ast.parse(Path(file).read_text("utf-8"))
            inside = {
                n
                for f in ast.walk(tree)
                if isinstance(f, ast.FunctionDef)
                for n in range(f.lineno, (f.end_lineno or 0) + 1)
            }
        else:
            source, first = inspect.getsourcelines(inspect.unwrap(parser))
            inside = set(range(first, first + len(source)))
        held.setdefault(file, set()).update(inside)
    return held


@dataclass(frozen=True)
class Branches:
    """Branches of a target's parsers: taken, reachable, and the lines that miss some.

    ``left_out`` counts those that no file can reach; ``reached`` are lines that are listed as such
    although all of their branches were taken.
    """

    taken: int
    total: int
    left_out: int
    missed: list[str]
    reached: list[str]


def branches(name: str, target: Target, generator: Generator, seconds: float) -> Branches:
    """Read all that the generator kept, and new inputs for so long; count the branches."""
    lines, unreachable = lines_of(target), lines_without(name)
    measured = coverage.Coverage(data_file=None, branch=True, include=list(lines))
    measured.start()
    with bounded() as begin:
        for form in generator.forms:
            _quietly(Input(form, is_form=True), target, begin)
        for blob in generator.blobs:
            _quietly(Input(blob, is_form=False), target, begin)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            _quietly(generator.next(), target, begin)
    measured.stop()
    taken = total = left_out = 0
    missed, reached = [], []
    for file, inside in lines.items():
        for line, (exits, gone) in measured.branch_stats(file).items():
            if line not in inside:
                continue
            where = f"{Path(file).name}:{line}"
            spared = unreachable.get((file, line), 0)
            reached += [where] if gone > exits - spared else []
            spared = min(spared, exits - gone)
            taken, total, left_out = taken + gone, total + exits - spared, left_out + spared
            missed += [where] if gone < exits - spared else []
    return Branches(taken, total, left_out, missed, reached)


def _quietly(one: Input, target: Target, begin: Any) -> None:
    begin()
    try:
        one.read(target)
    except (Exception, HangError):  # noqa: BLE001 - found and told before
        return


def fuzz(name: str, seconds: float, seed: int) -> dict[str, Any]:
    """Run one target for so long; return what came of it."""
    rng = Random(seed)
    with tempfile.TemporaryDirectory(prefix="privet-fuzz-", dir=SHORT_LIVED) as place:
        target = TARGETS[name](Path(place))
        generator = Generator(target, rng)
        for form in generator.forms:  # what is compiled is compiled before a clock runs
            _quietly(Input(form, is_form=True), target, lambda: None)
        ways = Ways(target)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        inputs = taken = 0
        found: dict[str, str] = {}
        spent = time.process_time()
        with bounded() as begin:
            while time.process_time() - spent < seconds and len(found) < MOST_FOUND:
                one = generator.next()
                inputs += 1
                begin()
                try:
                    if inputs % TRACED == 0:
                        if ways.new(one, target):
                            generator.keep(one)
                    else:
                        taken += one.read(target)
                except (Exception, HangError, MemoryError) as error:  # noqa: BLE001
                    where = _where(error)
                    if where not in found:
                        found[where] = one.write(CORPUS / name).name
        spent = time.process_time() - spent
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        counted = branches(name, target, generator, min(seconds / 5, MEASURED))
    return {
        **asdict(counted), "branches": counted.taken, "taken": taken,
        "target": name, "inputs": inputs, "seconds": spent, "found": found, "grown": grown,
    }  # fmt: skip


def _where(error: BaseException) -> str:
    last = [
        frame for frame in traceback.extract_tb(error.__traceback__) if "privet" in frame.filename
    ]
    place = f"{Path(last[-1].filename).name}:{last[-1].lineno}" if last else "?"
    return f"{type(error).__name__} at {place}"


def _alone(name: str, seconds: float, seed: int) -> dict[str, Any] | int:
    """Run one target in a process of its own; return what came of it, or how the process died."""
    here, there = processes.Pipe(duplex=False)

    def work() -> None:
        there.send(fuzz(name, seconds, seed))

    process = processes.Process(target=work)
    process.start()
    there.close()
    try:
        done: dict[str, Any] = here.recv()
    except EOFError:
        process.join()
        return process.exitcode or 1
    process.join()
    return done


def main() -> int:
    """Run targets one after the other; return 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(TARGETS)}")
    parser.add_argument(
        "--seconds", type=float, default=600, help="of the processor, for each target"
    )
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    console = Console(width=110)
    table = Table(*HEAD)
    bad, every, spent = 0, 0, 0.0
    for name in asked.names or TARGETS:
        held = _alone(name, asked.seconds, seed)
        if isinstance(held, int):
            bad += 1
            table.add_row(name, *[""] * 3, f"DIED ({held})")
            continue
        bad, every, spent = (
            bad + len(held["found"]),
            every + held["inputs"],
            spent + held["seconds"],
        )
        gone, total = held["branches"], held["total"]
        table.add_row(
            name,
            f"{held['inputs']:,}",
            f"{held['inputs'] / max(held['seconds'], 1e-9):,.0f}",
            f"{100 * held['taken'] / max(held['inputs'], 1):.0f} %",
            str(len(held["found"])),
            f"{gone} of {total}, {100 * gone / max(total, 1):.0f} %",
            str(held["left_out"]),
            f"+{held['grown'] / 1024:.0f} MiB",
        )
        console.print(
            f"  {name}: {held['inputs']:,} inputs in {held['seconds']:.1f} s of the processor, "
            f"{len(held['found'])} findings, {gone} of {total} branches"
        )
        for where, file in held["found"].items():
            console.print(f"  {name}: {where} ({file})", markup=False)
        for where in held["reached"]:
            console.print(f"  {name}: {where} is listed as unreachable, and was reached")
        if os.environ.get("PRIVET_FUZZ_MISSED"):
            console.print(f"  {name} misses branches at {', '.join(held['missed'])}", markup=False)
    console.print(table)
    console.print(
        f"{every:,} inputs in {spent:,.0f} s of the processor, seed {seed}; {bad} findings"
    )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
