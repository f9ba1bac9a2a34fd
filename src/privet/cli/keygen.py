"""``privet keygen``: a key to sign releases with, and the public key to check them by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@options.command(
    "privet keygen --output owner.key",
    "privet disguise people.csv --schema people.toml --gamma 8 --sign owner.key -o p.release",
    "privet verify p.release --by owner.key.pub",
)
@options.output("The file of the key; the public one gets the same name and .pub.", required=True)
@options.as_json
def command(output: Path, as_json: bool) -> None:
    """Make a key that signs releases, and the public key that checks its signatures.

    The secret that parties share for a join is made by privet party keygen.
    """
    from privet.cli.files import check_free
    from privet.cli.output import emit, say
    from privet.errors import InputError
    from privet.signing import SigningKey

    public = output.with_name(f"{output.name}.pub")
    for path in (output, public):
        if path.is_file():
            message = f"{path} exists already, and a key is never replaced."
            raise InputError(message, hint="choose another name.")
        check_free(path, overwrite=False)
    key = SigningKey.new()
    key.write(output)
    key.public.write(public)
    if as_json:
        emit({"key": str(output), "public_file": str(public), "public": str(key.public)})
        return
    say(f"{output}: the key, readable by you alone. Who has it can sign in your name.")
    say(f"{public}: the public key. Give it to whoever reads your releases, apart from them.")
    say(f"Its name: {key.public}.")
