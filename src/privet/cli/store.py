"""``privet store``: samples in a database that never holds one of them as it was."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from privet.cli import options
from privet.cli.words import PICKS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from privet.disguise import Complement
    from privet.disguise.loss import Loss
    from privet.release.universe import Universe
    from privet.schema import Files, Format
    from privet.store import Store

__all__ = ["command"]


_url = click.argument("url", metavar="STORE")
_pick = click.option(
    "--pick",
    type=PICKS,
    default="first",
    help="Which record becomes unreal. With dummy, T^P alone gives every sample back.",
)
_dummy = click.option(
    "--dummy", metavar="NAME", help="With --pick dummy: the attribute that gets dummy values."
)


@options.group(
    "privet store create samples.db --schema people.toml",
    "privet store add samples.db monday.csv",
    "privet store mine samples.db --output tree.json",
)
def command() -> None:
    """Collect samples in a database as unreal records (dataset complementation).

    STORE is an SQLite file, or a URL: postgresql://user@host/database. Trees come out exactly as
    from the samples themselves.
    """


def _opened(work: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take the store at a URL, as the argument ``store``."""

    @_url
    @wraps(work)
    def run(url: str, **settings: Any) -> Any:
        from privet.store import Store

        with Store.open(url) as store:
            return work(store=store, **settings)

    return run


def _method(pick: str, dummy: str | None) -> Complement:
    from privet.disguise import Complement

    return Complement(pick, dummy)  # type: ignore[arg-type]


@command.command("plan")
@options.schema
@_pick
@_dummy
@click.argument("table", type=options.TABLE, required=False)
@click.option("--leaked", type=click.IntRange(1), default=1, help="How many records leak.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="The chance that whoever has the leaked records rebuilds all collected ones.",
)
@click.option(
    "--p-d",
    type=click.FloatRange(0),
    default=1.0,
    help="The private information of a stored record that matches a collected one.",
)
@click.option(
    "--p-r",
    type=click.FloatRange(0),
    help="That of a stored and a collected record once all are rebuilt. "
    "[default: 1 / number of stored records]",
)
@click.option("--draw", type=options.PATH, help="Draw the loss of every pick into this file.")
@options.csv_format
@options.as_json
def plan(
    schema: Path,
    pick: str,
    dummy: str | None,
    table: Path | None,
    leaked: int,
    alpha: float,
    p_d: float,
    p_r: float | None,
    draw: Path | None,
    written: Format,
    as_json: bool,
) -> None:
    """Say what a store would cost and disclose before there is one; for a TABLE, exactly."""
    from privet.cli.output import emit, say
    from privet.cli.tables import table_files
    from privet.schema import Schema

    declared = Schema.read(schema)
    method = _method(pick, dummy)
    universe = method.universe(declared)
    form: dict[str, Any] = {
        "universe": universe.size,
        "rows_at_most": 2 * universe.size,
        "sentences": method.claim(declared).sentences(),
    }
    lines = [
        f"The universe has {universe.size:,} records, so at most {2 * universe.size:,} rows.",
        *(f"- {sentence}" for sentence in form["sentences"]),
    ]
    if table is not None:
        files = table_files(table, written, declared)
        told = {"alpha": alpha, "p_d": p_d, "p_r": p_r}
        losses = {
            name: _loss(
                _method(name, dummy if name == "dummy" else None), declared, files, leaked, told
            )
            for name in (PICKS.choices if draw else [pick])
        }
        form["loss"] = asdict(losses[pick])
        lines += [f"- {sentence}" for sentence in losses[pick].sentences()]
        if draw is not None:
            from privet.disguise.loss_drawing import save_losses

            save_losses(losses, draw)
            lines.append(f"Drawn: {draw}")
    elif draw is not None:
        raise click.UsageError("--draw needs a TABLE.")
    emit(form) if as_json else say("\n".join(lines))


def _loss(method: Complement, schema: Any, table: Files, leaked: int, told: dict[str, Any]) -> Loss:
    import numpy as np

    from privet.disguise.loss import loss_of
    from privet.disguise.unrealize import Unrealizer
    from privet.randomness import Randomness

    universe: Universe = method.universe(schema)
    collected = np.zeros(universe.size, np.int64)
    with Randomness.system() as source:
        unrealizer = Unrealizer(universe, method.pick, source)
        for cells in method.cells(table, schema):
            np.add.at(collected, cells, 1)
            unrealizer.add(cells)
    return loss_of(universe, collected, unrealizer.copies, leaked, **told)


@command.command("create")
@_url
@options.schema
@_pick
@_dummy
@click.option("--token-days", type=float, default=7, help="How many days tokens are remembered.")
@options.as_json
def create(
    url: str, schema: Path, pick: str, dummy: str | None, token_days: float, as_json: bool
) -> None:
    """Make an empty store."""
    from privet.cli.output import emit, say
    from privet.schema import Schema
    from privet.store import Store

    made = Store.create(url, Schema.read(schema), _method(pick, dummy), token_days=token_days)
    with made:
        claim = made.method.claim(made.schema).sentences()
        if as_json:
            emit({"store": made.database.name, "universe": made.universe.size, "sentences": claim})
            return
        say(f"{made.database.name}: an empty store, a universe of {made.universe.size:,} records.")
        for sentence in claim:
            say(f"- {sentence}")
        if not made.database.sqlite:
            say(f"- {_LINGERS}")


_LINGERS = (
    "PostgreSQL keeps old versions of rows, and its log, until they are vacuumed and recycled: "
    "whoever reads its files can compare them."
)


@command.command("add")
@_url
@click.argument("table", metavar="TABLE|-")
@click.option("--token", help="The token of an earlier call that may have been counted.")
@click.option("--schema", type=options.EXISTING, help="Refuse unless this is the store's schema.")
@options.csv_format
@options.as_json
def add(
    url: str, table: str, token: str | None, schema: Path | None, written: Format, as_json: bool
) -> None:
    """Count the samples of a file, all or none; - reads one JSON record per line.

    When a call fails, give the same samples and the token it names again: they count once.
    """
    from pathlib import Path

    from privet.cli.output import emit, say
    from privet.cli.tables import table_files
    from privet.schema import Schema
    from privet.store import Store

    declared = None if schema is None else Schema.read(schema)
    with Store.open(url, schema=declared) as store:
        samples: Any = _lines(store.schema.names) if table == "-" else None
        if samples is None:
            samples = table_files(Path(table), written, store.schema)
        receipt = store.add(samples, token=token)
        if as_json:
            emit(receipt._asdict())
        elif receipt.repeated:
            say(f"{receipt.samples:,} samples: an earlier call with this token had counted them.")
        else:
            say(f"{receipt.samples:,} samples counted. Token: {receipt.token}")


def _lines(names: list[str]) -> dict[str, list[Any]]:
    """Return the records of stdin; a complaint never quotes a line."""
    from privet.errors import DataError

    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, line in enumerate(sys.stdin, 1):
        try:
            record = json.loads(line) if line.strip() else {}
            for name in names if record else ():
                columns[name].append(record[name])
        except (ValueError, KeyError, TypeError):
            message = f"Line {number} is not a JSON record with all columns."
            raise DataError(message, hint=f"each needs {', '.join(names)}.") from None
    return columns


@command.command("status")
@_opened
@options.as_json
def status(store: Store, as_json: bool) -> None:
    """Show how a store stands, in totals only."""
    from privet.cli.output import emit, say
    from privet.release.universe_words import alone

    facts = store.status()
    loss = store.loss() if facts.samples else None
    said = [*(loss.sentences() if loss else []), alone(store.universe)]
    if as_json:
        form = asdict(facts) | {"schema": store.schema.to_dict(), "sentences": said}
        emit(form | ({} if loss is None else {"loss": asdict(loss)}))
        return
    say(f"{facts.name}: {facts.samples:,} samples, pick {facts.pick}.")
    say(f"Universe: {facts.universe:,} records, {facts.copies:,} copies.")
    say(f"T′: {facts.samples:,} records in {facts.unreal_rows:,} rows.")
    say(f"T^P: {facts.perturbing_records:,} records in {facts.perturbing_rows:,} rows.")
    say(f"Class {store.schema.target!r}; attributes {', '.join(store.schema.names)}.")
    say(f"{facts.tokens:,} tokens of late calls are remembered.")
    for sentence in said:
        say(f"- {sentence}")
    if facts.lingers:
        say(f"- {_LINGERS}")


@command.command("mine")
@_url
@options.output("Where to write the tree (JSON).")
@click.option("--target", metavar="NAME", help="The class, if not the schema's: any attribute.")
@options.growth
@options.overwrite
@options.as_json
def mine(
    url: str,
    output: Path | None,
    target: str | None,
    policy: str | None,
    max_depth: int | None,
    min_samples_leaf: float | None,
    max_purity: float | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Grow the samples' own tree from the store, without reconstructing any of them."""
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, say
    from privet.store import Store
    from privet.tree.text import render

    check_free(output, overwrite=overwrite)
    with Store.open(url) as store:
        grown = {"policy": policy, "max_depth": max_depth, "min_samples_leaf": min_samples_leaf}
        model = store.mine(target=target, max_purity=max_purity, **grown)
    if output is not None:
        write_text(output, model.tree_.to_json(), overwrite=overwrite)
    if as_json:
        emit({"method": model.method_, "reason": model.reason_, "tree": model.tree_.to_dict()})
        return
    say(render(model.tree_, 3))
    say(f"\nMethod {model.method_}: {model.reason_}.")


@command.command("export")
@_url
@options.output("The folder to write the release to, or with --originals the table.", required=True)
@click.option(
    "--originals",
    is_flag=True,
    help="Write the SAMPLES THEMSELVES (.csv or .parquet) instead: this undoes the disguise.",
)
@options.sign
@options.overwrite
@options.as_json
def export(
    url: str, output: Path, originals: bool, sign: Path | None, overwrite: bool, as_json: bool
) -> None:
    """Write the store as a release: two tables that together give every sample back."""
    from privet.cli.files import new_file
    from privet.cli.output import emit, say
    from privet.cli.tables import check_kind, write_batches
    from privet.store import Store

    if originals:
        if sign is not None:
            raise click.UsageError("--sign is for a release, not for --originals.")
        check_kind(output)
    with Store.open(url) as store:
        release = store.release()
        if originals:
            table = store.originals()
            with new_file(output, overwrite=overwrite) as made:
                write_batches(made, output.suffix, iter(table.to_batches()))
        else:
            release.write(output, overwrite=overwrite, sign=sign)
    if as_json:
        emit({"output": str(output), "rows": release.rows, "originals": originals})
    elif originals:
        say(f"{output}: {release.rows:,} samples AS THEY WERE COLLECTED. Nothing protects them.")
    else:
        say(f"{output}: {release.rows:,} samples, complemented.")
        for sentence in release.claim.sentences():
            say(f"- {sentence}")


@command.command("verify")
@_opened
@options.as_json
def verify(store: Store, as_json: bool) -> None:
    """Check cell by cell that nothing is lost and nothing counted twice."""
    from privet.cli.output import emit, say

    samples = store.verify()
    if as_json:
        emit({"store": store.database.name, "samples": samples, "intact": True})
    else:
        said = f"{samples:,} samples, and q·T^U = T_S + T′ + T^P in each"
        say(f"{store.database.name}: {said} of {store.universe.size:,} cells.")
