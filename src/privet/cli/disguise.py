"""``privet disguise``: turn an owner's records into a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import PATH, WORDS, examples, json_option, output_option, overwrite_option

if TYPE_CHECKING:
    from pathlib import Path

    from privet.disguise import Disguise

__all__ = ["command"]


def _methods() -> list[str]:
    import privet.disguise  # noqa: F401 - its methods make themselves known
    from privet.disguise.base import METHODS

    return sorted(METHODS)


@click.command(
    "disguise",
    epilog=examples(
        "privet disguise people.csv --schema people.toml --gamma 8 --output people.release",
        "privet disguise p.csv --schema p.toml --method framework --set noise=0.1 -o p.release",
    ),
)
@click.argument("table", type=PATH)
@click.option("--schema", type=PATH, required=True, help="The public domains (.toml or .json).")
@click.option("--plan", type=PATH, help="What happens to each attribute (.toml).")
@click.option("--method", type=WORDS(_methods), help="Instead of a plan: one for the whole table.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Of the --method.")
@click.option("--gamma", type=float, help="Instead of a plan: substitute all attributes by this γ.")
@click.option("--epsilon", type=float, help="The same, by ε = ln γ for each attribute.")
@click.option("--rho", type=float, nargs=2, help="The same, by ρ1 and ρ2: belief before and after.")
@click.option("--bins", type=click.IntRange(1), help="Without a plan: cells numbers are cut to.")
@output_option("The folder to write the release to.", required=True)
@click.option("--in-order", is_flag=True, help="Keep the order of rows; the card then says so.")
@click.option("--seed", type=int, help="For tests only: the release is stamped NOT PRIVATE.")
@overwrite_option
@json_option
def command(
    table: Path,
    schema: Path,
    plan: Path | None,
    method: str | None,
    settings: tuple[str, ...],
    gamma: float | None,
    epsilon: float | None,
    rho: tuple[float, float] | None,
    bins: int | None,
    output: Path,
    in_order: bool,
    seed: int | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Disguise a table and write the release.

    TABLE is a Parquet or CSV file, a folder of them, which may be partitioned, or a pattern for
    them, of any size. Prints what the release promises.
    """
    import warnings

    from privet.cli.cluster import session
    from privet.cli.output import emit, note, say
    from privet.schema import Schema
    from privet.table.spark import SparkFiles

    chosen = _chosen(plan, method, settings, gamma, epsilon, rho, bins)
    with session() as spark, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        made = chosen.disguise(
            table if spark is None else SparkFiles(spark, table),
            Schema.read(schema),
            to=output,
            overwrite=overwrite,
            seed=seed,
            shuffle=not in_order,
        )
    for warning in told:
        note(f"Warning: {warning.message}")
    claim = made.claim
    if as_json:
        form: dict[str, Any] = {"output": str(output), "rows": made.rows, "seeded": made.seeded}
        emit(form | {"claim": claim.to_json(), "sentences": claim.sentences()})
        return
    say(f"{output}: {made.rows:,} records, {len(made.schema.inputs)} attributes and the class.")
    for sentence in claim.sentences():
        say(f"- {sentence}")


def _chosen(
    plan: Path | None,
    method: str | None,
    settings: tuple[str, ...],
    gamma: float | None,
    epsilon: float | None,
    rho: tuple[float, float] | None,
    bins: int | None,
) -> Disguise:
    from privet.disguise import Plan, RandomSubstitution, plan_from_dict

    if sum(wish is not None for wish in (plan, method, gamma, epsilon, rho)) != 1:
        message = "Give either --plan or --gamma (or --epsilon, --rho, --method)."
        raise click.UsageError(message)
    if settings and method is None:
        raise click.UsageError("--set goes with --method; a plan says its settings itself.")
    if method is not None:
        if bins is not None:
            raise click.UsageError("--bins goes with --gamma; use --set with a method.")
        return plan_from_dict({"method": method, **_set(settings)})
    if plan is not None:
        if bins is not None:
            raise click.UsageError("--bins goes with --gamma; a plan says its bins itself.")
        return Plan.read(plan)
    exact = gamma if gamma is None or not gamma.is_integer() else int(gamma)
    return RandomSubstitution(gamma=exact, bins=bins, epsilon=epsilon, rho=rho)


def _set(settings: tuple[str, ...]) -> dict[str, Any]:
    """Read NAME=VALUE, the value as in TOML; what is no TOML is text."""
    import tomllib

    held: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign or not name.strip():
            raise click.UsageError("--set takes NAME=VALUE, as in --set noise=0.1.")
        try:
            held[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            held[name.strip()] = value
    return held
