"""``privet show``: a tree as text, picture or code, or what a release says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import PATH, examples, json_option, output_option, overwrite_option

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from privet.release import Release
    from privet.tree import Tree

__all__ = ["command"]


_FORMS = {
    "svg": "A picture.",
    "html": "A page: the picture, an outline, a search for a record's path.",
    "rules": "One sentence a leaf.",
    "dot": "A graph for Graphviz.",
    "sql": "An SQL expression of the predicted class.",
    "onnx": "An ONNX model; needs --output.",
    "importances": "What each attribute brings, with its error.",
}


def _form_options(command: Callable[..., None]) -> Callable[..., None]:
    for name in reversed(_FORMS):
        command = click.option(f"--{name}", "form", flag_value=name, help=_FORMS[name])(command)
    return command


@click.command(
    "show",
    epilog=examples(
        "privet show tree.json --depth 3",
        "privet show tree.json --html --output tree.html",
        "privet show tree.json --beside plain.json",
        "privet show people.release",
    ),
)
@click.argument("thing", type=PATH, metavar="TREE|RELEASE")
@click.option("--depth", type=click.IntRange(0), help="Levels of the text to show; all by default.")
@_form_options
@click.option("--leaves", type=click.IntRange(1), help="Leaves of the picture before some fold.")
@click.option("--beside", type=PATH, help="Another tree: where it differs from this one.")
@output_option("Where to write a picture, page, graph, expression or model.")
@overwrite_option
@json_option
def command(
    thing: Path,
    depth: int | None,
    form: str | None,
    leaves: int | None,
    beside: Path | None,
    output: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Show a tree as text, picture or code, or a release's card in words."""
    from privet.cli.files import check_free
    from privet.cli.output import emit, say
    from privet.cli.tables import is_release

    _check(form, depth, leaves, output, as_json=as_json)
    if beside is not None and (form is not None or depth is not None):
        raise click.UsageError("--beside goes with no form and no --depth.")
    check_free(output, overwrite=overwrite)
    if thing.is_dir() or is_release(thing):
        from privet.release import Release

        if depth is not None or form is not None or beside is not None:
            raise click.UsageError("--depth, --beside and the forms of a tree are for trees.")
        release = Release.read(thing)
        if as_json:
            emit(_form(release))
        else:
            say("\n".join(_lines(thing, release)))
        return
    from privet.tree import Tree
    from privet.tree.text import render

    tree = Tree.read(thing)
    if beside is not None:
        _beside(tree, Tree.read(beside), as_json=as_json)
    elif as_json:
        emit(tree.to_dict())
    elif form is not None:
        _give(_written(tree, form, leaves), output, overwrite=overwrite)
    else:
        say(render(tree, depth))


def _check(
    form: str | None, depth: int | None, leaves: int | None, output: Path | None, *, as_json: bool
) -> None:
    if form is not None and (as_json or depth is not None):
        raise click.UsageError(f"--{form} goes with neither --json nor --depth.")
    if leaves is not None and form not in ("svg", "html"):
        raise click.UsageError("--leaves is for --svg and --html.")
    if output is not None and form is None:
        raise click.UsageError(
            "--output is for the forms of a tree: --svg, --html, --rules and so on."
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
    from privet.tree.understand import importances

    found = importances(tree)
    width = max(len(one.name) for one in found)
    return "".join(f"{one.name:{width}}  {one.value:.3f} ± {one.error:.3f}\n" for one in found)


def _beside(tree: Tree, other: Tree, *, as_json: bool) -> None:
    from privet.cli.output import emit, say
    from privet.tree.understand import compare

    found = compare(tree, other)
    changes = [one for one in found if one.kind != "same"]
    same = len(found) - len(changes)
    if as_json:
        held = [{"kind": one.kind, "path": list(one.path), "text": one.text} for one in changes]
        emit({"compared": len(found), "same": same, "changes": held})
        return
    say(f"{same} of {len(found)} nodes are the same; what is below a different one is left out.")
    for one in changes:
        where = " and ".join(one.path) if one.path else "at the root"
        say(f"  {one.kind}: {where}: {one.text}")


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


def _form(release: Release) -> dict[str, Any]:
    return {
        "rows": release.rows,
        "parts": len(release.parts),
        "target": release.schema.target,
        "schema": release.schema.to_dict(),
        "treatments": release.treatments,
        "shuffled": release.shuffled,
        "seeded": release.seeded,
        "claim": release.claim.to_json(),
        "sentences": release.claim.sentences(),
    }


def _lines(path: Path, release: Release) -> list[str]:
    order = "rows shuffled" if release.shuffled else "rows IN THE ORIGINAL ORDER"
    lines = [f"{path}: a release of {release.rows:,} records, {order}; all checksums hold.", ""]
    width = max(len(name) for name in release.treatments)
    for name, treatment in release.treatments.items():
        domain = _domain(release, name) if name in release.schema else ""
        mark = " (the class)" if name == release.schema.target else ""
        lines.append(f"  {name:{width}}  {treatment:12}  {domain}{mark}".rstrip())
    return [*lines, "", *(f"- {sentence}" for sentence in release.claim.sentences())]


def _domain(release: Release, name: str) -> str:
    attribute = release.schema[name]
    coding = release.codings[name]
    if attribute.values is not None:
        listed = ", ".join(map(str, attribute.values[:6]))
        return f"{len(attribute.values)} categories: {listed}" + (
            ", …" if len(attribute.values) > 6 else ""
        )
    low, high = attribute.range
    cells = "" if coding is None else f" in {coding.known} cells"
    return f"{'whole numbers' if attribute.integer else 'numbers'} {low:g} to {high:g}{cells}"
