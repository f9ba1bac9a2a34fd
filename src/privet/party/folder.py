"""Party releases: what a party sends to the collector, as a folder.

``card.json`` has the agreement, the party's name and checksums; ``records.parquet`` the disguised
columns; ``keys.bin`` 16 bytes per record, its keyed hash. Records are sorted by key, so their order
says nothing to whoever lacks the secret. There is no id, no secret and no seed in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, PrivetError, ReleaseError
from privet.files.reading import digest
from privet.files.sealed import Kind, seal
from privet.party.agreement import Agreement
from privet.party.secret import WIDTH
from privet.release.card import CARD, STAMP
from privet.release.folder import new_folder, put_card
from privet.release.opened import Opened, read_steadily
from privet.signing import PublicKey, Signer, SigningKey
from privet.table import MemoryTable, ParquetTable
from privet.table.parquet import write_parquet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.disguise.recipe import Recipe

__all__ = ["PartyRelease"]

KIND = Kind(
    "privet party",
    1,
    ReleaseError,
    what="card of a party's records",
    indent=1,
    hint="ask the party for its files again; do not edit a card.",
)
RECORDS, KEYS = "records.parquet", "keys.bin"
_FIELDS = ["format", "version", "party", "agreement", "rows", "secret", "seeded", "files"]
IN_MEMORY = 50_000_000  # records of a party


@dataclass(frozen=True, eq=False)
class PartyRelease:
    """The disguised records of a party with their keys, sorted by key.

    ``keys`` is None where records need no joining. ``secret`` is the fingerprint of the secret the
    keys were made with. ``signed_by`` is the key that signed what was read.
    """

    party: str
    agreement: Agreement
    table: MemoryTable
    keys: NDArray[np.uint64] | None
    secret: str | None
    seeded: bool = False
    signed_by: PublicKey | None = None

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

    def write(
        self, path: str | Path, *, overwrite: bool = False, sign: Signer | None = None
    ) -> None:
        """Write the folder: all of it, or nothing; with a key or its file, the card is signed."""
        key = None if sign is None else SigningKey.of(sign)
        with new_folder(path, overwrite=overwrite) as folder:
            types = self.agreement.recipe(self.party).types
            write_parquet(folder / RECORDS, [self.table.columns], types)
            if self.keys is not None:
                (folder / KEYS).write_bytes(self.keys.astype(">u8").tobytes())
            names = [RECORDS, *([] if self.keys is None else [KEYS])]
            form = {
                "format": KIND.mark,
                "version": KIND.version,
                "party": self.party,
                "agreement": self.agreement.to_dict(),
                "rows": self.rows,
                "secret": self.secret,
                "seeded": STAMP if self.seeded else False,
                "files": {name: digest(folder / name)[0] for name in names},
            }
            put_card(folder, seal(form, KIND.indent), key)

    @classmethod
    def read(cls, path: str | Path, *, by: PublicKey | str | Path | None = None) -> PartyRelease:
        """Read a folder and verify all of it; with ``by``, only what this public key signed."""
        public = None if by is None else PublicKey.of(by)
        return read_steadily(Path(path), partial(cls._read, by=public))

    @classmethod
    def _read(cls, folder: Path, by: PublicKey | None) -> PartyRelease:
        with Opened.at(folder, "folder of a party") as opened:
            form, signer = _card(opened, by)
            opened.check_names({CARD, *form["files"]})
            stamps = {name: opened.check(name, sha256) for name, sha256 in form["files"].items()}
            data = opened.read(KEYS) if KEYS in stamps else None
            agreement, recipe = _agreed(folder / CARD, form)
            try:
                table = ParquetTable([folder / RECORDS], stamps=[stamps[RECORDS]])
                memory = table.collect(IN_MEMORY)
            except DataError as error:
                raise ReleaseError(str(error)) from None
        types = {name: column.dtype for name, column in memory.columns.items()}
        fine = types == recipe.types and memory.rows == form["rows"]
        fine = fine and (data is None or len(data) == WIDTH * memory.rows)
        fine = fine and all(
            step.coding is None or int(memory.columns[step.name].max(initial=0)) < step.coding.size
            for step in recipe.steps
        )
        if not fine:
            raise ReleaseError(f"The folder {folder} does not hold what its card says.")
        keys = None
        if data is not None:
            keys = np.frombuffer(data, ">u8").astype(np.uint64).reshape(-1, 2)
        seeded = form["seeded"] == STAMP
        return cls(form["party"], agreement, memory, keys, form["secret"], seeded, signer)


def _card(opened: Opened, by: PublicKey | None) -> tuple[dict[str, Any], PublicKey | None]:
    path = str(opened.folder / CARD)
    if CARD not in opened.names:
        raise ReleaseError(f"The folder {opened.folder} has no {CARD}: no party sent it.")
    data = opened.read(CARD)
    signer = opened.signer(data, by)
    form = KIND.opened(data, path)
    files, rows = form.get("files"), form.get("rows")
    fine = (
        list(form) == _FIELDS
        and isinstance(files, dict)
        and RECORDS in files
        and not set(files) - {RECORDS, KEYS}
        and isinstance(form["party"], str)
        and isinstance(form["secret"], str | None)
        and form["seeded"] in (False, STAMP)
        and type(rows) is int
    )
    if not fine:
        raise KIND.altered(path)
    return form, signer


def _agreed(path: Path, form: dict[str, Any]) -> tuple[Agreement, Recipe]:
    """Return the agreement on a card, and the party's work by it."""
    try:
        agreement = Agreement.from_dict(form["agreement"])
        recipe = agreement.recipe(form["party"])
    except PrivetError as error:
        raise ReleaseError(f"{path} does not make sense: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise ReleaseError(f"{path} does not make sense.") from None
    if agreement.to_dict() != form["agreement"]:
        raise ReleaseError(f"{path} has an agreement that is not in the form that privet writes.")
    return agreement, recipe
