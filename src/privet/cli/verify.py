"""``privet verify``: whether a release is as it was written, and who signed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.party import PartyRelease
    from privet.release import Release

__all__ = ["command"]


@options.command(
    "privet verify people.release",
    "privet verify people.release --by owner.key.pub",
    "privet verify clinic.party --by clinic.key.pub",
)
@click.argument("release", type=options.EXISTING, metavar="RELEASE|PARTY")
@options.by
@options.as_json
def command(release: Path, by: Path | None, as_json: bool) -> None:
    """Check a release, or a party's folder: every checksum, the claim, the signature.

    With --by it must be signed by that key; without, anyone could have made it.
    """
    from privet.cli.output import emit, say
    from privet.cli.tables import signed_by_stranger

    read = _read(release, by)
    signer = read.signed_by
    if as_json:
        form: dict[str, Any] = {"rows": read.rows, "named": by is not None}
        emit({**form, "signed_by": None if signer is None else str(signer)})
        return
    say(f"{release}: {read.rows:,} records; all checksums hold.")
    if signer is None:
        say("It is not signed: whoever altered it on purpose could have made the checksums anew.")
    elif by is None:
        say(signed_by_stranger(release, signer))
        say("Get the public key from the owner by another way, and name it with --by.")
    else:
        say(f"It is signed by {signer}, as asked.")


def _read(folder: Path, by: Path | None) -> Release | PartyRelease:
    from privet.party import PartyRelease
    from privet.party.folder import RECORDS
    from privet.release import Release

    if (folder / RECORDS).exists():
        return PartyRelease.read(folder, by=by)
    return Release.read(folder, by=by)
