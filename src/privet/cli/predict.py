"""``privet predict``: the class of each plain record by a tree, or by naive Bayes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from privet.estimate.bayes import Terms
    from privet.schema import Files, Format
    from privet.tree import Tree

__all__ = ["command"]


@options.command("privet predict tree.json people.csv --output predictions.csv")
@click.argument("tree", type=options.EXISTING)
@click.argument("table", type=options.TABLE)
@options.output("Where to write the predictions (.parquet or .csv).", required=True)
@click.option("--proba", is_flag=True, help="Also write the probability of each class.")
@options.csv_format
@options.overwrite
@options.as_json
def command(
    tree: Path,
    table: Path,
    output: Path,
    proba: bool,
    written: Format,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write the class of each record of a plain table, in the table's order.

    The column is called prediction; with --proba, one called "probability of X" follows for each
    class X. A category that the tree never saw takes the branch with most records, a missing number
    the second branch. A model of "privet bayes" takes the tree's place.
    """
    from privet.cli.cluster import session
    from privet.cli.files import check_free, new_file
    from privet.cli.output import emit, say
    from privet.cli.tables import check_kind, read_model, table_files, write_batches

    check_kind(output)
    check_free(output, overwrite=overwrite)
    model = read_model(tree)
    with session() as spark, new_file(output, overwrite=overwrite) as made:
        batches = _predicted(model, table_files(table, written), spark, proba=proba)
        rows = write_batches(made, output.suffix, batches)
    if as_json:
        emit({"rows": rows, "output": str(output)})
    else:
        say(f"{output}: {rows:,} predictions of {model.target!r}.")


def _predicted(model: Tree | Terms, table: Files, spark: Any, *, proba: bool) -> Iterator[Any]:
    """Yield the predictions of all rows in order; those of a cluster's are made at its workers."""
    import numpy as np
    import pyarrow as pa

    from privet.cli.tables import attributes_of, model_batches, placed
    from privet.frames import as_arrow
    from privet.progress import track
    from privet.records import read_by
    from privet.table import Batch
    from privet.tree import Tree

    classes = as_arrow(np.array(model.classes))

    def predicted(batch: Any) -> Batch:
        with placed(batch):
            values = read_by(model.codings, batch.columns)
        if isinstance(model, Tree):
            leaves = model.apply(values)
            labels, shares = model.label[leaves], model.shares[leaves]
        else:
            shares = model.probabilities(values)
            labels = shares.argmax(axis=1)
        columns = {"prediction": classes.take(as_arrow(labels))}
        if proba:
            for place, name in enumerate(model.classes):
                columns[f"probability of {name}"] = as_arrow(shares[:, place])
        return Batch(batch.start, columns)

    batches: Iterator[Batch]
    if spark is None:
        batches = map(predicted, model_batches(table, model))
    else:
        from privet.table.spark import SparkFiles

        records = SparkFiles(spark, table).table(attributes_of(model)).map(predicted)
        batches = track(records.batches(), "predicting", records.rows, len)
    for batch in batches:
        yield pa.record_batch({name: as_arrow(column) for name, column in batch.columns.items()})
