"""The card of a release: everything a stranger needs to know, in one canonical JSON text.

A card is read only if its bytes are exactly what privet would write for what they say, and if its
own checksum holds: no flipped bit goes unseen.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.channel import read_channel
from privet.coding import Coding
from privet.errors import PrivetError, ReleaseError
from privet.release.anonymity import Anonymity
from privet.release.unbounded import UnboundedNoise
from privet.release.universe import Universe
from privet.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from privet.channel import Channel
    from privet.release.release import Release

__all__ = [
    "CARD",
    "VERSION",
    "Card",
    "FileEntry",
    "PartEntry",
    "canonical",
    "read_card",
    "write_card",
]

CARD = "card.json"
FORMAT = "privet release"
VERSION = 2  # what is written where a part has several files; 1 everywhere else
STAMP = "NOT PRIVATE: drawn from a seed"
_KEYS = [
    "format",
    "version",
    "schema",
    "learned_from_data",
    "columns",
    "treatments",
    "parts",
    "shuffled",
    "seeded",
    "universe",
    "anonymity",
    "unbounded_noise",
    "claim",
    "checksum",
]
_OPTIONAL = {"universe", "anonymity", "unbounded_noise"}


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

    def to_json(self) -> dict[str, Any]:
        """Return the entry as it stands on the card."""
        channels = [channel.to_json() for channel in self.channels]
        if len(self.files) == 1:
            (file,) = self.files
            form: dict[str, Any] = {"file": file.name, "rows": file.rows, "sign": self.sign}
            return {**form, "sha256": file.sha256, "channels": channels}
        files = [
            {"file": file.name, "rows": file.rows, "sha256": file.sha256} for file in self.files
        ]
        return {"files": files, "sign": self.sign, "channels": channels}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> PartEntry:
        """Read an entry."""
        listed = form.get("files", [form])
        files = tuple(FileEntry(file["file"], file["rows"], file["sha256"]) for file in listed)
        channels = tuple(read_channel(channel) for channel in form["channels"])
        return cls(files, form["sign"], channels)


@dataclass(frozen=True)
class Card:
    """What a card says."""

    schema: Schema
    codings: dict[str, Coding | None]
    treatments: dict[str, str]
    parts: tuple[PartEntry, ...]
    seeded: bool
    shuffled: bool
    claim: object
    universe: Universe | None = None
    anonymity: Anonymity | None = None
    unbounded: UnboundedNoise | None = None


def canonical(form: Mapping[str, Any]) -> bytes:
    """Return the one text of a card."""
    return (json.dumps(form, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def write_card(release: Release, parts: Sequence[PartEntry]) -> bytes:
    """Return the card of a release whose parts are as listed."""
    form: dict[str, Any] = {
        "format": FORMAT,
        "version": 1 if all(len(part.files) == 1 for part in parts) else VERSION,
        "schema": release.schema.to_dict(),
        "learned_from_data": release.schema.learned,
        "columns": {
            name: {"stored": "numbers"} if coding is None else {"stored": "codes", **_bare(coding)}
            for name, coding in release.codings.items()
        },
        "treatments": release.treatments,
        "parts": [part.to_json() for part in parts],
        "shuffled": release.shuffled,
        "seeded": STAMP if release.seeded else False,
    }
    if release.universe is not None:
        form["universe"] = release.universe.to_json()
    if release.anonymity is not None:
        form["anonymity"] = release.anonymity.to_json()
    if release.unbounded is not None:
        form["unbounded_noise"] = release.unbounded.to_json()
    form["claim"] = release.claim.to_json()
    return canonical({**form, "checksum": _checksum(form)})


def _bare(coding: Coding) -> dict[str, Any]:
    form = coding.to_json()
    del form["name"]
    return form


def _checksum(form: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(form)).hexdigest()


def read_card(path: Path, text: bytes) -> Card:
    """Read a card; anything that is not as privet writes it is an error that names the file."""
    form = _parse(path, text)
    version = form.get("version")
    if form.get("format") != FORMAT or not isinstance(version, int) or version < 1:
        raise ReleaseError(f"{path} is not the card of a privet release.")
    if version > VERSION:
        message = f"{path} is of version {version}; this privet reads up to version {VERSION}."
        raise ReleaseError(message, hint="upgrade privet.")
    held = dict(form)
    checksum = held.pop("checksum", None)
    try:
        intact = canonical(form) == text and checksum == _checksum(held)
    except ValueError:  # text that no UTF-8 file can hold
        intact = False
    if not intact or list(form) != [key for key in _KEYS if key in form or key not in _OPTIONAL]:
        raise _altered(path)
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


def _parse(path: Path, text: bytes) -> dict[str, Any]:
    try:
        form = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise _altered(path) from None
    if not isinstance(form, dict):
        raise _altered(path)
    return form


def _altered(path: Path) -> ReleaseError:
    message = f"{path} is cut short, or was altered after it was written."
    return ReleaseError(message, hint="ask the owner for the release again; do not edit a card.")


def _understood(form: dict[str, Any]) -> Card:
    schema = Schema.from_dict(form["schema"])
    codings = {
        name: None if column["stored"] == "numbers" else Coding.from_json({"name": name, **column})
        for name, column in form["columns"].items()
    }
    parts = tuple(PartEntry.from_json(part) for part in form["parts"])
    _check(form, schema, codings, parts)
    return Card(
        schema,
        codings,
        form["treatments"],
        parts,
        seeded=form["seeded"] == STAMP,
        shuffled=form["shuffled"],
        claim=form["claim"],
        universe=Universe.from_json(form["universe"], codings) if "universe" in form else None,
        anonymity=Anonymity.from_json(form["anonymity"], schema) if "anonymity" in form else None,
        unbounded=UnboundedNoise.from_json(form["unbounded_noise"])
        if "unbounded_noise" in form
        else None,
    )


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
        and len(parts) > 0
        and all(part.files for part in parts)
        and len(set(names)) == len(names)
        and all(re.fullmatch(r"part-\d+(-\d+)?\.parquet", name) for name in names)
        and all(isinstance(file.rows, int) and file.rows >= 0 for file in files)
        and all(part.sign in (1, -1) for part in parts)
        and set(schema.names) <= set(form["treatments"])
    )
    if not fine:
        raise ReleaseError("what it says of columns and parts does not fit together.")
    for name, coding in codings.items():
        _check_coding(schema, name, coding)


def _check_coding(schema: Schema, name: str, coding: Coding | None) -> None:
    attribute = schema[name]
    if coding is None:
        fine = not attribute.is_categorical
    elif attribute.is_categorical:
        fine = coding.to_json() == attribute.coding().to_json()
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
        )
    if not fine:
        raise ReleaseError(f"the coding of column {name!r} does not fit the schema.")
