"""``privet reconstruct``: a plain table from a release, for learners that know no privet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@options.command(
    "privet reconstruct people.release --output table.parquet",
    "privet reconstruct people.release --method by-class --output table.csv",
)
@click.argument("release", type=options.EXISTING)
@options.output("The table: .parquet, or .csv, which has no place for the stamp.", required=True)
@click.option(
    "--method",
    type=click.Choice(["global", "by-class"]),
    default="global",
    help="Each column over all records, or within each class.",
)
@click.option(
    "--representative",
    type=click.Choice(["centre", "endpoint", "random"]),
    default="centre",
    help="Which number stands for a cell.",
)
@click.option("--seed", type=click.IntRange(0), help="Draw the same random points again.")
@options.by
@options.overwrite
@options.as_json
def command(
    release: Path,
    output: Path,
    method: str,
    representative: str,
    seed: int | None,
    by: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a plain table, as the originals may have been, for any learner.

    Each disguised column agrees with the estimated counts of the originals; no row is a record.
    """
    from privet.cli.files import check_free, new_file
    from privet.cli.output import emit, note, say
    from privet.cli.tables import check_kind, read_release, write_batches
    from privet.estimate.reconstructed import reconstruct_table, stamp_of

    check_kind(output)
    check_free(output, overwrite=overwrite)
    table = reconstruct_table(
        read_release(release, by), method=method, representative=representative, seed=seed
    )
    stamp = stamp_of(table) or {}
    with new_file(output, overwrite=overwrite) as made:
        write_batches(made, output.suffix, iter(table.combine_chunks().to_batches()))
    if as_json:
        emit({"written": str(output), "rows": table.num_rows, **stamp})
        return
    say(f"{output}: {table.num_rows:,} rows, {len(stamp['columns'])} columns reconstructed.")
    say(str(stamp["what"]))
    if output.suffix == ".csv":
        note("CSV has no place for this stamp: keep the sentence with the file.")
