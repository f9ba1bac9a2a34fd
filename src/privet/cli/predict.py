"""``privet predict``: the class of each plain record by a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import PATH, examples, json_option, output_option, overwrite_option

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from privet.tree import Tree

__all__ = ["command"]


@click.command(
    "predict",
    epilog=examples(
        "privet predict tree.json people.csv --output predictions.csv",
    ),
)
@click.argument("tree", type=PATH)
@click.argument("table", type=PATH)
@output_option("Where to write the predictions (.parquet or .csv).", required=True)
@click.option("--proba", is_flag=True, help="Also write the probability of each class.")
@overwrite_option
@json_option
def command(
    tree: Path, table: Path, output: Path, proba: bool, overwrite: bool, as_json: bool
) -> None:
    """Write the class of each record of a plain table, in the table's order.

    The column is called prediction; with --proba, one called "probability of X" follows for each
    class X. A category that the tree never saw takes the branch with most records.
    """
    from privet.cli.cluster import session
    from privet.cli.files import check_free, new_file
    from privet.cli.output import emit, say
    from privet.cli.tables import check_kind, write_batches
    from privet.tree import Tree

    check_kind(output)
    check_free(output, overwrite=overwrite)
    held = Tree.read(tree)
    with session() as spark, new_file(output, overwrite=overwrite) as made:
        found = _predicted(held, table, spark, proba=proba)
        rows = write_batches(made, output.suffix, found)
    if as_json:
        emit({"rows": rows, "output": str(output)})
    else:
        say(f"{output}: {rows:,} predictions of {held.target!r}.")


def _predicted(tree: Tree, table: Path, spark: Any, *, proba: bool) -> Iterator[Any]:
    """Yield the predictions of all rows in order; those of a cluster's are made at its workers."""
    import pyarrow as pa

    from privet.cli.tables import attributes_of, placed, raw_batches
    from privet.estimators import TreeClassifier
    from privet.progress import track
    from privet.table import Batch
    from privet.table.spark import SparkFiles

    model = TreeClassifier.from_tree(tree)

    def predicted(batch: Any) -> Batch:
        with placed(batch):
            leaves = model.apply(batch.columns)
        columns = {"prediction": pa.array(model.classes_[tree.label[leaves]])}
        if proba:
            for place, name in enumerate(tree.classes):
                columns[f"probability of {name}"] = pa.array(tree.shares[leaves, place])
        return Batch(batch.start, columns)

    asked = attributes_of(tree)
    found: Iterator[Batch]
    if spark is None:
        found = map(predicted, raw_batches(table, asked))
    else:
        records = SparkFiles(spark, table).table(asked).map(predicted)
        found = track(records.batches(), "predicting", records.rows, len)
    for batch in found:
        yield pa.record_batch({name: pa.array(one) for name, one in batch.columns.items()})
