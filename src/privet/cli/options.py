"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PATH", "WORDS", "examples", "json_option", "output_option", "overwrite_option"]

PATH: click.Path = click.Path(path_type=Path)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON on stdout, and errors as JSON on stderr."
)
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace what is there already.")


def examples(*lines: str) -> str:
    """Return the end of a help page: lines to type, as they stand."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def output_option(text: str, *, required: bool = False) -> Callable[[Any], Any]:
    """Return the option that says where a result goes."""
    return click.option("-o", "--output", type=PATH, required=required, help=text)


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
