"""``privet mine``: learn a tree from a release, or from a plain table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from privet.cli import options
from privet.cli.words import METHODS, listed

if TYPE_CHECKING:
    from pathlib import Path

    from privet.estimate.accuracy import Accuracy
    from privet.mining import Mined
    from privet.release import Release
    from privet.schema import Files, Format, Schema

__all__ = ["command"]

_SHOWN = 3  # levels printed


@options.command(
    "privet mine people.release --test-fraction 0.3 --output tree.json",
    "privet mine people.csv --schema people.toml --output plain.json",
)
@click.argument("source", type=options.TABLE, metavar="RELEASE|TABLE")
@click.option("--schema", type=options.EXISTING, help="For a plain table: its schema.")
@click.option("--target", metavar="NAME", help="The class, if not the one that the source names.")
@options.output("Where to write the tree (JSON).")
@options.growth
@click.option(
    "--method",
    type=METHODS,
    metavar="METHOD",
    default="auto",
    help=f"How counts are corrected: {listed(METHODS)} (naive: not at all).",
)
@click.option(
    "--test-fraction",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Keep back this share of the records and estimate the accuracy on it.",
)
@options.by
@options.csv_format
@options.overwrite
@options.as_json
def command(
    source: Path,
    schema: Path | None,
    target: str | None,
    output: Path | None,
    policy: str | None,
    method: str,
    max_depth: int | None,
    min_samples_leaf: float | None,
    max_purity: float | None,
    test_fraction: float | None,
    by: Path | None,
    written: Format,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Learn a tree that is right about the original records.

    A plain table is read into memory, unless a cluster works on it (privet --master); a release of
    any size stays on disk.
    """
    from privet.cli.cluster import session
    from privet.cli.files import check_free, write_text
    from privet.cli.output import emit, say
    from privet.cli.tables import is_release
    from privet.estimate.accuracy import accuracy
    from privet.mining import mine
    from privet.split import Policy

    check_free(output, overwrite=overwrite)
    limits = Policy.named(policy or "cart")
    changed = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf}
    limits = limits.but(**changed, max_purity=max_purity)
    with session() as spark:
        release = _records(source, schema, target, by, written, spark)
        before = release.passes
        grown, tested = release, None
        if test_fraction is not None:
            _check_measurable(release)
            grown, tested = release.split(1 - test_fraction)
        any_leaf = min_samples_leaf is not None
        mined = mine(grown, limits, method, any_leaf=any_leaf, prune=policy is None)
        if not is_release(source):
            mined = mined._replace(method="plain", reason="the records are not disguised")
        named = replace(mined.tree, method=mined.method, source=source.name)
        mined = mined._replace(trees=(named,))
        if output is not None:
            write_text(output, mined.tree.to_json(), overwrite=overwrite)
        if not as_json:
            say(_text(mined, grown, output))
        measured = None if tested is None else accuracy(mined.tree, tested)
    if as_json:
        form = _form(mined, policy, grown, measured, output)
        emit(form | {"passes": release.passes - before})
    elif measured is not None:
        say(_measured(measured))


def _check_measurable(release: Release) -> None:
    """Refuse to keep records back that cannot tell how accurate a tree is."""
    from privet.errors import MethodError
    from privet.estimate.accuracy import check_measurable

    try:
        check_measurable(release)
    except MethodError as error:
        hint = f"{error.hint.removesuffix('.')}, or leave out --test-fraction."
        raise error.retold(error.message, hint=hint) from None


def _records(
    source: Path,
    schema: Path | None,
    target: str | None,
    by: Path | None,
    written: Format,
    spark: Any,
) -> Release:
    from privet.cli.tables import (
        check_unsigned,
        is_release,
        plain_release,
        read_release,
        table_files,
    )
    from privet.errors import InputError
    from privet.schema import Files, Schema

    if is_release(source):
        if schema is not None:
            message = f"{source} is a release: it brings its own schema."
            raise InputError(message, hint="leave out --schema.")
        read = read_release(source, by, spark)
        return read if target is None else read.with_target(target)
    check_unsigned(source, by)
    if schema is None and target is None:
        message = f"{source} is a plain table: its schema or its class is needed."
        raise InputError(message, hint="use --schema people.toml, or --target NAME.")
    if schema is None:
        declared = _learned(table_files(source, written), target or "")
        return plain_release(Files(source, written), declared, spark)
    declared = Schema.read(schema)
    declared = declared if target is None else declared.with_target(target)
    return plain_release(table_files(source, written, declared), declared, spark)


def _learned(files: Files, target: str) -> Schema:
    """Return a schema that is learned from the table itself."""
    from privet.cli.output import remark
    from privet.schema.draft import Draft
    from privet.table.looks import read_table

    remark("No schema given: it is learned from the table, which is fine for your own use.")
    draft = Draft.of(read_table(files), target)
    for name, reason in draft.withheld.items():
        remark(f"{name!r} is left out: {reason}.")
    return draft.schema


def _form(
    mined: Mined, policy: str | None, grown: Release, accuracy: Accuracy | None, output: Path | None
) -> dict[str, Any]:
    from privet.tree.understand import untold

    tree = mined.tree
    form: dict[str, Any] = {
        "rows": grown.rows,
        "method": mined.method,
        "reason": mined.reason,
        "policy": policy or "cart, pruned",
        "nodes": tree.nodes,
        "leaves": len(tree.leaves),
        "depth": tree.depth,
        "not_known": untold(tree),
    }
    if accuracy is not None:
        form["accuracy"] = accuracy._asdict() | {"interval": list(accuracy.interval())}
    if output is None:
        return form | {"tree": tree.to_dict()}
    return form | {"output": str(output)}


def _text(mined: Mined, grown: Release, output: Path | None) -> str:
    from privet.tree.text import render
    from privet.tree.understand import untold

    tree = mined.tree
    leaves = "1 leaf" if tree.nodes == 1 else f"{len(tree.leaves)} leaves"
    lines = [
        render(tree, _SHOWN),
        "",
        f"{leaves}, depth {tree.depth}, from {grown.rows:,} records.",
        f"Method {mined.method}: {mined.reason}.",
    ]
    lines += [text] if (text := untold(tree)) else []
    if grown.seeded:
        lines.append("The release is NOT PRIVATE: it was drawn from a seed.")
    if output is not None:
        lines.append(f"Written to {output}; privet show {output} shows all of it.")
    return "\n".join(lines)


def _measured(accuracy: Accuracy) -> str:
    said = f"Accuracy about the originals, on records it did not grow on: {accuracy.words()}."
    doubt = accuracy.doubt()
    return f"{said}\n{doubt}" if doubt else said
