"""Plants the bugs of this folder one by one and checks that the tests catch each.

A mutant is a patch beside this file. See README.md there. Standard library only.
"""

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPIED = ("src", "tests", "benchmarks", "docs", "pyproject.toml", "README.md")
GREEN, RED = 0, 1  # pytest's exit codes for "all passed" and "some failed"


@dataclass(frozen=True)
class Mutant:
    """A planted bug: its patch, what it breaks, and the tests that must notice."""

    path: Path
    bug: str
    tests: tuple[str, ...]
    files: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> "Mutant":
        """The mutant in a patch file; raises ValueError when its head is incomplete."""
        text = path.read_text(encoding="utf-8")
        bug: list[str] = []
        tests: tuple[str, ...] = ()
        for line in text.splitlines():
            if not line.startswith("#"):
                break
            remark = line[1:].strip()
            if remark.startswith("tests:"):
                tests = tuple(remark.removeprefix("tests:").split())
            elif remark:
                bug.append(remark)
        files = tuple(
            line.removeprefix("+++ b/").split("\t")[0]
            for line in text.splitlines()
            if line.startswith("+++ b/")
        )
        if not bug or not tests or not files:
            raise ValueError(
                f"{path.name}: needs a '# ' line with the bug, a '# tests: ' line with pytest "
                "arguments, and a unified diff with '+++ b/' names"
            )
        if any(not name.startswith("src/") for name in files):
            raise ValueError(f"{path.name}: a mutant changes files under src/ only")
        return cls(path, " ".join(bug), tests, files)

    @property
    def name(self) -> str:
        """The patch's name without its ending."""
        return self.path.stem


@dataclass(frozen=True)
class Result:
    """What became of one mutant (or of a green run)."""

    ok: bool
    word: str
    detail: str
    seconds: float = 0.0


class Copy:
    """A copy of the checkout that one worker breaks and mends.

    The numba cache of the unbroken copy is kept beside it. A mutant starts from a copy of that
    cache, so that it cannot leave compiled code behind. numba looks only at the file a kernel
    stands in, so a mutant that survives, or that changes a file with kernels, gets an empty cache.
    """

    def __init__(self, place: Path, timeout: float) -> None:
        self.root = place / "project"
        self.timeout = timeout
        self.warm = place / "numba-warm"
        self.used = place / "numba-used"
        self.junit = place / "junit.xml"
        self.root.mkdir(parents=True)
        self.warm.mkdir(exist_ok=True)
        skip = shutil.ignore_patterns("__pycache__", "mutants", ".*_cache", ".hypothesis")
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.root / name, ignore=skip)
            elif source.exists():
                shutil.copy2(source, self.root / name)
        self._check_import()

    def _environment(self, cache: Path) -> dict[str, str]:
        environment = dict(os.environ)
        shared = ROOT.parent / "shared" / "data"
        if shared.is_dir():
            environment.setdefault("PRIVET_DATA", str(shared))
        return environment | {
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",  # no stale bytecode of a mutant
            "NUMBA_CACHE_DIR": str(cache),
            "PRIVET_HYPOTHESIS": "steady",
        }

    def _check_import(self) -> None:
        """Fail at once if `import privet` would find another copy than ours."""
        found = subprocess.run(
            [sys.executable, "-c", "import privet; print(privet.__file__)"],
            cwd=self.root,
            env=self._environment(self.warm),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        if not Path(found).is_relative_to(self.root):
            raise RuntimeError("the mutated copy is not the package that Python imports")

    def pytest(
        self, tests: Iterable[str], cache: Path, added: dict[str, str] | None = None
    ) -> tuple[int | None, str, str]:
        """The exit code (None after a timeout), the first failure's name, the output's end."""
        environment = self._environment(cache)
        for name, value in (added or {}).items():
            environment[name] = os.pathsep.join(filter(None, [environment.get(name), value]))
        self.junit.unlink(missing_ok=True)
        quiet = ["-x", "-q", "-p", "no:cacheprovider", f"--junitxml={self.junit}", *tests]
        code, said = self._run(quiet, environment)
        if code is None:
            return None, "", ""
        failure = ""
        if code == RED and self.junit.exists():
            for case in ET.parse(self.junit).iter("testcase"):  # noqa: S314 - pytest wrote it
                error = case.find("error")
                if error is not None and "collection" in error.get("message", ""):
                    code = 2  # with -x, pytest calls a module that does not load a failure
                    break
                if error is not None or case.find("failure") is not None:
                    failure = case.get("name", "")
        return code, failure, "\n".join(said.splitlines()[-30:])

    def _run(self, arguments: list[str], environment: dict[str, str]) -> tuple[int | None, str]:
        """The exit code of pytest, None after a timeout, and what it printed."""
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *arguments],
                cwd=self.root,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=self.timeout,
            )
        except subprocess.TimeoutExpired:
            return None, ""
        return done.returncode, done.stdout

    def green(self, tests: tuple[str, ...]) -> Result:
        """The named tests on unbroken code: they must pass."""
        start = time.monotonic()
        code, _, output = self.pytest(tests, self.warm)
        seconds = time.monotonic() - start
        if code == GREEN:
            return Result(ok=True, word="green", detail="", seconds=seconds)
        what = "timed out" if code is None else f"pytest exit code {code}"
        return Result(ok=False, word="NOT GREEN", detail=f"{what}\n{output}", seconds=seconds)

    def plant(self, mutant: Mutant) -> Result:
        """The named tests with the bug in: they must fail."""
        start = time.monotonic()
        try:
            if not self._apply(mutant):
                return Result(ok=False, word="STALE", detail="the patch no longer applies")
            code, failure = self._try(mutant)
        finally:
            for name in mutant.files:
                shutil.copy2(ROOT / name, self.root / name)
        seconds = time.monotonic() - start
        if code == RED:
            return Result(ok=True, word="killed", detail=f"by {failure}", seconds=seconds)
        if code == GREEN:
            return Result(ok=False, word="SURVIVED", detail=mutant.bug, seconds=seconds)
        detail = "timed out" if code is None else f"pytest exit code {code}: tests did not run"
        return Result(ok=False, word="BROKEN", detail=detail, seconds=seconds)

    def _apply(self, mutant: Mutant) -> bool:
        if not all((ROOT / name).exists() for name in mutant.files):
            return False
        if shutil.which("git"):
            command = ["git", "apply", "--whitespace=nowarn", str(mutant.path)]
        else:
            command = ["patch", "-p1", "--fuzz=0", "--silent", "-i", str(mutant.path)]
        # Without the ceiling, git would look for a repository round the copy.
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(self.root.parent)}
        done = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, check=False
        )
        changed = any(
            (ROOT / name).read_bytes() != (self.root / name).read_bytes() for name in mutant.files
        )
        return done.returncode == 0 and changed

    def _try(self, mutant: Mutant) -> tuple[int | None, str]:
        kernels = any(
            name.endswith("/compiled.py") or "privet.compiled" in (ROOT / name).read_text("utf-8")
            for name in mutant.files
        )
        code: int | None = GREEN
        failure = ""
        for fresh in [True] if kernels else [False, True]:
            shutil.rmtree(self.used, ignore_errors=True)
            if fresh:
                self.used.mkdir()
            else:
                shutil.copytree(self.warm, self.used)
            code, failure, _ = self.pytest(mutant.tests, self.used)
            if code != GREEN:
                break
        return code, failure


class Pool:
    """Workers, each with its own copy, and one line of progress a job."""

    def __init__(self, copies: list[Copy]) -> None:
        self._free: queue.Queue[Copy] = queue.Queue()
        for copy in copies:
            self._free.put(copy)
        self._size = len(copies)
        self._lock = threading.Lock()

    def run(self, jobs: dict[str, Callable[[Copy], Result]]) -> dict[str, Result]:
        """Each job's result, by name."""

        def one(job: Callable[[Copy], Result]) -> Result:
            copy = self._free.get()
            try:
                return job(copy)
            finally:
                self._free.put(copy)

        results: dict[str, Result] = {}
        with ThreadPoolExecutor(self._size) as executor:
            futures = {executor.submit(one, job): name for name, job in jobs.items()}
            for future in as_completed(futures):
                name = futures[future]
                result = results[name] = future.result()
                with self._lock:
                    line = f"[{len(results)}/{len(jobs)}] {result.word:<9} {name}"
                    print(f"{line} ({result.seconds:.1f} s)", flush=True)
        return results


def read_all(names: list[str]) -> list[Mutant]:
    """The named mutants, or all of them, in order of name."""
    paths = sorted(HERE.glob("*.patch"))
    if names:
        known = {path.stem: path for path in paths}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(f"no such mutant: {', '.join(unknown)}. There are: {', '.join(known)}")
        paths = [known[name] for name in names]
    if not paths:
        raise ValueError("there is no mutant: put a *.patch file beside run.py")
    return [Mutant.read(path) for path in paths]


def table(mutants: list[Mutant], results: dict[str, Result]) -> str:
    """Name, fate and remark of every mutant, as text."""
    width = max(len(mutant.name) for mutant in mutants)
    rows = []
    for mutant in mutants:
        result = results[mutant.name]
        rows.append(f"{mutant.name:<{width}}  {result.word:<9}  {result.detail}")
    return "\n".join(rows)


def main() -> int:
    """Exit code 0 when every mutant was killed, 1 otherwise, 2 for a wrong call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="mutants to plant (all when none is named)")
    parser.add_argument("--workers", type=int, default=2, help="copies tested at once")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one test run")
    arguments = parser.parse_args()
    try:
        mutants = read_all(arguments.names)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="privet-mutants-") as place:
        copies = [
            Copy(Path(place).resolve() / str(number), arguments.timeout)
            for number in range(max(1, min(arguments.workers, len(mutants))))
        ]
        pool = Pool(copies)
        print("unbroken code first:")
        green = pool.run(
            {
                " ".join(tests): partial(Copy.green, tests=tests)
                for tests in dict.fromkeys(mutant.tests for mutant in mutants)
            }
        )
        bad = {name: result for name, result in green.items() if not result.ok}
        for name, result in bad.items():
            print(f"\n{name} fails without any mutant: {result.detail}", file=sys.stderr)
        if bad:
            return 1
        print("planted bugs:")
        results = pool.run({mutant.name: partial(Copy.plant, mutant=mutant) for mutant in mutants})
    killed = sum(result.ok for result in results.values())
    print(f"\n{table(mutants, results)}\n\n{killed} of {len(mutants)} mutants killed")
    return 0 if killed == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
