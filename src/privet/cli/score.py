"""``privet score``: how often a tree is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from privet.schema import Files, Format
    from privet.tree import Tree

__all__ = ["command"]


@options.command("privet score tree.json test.release", "privet score tree.json test.csv")
@click.argument("tree", type=options.EXISTING)
@click.argument("source", type=options.TABLE, metavar="RELEASE|TABLE")
@options.by
@options.csv_format
@options.as_json
def command(tree: Path, source: Path, by: Path | None, written: Format, as_json: bool) -> None:
    """Measure how often a tree is right, on records that it did not grow on.

    On a release, the accuracy about the originals is estimated, with its error.
    """
    from privet.cli.output import emit, say
    from privet.cli.tables import check_unsigned, is_release, read_release, table_files
    from privet.tree import Tree

    grown = Tree.read(tree)
    if not is_release(source):
        check_unsigned(source, by)
        right, rows = _counted(grown, table_files(source, written))
        if as_json:
            emit({"accuracy": right / rows, "error": 0.0, "rows": rows, "estimated": False})
        else:
            say(f"Right for {right:,} of {rows:,} records: {100 * right / rows:.2f} %.")
        return
    from privet.estimate.accuracy import accuracy

    release = read_release(source, by)
    judged = accuracy(grown, release)
    low, high = judged.interval()
    if as_json:
        form = {"accuracy": judged.value, "error": judged.error, "cut": judged.cut}
        emit(form | {"interval": [low, high], "rows": release.rows, "estimated": True})
        return
    say(f"Accuracy about the {release.rows:,} originals: {judged.words(digits=2)}.")
    doubt = judged.doubt()
    if doubt:
        say(doubt)
    say("This holds only if the tree was not grown from these records.")


def _counted(tree: Tree, source: Files) -> tuple[int, int]:
    """Return for how many records of a plain table the tree is right, and of how many."""
    from privet.cli.tables import model_batches, placed
    from privet.coding import of_class
    from privet.errors import DataError
    from privet.records import read_by
    from privet.schema import Attribute

    target = Attribute.categorical(tree.target, tree.classes)
    right = rows = 0
    for batch in model_batches(source, tree, target):
        with placed(batch):
            leaves = tree.apply(read_by(tree.codings, batch.columns))
            try:
                codes = target.encode(batch.columns[tree.target])
            except DataError as error:
                raise of_class(error, tree.target) from None
        right += int((tree.label[leaves] == codes).sum())
        rows += batch.rows
    return right, rows
