"""``privet decode``: turn a tree of monotone-disguised records back, with the owner's key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@options.command("privet decode tree.json --key people.key --output plain.json")
@click.argument("tree", type=options.EXISTING)
@click.option(
    "--key", type=options.EXISTING, required=True, help="The owner's key of the monotone disguise."
)
@options.output("Where to write the tree (JSON).")
@options.overwrite
@options.as_json
def command(tree: Path, key: Path, output: Path | None, overwrite: bool, as_json: bool) -> None:
    """Give a tree its original thresholds: the same partition of the records."""
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, say
    from privet.disguise.decode import decode_tree
    from privet.disguise.monotone_key import Key
    from privet.tree import Tree
    from privet.tree.text import render

    check_free(output, overwrite=overwrite)
    decoded = decode_tree(Tree.read(tree), Key.read(key))
    if output is not None:
        write_text(output, decoded.to_json(), overwrite=overwrite)
    if as_json:
        emit(decoded.to_dict())
    else:
        say(render(decoded, 3))
