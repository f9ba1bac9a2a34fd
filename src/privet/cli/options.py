"""Options that several commands share, as decorators: ``@options.overwrite``."""

from __future__ import annotations

from functools import partial, reduce, wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from privet.cli.kinds import EDGES, EXISTING, GAMMA, PATH, SIGNER, TABLE, WORDS
from privet.cli.words import POLICIES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = [
    "EDGES",
    "EXISTING",
    "GAMMA",
    "PATH",
    "SIGNER",
    "TABLE",
    "WORDS",
    "Counting",
    "allow_plain",
    "as_json",
    "by",
    "command",
    "csv_format",
    "estimate",
    "group",
    "growth",
    "keeping",
    "ledger",
    "output",
    "overwrite",
    "schema",
    "sign",
]


def command(*examples: str, cls: type[click.Command] = click.Command) -> Callable[[Any], Any]:
    """Make a function the command that its file is named after; its help ends with examples."""
    epilog = "\n".join(["\b", "Examples:", *(f"  {line}" for line in examples)])

    def make(work: Callable[..., Any]) -> click.Command:
        return click.command(work.__module__.rpartition(".")[2], cls, epilog=epilog)(work)

    return make


group = partial(command, cls=click.Group)


def _together(*listed: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a decorator that gives a command options, which its help lists in this order."""
    return lambda command: reduce(lambda given, option: option(given), reversed(listed), command)


as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON on stdout, and errors as JSON on stderr."
)
overwrite = click.option("--overwrite", is_flag=True, help="Replace an existing output.")
sign = click.option(
    "--sign", type=EXISTING, metavar="KEY", help="Sign with this key (see privet keygen)."
)
_ledger = _together(
    click.option(
        "--ledger", type=PATH, metavar="FILE", help="Record what it costs, before it is made."
    ),
    click.option("--dataset", metavar="NAME", help="The name of these records in the ledger."),
    click.option(
        "--budget", type=click.FloatRange(0), help="The most ε that these records may cost in all."
    ),
    click.option(
        "--accept-unbounded", is_flag=True, help="Go on although the method has no ε to record."
    ),
)
schema = click.option(
    "--schema", type=EXISTING, required=True, help="The schema: public domains (.toml or .json)."
)
allow_plain = click.option(
    "--allow-plain",
    multiple=True,
    metavar="NAME",
    help="An attribute that is plain on purpose, as the class is. Repeatable.",
)
by = click.option(
    "--by", type=EXISTING, metavar="PUBLIC", help="Require a signature by this public key."
)
# How a tree grows: ``policy``, and what changes it.
growth = _together(
    click.option("--policy", type=POLICIES, help="How the tree grows.  [default: cart, pruned]"),
    click.option("--max-depth", type=click.IntRange(1), help="The maximum depth: tests on a path."),
    click.option(
        "--min-samples-leaf",
        type=click.FloatRange(0),
        help="The minimum number of records in a leaf; below 1, their share of all.",
    ),
    click.option(
        "--max-purity",
        type=click.FloatRange(0, 1, min_open=True),
        help="Split no node in which one class has this share of the records.",
    ),
)


def output(text: str, *, required: bool = False) -> Callable[[Any], Any]:
    """Return the option that says where a result goes."""
    return click.option("-o", "--output", type=PATH, required=required, help=text)


_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " ", "\\t": "\t"}
_csv_format = _together(
    click.option(
        "--delimiter", metavar="SIGN", help="CSV: the column separator, or tab, semicolon."
    ),
    click.option("--decimal", type=click.Choice([".", ","]), help="CSV: the decimal sign."),
    click.option("--encoding", metavar="NAME", help="CSV: utf-8, latin-1, cp1252, utf-16, ..."),
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="CSV: text that means a missing value, instead of ?, NA, NaN and NULL. Repeatable.",
    ),
)


def csv_format(command: Callable[..., Any]) -> Any:
    """Let a command take how a CSV file is written, as the argument ``written``: a ``Format``.

    What is not said is sniffed from each file.
    """

    @wraps(command)
    def run(
        *arguments: Any,
        delimiter: str | None,
        decimal: str | None,
        encoding: str | None,
        missing: tuple[str, ...],
        **settings: Any,
    ) -> Any:
        from privet.files.format import Format

        separator = _SEPARATORS.get(delimiter or "", delimiter)
        written = Format(separator, decimal, encoding, missing or None)
        return command(*arguments, written=written, **settings)

    return _csv_format(run)


class Counting(NamedTuple):
    """How counts are estimated: borders by attribute, weights, and what errors are about."""

    edges: dict[str, list[float]]
    weights: str | None
    population: bool


def estimate(command: Callable[..., Any]) -> Any:
    """Let a command take a release, as ``release``, and how to estimate from it, as ``how``."""

    @wraps(command)
    def run(
        release: Path,
        edges: tuple[tuple[str, list[float]], ...],
        weights: str | None,
        population: bool,
        by: Path | None,
        **settings: Any,
    ) -> Any:
        from privet.cli.tables import read_release

        how = Counting(dict(edges), weights, population)
        return command(release=read_release(release, by), how=how, **settings)

    return _estimate(run)


def ledger(command: Callable[..., Any]) -> Any:
    """Let a command take a ledger, as the argument ``spending``: a ``Spending``."""

    @wraps(command)
    def run(
        *arguments: Any,
        ledger: Path | None,
        dataset: str | None,
        budget: float | None,
        accept_unbounded: bool,
        **settings: Any,
    ) -> Any:
        from privet.cli.ledger import Spending

        spending = Spending.told(ledger, dataset, budget, accept_unbounded=accept_unbounded)
        return command(*arguments, spending=spending, **settings)

    return _ledger(run)


# Where a disguise is kept: signed, counted in a ledger, in place of an older release.
keeping = _together(sign, ledger, overwrite, as_json)


_estimate = _together(
    click.argument("release", type=EXISTING),
    click.option(
        "--edges",
        type=EDGES(),
        multiple=True,
        help="Borders between ranges of a numeric attribute. Repeatable.",
    ),
    click.option(
        "--weights", metavar="NAME", help="The exact attribute that holds sampling weights."
    ),
    click.option(
        "--population",
        is_flag=True,
        help="Estimate errors about the population, not only these records.",
    ),
    by,
)
