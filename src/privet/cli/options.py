"""Options that several commands share, as decorators: ``@options.overwrite``."""

from __future__ import annotations

from functools import partial, reduce, wraps
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from privet.cli.words import POLICIES
from privet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

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
        """Return the number, a whole one exactly."""
        number = super().convert(value, param, ctx)
        if not number > 1:
            hint = "5 to 12 is usual; the smaller, the more private."
            raise InputError("gamma must be a number above 1.", hint=hint)
        return int(number) if number.is_integer() else number


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


PATH: click.Path = click.Path(path_type=Path)
EXISTING: click.Path = _Existing(path_type=Path)
TABLE: click.Path = _Table(path_type=Path)
GAMMA = _Gamma()

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
# How a tree grows: ``policy``, ``max_depth``, ``min_samples_leaf``.
growth = _together(
    click.option("--policy", type=POLICIES, help="How the tree grows.  [default: cart, pruned]"),
    click.option("--max-depth", type=click.IntRange(1), help="The maximum depth: tests on a path."),
    click.option(
        "--min-samples-leaf",
        type=click.FloatRange(0),
        help="The minimum number of records in a leaf.",
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


# Where a disguise is kept: signed, counted in a ledger, in place of an older one.
keeping = _together(sign, ledger, overwrite, as_json)


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
