"""Random small bugs: ``python tests/mutants/mutate.py 200``; ``make mutate N=200``.

Draws places in the source at random, changes one comparison, sum, constant, "and" or return each,
and runs the tests of the room and the property tests against it. A mutant that survives needs a
test, or a reason why it changes nothing. Standard library only.
"""

import argparse
import ast
import difflib
import os
import random
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.mutants.run import GREEN, RED, ROOT, Copy

ROOMS = ("channel", "estimate", "release", "store", "tree", "split", "grow", "disguise", "party")
LAWS = {
    "channel": ["test_channel_laws.py", "test_merging_laws.py"],
    "release": ["test_release_laws.py"],
    "disguise": ["test_release_laws.py", "test_complement_laws.py", "test_forest_noise_laws.py"],
    "store": ["test_complement_laws.py"],
    "party": ["test_party_laws.py"],
    "tree": ["test_laws_miner.py"],
    "split": ["test_laws_miner.py"],
    "grow": ["test_laws_miner.py"],
    "estimate": ["test_laws_miner.py", "test_merging_laws.py"],
}
CAMPAIGNS = ("test_crash.py", "test_race.py")
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
    def room(self) -> str:
        """The room it is in."""
        return self.path.relative_to(ROOT / "src" / "privet").parts[0]

    def tests(self) -> list[list[str]]:
        """The tests that have to notice, the nearest first: each list is one run."""
        named = ROOT / "tests" / self.room / f"test_{self.path.stem}.py"
        near = [str(path.relative_to(ROOT)) for path in (named, self.path) if path.exists()]
        return [near, tests_of(self.room)]

    def difference(self) -> str:
        """The changed line, before and after."""
        before, after = self.path.read_text("utf-8").splitlines(), self.text.splitlines()
        lines = [
            line for line in difflib.unified_diff(before, after, n=0, lineterm="")
            if line[:1] in "+-" and line[:3] not in ("+++", "---")
        ]  # fmt: skip
        return " → ".join(" ".join(line[1:].split()) for line in lines)


def tests_of(room: str) -> list[str]:
    """The tests of a room, but for campaigns of killing and racing, and its laws."""
    slow = [f"--ignore=tests/{room}/{name}" for name in CAMPAIGNS]
    return [*slow, *(f"tests/property/{name}" for name in LAWS[room]), f"tests/{room}"]


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


def green(copy: Copy, rooms: Iterable[str]) -> bool:
    """Whether the tests pass without any mutant; the cache of compiled code is filled by it."""
    for room in rooms:
        unbroken = copy.green(tuple(tests_of(room)))
        if not unbroken.ok:
            print(f"The tests of {room} fail without any mutant: {unbroken.detail}")
            return False
        print(f"unbroken: {room} in {unbroken.seconds:.0f} s", flush=True)
    print()
    return True


def fate(copy: Copy, change: Change) -> tuple[str, str, float]:
    """Whether the tests notice: the word, which test did, and the seconds it took."""
    start = time.monotonic()
    place = copy.root / change.path.relative_to(ROOT)
    before, looked = place.read_text("utf-8"), place.stat()
    place.write_text(change.text, "utf-8")
    code: int | None = GREEN
    failure = ""
    try:
        shutil.rmtree(copy.used, ignore_errors=True)
        if "privet.compiled" in change.text:
            copy.used.mkdir()
        else:
            shutil.copytree(copy.warm, copy.used)
        for tests in change.tests():
            code, failure, _ = copy.pytest(tests, copy.used)
            if code not in (GREEN, 5):  # 5: a file without tests
                break
    finally:
        place.write_text(before, "utf-8")
        os.utime(place, ns=(looked.st_atime_ns, looked.st_mtime_ns))  # numba's cache goes by it
    seconds = time.monotonic() - start
    word = "caught" if code not in (GREEN, 5) else "SURVIVED"
    if code is None:
        failure = "a timeout"
    elif code not in (GREEN, RED, 5):
        failure = "not loading"
    return word, failure, seconds


def main() -> int:
    """Draw, run, print a table; return 1 if more than one in twenty survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one test run")
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=ROOMS)
    parser.add_argument("--list", action="store_true", help="only print what would be changed")
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    chosen = drawn(asked.number, seed, asked.rooms)
    print(f"{len(chosen)} random mutants, seed {seed}\n", flush=True)
    caught = 0
    with tempfile.TemporaryDirectory(prefix="privet-mutate-") as place:
        copy = None if asked.list else Copy(Path(place).resolve() / "0", asked.timeout)
        if copy is not None and not green(copy, dict.fromkeys(one.room for one in chosen)):
            return 2
        print("| place | change | fate |\n|---|---|---|", flush=True)
        for change in chosen:
            said = change.difference().replace("|", "\\|")
            where = f"{change.path.relative_to(ROOT / 'src' / 'privet')}:{change.line}"
            if copy is None:
                print(f"| {where} | `{said}` | |")
                continue
            word, failure, seconds = fate(copy, change)
            caught += word == "caught"
            by = f" by {failure}" if failure else ""
            print(f"| {where} | `{said}` | {word}{by} ({seconds:.0f} s) |", flush=True)
    if asked.list:
        return 0
    print(f"\n{caught} of {len(chosen)} caught")
    return int(caught < 0.95 * len(chosen))


if __name__ == "__main__":
    sys.exit(main())
