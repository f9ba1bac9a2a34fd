"""``privet show``: a tree as text, picture or code, or what a release says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from privet.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from privet.tree import Tree

__all__ = ["command"]


_FORMS = {
    "svg": "A picture.",
    "html": "A page: the picture, an outline, a record's path; of a release, its card in words.",
    "rules": "One sentence per leaf.",
    "dot": "A graph for Graphviz.",
    "sql": "An SQL expression of the predicted class.",
    "onnx": "An ONNX model; needs --output.",
    "importances": "What each attribute brings, with its error.",
}
_ENDINGS = {".svg": "svg", ".html": "html", ".htm": "html", ".dot": "dot", ".gv": "dot"}
_ENDINGS |= {".sql": "sql", ".onnx": "onnx"}
_LISTED = 8  # rules and regions of a comparison that are printed


def _form_options(command: Callable[..., None]) -> Callable[..., None]:
    for name in reversed(_FORMS):
        command = click.option(f"--{name}", "form", flag_value=name, help=_FORMS[name])(command)
    return command


@options.command(
    "privet show tree.json --depth 3",
    "privet show tree.json --output tree.html",
    "privet show tree.json --beside plain.json",
    "privet show people.release --html --output card.html",
    "privet show people.release --head 5",
)
@click.argument("thing", type=options.PATH, metavar="TREE|RELEASE")
@click.option("--depth", type=click.IntRange(0), help="Levels of the text to show; all by default.")
@_form_options
@click.option("--leaves", type=click.IntRange(1), help="Leaves of the picture before some fold.")
@click.option(
    "--head", type=click.IntRange(1), help="Of a release: its first records, as released."
)
@click.option("--beside", type=options.PATH, help="Another tree: where it differs from this one.")
@options.output("Where to write it; the name's ending (.svg, .html, .dot, .sql, .onnx) says what.")
@options.by
@options.overwrite
@options.as_json
def command(
    thing: Path,
    depth: int | None,
    form: str | None,
    leaves: int | None,
    head: int | None,
    beside: Path | None,
    output: Path | None,
    by: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Show a tree as text, picture or code, or a release's card in words."""
    from privet.cli.files import check_free
    from privet.cli.output import say
    from privet.cli.tables import check_unsigned, is_release, read_release

    if form is None and output is not None and not as_json:
        form = _ENDINGS.get(output.suffix.lower())
    _check(form, depth, leaves, output, as_json=as_json)
    if beside is not None and (form is not None or depth is not None):
        raise click.UsageError("--beside goes with no form and no --depth.")
    check_free(output, overwrite=overwrite)
    _check_there(thing, beside)
    if thing.is_dir() or is_release(thing):
        if depth is not None or form not in (None, "html") or beside is not None or leaves:
            message = "--depth, --leaves, --beside and the forms but --html are for trees."
            raise click.UsageError(message)
        release = read_release(thing, by)
        if form == "html":
            from privet.audit.report.card import card_page

            _give(card_page(release, thing.name), output, overwrite=overwrite)
        else:
            from privet.cli.card import show_release

            show_release(thing, release, head, as_json=as_json)
        return
    check_unsigned(thing, by)
    if head is not None:
        raise click.UsageError("--head is for releases.")
    from privet.tree import Tree
    from privet.tree.text import render

    tree = Tree.read(thing)
    if beside is not None:
        _beside(tree, Tree.read(beside), as_json=as_json)
    elif as_json:
        _sealed(tree)
    elif form is not None:
        _give(_written(tree, form, leaves), output, overwrite=overwrite)
    else:
        say(render(tree, depth))


def _check_there(thing: Path, beside: Path | None) -> None:
    """Complain about a name that is not there, with those near it that can be shown."""
    from difflib import get_close_matches

    from privet.cli.tables import is_release
    from privet.errors import InputError

    missing = [path for path in (thing, beside) if path is not None and not path.exists()]
    if not missing:
        return
    path = missing[0]
    there = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    names = [
        file.name
        for file in there
        if file.name[0] != "." and (file.suffix == ".json" or (file.is_dir() and is_release(file)))
    ]
    near = get_close_matches(path.name, names, n=1)
    hint = "show takes a tree (a .json file) or a release (a folder)"
    if near:
        hint = f"did you mean {path.with_name(near[0])}?"
    elif names:
        more = ", …" if len(names) > _LISTED else ""
        hint += f"; there are {', '.join(names[:_LISTED])}{more}."
    else:
        hint += "."
    raise InputError(f"There is no file or folder {path}.", hint=hint)


def _check(
    form: str | None, depth: int | None, leaves: int | None, output: Path | None, *, as_json: bool
) -> None:
    if form is not None and (as_json or depth is not None):
        raise click.UsageError(f"--{form} goes with neither --json nor --depth.")
    if leaves is not None and form not in ("svg", "html"):
        raise click.UsageError("--leaves is for --svg and --html.")
    if output is not None and form is None:
        raise click.UsageError(
            f"--output {output.name}: its ending names no form ({', '.join(_ENDINGS)}); "
            "name one, such as --rules or --importances."
        )
    if form == "onnx" and output is None:
        raise click.UsageError("--onnx needs --output: a model is not for a terminal.")


def _written(tree: Tree, form: str, leaves: int | None) -> str | bytes:
    from privet.tree import draw, export
    from privet.tree.onnx import to_onnx

    most = draw.LEAVES if leaves is None else leaves
    if form == "onnx":
        model: bytes = to_onnx(tree).SerializeToString()
        return model
    if form in ("svg", "html"):
        return draw.svg(tree, most) if form == "svg" else draw.page(tree, most)
    if form == "importances":
        return _importances(tree)
    if form == "rules":
        return "\n".join(export.rules(tree)) + "\n"
    return export.dot(tree) if form == "dot" else export.sql(tree) + "\n"


def _importances(tree: Tree) -> str:
    from privet.tree.figures import plus_minus
    from privet.tree.understand import importances

    ranked = importances(tree)
    width = max(len(importance.name) for importance in ranked)
    return "".join(
        f"{importance.name:{width}}  {importance.value:.3f}{plus_minus(importance.error, 3)}\n"
        for importance in ranked
    )


def _beside(tree: Tree, other: Tree, *, as_json: bool) -> None:
    from dataclasses import asdict

    from privet.cli.output import emit, say
    from privet.errors import InputError
    from privet.tree.beside import beside
    from privet.tree.understand import compare

    if tree.target != other.target:
        message = f"The trees are of different classes: {tree.target!r} and {other.target!r}."
        raise InputError(message, hint="compare trees of one class.")
    seen = beside(tree, other)
    changes = [change for change in compare(tree, other) if change.kind != "same"]
    if as_json:
        listed = [
            {"kind": change.kind, "path": list(change.path), "text": change.text}
            for change in changes
        ]
        emit(asdict(seen) | {"changes": listed})
        return
    shared, rules = len(seen.rules), len(seen.rules) + len(seen.only_first)
    say(f"{shared} of the {rules} rules are in both trees; the other one has {len(other.leaves)}.")
    if not seen.differences:
        say("Both predict the same class for every record.")
    else:
        most = min(seen.most, seen.rows)  # estimated counts of leaves may add up to more
        share = most / max(seen.rows, 1.0)
        say(
            f"Predictions differ for at most {most:,.0f} of {seen.rows:,.0f} records "
            f"({100 * share:.1f} %):"
        )
        _list(
            [
                f"{difference.where}: {difference.first} here, {difference.second} there "
                f"(at most {difference.most:,.0f} records)"
                for difference in seen.differences
            ]
        )
    for where, kept in (("here", seen.only_first), ("there", seen.only_second)):
        if kept:
            say(f"Rules only {where}:")
            _list(list(kept))


def _list(lines: list[str]) -> None:
    from privet.cli.output import say

    for line in lines[:_LISTED]:
        say(f"  {line}")
    if len(lines) > _LISTED:
        say(f"  … and {len(lines) - _LISTED} more (--json has all).")


def _sealed(tree: Tree) -> None:
    """Print what stands in a tree's file, checksum and all."""
    from privet.cli.output import emit, printable, say

    text = tree.to_json()
    if printable(text) == text:
        say(text.removesuffix("\n"))
    else:  # signs that steer a terminal are told by their numbers, so no checksum could hold
        emit(tree.to_dict())


def _give(made: str | bytes, output: Path | None, *, overwrite: bool) -> None:
    from privet.cli.files import new_file, write_text
    from privet.cli.output import note, printable, say
    from privet.errors import InputError

    if output is not None:
        if isinstance(made, str):
            write_text(output, made, overwrite=overwrite)
        else:
            with new_file(output, overwrite=overwrite) as file:
                file.write_bytes(made)
        note(f"Written to {output}.")
    elif isinstance(made, str):
        if printable(made) != made:  # it would not mean the same any more
            message = "A name of the tree holds control signs, which a terminal would obey."
            raise InputError(message, hint="write to a file with --output.")
        say(made.rstrip("\n"))
