"""``privet mine``: learn a tree from a release, or from a plain table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import PATH, WORDS, examples, json_option, output_option, overwrite_option

if TYPE_CHECKING:
    from pathlib import Path

    from privet.estimators import TreeClassifier
    from privet.release import Release
    from privet.schema import Schema
    from privet.tree.score import Accuracy

__all__ = ["command"]

_SHOWN = 3  # levels printed


def _policies() -> list[str]:
    from privet.tree.policy import POLICIES

    return list(POLICIES)


def _methods() -> list[str]:
    from privet.estimate.methods import METHODS

    return list(METHODS)


@click.command(
    "mine",
    epilog=examples(
        "privet mine people.release --test-fraction 0.3 --output tree.json",
        "privet mine people.csv --schema people.toml --output plain.json",
    ),
)
@click.argument("source", type=PATH, metavar="RELEASE|TABLE")
@click.option("--schema", type=PATH, help="For a plain table: its schema.")
@click.option("--target", metavar="NAME", help="For a plain table: the class.")
@output_option("Where to write the tree (JSON).")
@click.option(
    "--policy", type=WORDS(_policies), default="cart", show_default=True, help="Or id3, c4.5."
)
@click.option(
    "--method",
    type=WORDS(_methods),
    default="auto",
    show_default=True,
    help="How counts are corrected: auto, joint, direct, by-class, ... or naive (not at all).",
)
@click.option("--max-depth", type=click.IntRange(1), help="The most tests on a path.")
@click.option("--min-samples-leaf", type=click.FloatRange(0), help="The fewest records of a leaf.")
@click.option(
    "--test-fraction",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Grow on the rest and estimate the accuracy on this part.",
)
@overwrite_option
@json_option
def command(
    source: Path,
    schema: Path | None,
    target: str | None,
    output: Path | None,
    policy: str,
    method: str,
    max_depth: int | None,
    min_samples_leaf: float | None,
    test_fraction: float | None,
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
    from privet.estimators import TreeClassifier

    check_free(output, overwrite=overwrite)
    model = TreeClassifier(
        policy=policy, method=method, max_depth=max_depth, min_samples_leaf=min_samples_leaf
    )
    with session() as spark:
        held = _records(source, schema, target, spark)
        accuracy = None
        before = held.passes
        if test_fraction is None:
            model.fit(held)
        else:
            grown, tested = held.split(1 - test_fraction)
            accuracy = model.fit(grown).accuracy(tested)
    if not is_release(source):
        model.method_, model.reason_ = "plain", "the records are not disguised"
    if output is not None:
        write_text(output, model.tree_.to_json(), overwrite=overwrite)
    if as_json:
        emit(_form(model, held, accuracy, output) | {"passes": held.passes - before})
    else:
        say(_text(model, held, accuracy, output, held.passes - before))


def _records(source: Path, schema: Path | None, target: str | None, spark: Any) -> Release:
    from glob import has_magic

    from privet.cli.tables import is_release, plain_release
    from privet.errors import InputError
    from privet.release import Release

    if is_release(source):
        if schema is not None or target is not None:
            message = f"{source} is a release: it brings its own schema and class."
            raise InputError(message, hint="leave out --schema and --target.")
        return Release.read(source, spark=spark)
    if not source.exists() and not has_magic(str(source)):
        raise InputError(f"There is no file or folder {source}.")
    if schema is None and target is None:
        message = f"{source} is no release, and of a plain table the schema or the class is needed."
        raise InputError(message, hint="say --schema people.toml, or --target NAME.")
    return plain_release(source, _schema(source, schema, target), spark)


def _schema(source: Path, schema: Path | None, target: str | None) -> Schema:
    from privet.cli.output import note
    from privet.cli.tables import read_frame
    from privet.schema import Schema

    if schema is None:
        note("No schema given: it is learned from the table, which is fine for a tree of your own.")
        return Schema.infer(read_frame(source), target=target or "")
    declared = Schema.read(schema)
    if target is None:
        return declared
    return Schema(declared.attributes, target=target, learned=declared.learned)


def _form(
    model: TreeClassifier, held: Release, accuracy: Accuracy | None, output: Path | None
) -> dict[str, Any]:
    tree = model.tree_
    form: dict[str, Any] = {
        "rows": held.rows,
        "method": model.method_,
        "reason": model.reason_,
        "policy": model.policy,
        "nodes": tree.nodes,
        "leaves": len(tree.leaves),
        "depth": tree.depth,
    }
    if accuracy is not None:
        form["accuracy"] = accuracy._asdict()
    if output is None:
        return form | {"tree": tree.to_dict()}
    return form | {"output": str(output)}


def _text(
    model: TreeClassifier,
    held: Release,
    accuracy: Accuracy | None,
    output: Path | None,
    passes: int,
) -> str:
    from privet.tree.text import render

    tree = model.tree_
    lines = [
        render(tree, _SHOWN),
        "",
        f"{len(tree.leaves)} leaves, depth {tree.depth}, from {held.rows:,} records.",
        f"Method {model.method_}: {model.reason_}.",
    ]
    if passes:
        lines.append(f"The records were read {passes} times.")
    if held.seeded:
        lines.append("The release is NOT PRIVATE: it was drawn from a seed.")
    if accuracy is not None:
        error = f" ± {100 * accuracy.error:.1f}" if accuracy.error else ""
        lines.append(
            f"Accuracy about the originals, on records it did not grow on: "
            f"{100 * accuracy.value:.1f}{error} %."
        )
        lines += [accuracy.doubt()] if accuracy.cut else []
    if output is not None:
        lines.append(f"Written to {output}; privet show {output} shows all of it.")
    return "\n".join(lines)
