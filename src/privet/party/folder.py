"""Party releases: what one party sends to the collector, as a folder.

``card.json`` has the agreement, the party's name and checksums; ``records.parquet`` the disguised
columns; ``keys.bin`` 16 bytes a record, its keyed hash. Records are sorted by key, so their order
says nothing to whoever lacks the secret. There is no id, no secret and no seed in it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, PrivetError, ReleaseError
from privet.party.agreement import Agreement
from privet.release.card import CARD, STAMP, canonical
from privet.release.folder import new_folder
from privet.table import MemoryTable, ParquetTable
from privet.table.parquet import write_parquet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PartyRelease"]

FORMAT = "privet party"
VERSION = 1
RECORDS, KEYS = "records.parquet", "keys.bin"
_FIELDS = ["format", "version", "party", "agreement", "rows", "secret", "seeded", "files"]
IN_MEMORY = 50_000_000  # records of one party


@dataclass(frozen=True, eq=False)
class PartyRelease:
    """The disguised records of one party with their keys, sorted by key.

    ``keys`` is None where records need no joining. ``secret`` is the fingerprint of the secret the
    keys were made with.
    """

    party: str
    agreement: Agreement
    table: MemoryTable
    keys: NDArray[np.uint64] | None
    secret: str | None
    seeded: bool = False

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.table.rows

    @property
    def sends_class(self) -> bool:
        """Whether the class is among the columns."""
        return self.agreement.schema.target in self.table.names

    def __repr__(self) -> str:
        return f"<PartyRelease of {self.party!r}, {self.rows:,} records>"

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the folder: all of it, or nothing."""
        with new_folder(path, overwrite=overwrite) as folder:
            types = self.agreement.recipe(self.party).types
            write_parquet(folder / RECORDS, [self.table.columns], types)
            if self.keys is not None:
                (folder / KEYS).write_bytes(self.keys.astype(">u8").tobytes())
            names = [RECORDS, *([] if self.keys is None else [KEYS])]
            form = {
                "format": FORMAT,
                "version": VERSION,
                "party": self.party,
                "agreement": self.agreement.to_dict(),
                "rows": self.rows,
                "secret": self.secret,
                "seeded": STAMP if self.seeded else False,
                "files": {name: _sha256(folder / name) for name in names},
            }
            form["checksum"] = hashlib.sha256(canonical(form)).hexdigest()
            (folder / CARD).write_bytes(canonical(form))

    @classmethod
    def read(cls, path: str | Path) -> PartyRelease:
        """Read a folder and verify all of it."""
        folder = Path(path)
        form = _card(folder)
        try:
            agreement = Agreement.from_dict(form["agreement"])
            recipe = agreement.recipe(form["party"])
            if agreement.to_dict() != form["agreement"]:
                raise ReleaseError("its agreement is not in the form that privet writes.")
        except (PrivetError, LookupError, TypeError, AttributeError) as error:
            said = f": {error}" if isinstance(error, PrivetError) else "."
            raise ReleaseError(f"{folder / CARD} does not make sense{said}") from None
        held = {file.name for file in folder.iterdir()}
        for name in sorted({CARD, *form["files"]} ^ held):
            raise ReleaseError(f"The folder {folder} lacks, or has one too many: {name}.")
        for name, sha256 in form["files"].items():
            if _sha256(folder / name) != sha256:
                message = f"{folder / name} is cut short, or was altered after it was written."
                raise ReleaseError(message, hint="ask the party for its files again.")
        try:
            table = ParquetTable([folder / RECORDS]).collect(IN_MEMORY)
        except DataError as error:
            raise ReleaseError(str(error)) from None
        keys = None
        if KEYS in form["files"]:
            keys = np.frombuffer((folder / KEYS).read_bytes(), ">u8").astype(np.uint64)
            keys = keys.reshape(-1, 2)
        types = {name: column.dtype for name, column in table.columns.items()}
        sizes = {step.name: step.coding for step in recipe.steps}
        fine = types == recipe.types and table.rows == form["rows"]
        fine = fine and (keys is None or len(keys) == table.rows)
        fine = fine and all(
            coding is None or int(table.columns[name].max(initial=0)) < coding.size
            for name, coding in sizes.items()
        )
        if not fine:
            raise ReleaseError(f"The folder {folder} does not hold what its card says.")
        seeded = form["seeded"] == STAMP
        return cls(form["party"], agreement, table, keys, form["secret"], seeded)


def _card(folder: Path) -> dict[str, Any]:
    path = folder / CARD
    if not folder.is_dir():
        raise ReleaseError(f"There is no folder {folder} of a party.")
    try:
        text = path.read_bytes()
        form = json.loads(text.decode())
    except OSError:
        raise ReleaseError(f"The folder {folder} has no {CARD}: no party sent it.") from None
    except (ValueError, RecursionError):
        form = None
    altered = ReleaseError(
        f"{path} is cut short, or was altered after it was written.",
        hint="ask the party for its files again; do not edit a card.",
    )
    if not isinstance(form, dict):
        raise altered
    version = form.get("version")
    if form.get("format") != FORMAT or not isinstance(version, int):
        message = f"{path} is not the card of a party's records."
        raise ReleaseError(message, hint="make them with: privet party disguise.")
    if version > VERSION:
        message = f"{path} is of version {version}; this privet reads up to version {VERSION}."
        raise ReleaseError(message, hint="upgrade privet.")
    checksum = form.pop("checksum", None)
    body = hashlib.sha256(canonical(form)).hexdigest()
    if checksum != body or list(form) != _FIELDS or canonical({**form, "checksum": body}) != text:
        raise altered
    if not isinstance(form["files"], dict) or set(form["files"]) - {RECORDS, KEYS}:
        raise altered
    return form


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ReleaseError(f"{path} cannot be read: {error.strerror}.") from None
