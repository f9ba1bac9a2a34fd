"""``privet demo``: the whole way from a table to a tree, told on one screen."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from privet.estimators import TreeClassifier
    from privet.release import Release

__all__ = ["command"]

_WIDTH = 100
_SHOWN = 3  # levels printed
_TESTED = 20_000
_ROWS = 500_000


def _names() -> list[str]:
    from privet import datasets

    return [name for name in datasets.names() if datasets.is_generated(name)]


@dataclass(frozen=True)
class _Grown:
    """A tree, how often it is right about fresh plain records, and how often by its own counts."""

    name: str
    model: TreeClassifier
    right: float

    @property
    def believed(self) -> float:
        tree = self.model.tree_
        return float(tree.counts[tree.leaves, tree.label[tree.leaves]].sum() / tree.counts[0].sum())

    def form(self) -> dict[str, Any]:
        return {
            "tree": self.name,
            "method": self.model.method_,
            "accuracy": self.right,
            "accuracy_by_its_own_counts": self.believed,
            "leaves": len(self.model.tree_.leaves),
        }


@click.command("demo")
@click.argument("name", type=options.WORDS(_names), default="as-f2")
@click.option("--rows", type=click.IntRange(100), default=_ROWS, help="How many records.")
@click.option("--gamma", type=options.GAMMA, default=8, help="How strong the disguise is.")
@click.option(
    "--bins",
    type=click.IntRange(2),
    help="Cells per numeric attribute; by default as many as suit.",
)
@click.option("--seed", type=click.IntRange(0), help="Tell the same story again; NOT PRIVATE.")
@options.as_json
def command(
    name: str, rows: int, gamma: float, bins: int | None, seed: int | None, as_json: bool
) -> None:
    """Generate, disguise, mine and compare, and tell the story on one screen.

    NAME is one of the made-up tables of privet generate. Nothing is read or written.
    """
    from privet import datasets
    from privet.cli.output import emit, note
    from privet.disguise import Exact, Plan, RandomSubstitution
    from privet.errors import InputError

    if not datasets.is_generated(name):
        raise InputError(f"The demo makes its table up; {name!r} is not made up.", hint="as-f2.")
    started = time.perf_counter()
    if not as_json:
        note("One moment (the first run on a machine compiles its kernels).")
    table = datasets.load(name, rows=rows, seed=seed)
    fresh = datasets.load(name, rows=_TESTED, seed=None if seed is None else seed + 1)
    schema = datasets.schema(name, bins=bins)
    release = RandomSubstitution(gamma=gamma).disguise(table, schema, seed=seed)
    plain = Plan({}, default=Exact()).disguise(table, schema)
    grown = [
        _grown("from the originals", plain, "auto", fresh),
        _grown("from the release", release, "auto", fresh),
        _grown("from the release, without correction", release, "naive", fresh),
    ]
    seconds = time.perf_counter() - started
    if as_json:
        form = {"name": name, "rows": rows, "gamma": gamma, "bins": bins, "seconds": seconds}
        trees = [grown_tree.form() for grown_tree in grown]
        emit(form | {"claim": release.claim.to_dict(), "tested_on": _TESTED, "trees": trees})
        return
    _tell(name, release, grown, seconds)


def _grown(name: str, release: Release, method: str, fresh: Any) -> _Grown:
    from privet.estimators import TreeClassifier

    model = TreeClassifier(method=method).fit(release)
    return _Grown(name, model, model.score(fresh))


def _tell(name: str, release: Release, grown: list[_Grown], seconds: float) -> None:
    from rich.console import Console
    from rich.text import Text

    from privet.tree.text import render

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDTH) if console.is_terminal else _WIDTH
    _chapter(console, "The owner", _owner(name, release))
    _chapter(console, "The promise", _promise(release))
    _chapter(
        console,
        "The miner",
        ["has nothing but the release. Its counts, corrected for the disguise, grow this tree:"],
    )
    console.print()
    drawn = render(grown[1].model.tree_, _SHOWN)
    console.print(Text(drawn), style="green", no_wrap=True, overflow="ellipsis")
    console.print()
    _chapter(console, "The proof", [f"{_TESTED:,} fresh plain records judge three trees."])
    console.print(_compared(grown))
    console.print("Without correction false values are taken for true, and most borders are lost.")
    console.print(
        f"That took {seconds:.1f} s. On your own table: privet schema, then disguise, then mine."
    )


def _chapter(console: Console, title: str, sentences: list[str]) -> None:
    from rich.table import Table

    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=11, style="bold")
    grid.add_column()
    for place, sentence in enumerate(sentences):
        grid.add_row("" if place else title, sentence)
    console.print(grid)


def _owner(name: str, release: Release) -> list[str]:
    part = release.parts[0]
    changed = [1 - _kept(channel) for channel in part.channels]
    first = part.channels[0]
    mean = _percent(sum(changed) / len(changed))
    return [
        f"has {release.rows:,} records of made-up people ({name}). Before anyone sees them, each",
        "value but the class becomes a range or a value that is, at random, true or false.",
        f"{_percent(changed[0])} of {first.attributes[0]!r} is now false, {mean} of all values.",
    ]


def _kept(channel: Any) -> float:
    """Return how often what is released is likeliest to come from the true value, among others."""
    law = channel.matrix()[:, 0]
    return float(law[law == law.max()].sum() / law.sum())


def _promise(release: Release) -> list[str]:
    from privet.release.claim import PRIORS, posterior

    claim = release.claim
    worst = max(claim.disguised, key=lambda promise: promise.epsilon)
    disclosed = " and ".join(repr(name) for name in claim.disclosed)
    seeded = ["NOT PRIVATE: drawn from a seed."] if claim.seeded else []
    most = _percent(float(posterior(PRIORS[1], worst.gamma)))
    number, total = len(claim.disguised), claim.disguised_epsilon
    return [
        *seeded,
        f"Each attribute: ε = {worst.epsilon:.2f} (γ = {float(worst.gamma or 0):.4g}).",
        f"A guess of 5 % about one of them rises to {most} at most.",
        f"All {number} attributes of a record together: ε = {total:.2f}, the sum.",
        f"The class {disclosed} is disclosed: it stands in the release as it was.",
    ]


def _compared(grown: list[_Grown]) -> Any:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("tree grown")
    for title in ("right", "by its own counts", "leaves"):
        table.add_column(title, justify="right")
    for grown_tree in grown:
        leaves = f"{len(grown_tree.model.tree_.leaves):,}"
        style = "bold green" if grown_tree is grown[1] else None
        table.add_row(
            grown_tree.name,
            _percent(grown_tree.right),
            _percent(grown_tree.believed),
            leaves,
            style=style,
        )
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
