"""The command line: ``privet``, a verb for every step, one file per command.

A command parses, calls the library and prints. Nothing heavy is imported before a command runs, so
that ``privet --help`` answers at once.
"""

from __future__ import annotations

import atexit
import gc
import sys

import click

from privet import __version__
from privet.cli.failure import stop_cleanly
from privet.cli.group import Commands

__all__ = ["cli", "main"]

# Each command lives in the file of its name, which is imported when it is asked for.
_COMMANDS = {
    "Owner: has records, disguises them": [
        "schema",
        "advise",
        "disguise",
        "store",
        "decode",
        "keygen",
        "ledger",
    ],
    "Parties: several owners, one tree": ["party"],
    "Researcher: asks people who disguise their own answers": ["survey"],
    "Miner: has a release, learns from it": [
        "mine",
        "bayes",
        "score",
        "predict",
        "shares",
        "crosstab",
        "reconstruct",
    ],
    "Auditor: measures what a release discloses": ["audit", "compare"],
    "Everyone": ["open", "demo", "show", "verify", "generate", "reproduce", "completion"],
}
_ON_SPARK = ("disguise", "mine", "predict")


@click.group(
    cls=Commands,
    roles=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="privet")
@click.option(
    "--master", metavar="URL", help="Work on a Spark cluster: spark://host:7077, or local[4]."
)
@click.pass_context
def cli(ctx: click.Context, master: str | None) -> None:
    """Mine decision trees from records that were disguised before anyone else saw them.

    Start with: privet demo
    """
    if master is not None and ctx.invoked_subcommand not in _ON_SPARK:
        raise click.UsageError(f"--master goes with {', '.join(_ON_SPARK)}.")
    ctx.obj = master


def main() -> None:
    """Run the command line; the entry point of ``privet``."""
    # Most of what a short command makes is modules, which stay. Looking for garbage among them took
    # a twentieth of its time; taking them apart in the end, when memory is freed anyway, a fourth.
    gc.set_threshold(20_000, 20, 20)
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a sign gets its number instead of an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    stop_cleanly()
    cli(prog_name="privet")
