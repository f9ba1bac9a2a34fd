"""Describe every command with its options, from the commands themselves.

The page of commands is filled in when the site is built, so it cannot be out of date.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["described"]


def described() -> str:
    """Return all commands as Markdown, in the order of ``privet --help``."""
    from privet.cli import cli

    context = click.Context(cli, info_name="privet", **cli.context_settings)
    lines = ["## privet", "", *_options(cli, context)]
    for role, names in cli.roles.items():
        lines += [f"## {role}", ""]
        for name in names:
            command = cli.get_command(context, name)
            if command is not None:
                lines += _command(command, click.Context(command, context, info_name=name), 3)
    return "\n".join(lines)


def _command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield f"{'#' * level} {context.command_path}"
    yield ""
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    yield ""
    yield _prose(command.help or "")
    yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _command(child, click.Context(child, context, info_name=name), level + 1)
        return
    yield from _options(command, context)


def _prose(text: str) -> str:
    """Return help as Markdown: paragraphs, with those marked by a backspace kept line by line."""
    paragraphs = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            paragraphs.append(f"```text\n{paragraph.removeprefix(chr(8)).strip(chr(10))}\n```")
        else:
            paragraphs.append(_plain(paragraph))
    return "\n\n".join(paragraphs)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = [
        parameter.get_help_record(context)
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option)
    ]
    rows = [record for record in records if record is not None]
    if not rows:
        return
    yield "| option | meaning |"
    yield "|---|---|"
    for names, meaning in rows:
        yield f"| `{names.replace('|', chr(92) + '|')}` | {_cell(meaning)} |"
    yield ""


def _cell(text: str) -> str:
    return _plain(" ".join(text.split())).replace("|", "\\|")


def _plain(text: str) -> str:
    """Return text in which Markdown finds no signs of its own."""
    table: dict[str, Any] = {sign: f"\\{sign}" for sign in "*_<>[]"}
    return text.translate(str.maketrans(table))


if __name__ == "__main__":
    print(described())
