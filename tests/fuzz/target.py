"""What a target of fuzzing is; each is known by being made under ``@target``."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.audit.test_every_disguise import ASKED, people

TARGETS: dict[str, Callable[[Path], "Target"]] = {}


@dataclass(frozen=True)
class Target:
    """Good examples, and the reader of changed ones: a form is read by ``form``, bytes by ``raw``.

    ``parsers`` are the functions, classes and modules whose branches count.
    """

    parsers: tuple[Any, ...]
    raw: Callable[[bytes], object]
    blobs: list[bytes]
    form: Callable[[Any], object] | None = None
    forms: list[Any] = field(default_factory=list)
    toml: bool = False
    words: tuple[str, ...] = ()  # that examples do not have, but readers know


def target(make: Callable[[Path], Target]) -> Callable[[Path], Target]:
    """Make a target known by its function's name."""
    TARGETS[make.__name__] = make
    return make


def written(path: Path, data: bytes) -> Path:
    """Write a file and return where."""
    path.write_bytes(data)
    return path


def release(name: str, to: Path) -> None:
    """Write the release of a disguise by its name, of few records."""
    asked = ASKED[name]
    table = {key: column[:40] for key, column in people(asked.schema).items()}
    with warnings.catch_warnings(action="ignore"):
        asked.make(to.parent).disguise(table, asked.schema, to=to, seed=1)
