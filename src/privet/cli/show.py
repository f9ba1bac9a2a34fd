"""``privet show``: a tree as text, or what a release says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from privet.cli.options import PATH, examples, json_option

if TYPE_CHECKING:
    from pathlib import Path

    from privet.release import Release

__all__ = ["command"]


@click.command(
    "show", epilog=examples("privet show tree.json --depth 3", "privet show people.release")
)
@click.argument("thing", type=PATH, metavar="TREE|RELEASE")
@click.option("--depth", type=click.IntRange(0), help="Levels of a tree to show; all by default.")
@json_option
def command(thing: Path, depth: int | None, as_json: bool) -> None:
    """Show a tree as text, or a release's card in words."""
    from privet.cli.output import emit, say
    from privet.cli.tables import is_release

    if thing.is_dir() or is_release(thing):
        from privet.release import Release

        if depth is not None:
            raise click.UsageError("--depth is for trees.")
        release = Release.read(thing)
        if as_json:
            emit(_form(release))
        else:
            say("\n".join(_lines(thing, release)))
        return
    from privet.tree import Tree
    from privet.tree.text import render

    tree = Tree.read(thing)
    if as_json:
        emit(tree.to_dict())
    else:
        say(render(tree, depth))


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
