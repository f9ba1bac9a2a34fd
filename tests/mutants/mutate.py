"""Random small bugs: ``python tests/mutants/mutate.py 200``; ``make mutate N=200``.

Draws places in the source at random, changes one comparison, sum, constant, "and" or return each,
and runs the tests that reach the place (``reach.py``) against it. A mutant that survives needs a
test, or a reason why it changes nothing. All happens in a copy below ``.cache/mutate``.
"""

import argparse
import ast
import difflib
import os
import random
import secrets
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.mutants import child
from tests.mutants.reach import OUT, ROOMS, Reach
from tests.mutants.run import GREEN, HERE, RED, ROOT, Copy

USAGE = 4  # pytest's exit code where a test that was asked for is not found
COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq}
COMPARED |= {ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot}
COMPARED |= {ast.IsNot: ast.Is}
SUMS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
SUMS |= {ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult}
SUMS |= {
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Change:
    """One place of a file, and what stands there instead."""

    path: Path
    line: int
    text: str

    @property
    def name(self) -> str:
        """The path from the checkout on."""
        return str(self.path.relative_to(ROOT))

    def difference(self) -> str:
        """The changed line, before and after."""
        before, after = self.path.read_text("utf-8").splitlines(), self.text.splitlines()
        lines = [
            line for line in difflib.unified_diff(before, after, n=0, lineterm="")
            if line[:1] in "+-" and line[:3] not in ("+++", "---")
        ]  # fmt: skip
        return " → ".join(" ".join(line[1:].split()) for line in lines)


def _spans(tree: ast.Module) -> list[ast.AST]:
    """All nodes of functions, but for docstrings, annotations and what messages are made of."""
    held: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue  # of zip: a check that never fires
        held.append(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            parts = value if isinstance(value, list) else [value]
            waiting += [part for part in parts if isinstance(part, ast.AST)]
    return held


def changes(path: Path) -> list[Change]:
    """Every small change of a file."""
    source = path.read_text("utf-8")
    lines = source.splitlines(keepends=True)
    made = []
    for node in _spans(ast.parse(source)):
        new = _changed(node)
        if new is None:
            continue
        place: ast.expr = node  # type: ignore[assignment]  # only expressions are changed
        if place.lineno != place.end_lineno:
            continue
        line = lines[place.lineno - 1].encode()
        bracketed = new if isinstance(place, ast.Constant) else f"({new})"
        text = line[: place.col_offset] + bracketed.encode() + line[place.end_col_offset :]
        whole = [*lines[: place.lineno - 1], text.decode(), *lines[place.lineno :]]
        made.append(Change(path, place.lineno, "".join(whole)))
    return made


def _changed(node: ast.AST) -> str | None:  # noqa: PLR0911 - one a kind of node
    """The text of a node with one small bug, if it can have one."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        return ast.unparse(
            ast.Compare(node.left, [COMPARED[type(node.ops[0])]()], node.comparators)
        )
    if isinstance(node, ast.BinOp) and type(node.op) in SUMS and not _is_text(node):
        return ast.unparse(ast.BinOp(node.left, SUMS[type(node.op)](), node.right))
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.unparse(ast.BoolOp(other, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return ast.unparse(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return repr(not node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return repr(node.value + 1)
    return None


def _is_text(node: ast.BinOp) -> bool:
    """Whether texts are joined: messages are no matter of arithmetic."""
    sides = [node.left, node.right]
    texts = any(isinstance(s, ast.JoinedStr) for s in sides)
    named = any(isinstance(s, ast.Name) and s.id in ("message", "where", "hint") for s in sides)
    return (
        texts
        or named
        or any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides)
    )


def drawn(number: int, seed: int, rooms: list[str]) -> list[Change]:
    """So many changes, each place as likely as any other."""
    every = [
        change
        for room in rooms
        for path in sorted((ROOT / "src" / "privet" / room).rglob("*.py"))
        for change in changes(path)
    ]
    return random.Random(seed).sample(every, min(number, len(every)))


def copied(place: Path, timeout: float) -> Copy:
    """A copy of the checkout at a place that stays, so that compiled code is found again."""
    shutil.rmtree(place / "project", ignore_errors=True)
    return Forking(place, timeout)


class Forking(Copy):
    """A copy whose tests run in forks of this process.

    They keep bytecode: a mutant is written later than what it stands for, so it is told apart.
    """

    def _run(self, arguments: list[str], environment: dict[str, str]) -> tuple[int | None, str]:
        kept = {name: one for name, one in environment.items() if "BYTECODE" not in name}
        code = child.run(arguments, self.root, kept, self.timeout)
        return code, (self.root.parent / "said.txt").read_text("utf-8", "replace")


def mapped(copy: Copy, kept: Path, keep: bool) -> Reach:
    """Which tests reach what; made by a run of all tests without any mutant."""
    reach = Reach(kept, copy.root)

    def run(names: list[str], out: Path) -> None:
        start = time.monotonic()
        copy.timeout = 3600
        added = {OUT: str(out), "PYTHONPATH": str(HERE)}
        code, _, said = copy.pytest(["-p", "reach", "--maxfail=1000", *names], copy.warm, added)
        if not out.exists():
            raise RuntimeError(f"pytest exit code {code}\n{said}")
        seconds = time.monotonic() - start
        print(f"mapped: {len(names)} files of {Path(names[0]).parent}, {seconds:.0f} s", flush=True)

    reach.made(run, keep)
    return reach


def fate(copy: Copy, change: Change, reach: Reach, bound: float) -> tuple[str, str, float]:
    """Whether the tests notice: the word, which test did, and the seconds it took."""
    start = time.monotonic()
    runs, expected, cut = reach.chosen(change.name, change.line, bound)
    place = copy.root / change.name
    before, looked = place.read_text("utf-8"), place.stat()
    asked = copy.root.parent / "tests.txt"
    code: int | None = GREEN
    failure = ""
    place.write_text(change.text, "utf-8")
    try:
        compiled = "privet.compiled" in change.text
        cache = _without(copy, change.path) if compiled else copy.warm
        for tests in runs:
            copy.timeout = 60 + 120 * compiled + 4 * sum(reach.seconds[test] for test in tests)
            asked.write_text("\n".join(tests), "utf-8")
            code, failure, _ = copy.pytest([f"@{asked}"], cache)
            if code != GREEN:
                break
    finally:
        place.write_text(before, "utf-8")
        os.utime(place, ns=(looked.st_atime_ns, looked.st_mtime_ns))  # numba's cache goes by it
    if code == USAGE and copy.pytest(["--collect-only", f"@{asked}"], copy.warm)[0] == USAGE:
        code, cut = GREEN, True  # tests that are not there without the mutant either
    seconds = time.monotonic() - start
    if code is None:
        return "caught", "by a timeout", seconds
    if code == GREEN:
        said = f"{sum(map(len, runs))} tests, {expected:.0f} s" + (", cut" if cut else "")
        return "SURVIVED", said if runs else "not reached", seconds
    return "caught", f"by {failure}" if code == RED else "by not loading", seconds


def _without(copy: Copy, path: Path) -> Path:
    """A cache of compiled code without that of a file and of those that import it."""
    shutil.rmtree(copy.used, ignore_errors=True)
    shutil.copytree(copy.warm, copy.used)
    texts = {
        one: text
        for one in (ROOT / "src" / "privet").rglob("*.py")
        if "privet.compiled" in (text := one.read_text("utf-8"))
    }
    stale, waiting = set(), {path}
    while waiting:
        stale |= waiting
        names = {_module(one) for one in waiting}
        waiting = {o for o, text in texts.items() if any(n in text for n in names)} - stale
    own = path.read_text("utf-8")  # it may hand kernels to others, which keep them in their own
    stale |= {one for one in texts if _module(one) in own}
    for one in stale:
        for compiled in copy.used.rglob(f"{one.stem}.*"):
            compiled.unlink()
    return copy.used


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)


def main() -> int:
    """Draw, run, print a table; return 1 if more than one in twenty survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--bound", type=float, default=120, help="seconds of tests a mutant")
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=ROOMS)
    parser.add_argument("--list", action="store_true", help="only print what would be changed")
    parser.add_argument("--only", nargs="*", type=int, help="numbers of the list to run")
    parser.add_argument("--keep", action="store_true", help="take the map as it is")
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    chosen = drawn(asked.number, seed, asked.rooms)
    print(f"{len(chosen)} random mutants, seed {seed}\n", flush=True)
    kept = ROOT / ".cache" / "mutate"
    if not asked.list:
        child.load()
        copy = copied(kept, 3600)
        reach = mapped(copy, kept / "reach.json", asked.keep)
    print("| | place | change | fate |\n|---|---|---|---|", flush=True)
    caught = tried = 0
    for number, change in enumerate(chosen):
        if asked.only and number not in asked.only:
            continue
        said = change.difference().replace("|", "\\|")
        row = f"| {number} | {change.name.removeprefix('src/privet/')}:{change.line} | `{said}` |"
        if asked.list:
            print(f"{row} |")
            continue
        word, how, seconds = fate(copy, change, reach, asked.bound)
        tried += 1
        caught += word == "caught"
        print(f"{row} {word} {how} ({seconds:.0f} s) |", flush=True)
    if asked.list:
        return 0
    print(f"\n{caught} of {tried} caught")
    return int(caught < 0.95 * tried)


if __name__ == "__main__":
    sys.exit(main())
