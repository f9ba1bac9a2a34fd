"""``privet advise``: which γ, channel and number of cells, before any record is disguised."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.advise import Advice

__all__ = ["command"]


@options.command(
    "privet advise people.toml --records 100000 --gamma 8",
    "privet advise people.toml --records 100000 --accuracy 0.9 --draw trade-off.svg",
    "privet advise people.toml --records 5000 --rho 0.05 0.5 --plan plan.toml",
)
@click.argument("schema", type=options.EXISTING)
@click.option(
    "--records", type=click.IntRange(1), required=True, help="How many records there will be."
)
@click.option("--gamma", type=options.GAMMA, help="Ask for this γ per attribute.")
@click.option("--epsilon", type=float, help="Ask for this ε per attribute; a record's is the sum.")
@click.option("--rho", type=float, nargs=2, help="Ask for ρ1 and ρ2: belief before and after.")
@click.option(
    "--accuracy",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Ask for the smallest γ whose simulated trees are this accurate.",
)
@click.option("--theory", is_flag=True, help="Skip the simulated trees; quick.")
@click.option("--draw", type=options.PATH, help="Draw the trade-off (.svg or .png).")
@click.option("--plan", type=options.PATH, help="Write the plan that follows the advice (.toml).")
@click.option("--seed", type=click.IntRange(0), help="The seed of the made-up tables.")
@options.overwrite
@options.as_json
def command(
    schema: Path,
    records: int,
    gamma: float | None,
    epsilon: float | None,
    rho: tuple[float, float] | None,
    accuracy: float | None,
    theory: bool,
    draw: Path | None,
    plan: Path | None,
    seed: int | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Advise on γ, channels and numbers of cells.

    Needs the schema only: nothing is learned from private records.
    """
    from privet.advise import advise
    from privet.advise.drawn import draw as draw_trade_off
    from privet.cli.files import check_free, new_file, write_text
    from privet.cli.output import emit, say
    from privet.schema import Schema

    for path in (draw, plan):
        check_free(path, overwrite=overwrite)
    if draw is not None and (theory or draw.suffix not in {".svg", ".png"}):
        message = "--draw goes without --theory, to a file that ends in .svg or .png."
        raise click.UsageError(message)
    advice = advise(
        Schema.read(schema),
        records,
        gamma=gamma,
        epsilon=epsilon,
        rho=rho,
        accuracy=accuracy,
        simulate=not theory,
        seed=seed,
    )
    if draw is not None:
        with new_file(draw, overwrite=overwrite) as made:
            # The drawing's kind goes by the ending, which a temporary file does not have.
            named = made.with_suffix(draw.suffix)
            draw_trade_off(advice, named)
            named.replace(made)
    if plan is not None:
        write_text(plan, advice.plan_file(), overwrite=overwrite)
    if as_json:
        emit(advice.to_dict())
    else:
        say(_text(advice))


def _text(advice: Advice) -> str:
    from privet.advise.notes import SUBSETS

    epsilon = max(line.epsilon for line in advice.attributes)
    many = len(advice.attributes)
    cost = f"ε = {epsilon:.2f} for each of {many} attributes, {advice.epsilon:.2f} for a record"
    if many == 1:
        cost = f"ε = {epsilon:.2f} for the one attribute, and so for a record"
    numbers = any(not advice.schema[line.attribute].is_categorical for line in advice.attributes)
    lines = [
        f"γ = {float(advice.gamma):g} for {advice.records:,} records: {cost}.",
        "",
        *_table(
            ["attribute", "channel", "N", "entropy", "condition", "error", "guess", "blind"],
            [
                [
                    line.attribute,
                    line.channel,
                    str(line.values),
                    f"{line.entropy:.2f}",
                    f"{line.condition:.2f}",
                    f"{100 * line.count_error:.1f} %",
                    f"{100 * line.guess:.0f} %",
                    f"{100 * line.blind:.0f} %",
                ]
                for line in advice.attributes
            ],
        ),
        "entropy in bits; error: expected Σ|X̂ − X| / ΣX of counts before repair; guess: how often",
        "an attacker's best guess of a value is right, blind: without the release.",
        "",
    ]
    if advice.trade_off:
        header = ["γ", "ε", "N", "accuracy", "guess"]
        rows = [
            [
                f"{point.gamma:g}",
                f"{point.epsilon:.2f}",
                str(point.bins) if numbers else "–",
                f"{100 * point.accuracy:.1f} ± {100 * point.error:.1f} %",
                f"{100 * point.guess:.0f} %",
            ]
            for point in advice.trade_off
        ]
        guide = advice.guide
        lines += ["The trade-off, by made-up tables, not yours (±: their spread):"]
        lines += [*_table(header, rows), ""]
        best = f"γ = {guide['gamma']:g}" + (f", N = {guide['bins']:g}" if numbers else "")
        how = "5 ≤ γ ≤ 12, the best N for each, the smallest of them"
        lines.append(f"The paper's guide ({how if numbers else '5 ≤ γ ≤ 12'}): {best}.")
    again = ", ".join(
        f"{repeat['times']:g}: {repeat['gamma_again']:.2f}" for repeat in advice.repeated
    )
    fresh = ", ".join(
        f"{repeat['times']:g}: {repeat['epsilon_fresh']:.2f}" for repeat in advice.repeated
    )
    lines += [
        f"Disguising the release again leaves γ = {again} (times: γ).",
        f"Disguising the same originals afresh costs ε = {fresh} per attribute (releases: ε).",
    ]
    lines += [
        f"- {note.replace(SUBSETS, 'privet disguise --method subsets')}" for note in advice.notes
    ]
    return "\n".join(lines)


def _table(header: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [header, *rows]
    ]
