"""Release folders: written as a whole or not at all, and verified whenever they are read."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.compiled import in_threads
from privet.errors import DataError, ReleaseError
from privet.files import writing
from privet.files.reading import cause, digest
from privet.release.card import CARD, FileEntry, PartEntry, read_card, write_card
from privet.release.opened import Opened, check_digest, look_steadily, read_steadily
from privet.release.universe_words import as_told_before
from privet.signing import SIGNATURE, PublicKey, SigningKey, sign
from privet.table import ParquetTable
from privet.table.parquet import stamp_of, write_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privet.release.card import Card
    from privet.release.release import Part, Release
    from privet.table import Table

__all__ = [
    "check_free",
    "new_folder",
    "part_name",
    "put_card",
    "read_release",
    "seal",
    "write_release",
]

_ARROW = {"float64": "double"}


def part_name(number: int, piece: int | None = None) -> str:
    """Return the file name of a part, or of a piece of it where it has several files."""
    return f"part-{number}.parquet" if piece is None else f"part-{number}-{piece}.parquet"


def check_free(path: str | Path, *, overwrite: bool) -> Path:
    """Return the folder to write to; what is there is in the way, unless it is a release."""
    return look_steadily(Path(path), partial(_free, overwrite=overwrite))


def _free(folder: Path, *, overwrite: bool) -> Path:
    if not folder.exists() and not folder.is_symlink():
        return folder
    if not folder.is_dir() or folder.is_symlink():
        raise ReleaseError(f"{folder} exists and is no folder.", hint="choose another name.")
    try:
        names = {file.name for file in folder.iterdir()}
    except FileNotFoundError:  # it was there a moment ago
        return folder
    if names and CARD not in names:
        message = f"The folder {folder} exists and holds something other than a release."
        raise ReleaseError(message, hint="choose another name.")
    if names and not overwrite:
        message = f"The folder {folder} holds a release already."
        raise ReleaseError(message, hint="choose another name, or use overwrite=True.")
    return folder


@contextmanager
def new_folder(path: str | Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a temporary folder beside ``path`` that takes its name when the block ends well.

    If it ends in any other way, an interrupt included, the temporary folder is removed.
    """
    folder = check_free(path, overwrite=overwrite)
    with writing.complaining(f"The release cannot be written to {folder}", ReleaseError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with writing.new_folder(folder, overwrite=overwrite) as made:
            yield made


def write_release(
    release: Release, path: str | Path, *, overwrite: bool, key: SigningKey | None = None
) -> None:
    """Write every part and the card, signed if there is a key."""
    with new_folder(path, overwrite=overwrite) as folder:
        for number, part in enumerate(release.parts):
            types = {name: release.column_type(name, part) for name in names_of(release, part)}
            batches = (batch.columns for batch in part.table.batches())
            write_parquet(folder / part_name(number), batches, types)
        seal(release, folder, key)


def names_of(release: Release, part: Part) -> list[str]:
    """Return the names of a part's columns, in the release's order."""
    return [name for name in release.column_names if name in part.table.names]


def seal(
    release: Release,
    folder: Path,
    key: SigningKey | None = None,
    files: Sequence[Sequence[FileEntry]] | None = None,
) -> None:
    """Write the card of a folder whose parts are all written, and sign it if there is a key.

    The parts are in ``files``, else in a file each.
    """
    if files is None:
        names = [part_name(number) for number in range(len(release.parts))]
        files = [
            [FileEntry(name, part.table.rows, digest(folder / name)[0])]
            for name, part in zip(names, release.parts, strict=True)
        ]
    parts = [
        PartEntry(
            tuple(entries), part.sign, part.channels, part.codings, tuple(release.lacking(part))
        )
        for entries, part in zip(files, release.parts, strict=True)
    ]
    put_card(folder, write_card(release, parts), key)


def put_card(folder: Path, card: bytes, key: SigningKey | None) -> None:
    """Write a card, and its signature if there is a key."""
    (folder / CARD).write_bytes(card)
    if key is not None:
        (folder / SIGNATURE).write_bytes(sign(card, key))


def read_release(
    path: str | Path, spark: Any = None, by: PublicKey | str | Path | None = None
) -> Release:
    """Read a folder and verify all of it, at the workers of a Spark session if given.

    What is not signed by ``by`` is refused before anything else is made of it.
    """
    public = None if by is None else PublicKey.of(by)
    return read_steadily(Path(path), partial(_read, spark=spark, by=public))


def _read(folder: Path, spark: Any, by: PublicKey | None) -> Release:
    from privet.release.release import Part, Release

    with Opened.at(folder, "release folder") as opened:
        if CARD not in opened.names:
            raise ReleaseError(f"The folder {folder} has no {CARD}: it is no release.")
        data = opened.read(CARD)
        signer = opened.signer(data, by)
        card = read_card(folder / CARD, data)
        opened.check_names({CARD, *(file.name for part in card.parts for file in part.files)})
        tables = [_table(opened, part, spark) for part in card.parts]
    both = zip(tables, card.parts, strict=True)
    parts = tuple(Part(table, part.channels, part.sign, part.codings) for table, part in both)
    try:
        release = Release(parts=parts, **card.facts)
        release.mark_signed(signer)
        _check_columns(release, folder, card)
        agrees = release.claim.agrees(card.claim) or _agreed_before(release, card.claim)
    except ReleaseError as error:
        raise ReleaseError(f"{folder / CARD} does not make sense: {error}") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        raise ReleaseError(f"{folder / CARD} does not make sense.") from None
    if not agrees:
        message = f"{folder / CARD} claims something else than its channels keep."
        raise ReleaseError(message, hint="do not rely on this release; ask the owner.")
    try:
        release.verify()
    except (DataError, ReleaseError) as error:
        raise ReleaseError(
            f"The release {folder} does not hold what its card says: {error}"
        ) from None
    return release


def _agreed_before(release: Release, claim: object) -> bool:
    """Whether a complement's card claims just this, in the words of earlier versions."""
    if release.universe is None:
        return False
    told = as_told_before(release.universe, release.claim.notes)
    return replace(release.claim, notes=told).agrees(claim)


def _table(opened: Opened, part: PartEntry, spark: Any) -> Table:
    folder = opened.folder if spark is None else opened.folder.absolute()  # as workers know it
    paths = [folder / file.name for file in part.files]
    sums = [file.sha256 for file in part.files]
    try:
        if spark is None:
            stamps = list(in_threads(lambda file: opened.check(file.name, file.sha256), part.files))
        else:
            from privet.table.spark import on_workers

            stamps = [stamp_of(path) for path in paths]  # what workers read must have them still
            on_workers(spark, _checked, list(zip(paths, sums, strict=True)), "checking")
        table = ParquetTable(paths, stamps=stamps)
    except OSError as error:
        path = Path(error.filename or folder)
        raise ReleaseError(f"{path} cannot be read: {cause(error)}.") from None
    except DataError as error:
        raise ReleaseError(str(error)) from None
    for path, file in zip(paths, part.files, strict=True):
        if sum(piece.rows for piece in table.pieces if piece.origin.path == path) != file.rows:
            raise ReleaseError(f"{path} does not hold the number of rows its card lists.")
    if spark is not None:
        from privet.table.spark import SparkTable

        return SparkTable.over(spark, table)
    return table


def _checked(file: tuple[Path, str]) -> bytes:
    check_digest(*file)
    return b""


def _check_columns(release: Release, folder: Path, card: Card) -> None:
    for number, part in enumerate(release.parts):
        listed = [name for name in release.column_names if name not in card.parts[number].lacks]
        types = {name: str(release.column_type(name, part)) for name in listed}
        stored = getattr(part.table, "types", {})
        if list(stored.items()) != [(name, _ARROW.get(kind, kind)) for name, kind in types.items()]:
            path = folder / card.parts[number].files[0].name
            raise ReleaseError(f"{path} does not hold the columns its card lists.")
