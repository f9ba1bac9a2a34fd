"""``privet disguise``: turn an owner's records into a release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from privet.cli import options
from privet.cli.words import DISGUISES, listed

if TYPE_CHECKING:
    from pathlib import Path

    from privet.cli.ledger import Spending
    from privet.disguise import Disguise
    from privet.release import Claim
    from privet.schema import Files, Format, Schema

__all__ = ["command"]


def _settings_of(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    """Print what a method can be told, and stop."""
    if name is None:
        return
    from privet.cli.output import say
    from privet.disguise.settings import settings_of

    say(f"--method {name} --set NAME=VALUE:")
    for setting in settings_of(name):
        say(f"  {setting.name} = {setting.default}")
        say(f"      {setting.about}") if setting.about else None
    ctx.exit()


@options.command(
    "privet disguise people.csv --schema people.toml --gamma 8 --output people.release",
    "privet disguise people.csv --schema people.toml --gamma 8 --set kind=band -o p.release",
    "privet disguise p.csv --schema p.toml --method framework --set noise=0.1 -o p.release",
)
@click.argument("table", type=options.TABLE)
@options.schema
@click.option("--target", metavar="NAME", help="The class, if not the one that the schema names.")
@click.option(
    "--classes",
    type=click.IntRange(2),
    help="With --target: cut that number into so many categories of equal width.",
)
@click.option("--plan", type=options.EXISTING, help="What happens to each attribute (.toml).")
@click.option(
    "--method", type=DISGUISES, metavar="METHOD", help=f"Instead of a plan: {listed(DISGUISES)}."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the method; see --list-settings. Repeatable.",
)
@click.option(
    "--gamma", type=options.GAMMA, help="Instead of a plan: substitute all attributes with this γ."
)
@click.option("--epsilon", type=float, help="The same, by ε = ln γ for each attribute.")
@click.option("--rho", type=float, nargs=2, help="The same, by ρ1 and ρ2: belief before and after.")
@click.option(
    "--bins",
    type=click.IntRange(1),
    help="Without a plan: the number of cells per numeric attribute.",
)
@click.option(
    "--list-settings",
    metavar="METHOD",
    type=DISGUISES,
    is_eager=True,
    expose_value=False,
    callback=_settings_of,
    help="List the settings of this method, and stop.",
)
@options.csv_format
@options.output("The folder to write the release to.", required=True)
@click.option("--in-order", is_flag=True, help="Keep the order of rows; the card then says so.")
@click.option("--seed", type=int, help="For tests only: the release is stamped NOT PRIVATE.")
@options.keeping
def command(
    table: Path,
    schema: Path,
    target: str | None,
    classes: int | None,
    plan: Path | None,
    method: str | None,
    settings: tuple[str, ...],
    gamma: float | None,
    epsilon: float | None,
    rho: tuple[float, float] | None,
    bins: int | None,
    written: Format,
    output: Path,
    in_order: bool,
    seed: int | None,
    sign: Path | None,
    spending: Spending | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Disguise a table and write the release.

    TABLE is a Parquet or CSV file, a folder of them, which may be partitioned, or a pattern for
    them, of any size. Prints what the release promises.
    """
    from privet.cli.cluster import session
    from privet.cli.output import emit, note, say
    from privet.cli.tables import table_files
    from privet.release.folder import check_free
    from privet.schema import Schema
    from privet.signing import SigningKey

    declared = Schema.read(schema)
    amounts = {"gamma": gamma, "epsilon": epsilon, "rho": rho}
    chosen = _chosen(plan, method, settings, bins, amounts)
    check_free(output, overwrite=overwrite)
    key = None if sign is None else SigningKey.read(sign)
    files = table_files(table, written, declared)
    records, declared = _classed(files, declared, target, classes)
    with session() as spark:
        if spending is not None:  # before anything is drawn: a crash counts as spent
            spending.spend(_claimed(chosen, declared, records, seeded=seed is not None), output)
        if spark is not None and records is files:
            from privet.table.spark import SparkFiles

            records = SparkFiles(spark, files)
        made = chosen.disguise(
            records,
            declared,
            to=output,
            overwrite=overwrite,
            seed=seed,
            shuffle=not in_order,
            sign=key,
        )
    for warning in chosen.warnings(declared):
        note(f"Warning: {warning}")
    if spending is not None:
        spending.check(made.claim)
    claim = made.claim
    if as_json:
        form: dict[str, Any] = {"output": str(output), "rows": made.rows, "seeded": made.seeded}
        form |= {} if key is None else {"signed_by": str(key.public)}
        form["left_out"] = 0 if made.people is None else made.people.left_out
        emit(form | {"claim": claim.to_dict(), "sentences": claim.sentences()})
        return
    if key is not None:
        note(f"Signed by {key.public}.")
    number = len(made.schema.inputs)
    inputs = "1 attribute" if number == 1 else f"{number} attributes"
    say(f"{output}: {made.rows:,} records, {inputs} and the class.")
    if made.people is not None and made.people.left_out:
        left, most = made.people.left_out, made.people.rows
        note(f"{left:,} records were left out, so that nobody has more than {most:,}.")
    for sentence in claim.sentences():
        say(f"- {sentence}")


def _claimed(chosen: Disguise, schema: Schema, records: Any, *, seeded: bool) -> Claim:
    """Return what the release will promise, also to people whose records have to be counted."""
    from privet.disguise.units import counted

    claim = chosen.claim(schema, seeded=seeded)
    if schema.unit is None or schema.rows_per_unit is not None:
        return claim
    return replace(claim, people=counted(records, schema.unit))


def _classed(
    files: Files, schema: Schema, target: str | None, classes: int | None
) -> tuple[Any, Schema]:
    """Return the records and their schema with the class that was asked for."""
    if classes is None:
        return files, schema if target is None else schema.with_target(target)
    if target is None:
        raise click.UsageError("--classes goes with --target: the number to cut.")
    from privet.disguise import cut_class
    from privet.disguise.whole import whole

    return cut_class(whole(files, schema), schema, target, classes=classes)


def _chosen(
    plan: Path | None,
    method: str | None,
    settings: tuple[str, ...],
    bins: int | None,
    amounts: dict[str, Any],
) -> Disguise:
    from privet.disguise import Plan, plan_from_dict

    if sum(wish is not None for wish in (plan, method, *amounts.values())) != 1:
        message = "Give either --plan or --gamma (or --epsilon, --rho, --method)."
        raise click.UsageError(message)
    if plan is not None:
        if settings or bins is not None:
            raise click.UsageError("--set and --bins go with no plan: a plan says its settings.")
        return Plan.read(plan)
    given = {name: wish for name, wish in (amounts | {"bins": bins}).items() if wish is not None}
    return plan_from_dict({"method": method or "substitution", **given, **_set(settings)})


def _set(settings: tuple[str, ...]) -> dict[str, Any]:
    """Read NAME=VALUE, the value as in TOML; what is no TOML is text."""
    import tomllib

    values: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign or not name.strip():
            raise click.UsageError("--set takes NAME=VALUE, as in --set noise=0.1.")
        try:
            values[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            values[name.strip()] = value
    return values
