"""The group of all commands: loaded when asked for, listed by role, failing in one way."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

from privet.cli.bar import shown
from privet.cli.failure import Failure, failure_of, in_options
from privet.cli.output import warned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Commands"]


class Commands(click.Group):
    """Commands by role; ``roles`` names the files they live in, in the order of listing."""

    def __init__(self, *args: Any, roles: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.roles = roles

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the order of the roles."""
        del ctx
        return [name for names in self.roles.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command's file and return the command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"privet.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their roles."""
        for role, names in self.roles.items():
            with formatter.section(role):
                rows = []
                for name in names:
                    command = self.get_command(ctx, name)
                    rows.append((name, command.get_short_help_str(100) if command else ""))
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, with a bar for long work; whatever goes wrong becomes one message."""
        words = list(ctx.args)  # click empties it
        as_json = "--json" in words
        try:
            with shown(), warned(lambda text: self._told(text, ctx, words)):
                return super().invoke(ctx)
        except (click.exceptions.Exit, BrokenPipeError):
            raise
        except click.ClickException as error:
            if as_json and not isinstance(error, Failure):
                raise Failure(error.format_message(), as_json=True) from None
            raise
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - told in one way
            options = self._options(ctx, words)
            raise failure_of(error, as_json=as_json, options=options) from None

    def _options(self, ctx: click.Context, words: list[str]) -> dict[str, str]:
        """Return the options of the command that ran, by the names of the settings they are."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        if isinstance(command, click.Group):
            known = command.commands
            command = next((known[word] for word in words if word in known), None)
        options = {}
        given = {word.partition("=")[0] for word in words}
        for parameter in command.params if command is not None else ():
            longest = max(parameter.opts, key=len)
            if isinstance(parameter, click.Option):
                options[longest.removeprefix("--").replace("-", "_")] = longest
        if "output" in options:
            options["to"] = options["output"]
        if "set" in options and "--method" in given:
            for amount in ("gamma", "epsilon", "rho"):  # a method takes them as settings only
                options.pop(amount, None)
        elif "--plan" in given or not {"--gamma", "--epsilon", "--rho"} & given:
            options.pop("set", None)
        return options

    def _told(self, text: str, ctx: click.Context, words: list[str]) -> str:
        """Return a warning whose settings are those of the command that ran."""
        return in_options(text, self._options(ctx, words), spaced=True)
