"""``privet completion``: the script that makes a shell complete privet's words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from privet.cli import options

__all__ = ["command"]


@options.command(
    'in ~/.bashrc: eval "$(privet completion bash)"',
    'in ~/.zshrc: eval "$(privet completion zsh)"',
    "in ~/.config/fish/config.fish: privet completion fish | source",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that completes commands in a shell."""
    from privet.cli import cli
    from privet.cli.output import say

    kind = get_completion_class(shell)
    if kind is not None:
        made = kind(cli, {}, "privet", "_PRIVET_COMPLETE")
        say(made.source_template % made.source_vars())
