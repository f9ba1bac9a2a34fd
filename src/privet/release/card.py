"""The card of a release: everything a stranger needs to know, in one canonical JSON text.

It is sealed: see ``privet.files.sealed``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from privet.channel import read_channel
from privet.coding import Coding
from privet.errors import PrivetError, ReleaseError
from privet.files.sealed import Kind, seal
from privet.release.anonymity import Anonymity
from privet.release.people import People
from privet.release.unbounded import UnboundedNoise
from privet.release.universe import Universe
from privet.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from privet.channel import Channel
    from privet.release.release import Release

__all__ = ["CARD", "KIND", "VERSION", "Card", "FileEntry", "PartEntry", "read_card", "write_card"]

CARD = "card.json"
# Of parts that lack columns, people and tuned plans; 3 of random parts or merged categories;
# 2 where a part has several files; 1 elsewhere.
VERSION = 4
KIND = Kind(
    "privet release",
    VERSION,
    ReleaseError,
    what="card of a release",
    indent=1,
    hint="ask the owner for the release again; do not edit a card.",
)
STAMP = "NOT PRIVATE: drawn from a seed"
_KEYS = [
    "format",
    "version",
    "schema",
    "learned_from_data",
    "columns",
    "treatments",
    "parts",
    "parts_drawn",
    "tuned_on_records",
    "shuffled",
    "seeded",
    "universe",
    "anonymity",
    "unbounded_noise",
    "people",
    "claim",
]
_OPTIONAL = {
    "parts_drawn",
    "tuned_on_records",
    "universe",
    "anonymity",
    "unbounded_noise",
    "people",
}


@dataclass(frozen=True)
class FileEntry:
    """A file of a part."""

    name: str
    rows: int
    sha256: str


@dataclass(frozen=True)
class PartEntry:
    """One part as the card lists it: one file, or several end to end."""

    files: tuple[FileEntry, ...]
    sign: int
    channels: tuple[Channel, ...]
    codings: Mapping[str, Coding] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as it is on the card."""
        rest: dict[str, Any] = {"channels": [channel.to_dict() for channel in self.channels]}
        if self.codings:
            rest["columns"] = {name: _bare(coding) for name, coding in self.codings.items()}
        if self.lacks:
            rest["lacks"] = list(self.lacks)
        if len(self.files) == 1:
            (file,) = self.files
            form: dict[str, Any] = {"file": file.name, "rows": file.rows, "sign": self.sign}
            return {**form, "sha256": file.sha256, **rest}
        files = [
            {"file": file.name, "rows": file.rows, "sha256": file.sha256} for file in self.files
        ]
        return {"files": files, "sign": self.sign, **rest}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> PartEntry:
        """Read an entry."""
        listed = form.get("files", [form])
        files = tuple(FileEntry(file["file"], file["rows"], file["sha256"]) for file in listed)
        channels = tuple(read_channel(channel) for channel in form["channels"])
        codings = {
            name: Coding.from_dict({"name": name, **column})
            for name, column in form.get("columns", {}).items()
        }
        return cls(files, form["sign"], channels, codings, tuple(form.get("lacks", ())))


@dataclass(frozen=True)
class Card:
    """What a card says: of its parts, what it claims, and all other ``facts`` of the release."""

    parts: tuple[PartEntry, ...]
    claim: object
    facts: dict[str, Any]


def write_card(release: Release, parts: Sequence[PartEntry]) -> bytes:
    """Return the card of a release whose parts are as listed."""
    form: dict[str, Any] = {
        "format": KIND.mark,
        "version": _version(release, parts),
        "schema": release.schema.to_dict(),
        "learned_from_data": release.schema.learned,
        "columns": {
            name: {"stored": "numbers"} if coding is None else {"stored": "codes", **_bare(coding)}
            for name, coding in release.codings.items()
        },
        "treatments": release.treatments,
        "parts": [part.to_dict() for part in parts],
        **({"parts_drawn": True} if release.drawn else {}),
        **({"tuned_on_records": True} if release.tuned else {}),
        "shuffled": release.shuffled,
        "seeded": STAMP if release.seeded else False,
    }
    for word, said in (
        ("universe", release.universe),
        ("anonymity", release.anonymity),
        ("unbounded_noise", release.unbounded),
        ("people", release.people),
    ):
        if said is not None:
            form[word] = said.to_dict()
    form["claim"] = release.claim.to_dict()
    return seal(form, KIND.indent)


def _version(release: Release, parts: Sequence[PartEntry]) -> int:
    """Return the first version whose readers understand the card."""
    merged = any(attribute.members is not None for attribute in release.schema)
    if release.tuned or release.people is not None or any(part.lacks for part in parts):
        return VERSION
    if merged or release.drawn or any(part.codings for part in parts):
        return 3
    return 1 if all(len(part.files) == 1 for part in parts) else 2


def _bare(coding: Coding) -> dict[str, Any]:
    form = coding.to_dict()
    del form["name"]
    return form


def read_card(path: Path, data: bytes) -> Card:
    """Read a card; anything that is not as privet writes it is an error that names the file."""
    form = KIND.opened(data, str(path))
    if list(form) != [key for key in _KEYS if key in form or key not in _OPTIONAL]:
        raise KIND.altered(str(path))
    try:
        return _understood(form)
    except (
        PrivetError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
    ) as error:
        said = f": {error}" if isinstance(error, PrivetError) else "."
        raise ReleaseError(f"{path} does not make sense{said}") from None


def _understood(form: dict[str, Any]) -> Card:
    schema = Schema.from_dict(form["schema"])
    codings = {
        name: None if column["stored"] == "numbers" else Coding.from_dict({"name": name, **column})
        for name, column in form["columns"].items()
    }
    parts = tuple(PartEntry.from_dict(part) for part in form["parts"])
    _check(form, schema, codings, parts)
    facts = {
        "schema": schema,
        "codings": codings,
        "treatments": form["treatments"],
        "seeded": form["seeded"] == STAMP,
        "shuffled": form["shuffled"],
        "universe": Universe.from_dict(form["universe"], codings) if "universe" in form else None,
        "anonymity": Anonymity.from_dict(form["anonymity"], schema)
        if "anonymity" in form
        else None,
        "unbounded": UnboundedNoise.from_dict(form["unbounded_noise"])
        if "unbounded_noise" in form
        else None,
        "drawn": form.get("parts_drawn", False),
        "people": People.from_dict(form["people"]) if "people" in form else None,
        "tuned": form.get("tuned_on_records", False),
    }
    return Card(parts, form["claim"], facts)


def _check(
    form: dict[str, Any],
    schema: Schema,
    codings: dict[str, Coding | None],
    parts: tuple[PartEntry, ...],
) -> None:
    files = [file for part in parts for file in part.files]
    names = [file.name for file in files]
    fine = (
        list(codings) == schema.names
        and form["seeded"] in (False, STAMP)
        and isinstance(form["shuffled"], bool)
        and form["learned_from_data"] == schema.learned
        and form.get("parts_drawn", True) is True
        and form.get("tuned_on_records", True) is True
        and len(parts) > 0
        and all(part.files for part in parts)
        and len(set(names)) == len(names)
        and all(re.fullmatch(r"part-\d+(-\d+)?\.parquet", name) for name in names)
        and all(isinstance(file.rows, int) and file.rows >= 0 for file in files)
        and all(part.sign in (1, -1) for part in parts)
        and set(schema.names) <= set(form["treatments"])
        and all(set(part.lacks) < set(schema.names) for part in parts)
    )
    if not fine:
        raise ReleaseError("what it says of columns and parts does not fit together.")
    for name, coding in codings.items():
        _check_coding(schema, name, coding, schema[name].edges)
    for part in parts:
        for name, own in part.codings.items():
            _check_coding(schema, name, own, None)


def _check_coding(
    schema: Schema, name: str, coding: Coding | None, borders: tuple[float, ...] | None
) -> None:
    """Refuse cells that do not cut the attribute's range, or not at the schema's ``borders``."""
    attribute = schema[name]
    if coding is None:
        fine = not attribute.is_categorical
    elif attribute.is_categorical:
        fine = coding.to_dict() == attribute.coding().to_dict()
    else:
        edges = coding.edges
        low, high = attribute.range
        fine = (
            coding.lower is not None
            and coding.upper is not None
            and bool((coding.lower <= coding.upper).all())
            and bool((edges[1:] > edges[:-1]).all())
            and coding.lower[0] == low
            and coding.upper[-1] == high
            and coding.missing == (attribute.missing == "category")
            and (borders is None or coding.to_dict() == attribute.coding().to_dict())
        )
    if not fine:
        raise ReleaseError(f"the coding of column {name!r} does not fit the schema.")
