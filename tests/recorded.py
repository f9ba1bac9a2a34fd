"""What a run did, as far as anyone beside it could see: lines, files and words, in order.

Two runs over neighbouring tables with the same random words must leave the same record: then
nothing but what was drawn can tell the tables apart. Compiled kernels are not looked into.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import privet
from privet import randomness

HOME = str(Path(privet.__file__).parent)
WATCHED = ("open", "os.", "shutil.", "tempfile.", "subprocess.", "socket.")
_token = re.compile(r"[0-9a-f]{16}|tmp[0-9a-z_]{8}")  # what a temporary name is made of
_listening: list["Record"] = []


@dataclass
class Record:
    """The lines of privet that ran, calls to the system, and the words that were asked for."""

    lines: list[tuple[str, int]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    words: list[tuple[int, ...]] = field(default_factory=list)
    folder: str = ""

    def difference(self, other: "Record") -> str:
        """The first place where two records differ, or nothing."""
        for kind in ("words", "calls", "lines"):
            mine, theirs = getattr(self, kind), getattr(other, kind)
            for place, (one, two) in enumerate(zip(mine, theirs, strict=False)):
                if one != two:
                    return f"{kind} {place}: {one} and {two}"
            if len(mine) != len(theirs):
                return f"{len(mine)} and {len(theirs)} {kind}"
        return ""


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if _listening and event.startswith(WATCHED):
        said = [str(argument) for argument in arguments if isinstance(argument, str | bytes | Path)]
        if any(HOME in text or ".cache" in text for text in said):
            return  # modules and compiled kernels, loaded when they are first used
        record = _listening[-1]
        told = f"{event} {' '.join(said)}".replace(record.folder, "")
        record.calls.append(_token.sub("…", told))


sys.addaudithook(_heard)


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Record]:
    """Record what happens in the block, in this one thread; paths are told from ``folder`` on."""
    record = Record(folder=str(folder))
    begin, chunk = randomness.Reader.__init__, randomness.Reader.chunk

    def reader(self: Any, key: bytearray, stream: int, start: int) -> None:
        record.words.append((stream, start))
        begin(self, key, stream, start)

    def words(self: Any, count: int) -> Any:
        record.words.append((count,))
        return chunk(self, count)

    def line(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            record.lines.append((frame.f_code.co_filename, frame.f_lineno))
        return line

    def call(frame: FrameType, event: str, argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        record.lines.append((frame.f_code.co_filename, frame.f_code.co_firstlineno))
        return line

    with monkeypatch.context() as patched:
        patched.setenv("PRIVET_THREADS", "1")
        patched.setattr(randomness.Reader, "__init__", reader)
        patched.setattr(randomness.Reader, "chunk", words)
        before = sys.gettrace()
        _listening.append(record)
        sys.settrace(call)
        try:
            yield record
        finally:
            sys.settrace(before)
            _listening.pop()
