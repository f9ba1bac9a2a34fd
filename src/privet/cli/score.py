"""``privet score``: how often a tree is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli.options import PATH, examples, json_option

if TYPE_CHECKING:
    from pathlib import Path

    from privet.tree import Tree

__all__ = ["command"]


@click.command(
    "score",
    epilog=examples(
        "privet score tree.json test.release",
        "privet score tree.json test.csv",
    ),
)
@click.argument("tree", type=PATH)
@click.argument("source", type=PATH, metavar="RELEASE|TABLE")
@json_option
def command(tree: Path, source: Path, as_json: bool) -> None:
    """Tell how often a tree is right, on records it did not grow on.

    On a release the accuracy is about the originals, with the error of its estimate.
    """
    from privet.cli.output import emit, say
    from privet.cli.tables import is_release
    from privet.tree import Tree

    held = Tree.read(tree)
    if not is_release(source):
        right, rows = _counted(held, source)
        if as_json:
            emit({"accuracy": right / rows, "error": 0.0, "rows": rows, "estimated": False})
        else:
            say(f"Right for {right:,} of {rows:,} records: {100 * right / rows:.2f} %.")
        return
    from privet.release import Release
    from privet.tree.score import accuracy

    release = Release.read(source)
    found = accuracy(held, release)
    low, high = found.interval()
    if as_json:
        form = {"accuracy": found.value, "error": found.error, "cut": found.cut}
        emit(form | {"interval": [low, high], "rows": release.rows, "estimated": True})
        return
    say(
        f"Accuracy about the {release.rows:,} originals: {100 * found.value:.2f} "
        f"± {100 * found.error:.2f} % (95 % interval {100 * low:.1f} to {100 * high:.1f} %)."
    )
    if found.cut:
        say(found.doubt())
    say("This holds only if the tree was not grown from these records.")


def _counted(tree: Tree, source: Path) -> tuple[int, int]:
    """Return for how many records of a plain table the tree is right, and of how many."""
    from privet.cli.tables import attributes_of, placed, raw_batches
    from privet.estimators import TreeClassifier
    from privet.schema import Attribute

    model = TreeClassifier.from_tree(tree)
    target = Attribute.categorical(tree.target, tree.classes)
    right = rows = 0
    for batch in raw_batches(source, [*attributes_of(tree), target]):
        with placed(batch):
            leaves = model.apply(batch.columns)
            codes = target.encode(batch.columns[tree.target])
        right += int((tree.label[leaves] == codes).sum())
        rows += batch.rows
    return right, rows
