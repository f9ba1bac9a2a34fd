"""Release folders: written as a whole or not at all, and verified whenever they are read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.compiled import in_threads
from privet.errors import DataError, ReleaseError
from privet.release.card import CARD, FileEntry, PartEntry, read_card, write_card
from privet.table import ParquetTable
from privet.table.parquet import write_parquet
from privet.table.spark import SparkTable, on_workers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.release.card import Card
    from privet.release.release import Release

__all__ = [
    "check_free",
    "new_folder",
    "part_name",
    "read_release",
    "seal",
    "sha256",
    "write_release",
]

_ARROW = {"float64": "double"}


def part_name(number: int, piece: int | None = None) -> str:
    """Return the file name of a part, or of a piece of it where it has several files."""
    return f"part-{number}.parquet" if piece is None else f"part-{number}-{piece}.parquet"


def check_free(path: str | Path, *, overwrite: bool) -> Path:
    """Return the folder to write to; what is there is in the way, unless it is a release."""
    folder = Path(path)
    if not folder.exists() and not folder.is_symlink():
        return folder
    if not folder.is_dir() or folder.is_symlink():
        raise ReleaseError(f"{folder} exists and is no folder.", hint="choose another name.")
    held = {file.name for file in folder.iterdir()}
    if held and CARD not in held:
        message = f"The folder {folder} exists and holds something other than a release."
        raise ReleaseError(message, hint="choose another name.")
    if held and not overwrite:
        message = f"The folder {folder} holds a release already."
        raise ReleaseError(message, hint="choose another name, or say overwrite.")
    return folder


@contextmanager
def new_folder(path: str | Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a temporary folder beside ``path`` that takes its name when the block ends well.

    If it ends in any other way, an interrupt included, the temporary folder is removed.
    """
    folder = check_free(path, overwrite=overwrite)
    # Named before it is made: an interrupt right after finds it to remove it.
    made = folder.parent / f".{folder.name}.{secrets.token_hex(8)}.part"
    try:
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            made.mkdir(0o700)
            yield made
            _open_to_all(made)
            for file in made.iterdir():
                _flush(file)
            _flush(made)
            _put_in_place(made, folder)
        except OSError as error:
            raise _unwritable(folder, error) from None
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _unwritable(folder: Path, error: OSError) -> ReleaseError:
    cause = os.strerror(error.errno) if error.errno else "input/output error"
    message = f"The release cannot be written to {folder}: {cause}."
    return ReleaseError(message, hint="free space there, or choose a folder you may write to.")


def _open_to_all(folder: Path) -> None:
    """Give the folder the rights it would have had if made in the ordinary way."""
    mask = os.umask(0)
    os.umask(mask)
    folder.chmod(0o777 & ~mask)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _put_in_place(made: Path, folder: Path) -> None:
    old = None
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".old", dir=folder.parent))
        folder.rename(old)
    try:
        made.rename(folder)
    except BaseException:
        if old is not None:
            old.rename(folder)
        raise
    with contextlib.suppress(OSError):  # not every file system can flush a folder
        _flush(folder.parent)
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def write_release(release: Release, path: str | Path, *, overwrite: bool) -> None:
    """Write every part and the card."""
    with new_folder(path, overwrite=overwrite) as folder:
        types = {name: release.column_type(name) for name in release.column_names}
        for number, part in enumerate(release.parts):
            batches = (batch.columns for batch in part.table.batches())
            write_parquet(folder / part_name(number), batches, types)
        seal(release, folder)


def seal(
    release: Release, folder: Path, files: Sequence[Sequence[FileEntry]] | None = None
) -> None:
    """Write the card of a folder whose parts are all written: in ``files``, else one a part."""
    if files is None:
        names = [part_name(number) for number in range(len(release.parts))]
        files = [
            [FileEntry(name, part.table.rows, sha256(folder / name))]
            for name, part in zip(names, release.parts, strict=True)
        ]
    parts = [
        PartEntry(tuple(held), part.sign, part.channels)
        for held, part in zip(files, release.parts, strict=True)
    ]
    (folder / CARD).write_bytes(write_card(release, parts))


def sha256(path: Path) -> str:
    """Return the checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_release(path: str | Path, spark: Any = None) -> Release:
    """Read a folder and verify all of it, at the workers of a Spark session if there is one."""
    from privet.release.release import Part, Release

    folder = Path(path)
    if not folder.is_dir():
        raise ReleaseError(f"There is no release folder {folder}.")
    try:
        text = (folder / CARD).read_bytes()
    except FileNotFoundError:
        raise ReleaseError(f"The folder {folder} has no {CARD}: it is no release.") from None
    except OSError as error:
        raise ReleaseError(f"{folder / CARD} cannot be read: {error.strerror}.") from None
    card = read_card(folder / CARD, text)
    held = {file.name for file in folder.iterdir()}
    listed = {CARD, *(file.name for part in card.parts for file in part.files)}
    for name in sorted(listed - held):
        raise ReleaseError(f"The release {folder} lacks its file {name}.")
    for name in sorted(held - listed):
        message = f"The release {folder} holds a file that its card does not list: {name}."
        raise ReleaseError(message, hint="remove it if you know where it comes from.")
    tables = [_table(folder, part, spark) for part in card.parts]
    both = zip(tables, card.parts, strict=True)
    parts = tuple(Part(table, part.channels, part.sign) for table, part in both)
    try:
        release = Release(
            card.schema,
            card.codings,
            parts,
            card.treatments,
            seeded=card.seeded,
            shuffled=card.shuffled,
            universe=card.universe,
            anonymity=card.anonymity,
            unbounded=card.unbounded,
        )
    except ReleaseError as error:
        raise ReleaseError(f"{folder / CARD} does not make sense: {error}") from None
    _check_columns(release, folder, card)
    if not release.claim.agrees(card.claim):
        message = f"{folder / CARD} claims something else than its channels keep."
        raise ReleaseError(message, hint="do not rely on this release; ask the owner.")
    try:
        release.verify()
    except (DataError, ReleaseError) as error:
        raise ReleaseError(
            f"The release {folder} does not hold what its card says: {error}"
        ) from None
    return release


def _table(folder: Path, part: PartEntry, spark: Any) -> ParquetTable | SparkTable:
    if spark is not None:
        folder = folder.absolute()  # a worker has a folder of its own
    paths = [folder / file.name for file in part.files]
    try:
        if spark is None:
            found = list(in_threads(sha256, paths))
        else:
            sums = on_workers(spark, lambda path: sha256(path).encode(), paths, "checking")
            found = [one.decode() for one in sums]
        for path, file, held in zip(paths, part.files, found, strict=True):
            if held != file.sha256:
                message = f"{path} is cut short, or was altered after it was written: "
                message += "its checksum is not the card's."
                raise ReleaseError(message, hint="ask the owner for the release again.")
        table = ParquetTable(paths)
    except OSError as error:
        path = Path(error.filename or folder)
        raise ReleaseError(f"{path} cannot be read: {error.strerror}.") from None
    except DataError as error:
        raise ReleaseError(str(error)) from None
    for path, file in zip(paths, part.files, strict=True):
        if sum(piece.rows for piece in table.pieces if piece.origin.path == path) != file.rows:
            raise ReleaseError(f"{path} does not hold the number of rows its card lists.")
    return table if spark is None else SparkTable.over(spark, table)


def _check_columns(release: Release, folder: Path, card: Card) -> None:
    types = {name: str(release.column_type(name)) for name in release.column_names}
    for number, part in enumerate(release.parts):
        held = getattr(part.table, "types", {})
        if list(held.items()) != [(name, _ARROW.get(kind, kind)) for name, kind in types.items()]:
            path = folder / card.parts[number].files[0].name
            raise ReleaseError(f"{path} does not hold the columns its card lists.")
