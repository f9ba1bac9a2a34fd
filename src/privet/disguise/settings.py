"""What methods can be told: the names, defaults and meanings of their settings."""

from __future__ import annotations

import dataclasses
import inspect
import json
from typing import Any, NamedTuple

import privet.disguise  # noqa: F401 - its methods make themselves known
from privet.disguise.base import METHODS

__all__ = ["Setting", "settings_of"]


class Setting(NamedTuple):
    """A setting of a method: its default as in TOML, and what is said about it."""

    name: str
    default: str
    about: str


def settings_of(method: str) -> list[Setting]:
    """Return the settings of a method in order.

    >>> settings_of("k-anonymity")[0]
    Setting(name='k', default='2', about='How many records must share their ...')
    """
    kind = METHODS[method]
    said: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        said |= _documented(base)
    return [
        Setting(field.name, _default(field), said.get(field.name, ""))
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]  # methods are dataclasses
    ]


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return "not set" if field.default is None else json.dumps(field.default, ensure_ascii=False)
    if field.default_factory is not dataclasses.MISSING:
        return json.dumps(field.default_factory(), ensure_ascii=False)
    return "must be given"


def _documented(kind: type) -> dict[str, str]:
    """Return what a class says of each of its parameters, as one line."""
    text = inspect.cleandoc(vars(kind).get("__doc__") or "")
    _, _, section = text.partition("Parameters\n----------\n")
    said: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        if not line.strip():
            break
        if not line.startswith(" "):
            names = [name.strip() for name in line.partition(":")[0].split(",")]
            said |= dict.fromkeys(names, "")
            continue
        for name in names:
            said[name] = f"{said[name]} {line.strip()}".strip()
    return said
