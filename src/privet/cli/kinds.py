"""Kinds of values that options and arguments take."""

from __future__ import annotations

from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EDGES", "EXISTING", "GAMMA", "PATH", "SIGNER", "TABLE", "WORDS"]


class _Existing(click.Path):
    """A file or folder that must be there, which is told before anything heavy is imported."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.exists() and not self.stands_for_files(path):
            raise InputError(f"There is no file or folder {path}.", hint="check the name.")
        return path

    @staticmethod
    def stands_for_files(path: Path) -> bool:
        """Whether a name that does not exist may be right all the same."""
        del path
        return False


class _Table(_Existing):
    """A file, a folder, or a pattern for files."""

    @staticmethod
    def stands_for_files(path: Path) -> bool:
        """Whether the name is a pattern."""
        return has_magic(str(path))


class _Gamma(click.types.FloatParamType):
    """A number above 1; the library checks it to the last digit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, exactly if it is whole."""
        number = super().convert(value, param, ctx)
        if not number > 1:
            hint = "5 to 12 is usual; the smaller, the more private."
            raise InputError("gamma must be a number above 1.", hint=hint)
        return int(number) if number.is_integer() else number


PATH: click.Path = click.Path(path_type=Path)
EXISTING: click.Path = _Existing(path_type=Path)
TABLE: click.Path = _Table(path_type=Path)
GAMMA = _Gamma()


class WORDS(click.ParamType[str]):
    """A word of a list that the library keeps and checks; a shell completes it.

    The list is fetched only for completion, so that help stays quick.
    """

    name = "word"

    def __init__(self, fetch: Callable[[], list[str]]) -> None:
        self.fetch = fetch

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that begin so."""
        del ctx, param
        return [CompletionItem(word) for word in self.fetch() if word.startswith(incomplete)]


class SIGNER(click.ParamType[tuple[str, Path]]):
    """A party and its public key: NAME=FILE."""

    name = "party=public"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Path]:
        """Return the party and the file, which must be there."""
        party, sign, file = str(value).partition("=")
        if not sign or not party:
            return self.fail("takes PARTY=PUBLIC, as in clinic=clinic.pub.", param, ctx)
        return party, Path(str(EXISTING.convert(file, param, ctx)))


class EDGES(click.ParamType[tuple[str, list[float]]]):
    """Borders of an attribute: NAME=20,40,65."""

    name = "name=20,40,65"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, list[float]]:
        """Return the name and its borders."""
        name, sign, listed = str(value).rpartition("=")
        try:
            if sign and name:
                return name, [float(number) for number in listed.split(",")]
        except ValueError:
            pass
        return self.fail("takes NAME=20,40,65.", param, ctx)
