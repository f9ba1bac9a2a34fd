"""Which tests reach a line of the source, and how long they take.

As a pytest plugin (``-p reach``) it notes the lines every test reaches, by ``coverage``. ``Reach``
runs it for the test files that are new since, keeps what it noted, and answers for a line. What
numba compiles is not traced: a line of a kernel is reached by the tests that reach a line that
names the kernel, or a kernel that calls it. What runs on import goes by names too.
"""

import ast
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

ROOMS = ("channel", "estimate", "release", "store", "tree", "split", "grow", "disguise", "party")
LEFT_OUT = (  # campaigns; what needs a cluster, a browser or the docs
    *("crash", "race", "spark", "spark_commands", "spark_cluster", "corpus", "faults", "flips"),
    *("notebooks", "docs", "benchmarks", "architecture", "interruptions", "neighbours"),
)
FOLDERS_LEFT_OUT = ("web", "experiments", "mutants", "faults", "fuzz", "datasets", "table", "files")
OUT = "PRIVET_REACH"  # names the file that the plugin writes


# ---------------------------------------------------------------- the plugin


class _Noting:
    """Switches the context of coverage from test to test, and writes what was reached."""

    def __init__(self, out: Path) -> None:
        import coverage

        self.out = out
        self.seconds: dict[str, float] = defaultdict(float)
        self.bad: set[str] = set()
        self.shared: dict[str, list[str]] = {}  # fixtures that tests share
        where = [str(Path.cwd() / folder / "*") for folder in ("src/privet", "tests")]
        self.coverage = coverage.Coverage(
            data_file=None, include=where, config_file=False, messages=False
        )
        self.coverage.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        known = getattr(item, "_fixtureinfo", None)
        every = known.name2fixturedefs.values() if known else []
        self.shared[item.nodeid] = [_of(one) for several in every for one in several]
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        """What makes a shared fixture is reached by all tests that ask for it."""
        if fixturedef.scope == "function":
            return (yield)
        self.coverage.switch_context(_of(fixturedef))
        try:
            return (yield)
        finally:
            self.coverage.switch_context(self._now)

    _now = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._now = item.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.bad.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        by_context: dict[str, dict[str, list[int]]] = defaultdict(dict)
        for file in data.measured_files():
            name = str(Path(file).relative_to(Path.cwd()))
            if not name.endswith(".py"):
                continue  # a template
            for line, contexts in data.contexts_by_lineno(file).items():
                for context in contexts:
                    by_context[context].setdefault(name, []).append(line)
        tests = {}
        for test, seconds in self.seconds.items():
            if test in self.bad:
                continue
            lines: dict[str, set[int]] = defaultdict(set)
            for context in (test, *self.shared.get(test, ())):
                for name, reached in by_context.get(context, {}).items():
                    lines[name] |= set(reached)
            tests[test] = {"seconds": seconds, "lines": {n: sorted(r) for n, r in lines.items()}}
        self.out.write_text(json.dumps({"tests": tests, "bad": sorted(self.bad)}))


def _of(fixture: Any) -> str:
    return f"fixture {fixture.baseid} {fixture.argname}"


def pytest_configure(config: pytest.Config) -> None:
    """Note what is reached, if a file is named for it."""
    if OUT in os.environ:
        config.pluginmanager.register(_Noting(Path(os.environ[OUT])))


# ---------------------------------------------------------------- the map


def test_files(root: Path) -> list[str]:
    """The files whose tests are asked: all but campaigns, and the examples of the rooms."""
    tests = [
        path
        for path in sorted((root / "tests").rglob("test_*.py"))
        if path.stem.removeprefix("test_") not in LEFT_OUT
        and path.relative_to(root / "tests").parts[0] not in FOLDERS_LEFT_OUT
    ]
    examples = [
        path
        for room in ROOMS
        for path in sorted((root / "src" / "privet" / room).rglob("*.py"))
        if ">>> " in path.read_text("utf-8")
    ]
    return [str(path.relative_to(root)) for path in (*tests, *examples)]


class Reach:
    """The tests by the lines they reach; kept in a file, by test file and its content."""

    def __init__(self, kept: Path, root: Path) -> None:
        self.kept = kept
        self.root = root
        self.known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}

    def made(self, run: Callable[[list[str], Path], None], keep: bool = False) -> None:
        """Run the test files that are new or have changed; all of them if the source has."""
        if keep and self.known:
            return
        source = _hash(sorted((self.root / "src").rglob("*.py")))
        if self.known.get("source") != source:
            self.known = {"source": source, "files": {}}
        files = self.known["files"]
        hashes = {name: _hash([self.root / name]) for name in test_files(self.root)}
        for name in [name for name in files if name not in hashes]:
            del files[name]
        stale: dict[str, list[str]] = defaultdict(list)
        for name, now in hashes.items():
            if files.get(name, {}).get("hash") != now:
                stale[name.split("/")[0] + str(Path(name).parent)].append(name)
        for names in stale.values():
            out = self.kept.with_name("reached.json")
            out.unlink(missing_ok=True)
            run(names, out)
            noted = json.loads(out.read_text())
            for name in names:
                mine = {t: n for t, n in noted["tests"].items() if t.split("::")[0] == name}
                files[name] = {"hash": hashes[name], "tests": mine}
            if noted["bad"]:
                print(f"left out, not green: {', '.join(noted['bad'])}", flush=True)
            self.kept.write_text(json.dumps(self.known))

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long each test takes."""
        return {
            test: noted["seconds"]
            for file in self.known["files"].values()
            for test, noted in file["tests"].items()
        }

    @cached_property
    def by_line(self) -> dict[str, dict[int, set[str]]]:
        """The tests that reach a line of a file."""
        found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for file in self.known["files"].values():
            for test, noted in file["tests"].items():
                for name, lines in noted["lines"].items():
                    for line in lines:
                        found[name][line].add(test)
        return found

    @cached_property
    def sources(self) -> dict[str, "Source"]:
        """All files that were reached, read."""
        python = (name for name in self.by_line if name.endswith(".py"))  # no templates
        return {name: Source.read(self.root / name) for name in python}

    def tests(self, name: str, line: int) -> set[str]:
        """The tests that reach a line; those of its room, if nobody knows who uses what it says."""
        source = self.sources.get(name) or Source.read(self.root / name)
        owner = source.owner(line)
        if owner is None or owner in source.kernels:
            names = {owner} if owner else source.names(line)
            found = self._naming(names) if names else set()
            if owner is None:
                found |= self._lines(name, source.body(line))
            room = f"tests/{Path(name).parts[2]}/"
            return found or {test for test in self.seconds if test.startswith(room)}
        return self._lines(name, source.statement(line))

    def _lines(self, name: str, lines: Iterable[int]) -> set[str]:
        reached = self.by_line.get(name, {})
        return set().union(*(reached.get(line, set()) for line in lines))

    def _naming(self, names: set[str]) -> set[str]:
        """The tests that reach a line that names one of these, or a kernel or constant of it."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = set(names)
        while waiting:
            seen |= waiting
            more: set[str] = set()
            for file, source in self.sources.items():
                for line in set().union(*(source.named.get(one, set()) for one in waiting)):
                    owner = source.owner(line)
                    if owner is not None and owner not in source.kernels:
                        found |= self._lines(file, source.statement(line))
                    elif owner is not None:
                        more.add(owner)
                    else:
                        more |= source.names(line)
            waiting = more - seen
        return found

    def chosen(self, name: str, line: int, bound: float) -> tuple[list[list[str]], float, bool]:
        """Runs of tests, one after the other, their seconds, and whether some were left out.

        Nearest first: those of the file's own test file, what is kept of its room, others of its
        room, all others; then quickest.
        """
        stem, room = Path(name).stem, Path(name).parts[2]
        own = (f"tests/{room}/test_{stem}.py", name)

        def near(test: str) -> int:
            file = test.split("::", 1)[0]
            if file in own:
                return 0
            if file == f"tests/{room}/test_golden.py":
                return 1
            return 2 if file.startswith(f"tests/{room}/") else 3

        runs: list[list[str]] = [[], [], [], []]
        total, cut = 0.0, False
        for test in sorted(self.tests(name, line), key=lambda one: (near(one), self.seconds[one])):
            if total and total + self.seconds[test] > bound:
                cut = True
                continue
            runs[near(test)].append(test)
            total += self.seconds[test]
        return [run for run in runs if run], total, cut


class Source:
    """Where the functions of a file are, which are kernels, and on which lines names stand."""

    @classmethod
    def read(cls, path: Path) -> "Source":
        """The source in a file."""
        return cls(path.read_text("utf-8"))

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        self.functions: list[tuple[int, int, str, bool]] = []  # lines, name, kernel
        self.classes: list[tuple[int, int, str]] = []
        self.statements: list[tuple[int, int]] = []
        self.named: dict[str, set[int]] = defaultdict(set)
        self.headers: list[tuple[int, int, int, int]] = []  # of a def, then of its body
        self.targets: list[tuple[int, int, str]] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                self.named[node.id].add(node.lineno)
            elif isinstance(node, ast.Attribute):
                self.named[node.attr].add(node.end_lineno or node.lineno)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                kernel = any(
                    isinstance(one, ast.Name) and one.id in ("kernel", "fused")
                    for one in node.decorator_list
                )
                last, first = node.end_lineno or node.lineno, node.body[0].lineno
                self.functions.append((first, last, node.name, kernel))
                self.headers.append((node.lineno, first - 1, first, last))
            elif isinstance(node, ast.ClassDef):
                self.classes.append((node.lineno, node.end_lineno or node.lineno, node.name))
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.end_lineno:
                aims = node.targets if isinstance(node, ast.Assign) else [node.target]
                aims = [part for aim in aims for part in getattr(aim, "elts", [aim])]
                self.targets += [
                    (node.lineno, node.end_lineno, one.id)
                    for one in aims
                    if isinstance(one, ast.Name)
                ]
            if isinstance(node, ast.stmt):
                inner = [one.lineno for one in getattr(node, "body", []) if hasattr(one, "lineno")]
                last = min(inner, default=(node.end_lineno or node.lineno) + 1) - 1
                self.statements.append((node.lineno, max(last, node.lineno)))
        made = {  # kernel(function)
            one.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("kernel", "fused")
            for one in node.args
            if isinstance(one, ast.Name)
        }
        self.functions = [(a, b, name, one or name in made) for a, b, name, one in self.functions]
        self.kernels = {name for _, _, name, kernel in self.functions if kernel}

    def owner(self, line: int) -> str | None:
        """The function that a line belongs to; a kernel, if one holds it."""
        held = sorted(one for one in self.functions if one[0] <= line <= one[1])
        kernels = [one for one in held if one[3]]
        return (kernels or held[-1:])[0][2] if held else None

    def statement(self, line: int) -> range:
        """The lines of the innermost statement that holds a line."""
        held = [one for one in self.statements if one[0] <= line <= one[1]]
        first, last = min(held, key=lambda one: one[1] - one[0], default=(line, line))
        return range(first, last + 1)

    def names(self, line: int) -> set[str]:
        """What a line that runs on import says the value of: a constant, a class."""
        aims = {name for first, last, name in self.targets if first <= line <= last}
        kernels = {n for first, _, n, k in self.functions if k and self._heads(first, line)}
        return (
            aims | kernels | {name for first, last, name in self.classes if first <= line <= last}
        )

    def _heads(self, body: int, line: int) -> bool:
        return any(start == body and a <= line <= b for a, b, start, _ in self.headers)

    def body(self, line: int) -> range:
        """The lines that use what a line says on import: its function's, its class's or none."""
        for first, last, start, end in self.headers:
            if first <= line <= last:
                return range(start, end + 1)
        held = [one for one in self.classes if one[0] <= line <= one[1]]
        return range(held[-1][0] + 1, held[-1][1] + 1) if held else range(0)


def _hash(paths: Iterable[Path]) -> str:
    made = hashlib.sha256()
    for path in paths:
        made.update(path.read_bytes())
    return made.hexdigest()[:16]
