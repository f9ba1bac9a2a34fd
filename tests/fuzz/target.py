"""What a target of fuzzing is; each is known by being made under ``@target``."""

import copy
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privet.files import reading, sealed
from tests.audit.test_every_disguise import ASKED, people

TARGETS: dict[str, Callable[[Path], "Target"]] = {}
SEALED = (sealed.Kind.opened, reading.parse_json)


@dataclass(frozen=True)
class Target:
    """Good examples, and the reader of changed ones: a form is read by ``form``, bytes by ``raw``.

    ``parsers`` are the functions, classes and modules whose branches count. ``refused`` are
    hostile forms that chance would seldom make: inputs grow from them, too, and none is taken.
    """

    parsers: tuple[Any, ...]
    raw: Callable[[bytes], object]
    blobs: list[bytes]
    form: Callable[[Any], object] | None = None
    forms: list[Any] = field(default_factory=list)
    refused: list[Any] = field(default_factory=list)
    toml: bool = False
    words: tuple[str, ...] = ()  # that examples do not have, but readers know


def target(make: Callable[[Path], Target]) -> Callable[[Path], Target]:
    """Make a target known by its function's name."""
    TARGETS[make.__name__] = make
    return make


def put(form: Any, value: Any, *keys: Any) -> Any:
    """A copy of a form that has the value at a place."""
    made = copy.deepcopy(form)
    box = made
    for key in keys[:-1]:
        box = box[key]
    box[keys[-1]] = value
    return made


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


def sealed_text(form: Any, indent: int | None) -> bytes:
    """A form as a text whose checksum is right, where a sealed text can have it."""
    try:
        return sealed.seal(form, indent) if isinstance(form, dict) else b"[]"
    except ValueError:  # a number, or half of a sign, that no sealed text can have
        return json.dumps(form).encode()


def sealed_target(
    raw: Callable[[bytes], object], blobs: list[bytes], parsers: tuple[Any, ...], indent: int | None
) -> Target:
    """A target whose forms are sealed before they are read."""
    forms = [json.loads(blob) for blob in blobs]
    marks = [form.pop("checksum") for form in forms]
    before = json.dumps({**forms[0], "version": 1}).encode()  # as privet once wrote: no checksum
    wrong = blobs[0].replace(marks[0].encode(), marks[0][::-1].encode())

    def read(form: Any) -> object:
        return raw(sealed_text(form, indent))

    half = b'{"format": "\\ud800"}'  # of a sign, which no text can have
    return Target((*parsers, *SEALED), raw, [*blobs, before, wrong, half], read, forms)
